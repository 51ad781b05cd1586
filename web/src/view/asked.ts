import { useEffect, useRef, useState } from "preact/hooks";
import { Refused } from "../shared/api";
import { sentenceOf } from "./source";

export type Asked<T> = { state: "waiting" } | { state: "here"; found: T } | { state: "refused"; sentence: string };

const AGAIN = 3_000;

/**
 * What was asked for, asked again whenever one of `because` changes. What was there stays until the new is. A new
 * `version` asks again as soon as the question that is out has come back: never the same one twice at once. Where the
 * server cannot be reached it is asked every 3 seconds, so that pages come back as it does.
 */
export function useAsked<T>(question: () => Promise<T>, because: unknown[], version = ""): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({ state: "waiting" });
  const asker = useRef<ReturnType<typeof askerOf<T>> | null>(null);
  const seen = useRef(version);
  useEffect(() => {
    seen.current = version;
    const own = askerOf(question, setAsked);
    asker.current = own;
    own.ask();
    return own.stop;
  }, because);
  useEffect(() => {
    if (seen.current === version) return;
    seen.current = version;
    asker.current?.ask();
  }, [version]);
  return asked;
}

/** Asks one question, as often as it is told to, one after the other. */
export function askerOf<T>(question: () => Promise<T>, told: (asked: Asked<T>) => void): { ask: () => void; stop: () => void } {
  let isGone = false;
  let isOut = false;
  let isAgain = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const back = (asked: Asked<T>) => {
    if (isGone) return;
    isOut = false;
    told(asked);
    if (isAgain) ask();
  };
  const ask = () => {
    isAgain = isOut;
    if (isOut) return;
    isOut = true;
    clearTimeout(timer);
    question().then(
      (found) => back({ state: "here", found }),
      (error: unknown) => {
        if (!isGone && error instanceof Refused && error.status === 0) timer = setTimeout(ask, AGAIN);
        back({ state: "refused", sentence: sentenceOf(error) });
      },
    );
  };
  const stop = () => {
    isGone = true;
    clearTimeout(timer);
  };
  return { ask, stop };
}
