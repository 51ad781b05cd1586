import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Pen } from "../src/view/router";
import { Steps } from "../src/view/sample/steps";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a key that is held down writes the address less often than browsers refuse, and the last one in any case", async () => {
  const written: string[] = [];
  const pen = new Pen((address) => written.push(address));
  for (let at = 0; at < 300; at++) {
    pen.put(`#${at}`);
    await vi.advanceTimersByTimeAsync(33); // ten seconds in all
  }
  expect(written[0]).toBe("#0");
  expect(written.length).toBeLessThan(100);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written.at(-1)).toBe("#299");
});

test("what waits is written before a link is followed, and not after", async () => {
  const written: string[] = [];
  const pen = new Pen((address) => written.push(address));
  for (const address of ["#a", "#b"]) pen.put(address);
  expect(written).toEqual(["#a"]);
  pen.settle();
  expect(written).toEqual(["#a", "#b"]);
  pen.put("#c");
  pen.drop(); // another page is here
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written).toEqual(["#a", "#b"]);
});

/** Samples 0 to 99 in their order, looked up by hand. */
function walk() {
  const steps = new Steps();
  const lookups: { place: number; found: (place: number | null) => void }[] = [];
  const gone: number[] = [];
  const look = (place: number) => new Promise<number | null>((found) => lookups.push({ place, found }));
  return { steps, lookups, gone, leave: (place: number) => void steps.leave(place, look, (found) => gone.push(found)) };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

test("keys that are pressed while a sample is loaded count on from where the last one led", async () => {
  const { steps, lookups, gone, leave } = walk();
  const next = (place: number) => steps.to(steps.from(place) + 1);
  next(0);
  leave(0);
  next(0); // the page is still that of sample 0
  next(0);
  leave(0);
  lookups.forEach(({ place, found }) => found(place));
  await settled();
  expect(gone).toEqual([3]); // what is passed over is not gone to
  next(0);
  leave(3); // sample 3 is here; meanwhile one more was wished for
  lookups.at(-1)!.found(4);
  await settled();
  expect(gone).toEqual([3, 4]);
  leave(4);
  expect(steps.from(4)).toBe(4);
  expect(lookups.length).toBe(3);
});

test("a link that is followed meanwhile wins", async () => {
  const { steps, lookups, gone, leave } = walk();
  steps.to(1);
  leave(0);
  steps.arrived();
  lookups[0]!.found(1);
  await settled();
  expect([gone, steps.from(50)]).toEqual([[], 50]);
});

test("a sample that cannot be looked up leads nowhere", async () => {
  const { steps, lookups, gone, leave } = walk();
  steps.to(1);
  leave(0);
  lookups[0]!.found(null);
  await settled();
  expect([gone, steps.from(0)]).toEqual([[], 0]);
});
