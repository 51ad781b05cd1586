import { useEffect, useRef, useState } from "preact/hooks";
import { Refused } from "../shared/api";
import { sentenceOf } from "./source";

export type Asked<T> = { state: "waiting" } | { state: "here"; found: T } | { state: "refused"; sentence: string };

/** Milliseconds after which a server that could not be reached is asked again. */
export const AGAIN = 3_000;

export const isUnreached = (error: unknown): boolean => error instanceof Refused && error.status === 0;

/**
 * What was asked for, asked again whenever one of `because` changes, or when the source tells of another `version` than
 * that of the answer. What was there stays until the new is. See `askerOf`.
 */
export function useAsked<T>(question: () => Promise<T>, because: unknown[], version = "", versionOf?: (found: T) => string): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({ state: "waiting" });
  const asker = useRef<Asker | null>(null);
  useEffect(() => {
    const own = askerOf(question, setAsked, versionOf);
    asker.current = own;
    own.tell(version);
    own.ask();
    return own.stop;
  }, because);
  useEffect(() => asker.current?.tell(version), [version]);
  return asked;
}

export interface Asker {
  ask: () => void;
  /** What the source has come to; "" says nothing. */
  tell: (version: string) => void;
  stop: () => void;
}

/**
 * Asks one question: when it is told to, and again where the source is told to have come to another version than the
 * answer's. Never twice at once, and once for each version. Which version an answer is of is what `versionOf` says; without
 * it, that which was known when it was asked for, or else the first that is told of. Where the server cannot be reached it
 * is asked every 3 seconds, so that pages come back as it does.
 */
export function askerOf<T>(question: () => Promise<T>, told: (asked: Asked<T>) => void, versionOf?: (found: T) => string): Asker {
  let isGone = false;
  let isOut = false;
  let version = "";
  let askedFor = "";
  let here: string | null = null; // the version of the answer; "" is not known, null is no answer
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = () => {
    if (isOut) return;
    clearTimeout(timer);
    isOut = true;
    askedFor = version;
    question().then(
      (found) => back({ state: "here", found }, versionOf ? versionOf(found) : askedFor),
      (error: unknown) => {
        if (!isGone && isUnreached(error)) timer = setTimeout(ask, AGAIN);
        back({ state: "refused", sentence: sentenceOf(error) }, null);
      },
    );
  };
  const back = (asked: Asked<T>, of: string | null) => {
    if (isGone) return;
    isOut = false;
    here = of;
    told(asked);
    check();
  };
  const check = () => {
    if (isOut || version === askedFor) return;
    if (here === "") here = version;
    if (here === version) askedFor = version;
    else ask();
  };
  return {
    ask,
    tell(now) {
      version = now || version;
      check();
    },
    stop() {
      isGone = true;
      clearTimeout(timer);
    },
  };
}
