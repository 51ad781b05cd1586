import { expect, test } from "vitest";
import { axisOf } from "../src/view/charts/axis";
import { rankTicks } from "../src/view/charts/scales";
import { differenceRange, percentAt, shareRange, valueRange } from "../src/view/charts/scale_of";

const pair = (difference: number | null, low: number | null = null, high: number | null = null) => ({ difference, low, high });

test.each([
  [[], 0.05],
  [[pair(null)], 0.05],
  [[pair(0.01, -0.02, 0.04)], 0.05],
  [[pair(0.1, -0.05, 0.22)], 0.4],
  [[pair(-1, -1, -0.5)], 1],
])("differences in case %# lie within ± %d, with zero in the middle", (pairs, reach) => {
  const range = differenceRange(pairs);
  expect(range.high).toBeCloseTo(reach, 9);
  expect(range.low).toBeCloseTo(-reach, 9);
  expect(range.ticks).toContain(0);
  expect(percentAt(range, 0)).toBe(50);
});

test.each([
  [[], 0, 1],
  [[0.2, 0.9, null], 0, 1],
  [[0.81, 0.86, undefined], 0.81, 0.86],
  [[40, 100], 0, 100],
])("values in case %# lie between %d and %d", (values, low, high) => {
  const range = valueRange(values);
  expect(range.low).toBeLessThanOrEqual(low);
  expect(range.high).toBeGreaterThanOrEqual(high);
  expect(range.ticks.length).toBeGreaterThan(1);
});

test.each([[[0.99, 1]], [[0, 0]], [[0.5]], [[0.97, 0.93, 1]]])("shares %j stay within 0 and 1", (values) => {
  const range = shareRange(values);
  expect(range.low).toBeGreaterThanOrEqual(0);
  expect(range.high).toBeLessThanOrEqual(1);
  for (const value of values) {
    expect(value).toBeGreaterThanOrEqual(range.low - 1e-9);
    expect(value).toBeLessThanOrEqual(range.high + 1e-9);
  }
});

test("places are within the chart, whatever the value", () => {
  const range = { low: 0, high: 2 };
  expect([-1, 0, 1, 2, 9].map((value) => percentAt(range, value))).toEqual([0, 0, 50, 100, 100]);
  expect(percentAt({ low: 1, high: 1 }, 1)).toBe(50);
});

test("costs that are near each other are on a linear axis from zero", () => {
  const axis = axisOf([3, 9]);
  expect(axis.isLog).toBe(false);
  expect(axis.ticks[0]).toBe(0);
  expect(axis.at(0)).toBe(0);
});

test("costs far apart are by powers of ten", () => {
  const axis = axisOf([0.02, 1.4, 30]);
  expect(axis.isLog).toBe(true);
  expect(axis.ticks).toEqual([0.01, 0.1, 1, 10, 100]);
  expect(axis.at(1)).toBeCloseTo(50, 9);
});

test("what cost nothing has a place too", () => {
  const axis = axisOf([0, 100]);
  expect(axis.isLog).toBe(false);
  expect(axis.at(0)).toBe(0);
});

test.each([
  [1, [1]],
  [2, [1, 2]],
  [5, [1, 2, 3, 4, 5]],
  [25, [1, 5, 10, 15, 20, 25]],
  [31, [1, 5, 10, 15, 20, 25, 31]],
])("of %i ranks an axis names %j", (ranks, named) => {
  expect(rankTicks(ranks)).toEqual(named);
});
