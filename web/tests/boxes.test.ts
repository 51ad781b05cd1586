import { expect, test } from "vitest";
import { afterArrow, between, inWords, moved, resized, withEdge } from "../src/annotate/boxes";
import type { Box } from "../src/annotate/types";

const BOX: Box = [0.2, 0.3, 0.5, 0.6];

test.each([
  [[0.1, 0.2, 0.4, 0.6], [0.1, 0.2, 0.4, 0.6]],
  [[0.4, 0.6, 0.1, 0.2], [0.1, 0.2, 0.4, 0.6]],
  [[-0.5, 0.2, 0.4, 1.7], [0, 0.2, 0.4, 1]],
  [[0.4, 0.6, 0.402, 0.9], null],
  [[1.2, 0.1, 1.4, 0.5], null],
] as const)("the box between two points %j is %j", ([x0, y0, x1, y1], box) => {
  expect(between(x0, y0, x1, y1)).toEqual(box);
});

test.each([
  [0.1, -0.1, [0.3, 0.2, 0.6, 0.5]],
  [5, 0, [0.7, 0.3, 1, 0.6]],
  [-5, -5, [0, 0, 0.3, 0.3]],
] as const)("a box that is moved by %f and %f stays inside and keeps its size", (dx, dy, box) => {
  expect(moved(BOX, dx, dy)).toEqual(box);
});

test.each([
  ["se", 0.1, 0.1, [0.2, 0.3, 0.6, 0.7]],
  ["nw", 0.1, -0.1, [0.3, 0.2, 0.5, 0.6]],
  ["ne", 9, -9, [0.2, 0, 1, 0.6]],
  ["sw", 9, -9, [0.495, 0.3, 0.5, 0.305]],
] as const)("a box keeps an area when its corner %s is pulled", (corner, dx, dy, box) => {
  expect(resized(BOX, corner, dx, dy)).toEqual(box);
});

test("an edge that would leave no area is refused", () => {
  expect(withEdge(BOX, 2, 0.9)).toEqual([0.2, 0.3, 0.9, 0.6]);
  expect(withEdge(BOX, 2, 0.1)).toBeNull();
  expect(withEdge(BOX, 0, Number.NaN)).toBeNull();
});

test("arrow keys move, with shift they resize, and a held key is faster", () => {
  expect(afterArrow(BOX, "ArrowRight", false, false)).toEqual([0.205, 0.3, 0.505, 0.6]);
  expect(afterArrow(BOX, "ArrowDown", true, true)).toEqual([0.2, 0.3, 0.5, 0.62]);
  expect(afterArrow(BOX, "Enter", false, false)).toBeNull();
});

test("a box in words", () => {
  expect(inWords(BOX)).toBe("20–50 % across, 30–60 % down");
});
