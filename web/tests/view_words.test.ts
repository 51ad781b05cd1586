import { expect, test } from "vitest";
import type { Metric } from "../src/view/types";
import { boundsOf, costOf, decimal, denominatorOf, dollars, intervalOf, moment, pValue, percent, points, signed, valueOf } from "../src/view/words";

test.each([
  [6.25, "6.2"], // between two: the even one, as Python's format has it
  [18.75, "18.8"],
  [-6.25, "-6.2"],
  [0.05, "0.1"], // as binary a little more than it looks
  [0.35, "0.3"],
  [100, "100.0"],
  [71.23, "71.2"],
])("%d has one decimal: %s", (number, words) => {
  expect(decimal(number)).toBe(words);
});

test.each([
  [0.7123, "71.2 %"],
  [0.0625, "6.2 %"],
  [0, "0.0 %"],
  [null, "–"],
  [undefined, "–"],
])("the share %s is %s", (share, words) => {
  expect(percent(share)).toBe(words);
});

test.each([
  [0.032, "+3.2 points"],
  [-0.032, "−3.2 points"],
  [-0.0001, "+0.0 points"], // nothing that can be seen has no minus
  [null, "–"],
])("the difference %s is %s", (difference, words) => {
  expect(points(difference)).toBe(words);
});

test("a sign stands before every difference", () => {
  expect([signed(0), signed(12.34), signed(-12.34)]).toEqual(["+0.0", "+12.3", "−12.3"]);
});

const FIGURES: [Metric, string, string, string][] = [
  [{ value: 0.5, n: 10, low: 0.25, high: 0.75 }, "50.0 %", "[25.0, 75.0]", "n=10"],
  [{ value: 0.5, n: 1200, low: 0.25, high: null }, "50.0 %", "", "n=1,200"],
  [
    { value: 0.5, n: 10, failed: 2, worst: 0.4, best: 0.6 },
    "50.0 %",
    "",
    "n=10, 2 failed (40.0 to 60.0 % if those were wrong or right)",
  ],
  [{ value: 0.5, n: 10, failed: 2, worst: null, best: null }, "50.0 %", "", "n=10, 2 failed"],
  [{ value: 3.14159, n: 4, unit: "points", low: 2, high: 4.25 }, "3.14 points", "[2.0, 4.2]", "n=4"],
  [{ value: null, n: 0 }, "–", "", "n=0"],
];
test.each(FIGURES)("%j in words", (figure, value, interval, denominator) => {
  expect([valueOf(figure), intervalOf(figure), denominatorOf(figure)]).toEqual([value, interval, denominator]);
});

test("bounds are said only where something failed", () => {
  expect(boundsOf({ value: 0.5, n: 10, failed: 0, worst: 0.5, best: 0.5 })).toBe("");
  expect(boundsOf({ value: 0.5, n: 10, failed: 1, worst: 0, best: 1 })).toBe("0.0 to 100.0 %");
});

test.each([
  [0, "$0"],
  [0.00123, "$0.0012"],
  [12.345, "$12.35"],
  [1234.5, "$1,234.50"],
])("%d dollars are %s", (amount, words) => {
  expect(dollars(amount)).toBe(words);
});

test("what has no price is said beside what has", () => {
  expect(costOf({ dollars: 1.5, unpriced: 1200 })).toBe("$1.50 + 1,200 unpriced");
  expect(costOf({ dollars: 1.5, unpriced: 0 })).toBe("$1.50");
  expect(costOf(null)).toBe("");
});

test.each([
  [0.0312, "p = 0.031"],
  [0.0004, "p < 0.001"],
  [1, "p = 1.000"],
  [null, ""],
])("p of %s", (p, words) => {
  expect(pValue(p)).toBe(words);
});

test.each([
  ["2026-12-01T10:15:33+00:00", "2026-12-01 10:15"],
  ["yesterday", "yesterday"],
  ["<img src=x onerror=alert(1)>", "<img src=x onerror=a"], // no date: as text, cut
])("the moment %s", (iso, words) => {
  expect(moment(iso)).toBe(words);
});
