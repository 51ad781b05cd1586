// The axis of costs: linear from zero, or by powers of ten where values are far apart. Pure.

import { percentAt, valueRange } from "./scale_of";

export interface Axis {
  isLog: boolean;
  ticks: number[];
  /** Percent of the width at which a value lies. */
  at: (value: number) => number;
}

const FAR_APART = 30;

export function axisOf(values: readonly number[]): Axis {
  const [least, largest] = [Math.min(...values), Math.max(...values)];
  if (values.length === 0 || least <= 0 || largest / least < FAR_APART) {
    const range = valueRange([0, ...values], 5);
    return { isLog: false, ticks: range.ticks, at: (value) => percentAt(range, value) };
  }
  const [low, high] = [Math.floor(Math.log10(least) + 1e-9), Math.ceil(Math.log10(largest) - 1e-9)];
  const ticks = Array.from({ length: high - low + 1 }, (_, place) => Number((10 ** (low + place)).toPrecision(6)));
  return { isLog: true, ticks, at: (value) => percentAt({ low, high }, Math.log10(value)) };
}
