import { expect, test } from "vitest";
import {
  agreementWords,
  byDifference,
  cellsOf,
  detectableOf,
  itemsOf,
  pairLine,
  pointsInterval,
  testOf,
  verdictOf,
} from "../src/view/compare/words";
import type { Pair } from "../src/view/types";

const PAIR: Pair = {
  a: 0,
  b: 1,
  n: 120,
  failed: 0,
  difference: 0.032,
  low: 0.01,
  high: 0.054,
  interval: "paired bootstrap",
  p: 0.031,
  test: "exact McNemar",
  holm: null,
  told_apart: 1,
  both_right: 80,
  only_a: 5,
  only_b: 9,
  both_wrong: 26,
  detectable: 0.0414,
  note: "",
  gained: 9,
  lost: 5,
};
const NAMES = ["first", "sec\u202eond"];

test.each([
  [{}, "sec⟦202E⟧ond is better than first."],
  [{ told_apart: -1 }, "sec⟦202E⟧ond is worse than first."],
  [{ told_apart: 0 }, "sec⟦202E⟧ond and first are not told apart."],
  [{ told_apart: 0, difference: null }, "sec⟦202E⟧ond and first have no item with a score in common."],
])("%j in a sentence", (change, words) => {
  expect(verdictOf({ ...PAIR, ...change }, NAMES)).toBe(words);
});

test.each([
  [{}, "exact McNemar, p = 0.031"],
  [{ holm: 0.0931 }, "exact McNemar, p = 0.031; corrected for 3 (Holm) p = 0.093"],
  [{ p: 0.00004 }, "exact McNemar, p < 0.001"],
  [{ p: null, test: "" }, ""],
])("the test of %j", (change, words) => {
  expect(testOf({ ...PAIR, ...change }, 3)).toBe(words);
});

test.each([
  [{}, "+3.2 points [+1.0, +5.4], p = 0.031, n=120"],
  [{ holm: 0.0931, failed: 2 }, "+3.2 points [+1.0, +5.4], Holm p = 0.093, n=120, 2 failed"],
  [{ difference: -0.0001, low: -0.5, high: null, p: null }, "+0.0 points, n=120"],
  [{ difference: null, n: 0 }, "– n=0"],
])("a line of %j", (change, words) => {
  expect(pairLine({ ...PAIR, ...change })).toBe(words);
});

test("an interval has the signs of its ends", () => {
  expect(pointsInterval({ low: -0.5, high: 0 })).toBe("[−50.0, +0.0]");
});

test("what could have been seen is said where it is known", () => {
  expect(detectableOf(PAIR)).toMatch(/^A true difference of 4\.1 points /);
  expect(detectableOf({ ...PAIR, detectable: null })).toBe("");
});

test("large counts are grouped", () => {
  expect(itemsOf({ n: 157_201, failed: 1_200 })).toBe("n=157,201, 1,200 left out because a response failed");
});

test("there are four cells under right and wrong only", () => {
  expect(cellsOf(PAIR)).toEqual({ both_right: 80, only_a: 5, only_b: 9, both_wrong: 26 });
  expect(cellsOf({ ...PAIR, only_b: null })).toBeNull();
});

test("categories are sorted by the difference of the first pair that has one", () => {
  const category = (name: string, ...differences: (number | null)[]) => ({
    name,
    pairs: differences.map((difference) => ({ ...PAIR, difference })),
  });
  const given = [category("none", null), category("up", 0.2), category("down", null, -0.3), category("same", 0)];
  expect(byDifference(given).map(({ name }) => name)).toEqual(["down", "same", "up", "none"]);
  expect(given[0]!.name).toBe("none");
});

test.each([
  [0.846, 0.614, "84.6 %, κ 0.61"],
  [0.5, -0.2, "50.0 %, κ −0.20"],
  [1, null, "100.0 %"],
  [null, null, "–"],
])("agreement of %j and %j", (same, kappa, words) => {
  expect(agreementWords(same, kappa)).toBe(words);
});
