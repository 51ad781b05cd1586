import { useEffect, useRef, useState } from "preact/hooks";
import { Said } from "../../shared/Said";
import { clipped, visible } from "../../shared/visible";
import { useSource } from "../Shell";
import { sentenceOf } from "../source";
import type { Answer, MarkRow } from "../types";
import { moment } from "../words";
import { nameOf } from "./verdicts";

const LONGEST = 2_000;
/** In the place of a scorer: with a word, what went wrong. */
const LABEL = "label:";
const WORDS = ["perception", "tool_use", "reasoning"];

interface FormProps {
  run: string;
  sampleKey: string;
  answer: Answer;
  scorers: string[];
  /** The scorer that the form begins with. */
  scorer: string;
  onMarked: (marks: MarkRow[]) => void;
  onClose: () => void;
}

/** A note that a scorer is wrong about a response. */
export function MarkForm({ run, sampleKey, answer, scorers, scorer, onMarked, onClose }: FormProps) {
  const source = useSource();
  const field = useRef<HTMLTextAreaElement>(null);
  const [chosen, setChosen] = useState(scorer);
  const [word, setWord] = useState("");
  const [note, setNote] = useState("");
  const [sentence, setSentence] = useState("");
  const [isBusy, setBusy] = useState(false);
  useEffect(() => setChosen(scorer), [scorer]);
  useEffect(() => field.current?.focus(), [scorer]);
  const send = () => {
    if (isBusy) return;
    setBusy(true);
    const about = chosen === LABEL ? LABEL + word.trim() : chosen;
    source.mark(run, sampleKey, { vote: answer.vote, epoch: answer.epoch, scorer: about, note: note.trim() }).then(
      (marks) => {
        onMarked(marks);
        onClose();
      },
      (error: unknown) => {
        setSentence(sentenceOf(error));
        setBusy(false);
      },
    );
  };
  return (
    <form
      class="mark-form"
      aria-label="What is wrong here"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
        else if (event.key === "Escape") onClose();
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <label>
        What is wrong here
        <select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
          {scorers.map((name) => (
            <option key={name} value={name}>
              the scorer {visible(clipped(name, 60))}
            </option>
          ))}
          <option value={LABEL}>the answer: say in a word what went wrong</option>
        </select>
      </label>
      {chosen === LABEL && (
        <label>
          What went wrong, in a word
          <input list="label-words" required maxLength={40} pattern="[\p{L}\p{N}_\-]+" value={word} onInput={(event) => setWord(event.currentTarget.value)} />
          <datalist id="label-words">
            {WORDS.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        </label>
      )}
      <label>
        Why (kept in the run)
        <textarea ref={field} rows={2} maxLength={LONGEST} value={note} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
      {sentence && (
        <p class="warn" role="alert">
          <Said text={sentence} first={400} />
        </p>
      )}
      <p class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          Keep the mark
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </p>
    </form>
  );
}

interface ListProps {
  run: string;
  sampleKey: string;
  marks: MarkRow[];
  answers: Answer[];
  mayMark: boolean;
  onMarked: (marks: MarkRow[]) => void;
}

/** What people noted on a sample, each with a button that takes it back. */
export function MarkList({ run, sampleKey, marks, answers, mayMark, onMarked }: ListProps) {
  const source = useSource();
  const [sentence, setSentence] = useState("");
  if (marks.length === 0) return null;
  const takeBack = (number: number) => {
    setSentence("");
    source.unmark(run, sampleKey, number).then(onMarked, (error: unknown) => setSentence(sentenceOf(error)));
  };
  return (
    <section class="marks" aria-label="Marks">
      <h3>Marks</h3>
      <ul>
        {marks.map((mark) => (
          <li key={mark.number}>
            <b>{mark.label ? `what went wrong: ${visible(clipped(mark.label, 60))}` : `${visible(clipped(mark.scorer, 60))} is wrong here`}</b>{" "}
            <span class="soft">
              {[nameOf(mark, answers), moment(mark.created)].filter(Boolean).map((words) => visible(words)).join(" · ")}
            </span>
            {mark.note && (
              <p>
                <Said text={mark.note} first={600} />
              </p>
            )}
            {mayMark && (
              <button type="button" class="link" onClick={() => takeBack(mark.number)}>
                take it back
              </button>
            )}
          </li>
        ))}
      </ul>
      {sentence && (
        <p class="warn" role="alert">
          <Said text={sentence} first={400} />
        </p>
      )}
    </section>
  );
}
