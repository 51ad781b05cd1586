// Which range the charts of comparisons cover: pure arithmetic.

import { ticks } from "./scales";

export interface Range {
  low: number;
  high: number;
  /** Round numbers from `low` to `high`. */
  ticks: number[];
}

interface Interval {
  difference: number | null;
  low: number | null;
  high: number | null;
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

/** A range around 0 that holds all differences and their intervals, as wide on both sides; never narrower than ±5 points. */
export function differenceRange(intervals: readonly Interval[]): Range {
  const all = intervals.flatMap(({ difference, low, high }) => [difference, low, high]).filter(isNumber);
  const reach = Math.max(0.05, ...all.map(Math.abs));
  return ofTicks(ticks(-Math.min(1, reach), Math.min(1, reach), 5));
}

/** A range that holds all values; from 0 where they come near it. */
export function valueRange(values: readonly (number | null | undefined)[], most = 6): Range {
  const all = values.filter(isNumber);
  if (all.length === 0) return { low: 0, high: 1, ticks: [0, 1] };
  const [least, largest] = [Math.min(...all), Math.max(...all)];
  const low = least >= 0 && least < 0.5 * largest ? 0 : least;
  return ofTicks(low === largest ? ticks(low - 0.05, largest + 0.05, most) : ticks(low, largest, most));
}

/** Shares with their intervals: as `valueRange`, within 0 and 1. */
export function shareRange(values: readonly (number | null | undefined)[]): Range {
  const range = valueRange(values);
  const inside = range.ticks.filter((tick) => tick >= 0 && tick <= 1);
  return inside.length > 1 ? ofTicks(inside) : { low: 0, high: 1, ticks: [0, 0.5, 1] };
}

function ofTicks(found: number[]): Range {
  return { low: found[0] ?? 0, high: found.at(-1) ?? 1, ticks: found };
}

/** Where a value lies in a range, in percent of its width, within 0 and 100. */
export function percentAt(range: Pick<Range, "low" | "high">, value: number): number {
  const width = range.high - range.low;
  return width > 0 ? Math.min(100, Math.max(0, (100 * (value - range.low)) / width)) : 50;
}
