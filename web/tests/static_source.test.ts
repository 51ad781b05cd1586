import { expect, test } from "vitest";
import wild from "../../tests/web/wild_requests.json";
import { requestOf } from "../src/view/source";
import { type Manifest, StaticSource, placesOf } from "../src/view/static_source";

// The same table is read by tests/web/test_site.py: a folder names its files by what the pages will ask for.
test.each(wild as [string, [string, string | string[]][], string][])("%s with %j is asked for as %s", (path, params, expected) => {
  expect(requestOf(path, Object.fromEntries(params))).toBe(expected);
});

const MANIFEST: Manifest = {
  files: { "api/run?run=a": "run-0/run.json", "api/compare?run=a&run=b": "compare-0.json", "api/compare?run=b&run=c&run=a": "compare-1.json" },
  runs: { a: { folder: "run-0", n: 5, of: 9, chunk: 2 } },
  order: ["c", "b", "a"],
  pictures: { f00: "jpg" },
};
const row = (place: number) => ({ place, key: `k${place}` });
const FILES: Record<string, unknown> = {
  "run-0/run.json": { row: { id: "a" } },
  "compare-0.json": { n: 3 },
  "compare-1.json": { n: 4 },
  "run-0/rows-0.json": { version: "v", rows: [row(0), row(1)] },
  "run-0/rows-1.json": { version: "v", rows: [row(2), row(3)] },
  "run-0/rows-2.json": { version: "v", rows: [row(4)] },
  "run-0/keys.json": ["k0", "k1", "k2", "k3", "k4"],
  "run-0/texts.json": ["The Lamp stands", "a lamp of hope", "nothing", "ÉTÉ lamp", "stands for a LAMP"],
  "run-0/sample-3.json": { key: "k3" },
};

function opened() {
  const asked: string[] = [];
  const source = new StaticSource(MANIFEST, async (file) => {
    asked.push(file);
    if (!(file in FILES)) throw new Error(`no ${file}`);
    return FILES[file];
  });
  return { asked, source };
}

test("an answer is the file that the manifest names", async () => {
  const { source, asked } = opened();
  expect((await source.run("a")).row.id).toBe("a");
  expect((await source.compare(["a", "b"], "", false)).n).toBe(3);
  await source.run("a");
  expect(asked).toEqual(["run-0/run.json", "compare-0.json"]);
});

test("a comparison of several is the same in whichever order the others are named", async () => {
  const { source } = opened();
  expect((await source.compare(["b", "a", "c"], "", false)).n).toBe(4);
  expect((await source.compare(["b", "c", "a"], "", false)).n).toBe(4);
});

test("rows come from their chunks, in the order asked for, and only those that are there", async () => {
  const { source, asked } = opened();
  const { rows } = await source.rows("a", [4, 1, 0, 7, -1]);
  expect(rows.map(({ place }) => place)).toEqual([4, 1, 0]);
  expect(asked).toEqual(["run-0/rows-2.json", "run-0/rows-0.json"]);
});

test("a sample is found by its key", async () => {
  const { source } = opened();
  expect((await source.sample("a", "k3")).key).toBe("k3");
});

test.each([
  ["a run", (source: StaticSource) => source.run("__proto__"), "this run"],
  ["rows of a run", (source: StaticSource) => source.rows("constructor", [0]), "this run"],
  ["a sample that was left out", (source: StaticSource) => source.sample("a", "k7"), "only the first 5 of the run"],
  ["another order", (source: StaticSource) => source.compare(["b", "a"], "", false), "only those of two runs and of all"],
  ["a leaderboard", (source: StaticSource) => source.leaderboard("x", "", ""), "this leaderboard"],
])("what is not there is said in a sentence: %s", async (_, ask, words) => {
  const { source } = opened();
  await expect(ask(source)).rejects.toThrow(words);
  await expect(ask(source)).rejects.toThrow("`beholder view`");
});

test("marks are refused", async () => {
  await expect(opened().source.mark()).rejects.toThrow("`beholder view`");
});

test("a file that could not be fetched is asked for again", async () => {
  let fails = true;
  const source = new StaticSource(MANIFEST, async () => {
    if (fails) throw new Error("offline");
    return { row: { id: "a" } };
  });
  await expect(source.run("a")).rejects.toThrow("offline");
  fails = false;
  expect((await source.run("a")).row.id).toBe("a");
});

test.each([
  ["lamp", [0, 1, 3, 4]],
  ["  LAMP   stands ", [0, 4]],
  ["été", [3]],
  ["lamp.", []],
  [" ", []],
])("%j is found", async (asked, places) => {
  expect(placesOf(FILES["run-0/texts.json"] as string[], asked)).toEqual(places);
  expect((await opened().source.search("a", asked)).places).toEqual(places);
});

test("a pasted key is its sample", async () => {
  expect((await opened().source.search("a", " k2 ")).places).toEqual([2]);
});

test("pictures lie under their hash", () => {
  const { source } = opened();
  expect(source.picture("a", "f00", false)).toBe("images/f00.jpg");
  expect(source.picture("a", "f00", true)).toBe("images/f00.small.webp");
  expect(source.picture("a", "../x", false)).toBe("images/..%2Fx.png");
});
