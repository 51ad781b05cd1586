import { useEffect, useReducer } from "preact/hooks";
import { clipped, visible } from "../../shared/visible";
import { useSource } from "../Shell";
import { DISAGREE, MARKED, type Row } from "../types";
import type { Table } from "./filters";
import type { RowCache } from "./row_cache";
import { VerdictMark, bucketNamed } from "./VerdictMark";

export const MOST_SCORERS = 8; // that a row has room for

interface Props {
  run: string;
  place: number;
  table: Table;
  rows: RowCache;
  /** The scorers whose verdicts are shown; the first is the chosen one. */
  scorers: string[];
  isCurrent: boolean;
  addressOf: (row: Row) => string;
}

/** One sample in a list: picture, question, gold, answer, verdicts. Until its row is here its place is kept. */
export function SampleRow({ run, place, table, rows, scorers, isCurrent, addressOf }: Props) {
  const source = useSource();
  const [, drawAgain] = useReducer((count: number) => count + 1, 0);
  useEffect(() => rows.want(place, () => drawAgain(null)), [rows, place]);
  const row = rows.get(place);
  const flags = table.flags[place] ?? 0;
  const marks = scorers.slice(0, MOST_SCORERS).map((scorer) => (
    <VerdictMark key={scorer} bucket={bucketNamed(table.buckets.get(scorer)?.[place])} of={scorer} />
  ));
  if (!row) {
    return (
      <div class="sample-row waiting" aria-busy={!rows.refused}>
        <span class="thumb" />
        <span class="what">
          <span class="soft">{rows.refused ? visible(clipped(rows.refused, 200)) : "…"}</span>
        </span>
        <span class="verdict-marks">{marks}</span>
      </div>
    );
  }
  return (
    <a class="sample-row" href={addressOf(row)} data-place={place} aria-current={isCurrent ? "true" : undefined}>
      <span class="thumb">
        {row.picture && (
          <img src={source.picture(run, row.picture, true)} alt="" width="52" height="52" loading="lazy" decoding="async" onError={hide} />
        )}
        {row.pictures > 1 && <span class="thumb-count">{row.pictures}</span>}
        {row.pictures > 0 && !row.picture && <span class="soft">not kept</span>}
      </span>
      <span class="what">
        <span class="row-facts">
          <b>{row.index}</b>
          {(flags & DISAGREE) !== 0 && (
            <span class="flag" title="scorers disagree">
              <span aria-hidden="true">≠</span>
              <span class="unseen">scorers disagree</span>
            </span>
          )}
          {(flags & MARKED) !== 0 && <span class="flag">marked</span>}
          {row.id && row.id !== String(row.index) && <span class="said">{visible(clipped(row.id, 60))}</span>}
          {row.category && <span class="said">{visible(clipped(row.category, 60))}</span>}
        </span>
        <span class="line" dir="auto">
          {visible(clipped(row.question, 300)) || <span class="soft">(no question)</span>}
        </span>
      </span>
      <span class="line gold" dir="auto">
        <span class="unseen">gold: </span>
        {visible(clipped(row.gold, 120)) || "–"}
      </span>
      <span class="line read" dir="auto">
        <span class="unseen">answer: </span>
        {visible(clipped(row.answer, 120)) || <span class="soft">–</span>}
      </span>
      <span class="verdict-marks">{marks}</span>
    </a>
  );
}

function hide(event: Event): void {
  if (event.currentTarget instanceof HTMLElement) event.currentTarget.hidden = true;
}
