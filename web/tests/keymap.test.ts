import { expect, test } from "vitest";
import { keymapOf } from "../src/annotate/keymap";
import { chordOf, shownChord } from "../src/shared/chords";
import { M3R } from "./forms";

const pressed = { key: "", code: "", shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };

test.each([
  [{ key: "j", code: "KeyJ" }, "j"],
  [{ key: "J", code: "KeyJ" }, "j"], // caps lock
  [{ key: "J", code: "KeyJ", shiftKey: true }, "shift+j"],
  [{ key: "о", code: "KeyJ" }, "j"], // a Russian keyboard
  [{ key: "1", code: "Digit1" }, "1"],
  [{ key: "1", code: "Digit1", shiftKey: true }, "1"], // a French keyboard
  [{ key: "!", code: "Digit1", shiftKey: true }, "shift+1"],
  [{ key: "?", code: "Slash", shiftKey: true }, "?"],
  [{ key: "Enter", code: "Enter", ctrlKey: true }, "ctrl+enter"],
  [{ key: "Enter", code: "Enter", metaKey: true }, "ctrl+enter"],
  [{ key: "s", code: "KeyS", ctrlKey: true }, ""],
  [{ key: "ArrowLeft", code: "ArrowLeft", altKey: true }, ""],
  [{ key: "Escape", code: "Escape" }, "escape"],
])("%j is %s", (event, chord) => {
  expect(chordOf({ ...pressed, ...event })).toBe(chord);
});

test("the form's keys come first, and proposals need shift where the form takes a digit", () => {
  const keys = keymapOf(M3R);
  expect(keys.bound.get("n")).toEqual({ do: "choose", field: "metaphor", option: "no" });
  expect(keys.bound.get("2")).toEqual({ do: "choose", field: "sentiment", option: "neutral" });
  expect(keys.take(0)).toBe("shift+1");
  expect(keys.take(4)).toBe("shift+5");
  expect(keys.take(9)).toBe("");
  expect(keys.bound.get("s")).toEqual({ do: "command", command: "save" });
});

test("a command whose letter the form takes needs shift; where nothing is taken digits are proposals", () => {
  const free = keymapOf({ ...M3R, fields: [{ ...M3R.fields[0]!, options: ["sure", "up", "?"], keys: ["s", "u", "k"] }] });
  expect(free.take(0)).toBe("1");
  expect([free.chord.save, free.chord.undo, free.chord.previous, free.chord.next]).toEqual([
    "shift+s",
    "shift+u",
    "shift+k",
    "j",
  ]);
  expect(free.bound.get("s")).toEqual({ do: "choose", field: "metaphor", option: "sure" });
  expect(free.bound.get("shift+s")).toEqual({ do: "command", command: "save" });
});

test.each([
  ["s", "S"],
  ["shift+1", "⇧ 1"],
  ["ctrl+enter", "Ctrl ↵"],
  ["+", "+"],
])("%s is printed as %s", (chord, shown) => {
  expect(shownChord(chord)).toBe(shown);
});
