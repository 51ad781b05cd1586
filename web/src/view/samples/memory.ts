// What was asked for, kept for a while: moving between a list and its samples asks for nothing twice.

import type { Source } from "../source";
import type { Changes, Places, SamplePage } from "../types";
import { RowCache } from "./row_cache";
import { type Table, tableOf } from "./filters";

/** The last few answers by name. A question that failed is asked again. */
export class Memory<T> {
  private readonly kept = new Map<string, Promise<T>>();

  constructor(private readonly most: number) {}

  get(name: string, ask: () => Promise<T>): Promise<T> {
    const known = this.kept.get(name);
    const answer = known ?? ask();
    this.kept.delete(name);
    this.kept.set(name, answer); // the last used is the last to go
    if (!known) {
      answer.catch(() => this.kept.get(name) === answer && this.kept.delete(name));
      for (const oldest of this.kept.keys()) {
        if (this.kept.size <= this.most) break;
        this.kept.delete(oldest);
      }
    }
    return answer;
  }

  forget(name: string): void {
    this.kept.delete(name);
  }
}

/** Counts the changes of a run. A run that is being made changes at each response; it is looked at again when it is `due`. */
export class Turns {
  count = 0;
  private seen = "";
  private at = -Infinity;

  /** Milliseconds until the run, which is like `now`, is to be asked for again; null if there is nothing new. */
  due(now: string, clock: number): number | null {
    if (now === "" || now === this.seen) return null;
    return Math.max(0, this.at + CALM - clock);
  }

  /** The first state that is told of is the one that was asked for before: nothing is new unless it `isGrowing`. */
  take(now: string, clock: number, isGrowing: boolean): void {
    if (this.seen !== "" || isGrowing) this.count++;
    this.seen = now;
    this.at = clock;
  }
}

export const CALM = 2_000; // milliseconds between two looks at a run that is being made

const named = (...parts: (string | number)[]): string => JSON.stringify(parts);

/** All that pages of samples ask one source for. `turn` counts the changes of a run: answers of another turn are old. */
class SampleMemory {
  private readonly tables = new Memory<Table>(3);
  private readonly searches = new Memory<Places>(24);
  private readonly changed = new Memory<Changes>(12);
  private readonly samples = new Memory<SamplePage>(24);
  private readonly caches = new Map<string, RowCache>();
  private readonly turns = new Map<string, Turns>();

  constructor(private readonly source: Source) {}

  turnsOf(run: string): Turns {
    const turns = this.turns.get(run) ?? new Turns();
    this.turns.set(run, turns);
    return turns;
  }

  table(run: string, turn: string): Promise<Table> {
    return this.tables.get(named(run, turn), () => this.source.columns(run).then(tableOf));
  }

  search(run: string, text: string, version: string): Promise<Places> {
    return this.searches.get(named(run, text, version), () => this.source.search(run, text));
  }

  changes(run: string, against: string, scorer: string, version: string): Promise<Changes> {
    return this.changed.get(named(run, against, scorer, version), () => this.source.changes(run, against, scorer));
  }

  sample(run: string, key: string, turn: string): Promise<SamplePage> {
    return this.samples.get(named(run, key, turn), () => this.source.sample(run, key));
  }

  /** Somebody has marked it. */
  forget(run: string, key: string, turn: string): void {
    this.samples.forget(named(run, key, turn));
  }

  rows(run: string): RowCache {
    const known = this.caches.get(run);
    if (known) return known;
    const made = new RowCache((places) => this.source.rows(run, places));
    for (const oldest of this.caches.keys()) if (this.caches.size >= 3) this.caches.delete(oldest);
    this.caches.set(run, made);
    return made;
  }
}

const memories = new WeakMap<Source, SampleMemory>();

export function memoryOf(source: Source): SampleMemory {
  const known = memories.get(source) ?? new SampleMemory(source);
  memories.set(source, known);
  return known;
}
