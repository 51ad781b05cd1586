import { Dialog } from "../shared/Dialog";
import { shownChord } from "../shared/chords";
import type { Keymap } from "./keymap";
import type { Form } from "./types";

/** All keys, those of this form included. */
export function Help({ form, keys, onClose }: { form: Form; keys: Keymap; onClose: () => void }) {
  const choices = form.fields.filter((field) => field.keys?.length);
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div class="help-columns">
        <table>
          <caption>Commands</caption>
          <tbody>
            <Line chord={keys.take(0)} until={keys.take(4)} meaning="take over a proposal" />
            <Line chord="ctrl+enter" meaning="save, also while you write" />
            <Line chord="escape" meaning="leave a field: keys are commands again" />
            {keys.commands.map(({ chord, meaning }) => (
              <Line key={meaning} chord={chord} meaning={meaning} />
            ))}
          </tbody>
        </table>
        <div>
          {choices.map((field) => (
            <table key={field.name}>
              <caption>{field.label}</caption>
              <tbody>
                {(field.options ?? []).map((option, place) => (
                  <Line key={option} chord={field.keys![place] ?? ""} meaning={option} />
                ))}
              </tbody>
            </table>
          ))}
          <table>
            <caption>A box that has the focus</caption>
            <tbody>
              <tr>
                <th scope="row">
                  <kbd>← ↑ ↓ →</kbd>
                </th>
                <td>move it (held: faster)</td>
              </tr>
              <tr>
                <th scope="row">
                  <kbd>⇧ ← ↑ ↓ →</kbd>
                </th>
                <td>pull its lower right corner</td>
              </tr>
              <tr>
                <th scope="row">
                  <kbd>Del</kbd>
                </th>
                <td>remove it</td>
              </tr>
              <tr>
                <th scope="row">
                  <kbd>↵</kbd>
                </th>
                <td>go on to its text</td>
              </tr>
            </tbody>
          </table>
        </div>
      </div>
    </Dialog>
  );
}

function Line({ chord, until, meaning }: { chord: string; until?: string; meaning: string }) {
  return (
    <tr>
      <th scope="row">
        <kbd>{shownChord(chord)}</kbd>
        {until && (
          <>
            {" – "}
            <kbd>{shownChord(until)}</kbd>
          </>
        )}
      </th>
      <td>{meaning}</td>
    </tr>
  );
}
