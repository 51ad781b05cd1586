import { describe, expect, test } from "vitest";
import {
  boxStyle,
  colorInWords,
  fitScale,
  fitted,
  kept,
  letterboxed,
  panned,
  pixelAt,
  showing,
  zoomed,
} from "../src/view/sample/sight";
import { afterKey, atPointer } from "../src/view/sample/slider";

const FRAME = { width: 400, height: 300 };
const PHOTO = { width: 800, height: 400 };

test.each([
  [PHOTO, { scale: 0.5, x: 0, y: 50 }],
  [{ width: 100, height: 600 }, { scale: 0.5, x: 175, y: 0 }],
  [{ width: 10, height: 10 }, { scale: 4, x: 180, y: 130 }],
  [{ width: 1, height: 50_000 }, { scale: 0.006, x: 199.997, y: 0 }],
])("%j is fitted into the middle of the frame", (picture, sight) => {
  expect(fitted(picture, FRAME)).toEqual(sight);
});

test("a frame that is not laid out yet is no reason for scale 0", () => {
  expect(fitScale(PHOTO, { width: 0, height: 0 })).toBe(1);
});

test("what lies under the pointer stays there while zooming", () => {
  const at = { x: 100, y: 120 };
  const before = fitted(PHOTO, FRAME);
  const after = zoomed(before, 4, at, PHOTO, FRAME);
  expect(after.scale).toBe(2);
  expect(pixelAt(after, at, PHOTO)).toEqual(pixelAt(before, at, PHOTO));
});

test("zooming ends where all is in view, and where pixels are as large as one can want", () => {
  const sight = fitted(PHOTO, FRAME);
  expect(zoomed(sight, 0.1, { x: 0, y: 0 }, PHOTO, FRAME)).toEqual(sight);
  expect(zoomed(sight, 1e9, { x: 0, y: 0 }, PHOTO, FRAME).scale).toBe(40);
  expect(zoomed(sight, 1e9, { x: 0, y: 0 }, { width: 20_000, height: 10 }, FRAME).scale).toBe(3);
});

test("a picture larger than its frame leaves no gap, a smaller one stays in the middle", () => {
  const sight = { scale: 1, x: 0, y: 0 };
  expect(panned(sight, 50, -1_000, PHOTO, FRAME)).toEqual({ scale: 1, x: 0, y: -100 });
  expect(panned(sight, -1_000, 0, PHOTO, FRAME).x).toBe(-400);
  expect(kept({ scale: 0.25, x: 7, y: 7 }, PHOTO, FRAME)).toEqual({ scale: 0.25, x: 100, y: 100 });
});

test.each([
  [{ x: 0, y: 50 }, { x: 0, y: 0 }],
  [{ x: 399.9, y: 249.9 }, { x: 799, y: 399 }],
  [{ x: 10, y: 49 }, null],
  [{ x: 10, y: 250 }, null],
])("under %j lies pixel %j", (at, pixel) => {
  expect(pixelAt(fitted(PHOTO, FRAME), at, PHOTO)).toEqual(pixel);
});

test("a pixel that is moved to is in view", () => {
  const sight = { scale: 10, x: 0, y: 0 };
  const moved = showing(sight, { x: 799, y: 399 }, PHOTO, FRAME);
  expect(pixelAt(moved, { x: 399, y: 299 }, PHOTO)).toEqual({ x: 799, y: 399 });
  expect(showing(sight, { x: 10, y: 10 }, PHOTO, FRAME)).toEqual(sight);
});

test("pictures of different shapes keep them", () => {
  expect(letterboxed({ width: 100, height: 100 }, { width: 200, height: 100 })).toEqual({ left: 0.25, top: 0, width: 0.5, height: 1 });
  expect(letterboxed({ width: 50, height: 25 }, { width: 200, height: 100 })).toEqual({ left: 0, top: 0, width: 1, height: 1 });
});

test.each([
  [[31, 95, 191, 255], "#1f5fbf · RGB 31, 95, 191"],
  [[0, 0, 0, 51], "#000000 · RGB 0, 0, 0 · 20 % opaque"],
] as const)("the colour %j in words", (color, words) => {
  expect(colorInWords([...color])).toBe(words);
});

test.each([
  [[0.1, 0.2, 0.4, 0.8], { left: "10%", top: "20%", width: "30%", height: "60%" }],
  [[0.4, 0.8, 0.1, 0.2], { left: "10%", top: "20%", width: "30%", height: "60%" }],
  [[-3, 0.5, 9, 1.5], { left: "0%", top: "50%", width: "100%", height: "50%" }],
] as const)("the box %j lies on the picture", (box, style) => {
  expect(boxStyle(box)).toEqual(style);
});

describe("the slider", () => {
  test.each([
    [50, "ArrowLeft", 48],
    [1, "ArrowLeft", 0],
    [50, "PageUp", 60],
    [50, "Home", 0],
    [50, "End", 100],
    [50, "a", null],
  ])("%i, %s: %s", (value, key, next) => {
    expect(afterKey(value, key)).toBe(next);
  });

  test.each([
    [150, 50],
    [0, 0],
    [999, 100],
  ])("a pointer at %i puts it at %i", (x, value) => {
    expect(atPointer(x, { left: 100, width: 100 })).toBe(value);
  });

  test("a picture without width has no place for it", () => {
    expect(atPointer(5, { left: 0, width: 0 })).toBe(50);
  });
});
