import { bucketClass } from "../palette";
import { BUCKETS } from "../types";
import { counted, percent } from "../words";
import "./charts.css";

/** What became of the responses: a bar, and under it each part in words. `linkOf` says where a part leads. */
export function OutcomeBar({ counts, linkOf }: { counts: Record<string, number>; linkOf?: (bucket: string) => string }) {
  const known = BUCKETS.filter((bucket) => (counts[bucket] ?? 0) > 0);
  const whole = known.reduce((sum, bucket) => sum + (counts[bucket] ?? 0), 0);
  if (!whole) return <p class="soft">No response has a score yet.</p>;
  let begin = 0;
  return (
    <div class="outcomes">
      <svg class="outcome-bar" width="100%" height="18" aria-hidden="true">
        {known.map((bucket) => {
          const share = (100 * (counts[bucket] ?? 0)) / whole;
          const x = begin;
          begin += share;
          return <rect key={bucket} class={bucketClass(bucket)} x={`${x}%`} width={`${share}%`} height="100%" />;
        })}
      </svg>
      <ul class="legend">
        {known.map((bucket) => {
          const words = `${bucket} ${counted(counts[bucket] ?? 0)} (${percent((counts[bucket] ?? 0) / whole)})`;
          return (
            <li key={bucket}>
              <svg width="12" height="12" aria-hidden="true">
                <rect class={bucketClass(bucket)} width="12" height="12" rx="2" />
              </svg>{" "}
              {linkOf ? <a href={linkOf(bucket)}>{words}</a> : words}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
