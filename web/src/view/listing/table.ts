// The list of runs: which are shown, in which order. Pure; what is chosen stands in the address.

import type { RunRow } from "../types";

export const SORTS = ["created", "benchmark", "model", "headline", "failed", "cost", "status"] as const;
export type Sort = (typeof SORTS)[number];

export interface Wanted {
  benchmark: string;
  model: string;
  status: string;
  text: string;
  sort: Sort;
  /** Largest, latest or last in the alphabet first. */
  isDown: boolean;
}

/** What the address asks for. `sort` is a column's name, with `-` before it for the other way round. */
export function wantedOf(params: URLSearchParams): Wanted {
  const written = params.get("sort") ?? "-created";
  const name = written.replace(/^-/, "");
  const sort = (SORTS as readonly string[]).includes(name) ? (name as Sort) : "created";
  return {
    benchmark: params.get("benchmark") ?? "",
    model: params.get("model") ?? "",
    status: params.get("status") ?? "",
    text: params.get("text") ?? "",
    sort,
    isDown: written.startsWith("-"),
  };
}

/** The runs that fit, sorted; ties stay in the order in which they came (newest first). */
export function shownRuns(runs: RunRow[], wanted: Wanted): RunRow[] {
  const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (run: RunRow) =>
    (!wanted.benchmark || run.benchmark === wanted.benchmark) &&
    (!wanted.model || run.model === wanted.model) &&
    (!wanted.status || run.status === wanted.status) &&
    words.every((word) => `${run.id}\n${run.model}\n${run.title}\n${run.tools}`.toLowerCase().includes(word));
  const way = wanted.isDown ? -1 : 1;
  return runs.filter(fits).sort((one, other) => way * compared(valueOf(one, wanted.sort), valueOf(other, wanted.sort)));
}

type Value = string | number | null;

function valueOf(run: RunRow, sort: Sort): Value {
  if (sort === "headline") return run.headline?.figure.value ?? null;
  if (sort === "failed") return run.failed < 0 ? null : run.failed;
  if (sort === "cost") return run.cost?.dollars ?? null;
  return run[sort].toLowerCase();
}

/** What is missing is less than anything. */
function compared(one: Value, other: Value): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? -1 : 1;
  return one < other ? -1 : 1;
}

/** Why the chosen runs cannot be compared; "" if they can. */
export function whyNotCompared(chosen: RunRow[]): string {
  if (chosen.length < 2) return "Choose two or more runs of one benchmark.";
  if (chosen.length > 12) return "At most 12 runs can be compared at once.";
  const benchmarks = [...new Set(chosen.map((run) => run.title || run.benchmark))];
  return benchmarks.length > 1 ? `These are runs of ${benchmarks.join(" and ")}; choose runs of one benchmark.` : "";
}

/** The different values of a column, sorted. */
export const choicesOf = (runs: RunRow[], column: "benchmark" | "model" | "status"): string[] =>
  [...new Set(runs.map((run) => run[column]))].filter(Boolean).sort();

export interface Group {
  /** "" for a run by itself. */
  experiment: string;
  runs: RunRow[];
}

/** The arms of an experiment together, where its first stands; other runs each by itself. */
export function grouped(runs: RunRow[]): Group[] {
  const groups: Group[] = [];
  const experiments = new Map<string, Group>();
  for (const run of runs) {
    const known = run.experiment ? experiments.get(run.experiment) : undefined;
    if (known) {
      known.runs.push(run);
      continue;
    }
    const group = { experiment: run.experiment, runs: [run] };
    groups.push(group);
    if (run.experiment) experiments.set(run.experiment, group);
  }
  return groups;
}

/** The chosen runs with these among them, or, if all of them were, without them. */
export function toggled(chosen: string[], ids: string[]): string[] {
  const rest = chosen.filter((id) => !ids.includes(id));
  return ids.every((id) => chosen.includes(id)) ? rest : [...chosen, ...ids.filter((id) => !chosen.includes(id))];
}

/** An arm without the name of its experiment, which stands above it. */
export function nameInGroup(run: RunRow): string {
  const before = `${run.experiment}/`;
  return run.experiment && run.id.startsWith(before) ? run.id.slice(before.length) : run.id;
}
