// The pages over the files of a written folder: each request that the folder answers is named in its manifest.

import { Refused } from "../shared/api";
import { type Live, type Source, requestOf } from "./source";
import type { Changes, Columns, ComparePage, Leaderboard, MarkRow, Places, RunList, RunPage, Rows, SamplePage } from "./types";

/** `data/manifest.json`, as `beholder.web.site` writes it. Files are named from `data/` on. */
export interface Manifest {
  /** Request → file. */
  files: Record<string, string>;
  runs: Record<string, Held>;
  /** The runs as they were given: comparisons of several have the first one, then the others in this order. */
  order: string[];
  /** SHA-256 of a picture → the ending of its file. */
  pictures: Record<string, string>;
}

/** What the folder holds of a run: its first `n` samples out of `of`, rows in files of `chunk`. */
export interface Held {
  folder: string;
  n: number;
  of: number;
  chunk: number;
}

const VIEW = "`beholder view` shows it, over the runs themselves.";
const COMPARISON = "this comparison, only those of two runs and of all runs of a benchmark";

export class StaticSource implements Source {
  readonly isStatic = true;
  private readonly fetched = new Map<string, Promise<unknown>>();

  /** `fetchJson` gets a file from `data/` on. */
  constructor(
    private readonly manifest: Manifest,
    private readonly fetchJson: (file: string) => Promise<unknown> = fetchData,
  ) {}

  static async open(): Promise<Source> {
    return new StaticSource((await fetchData("manifest.json")) as Manifest);
  }

  runs = () => this.answer<RunList>("api/runs", {}, "the list of runs");
  run = (run: string) => this.answer<RunPage>("api/run", { run }, "this run");
  columns = (run: string) => this.answer<Columns>("api/columns", { run }, "the samples of this run");
  changes = (run: string, against: string, scorer: string) =>
    this.answer<Changes>("api/changes", { run, against, scorer }, "what changed between these runs");
  compare = ([first = "", ...others]: string[], scorer: string, intersect: boolean) => {
    const { order } = this.manifest;
    const run = [first, ...others.sort((one, other) => order.indexOf(one) - order.indexOf(other))];
    return this.answer<ComparePage>("api/compare", { run, scorer, intersect: intersect ? "1" : "" }, COMPARISON);
  };
  leaderboard = (benchmark: string, scorer: string, metric: string) =>
    this.answer<Leaderboard>("api/leaderboard", { benchmark, scorer, metric }, "this leaderboard");

  async rows(run: string, places: number[]): Promise<Rows> {
    const held = this.held(run);
    const wanted = places.filter((place) => place >= 0 && place < held.n);
    const chunks = [...new Set(wanted.map((place) => Math.floor(place / held.chunk)))];
    const found = await Promise.all(chunks.map((chunk) => this.kept<Rows>(`${held.folder}/rows-${chunk}.json`)));
    const byPlace = new Map(found.flatMap(({ rows }) => rows).map((row) => [row.place, row]));
    return { version: found[0]?.version ?? "", rows: wanted.flatMap((place) => byPlace.get(place) ?? []) };
  }

  async search(run: string, text: string): Promise<Places> {
    const held = this.held(run);
    const at = (await this.keys(held)).indexOf(text.trim());
    if (at >= 0) return { version: "", places: [at] }; // somebody has pasted a key
    return { version: "", places: placesOf(await this.kept<string[]>(`${held.folder}/texts.json`), text) };
  }

  async sample(run: string, key: string): Promise<SamplePage> {
    const held = this.held(run);
    const place = (await this.keys(held)).indexOf(key);
    if (place < 0) throw notHere(held.n < held.of ? `this sample, only the first ${held.n.toLocaleString("en")} of the run` : "this sample");
    return (await this.fetchJson(`${held.folder}/sample-${place}.json`)) as SamplePage;
  }

  mark = (): Promise<MarkRow[]> => Promise.reject(new Refused("A written folder cannot be changed. Marks are set in `beholder view`.", 0));
  unmark = this.mark;

  picture(_run: string, sha256: string, small: boolean): string {
    const name = encodeURIComponent(sha256);
    return `images/${name}.${small ? "small.webp" : (own(this.manifest.pictures, sha256) ?? "png")}`;
  }

  listen(_told: (live: Live) => void): () => void {
    return () => {};
  }

  private async answer<T>(path: string, params: Record<string, string | string[]>, what: string): Promise<T> {
    const file = own(this.manifest.files, requestOf(path, params));
    if (file === undefined) throw notHere(what);
    return this.kept<T>(file);
  }

  private held(run: string): Held {
    const held = own(this.manifest.runs, run);
    if (!held) throw notHere("this run");
    return held;
  }

  private keys = (held: Held): Promise<string[]> => this.kept<string[]>(`${held.folder}/keys.json`);

  /** A file, fetched once. One that could not be fetched is asked for again. */
  private kept<T>(file: string): Promise<T> {
    const known = this.fetched.get(file);
    if (known) return known as Promise<T>;
    const asked = this.fetchJson(file);
    this.fetched.set(file, asked);
    asked.catch(() => this.fetched.delete(file));
    return asked as Promise<T>;
  }
}

/** The places of the texts that have all words of what is looked for, whichever case; none for no word. */
export function placesOf(texts: readonly string[], asked: string): number[] {
  const words = folded(asked).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return texts.flatMap((text, place) => {
    const seen = folded(text);
    return words.every((word) => seen.includes(word)) ? [place] : [];
  });
}

const folded = (text: string): string => text.toLowerCase();

const own = <T>(table: Record<string, T>, name: string): T | undefined => (Object.hasOwn(table, name) ? table[name] : undefined);

const notHere = (what: string): Refused => new Refused(`This folder does not hold ${what}. ${VIEW}`, 404);

async function fetchData(file: string): Promise<unknown> {
  try {
    const response = await fetch(`data/${file}`, { cache: "no-cache" });
    if (response.ok) return await response.json();
  } catch {
    // said below, as when the file is not there
  }
  throw new Refused(`The file data/${file} of this folder cannot be read. Write the folder again, or copy all of it.`, 0);
}
