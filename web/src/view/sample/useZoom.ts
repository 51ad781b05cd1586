import { type RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Point, type Sight, type Size, fitScale, fitted, kept, panned, zoomed } from "./sight";

const STEP = 1.25;

export interface Zoom {
  sight: Sight;
  room: Size;
  isZoomed: boolean;
  /** The sight as it is by now: several moves of a pointer may come before the picture is drawn again. */
  latest: () => Sight;
  look: (sight: Sight) => void;
  fit: () => void;
  larger: (at?: Point) => void;
  smaller: (at?: Point) => void;
  zoom: (factor: number, at?: Point) => void;
  pan: (dx: number, dy: number) => void;
  pointerDown: (event: PointerEvent) => void;
  pointerMove: (event: PointerEvent) => void;
  /** Whether the pointer was down on the picture. */
  pointerUp: (event: PointerEvent) => boolean;
}

/** How a picture lies in its frame, changed by wheel, mouse and fingers. */
export function useZoom(frame: RefObject<HTMLDivElement | null>, size: Size): Zoom {
  const [room, setRoom] = useState<Size>({ width: 0, height: 0 });
  const [chosen, setChosen] = useState<Sight | null>(null); // null: fitted
  const pointers = useRef(new Map<number, Point>());
  const sight = chosen ? kept(chosen, size, room) : fitted(size, room);
  const latest = useRef(sight);
  latest.current = sight;
  const smallest = fitScale(size, room) * 1.001;
  const isZoomed = sight.scale > smallest;
  const look = (next: Sight) => {
    latest.current = next;
    setChosen(next.scale <= smallest ? null : next);
  };
  const zoom = (factor: number, at: Point = { x: room.width / 2, y: room.height / 2 }) =>
    look(zoomed(latest.current, factor, at, size, room));
  const pan = (dx: number, dy: number) => look(panned(latest.current, dx, dy, size, room));

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => setRoom({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const seen = new ResizeObserver(measure);
    seen.observe(element);
    return () => seen.disconnect();
  }, []);

  // The wheel zooms only where it changes something: at the smallest scale, scrolling down scrolls the page.
  const turned = useRef<(event: WheelEvent) => void>(() => {});
  turned.current = (event) => {
    if (event.deltaY > 0 && !isZoomed && !event.ctrlKey) return;
    event.preventDefault();
    const turn = event.deltaY * (event.deltaMode === 1 ? 24 : 1);
    zoom(Math.exp(-Math.max(-120, Math.min(120, turn)) / 300), inFrame(frame.current, event));
  };
  useEffect(() => {
    const element = frame.current;
    const wheel = (event: WheelEvent) => turned.current(event);
    element?.addEventListener("wheel", wheel, { passive: false });
    return () => element?.removeEventListener("wheel", wheel);
  }, []);

  return {
    sight,
    room,
    isZoomed,
    latest: () => latest.current,
    look,
    fit: () => setChosen(null),
    larger: (at) => zoom(STEP, at),
    smaller: (at) => zoom(1 / STEP, at),
    zoom,
    pan,
    pointerDown(event) {
      if (event.button !== 0) return;
      pointers.current.set(event.pointerId, inFrame(frame.current, event));
      if (isZoomed || pointers.current.size > 1) frame.current?.setPointerCapture(event.pointerId);
    },
    pointerMove(event) {
      const before = pointers.current.get(event.pointerId);
      if (!before) return;
      const at = inFrame(frame.current, event);
      const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
      pointers.current.set(event.pointerId, at);
      if (other) {
        zoom(distance(at, other) / Math.max(1, distance(before, other)), { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 });
        pan((at.x - before.x) / 2, (at.y - before.y) / 2);
      } else if (isZoomed) pan(at.x - before.x, at.y - before.y);
    },
    pointerUp: (event) => pointers.current.delete(event.pointerId),
  };
}

const distance = (one: Point, other: Point): number => Math.hypot(one.x - other.x, one.y - other.y);

/** Where the pointer is in the frame, inside its border. */
export function inFrame(frame: HTMLElement | null, { clientX, clientY }: { clientX: number; clientY: number }): Point {
  const area = frame?.getBoundingClientRect();
  return frame && area ? { x: clientX - area.left - frame.clientLeft, y: clientY - area.top - frame.clientTop } : { x: 0, y: 0 };
}
