import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Line, listening } from "../src/view/listening";
import type { Live } from "../src/view/source";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LIVE = { versions: { one: "1" }, ready: {} };

/** A window that is looked at or not, and the lines that were opened from it. */
function made(hidden: boolean) {
  const lines: (Line & { say: (data: string) => void; fail: (readyState: number) => void; isOpen: boolean })[] = [];
  let turned = () => {};
  const page = {
    hidden,
    addEventListener: (_: string, told: () => void) => void (turned = told),
    removeEventListener: () => void (turned = () => {}),
  };
  const open = (): Line => {
    const told: Record<string, (event: Event) => void> = {};
    const line = {
      readyState: 1,
      isOpen: true,
      addEventListener: (name: string, then: (event: Event) => void) => void (told[name] = then),
      close: () => void (line.isOpen = false),
      say: (data: string) => told.runs!({ data } as unknown as Event),
      fail: (readyState: number) => {
        line.readyState = readyState;
        told.error!({} as Event);
      },
    };
    lines.push(line);
    return line;
  };
  const turn = (isHidden: boolean) => {
    page.hidden = isHidden;
    turned();
  };
  return { page, open, lines, turn, isOpen: () => lines.filter((line) => line.isOpen).length };
}

test("a window that is not looked at holds no line, once it knows how things stand", () => {
  const { page, open, lines, turn, isOpen } = made(true);
  const told: Live[] = [];
  const leave = listening(page, open, (live) => told.push(live));
  expect(isOpen()).toBe(1);
  lines[0]!.say("{half");
  expect(isOpen()).toBe(1);
  lines[0]!.say(JSON.stringify(LIVE));
  expect([isOpen(), told]).toEqual([0, [LIVE]]);
  turn(false);
  turn(false);
  expect([isOpen(), lines.length]).toEqual([1, 2]);
  turn(true);
  expect(isOpen()).toBe(0);
  turn(false);
  leave();
  turn(false);
  expect([isOpen(), lines.length]).toEqual([0, 3]);
});

test("a line that the server refuses is tried again later, one that broke is the browser's to mend", async () => {
  const { page, open, lines, isOpen } = made(false);
  const leave = listening(page, open, () => {});
  lines[0]!.fail(0); // the browser connects again
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lines.length).toBe(1);
  lines[0]!.fail(2);
  expect(isOpen()).toBe(0);
  await vi.advanceTimersByTimeAsync(11_000);
  expect([lines.length, isOpen()]).toEqual([2, 1]);
  lines[1]!.fail(2);
  leave();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lines.length).toBe(2);
});
