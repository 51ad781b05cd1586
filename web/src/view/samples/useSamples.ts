import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { askerOf } from "../asked";
import { useReady, useSource, useVersion } from "../Shell";
import { DISAGREE } from "../types";
import { type Filters, type Found, type Matched, type Table, changeOf, matching, membersOf, scorerOf } from "./filters";
import { CALM, memoryOf } from "./memory";
import type { RowCache } from "./row_cache";

/** A number that rises when the run has changed, at most once in two seconds. */
export function useTurn(run: string): number {
  const version = useVersion(run);
  const ready = useReady(run);
  const turns = memoryOf(useSource()).turnsOf(run);
  const [, drawAgain] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const now = version && `${version} ${ready}`;
    const wait = turns.due(now, performance.now());
    if (wait === null) return;
    const timer = setTimeout(() => {
      turns.take(now, performance.now(), ready < 1);
      drawAgain(null);
    }, wait);
    return () => clearTimeout(timer);
  }, [version, ready, turns]);
  return turns.count;
}

export interface Samples {
  table: Table | null;
  matched: Matched | null;
  rows: RowCache;
  /** Why there is no list, or not all of it that was asked for. */
  refused: string;
  /** Whether a text or a change is still being looked for. */
  isLooking: boolean;
  /** How many samples only one of two runs has; null if none is held against this one. */
  apart: { here: number; there: number } | null;
}

/** Whether scorers disagree on the sample at a place. */
export function apartIn({ table }: Samples): (place: number) => boolean {
  return (place) => ((table?.flags[place] ?? 0) & DISAGREE) !== 0;
}

/** The samples of a run that the filters let through. */
export function useSamples(run: string, filters: Filters, turn: number): Samples {
  const source = useSource();
  const memory = memoryOf(source);
  const rows = memory.rows(run);
  const [table, setTable] = useState<Table | null>(null);
  const [refused, setRefused] = useState("");
  const [looks, setLooks] = useState(0);

  useEffect(() => {
    const asker = askerOf(
      () => memory.table(run, `${turn} ${looks}`),
      (asked) => {
        if (asked.state === "here") setTable(asked.found);
        setRefused(asked.state === "refused" ? asked.sentence : "");
      },
    );
    asker.ask();
    return asker.stop;
  }, [run, turn, looks]);
  useEffect(() => rows.renew(turn), [rows, turn]);
  const isWhole = table === null || table.ready >= 1;
  useEffect(() => {
    if (isWhole) return;
    const timer = setTimeout(() => setLooks((last) => last + 1), CALM);
    return () => clearTimeout(timer);
  }, [isWhole, table]);

  const scorer = table ? scorerOf(table, filters) : "";
  const text = useLooked(table, filters.text, (asked) =>
    memory.search(run, asked, table!.version).then(({ places }) => membersOf(places, table!.n)),
  );
  const change = useLooked(table, filters.against && JSON.stringify([filters.against, scorer]), () =>
    memory.changes(run, filters.against, scorer, table!.version).then((changes) => ({
      of: changeOf(changes, table!.n),
      here: changes.only_here,
      there: changes.only_there,
    })),
  );
  const found: Found = { text: text.found, change: change.found?.of ?? null };
  const isLooking = text.isLooking || change.isLooking;
  const wanted = JSON.stringify(filters);
  const now = useMemo(
    () => (table && !isLooking ? matching(table, filters, found) : null),
    [table, wanted, found.text, found.change, isLooking],
  );
  const last = useRef<Matched | null>(null); // stays in view while a text is looked for
  if (now) last.current = now;
  return {
    table,
    matched: now ?? last.current,
    rows,
    refused: refused || text.refused || change.refused,
    isLooking,
    apart: change.found && { here: change.found.here, there: change.found.there },
  };
}

interface Looked<T> {
  found: T | null;
  refused: string;
  isLooking: boolean;
}

/** What has to be looked for elsewhere. "" looks for nothing. */
function useLooked<T>(table: Table | null, asked: string, look: (asked: string) => Promise<T>): Looked<T> {
  const [looked, setLooked] = useState<{ asked: string; found: T | null; refused: string }>({ asked: "", found: null, refused: "" });
  useEffect(() => {
    if (!asked || !table) {
      setLooked({ asked: "", found: null, refused: "" });
      return;
    }
    const asker = askerOf(
      () => look(asked),
      (told) =>
        setLooked({ asked, found: told.state === "here" ? told.found : null, refused: told.state === "refused" ? told.sentence : "" }),
    );
    asker.ask();
    return asker.stop;
  }, [asked, table?.version, table?.n]);
  if (!asked) return { found: null, refused: "", isLooking: false };
  return { ...looked, isLooking: looked.asked !== asked };
}
