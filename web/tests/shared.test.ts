import { expect, test } from "vitest";
import { wellFormed } from "../src/shared/api";
import { shelf } from "../src/shared/kept";
import { clipped, visible } from "../src/shared/visible";

class Memory {
  readonly things = new Map<string, string>();
  full = false;
  get length() {
    return this.things.size;
  }
  key(index: number) {
    return [...this.things.keys()][index] ?? null;
  }
  getItem(key: string) {
    return this.things.get(key) ?? null;
  }
  setItem(key: string, text: string) {
    if (this.full) throw new DOMException("full", "QuotaExceededError");
    this.things.set(key, text);
  }
  removeItem(key: string) {
    this.things.delete(key);
  }
  clear() {
    this.things.clear();
  }
}

test.each([
  ["a\u202eb", "a⟦202E⟧b"],
  ["\u001b[2J\u0000", "⟦001B⟧[2J⟦0000⟧"],
  ["one\r\ntwo\u2028three\ttab", "one\ntwo\nthree\ttab"],
  ["\ud83d alone, 😀 whole", "⟦D83D⟧ alone, 😀 whole"],
  ["👩‍🚀 and é and 猫", "👩‍🚀 and é and 猫"],
  ["\ufeffzero\u2060width", "⟦FEFF⟧zero⟦2060⟧width"],
  [`Z${"\u0301".repeat(20)}`, `Z${"\u0301".repeat(6)}⟦…⟧`],
])("%j is shown as %j", (text, shown) => {
  expect(visible(text)).toBe(shown);
});

test("a text is cut between characters, not inside one", () => {
  expect(clipped("abc", 3)).toBe("abc");
  expect(clipped("abcd", 3)).toBe("ab…");
  expect(clipped("ab😀cd", 4)).toBe("ab…");
});

test("half a character cannot be part of a name", () => {
  expect(encodeURIComponent(wellFormed("A\ud83d"))).toBe("A%EF%BF%BD");
});

test("a shelf keeps its own things, bounded, and the oldest make room", () => {
  const memory = new Memory();
  memory.setItem("other", "1");
  let time = 0;
  const drafts = shelf("d:", memory as unknown as Storage, () => time++);
  for (let number = 0; number < 250; number++) drafts.put(`k${number}`, { number });
  expect(drafts.names()).toHaveLength(200);
  expect(drafts.get("k0")).toBeNull();
  expect(drafts.get("k249")).toEqual({ number: 249 });
  drafts.put("k249", "x".repeat(300_000));
  expect(drafts.get("k249")).toHaveLength(300_000);
  expect(shelf("d:", memory as unknown as Storage).get("k249")).toEqual({ number: 249 });
  drafts.drop("k249");
  expect(drafts.get("k249")).toBeNull();
  expect(memory.getItem("other")).toBe("1");
});

test("a shelf that is damaged is empty", () => {
  const memory = new Memory();
  memory.setItem("d:broken", "{");
  memory.setItem("d:none", "3");
  const drafts = shelf("d:", memory as unknown as Storage);
  expect([drafts.get("broken"), drafts.get("none")]).toEqual([null, null]);
});

test("where the browser keeps nothing, or has no room, a shelf lasts as long as the page", () => {
  const memory = new Memory();
  memory.setItem("d:k", JSON.stringify({ at: 0, content: "older" }));
  memory.full = true;
  for (const storage of [memory as unknown as Storage, null]) {
    const drafts = shelf("d:", storage);
    drafts.put("k", 1);
    expect([drafts.get("k"), drafts.names()]).toEqual([1, ["k"]]);
    drafts.drop("k");
    expect([drafts.get("k"), drafts.names()]).toEqual([null, []]);
  }
});
