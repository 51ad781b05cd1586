import { expect, test } from "vitest";
import { edgeTicks, linear, tickWords, ticks } from "../src/view/charts/scales";
import { SHAPES, bucketClass, colourOf, markPath, shapeOf } from "../src/view/palette";
import { BUCKETS } from "../src/view/types";

test.each([
  [[0, 10], [0, 100], 2.5, 25],
  [[0, 1], [100, 0], 0.25, 75], // upwards
  [[5, 5], [0, 100], 5, 50], // no width: the middle
  [[NaN, 1], [0, 100], 0.5, 50],
] as [[number, number], [number, number], number, number][])("from %j to %j, %d lies at %d", (from, to, value, at) => {
  expect(linear(from, to)(value)).toBe(at);
});

test.each([
  [0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [-0.3, 0.3, [-0.4, -0.2, 0, 0.2, 0.4]],
  [0, 0.7, [0, 0.2, 0.4, 0.6, 0.8]],
  [3, 3, [3]],
  [0, Infinity, []],
  [NaN, 1, []],
])("ticks from %d to %d", (low, high, expected) => {
  expect(ticks(low, high)).toEqual(expected);
});

test.each([
  [0.5, "0.5"],
  [0, "0"],
  [1200, "1,200"],
  [12.34, "12"],
  [15_000_000, "1.5e+7"],
])("%d on an axis is %s", (value, words) => {
  expect(tickWords(value)).toBe(words);
});

test.each([
  [0, []],
  [1, [0]],
  [3, [0, 1, 2]],
  [11, [0, 3, 5, 8, 10]],
])("of %d edges of a distribution are written %j", (edges, written) => {
  expect(edgeTicks(edges)).toEqual(written);
});

test("eight series differ in shape and colour taken together, and neighbours in each", () => {
  const looks = Array.from({ length: 8 }, (_, place) => [shapeOf(place), colourOf(place)].join());
  expect(new Set(looks).size).toBe(8);
  expect(looks.every((look, place) => place === 0 || look.split(",")[0] !== looks[place - 1]!.split(",")[0])).toBe(true);
});

test("every mark is a closed path around its place", () => {
  for (const shape of SHAPES) {
    const numbers = markPath(shape, 100, 50, 4);
    expect(numbers).toMatch(/^M[-\dALZ0-9. ]+Z$/);
    expect(numbers).not.toContain("NaN");
  }
  expect(markPath("square", 10, 20, 3)).toBe("M7 17L13 17L13 23L7 23Z");
});

test("every bucket has a class of its own that is a plain word", () => {
  const classes = BUCKETS.map(bucketClass);
  expect(new Set(classes).size).toBe(BUCKETS.length);
  for (const name of classes) expect(name).toMatch(/^b-[a-z-]+$/);
  expect(bucketClass('"><script>')).toBe("b--script-");
});
