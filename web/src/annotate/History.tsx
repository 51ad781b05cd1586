import { Said } from "../shared/Said";
import { Values } from "./Proposals";
import type { Decision, Form } from "./types";

interface Props {
  form: Form;
  history: Decision[];
  onUse: (decision: Decision) => void;
}

/** Who decided what and when, newest first; a refused version can be brought back into the form. */
export function History({ form, history, onUse }: Props) {
  return (
    <details class="history">
      <summary>
        History <span class="soft">({history.length === 0 ? "nobody has decided yet" : entries(history.length)})</span>
      </summary>
      <ol>
        {[...history].reverse().map((decision, index) => (
          <li key={history.length - index} class={decision.action}>
            <p>
              <b>
                <Said text={decision.author} first={80} />
              </b>{" "}
              {action(decision)} <time dateTime={decision.time}>{when(decision.time)}</time>
            </p>
            {decision.note && (
              <p>
                Note: <Said text={decision.note} first={400} />
              </p>
            )}
            <details>
              <summary>What it said</summary>
              <Values form={form} value={decision.value} />
              <button type="button" onClick={() => onUse(decision)}>
                Bring this version into the form
              </button>
            </details>
          </li>
        ))}
      </ol>
    </details>
  );
}

const entries = (count: number): string => (count === 1 ? "1 entry" : `${count} entries`);

function action({ action: done, revision, restores }: Decision): string {
  if (done === "save") return `saved revision ${revision},`;
  if (done === "skip") return "skipped it,";
  if (done === "undo") return restores ? `went back to revision ${restores},` : "took the decision back,";
  return "was too late; the version is kept here,";
}

/** A time of the server (UTC) in the reader's own zone; as it stands if it is none. */
export function when(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time.slice(0, 40) : date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}
