import { useState } from "preact/hooks";
import { visible } from "../../shared/visible";
import { counted } from "../words";
import { piecesOf } from "./spans";

const FIRST = 4_000;
const MOST = 200_000;

/** A response as the model wrote it, with the part marked that a scorer read. */
export function Response({ text, span, scorer }: { text: string; span: [number, number] | null; scorer: string }) {
  const [all, setAll] = useState(false);
  const { skipped, before, marked, after, left } = piecesOf(text, span, all ? MOST : FIRST);
  if (!text.trim()) return <p class="soft">(an empty answer)</p>;
  return (
    <div class="response-text">
      <span class="said" dir="auto">
        {skipped > 0 && <span class="soft">… {counted(skipped)} characters before …{"\n"}</span>}
        {visible(before)}
        {marked && <mark title={`what ${scorer} read`}>{visible(marked)}</mark>}
        {visible(after)}
        {left > 0 && <span class="soft">{"\n"}… {counted(left)} characters more</span>}
      </span>
      {text.length > FIRST && (
        <button type="button" class="link" onClick={() => setAll(!all)}>
          {all ? "show less" : `show all ${counted(text.length)} characters`}
        </button>
      )}
    </div>
  );
}
