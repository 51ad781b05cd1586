// By what runs can be drawn against their scores. Pure.

import type { RunCost } from "../types";

export const COSTS = ["dollars", "tokens", "seconds"] as const;
export type CostBy = (typeof COSTS)[number];

/** What a run cost, null where that is not known: no run takes no time, and of no tokens nothing is known. */
export function costOf(cost: RunCost, by: CostBy): number | null {
  const value = cost[by];
  return value === null || (value === 0 && by !== "dollars") ? null : value;
}

/** What is known of at least two runs; of dollars, where any was paid. */
export function costChoices(costs: readonly RunCost[]): CostBy[] {
  return COSTS.filter((by) => {
    const known = costs.map((cost) => costOf(cost, by)).filter((value) => value !== null);
    return known.length > 1 && known.some((value) => value > 0);
  });
}

export const costByOf = (params: URLSearchParams): CostBy | undefined => COSTS.find((by) => by === params.get("by"));
