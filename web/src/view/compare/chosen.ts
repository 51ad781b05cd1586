// Which runs are compared, in which order: they stand in the address. Pure.

import type { RunRow } from "../types";

export const MOST = 12;

/** The runs that an address names. The first is what the others are compared with. */
export const chosenOf = (params: URLSearchParams): string[] => params.getAll("run").filter(Boolean);

export const without = (runs: string[], place: number): string[] => runs.filter((_, at) => at !== place);

/** With the run at a place moved by so many places; unchanged if there is none. */
export function moved(runs: string[], place: number, by: number): string[] {
  const to = place + by;
  if (place < 0 || place >= runs.length || to < 0 || to >= runs.length) return runs;
  const rest = without(runs, place);
  return [...rest.slice(0, to), runs[place]!, ...rest.slice(to)];
}

/** The runs that can be added: of the same benchmark (any, where none is chosen), with figures, not yet there. */
export function addable(all: readonly RunRow[], chosen: readonly string[]): RunRow[] {
  if (chosen.length >= MOST) return [];
  const benchmark = all.find((run) => chosen.includes(run.id))?.benchmark;
  return all.filter(
    (run) => run.headline !== null && !chosen.includes(run.id) && (benchmark === undefined || run.benchmark === benchmark),
  );
}
