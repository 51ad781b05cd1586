import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface Props {
  label: string;
  count: number;
  /** Height of every row in CSS pixels. */
  height: number;
  /** The row to keep in view, -1 for none. */
  current: number;
  row: (index: number) => ComponentChildren;
}

const BEYOND = 8;

/** A list of which only the rows in view exist, so that a hundred thousand rows scroll as ten do. */
export function VirtualList({ label, count, height, current, row }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [room, setRoom] = useState(600);

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const seen = new ResizeObserver(() => setRoom(element.clientHeight));
    seen.observe(element);
    return () => seen.disconnect();
  }, []);
  useEffect(() => {
    const element = frame.current;
    if (!element || current < 0) return;
    const from = current * height;
    if (from < element.scrollTop) element.scrollTop = Math.max(0, from - height);
    else if (from + 2 * height > element.scrollTop + element.clientHeight)
      element.scrollTop = from + 2 * height - element.clientHeight;
  }, [current, height, room]);

  const first = Math.max(0, Math.floor(top / height) - BEYOND);
  const last = Math.min(count, Math.ceil((top + room) / height) + BEYOND);
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, place) => first + place);
  return (
    <div class="virtual" ref={frame} role="list" aria-label={label} onScroll={() => setTop(frame.current?.scrollTop ?? 0)}>
      <div class="virtual-whole" style={{ height: `${count * height}px` }}>
        {rows.map((index) => (
          <div
            key={index}
            class="virtual-row"
            role="listitem"
            aria-setsize={count}
            aria-posinset={index + 1}
            style={{ top: `${index * height}px`, height: `${height}px` }}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
