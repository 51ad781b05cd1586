import { Said } from "../../shared/Said";
import { clipped, visible } from "../../shared/visible";
import { VerdictMark } from "../samples/VerdictMark";
import type { Verdict } from "../types";
import { figure, wordOf } from "./verdicts";

interface Props {
  verdicts: Verdict[];
  /** The scorer whose reading is marked in the response. */
  chosen: string;
  onChoose: (scorer: string) => void;
}

/** What each scorer says of a response, and why. */
export function Verdicts({ verdicts, chosen, onChoose }: Props) {
  if (verdicts.length === 0) return <p class="soft">There are no scores yet.</p>;
  return (
    <div class="wide">
      <table class="verdicts">
        <thead>
          <tr>
            <th scope="col">scorer</th>
            <th scope="col">verdict</th>
            <th scope="col">value</th>
            <th scope="col">read</th>
            <th scope="col">why</th>
          </tr>
        </thead>
        <tbody>
          {verdicts.map((verdict) => (
            <tr key={verdict.scorer} class={verdict.scorer === chosen ? "chosen" : undefined}>
              <th scope="row">
                <button
                  type="button"
                  class="scorer"
                  aria-pressed={verdict.scorer === chosen}
                  title="Mark in the response what this scorer read"
                  onClick={() => onChoose(verdict.scorer)}
                >
                  {visible(clipped(verdict.scorer, 60))}
                </button>
                {verdict.apart && <span class="soft apart">judges something else</span>}
              </th>
              <td class="verdict-word">
                <VerdictMark bucket={verdict.bucket} isNamed /> {wordOf(verdict)}
              </td>
              <td class="number">{figure(verdict.value)}</td>
              <td class="read">
                {verdict.read === null ? <span class="soft">–</span> : <Said text={verdict.read || "(nothing)"} first={160} />}
                {verdict.stored !== null && <span class="soft"> = stored answer {verdict.stored}</span>}
              </td>
              <td class="why">
                {verdict.flags.map((flag) => (
                  <span key={flag} class="tag">
                    {visible(clipped(flag, 80))}
                  </span>
                ))}
                {verdict.reason && <Said text={verdict.reason} first={280} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
