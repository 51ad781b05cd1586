import { Dialog } from "../shared/Dialog";
import { shownChord } from "../shared/chords";

/** The keys that mean something on this page. */
export function Help({ keys, onClose }: { keys: [string, string][]; onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <table class="keys">
        <tbody>
          {keys.map(([chord, words]) => (
            <tr key={chord}>
              <th scope="row">
                <kbd>{shownChord(chord)}</kbd>
              </th>
              <td>{words}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="soft">Keys are commands as long as you do not write into a field. The address holds what you see: it can be sent on.</p>
    </Dialog>
  );
}
