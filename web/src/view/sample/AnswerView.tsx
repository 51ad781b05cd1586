import type { ComponentChildren } from "preact";
import { Said } from "../../shared/Said";
import { clipped, visible } from "../../shared/visible";
import type { Answer, MarkRow, SamplePage } from "../types";
import { counted } from "../words";
import { Side } from "./Against";
import { MarkForm } from "./Marks";
import { Response } from "./Response";
import { MetaphorView } from "./Stages";
import { TalkView } from "./Talk";
import { TripletGraph } from "./Graph";
import { disagreement, nameOf } from "./verdicts";
import { Verdicts } from "./Verdicts";

interface Props {
  page: SamplePage;
  answer: Answer;
  /** The scorer whose reading is marked. */
  scorer: string;
  onScorer: (scorer: string) => void;
  lit: string;
  onLight: (id: string) => void;
  mayMark: boolean;
  /** The scorer that a note is being written on; "" for none. */
  marking: string;
  onMarking: (scorer: string) => void;
  onMarked: (marks: MarkRow[]) => void;
  /** What another run says to the same; null where none is held against this one. */
  beside: ComponentChildren;
}

/** One response with all that is known of it: what it says, what each scorer says of that, how it came about. */
export function AnswerView(props: Props) {
  const { page, answer, scorer, marking } = props;
  const verdict = answer.verdicts.find((one) => one.scorer === scorer);
  const apart = disagreement(answer.verdicts);
  const name = nameOf(answer, page.answers);
  const triplets = answer.triplets.length > 0 ? answer.triplets : page.gold_triplets;
  const response = answer.text !== null && (
    <>
      <Response key={scorer} text={answer.text} span={verdict?.span ?? null} scorer={scorer} />
      {verdict && <p class="help">{readWords(scorer, verdict.read, verdict.span !== null)}</p>}
    </>
  );
  return (
    <article class="answer" aria-label={name || "response"}>
      <h2>
        Response {name && <span class="soft">{name}</span>}
        {answer.order.length > 0 && <span class="soft"> · stored answers shown as {answer.order.join(", ")}</span>}
      </h2>
      {apart && (
        <p class="apart-note">
          <span aria-hidden="true">≠ </span>
          {visible(clipped(apart, 600))}
        </p>
      )}
      {!props.beside &&
        (answer.failure ? (
          <p class="failure">
            <b>No answer: </b>
            <Said text={answer.failure} first={800} />
          </p>
        ) : (
          answer.text === null && <p class="soft">The response has no text.</p>
        ))}
      {answer.reasoning && (
        <details class="reasoning">
          <summary>Reasoning ({counted(answer.reasoning.length)} characters)</summary>
          <Said text={answer.reasoning} first={8_000} />
        </details>
      )}
      {props.beside && (
        <div class="two-runs">
          <section aria-label="In this run">
            <h3>In this run</h3>
            <Side answer={answer} scorer={scorer} />
          </section>
          {props.beside}
        </div>
      )}
      {!props.beside && !answer.metaphor && response}
      {!props.beside && answer.metaphor && response && (
        <details>
          <summary>The answer as it was written</summary>
          {response}
        </details>
      )}
      <Verdicts verdicts={answer.verdicts} chosen={scorer} onChoose={props.onScorer} />
      {props.mayMark && verdict && !marking && (
        <p class="mark-it">
          <button type="button" onClick={() => props.onMarking(scorer)}>
            {visible(clipped(scorer, 60))} is wrong here <kbd>M</kbd>
          </button>
        </p>
      )}
      {marking && props.mayMark && (
        <MarkForm
          key={`${answer.vote} ${answer.epoch}`}
          run={page.run}
          sampleKey={page.key}
          answer={answer}
          scorers={page.scorers}
          scorer={marking}
          onMarked={props.onMarked}
          onClose={() => props.onMarking("")}
        />
      )}
      {answer.read_by && (
        <p class="help">
          Read by a model: <Said text={answer.read_by} first={300} />
        </p>
      )}
      {answer.theirs && (
        <p class="help">
          The tool that it comes from says: <Said text={answer.theirs} first={600} />
        </p>
      )}
      {answer.talk && <TalkView run={page.run} talk={answer.talk} />}
      {(answer.metaphor || page.gold_stages) && (
        <MetaphorView metaphor={answer.metaphor} gold={page.gold_stages} lit={props.lit} onLight={props.onLight} />
      )}
      {triplets.length > 0 && <TripletGraph triplets={triplets} />}
      <Facts answer={answer} />
    </article>
  );
}

function readWords(scorer: string, read: string | null, hasSpan: boolean): string {
  const named = visible(clipped(scorer, 60));
  if (read === null) return `${named} read no answer in it.`;
  return hasSpan ? `Marked is what ${named} read.` : `${named} read “${visible(clipped(read, 120))}”; it does not say where.`;
}

/** How the response was asked for and what it took. */
function Facts({ answer }: { answer: Answer }) {
  return (
    <>
      {answer.facts.length > 0 && (
        <dl class="fact-list">
          {answer.facts.map(({ name, words }) => (
            <div key={name}>
              <dt>{visible(clipped(name, 60))}</dt>
              <dd>
                <Said text={words} first={300} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {answer.prompt.length > 0 && (
        <details class="prompt">
          <summary>{answer.made_again ? "The prompt, made again: the run keeps no requests" : "The prompt as it was sent"}</summary>
          {answer.prompt.map(({ role, text }, index) => (
            <div key={index} class="message">
              <h4>{visible(clipped(role, 40))}</h4>
              <Said text={text} first={6_000} />
            </div>
          ))}
        </details>
      )}
    </>
  );
}
