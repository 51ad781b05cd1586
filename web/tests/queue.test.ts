import { expect, test } from "vitest";
import { neighbour, nextWaiting, shownRows } from "../src/annotate/queue";
import type { Row, State } from "../src/annotate/types";

const STATES: State[] = ["adjudicate", "confirm", "done", "open", "skipped"];
const ROWS: Row[] = STATES.map((state, position) => ({
  key: `k${position}`,
  position,
  title: `Title ${state}`,
  state,
  why: "",
  revision: 0,
}));
const keys = (rows: Row[]) => rows.map(({ key }) => key);

test("filters and search", () => {
  expect(keys(shownRows(ROWS, "all", ""))).toHaveLength(5);
  expect(keys(shownRows(ROWS, "waiting", ""))).toEqual(["k0", "k1", "k3"]);
  expect(keys(shownRows(ROWS, "done", ""))).toEqual(["k2"]);
  expect(keys(shownRows(ROWS, "all", " TITLE con"))).toEqual(["k1"]);
  expect(keys(shownRows(ROWS, "all", "5"))).toEqual(["k4"]);
});

test.each([
  ["k0", "k1"],
  ["k1", "k3"],
  ["k3", "k0"],
  ["gone", "k0"],
])("after %s comes %s", (key, next) => {
  expect(nextWaiting(ROWS, key)?.key).toBe(next);
});

test("nothing comes after the only one that waits", () => {
  expect(nextWaiting(ROWS.slice(2, 4), "k3")).toBeNull();
});

test("neighbours, and the first where a filter hid the item", () => {
  expect(neighbour(ROWS, "k1", 1)?.key).toBe("k2");
  expect(neighbour(ROWS, "k0", -1)).toBeNull();
  expect(neighbour(ROWS, "gone", -1)?.key).toBe("k0");
  expect(neighbour([], "k1", 1)).toBeNull();
});
