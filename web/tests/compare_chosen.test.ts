import { expect, test } from "vitest";
import { addable, chosenOf, moved, without } from "../src/view/compare/chosen";
import { costByOf, costChoices, costOf } from "../src/view/compare/costs";
import type { RunCost, RunRow } from "../src/view/types";

const params = (query: string) => new URLSearchParams(query);

test("runs are named in the address in their order", () => {
  expect(chosenOf(params("run=b&run=&run=a%2Fc&scorer=x"))).toEqual(["b", "a/c"]);
});

test.each([
  [2, -2, "cab"],
  [2, -1, "acb"],
  [0, 1, "bac"],
  [0, -1, "abc"],
  [2, 1, "abc"],
  [7, -1, "abc"],
  [-1, 1, "abc"],
])("the run at %i moves by %i", (place, by, order) => {
  expect(moved(["a", "b", "c"], place, by).join("")).toBe(order);
});

test("a run is taken out by its place", () => {
  expect(without(["a", "b", "a"], 2)).toEqual(["a", "b"]);
});

const run = (id: string, benchmark: string, hasFigure = true) =>
  ({ id, benchmark, headline: hasFigure ? { scorer: "s", metric: "m", figure: { value: 0.5, n: 2 } } : null }) as RunRow;
const RUNS = [run("a", "tir"), run("b", "tir"), run("c", "tfq"), run("d", "tir", false), run("e", "tir")];

test.each([
  [[], "abce"],
  [["a"], "be"],
  [["c"], ""],
  [["gone"], "abce"],
  [["gone", "b"], "ae"],
])("to %j can be added", (chosen, more) => {
  expect(addable(RUNS, chosen).map(({ id }) => id).join("")).toBe(more);
});

test("no thirteenth run can be added", () => {
  expect(addable(RUNS, Array.from({ length: 12 }, (_, place) => `${place}`))).toEqual([]);
});

const cost = (dollars: number | null, tokens: number, seconds: number | null): RunCost => ({
  run: 0,
  figure: { value: 0.5, n: 2 },
  dollars,
  tokens,
  seconds,
});

test.each([
  [[cost(null, 0, null), cost(null, 0, 0)], []],
  [[cost(0, 10, 1), cost(0, 20, 2)], ["tokens", "seconds"]],
  [[cost(0, 10, 1), cost(0.2, 0, null)], ["dollars"]],
  [[cost(null, 10, 1), cost(0.2, 20, null)], ["tokens"]],
])("runs can be drawn by what is known of two of them: case %#", (costs, choices) => {
  expect(costChoices(costs)).toEqual(choices);
});

test("no run takes no time", () => {
  expect(costOf(cost(0, 0, 0), "seconds")).toBeNull();
  expect(costOf(cost(0, 0, 0), "tokens")).toBeNull();
  expect(costOf(cost(0, 0, 0), "dollars")).toBe(0);
});

test("what the address asks for wrongly is left out", () => {
  expect(costByOf(params("by=tokens"))).toBe("tokens");
  expect(costByOf(params("by=__proto__"))).toBeUndefined();
});
