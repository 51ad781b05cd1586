import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Refused } from "../src/shared/api";
import { type Asked, askerOf } from "../src/view/asked";
import { leavesToPage } from "../src/view/keys";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A question whose answers are given by hand, in the order in which it was asked. */
function questions() {
  const out: { answer: (found: string) => void; refuse: (error: Error) => void }[] = [];
  const ask = () => new Promise<string>((answer, refuse) => out.push({ answer, refuse }));
  return { out, ask };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

test("what changes while a question is out is asked once more when it is back", async () => {
  const { out, ask } = questions();
  const told: Asked<string>[] = [];
  const asker = askerOf(ask, (asked) => told.push(asked));
  asker.tell("1");
  asker.ask();
  asker.tell("2");
  asker.tell("3");
  expect(out.length).toBe(1);
  out[0]!.answer("old");
  await settled();
  expect(out.length).toBe(2);
  out[1]!.answer("new");
  await settled();
  asker.tell("3");
  asker.tell(""); // says nothing
  expect(out.length).toBe(2);
  expect(told).toEqual([
    { state: "here", found: "old" },
    { state: "here", found: "new" },
  ]);
});

test.each([
  ["its version is told of only after it was asked for", "answer", undefined, ["1"], 1],
  ["the version changes after that", "answer", undefined, ["1", "2"], 2],
  ["the answer says that it is of that version", "1", (found: string) => found, ["1"], 1],
  ["the answer is older than what is told", "0", (found: string) => found, ["1"], 2],
  ["the answer is newer than what is told, which comes to it", "2", (found: string) => found, ["2"], 1],
  ["it never is of the version that is told: once for each", "odd", (found: string) => found, ["1", "1", "2"], 3],
])("where %s", async (_, answer, versionOf, versions, times) => {
  const { out, ask } = questions();
  const asker = askerOf(ask, () => {}, versionOf);
  asker.ask();
  for (const version of versions) {
    out.at(-1)!.answer(answer);
    await settled();
    asker.tell(version);
    await settled();
  }
  out.at(-1)!.answer(answer);
  await settled();
  expect(out.length).toBe(times);
});

test("what was refused is asked for again when something is told of it", async () => {
  const { out, ask } = questions();
  const asker = askerOf(ask, () => {});
  asker.ask();
  out[0]!.refuse(new Refused("There is no such run.", 404));
  await settled();
  asker.tell("1");
  expect(out.length).toBe(2);
});

test("a server that cannot be reached is asked again, one that refuses is not", async () => {
  const { out, ask } = questions();
  const told: Asked<string>[] = [];
  const asker = askerOf(ask, (asked) => told.push(asked));
  asker.ask();
  out[0]!.refuse(new Refused("gone", 0));
  await vi.advanceTimersByTimeAsync(2_900);
  expect(out.length).toBe(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(out.length).toBe(2);
  out[1]!.refuse(new Refused("There is no such run.", 404));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(out.length).toBe(2);
  expect(told).toEqual([
    { state: "refused", sentence: "gone" },
    { state: "refused", sentence: "There is no such run." },
  ]);
});

test("who has gone is told nothing, and asks no more", async () => {
  const { out, ask } = questions();
  const told: Asked<string>[] = [];
  const asker = askerOf(ask, (asked) => told.push(asked));
  asker.ask();
  asker.stop();
  out[0]!.refuse(new Refused("gone", 0));
  await vi.advanceTimersByTimeAsync(10_000);
  expect([told.length, out.length]).toEqual([0, 1]);
});

const element = (tagName: string, role: string | null = null) => ({ tagName, getAttribute: () => role });

test.each([
  [element("BODY"), "j", true],
  [element("BUTTON"), "j", true],
  [element("BUTTON"), "enter", false], // the button's own
  [element("A"), " ", false],
  [element("A"), "o", true],
  [element("INPUT"), "x", true], // a checkbox: fields are none of ours anyway
  [element("DIV", "slider"), "arrowleft", false],
  [element("DIV", "slider"), "j", true],
  [element("BUTTON", "tab"), "arrowright", false],
  [element("DIV"), "arrowright", true],
])("%# on an element, %s is the page's: %s", (target, chord, isOurs) => {
  expect(leavesToPage(target, chord)).toBe(isOurs);
});
