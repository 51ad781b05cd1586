// Comparisons in words. Names of runs are those of the page, made visible.

import { clipped, visible } from "../../shared/visible";
import type { CategoryPairs, Pair } from "../types";
import { DASH, counted, pValue, percent, points, signed } from "../words";

export const named = (text: string, most = 80): string => visible(clipped(text, most));

/** `[1.2, 5.4]` in points, "" without an interval. */
export function pointsInterval({ low, high }: Pick<Pair, "low" | "high">): string {
  if (low === null || high === null) return "";
  return `[${signed(100 * low)}, ${signed(100 * high)}]`;
}

/** Whether two runs are told apart, in a sentence: `B is better than A.` */
export function verdictOf(pair: Pair, names: readonly string[]): string {
  const [first, second] = [named(names[pair.a] ?? ""), named(names[pair.b] ?? "")];
  if (pair.difference === null) return `${second} and ${first} have no item with a score in common.`;
  if (pair.told_apart > 0) return `${second} is better than ${first}.`;
  if (pair.told_apart < 0) return `${second} is worse than ${first}.`;
  return `${second} and ${first} are not told apart.`;
}

/** The test, its p, and what it was corrected for: `exact McNemar test, p = 0.031; corrected for 3 comparisons p = 0.093`. */
export function testOf(pair: Pair, comparisons: number): string {
  const said = [pair.test && named(pair.test), pValue(pair.p)].filter(Boolean).join(", ");
  if (pair.holm === null) return said;
  return `${said}; corrected for ${counted(comparisons)} (Holm) ${pValue(pair.holm)}`;
}

/** What could have been detected, where the runs are not told apart or not by much. */
export function detectableOf(pair: Pair): string {
  if (pair.detectable === null) return "";
  return `A true difference of ${(100 * pair.detectable).toFixed(1)} points would have shown in four of five such comparisons (80 % power).`;
}

/** `n=120, 2 left out because a response failed` */
export function itemsOf(pair: Pick<Pair, "n" | "failed">): string {
  return pair.failed ? `n=${counted(pair.n)}, ${counted(pair.failed)} left out because a response failed` : `n=${counted(pair.n)}`;
}

export interface Cells {
  both_right: number;
  only_a: number;
  only_b: number;
  both_wrong: number;
}

/** The four cells; null under partial credit. */
export function cellsOf(pair: Pair): Cells | null {
  const { both_right, only_a, only_b, both_wrong } = pair;
  if (both_right === null || only_a === null || only_b === null || both_wrong === null) return null;
  return { both_right, only_a, only_b, both_wrong };
}

/** A difference with its interval, p and items, as one line: `+3.2 points [+1.0, +5.4], Holm p = 0.004, n=52, 2 failed`. */
export function pairLine(pair: Pair): string {
  const items = `n=${counted(pair.n)}${pair.failed ? `, ${counted(pair.failed)} failed` : ""}`;
  if (pair.difference === null) return `${DASH} ${items}`;
  const p = pair.holm !== null ? `Holm ${pValue(pair.holm)}` : pValue(pair.p);
  return [`${points(pair.difference)} ${pointsInterval(pair)}`.trim(), p, items].filter(Boolean).join(", ");
}

/** Categories with the largest loss first; those without a difference last. */
export function byDifference(categories: readonly CategoryPairs[]): CategoryPairs[] {
  const worst = ({ pairs }: CategoryPairs) => pairs.find((pair) => pair.difference !== null)?.difference ?? Infinity;
  return [...categories].sort((one, other) => worst(one) - worst(other));
}

/** How far two runs agree: `84.6 %, κ 0.61`. */
export function agreementWords(same: number | null, kappa: number | null): string {
  if (same === null) return DASH;
  return kappa === null ? percent(same) : `${percent(same)}, κ ${kappa.toFixed(2).replace("-", "−")}`;
}
