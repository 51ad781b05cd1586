import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Refused } from "../src/shared/api";
import { RowCache } from "../src/view/samples/row_cache";
import { Memory, Turns } from "../src/view/samples/memory";
import type { Row, Rows } from "../src/view/types";

const row = (place: number, question = "?"): Row => ({
  place,
  key: `k${place}`,
  index: place,
  id: "",
  category: "",
  question,
  gold: "",
  answer: "",
  pictures: 0,
  picture: null,
});

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());
const soon = () => vi.advanceTimersByTimeAsync(40);

function server(question = "?") {
  const asked: number[][] = [];
  const answers: (() => void)[] = [];
  const fetch = (places: number[]) =>
    new Promise<Rows>((resolve) => {
      asked.push(places);
      answers.push(() => resolve({ version: "v", rows: places.map((place) => row(place, question)) }));
    });
  return { asked, answers, fetch };
}

test("rows in view are asked for together, each once", async () => {
  const { asked, answers, fetch } = server();
  const rows = new RowCache(fetch);
  const told = vi.fn();
  for (const place of [3, 1, 2, 1]) rows.want(place, told);
  await soon();
  expect(asked).toEqual([[1, 2, 3]]);
  rows.want(2, told);
  await soon();
  expect(asked).toHaveLength(1);
  answers[0]!();
  await soon();
  expect(rows.get(2)?.key).toBe("k2");
  expect(told).toHaveBeenCalledTimes(3);
});

test("what was scrolled past before its turn is not asked for, and requests do not pile up", async () => {
  const { asked, answers, fetch } = server();
  const rows = new RowCache(fetch);
  for (let screen = 0; screen < 200; screen++) {
    const leave = Array.from({ length: 10 }, (_, place) => rows.want(10 * screen + place, () => {}));
    await vi.advanceTimersByTimeAsync(10);
    for (const each of leave) each();
  }
  expect(asked).toHaveLength(2); // the answers of the first two are still awaited
  rows.want(5_000, () => {});
  answers[0]!();
  await soon();
  expect(asked[2]).toEqual([5_000]);
});

test("what is in view now goes first, at most 100 at a time", async () => {
  const { asked, fetch } = server();
  const rows = new RowCache(fetch);
  for (let place = 0; place < 250; place++) rows.want(place, () => {});
  await vi.advanceTimersByTimeAsync(100);
  expect(asked.map((places) => [places[0], places.length])).toEqual([
    [150, 100],
    [50, 100],
  ]);
});

test("a refusal is kept as a sentence and not asked for again before the run changes", async () => {
  const fetch = vi.fn(() => Promise.reject(new Error("The run cannot be read.")));
  const rows = new RowCache(fetch);
  rows.want(1, () => {});
  await soon();
  await soon();
  expect([rows.refused, rows.get(1), fetch.mock.calls.length]).toEqual(["The run cannot be read.", null, 1]);
  expect(await rows.row(1)).toBeNull();
  rows.renew(0);
  await soon();
  expect(fetch).toHaveBeenCalledTimes(1);
  rows.renew(1);
  await soon();
  expect(fetch).toHaveBeenCalledTimes(2);
});

test("rows are asked for again as soon as the server can be reached", async () => {
  const { answers, fetch } = server();
  const gone = vi.fn(fetch).mockRejectedValueOnce(new Refused("The server cannot be reached.", 0));
  const rows = new RowCache(gone);
  rows.want(1, () => {});
  await soon();
  await soon();
  expect(rows.refused).toContain("cannot be reached");
  await vi.advanceTimersByTimeAsync(2_000);
  expect(gone).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1_500);
  answers[0]!();
  await soon();
  expect([gone.mock.calls.length, rows.refused, rows.get(1)?.key]).toEqual([2, "", "k1"]);
});

test("a row from before a change is shown until the new one is here", async () => {
  const { answers, fetch } = server("old");
  const rows = new RowCache(fetch);
  rows.want(1, () => {});
  await soon();
  answers[0]!();
  await soon();
  rows.renew(1);
  await soon();
  expect(rows.get(1)?.question).toBe("old");
  expect(answers).toHaveLength(2);
});

test("one row can be waited for", async () => {
  const { answers, fetch } = server();
  const rows = new RowCache(fetch);
  const waited = rows.row(7);
  await soon();
  answers[0]!();
  expect((await waited)?.key).toBe("k7");
  expect((await rows.row(7))?.key).toBe("k7");
});

test("a memory asks once, forgets the oldest, and asks again after a failure", async () => {
  const memory = new Memory<string>(2);
  const ask = vi.fn((name: string) => Promise.resolve(name));
  const got = (name: string) => memory.get(name, () => ask(name));
  for (const name of ["a", "b", "a", "c", "a", "b"]) await got(name);
  expect(ask.mock.calls.map(([name]) => name)).toEqual(["a", "b", "c", "b"]);
  await expect(memory.get("bad", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await memory.get("bad", () => Promise.resolve("yes"))).toBe("yes");
});

test("a run that changes all the time is looked at again every two seconds, also by the next page", () => {
  const turns = new Turns();
  expect(turns.due("", 0)).toBeNull();
  expect(turns.due("v1", 10)).toBe(0);
  turns.take("v1", 10, false);
  expect([turns.count, turns.due("v1", 20)]).toEqual([0, null]); // what was asked for meanwhile is of this version
  expect(turns.due("v2", 500)).toBe(1_510);
  turns.take("v2", 2_010, false);
  expect([turns.count, turns.due("v3", 9_000)]).toEqual([1, 0]);
});

test("a run whose list is still being made is new at once", () => {
  const turns = new Turns();
  turns.take("v1 0.2", 0, true);
  expect(turns.count).toBe(1);
});
