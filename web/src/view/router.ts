// Where one is: a page and its parameters, in the part of the address after `#`, so that any static folder can hold them.

import { useEffect, useState } from "preact/hooks";

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

/** Goes to a page. `instead` leaves no step in the history: for filters and for moving through samples. */
export function go(address: string, instead = false): void {
  if (instead) {
    history.replaceState(null, "", address);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else location.hash = address;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  useEffect(() => {
    const moved = () => setRoute(routeOf(location.hash));
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  return route;
}
