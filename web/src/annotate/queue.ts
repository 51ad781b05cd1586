// The list of items: which are shown, and which comes next.

import type { Row, State } from "./types";

export type Filter = "all" | "waiting" | State;

const WAITING: State[] = ["adjudicate", "confirm", "open"];

export const STATE_WORDS: Record<State, { mark: string; word: string }> = {
  adjudicate: { mark: "≠", word: "to decide" },
  confirm: { mark: "≈", word: "to confirm" },
  open: { mark: "○", word: "open" },
  skipped: { mark: "»", word: "skipped" },
  done: { mark: "✓", word: "done" },
};

export function shownRows(rows: Row[], filter: Filter, search: string): Row[] {
  const wanted = search.trim().toLocaleLowerCase();
  return rows.filter((row) => {
    const fits = filter === "all" || (filter === "waiting" ? WAITING.includes(row.state) : row.state === filter);
    return fits && (!wanted || `${row.position + 1} ${row.title}`.toLocaleLowerCase().includes(wanted));
  });
}

export function waits(row: Row): boolean {
  return WAITING.includes(row.state);
}

/** The next row after `key` that waits, in the order of the list and from its beginning again; null if none does. */
export function nextWaiting(rows: Row[], key: string): Row | null {
  const here = rows.findIndex((row) => row.key === key);
  const turned = [...rows.slice(here + 1), ...rows.slice(0, Math.max(0, here))];
  return turned.find((row) => waits(row) && row.key !== key) ?? null;
}

/** The row `step` places from `key`; where `key` is not among them (a filter hid it), the first one. */
export function neighbour(rows: Row[], key: string, step: 1 | -1): Row | null {
  const here = rows.findIndex((row) => row.key === key);
  if (here < 0) return rows[0] ?? null;
  return rows[here + step] ?? null;
}
