import { Said } from "../shared/Said";
import { shownChord } from "../shared/chords";
import { inWords } from "./boxes";
import { asked, isBlank } from "./filling";
import type { Box, Consensus, Filled, Form, Proposal, Value } from "./types";

interface Props {
  form: Form;
  proposals: Proposal[];
  chord: (place: number) => string;
  onTake: (place: number) => void;
  /** Whether evidence and texts are shown with the labels. */
  explained: boolean;
  explainKey: string;
  onExplain: () => void;
  /** Whose boxes the picture shows while one looks at it; [] for none. */
  onLook: (boxes: Box[]) => void;
}

/** What models propose, without their names; another order at each item. */
export function Proposals({ form, proposals, chord, onTake, explained, explainKey, onExplain, onLook }: Props) {
  if (proposals.length === 0) return null;
  if (proposals.every(({ missing }) => missing)) return <p class="soft">No model gave an answer that can be read.</p>;
  const short = { ...form, fields: form.fields.filter(({ kind }) => kind === "choice" || kind === "text") };
  return (
    <section class="proposals" aria-labelledby="proposals-title">
      <div class="section-head">
        <h2 id="proposals-title">Proposals of models</h2>
        <button type="button" aria-pressed={explained} onClick={onExplain}>
          {explained ? "Hide" : "Show"} explanations <kbd>{explainKey}</kbd>
        </button>
      </div>
      <ol class="cards">
        {proposals.map((proposal, place) => (
          <li
            key={proposal.letter}
            class={proposal.missing ? "card missing" : "card"}
            onPointerEnter={() => onLook(boxesOf(proposal.value))}
            onPointerLeave={() => onLook([])}
            onFocusCapture={() => onLook(boxesOf(proposal.value))}
            onBlurCapture={() => onLook([])}
          >
            <div class="card-head">
              <h3>Proposal {place + 1}</h3>
              {proposal.missing ? (
                <span class="soft">no answer ({proposal.missing.slice(0, 40)})</span>
              ) : (
                <button type="button" aria-label={`Take over proposal ${place + 1}`} onClick={() => onTake(place)}>
                  Take over {chord(place) && <kbd>{shownChord(chord(place))}</kbd>}
                </button>
              )}
            </div>
            {proposal.faults?.length ? (
              <p class="warn">Breaks a rule: {proposal.faults.map((fault) => fault.replaceAll("_", " ")).join(", ")}.</p>
            ) : null}
            {!proposal.missing && <Values form={explained ? form : short} value={proposal.value} />}
          </li>
        ))}
      </ol>
    </section>
  );
}

function boxesOf(value: Value): Box[] {
  return Object.values(value).flatMap((filled) =>
    Array.isArray(filled) ? filled.flatMap((piece) => (piece.box ? [piece.box] : [])) : [],
  );
}

/** A filled-in form to read. */
export function Values({ form, value }: { form: Form; value: Value }) {
  const known = asked(form, value).filter(({ name }) => !isBlank(value[name]));
  if (known.length === 0) return <p class="soft">Nothing is filled in.</p>;
  return (
    <dl class="values">
      {known.map((field) => (
        <div key={field.name} class={field.kind === "choice" || field.kind === "text" ? "short" : "long"}>
          <dt>{field.label}</dt>
          <dd>
            <Shown filled={value[field.name]!} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function Shown({ filled }: { filled: Filled }) {
  if (typeof filled === "string") return <Said text={filled} first={400} />;
  return (
    <ol class="shown-pieces">
      {filled.map((piece, index) => (
        <li key={index}>
          <span class="tag">{piece.kind === "visual" ? "seen" : "read"}</span> <Said text={piece.text} first={300} />
          {piece.box && <span class="soft"> ({inWords(piece.box)})</span>}
        </li>
      ))}
    </ol>
  );
}

const proposalsOf = (places: number[]): string =>
  `${places.length === 1 ? "proposal" : "proposals"} ${places.map((place) => place + 1).join(", ")}`;

/** How the models voted, field by field. */
export function Settled({ consensus }: { consensus: Consensus }) {
  return (
    <section class="settled" aria-labelledby="settled-title">
      <h2 id="settled-title">
        What {consensus.annotators} models say <span class="soft">({consensus.agree} must agree)</span>
      </h2>
      <dl>
        {consensus.fields.map((field) => (
          <div key={field.name} class={field.settled ? "settled-field" : "settled-field unsettled"}>
            <dt>
              {field.label}
              <span class={field.settled ? "badge yes" : "badge no"}>{field.settled ? "✓ settled" : "≠ not settled"}</span>
            </dt>
            <dd>
              {field.votes.length === 0 && <span class="soft">{field.settled ? "not asked" : "nobody says"}</span>}
              {field.votes.map((vote) => (
                <span
                  key={vote.value}
                  class={field.settled && vote.value === field.value ? "vote held" : "vote"}
                  title={proposalsOf(vote.who)}
                >
                  <Said text={vote.value} first={80} /> <b>{vote.who.length}</b>
                  <span class="unseen">
                    {" "}
                    of {consensus.annotators}: {proposalsOf(vote.who)}
                  </span>
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      {consensus.equivalences.length > 0 && (
        <ul class="soft notes">
          {consensus.equivalences.map(([one, other], index) => (
            <li key={index}>
              A judge takes these to mean the same: <Said text={one} first={120} /> and <Said text={other} first={120} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
