// What a run leads with. Pure.

import type { Figure, RunPage } from "../types";

export interface Lead {
  headline: Figure | null;
  /** The same metric under `lenient`; under `strict` where `lenient` leads. */
  beside: Figure | null;
}

/** The headline of a run's page. While the run goes on it is another metric than that of the list of runs. */
export function headlineOf(page: RunPage): Lead {
  const figures = page.metrics.find((one) => one.name === page.metric)?.figures ?? {};
  const under = (scorer: string): Figure | null => {
    const figure = figures[scorer];
    return figure ? { scorer, metric: page.metric, figure } : null;
  };
  return { headline: under(page.scorer), beside: under(page.scorer === "lenient" ? "strict" : "lenient") };
}

/** Why figures are not the last word. */
export function provisionalWords(page: RunPage): string {
  if (!page.provisional) return "";
  if (page.row.status === "running") return "The run goes on: these are provisional figures, plain means of what is there so far.";
  return "The run is large and was not finished: these are provisional figures, plain means of what is there.";
}
