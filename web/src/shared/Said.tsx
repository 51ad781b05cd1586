import { useState } from "preact/hooks";
import { clipped, visible } from "./visible";

const FIRST = 2_000;
const MOST = 200_000;

/** Text that somebody else wrote: as text, in its own direction, and not longer than one can look at. */
export function Said({ text, first = FIRST }: { text: string; first?: number }) {
  const [all, setAll] = useState(false);
  const long = text.length > first;
  return (
    <span class="said" dir="auto">
      {visible(clipped(text, all ? MOST : first))}
      {long && (
        <button type="button" class="link" onClick={() => setAll(!all)}>
          {all ? "show less" : `show all ${text.length.toLocaleString("en")} characters`}
        </button>
      )}
    </span>
  );
}
