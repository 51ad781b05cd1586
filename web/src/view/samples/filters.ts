// Which samples of a run are listed: what the address asks for, over typed arrays, so that 157,201 are filtered at once.

import {
  BUCKETS,
  BUDGET,
  CALL_FAILED,
  type Changes,
  type Columns,
  DISAGREE,
  FAILED,
  LETTERS,
  MARKED,
  SPLIT,
  STALE,
  USED_TOOL,
} from "../types";

/** What an item without a score yet has in place of a bucket. */
export const UNSCORED = BUCKETS.length;
/** The word in the address and on the page for a category that has no name. */
export const NAMELESS = "(none)";

/** Yes-or-no filters, by their name in the address. */
export const SWITCHES = { disagree: DISAGREE, split: SPLIT, failed: FAILED, budget: BUDGET, marked: MARKED } as const;
export type Switch = keyof typeof SWITCHES;
export const SWITCH_NAMES = Object.keys(SWITCHES) as Switch[];

export const TOOL_USES = ["used", "none", "failed", "stale"] as const;
export type ToolUse = (typeof TOOL_USES)[number];
export const CHANGES = ["gained", "lost"] as const;
export type Change = (typeof CHANGES)[number];

export interface Filters {
  /** "" is the run's own headline scorer. */
  scorer: string;
  /** Names of buckets; none is all. */
  outcomes: string[];
  /** `null` is all. */
  category: string | null;
  difficulty: string | null;
  text: string;
  tool: ToolUse | "";
  switches: Switch[];
  /** The run that this one is held against, and what is listed of the difference. */
  against: string;
  change: Change | "";
}

/** What an address asks for. What it asks for wrongly is left out. */
export function filtersOf(params: URLSearchParams): Filters {
  const one = (name: string): string => params.get(name) ?? "";
  const known = <T extends string>(all: readonly T[], value: string): T | "" =>
    (all as readonly string[]).includes(value) ? (value as T) : "";
  return {
    scorer: one("scorer"),
    outcomes: BUCKETS.filter((bucket) => params.getAll("outcome").includes(bucket)),
    category: params.get("category") || null,
    difficulty: params.get("difficulty") || null,
    text: one("text"),
    tool: known(TOOL_USES, one("tool")),
    switches: SWITCH_NAMES.filter((name) => one(name) === "1"),
    against: one("against"),
    change: one("against") ? known(CHANGES, one("change")) : "",
  };
}

/** The same as parameters of an address. */
export function paramsOf(filters: Filters): Record<string, string | string[]> {
  return {
    scorer: filters.scorer,
    outcome: filters.outcomes,
    category: filters.category ?? "",
    difficulty: filters.difficulty ?? "",
    text: filters.text,
    tool: filters.tool,
    ...Object.fromEntries(filters.switches.map((name) => [name, "1"])),
    against: filters.against,
    change: filters.change,
  };
}

/** The filters with all let through; the scorer and the other run are what one looks by, and stay. */
export function cleared({ scorer, against }: Filters): Filters {
  return { ...filtersOf(new URLSearchParams()), scorer, against };
}

/** Whether anything is left out of the list. */
export function isNarrow(filters: Filters): boolean {
  const { outcomes, category, difficulty, text, tool, switches, change } = filters;
  return outcomes.length > 0 || category !== null || difficulty !== null || text !== "" || tool !== "" || switches.length > 0 || change !== "";
}

/** `Columns`, made ready for filtering. */
export interface Table {
  version: string;
  ready: number;
  n: number;
  scorers: string[];
  scorer: string;
  /** Scorer → the bucket of each item (a place in `BUCKETS`, or `UNSCORED`). */
  buckets: Map<string, Uint8Array>;
  categories: string[];
  category: Uint32Array;
  difficulties: string[];
  difficulty: Uint32Array;
  flags: Uint16Array;
  /** All flags that any item has: what none has need not be asked for. */
  anyFlags: number;
  searchable: boolean;
  /** How many items a written folder does without. */
  leftOut: number;
}

export function tableOf(columns: Columns): Table {
  const { version, ready, n, scorers, scorer, categories, difficulties, searchable, left_out: leftOut } = columns;
  const flags = Uint16Array.from({ length: n }, (_, place) => columns.flags[place] ?? 0);
  let anyFlags = 0;
  for (const each of flags) anyFlags |= each;
  const numbers = (values: number[]) => Uint32Array.from({ length: n }, (_, place) => values[place] ?? 0);
  return {
    version,
    ready,
    n,
    scorers,
    scorer,
    buckets: new Map(scorers.map((name) => [name, bucketsOf(columns.buckets[name] ?? "", n)])),
    categories,
    category: numbers(columns.category),
    difficulties,
    difficulty: numbers(columns.difficulty),
    flags,
    anyFlags,
    searchable,
    leftOut,
  };
}

function bucketsOf(letters: string, n: number): Uint8Array {
  const places = new Uint8Array(128).fill(UNSCORED);
  for (let bucket = 0; bucket < LETTERS.length; bucket++) places[LETTERS.charCodeAt(bucket)] = bucket;
  const buckets = new Uint8Array(n).fill(UNSCORED);
  for (let place = 0; place < n; place++) buckets[place] = places[letters.charCodeAt(place)] ?? UNSCORED;
  return buckets;
}

/** The scorer that the filters mean: theirs if the run has it, else the run's own. */
export function scorerOf(table: Pick<Table, "scorers" | "scorer">, filters: Pick<Filters, "scorer">): string {
  return table.scorers.includes(filters.scorer) ? filters.scorer : table.scorer;
}

/** What has to be asked of the source: in which items a text is, which changed. `null`: not known, so in none. */
export interface Found {
  text: Uint8Array | null;
  /** For each item 0, or 1 (gained) or 2 (lost) against the other run. */
  change: Uint8Array | null;
}

export function membersOf(places: readonly number[], n: number): Uint8Array {
  const members = new Uint8Array(n);
  for (const place of places) if (place < n) members[place] = 1;
  return members;
}

export function changeOf({ gained, lost }: Pick<Changes, "gained" | "lost">, n: number): Uint8Array {
  const change = membersOf(gained, n);
  for (const place of lost) if (place < n) change[place] = 2;
  return change;
}

/** How many items each choice would list, with the other filters as they are. */
export interface Counts {
  outcomes: number[];
  category: number[];
  difficulty: number[];
  tool: Record<ToolUse, number>;
  switches: Record<Switch, number>;
  change: Record<Change, number>;
}

export interface Matched {
  /** Ascending. */
  places: Int32Array;
  counts: Counts;
}

// One bit for each filter that an item can fail. What fails one only is what another choice of that one would list.
const [OUTCOME, CATEGORY, DIFFICULTY, TOOL, CHANGE, SWITCHED, TEXT] = [1, 2, 4, 8, 16, 32, 64];

/** The items that the filters let through, and the counts beside each choice, in one pass. */
export function matching(table: Table, filters: Filters, found: Found): Matched {
  const { n, flags, category, difficulty } = table;
  const bucket = table.buckets.get(scorerOf(table, filters)) ?? new Uint8Array(n).fill(UNSCORED);
  const wanted = new Set<number>(filters.outcomes.map((name) => BUCKETS.indexOf(name as (typeof BUCKETS)[number])));
  const inOutcome = Uint8Array.from({ length: UNSCORED + 1 }, (_, place) => Number(wanted.size === 0 || wanted.has(place)));
  const wantedCategory = placeOf(table.categories, filters.category);
  const wantedDifficulty = placeOf(table.difficulties, filters.difficulty);
  const required = filters.switches.reduce((bits, name) => bits | SWITCHES[name], 0);
  const wantedChange = filters.change ? CHANGES.indexOf(filters.change) + 1 : 0;
  const { text, change } = found;

  const places = new Int32Array(n);
  let matched = 0;
  const outcomes = new Array<number>(UNSCORED + 1).fill(0);
  const categories = new Array<number>(table.categories.length).fill(0);
  const difficulties = new Array<number>(table.difficulties.length).fill(0);
  const byFlags = new Uint32Array(table.anyFlags + 1);
  const toolFlags = new Uint32Array(table.anyFlags + 1);
  const changes = [0, 0, 0];
  for (let place = 0; place < n; place++) {
    const own = flags[place]!;
    let missed = 0;
    if (!inOutcome[bucket[place]!]) missed |= OUTCOME;
    if (wantedCategory !== ALL && category[place] !== wantedCategory) missed |= CATEGORY;
    if (wantedDifficulty !== ALL && difficulty[place] !== wantedDifficulty) missed |= DIFFICULTY;
    if (filters.tool && !usesTool(own, filters.tool)) missed |= TOOL;
    if (wantedChange && change?.[place] !== wantedChange) missed |= CHANGE;
    if ((own & required) !== required) missed |= SWITCHED;
    if (filters.text && !text?.[place]) missed |= TEXT;
    if (missed === 0) places[matched++] = place;
    if ((missed | OUTCOME) === OUTCOME) outcomes[bucket[place]!]!++;
    if ((missed | CATEGORY) === CATEGORY) categories[category[place]!]!++;
    if ((missed | DIFFICULTY) === DIFFICULTY) difficulties[difficulty[place]!]!++;
    if ((missed | TOOL) === TOOL) toolFlags[own]!++;
    if (missed === 0) byFlags[own]!++;
    if (change && (missed | CHANGE) === CHANGE) changes[change[place]!]!++;
  }
  const summed = (counts: Uint32Array, holds: (own: number) => boolean): number =>
    counts.reduce((sum, count, own) => (count > 0 && holds(own) ? sum + count : sum), 0);
  return {
    places: places.slice(0, matched),
    counts: {
      outcomes,
      category: categories,
      difficulty: difficulties,
      tool: byName(TOOL_USES, (use) => summed(toolFlags, (own) => usesTool(own, use))),
      switches: byName(SWITCH_NAMES, (name) => summed(byFlags, (own) => (own & SWITCHES[name]) !== 0)),
      change: { gained: changes[1]!, lost: changes[2]! },
    },
  };
}

function byName<T extends string>(names: readonly T[], counted: (name: T) => number): Record<T, number> {
  return Object.fromEntries(names.map((name) => [name, counted(name)])) as Record<T, number>;
}

export function usesTool(flags: number, use: ToolUse): boolean {
  if (use === "none") return !(flags & USED_TOOL);
  return (flags & { used: USED_TOOL, failed: CALL_FAILED, stale: STALE }[use]) !== 0;
}

const ALL = -1;
const NONE = -2;

/** The place of a name; `NONE` (which no item has) for a name that is not there. */
function placeOf(names: string[], name: string | null): number {
  if (name === null) return ALL;
  const place = names.indexOf(name);
  if (place >= 0) return place;
  const nameless = name === NAMELESS ? names.indexOf("") : -1;
  return nameless >= 0 ? nameless : NONE;
}

/** Where an item stands in the list: its position, or that of the one after it, and whether it is there itself. */
export function positionOf(places: Int32Array, place: number): { position: number; isThere: boolean } {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle]! < place) low = middle + 1;
    else high = middle;
  }
  return { position: low, isThere: places[low] === place };
}

/** The next item of the list after a place (`step` 1) or before it (-1) that `holds`; -1 if there is none. */
export function nextOf(places: Int32Array, place: number, step: 1 | -1, holds: (place: number) => boolean = () => true): number {
  const { position, isThere } = positionOf(places, place);
  for (let at = step === 1 ? position + Number(isThere) : position - 1; at >= 0 && at < places.length; at += step)
    if (holds(places[at]!)) return places[at]!;
  return -1;
}
