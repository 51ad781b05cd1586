import { useEffect, useState } from "preact/hooks";
import { sentenceOf } from "./source";

export type Asked<T> = { state: "waiting" } | { state: "here"; found: T } | { state: "refused"; sentence: string };

/** What was asked for, asked again whenever one of `because` changes. What was there stays until the new is. */
export function useAsked<T>(question: () => Promise<T>, because: unknown[]): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({ state: "waiting" });
  useEffect(() => {
    let gone = false;
    question().then(
      (found) => !gone && setAsked({ state: "here", found }),
      (error: unknown) => !gone && setAsked({ state: "refused", sentence: sentenceOf(error) }),
    );
    return () => {
      gone = true;
    };
  }, because);
  return asked;
}
