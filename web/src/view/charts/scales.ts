// Scales and ticks of charts: pure arithmetic.

/** Maps `from` linearly to `to`. A range of no width maps to the middle. */
export function linear(from: [number, number], to: [number, number]): (value: number) => number {
  const width = from[1] - from[0];
  if (!(Math.abs(width) > 0)) return () => (to[0] + to[1]) / 2;
  return (value) => to[0] + ((value - from[0]) / width) * (to[1] - to[0]);
}

/** About `most` round numbers from low to high, both covered: steps of 1, 2, 2.5 or 5 times a power of ten. */
export function ticks(low: number, high: number, most = 6): number[] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [];
  if (low === high) return [low];
  const rough = (high - low) / Math.max(1, most - 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough - 1e-12 * power) ?? 10 * power;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, place) => clean((first + place) * step));
}

/** Without the dust of binary fractions. */
const clean = (number: number): number => Number(number.toPrecision(12));

/** Which of so many edges of a distribution are written under it: the ends, and those at the quarters where there is room. */
export function edgeTicks(edges: number): number[] {
  const last = edges - 1;
  if (last < 1) return edges > 0 ? [0] : [];
  if (last < 4) return Array.from({ length: edges }, (_, place) => place);
  return [0, 1, 2, 3, 4].map((quarter) => Math.round((quarter * last) / 4));
}

/** A number for an axis: `0.5`, `1,200`, `1.5e+7`. */
export function tickWords(value: number): string {
  if (Math.abs(value) >= 1e7) return value.toExponential(1);
  return value.toLocaleString("en", { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 0 });
}

/** The ranks that an axis of so many names: the first, the last, and round ones between. */
export function rankTicks(ranks: number): number[] {
  const step = ticks(0, Math.max(1, ranks), 8)[1] ?? 1;
  const between = Array.from({ length: Math.floor(ranks / step) }, (_, place) => step * (place + 1));
  const round = between.filter((rank) => rank > 1 && rank <= ranks - step / 2);
  return [...new Set([1, ...round.filter(Number.isInteger), Math.max(1, ranks)])];
}
