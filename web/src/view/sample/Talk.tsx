import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { Said } from "../../shared/Said";
import { clipped, visible } from "../../shared/visible";
import type { Talk, Turn } from "../types";
import { CallCard } from "./Call";

const FIRST = 6;
const LAST = 3;

/** A conversation with tools, turn by turn; the middle of a long one is folded. */
export function TalkView({ run, talk }: { run: string; talk: Talk }) {
  const [all, setAll] = useState(false);
  const isLong = talk.turns.length > FIRST + LAST + 1;
  const [first, last] = isLong && !all ? [talk.turns.slice(0, FIRST), talk.turns.slice(-LAST)] : [talk.turns, []];
  return (
    <section class="talk" aria-label="Conversation with tools">
      <h3>Conversation</h3>
      <p class="talk-summary">
        <Said text={talk.summary} first={400} />
        {talk.answers && (
          <span>
            {" "}
            · answers <b class="said">{visible(clipped(talk.answers, 400))}</b>
          </span>
        )}
      </p>
      <ol class="turns">
        <Turns run={run} turns={first} />
        {last.length > 0 && (
          <li class="folded">
            <button type="button" onClick={() => setAll(true)}>
              Show {talk.turns.length - FIRST - LAST} turns between
            </button>
          </li>
        )}
        <Turns run={run} turns={last} />
      </ol>
      <p class={talk.badly ? "ending warn" : "ending"}>
        {talk.badly && <span aria-hidden="true">! </span>}
        {[talk.ending, talk.cost].filter(Boolean).map((words) => visible(clipped(words, 300))).join("; ")}
      </p>
      {talk.cause && (
        <p>
          <Said text={talk.cause} first={600} />
        </p>
      )}
      {talk.flags.length > 0 && (
        <p class="tags">
          {talk.flags.map((flag) => (
            <span key={flag} class="tag">
              {visible(clipped(flag, 80))}
            </span>
          ))}
        </p>
      )}
      {talk.abandoned.length > 0 && (
        <details>
          <summary>
            {talk.abandoned.length === 1 ? "One attempt" : `${talk.abandoned.length} attempts`} before this came to nothing
          </summary>
          <ul>
            {talk.abandoned.slice(0, 50).map((words, index) => (
              <li key={index}>
                <Said text={words} first={400} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

/** Turns one after the other; where the server has left some out, it is said. */
function Turns({ run, turns }: { run: string; turns: Turn[] }) {
  return (
    <>
      {turns.map((turn, place) => {
        const before = turns[place - 1];
        const missing = before ? turn.number - before.number - 1 : 0;
        return (
          <Fragment key={turn.number}>
            {missing > 0 && <li class="folded help">{missing} turns are too many to be shown.</li>}
            <TurnView run={run} turn={turn} />
          </Fragment>
        );
      })}
    </>
  );
}

const MOST_CALLS = 12; // of a turn, until one asks for the others

function TurnView({ run, turn }: { run: string; turn: Turn }) {
  const [all, setAll] = useState(false);
  const calls = all ? turn.calls : turn.calls.slice(0, MOST_CALLS);
  return (
    <li class="turn">
      <p class="turn-head">
        <b>Turn {turn.number}</b> <span class="soft">{visible(clipped(turn.facts, 300))}</span>
      </p>
      {turn.reasoning && (
        <details>
          <summary>reasoning</summary>
          <Said text={turn.reasoning} />
        </details>
      )}
      {turn.said && (
        <div class="turn-said">
          <Said text={turn.said} first={1_500} />
        </div>
      )}
      {turn.stated && (
        <p class="stated">
          states the answer <b class="said">{visible(clipped(turn.stated, 120))}</b>
        </p>
      )}
      {calls.map((call) => (
        <CallCard key={call.number} run={run} call={call} />
      ))}
      {turn.more > 0 && <p class="help">{turn.more} more calls of this turn are not shown.</p>}
      {turn.is_answer && <p class="stated">the response, above</p>}
      {calls.length < turn.calls.length && (
        <button type="button" onClick={() => setAll(true)}>
          Show {turn.calls.length - calls.length} more calls
        </button>
      )}
      {turn.probe && (
        <div class="probe">
          <p class="stated">
            asked for its answer so far
            {turn.probed && (
              <>
                , it gave <b class="said">{visible(clipped(turn.probed, 120))}</b>
              </>
            )}
          </p>
          <Said text={turn.probe} first={400} />
        </div>
      )}
    </li>
  );
}
