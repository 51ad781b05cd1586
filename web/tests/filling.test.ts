import { expect, test } from "vitest";
import { byField, differing, readDraft, same, toSend } from "../src/annotate/filling";
import { M3R } from "./forms";

test("what a choice hides, and what is blank, is not sent", () => {
  const value = {
    metaphor: "no",
    target: "debt",
    sentiment: "neutral",
    mapping: "  ",
    evidence: [
      { kind: "visual" as const, text: " " },
      { kind: "textual" as const, text: "a word" },
    ],
  };
  expect(toSend(M3R, value)).toEqual({
    metaphor: "no",
    sentiment: "neutral",
    evidence: [{ kind: "textual", text: "a word" }],
  });
});

test("a piece that has a box but no text is sent, so that the server can ask for the text", () => {
  const evidence = [{ kind: "visual" as const, text: "", box: [0, 0, 1, 1] as [number, number, number, number] }];
  expect(toSend(M3R, { evidence })).toEqual({ evidence });
});

test("values are the same if they would be sent alike", () => {
  const evidence = [{ kind: "visual" as const, text: "x" }];
  expect(same(M3R, { metaphor: "no", target: "hidden" }, { metaphor: "no" })).toBe(true);
  expect(same(M3R, { mapping: " a\n" }, { mapping: "a" })).toBe(true);
  expect(same(M3R, { evidence }, { evidence: [{ ...evidence[0]!, box: null }] })).toBe(true);
  expect(same(M3R, { evidence }, { evidence: [{ ...evidence[0]!, box: [0, 0, 1, 1] }] })).toBe(false);
  expect(same(M3R, { metaphor: "yes" }, {})).toBe(false);
});

test("fields that differ are named, those that a choice hides on one side too", () => {
  const one = { metaphor: "yes", target: "debt", sentiment: "neutral" };
  expect(differing(M3R, one, { metaphor: "no", sentiment: "neutral" })).toEqual(["metaphor", "target"]);
});

test("faults go to the field whose label they begin with", () => {
  const { fields, others } = byField(M3R, ["Target: please fill this in.", "Evidence: piece 1: no.", "There is no field 'x'."]);
  expect(fields.get("target")).toEqual(["Please fill this in."]);
  expect(fields.get("evidence")).toEqual(["Piece 1: no."]);
  expect(others).toEqual(["There is no field 'x'."]);
});

test.each([
  null,
  "text",
  [],
  {},
  { value: {}, note: 1, revision: 0 },
  { value: { a: 1 }, note: "", revision: 0 },
  { value: { a: [{ kind: "x", text: "" }] }, note: "", revision: 0 },
  { value: { a: [{ kind: "visual", text: "", box: [1, 2] }] }, note: "", revision: 0 },
])("%j is no draft", (kept) => {
  expect(readDraft(kept)).toBeNull();
});
