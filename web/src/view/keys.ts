// The keys of the keyboard that mean something on the page that is open, and the list of them for the help window.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { chordOf, isWriting } from "../shared/chords";

/** Chord → what it does in words, and the doing. */
export type Keys = Record<string, [string, () => void]>;

/** Keys that do something again as long as they are held down: a step further. Others would lead on from the page they led to. */
const REPEATED: ReadonlySet<string> = new Set(["j", "k", "n", "p", "+", "=", "-"]);

const pages = new Set<{ current: Keys }>();
const frame = new Set<{ current: Keys }>();
const inTurn = () => [...[...pages].reverse(), ...frame];

/** What is bound now, as one reads it: pages before the frame around them. */
export function keysInUse(): [string, string][] {
  const found = new Map<string, string>();
  for (const { current } of inTurn())
    for (const [chord, [words]] of Object.entries(current)) if (!found.has(chord)) found.set(chord, words);
  return [...found];
}

/**
 * Binds keys as long as the component is there. What was bound last comes first, the frame's (`isFrame`) come after all
 * of the page's; nothing happens while one writes, or in a window.
 */
export function useKeys(keys: Keys, isFrame = false): void {
  const bound = useRef(keys);
  useLayoutEffect(() => {
    bound.current = keys;
  });
  useEffect(() => {
    const among = isFrame ? frame : pages;
    if (inTurn().length === 0) document.addEventListener("keydown", pressed);
    among.add(bound);
    return () => {
      among.delete(bound);
      if (inTurn().length === 0) document.removeEventListener("keydown", pressed);
    };
  }, []);
}

function pressed(event: KeyboardEvent): void {
  if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
  const chord = chordOf(event);
  if (!chord || (isWriting(event.target) && chord !== "escape")) return;
  if (event.target instanceof HTMLElement && !leavesToPage(event.target, chord)) return;
  for (const { current } of inTurn()) {
    const found = current[chord];
    if (!found) continue;
    event.preventDefault();
    if (!event.repeat || REPEATED.has(chord)) found[1]();
    return;
  }
}

/** Whether a key is ours though something has the focus: buttons and links keep Enter and the space bar, sliders and tabs their arrows. */
export function leavesToPage(target: { tagName: string; getAttribute(name: string): string | null }, chord: string): boolean {
  const role = target.getAttribute("role") ?? "";
  if (["slider", "tab", "listbox", "radio", "grid"].includes(role)) return !chord.startsWith("arrow") && chord !== " ";
  if (["BUTTON", "A", "SUMMARY", "INPUT"].includes(target.tagName)) return chord !== "enter" && chord !== " ";
  return true;
}
