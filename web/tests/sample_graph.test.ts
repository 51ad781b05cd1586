import { expect, test } from "vitest";
import { NODE, drawn } from "../src/view/sample/graph";
import type { Triplet } from "../src/view/types";

const of = (...triplets: [string, string, string, Triplet["role"]?][]): Triplet[] =>
  triplets.map(([subject, relation, object, role = "both"]) => ({ subject, relation, object, role }));

const layers = (triplets: Triplet[]) =>
  Object.fromEntries(drawn(triplets).nodes.map(({ text, x }) => [text, Math.round(x / (NODE.width + 112))]));

test("a chain runs from left to right, however its triplets are sorted", () => {
  const chain = of(["cup", "on", "table"], ["table", "in", "kitchen"], ["hand", "holds", "cup"]);
  expect(layers(chain)).toEqual({ hand: 0, cup: 1, table: 2, kitchen: 3 });
});

test("a node is further right than all that lead to it", () => {
  expect(layers(of(["a", "r", "c"], ["a", "r", "b"], ["b", "r", "c"]))).toEqual({ a: 0, b: 1, c: 2 });
});

test("words that differ in letters and spaces only are one node, written as first", () => {
  expect(drawn(of(["The Cup", "on", "table"], [" the  cup ", "has", "handle"])).nodes.map(({ text }) => text)).toEqual([
    "The Cup",
    "table",
    "handle",
  ]);
});

const CIRCLES: Triplet[][] = [
  of(["a", "r", "a"]),
  of(["a", "r", "b"], ["b", "r", "a"]),
  of(["a", "1", "b"], ["b", "2", "c"], ["c", "3", "a"], ["x", "4", "b"]),
  of(["a", "r", "b", "both"], ["a", "s", "b", "missed"], ["b", "t", "a", "extra"]),
];
const MANY = of(...Array.from({ length: 30 }, (_, each): [string, string, string] => [`n${each % 12}`, `r${each}`, `n${(7 * each) % 30}`]));

test.each([...CIRCLES, MANY])("nodes do not lie over one another, labels neither, and all is in the picture", (...triplets) => {
  const { nodes, edges, width, height } = drawn(triplets);
  for (const [place, node] of nodes.entries())
    for (const other of nodes.slice(place + 1))
      expect(Math.abs(node.x - other.x) >= NODE.width || Math.abs(node.y - other.y) >= NODE.height).toBe(true);
  for (const [place, { label }] of edges.entries())
    for (const { label: other } of edges.slice(place + 1))
      expect(Math.abs(label.x - other.x) >= 104 || Math.abs(label.y - other.y) >= 15.9).toBe(true);
  for (const { x, y } of nodes) expect(x >= 0 && y >= 0 && x + NODE.width <= width && y + NODE.height <= height).toBe(true);
  for (const { path } of edges) expect(path).not.toMatch(/NaN|undefined/);
});

test("the same triplets are drawn in the same way", () => {
  expect(drawn(MANY)).toEqual(drawn(MANY));
});

test("more than one can look at is counted, not drawn", () => {
  const star = of(...Array.from({ length: 100 }, (_, each): [string, string, string] => ["sun", "shines on", `planet ${each}`]));
  expect(drawn(star)).toMatchObject({ left: 61 });
  expect(drawn([])).toMatchObject({ nodes: [], edges: [], left: 0 });
});
