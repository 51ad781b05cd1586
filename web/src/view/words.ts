// Figures in words, as the terminal says them (report/figures.py).

import type { Cost, Metric } from "./types";

export const DASH = "–";

export const counted = (number: number): string => number.toLocaleString("en");

/** One decimal; a number just between two goes to the even one, as in the terminal: 6.25 is `6.2`. */
export function decimal(number: number): string {
  const size = Math.abs(number);
  const written = size % 1 === 0.25 ? (Math.floor(size) + 0.2).toFixed(1) : size.toFixed(1);
  return number < 0 ? `-${written}` : written;
}

/** `71.2 %`, or a dash. */
export function percent(share: number | null | undefined): string {
  return share === null || share === undefined ? DASH : `${decimal(100 * share)} %`;
}

/** A difference of shares in points: `+3.2 points`. */
export function points(difference: number | null | undefined): string {
  if (difference === null || difference === undefined) return DASH;
  return `${signed(100 * difference)} points`;
}

/** With its sign, one decimal; a minus that is as wide as the plus. */
export function signed(number: number): string {
  const written = decimal(Math.abs(number));
  return `${number < 0 && written !== "0.0" ? "−" : "+"}${written}`;
}

export function unitOf(metric: Metric): string {
  return metric.unit ?? "share";
}

export function valueOf(metric: Metric | null | undefined): string {
  if (!metric || metric.value === null) return DASH;
  return unitOf(metric) === "share" ? percent(metric.value) : `${Number(metric.value.toPrecision(3))} ${unitOf(metric)}`;
}

/** `[25.0, 75.0]`, in percent where it is a share; "" without an interval. */
export function intervalOf(metric: Metric | null | undefined): string {
  if (!metric || metric.low === null || metric.low === undefined || metric.high === null || metric.high === undefined) return "";
  const scale = unitOf(metric) === "share" ? 100 : 1;
  return `[${decimal(scale * metric.low)}, ${decimal(scale * metric.high)}]`;
}

/** `n=10, 2 failed (40.0 to 60.0 % if those were wrong or right)` */
export function denominatorOf(metric: Metric): string {
  const failed = metric.failed ?? 0;
  if (!failed) return `n=${counted(metric.n)}`;
  const bounds = boundsOf(metric);
  return `n=${counted(metric.n)}, ${counted(failed)} failed${bounds && ` (${bounds} if those were wrong or right)`}`;
}

/** The value if all that failed were wrong, and if they were right: `40.0 to 60.0 %`; "" if none failed. */
export function boundsOf(metric: Metric): string {
  const { worst, best } = metric;
  if (!metric.failed || worst === null || worst === undefined || best === null || best === undefined) return "";
  return `${decimal(100 * worst)} to ${decimal(100 * best)} %`;
}

/** `$0.0012`, `$12.35`; what has no price is said. */
export function costOf(cost: Cost | null): string {
  if (!cost) return "";
  const told = dollars(cost.dollars);
  return cost.unpriced ? `${told} + ${counted(cost.unpriced)} unpriced` : told;
}

export function dollars(amount: number): string {
  if (amount >= 0.1) return `$${amount.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
  return amount ? `$${Number(amount.toPrecision(2))}` : "$0";
}

/** `p = 0.031`, `p < 0.001`. */
export function pValue(p: number | null): string {
  if (p === null) return "";
  return p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`;
}

/** A moment of a run: `2026-12-01 10:15`. What is no date stays as it is, cut. */
export function moment(iso: string): string {
  const found = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(iso);
  return found ? `${found[1]} ${found[2]}` : iso.slice(0, 20);
}
