import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { visible } from "../../shared/visible";
import { useKeys } from "../keys";
import type { Shown } from "../types";
import { colorOf } from "./pixels";
import { type Point, type Sight, type Size, colorInWords, onScreen, pixelAt, showing } from "./sight";
import { type Zoom, inFrame, useZoom } from "./useZoom";

interface Props {
  picture: Shown;
  src: string;
  alt: string;
  /** What lies over the picture, in shares of it. */
  children?: ComponentChildren;
}

const PAN = 60; // CSS pixels for an arrow key
const ARROWS: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const HELP =
  "Plus and minus zoom, 0 fits the picture, arrow keys move it. With Pixels on, arrow keys go from pixel to pixel, with shift ten at a time.";

/** A picture that is zoomed and moved by wheel, fingers and keys, and tells the colour of each of its pixels. */
export function Picture({ picture, src, alt, children }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const image = useRef<HTMLImageElement>(null);
  const [size, setSize] = useState<Size>({ width: picture.width || 4, height: picture.height || 3 });
  const [pixel, setPixel] = useState<Point | null>(null);
  const [isReading, setReading] = useState(false);
  const [state, setState] = useState<"waiting" | "here" | "broken">("waiting");
  const zoom = useZoom(frame, size);
  const { sight, isZoomed, room } = zoom;
  const point = isReading && pixel ? onScreen(sight, pixel) : undefined; // what is zoomed around
  const pixelUnder = (event: MouseEvent) => setPixel(pixelAt(zoom.latest(), inFrame(frame.current, event), size));

  useKeys({
    "+": ["picture larger", () => zoom.larger(point)],
    "=": ["picture larger", () => zoom.larger(point)],
    "-": ["picture smaller", () => zoom.smaller(point)],
    "0": ["picture fitted", zoom.fit],
  });
  const goTo = (next: Point) => {
    setPixel(next);
    zoom.look(showing(sight, next, size, room));
  };
  const arrow = (event: KeyboardEvent) => {
    const step = ARROWS[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey || !(isReading || isZoomed)) return;
    event.preventDefault();
    event.stopPropagation();
    if (!isReading) return zoom.pan(-PAN * step[0], -PAN * step[1]);
    const [from, far] = [pixel ?? middleOf(size), event.shiftKey ? 10 : 1];
    goTo({ x: inside(from.x + far * step[0], size.width), y: inside(from.y + far * step[1], size.height) });
  };
  const toggleReading = () => {
    setReading(!isReading);
    setPixel(isReading ? null : (pixelAt(sight, { x: room.width / 2, y: room.height / 2 }, size) ?? middleOf(size)));
    if (!isReading) frame.current?.focus();
  };
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
        onPointerDown={zoom.pointerDown}
        onPointerMove={(event) => {
          zoom.pointerMove(event);
          if (event.pointerType === "mouse" && !isReading) pixelUnder(event);
        }}
        onPointerUp={(event) => {
          if (zoom.pointerUp(event) && (isReading || event.pointerType !== "mouse")) pixelUnder(event);
        }}
        onPointerCancel={zoom.pointerUp}
        onPointerLeave={(event) => event.pointerType === "mouse" && !isReading && setPixel(null)}
        onDblClick={(event) => (isZoomed ? zoom.fit() : zoom.zoom(Math.max(2.5, 1 / sight.scale), inFrame(frame.current, event)))}
        onKeyDown={arrow}
      >
        <div class="zoom-place" style={placeStyle(sight, size)}>
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
      <Tools zoom={zoom} size={size} point={point} src={src} isReading={isReading} onReading={toggleReading} />
      <ReadOut pixel={pixel} image={state === "here" ? image.current : null} isLive={isReading} />
    </div>
  );
}

interface ToolsProps {
  zoom: Zoom;
  size: Size;
  point: Point | undefined;
  src: string;
  isReading: boolean;
  onReading: () => void;
}

function Tools({ zoom, size, point, src, isReading, onReading }: ToolsProps) {
  const { scale } = zoom.sight;
  return (
    <div class="zoom-tools">
      <button type="button" aria-label="Smaller" disabled={!zoom.isZoomed} onClick={() => zoom.smaller(point)}>
        −
      </button>
      <button type="button" aria-label="Larger" onClick={() => zoom.larger(point)}>
        +
      </button>
      <button type="button" aria-pressed={!zoom.isZoomed} onClick={zoom.fit}>
        Fit
      </button>
      <button type="button" aria-pressed={Math.abs(scale - 1) < 0.001} onClick={() => zoom.zoom(1 / scale, point)}>
        1:1
      </button>
      <button type="button" aria-pressed={isReading} onClick={onReading}>
        Pixels
      </button>
      <span class="zoom-scale soft">
        {size.width} × {size.height} px at {scale < 0.095 ? (100 * scale).toFixed(1) : Math.round(100 * scale)} %
      </span>
      <a class="zoom-open" href={src} target="_blank" rel="noopener">
        Open the file
      </a>
    </div>
  );
}

/** Where the pixel is and what colour it has; said aloud while one goes from pixel to pixel. */
function ReadOut({ pixel, image, isLive }: { pixel: Point | null; image: HTMLImageElement | null; isLive: boolean }) {
  const color = pixel && image ? colorOf(image, pixel.x, pixel.y) : null;
  return (
    <p class="zoom-read" role={isLive ? "status" : undefined}>
      {color && <span class="swatch" style={{ background: `rgb(${color[0]} ${color[1]} ${color[2]} / ${color[3] / 255})` }} />}
      {pixel ? (
        `x ${pixel.x}, y ${pixel.y} · ${color ? colorInWords(color) : "the colour cannot be read"}`
      ) : (
        <span class="soft">Point at the picture to read its pixels.</span>
      )}
    </p>
  );
}

const inside = (place: number, count: number): number => Math.min(count - 1, Math.max(0, place));
const middleOf = ({ width, height }: Size): Point => ({ x: Math.floor(width / 2), y: Math.floor(height / 2) });

function placeStyle({ scale, x, y }: Sight, { width, height }: Size) {
  return { width: `${width * scale}px`, height: `${height * scale}px`, transform: `translate(${x}px, ${y}px)` };
}

/** A frame around one pixel, never too small to be seen. */
function pixelStyle(sight: Sight, pixel: Point) {
  const side = Math.max(11, sight.scale + 2);
  const { x, y } = onScreen(sight, pixel);
  return { left: `${x - side / 2}px`, top: `${y - side / 2}px`, width: `${side}px`, height: `${side}px` };
}
