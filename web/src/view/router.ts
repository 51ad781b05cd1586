// Where one is: a page and its parameters, in the part of the address after `#`, so that any static folder can hold them.

import { useEffect, useMemo, useState } from "preact/hooks";

export const PAGES = ["runs", "run", "samples", "sample", "compare", "leaderboard"] as const;
export type PageName = (typeof PAGES)[number];

export interface Route {
  page: PageName;
  params: URLSearchParams;
}

/** What an address means; whatever is no page of ours is the list of runs. */
export function routeOf(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const page = (PAGES as readonly string[]).includes(path) ? (path as PageName) : "runs";
  return { page, params: new URLSearchParams(query) };
}

/** The address of a page. Parameters that are "" or undefined are left out; lists are repeated. */
export function addressOf(page: PageName, params: Record<string, string | string[] | undefined> | URLSearchParams = {}): string {
  const query = new URLSearchParams();
  const entries = params instanceof URLSearchParams ? [...params] : Object.entries(params);
  for (const [name, value] of entries)
    for (const one of Array.isArray(value) ? value : [value]) if (one) query.append(name, one);
  const written = query.toString();
  return `#/${page === "runs" ? "" : page}${written ? `?${written}` : ""}`;
}

const CALM = 150; // milliseconds: browsers refuse more than 100 to 200 changes of the address in 10 seconds

/** Writes an address at once, and of many in a row the last one of every `CALM`: a key that is held down makes 30 a second. */
export class Pen {
  private waiting: string | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly write: (address: string) => void) {}

  put(address: string): void {
    this.waiting = address;
    if (this.timer === undefined) this.settle();
  }

  /** Writes what waits. */
  settle(): void {
    const address = this.drop();
    if (address === null) return;
    this.write(address);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.settle();
    }, CALM);
  }

  /** What waits is not written any more. */
  drop(): string | null {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { waiting } = this;
    this.waiting = null;
    return waiting;
  }
}

const pen = new Pen((address) => history.replaceState(history.state, "", address));
const shown = new Set<(hash: string) => void>();

/** Goes to a page. `instead` leaves no step in the history: for filters and for moving through samples. */
export function go(address: string, instead = false): void {
  if (instead) {
    pen.put(address);
    for (const show of shown) show(address);
  } else {
    pen.settle();
    location.hash = address;
  }
}

/** Where one is; the address follows in a moment. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const moved = () => {
      pen.drop();
      setHash(location.hash);
    };
    const settle = () => pen.settle();
    shown.add(setHash);
    addEventListener("hashchange", moved);
    addEventListener("click", settle, true); // a link leads on from here
    addEventListener("pagehide", settle);
    setHash(location.hash); // it may have changed since the page was drawn, before anybody listened
    return () => {
      shown.delete(setHash);
      removeEventListener("hashchange", moved);
      removeEventListener("click", settle, true);
      removeEventListener("pagehide", settle);
    };
  }, []);
  return useMemo(() => routeOf(hash), [hash]);
}
