import { describe, expect, test } from "vitest";
import { headlineOf, provisionalWords } from "../src/view/listing/headline";
import { choicesOf, grouped, nameInGroup, shownRuns, toggled, wantedOf, whyNotCompared } from "../src/view/listing/table";
import type { Metric, RunPage, RunRow } from "../src/view/types";

const figure = (value: number | null): Metric => ({ value, n: 10 });

function row(id: string, more: Partial<RunRow> = {}): RunRow {
  return {
    id,
    version: "1",
    benchmark: "tir",
    title: "TIR-Bench",
    model: "m",
    status: "complete",
    created: "2026-12-01T10:00:00+00:00",
    headline: null,
    beside: null,
    items: 10,
    planned: 10,
    asked: 10,
    failed: 0,
    cost: null,
    tools: "",
    experiment: "",
    imported: "",
    message: "",
    ...more,
  };
}

const headline = (value: number | null) => ({ scorer: "strict", metric: "all", figure: figure(value) });
const RUNS = [
  row("d", { model: "GPT", created: "4", headline: headline(0.5), failed: 3 }),
  row("c", { model: "qwen", created: "3", headline: headline(0.9), benchmark: "tfq", title: "TFQ-Bench", tools: "python" }),
  row("b", { model: "gpt", created: "2", status: "running", failed: -1, cost: { dollars: 2, unpriced: 0 } }),
  row("a", { model: "claude", created: "1", headline: headline(null), status: "damaged" }),
];

describe("the list of runs", () => {
  test.each([
    ["", "dcba"],
    ["sort=created", "abcd"],
    ["sort=-headline", "cdba"], // without a figure last
    ["sort=headline", "badc"],
    ["sort=model", "adbc"], // letters alike in both cases, ties as they came
    ["sort=-model", "cdba"],
    ["sort=-failed", "dcab"], // not known is less than none
    ["sort=-cost", "bdca"],
    ["sort=nonsense", "abcd"],
    ["benchmark=tfq", "c"],
    ["status=running", "b"],
    ["model=gpt", "b"],
    ["text=gpt", "db"],
    ["text=PYTHON", "c"],
    ["text=tir+gpt", "db"], // every word, anywhere
    ["text=.*", ""],
    ["benchmark=hvqr", ""],
  ])("asked for by %j is %j", (address, ids) => {
    const shown = shownRuns(RUNS, wantedOf(new URLSearchParams(address)));
    expect(shown.map((run) => run.id).join("")).toBe(ids);
  });

  test("filters offer what there is, once", () => {
    expect(choicesOf(RUNS, "benchmark")).toEqual(["tfq", "tir"]);
    expect(choicesOf([...RUNS, row("e", { model: "" })], "model")).toEqual(["GPT", "claude", "gpt", "qwen"]);
  });
});

test("the arms of an experiment stand together where its first stands", () => {
  const arms = ["x/2", "alone", "x/1", "y/1"].map((id) => row(id, { experiment: id.includes("/") ? id.slice(0, 1) : "" }));
  const groups = grouped(arms).map((group) => [group.experiment, ...group.runs.map((run) => run.id)]);
  expect(groups).toEqual([
    ["x", "x/2", "x/1"],
    ["", "alone"],
    ["y", "y/1"],
  ]);
  expect(arms.map(nameInGroup)).toEqual(["2", "alone", "1", "1"]);
});

test.each([
  [[], ["a"], ["a"]],
  [["a"], ["a"], []],
  [["a"], ["a", "b"], ["a", "b"]], // some of them were: all are
  [["c", "a", "b"], ["a", "b"], ["c"]],
])("of %j chosen, after choosing %j: %j", (chosen, ids, then) => {
  expect(toggled(chosen, ids)).toEqual(then);
});

test.each([
  [[RUNS[0]!], "Choose two or more runs of one benchmark."],
  [[RUNS[0]!, RUNS[1]!], "These are runs of TIR-Bench and TFQ-Bench; choose runs of one benchmark."],
  [[RUNS[0]!, RUNS[2]!], ""],
  [Array.from({ length: 13 }, (_, place) => row(`${place}`)), "At most 12 runs can be compared at once."],
])("case %# of runs to compare", (runs, sentence) => {
  expect(whyNotCompared(runs)).toBe(sentence);
});

function page(scorer: string, figures: Record<string, Metric>, more: Partial<RunPage> = {}): RunPage {
  const metrics = [{ name: "all", part: "", figures }];
  return {
    row: row("d"),
    paper: "",
    scorers: Object.keys(figures),
    scorer,
    metric: "all",
    metrics,
    chart_title: "",
    bars: [],
    failures: [],
    histograms: [],
    plan: [],
    prompt: "",
    made_with: [],
    counts: [],
    tools: [],
    published: null,
    notes: [],
    provisional: false,
    resume: "",
    ...more,
  };
}

test("beside the headline stands lenient, or strict where lenient leads", () => {
  const figures = { recipe: figure(0.1), strict: figure(0.2), lenient: figure(0.3) };
  const led = (scorer: string) => {
    const { headline: first, beside } = headlineOf(page(scorer, figures));
    return [first?.figure.value, beside?.scorer];
  };
  expect(led("recipe")).toEqual([0.1, "lenient"]);
  expect(led("lenient")).toEqual([0.3, "strict"]);
  expect(headlineOf(page("recipe", { recipe: figure(0.1) })).beside).toBeNull();
  expect(headlineOf(page("recipe", {}, { metrics: [] }))).toEqual({ headline: null, beside: null });
});

test("figures of a run that goes on are named so", () => {
  expect(provisionalWords(page("strict", {}))).toBe("");
  expect(provisionalWords(page("strict", {}, { provisional: true, row: row("d", { status: "running" }) }))).toContain("goes on");
  expect(provisionalWords(page("strict", {}, { provisional: true, row: row("d", { status: "stopped" }) }))).toContain("not finished");
});
