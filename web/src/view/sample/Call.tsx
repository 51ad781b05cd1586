import { useState } from "preact/hooks";
import { Dialog } from "../../shared/Dialog";
import { Said } from "../../shared/Said";
import { clipped, visible } from "../../shared/visible";
import { useSource } from "../Shell";
import type { Call, Shown } from "../types";
import { BeforeAfter } from "./BeforeAfter";
import { Code } from "./Code";
import { Pictures, notKept } from "./Pictures";

/** One call of a tool: what was asked of it, what came back, what it changed in the picture. */
export function CallCard({ run, call }: { run: string; call: Call }) {
  return (
    <div class={call.ok ? "call" : "call bad"}>
      <p class="call-head">
        <b>
          {call.number}. {visible(clipped(call.tool, 80)) || "(a call that cannot be read)"}
        </b>
        <span class={call.ok ? "outcome" : "outcome warn"}>
          {outcomeWords(call)}
        </span>
        {call.seconds >= 0.005 && <span class="soft">{call.seconds.toFixed(2)} s</span>}
        {call.flags.map((flag) => (
          <span key={flag} class="tag">
            {visible(clipped(flag, 80))}
          </span>
        ))}
      </p>
      {call.arguments && (
        <div class="arguments">
          <Said text={call.arguments} first={600} />
        </div>
      )}
      {call.code !== null && <Code code={call.code} label={`code of call ${call.number}`} />}
      {call.text && (
        <div class="output">
          <Said text={call.text} first={1_200} />
        </div>
      )}
      {call.more > 0 && <p class="help">{call.more} more pictures of this call are not shown.</p>}
      {call.pictures.length > 0 && <Made run={run} number={call.number} before={call.before} made={call.pictures} />}
    </div>
  );
}

/** A sign and words: `✓ ran`, `! error in the code`. */
function outcomeWords({ ok, outcome }: Call): string {
  const words = visible(clipped(outcome, 200)).replace(/^[✓✗!] ?/, "");
  return `${ok ? "✓" : "!"} ${words || (ok ? "ran" : "failed")}`;
}

/** The pictures that a call made; one at a time beside the one before. */
function Made({ run, number, before, made }: { run: string; number: number; before: Shown | null; made: Shown[] }) {
  const [place, setPlace] = useState(0);
  const [isLarge, setLarge] = useState(false);
  const shown = made[place] ?? made[0]!;
  return (
    <div class="made">
      {made.length > 1 && (
        <div class="ways" role="group" aria-label={`Pictures of call ${number}`}>
          {made.map((_, at) => (
            <button key={at} type="button" aria-pressed={at === place} onClick={() => setPlace(at)}>
              {at + 1}
            </button>
          ))}
        </div>
      )}
      {before ? <BeforeAfter key={place} run={run} before={before} after={shown} /> : <Small run={run} shown={shown} />}
      <button type="button" class="link" onClick={() => setLarge(true)}>
        look at {before || made.length > 1 ? "the pictures" : "the picture"} closely
      </button>
      {isLarge && (
        <Dialog title={`Pictures of call ${number}`} onClose={() => setLarge(false)}>
          <InDialog run={run} pictures={before ? [before, ...made] : made} first={before ? place + 1 : place} of={`call ${number}`} />
        </Dialog>
      )}
    </div>
  );
}

function InDialog({ run, pictures, first, of }: { run: string; pictures: Shown[]; first: number; of: string }) {
  const [place, setPlace] = useState(first);
  return <Pictures run={run} pictures={pictures} place={place} onPlace={setPlace} of={of} />;
}

function Small({ run, shown }: { run: string; shown: Shown }) {
  const source = useSource();
  if (!shown.sha256) return <p class="not-kept">{notKept(shown)}</p>;
  return (
    <figure class="small">
      <img
        src={source.picture(run, shown.sha256, false)}
        alt={visible(clipped(shown.name, 80)) || "a new picture"}
        width={shown.width || undefined}
        height={shown.height || undefined}
        loading="lazy"
      />
      <figcaption class="help">
        {visible(clipped(shown.name, 80))}
        {shown.width > 0 && `, ${shown.width} × ${shown.height}`}
      </figcaption>
    </figure>
  );
}
