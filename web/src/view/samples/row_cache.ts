// Rows of a long list: those in view are fetched together, a few requests at a time, and what is scrolled past is not.

import { AGAIN, isUnreached } from "../asked";
import { sentenceOf } from "../source";
import type { Row, Rows } from "../types";

const AT_ONCE = 100; // rows of a request
const REQUESTS = 2; // at a time
const WAIT = 30; // milliseconds in which wishes are gathered
const MOST = 6_000; // rows kept

type Told = () => void;

export class RowCache {
  /** Why the last request was refused; "" if it was not. */
  refused = "";
  private readonly rows = new Map<number, { row: Row | null; turn: number }>();
  private readonly wanted = new Map<number, Set<Told>>();
  private readonly asked = new Set<number>();
  private requests = 0;
  private gathering: ReturnType<typeof setTimeout> | undefined;
  private turn = 0;

  constructor(private readonly fetch: (places: number[]) => Promise<Rows>) {}

  /** The row of an item, if it is here; it may be one from before the last change. */
  get(place: number): Row | null {
    return this.rows.get(place)?.row ?? null;
  }

  /** Asks for the row of an item, unless the function that it gives back is called before its turn comes. */
  want(place: number, told: Told): () => void {
    const all = this.wanted.get(place) ?? new Set<Told>();
    this.wanted.set(place, all.add(told));
    this.gather();
    return () => {
      all.delete(told);
      if (all.size === 0 && this.wanted.get(place) === all) this.wanted.delete(place);
    };
  }

  /** Waits for the row of an item; null if it is refused. */
  row(place: number): Promise<Row | null> {
    return new Promise((resolve) => {
      if (this.isCurrent(place)) return resolve(this.get(place));
      const leave = this.want(place, () => {
        leave();
        resolve(this.get(place));
      });
    });
  }

  /** The run has changed so often: rows from before are asked for again when they are next in view. */
  renew(turn: number): void {
    if (turn === this.turn) return;
    this.turn = turn;
    this.refused = "";
    this.gather();
  }

  private isCurrent(place: number): boolean {
    return this.rows.get(place)?.turn === this.turn;
  }

  private gather(): void {
    if (this.gathering === undefined && this.requests < REQUESTS) this.gathering = setTimeout(() => this.send(), WAIT);
  }

  private send(): void {
    this.gathering = undefined;
    const missing = [...this.wanted.keys()].filter((place) => !this.isCurrent(place) && !this.asked.has(place));
    // What was wished for last is what is in view now.
    const places = missing.slice(-AT_ONCE).sort((one, other) => one - other);
    if (places.length === 0) return;
    for (const place of places) this.asked.add(place);
    this.requests++;
    const { turn } = this;
    this.fetch(places)
      .then(
        (found) => {
          this.refused = "";
          this.keep(places, found.rows, turn);
        },
        (error: unknown) => {
          this.refused = sentenceOf(error);
          if (isUnreached(error)) this.again(places);
          else this.keep(places, [], turn);
        },
      )
      .finally(() => {
        this.requests--;
        this.gather();
      });
    this.gather();
  }

  /** The server could not be reached: what is still wished for is asked for again in a while. */
  private again(places: number[]): void {
    for (const place of places) this.asked.delete(place);
    clearTimeout(this.gathering);
    this.gathering = setTimeout(() => this.send(), AGAIN);
    this.tell(places);
  }

  private tell(places: number[]): void {
    for (const place of places) for (const told of [...(this.wanted.get(place) ?? [])]) told();
  }

  private keep(places: number[], found: Row[], turn: number): void {
    const byPlace = new Map(found.map((row) => [row.place, row]));
    for (const place of places) {
      this.asked.delete(place);
      const row = byPlace.get(place) ?? this.get(place);
      this.rows.delete(place);
      this.rows.set(place, { row, turn });
    }
    for (const oldest of this.rows.keys()) {
      if (this.rows.size <= MOST) break;
      this.rows.delete(oldest);
    }
    this.tell(places);
  }
}
