import { useId } from "preact/hooks";
import { bucketClass } from "../palette";
import { BUCKETS } from "../types";
import { counted, percent } from "../words";
import "./charts.css";

/** What is drawn over the colour of a part, in 6 × 6, so that none is told by its colour alone. `right` stays plain. */
const PATTERNS: Record<string, string> = {
  "partly right": "M1.5 1.5h1v1h-1zM4.5 4.5h1v1h-1z",
  wrong: "M-1 7L7 -1M-1 1L1 -1M5 7L7 5",
  tie: "M0 3H6",
  unparsed: "M1.5 1.5h2v2h-2z",
  refused: "M3 0V6",
  truncated: "M-1 -1L7 7M5 -1L7 1M-1 5L1 7",
  failed: "M0 0L6 6M6 0L0 6",
};

/** What became of the responses: a bar, and under it each part in words. `linkOf` says where a part leads. */
export function OutcomeBar({ counts, linkOf }: { counts: Record<string, number>; linkOf?: (bucket: string) => string }) {
  const id = useId();
  const known = BUCKETS.filter((bucket) => (counts[bucket] ?? 0) > 0);
  const whole = known.reduce((sum, bucket) => sum + (counts[bucket] ?? 0), 0);
  if (!whole) return <p class="soft">No response has a score yet.</p>;
  let begin = 0;
  return (
    <div class="outcomes">
      <svg class="outcome-bar" width="100%" height="18" aria-hidden="true">
        <defs>
          {known.map((bucket) => (
            <pattern key={bucket} id={patternOf(id, bucket)} width="6" height="6" patternUnits="userSpaceOnUse">
              <path class="hatch" d={PATTERNS[bucket] ?? ""} />
            </pattern>
          ))}
        </defs>
        {known.map((bucket) => {
          const share = (100 * (counts[bucket] ?? 0)) / whole;
          const x = begin;
          begin += share;
          return <Part key={bucket} bucket={bucket} pattern={patternOf(id, bucket)} x={`${x}%`} width={`${share}%`} height={18} />;
        })}
      </svg>
      <ul class="legend">
        {known.map((bucket) => {
          const words = `${bucket} ${counted(counts[bucket] ?? 0)} (${percent((counts[bucket] ?? 0) / whole)})`;
          return (
            <li key={bucket}>
              <svg width="14" height="14" aria-hidden="true">
                <Part bucket={bucket} pattern={patternOf(id, bucket)} x="0" width="14" height={14} />
              </svg>{" "}
              {linkOf ? <a href={linkOf(bucket)}>{words}</a> : words}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

const patternOf = (id: string, bucket: string): string => `${id}-${bucketClass(bucket)}`;

/** A colour and its pattern. */
function Part({ bucket, pattern, x, width, height }: { bucket: string; pattern: string; x: string; width: string; height: number }) {
  return (
    <>
      <rect class={bucketClass(bucket)} x={x} width={width} height={height} />
      <rect class="over" fill={`url(#${pattern})`} x={x} width={width} height={height} />
    </>
  );
}
