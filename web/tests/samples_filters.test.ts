import { expect, test } from "vitest";
import { addressOf, routeOf } from "../src/view/router";
import {
  type Filters,
  changeOf,
  cleared,
  filtersOf,
  isNarrow,
  matching,
  membersOf,
  nextOf,
  paramsOf,
  positionOf,
  tableOf,
} from "../src/view/samples/filters";
import { BUDGET, CALL_FAILED, type Columns, DISAGREE, FAILED, MARKED, SPLIT, STALE, USED_TOOL } from "../src/view/types";

const COLUMNS: Columns = {
  version: "v",
  ready: 1,
  n: 6,
  scorers: ["official", "strict"],
  scorer: "official",
  buckets: { official: "RWWRU-", strict: "WWWRUF" },
  categories: ["maze", "", "color"],
  category: [0, 0, 1, 2, 2, 2],
  difficulties: ["easy", "hard"],
  difficulty: [0, 1, 0, 1, 0, 1],
  flags: [DISAGREE | USED_TOOL, USED_TOOL | CALL_FAILED | BUDGET, MARKED, SPLIT, USED_TOOL | STALE, FAILED],
  searchable: true,
  left_out: 0,
};
const TABLE = tableOf(COLUMNS);
const NOTHING = { text: null, change: null };
const asked = (query: string): Filters => filtersOf(new URLSearchParams(query));
const listed = (query: string, found = NOTHING as Parameters<typeof matching>[2]) => [...matching(TABLE, asked(query), found).places];

test.each([
  ["", [0, 1, 2, 3, 4, 5]],
  ["outcome=wrong", [1, 2]],
  ["outcome=wrong&scorer=strict", [0, 1, 2]],
  ["outcome=wrong&scorer=of+another+run", [1, 2]],
  ["outcome=wrong&outcome=unparsed", [1, 2, 4]],
  ["outcome=no+bucket", [0, 1, 2, 3, 4, 5]],
  ["category=maze", [0, 1]],
  ["category=%28none%29", [2]],
  ["category=of+another+run", []],
  ["difficulty=hard&outcome=right", [3]],
  ["disagree=1", [0]],
  ["disagree=yes", [0, 1, 2, 3, 4, 5]],
  ["tool=used", [0, 1, 4]],
  ["tool=none", [2, 3, 5]],
  ["tool=failed", [1]],
  ["tool=stale", [4]],
  ["tool=used&budget=1", [1]],
  ["split=1", [3]],
  ["failed=1", [5]],
  ["marked=1", [2]],
  ["marked=1&split=1", []],
])("?%s lists %j", (query, places) => {
  expect(listed(query)).toEqual(places);
});

test("a text and a change are where the source found them, and nowhere before it has", () => {
  const text = membersOf([1, 3, 99], 6);
  const change = changeOf({ gained: [3, 99], lost: [0, 1] }, 6);
  expect(listed("text=cat", { text, change: null })).toEqual([1, 3]);
  expect(listed("text=cat")).toEqual([]);
  expect(listed("text=cat&against=B&change=lost", { text, change })).toEqual([1]);
  expect(listed("against=B&change=gained", { text: null, change })).toEqual([3]);
  expect(listed("against=B&change=gained")).toEqual([]);
  expect(listed("change=gained")).toHaveLength(6); // against no run there is no change
});

test("the count beside a choice is what that choice would list, with the other filters as they are", () => {
  const change = changeOf({ gained: [3], lost: [0, 1] }, 6);
  const { counts } = matching(TABLE, asked("outcome=wrong&category=maze"), { text: null, change });
  expect(counts.outcomes).toEqual([1, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
  expect(counts.category).toEqual([1, 1, 0]);
  expect(counts.difficulty).toEqual([0, 1]);
  expect(counts.tool).toEqual({ used: 1, none: 0, failed: 1, stale: 0 });
  expect(counts.switches).toEqual({ disagree: 0, split: 0, failed: 0, budget: 1, marked: 0 });
  expect(counts.change).toEqual({ gained: 0, lost: 1 });
  for (const [place, category] of ["maze", "%28none%29", "color"].entries())
    expect(listed(`outcome=wrong&category=${category}`)).toHaveLength(counts.category[place]!);
});

test("items without a score yet are none of the buckets", () => {
  expect(matching(TABLE, asked(""), NOTHING).counts.outcomes).toEqual([2, 0, 2, 0, 1, 0, 0, 0, 0, 1]);
});

test.each([
  "scorer=strict&outcome=wrong&outcome=n%2Fa&category=a%26b%3D%23&difficulty=hard&text=%22a+b%22+%E7%8C%AB&tool=none&disagree=1&failed=1&against=exp%2Farm&change=lost",
  "",
])("the filters come back from the address ?%s", (query) => {
  const filters = asked(query);
  expect(filtersOf(routeOf(addressOf("samples", { run: "r", ...paramsOf(filters) })).params)).toEqual(filters);
});

test("clearing keeps by whom and against whom one looks", () => {
  const filters = asked("scorer=strict&outcome=wrong&text=a&against=B&change=lost&marked=1");
  expect(isNarrow(filters)).toBe(true);
  expect(isNarrow(cleared(filters))).toBe(false);
  expect(cleared(filters)).toMatchObject({ scorer: "strict", against: "B" });
});

test("columns that are shorter than they say are items without score, category 0, no flags", () => {
  const table = tableOf({ ...COLUMNS, n: 8, buckets: { official: "Rü" } });
  expect([...table.buckets.get("official")!]).toEqual([0, 9, 9, 9, 9, 9, 9, 9]);
  expect(matching(table, asked(""), NOTHING).places).toHaveLength(8);
});

const PLACES = Int32Array.of(2, 5, 9);
test.each([
  [0, 0, false],
  [2, 0, true],
  [6, 2, false],
  [9, 2, true],
  [10, 3, false],
])("item %i stands at %i", (place, position, isThere) => {
  expect(positionOf(PLACES, place)).toEqual({ position, isThere });
});

test.each([
  [-1, 1, 2],
  [2, 1, 5],
  [3, 1, 5],
  [9, 1, -1],
  [9, -1, 5],
  [6, -1, 5],
  [2, -1, -1],
  [0, -1, -1],
] as const)("after %i in direction %i comes %i", (place, step, next) => {
  expect(nextOf(PLACES, place, step)).toBe(next);
});

test("the next one that is looked for", () => {
  expect(nextOf(PLACES, 2, 1, (place) => place > 5)).toBe(9);
  expect(nextOf(PLACES, 2, 1, () => false)).toBe(-1);
});
