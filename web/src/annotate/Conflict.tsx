import { useEffect, useRef } from "preact/hooks";
import { Said } from "../shared/Said";
import { Shown } from "./Proposals";
import { when } from "./History";
import { differing, toSend, type Draft } from "./filling";
import type { Filled, Form, Item } from "./types";

interface Props {
  form: Form;
  /** The item as somebody else left it. */
  theirs: Item;
  mine: Draft;
  onSaveMine: () => void;
  onTakeTheirs: () => void;
  onUse: (field: string, filled: Filled) => void;
}

/** Somebody saved meanwhile: both versions side by side. Nothing is thrown away unless one says so. */
export function Conflict({ form, theirs, mine, onSaveMine, onTakeTheirs, onUse }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [theirs.revision]);
  const sent = toSend(form, mine.value);
  const differ = differing(form, sent, theirs.value);
  const last = theirs.history.filter(({ action }) => action !== "refused").at(-1);
  return (
    <section class="conflict" role="alert" aria-labelledby="conflict-title">
      <h2 id="conflict-title" tabIndex={-1} ref={heading}>
        Somebody saved meanwhile
      </h2>
      <p>
        {last && (
          <>
            <b>
              <Said text={last.author} first={80} />
            </b>{" "}
            changed this item, {when(last.time)}.{" "}
          </>
        )}
        What you wrote is still in the form, and nothing was overwritten. Look at both, then choose.
      </p>
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Saved now</th>
              <th scope="col">Yours, not saved</th>
            </tr>
          </thead>
          <tbody>
            {form.fields.map((field) => {
              const [other, own] = [theirs.value[field.name], sent[field.name]];
              const differs = differ.includes(field.name);
              if (other === undefined && own === undefined) return null;
              return (
                <tr key={field.name} class={differs ? "differs" : ""}>
                  <th scope="row">
                    {field.label} {differs && <span class="badge no">≠ differs</span>}
                  </th>
                  <td>
                    {other === undefined ? <span class="soft">empty</span> : <Shown filled={other} />}
                    {differs && other !== undefined && (
                      <button type="button" class="link" onClick={() => onUse(field.name, other)}>
                        use in mine
                      </button>
                    )}
                  </td>
                  <td>{own === undefined ? <span class="soft">empty</span> : <Shown filled={own} />}</td>
                </tr>
              );
            })}
            {(theirs.note || mine.note) && (
              <tr class={theirs.note === mine.note ? "" : "differs"}>
                <th scope="row">Note</th>
                <td>{theirs.note ? <Said text={theirs.note} first={400} /> : <span class="soft">empty</span>}</td>
                <td>{mine.note ? <Said text={mine.note} first={400} /> : <span class="soft">empty</span>}</td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
      <div class="buttons">
        <button type="button" class="primary" onClick={onSaveMine}>
          Save mine on top
        </button>
        <button type="button" onClick={onTakeTheirs}>
          Drop mine, keep what is saved
        </button>
      </div>
    </section>
  );
}
