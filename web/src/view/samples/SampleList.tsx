import { VirtualList } from "../../shared/VirtualList";
import type { Row } from "../types";
import type { Filters } from "./filters";
import { positionOf, scorerOf } from "./filters";
import { MOST_SCORERS, SampleRow } from "./SampleRow";
import type { Samples } from "./useSamples";
import { listWords } from "./words";

interface Props {
  run: string;
  samples: Samples;
  filters: Filters;
  /** The place of the sample that is chosen, -1 for none. */
  at: number;
  addressOf: (row: Row) => string;
  onClear: () => void;
  /** In a narrow column beside a sample: only the chosen scorer's verdict. */
  isNarrow?: boolean;
  height: number;
}

/** The samples that the filters let through, with the chosen one in view. */
export function SampleList({ run, samples, filters, at, addressOf, onClear, isNarrow = false, height }: Props) {
  const { table, matched, rows } = samples;
  if (!table || !matched) {
    return (
      <p class="nothing soft" aria-live="polite">
        {samples.refused || "Loading the samples…"}
      </p>
    );
  }
  const { places } = matched;
  if (places.length === 0) {
    return (
      <div class="nothing">
        <p>{table.n === 0 ? emptyWords(table.ready) : "No sample is like that."}</p>
        {table.n > 0 && (
          <button type="button" onClick={onClear}>
            Clear the filters
          </button>
        )}
      </div>
    );
  }
  const chosen = scorerOf(table, filters);
  const scorers = isNarrow ? [chosen] : table.scorers;
  const { position, isThere } = at < 0 ? { position: -1, isThere: false } : positionOf(places, at);
  return (
    <>
      {!isNarrow && (
        <div class="samples-head" aria-hidden="true">
          <span />
          <span>question</span>
          <span class="gold">gold</span>
          <span class="read">answer</span>
          <span class="verdict-marks">
            {scorers.slice(0, MOST_SCORERS).map((scorer) => (
              <span key={scorer} class={scorer === chosen ? "chosen" : undefined} title={scorer}>
                {scorer}
              </span>
            ))}
          </span>
        </div>
      )}
      <VirtualList
        label={listWords(places.length, table.n, filters, chosen)}
        count={places.length}
        height={height}
        current={isThere ? position : -1}
        row={(index) => (
          <SampleRow
            key={places[index]}
            run={run}
            place={places[index]!}
            table={table}
            rows={rows}
            scorers={scorers}
            isCurrent={places[index] === at}
            addressOf={addressOf}
          />
        )}
      />
    </>
  );
}

function emptyWords(ready: number): string {
  return ready < 1 ? "The samples are being read…" : "The run has no samples yet.";
}
