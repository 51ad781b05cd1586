import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { visible } from "../../shared/visible";
import { useKeys } from "../keys";
import type { Shown } from "../types";
import { colorOf } from "./pixels";
import { type Sight, type Size, colorInWords, fitScale, fitted, kept, panned, pixelAt, showing, zoomed } from "./sight";

interface Props {
  picture: Shown;
  src: string;
  alt: string;
  /** What lies over the picture, in shares of it. */
  children?: ComponentChildren;
}

type Point = { x: number; y: number };

const STEP = 1.25;
const PAN = 60; // CSS pixels for an arrow key
const ARROWS: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const HELP =
  "Plus and minus zoom, 0 fits the picture, arrow keys move it. With Pixels on, arrow keys go from pixel to pixel, with shift ten at a time.";

/** A picture that is zoomed and moved by wheel, fingers and keys, and tells the colour of each of its pixels. */
export function Picture({ picture, src, alt, children }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const image = useRef<HTMLImageElement>(null);
  const [room, setRoom] = useState<Size>({ width: 0, height: 0 });
  const [size, setSize] = useState<Size>({ width: picture.width || 4, height: picture.height || 3 });
  const [chosen, setChosen] = useState<Sight | null>(null); // null: fitted
  const [pixel, setPixel] = useState<Point | null>(null);
  const [isReading, setReading] = useState(false);
  const [state, setState] = useState<"waiting" | "here" | "broken">("waiting");
  const pointers = useRef(new Map<number, Point>());

  const sight = chosen ? kept(chosen, size, room) : fitted(size, room);
  const smallest = fitScale(size, room);
  const isZoomed = sight.scale > smallest * 1.001;
  const latest = useRef(sight); // several moves of a pointer may come before the picture is drawn again
  latest.current = sight;
  const look = (next: Sight) => {
    latest.current = next;
    setChosen(next.scale <= smallest * 1.001 ? null : next);
  };
  const middle = { x: room.width / 2, y: room.height / 2 };
  const zoom = (factor: number, at: Point = isReading && pixel ? onScreen(sight, pixel) : middle) =>
    look(zoomed(latest.current, factor, at, size, room));

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => setRoom({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const seen = new ResizeObserver(measure);
    seen.observe(element);
    return () => seen.disconnect();
  }, []);

  useKeys({
    "+": ["picture larger", () => zoom(STEP)],
    "=": ["picture larger", () => zoom(STEP)],
    "-": ["picture smaller", () => zoom(1 / STEP)],
    "0": ["picture fitted", () => setChosen(null)],
  });

  // The wheel zooms only where it changes something: at the smallest scale, scrolling down scrolls the page.
  const wheel = useRef<(event: WheelEvent) => void>(() => {});
  wheel.current = (event) => {
    const isOut = event.deltaY > 0;
    if (isOut && !isZoomed && !event.ctrlKey) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 24 : 1;
    zoom(Math.exp(-Math.max(-120, Math.min(120, event.deltaY * lines)) / 300), inFrame(frame.current, event));
  };
  useEffect(() => {
    const element = frame.current;
    const turned = (event: WheelEvent) => wheel.current(event);
    element?.addEventListener("wheel", turned, { passive: false });
    return () => element?.removeEventListener("wheel", turned);
  }, []);

  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    pointers.current.set(event.pointerId, inFrame(frame.current, event));
    if (isZoomed || pointers.current.size > 1) frame.current?.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    const at = inFrame(frame.current, event);
    if (event.pointerType === "mouse" && !isReading) setPixel(pixelAt(sight, at, size));
    const before = pointers.current.get(event.pointerId);
    if (!before) return;
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
    pointers.current.set(event.pointerId, at);
    if (other) {
      const grown = distance(at, other) / Math.max(1, distance(before, other));
      const between = { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 };
      look(panned(zoomed(latest.current, grown, between, size, room), (at.x - before.x) / 2, (at.y - before.y) / 2, size, room));
    } else if (isZoomed) look(panned(latest.current, at.x - before.x, at.y - before.y, size, room));
  };
  const up = (event: PointerEvent) => {
    const before = pointers.current.get(event.pointerId);
    pointers.current.delete(event.pointerId);
    if (before && (isReading || event.pointerType !== "mouse")) setPixel(pixelAt(sight, inFrame(frame.current, event), size));
  };
  const twice = (event: MouseEvent) => {
    if (isZoomed) setChosen(null);
    else zoom(Math.max(2.5, 1 / sight.scale), inFrame(frame.current, event));
  };
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = ARROWS[event.key];
    if (event.key === "+" || event.key === "=") zoom(STEP);
    else if (event.key === "-") zoom(1 / STEP);
    else if (event.key === "0") setChosen(null);
    else if (arrow && isReading) {
      const far = event.shiftKey ? 10 : 1;
      const from = pixel ?? { x: Math.floor(size.width / 2), y: Math.floor(size.height / 2) };
      const next = { x: inside(from.x + far * arrow[0], size.width), y: inside(from.y + far * arrow[1], size.height) };
      setPixel(next);
      look(showing(sight, next, size, room));
    } else if (arrow && isZoomed) look(panned(sight, -PAN * arrow[0], -PAN * arrow[1], size, room));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const toggleReading = () => {
    setReading(!isReading);
    if (isReading) return setPixel(null);
    setPixel(pixelAt(sight, middle, size) ?? { x: Math.floor(size.width / 2), y: Math.floor(size.height / 2) });
    frame.current?.focus();
  };

  const placed = { width: `${size.width * sight.scale}px`, height: `${size.height * sight.scale}px`, transform: `translate(${sight.x}px, ${sight.y}px)` };
  const color = pixel && state === "here" && image.current ? colorOf(image.current, pixel.x, pixel.y) : null;
  const words = pixel ? `x ${pixel.x}, y ${pixel.y} · ${color ? colorInWords(color) : "the colour cannot be read"}` : "";
  return (
    <div class="zoom">
      <div
        ref={frame}
        class={isZoomed ? "zoom-frame zoomed" : "zoom-frame"}
        style={{ aspectRatio: `${picture.width || 4} / ${picture.height || 3}` }}
        tabIndex={0}
        role="group"
        aria-roledescription="picture that can be zoomed"
        aria-label={`${visible(alt)}, ${size.width} by ${size.height} pixels. ${HELP}`}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={(event) => pointers.current.delete(event.pointerId)}
        onPointerLeave={(event) => event.pointerType === "mouse" && !isReading && setPixel(null)}
        onDblClick={twice}
        onKeyDown={key}
      >
        <div class="zoom-place" style={placed}>
          {state !== "broken" && (
            <img
              ref={image}
              class={sight.scale >= 3 ? "pixelated" : undefined}
              src={src}
              alt={alt}
              draggable={false}
              decoding="async"
              onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => {
                setState("here");
                if (width > 0 && height > 0) setSize({ width, height });
              }}
              onError={() => setState("broken")}
            />
          )}
          {children}
        </div>
        {state === "broken" && <p class="zoom-broken">The picture cannot be shown.</p>}
        {pixel && isReading && <span class="zoom-pixel" style={pixelStyle(sight, pixel)} />}
      </div>
      <div class="zoom-tools">
        <button type="button" aria-label="Smaller" disabled={!isZoomed} onClick={() => zoom(1 / STEP)}>
          −
        </button>
        <button type="button" aria-label="Larger" onClick={() => zoom(STEP)}>
          +
        </button>
        <button type="button" aria-pressed={!isZoomed} onClick={() => setChosen(null)}>
          Fit
        </button>
        <button type="button" aria-pressed={Math.abs(sight.scale - 1) < 0.001} onClick={() => look(zoomed(sight, 1 / sight.scale, middle, size, room))}>
          1:1
        </button>
        <button type="button" aria-pressed={isReading} onClick={toggleReading}>
          Pixels
        </button>
        <span class="zoom-scale soft">
          {size.width} × {size.height} px at {percent(sight.scale)}
        </span>
        <a class="zoom-open" href={src} target="_blank" rel="noopener">
          Open the file
        </a>
      </div>
      <p class="zoom-read" role={isReading ? "status" : undefined}>
        {color && <span class="swatch" style={{ background: `rgb(${color[0]} ${color[1]} ${color[2]} / ${color[3] / 255})` }} />}
        {words || <span class="soft">Point at the picture to read its pixels.</span>}
      </p>
    </div>
  );
}

const percent = (scale: number): string => `${scale < 0.095 ? (100 * scale).toFixed(1) : Math.round(100 * scale)} %`;
const distance = (one: Point, other: Point): number => Math.hypot(one.x - other.x, one.y - other.y);
const inside = (place: number, count: number): number => Math.min(count - 1, Math.max(0, place));

function inFrame(frame: HTMLElement | null, { clientX, clientY }: { clientX: number; clientY: number }): Point {
  const area = frame?.getBoundingClientRect();
  return area ? { x: clientX - area.left - (frame?.clientLeft ?? 0), y: clientY - area.top - (frame?.clientTop ?? 0) } : { x: 0, y: 0 };
}

function onScreen({ scale, x, y }: Sight, pixel: Point): Point {
  return { x: x + (pixel.x + 0.5) * scale, y: y + (pixel.y + 0.5) * scale };
}

/** A frame around one pixel, never too small to be seen. */
function pixelStyle(sight: Sight, pixel: Point) {
  const side = Math.max(11, sight.scale + 2);
  const at = onScreen(sight, pixel);
  return { left: `${at.x - side / 2}px`, top: `${at.y - side / 2}px`, width: `${side}px`, height: `${side}px` };
}
