// What the scorers say of a response, in sentences.

import type { Answer, Verdict } from "../types";

/** Whether scorers that judge the same thing come to different values. */
export function disagree(verdicts: Verdict[]): boolean {
  return new Set(comparable(verdicts).map(({ value }) => value)).size > 1;
}

const comparable = (verdicts: Verdict[]) => verdicts.filter(({ apart, bucket }) => !apart && bucket !== "n/a");

/** Who says what, where they do not agree: `official and recipe say right; strict says wrong.`; "" where they agree. */
export function disagreement(verdicts: Verdict[]): string {
  if (!disagree(verdicts)) return "";
  const groups = new Map<string, string[]>();
  for (const verdict of comparable(verdicts)) {
    const words = wordOf(verdict);
    groups.set(words, [...(groups.get(words) ?? []), verdict.scorer]);
  }
  const sentences = [...groups].map(([words, names]) => `${listed(names)} ${names.length === 1 ? "says" : "say"} ${words}`);
  return `Scorers disagree: ${sentences.join("; ")}.`;
}

/** A verdict in a word or two: partial credit with its value. */
export function wordOf({ bucket, value }: Pick<Verdict, "bucket" | "value">): string {
  return bucket === "partly right" && value !== null ? `partly right (${figure(value)})` : bucket;
}

/** A value with at most three significant decimals, a dash where there is none. */
export function figure(value: number | null): string {
  return value === null ? "–" : String(Number(value.toFixed(3)));
}

export function listed(names: string[]): string {
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

/** Which response is meant by its vote and epoch; the first one if none is. */
export function answerOf(answers: Answer[], vote: string | null, epoch: string | null): number {
  const found = answers.findIndex((one) => String(one.vote) === (vote ?? "0") && String(one.epoch) === (epoch ?? "0"));
  return Math.max(0, found);
}

/** `vote 2`, `epoch 1`, or both, counted from 1; "" where the item has one response only. */
export function nameOf(answer: Pick<Answer, "vote" | "epoch">, answers: Pick<Answer, "vote" | "epoch">[]): string {
  const several = (of: "vote" | "epoch") => answers.some((one) => one[of] !== answers[0]?.[of]);
  const parts = [several("epoch") && `epoch ${answer.epoch + 1}`, several("vote") && `vote ${answer.vote + 1}`];
  return parts.filter(Boolean).join(", ");
}
