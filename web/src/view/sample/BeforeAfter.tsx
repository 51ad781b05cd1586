import { useRef, useState } from "preact/hooks";
import { clipped, visible } from "../../shared/visible";
import { useSource } from "../Shell";
import type { Shown } from "../types";
import { letterboxed } from "./sight";
import { afterKey, atPointer } from "./slider";

const WAYS = { slide: "Slider", beside: "Side by side", differ: "Difference" } as const;
type Way = keyof typeof WAYS;

/** A picture and what a tool has made of it: under one handle, beside one another, or only what differs. */
export function BeforeAfter({ run, before, after }: { run: string; before: Shown; after: Shown }) {
  const source = useSource();
  const [way, setWay] = useState<Way>("slide");
  if (before.sha256 === null || after.sha256 === null)
    return <p class="not-kept">One of the two pictures is not kept in the run: {nameOf(before.sha256 === null ? before : after)}.</p>;
  const isSameSize = before.width === after.width && before.height === after.height;
  const [from, to] = [source.picture(run, before.sha256, false), source.picture(run, after.sha256, false)];
  return (
    <figure class="before-after">
      <div class="ways" role="group" aria-label="How the two pictures are compared">
        {(Object.keys(WAYS) as Way[]).map((one) => (
          <button key={one} type="button" aria-pressed={one === way} onClick={() => setWay(one)} disabled={one === "differ" && !isSameSize}>
            {WAYS[one]}
          </button>
        ))}
      </div>
      {way === "slide" && <Slide before={before} after={after} from={from} to={to} />}
      {way === "beside" && (
        <div class="beside">
          {[
            { name: "before", one: before, src: from },
            { name: "after", one: after, src: to },
          ].map(({ name, one, src }) => (
            <a key={name} href={src} target="_blank" rel="noopener">
              <img src={src} alt={`${name}: ${nameOf(one)}`} width={one.width || undefined} height={one.height || undefined} loading="lazy" />
              <span>{name}</span>
            </a>
          ))}
        </div>
      )}
      {way === "differ" && (
        <div class="slide differ" style={roomStyle(before)}>
          <img src={from} alt={`before: ${nameOf(before)}`} />
          <img class="above" src={to} alt={`difference to ${nameOf(after)}; black is where nothing changed`} />
        </div>
      )}
      <figcaption class="help">
        before: {nameOf(before)}, {sizeOf(before)} · after: {nameOf(after)}, {sizeOf(after)}
        {!isSameSize && " · not the same size: each is fitted into the same room"}
      </figcaption>
    </figure>
  );
}

interface SlideProps {
  before: Shown;
  after: Shown;
  from: string;
  to: string;
}

function Slide({ before, after, from, to }: SlideProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [value, setValue] = useState(50);
  const [isHeld, setHeld] = useState(false);
  const at = (event: PointerEvent) => {
    const area = frame.current?.getBoundingClientRect();
    if (area) setValue(atPointer(event.clientX, area));
  };
  return (
    <div
      ref={frame}
      class="slide"
      style={roomStyle(before)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        setHeld(true);
        frame.current?.setPointerCapture(event.pointerId);
        at(event);
      }}
      onPointerMove={(event) => isHeld && at(event)}
      onPointerUp={() => setHeld(false)}
      onPointerCancel={() => setHeld(false)}
    >
      <div class="layer">
        <img src={to} alt={`after: ${nameOf(after)}`} style={within(after, before)} draggable={false} loading="lazy" />
      </div>
      <div class="layer" style={{ clipPath: `inset(0 ${100 - value}% 0 0)` }}>
        <img src={from} alt={`before: ${nameOf(before)}`} draggable={false} loading="lazy" />
      </div>
      <span class="side left" aria-hidden="true">
        before
      </span>
      <span class="side right" aria-hidden="true">
        after
      </span>
      <div
        class="handle"
        style={{ left: `${value}%` }}
        role="slider"
        tabIndex={0}
        aria-label="How much of the picture before is shown"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={value}
        aria-valuetext={`${value} % before, ${100 - value} % after`}
        onKeyDown={(event) => {
          const next = event.ctrlKey || event.metaKey || event.altKey ? null : afterKey(value, event.key);
          if (next === null) return;
          setValue(next);
          event.preventDefault();
          event.stopPropagation();
        }}
      />
    </div>
  );
}

const nameOf = (one: Shown): string => visible(clipped(one.name, 80)) || "a picture";
const sizeOf = (one: Shown): string => (one.width && one.height ? `${one.width} × ${one.height}` : "size not known");

/** The room is the shape of the picture before, so that nothing moves when the two are loaded. */
function roomStyle({ width, height }: Shown) {
  return { aspectRatio: `${width || 4} / ${height || 3}`, maxWidth: `calc(60vh * ${(width || 4) / (height || 3)})` };
}

function within(after: Shown, before: Shown) {
  if (!after.width || !after.height || !before.width || !before.height) return { objectFit: "contain" };
  const { left, top, width, height } = letterboxed(after, before);
  const percent = (share: number) => `${100 * share}%`;
  return { left: percent(left), top: percent(top), width: percent(width), height: percent(height) };
}
