import { bucketClass } from "../palette";
import { BUCKETS } from "../types";

/** What each bucket is drawn as, in 12 × 12, so that none is told by its colour alone. */
const SHAPES: Record<string, string> = {
  right: "M2 6.5 L5 9.5 L10 3",
  "partly right": "M6 1.5 A4.5 4.5 0 0 0 6 10.5 Z M6 1.5 A4.5 4.5 0 0 1 6 10.5",
  wrong: "M2.5 2.5 L9.5 9.5 M9.5 2.5 L2.5 9.5",
  tie: "M2 4.5 H10 M2 7.5 H10",
  unparsed: "M3.5 4 A2.5 2.5 0 1 1 6 6.6 V7.6 M6 9.6 V10.2",
  refused: "M6 1.5 A4.5 4.5 0 1 0 6 10.5 A4.5 4.5 0 1 0 6 1.5 M3 9 L9 3",
  truncated: "M2 3 H10 M2 6 H7 M2 9 H4",
  failed: "M6 1.5 L11 10.5 H1 Z M6 5 V7.4 M6 8.6 V9.2",
  "n/a": "M3 6 H9",
};

export const NO_SCORE = "no score yet";

/** The bucket of a number in `Table.buckets`. */
export function bucketNamed(bucket: number | undefined): string {
  return BUCKETS[bucket ?? -1] ?? NO_SCORE;
}

/** A verdict as a shape; who cannot see it is told the word, unless it stands beside it anyway. */
export function VerdictMark({ bucket, of = "", isNamed = false }: { bucket: string; of?: string; isNamed?: boolean }) {
  const words = of ? `${of}: ${bucket}` : bucket;
  return (
    <span class={`verdict-mark ${bucketClass(bucket)}`} title={isNamed ? undefined : words}>
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        <path d={SHAPES[bucket] ?? "M6 5.5 V6.5"} />
      </svg>
      {!isNamed && <span class="unseen">{words}</span>}
    </span>
  );
}
