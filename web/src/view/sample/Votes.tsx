import { Said } from "../../shared/Said";
import { clipped, visible } from "../../shared/visible";
import { VerdictMark } from "../samples/VerdictMark";
import type { Answer, Majority, SamplePage } from "../types";
import { nameOf, wordOf } from "./verdicts";

interface Props {
  page: SamplePage;
  scorer: string;
  /** Which response is shown below. */
  place: number;
  onPlace: (place: number) => void;
}

/** All responses to a sample: in which order stored answers were shown, what each came to, and what they come to. */
export function Votes({ page, scorer, place, onPlace }: Props) {
  const { answers, majority } = page;
  const hasOrders = answers.some(({ order }) => order.length > 0);
  const scorers = scorersOf(answers);
  return (
    <section class="votes" aria-label="Responses">
      <h2>
        {answers.length} responses{page.more > 0 && <span class="soft"> and {page.more} more, not shown</span>}
      </h2>
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">response</th>
              {hasOrders && <th scope="col">order shown</th>}
              {scorers.map((name) => (
                <th key={name} scope="col" class={name === scorer ? "chosen" : undefined}>
                  {visible(clipped(name, 40))}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {answers.map((answer, at) => (
              <tr key={at} class={at === place ? "chosen" : undefined}>
                <th scope="row">
                  <button type="button" class="scorer" aria-pressed={at === place} onClick={() => onPlace(at)}>
                    {nameOf(answer, answers) || `response ${at + 1}`}
                  </button>
                </th>
                {hasOrders && <td>{answer.order.join(" → ") || "–"}</td>}
                {scorers.map((name) => (
                  <Cell key={name} answer={answer} scorer={name} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {majority.length > 0 && <Majorities majority={majority} />}
    </section>
  );
}

function Cell({ answer, scorer }: { answer: Answer; scorer: string }) {
  const verdict = answer.verdicts.find((one) => one.scorer === scorer);
  if (!verdict) return <td class="soft">{answer.failure ? "failed" : "–"}</td>;
  return (
    <td class="verdict-word">
      <VerdictMark bucket={verdict.bucket} of={scorer} />{" "}
      {verdict.stored !== null ? <span class="soft">for {verdict.stored}</span> : wordOf(verdict)}
    </td>
  );
}

function Majorities({ majority }: { majority: Majority[] }) {
  const most = Math.max(0, ...majority.map(({ votes }) => votes.length));
  return (
    <div class="wide">
      <table>
        <caption>What the votes come to, mapped back to the stored answers</caption>
        <thead>
          <tr>
            <th scope="col">scorer</th>
            {Array.from({ length: most }, (_, at) => (
              <th key={at} scope="col" class="number">
                for {at + 1}
              </th>
            ))}
            <th scope="col" class="number">
              neither
            </th>
            <th scope="col" class="number">
              failed
            </th>
            <th scope="col">decision</th>
          </tr>
        </thead>
        <tbody>
          {majority.map((one) => (
            <tr key={one.scorer}>
              <th scope="row">{visible(clipped(one.scorer, 60))}</th>
              {Array.from({ length: most }, (_, at) => (
                <td key={at} class="number">
                  {one.votes[at] ?? 0}
                </td>
              ))}
              <td class="number">{one.neither}</td>
              <td class="number">{one.failed}</td>
              <td>
                <Said text={one.decision} first={160} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function scorersOf(answers: Answer[]): string[] {
  return [...new Set(answers.flatMap(({ verdicts }) => verdicts.map(({ scorer }) => scorer)))];
}
