import { clipped, visible } from "../../shared/visible";
import { useAsked } from "../asked";
import { addressOf } from "../router";
import { memoryOf } from "../samples/memory";
import { VerdictMark } from "../samples/VerdictMark";
import { useSource } from "../Shell";
import { Response } from "./Response";
import { disagreement, nameOf, wordOf } from "./verdicts";

interface Props {
  against: string;
  sampleKey: string;
  scorer: string;
  /** The same response there, where it has one. */
  vote: number;
  epoch: number;
}

/** What another run says to the same sample. */
export function Against({ against, sampleKey, scorer, vote, epoch }: Props) {
  const source = useSource();
  const asked = useAsked(() => memoryOf(source).sample(against, sampleKey, "against"), [against, sampleKey]);
  const there = (
    <a href={addressOf("sample", { run: against, key: sampleKey, scorer })}>{visible(clipped(against, 160))}</a>
  );
  if (asked.state === "waiting") return <section class="against soft">Loading the answer of {visible(clipped(against, 160))}…</section>;
  if (asked.state === "refused") {
    return (
      <section class="against">
        <h2>In {visible(clipped(against, 160))}</h2>
        <p class="soft">{visible(clipped(asked.sentence, 400))}</p>
      </section>
    );
  }
  const { answers } = asked.found;
  const answer = answers.find((one) => one.vote === vote && one.epoch === epoch) ?? answers[0];
  const verdict = answer?.verdicts.find((one) => one.scorer === scorer);
  return (
    <section class="against" aria-label="The same sample in another run">
      <h2>
        <span class="soft">In</span> {there} {answer && <span class="soft">{nameOf(answer, answers)}</span>}
      </h2>
      {!answer && <p class="soft">That run has no answer to this sample.</p>}
      {answer && (
        <>
          <ul class="against-verdicts">
            {answer.verdicts.map((one) => (
              <li key={one.scorer} class={one.scorer === scorer ? "chosen" : undefined}>
                <VerdictMark bucket={one.bucket} isNamed /> {visible(clipped(one.scorer, 60))}: {wordOf(one)}
                {one.read !== null && <span class="soft"> · read “{visible(clipped(one.read, 80))}”</span>}
              </li>
            ))}
          </ul>
          {disagreement(answer.verdicts) && <p class="help">{visible(disagreement(answer.verdicts))}</p>}
          {answer.failure && <p class="failure">No answer: {visible(clipped(answer.failure, 400))}</p>}
          {answer.text !== null && <Response key={sampleKey} text={answer.text} span={verdict?.span ?? null} scorer={scorer} />}
        </>
      )}
    </section>
  );
}
