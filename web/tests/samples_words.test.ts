import { expect, test } from "vitest";
import { filtersOf } from "../src/view/samples/filters";
import { scorerKeys } from "../src/view/scorer_keys";
import { filterWords, listWords } from "../src/view/samples/words";

test.each([
  ["", ""],
  ["outcome=wrong&outcome=unparsed&scorer=x", "wrong or unparsed under strict"],
  ["category=maze&difficulty=3", "maze, difficulty 3"],
  ["tool=none&disagree=1&budget=1", "used no tool, scorers disagree, ended by a budget"],
  ["against=exp%2Farm&change=lost&text=a%E2%80%AEb", "worse here than in exp/arm, with “a⟦202E⟧b”"],
])("?%s is %j", (query, words) => {
  expect(filterWords(filtersOf(new URLSearchParams(query)), "strict")).toBe(words);
});

test.each([
  [1_215, 1_215, "", "1,215 samples"],
  [1, 1, "", "1 sample"],
  [12, 1_215, "outcome=wrong", "12 of 1,215 samples: wrong under strict"],
  [1_215, 1_215, "failed=1", "1,215 of 1,215 samples: a response failed"],
])("%i of %i with ?%s", (shown, all, query, words) => {
  expect(listWords(shown, all, filtersOf(new URLSearchParams(query)), "strict")).toBe(words);
});

test("nine scorers have keys", () => {
  const chosen: string[] = [];
  const keys = scorerKeys(Array.from({ length: 12 }, (_, place) => `s${place + 1}`), (name) => chosen.push(name));
  expect(Object.keys(keys)).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
  keys["9"]![1]();
  expect(chosen).toEqual(["s9"]);
});
