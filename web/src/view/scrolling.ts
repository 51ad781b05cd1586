// Where a page was scrolled to: back and forward lead there again, as soon as the page is as long as it was.

import { useEffect, useRef } from "preact/hooks";

const LONGEST = 4_000; // milliseconds that a page may take to come back

/** The number of the step of the history at which one is; null at one that is new. */
function stepHere(): number | null {
  const state: unknown = history.state;
  return state !== null && typeof state === "object" && "step" in state && typeof state.step === "number" ? state.step : null;
}

const tops = new Map<number, number>();
let steps = Date.now(); // other numbers than those before the page was loaded again

/** Keeps for each step of the history how far down one was. A new step begins at the top. */
export function useScrolling(): void {
  const stop = useRef(() => {});
  useEffect(() => {
    history.scrollRestoration = "manual";
    const scrolled = () => {
      const step = stepHere();
      if (step !== null) tops.set(step, scrollY);
    };
    addEventListener("scroll", scrolled, { passive: true });
    return () => removeEventListener("scroll", scrolled);
  }, []);
  useEffect(() => {
    const arrived = () => {
      stop.current();
      const known = stepHere();
      if (known !== null) stop.current = scrolledTo(tops.get(known) ?? 0);
      else {
        history.replaceState({ step: steps++ }, "");
        scrollTo(0, 0);
      }
    };
    arrived();
    addEventListener("hashchange", arrived);
    return () => removeEventListener("hashchange", arrived);
  }, []);
}

/** Scrolls there once the page is long enough, unless one scrolls oneself before. Gives back what ends that. */
function scrolledTo(top: number): () => void {
  const until = performance.now() + LONGEST;
  let frame = 0;
  const own = ["wheel", "touchmove", "keydown", "pointerdown"] as const;
  const end = () => {
    cancelAnimationFrame(frame);
    for (const name of own) removeEventListener(name, end);
  };
  const look = () => {
    const room = document.documentElement.scrollHeight - innerHeight;
    if (room < top && performance.now() < until) {
      frame = requestAnimationFrame(look);
      return;
    }
    scrollTo(0, top);
    end();
  };
  for (const name of own) addEventListener(name, end, { passive: true });
  frame = requestAnimationFrame(look); // what is there still is the page before
  return end;
}
