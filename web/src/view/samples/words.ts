// Lists and filters in words.

import { clipped, visible } from "../../shared/visible";
import { counted } from "../words";
import { type Change, type Filters, type Switch, type ToolUse } from "./filters";

export const SWITCH_WORDS: Record<Switch, string> = {
  disagree: "scorers disagree",
  split: "votes or epochs disagree",
  failed: "a response failed",
  budget: "ended by a budget",
  marked: "marked by somebody",
};

export const TOOL_WORDS: Record<ToolUse, string> = {
  used: "used a tool",
  none: "used no tool",
  failed: "a tool call failed",
  stale: "a call showed nothing new",
};

export const CHANGE_WORDS: Record<Change, string> = { gained: "better here", lost: "worse here" };

/** What is left in by the filters: `wrong or unparsed under strict, maze, used a tool`; "" where all is. */
export function filterWords(filters: Filters, scorer: string): string {
  const named = (text: string) => visible(clipped(text, 60));
  return [
    filters.outcomes.length > 0 && `${filters.outcomes.join(" or ")} under ${named(scorer)}`,
    filters.category !== null && named(filters.category),
    filters.difficulty !== null && `difficulty ${named(filters.difficulty)}`,
    filters.tool && TOOL_WORDS[filters.tool],
    ...filters.switches.map((name) => SWITCH_WORDS[name]),
    filters.change && `${CHANGE_WORDS[filters.change]} than in ${named(filters.against)}`,
    filters.text && `with “${named(filters.text)}”`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** `12 of 1,215 samples: wrong under official` */
export function listWords(shown: number, all: number, filters: Filters, scorer: string): string {
  const words = filterWords(filters, scorer);
  const count = words || shown !== all ? `${counted(shown)} of ${counted(all)}` : counted(all);
  return `${count} ${all === 1 ? "sample" : "samples"}${words ? `: ${words}` : ""}`;
}
