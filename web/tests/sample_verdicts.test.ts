import { expect, test } from "vitest";
import { linesOf, piecesOf } from "../src/view/sample/spans";
import { answerOf, disagreement, nameOf, wordOf } from "../src/view/sample/verdicts";
import type { Answer, Verdict } from "../src/view/types";

const verdict = (scorer: string, bucket: string, value: number | null, apart = false): Verdict => ({
  scorer,
  bucket,
  value,
  apart,
  read: null,
  span: null,
  stored: null,
  flags: [],
  reason: "",
});

test.each([
  [[verdict("official", "right", 1), verdict("strict", "right", 1)], ""],
  [
    [verdict("official", "right", 1), verdict("recipe", "right", 1), verdict("strict", "unparsed", 0)],
    "Scorers disagree: official and recipe say right; strict says unparsed.",
  ],
  // A wrong answer and none at all both count 0: they agree, as they do in the terminal.
  [[verdict("official", "wrong", 0), verdict("strict", "unparsed", 0)], ""],
  [[verdict("recipe", "n/a", null), verdict("strict", "wrong", 0)], ""],
  [[verdict("rubric", "partly right", 0.4, true), verdict("strict", "wrong", 0)], ""],
  [
    [verdict("official", "partly right", 1 / 3), verdict("lenient", "partly right", 0.5)],
    "Scorers disagree: official says partly right (0.333); lenient says partly right (0.5).",
  ],
])("what scorers say, case %#", (verdicts, sentence) => {
  expect(disagreement(verdicts)).toBe(sentence);
});

test("a verdict in words", () => {
  expect(wordOf(verdict("s", "partly right", null))).toBe("partly right");
  expect(wordOf(verdict("s", "tie", 0))).toBe("tie");
});

test.each([
  ["the answer is B.", [14, 15], ["the answer is ", "B", "."], 0, 0],
  ["the answer is B.", null, ["", "", "the answer is B."], 0, 0],
  ["short", [3, 99], ["", "", "short"], 0, 0],
  ["short", [3, 3], ["", "", "short"], 0, 0],
  ["short", [-1, 2], ["", "", "short"], 0, 0],
  ["a😀b", [1, 3], ["a", "😀", "b"], 0, 0],
  ["a😀b", [2, 4], ["a", "😀b", ""], 0, 0], // not half a character
  ["x".repeat(50), [2, 4], ["xx", "xx", "x".repeat(16)], 0, 30],
] as const)("%j with the span %j", (text, span, pieces, skipped, left) => {
  const found = piecesOf(text, span as [number, number] | null, 20);
  expect([found.before, found.marked, found.after]).toEqual(pieces);
  expect([found.skipped, found.left]).toEqual([skipped, left]);
});

test("of a long text the part around the span is shown", () => {
  const text = "x".repeat(5_000) + "ANSWER" + "y".repeat(5_000);
  const found = piecesOf(text, [5_000, 5_006], 2_000);
  expect(found.marked).toBe("ANSWER");
  expect(found.skipped).toBe(4_300);
  expect(found.skipped + found.before.length + found.marked.length + found.after.length + found.left).toBe(text.length);
  const end = piecesOf(text, [10_000, 10_006], 2_000);
  expect([end.marked, end.left]).toEqual(["yyyyyy", 0]);
});

test("code has numbered lines, long code its first ones", () => {
  expect(linesOf("a\r\nb\n\n", false)).toEqual({ lines: ["a", "b"], left: 0 });
  expect(linesOf("a\n".repeat(1_000), false)).toMatchObject({ left: 600 });
  expect(linesOf("a\n".repeat(1_000), true).lines).toHaveLength(1_000);
});

const answers = [
  { vote: 0, epoch: 0 },
  { vote: 1, epoch: 0 },
  { vote: 0, epoch: 1 },
] as Answer[];

test.each([
  [null, null, 0],
  ["1", null, 1],
  ["0", "1", 2],
  ["7", "x", 0],
])("vote %s of epoch %s is response %i", (vote, epoch, place) => {
  expect(answerOf(answers, vote, epoch)).toBe(place);
});

test("a response is named by what tells it from the others", () => {
  expect(answers.map((one) => nameOf(one, answers))).toEqual(["epoch 1, vote 1", "epoch 1, vote 2", "epoch 2, vote 1"]);
  expect(nameOf(answers[0]!, [answers[0]!])).toBe("");
  expect(nameOf(answers[1]!, answers.slice(0, 2))).toBe("vote 2");
});
