// Where the pages get what they show: the server, or the files of a written folder. Every refusal is a plain sentence.

import { Refused, ask } from "../shared/api";
import { listening } from "./listening";
import { StaticSource } from "./static_source";
import type { Changes, Columns, ComparePage, Leaderboard, MarkRow, Places, RunList, RunPage, Rows, SamplePage } from "./types";

export interface Live {
  /** Run → what changes whenever the run does. */
  versions: Record<string, string>;
  /** Run → how much of its index is made, 0..1; only those that are being made. */
  ready: Record<string, number>;
}

/** Runs and their versions in one word. */
export const versionsOf = (runs: readonly { id: string; version: string }[]): string =>
  JSON.stringify(runs.map(({ id, version }) => [id, version]));

export interface Source {
  /** Whether these are files: nothing changes, nothing can be marked. */
  readonly isStatic: boolean;
  runs(): Promise<RunList>;
  run(run: string): Promise<RunPage>;
  columns(run: string): Promise<Columns>;
  rows(run: string, places: number[]): Promise<Rows>;
  search(run: string, text: string): Promise<Places>;
  changes(run: string, against: string, scorer: string): Promise<Changes>;
  sample(run: string, key: string): Promise<SamplePage>;
  compare(runs: string[], scorer: string, intersect: boolean): Promise<ComparePage>;
  leaderboard(benchmark: string, scorer: string, metric: string): Promise<Leaderboard>;
  mark(run: string, key: string, mark: NewMark): Promise<MarkRow[]>;
  unmark(run: string, key: string, number: number): Promise<MarkRow[]>;
  /** The address of a picture of a run, by its hash; `small` is a thumbnail. */
  picture(run: string, sha256: string, small: boolean): string;
  /** Tells of changes until the function that it gives back is called. */
  listen(told: (live: Live) => void): () => void;
}

export interface NewMark {
  vote: number;
  epoch: number;
  scorer: string;
  note: string;
}

type Params = Record<string, string | string[] | undefined>;

/** The request as it is asked for; a written folder names its files by it. Parameters that are "" are left out. */
export function requestOf(path: string, params: Params = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    for (const one of Array.isArray(value) ? value : [value]) if (one) query.append(name, one);
  const written = query.toString();
  return written ? `${path}?${written}` : path;
}

export class ServerSource implements Source {
  readonly isStatic = false;
  runs = () => ask<RunList>("api/runs");
  run = (run: string) => ask<RunPage>(requestOf("api/run", { run }));
  columns = (run: string) => ask<Columns>(requestOf("api/columns", { run }));
  rows = (run: string, places: number[]) => ask<Rows>(requestOf("api/rows", { run, places: places.join(",") }));
  search = (run: string, text: string) => ask<Places>(requestOf("api/search", { run, text }));
  changes = (run: string, against: string, scorer: string) =>
    ask<Changes>(requestOf("api/changes", { run, against, scorer }));
  sample = (run: string, key: string) => ask<SamplePage>(requestOf("api/sample", { run, key }));
  compare = (runs: string[], scorer: string, intersect: boolean) =>
    ask<ComparePage>(requestOf("api/compare", { run: runs, scorer, intersect: intersect ? "1" : "" }));
  leaderboard = (benchmark: string, scorer: string, metric: string) =>
    ask<Leaderboard>(requestOf("api/leaderboard", { benchmark, scorer, metric }));

  async mark(run: string, key: string, mark: NewMark): Promise<MarkRow[]> {
    const said = await ask<{ marks: MarkRow[] }>("api/mark", { method: "POST", body: { run, key, ...mark } });
    return said.marks;
  }

  async unmark(run: string, key: string, number: number): Promise<MarkRow[]> {
    const said = await ask<{ marks: MarkRow[] }>("api/unmark", { method: "POST", body: { run, key, number } });
    return said.marks;
  }

  picture = (run: string, sha256: string, small: boolean) =>
    requestOf(`images/${encodeURIComponent(sha256)}${small ? ".webp" : ""}`, { run });

  listen(told: (live: Live) => void): () => void {
    return listening(document, () => new EventSource("api/live"), told);
  }
}

/** The source for the place that this page was loaded from: a written folder has a manifest beside the page. */
export async function sourceHere(): Promise<Source> {
  if (!document.querySelector('meta[name="beholder"][content="static"]')) return new ServerSource();
  return StaticSource.open();
}

/** What went wrong, in a sentence. */
export function sentenceOf(error: unknown): string {
  return error instanceof Refused || error instanceof Error ? error.message : String(error);
}
