import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Corner, CORNERS, afterArrow, between, inWords, moved, resized } from "./boxes";
import type { Box, Picture as Facts } from "./types";

export interface ShownBox {
  id: string;
  number: number;
  label: string;
  box: Box;
}

interface Props {
  pictures: Facts[];
  /** How much larger than fitted it is shown, 1 to 8. */
  zoom: number;
  onZoom: (zoom: number) => void;
  zoomKey: string;
  /** Whether the form asks for boxes at all. */
  boxable: boolean;
  boxes: ShownBox[];
  /** Boxes of a proposal that is looked at. */
  ghosts: Box[];
  selected: string;
  onSelect: (id: string) => void;
  onChange: (id: string, box: Box) => void;
  onRemove: (id: string) => void;
  onDrawn: (box: Box) => void;
  onLeave: (id: string) => void;
}

type Pull =
  | { kind: "draw"; x: number; y: number }
  | { kind: "move" | Corner; id: string; x: number; y: number; from: Box };

const TALLEST = 0.52; // of the window
const LARGEST_UPSCALE = 3;

/** The picture, fitted or larger, and the boxes on it; they are drawn, moved and resized by mouse, touch or keys. */
export function Picture(props: Props) {
  const [place, setPlace] = useState(0);
  const [failed, setFailed] = useState("");
  const [armed, setArmed] = useState(false);
  const [room, setRoom] = useState({ width: 0, height: 0 });
  const frame = useRef<HTMLDivElement>(null);
  const facts = props.pictures[place] ?? props.pictures[0];

  useEffect(() => {
    setPlace(0);
    setArmed(false);
  }, [props.pictures[0]?.sha256]);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => setRoom({ width: element.clientWidth, height: window.innerHeight * TALLEST });
    measure(); // before the observer tells: the frame grows with what it shows, which would be a loop
    const seen = new ResizeObserver(measure);
    seen.observe(element);
    window.addEventListener("resize", measure);
    return () => {
      seen.disconnect();
      window.removeEventListener("resize", measure);
    };
  }, [facts === undefined]);

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element || props.zoom === 1) return;
    // Around the box that is worked on, otherwise around the middle.
    const [left, top, right, bottom] = props.boxes.find(({ id }) => id === props.selected)?.box ?? [0, 0, 1, 1];
    element.scrollLeft = ((left + right) / 2) * element.scrollWidth - element.clientWidth / 2;
    element.scrollTop = ((top + bottom) / 2) * element.scrollHeight - element.clientHeight / 2;
  }, [props.zoom]);

  if (!facts) return <p class="soft no-picture">This item has no picture.</p>;
  const scale = Math.min(room.width / facts.width, room.height / facts.height, LARGEST_UPSCALE) * props.zoom;
  const size = { width: `${Math.max(1, facts.width * scale)}px`, height: `${Math.max(1, facts.height * scale)}px` };
  const boxable = props.boxable && place === 0;
  return (
    <section class="picture" aria-label="Picture">
      <div class="picture-tools">
        {props.pictures.length > 1 &&
          props.pictures.map((one, index) => (
            <button key={one.sha256} type="button" aria-pressed={index === place} onClick={() => setPlace(index)}>
              Picture {index + 1}
            </button>
          ))}
        <span class="soft">
          {facts.width} × {facts.height} px, shown at {Math.round(scale * 100)} %
        </span>
        <span class="zooms">
          <button type="button" aria-label="Smaller" disabled={props.zoom <= 1} onClick={() => props.onZoom(props.zoom / 1.25)}>
            −
          </button>
          <button type="button" aria-label="Larger" onClick={() => props.onZoom(props.zoom * 1.25)}>
            +
          </button>
          <button type="button" aria-pressed={props.zoom > 1} onClick={() => props.onZoom(props.zoom > 1 ? 1 : 2)}>
            {props.zoom > 1 ? "Fit" : "Enlarge"} <kbd>{props.zoomKey}</kbd>
          </button>
        </span>
        {boxable && (
          <button type="button" class="touch-only" aria-pressed={armed} onClick={() => setArmed(!armed)}>
            {armed ? "Drawing: drag on the picture" : "Draw a box"}
          </button>
        )}
      </div>
      <div class={props.zoom > 1 ? "picture-frame large" : "picture-frame"} ref={frame} tabIndex={props.zoom > 1 ? 0 : -1}>
        <div class="picture-size" style={size}>
          {failed === facts.sha256 ? (
            <p class="warn">The picture cannot be shown.</p>
          ) : (
            <img
              key={facts.sha256}
              src={`/images/${facts.sha256}`}
              alt={`Picture ${place + 1} of this item`}
              draggable={false}
              onError={() => setFailed(facts.sha256)}
            />
          )}
          {boxable && <Surface {...props} armed={armed} onDone={() => setArmed(false)} />}
        </div>
      </div>
    </section>
  );
}

function Surface(props: Props & { armed: boolean; onDone: () => void }) {
  const surface = useRef<HTMLDivElement>(null);
  const pull = useRef<Pull | null>(null);
  const [drawing, setDrawing] = useState<Box | null>(null);

  const shares = (event: PointerEvent): [number, number] => {
    const area = surface.current?.getBoundingClientRect();
    return area ? [(event.clientX - area.left) / area.width, (event.clientY - area.top) / area.height] : [0, 0];
  };
  const start = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const grip = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-box]") : null;
    if (!grip && event.pointerType === "touch" && !props.armed) return; // a finger scrolls, unless it is told to draw
    const [x, y] = shares(event);
    const found = props.boxes.find((shown) => shown.id === grip?.dataset.box);
    if (grip && found) {
      props.onSelect(found.id);
      pull.current = { kind: (grip.dataset.corner as Corner | undefined) ?? "move", id: found.id, x, y, from: found.box };
      surface.current?.querySelector<HTMLElement>(`.box[data-box="${CSS.escape(found.id)}"]`)?.focus();
    } else {
      pull.current = { kind: "draw", x, y };
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    }
    surface.current?.setPointerCapture(event.pointerId);
    event.preventDefault();
  };
  const drag = (event: PointerEvent) => {
    const held = pull.current;
    if (!held) return;
    const [x, y] = shares(event);
    if (held.kind === "draw") setDrawing(between(held.x, held.y, x, y));
    else if (held.kind === "move") props.onChange(held.id, moved(held.from, x - held.x, y - held.y));
    else props.onChange(held.id, resized(held.from, held.kind, x - held.x, y - held.y));
  };
  const end = (event: PointerEvent) => {
    const held = pull.current;
    pull.current = null;
    setDrawing(null);
    if (held?.kind !== "draw" || event.type === "pointercancel") return;
    const box = between(held.x, held.y, ...shares(event));
    if (!box) return;
    props.onDrawn(box);
    props.onDone();
  };
  return (
    <div
      ref={surface}
      class={props.armed ? "surface armed" : "surface"}
      role="application"
      aria-label="Boxes on the picture. Arrow keys move the box that has the focus, shift and arrow keys resize it, delete removes it, Escape leaves it."
      onPointerDown={start}
      onPointerMove={drag}
      onPointerUp={end}
      onPointerCancel={end}
    >
      {props.ghosts.map((box, index) => (
        <div key={index} class="ghost" style={at(box)} />
      ))}
      {props.boxes.map((shown) => (
        <BoxHandle key={shown.id} shown={shown} {...props} />
      ))}
      {drawing && <div class="box drawn" style={at(drawing)} />}
    </div>
  );
}

function BoxHandle(props: Props & { shown: ShownBox }) {
  const { shown } = props;
  const onKey = (event: KeyboardEvent) => {
    const next = afterArrow(shown.box, event.key, event.shiftKey, event.repeat);
    if (next && !event.ctrlKey && !event.altKey && !event.metaKey) props.onChange(shown.id, next);
    else if (event.key === "Delete" || event.key === "Backspace") props.onRemove(shown.id);
    else if (event.key === "Enter" || event.key === "Escape") props.onLeave(shown.id);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      class={props.selected === shown.id ? "box selected" : "box"}
      data-box={shown.id}
      tabIndex={0}
      role="button"
      aria-roledescription="box"
      aria-label={`Box ${shown.number}, ${shown.label || "no text yet"}: ${inWords(shown.box)}`}
      style={at(shown.box)}
      onFocus={() => props.onSelect(shown.id)}
      onKeyDown={onKey}
    >
      <span class="box-number" aria-hidden="true">
        {shown.number}
      </span>
      {props.selected === shown.id &&
        CORNERS.map((corner) => (
          <span key={corner} class={`corner ${corner}`} data-box={shown.id} data-corner={corner} aria-hidden="true" />
        ))}
    </div>
  );
}

function at([left, top, right, bottom]: Box) {
  const percent = (share: number) => `${share * 100}%`;
  return { left: percent(left), top: percent(top), width: percent(right - left), height: percent(bottom - top) };
}
