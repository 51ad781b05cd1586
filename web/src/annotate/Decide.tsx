import { useEffect, useMemo } from "preact/hooks";
import { shownChord } from "../shared/chords";
import { visible } from "../shared/visible";
import type { Desk } from "./desk";
import { byField } from "./filling";
import { FormView, Growing, fieldId, pieceId } from "./FormView";
import type { Command } from "./keymap";
import type { Project } from "./types";

interface Props {
  desk: Desk;
  project: Project;
  commands: { [name in Command]: () => void };
  chord: { [name in Command]: string };
  hints: boolean;
  onHints: () => void;
}

/** What the person decides: the form, a note, and the buttons. */
export function Decide({ desk, project, commands, chord, hints, onHints }: Props) {
  const { draft, faults, selected, theirs, busy } = desk.sight;
  const wrong = useMemo(() => byField(project.form, faults), [faults]);
  useEffect(() => {
    const first = project.form.fields.find(({ name }) => wrong.fields.has(name));
    const place = first && document.getElementById(fieldId(first.name));
    if (place) (place.matches("input, textarea") ? place : (place.querySelector<HTMLElement>("input, button") ?? place)).focus();
  }, [wrong]);
  if (!draft) return null;
  return (
    <section class={hints ? "decide" : "decide without-hints"} aria-labelledby="decide-title">
      <div class="section-head">
        <h2 id="decide-title">Your decision</h2>
        <span>
          {desk.changed && !theirs && (
            <button type="button" class="link" onClick={() => desk.dropDraft()}>
              drop changes
            </button>
          )}
          <button type="button" class="link" onClick={onHints}>
            {hints ? "hide hints" : "show hints"}
          </button>
        </span>
      </div>
      {faults.length > 0 && (
        <div class="faults" role="alert">
          <p>Not saved yet:</p>
          <ul>
            {faults.map((fault) => (
              <li key={fault}>{visible(fault)}</li>
            ))}
          </ul>
        </div>
      )}
      <FormView
        form={project.form}
        limits={project.limits}
        value={draft.value}
        faults={wrong.fields}
        selected={selected}
        onSet={(field, filled) => desk.set(field, filled)}
        onSelect={(id) => desk.look({ selected: id })}
        onBox={(field, index) => desk.editBox(pieceId(field, index))}
      />
      <div class="field">
        <label for="note">
          Note <kbd>{shownChord(chord.note)}</kbd>
        </label>
        <Growing
          id="note"
          rows={1}
          dir="auto"
          maxLength={project.limits.note}
          value={draft.note}
          onInput={(event) => desk.setNote(event.currentTarget.value)}
        />
      </div>
      <div class="actions">
        {theirs ? (
          <span class="soft">Somebody saved meanwhile: choose a version above.</span>
        ) : (
          <>
            <button type="button" class="primary" disabled={busy} onClick={commands.save}>
              Save and next <kbd>{shownChord(chord.save)}</kbd>
            </button>
            <button type="button" disabled={busy} onClick={commands.skip}>
              Skip <kbd>{shownChord(chord.skip)}</kbd>
            </button>
            <button type="button" disabled={busy} onClick={commands.undo}>
              Undo <kbd>{shownChord(chord.undo)}</kbd>
            </button>
          </>
        )}
      </div>
    </section>
  );
}
