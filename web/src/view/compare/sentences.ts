// A paired difference in sentences.

import type { Pair } from "../types";
import { counted, pValue } from "../words";

/** Whether the two are told apart, by which test, and what could have been seen. */
export function pairSentence(pair: Pair): string {
  if (pair.difference === null) return "There is no item that both answered.";
  const p = pair.holm ?? pair.p;
  const tested = p === null ? "" : ` (${pair.test || "paired test"}, ${pValue(p)}${pair.holm !== null ? ", corrected for the number of runs" : ""})`;
  const verdict =
    pair.told_apart > 0 ? `It is better than the first${tested}.`
    : pair.told_apart < 0 ? `It is worse than the first${tested}.`
    : `The two are not told apart${tested}.`;
  const failed = pair.failed ? ` ${counted(pair.failed)} items are left out: one of the two has no answer.` : "";
  return `${verdict}${failed}${detectable(pair)} ${counted(pair.gained)} items gained, ${counted(pair.lost)} lost.`;
}

function detectable(pair: Pair): string {
  if (pair.told_apart !== 0) return "";
  if (pair.detectable === null) return " So few items could not have told any difference apart.";
  return ` A true difference of ${(100 * pair.detectable).toFixed(1)} points would have shown in four of five such comparisons.`;
}
