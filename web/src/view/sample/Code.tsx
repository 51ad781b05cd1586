import { useState } from "preact/hooks";
import { clipped, visible } from "../../shared/visible";
import { counted } from "../words";
import { linesOf } from "./spans";

const LONGEST_LINE = 2_000;

/** A program as the model wrote it, with numbered lines. */
export function Code({ code, label }: { code: string; label: string }) {
  const [all, setAll] = useState(false);
  const { lines, left } = linesOf(code, all);
  return (
    <>
      <pre class="code" tabIndex={0} role="region" aria-label={label}>
        <code>
          {lines.map((line, index) => (
            <span key={index} class="code-line">
              {`${visible(clipped(line, LONGEST_LINE))}\n`}
            </span>
          ))}
        </code>
      </pre>
      {left > 0 && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          show {counted(left)} more lines
        </button>
      )}
    </>
  );
}
