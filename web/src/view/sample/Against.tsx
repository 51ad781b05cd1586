import { clipped, visible } from "../../shared/visible";
import { useAsked } from "../asked";
import { addressOf } from "../router";
import { memoryOf } from "../samples/memory";
import { VerdictMark } from "../samples/VerdictMark";
import { useSource } from "../Shell";
import type { Answer } from "../types";
import { Response } from "./Response";
import { disagreement, nameOf, wordOf } from "./verdicts";

interface Props {
  /** The run that is looked at. */
  run: string;
  against: string;
  sampleKey: string;
  scorer: string;
  /** The same response there, where it has one. */
  vote: number;
  epoch: number;
}

/** What another run says to the same sample. */
export function Against({ run, against, sampleKey, scorer, vote, epoch }: Props) {
  const source = useSource();
  const asked = useAsked(() => memoryOf(source).sample(against, sampleKey, "against"), [against, sampleKey]);
  const there = (
    <a href={addressOf("sample", { run: against, key: sampleKey, scorer, against: run })}>{visible(clipped(against, 160))}</a>
  );
  if (asked.state === "waiting") return <section class="against soft">Loading the answer of {visible(clipped(against, 160))}…</section>;
  if (asked.state === "refused") {
    return (
      <section class="against">
        <h3>In {visible(clipped(against, 160))}</h3>
        <p class="soft">{visible(clipped(asked.sentence, 400))}</p>
      </section>
    );
  }
  const { answers } = asked.found;
  const answer = answers.find((one) => one.vote === vote && one.epoch === epoch) ?? answers[0];
  return (
    <section class="against" aria-label="The same sample in another run">
      <h3>
        <span class="soft">In</span> {there} {answer && <span class="soft">{nameOf(answer, answers)}</span>}
      </h3>
      {answer ? <Side key={sampleKey} answer={answer} scorer={scorer} /> : <p class="soft">That run has no answer to this sample.</p>}
    </section>
  );
}

/** A response and what scorers say of it, in as little room as two runs leave each other. */
export function Side({ answer, scorer }: { answer: Answer; scorer: string }) {
  const verdict = answer.verdicts.find((one) => one.scorer === scorer);
  const apart = disagreement(answer.verdicts);
  return (
    <>
      <ul class="against-verdicts">
        {answer.verdicts.map((one) => (
          <li key={one.scorer} class={one.scorer === scorer ? "chosen" : undefined}>
            <VerdictMark bucket={one.bucket} isNamed /> {visible(clipped(one.scorer, 60))}: {wordOf(one)}
            {one.read !== null && <span class="soft"> · read “{visible(clipped(one.read, 80))}”</span>}
          </li>
        ))}
      </ul>
      {apart && <p class="help">{visible(clipped(apart, 600))}</p>}
      {answer.failure && <p class="failure">No answer: {visible(clipped(answer.failure, 400))}</p>}
      {answer.text !== null && <Response key={scorer} text={answer.text} span={verdict?.span ?? null} scorer={scorer} />}
    </>
  );
}
