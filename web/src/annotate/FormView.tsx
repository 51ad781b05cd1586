import { useLayoutEffect, useRef } from "preact/hooks";
import { shownChord } from "../shared/chords";
import { withEdge } from "./boxes";
import { asked, pieces, text } from "./filling";
import type { Box, Field, Filled, Form, Piece, Project, Value } from "./types";

interface Props {
  form: Form;
  limits: Project["limits"];
  value: Value;
  faults: Map<string, string[]>;
  selected: string;
  onSet: (field: string, filled: Filled) => void;
  onSelect: (id: string) => void;
  /** Draw a box for this piece, or go to the one that it has. */
  onBox: (field: string, index: number) => void;
}

export const pieceId = (field: string, index: number): string => `${field}/${index}`;
export const fieldId = (field: string): string => `field-${field}`;

/** The fields that are asked, whatever form it is. */
export function FormView(props: Props) {
  return (
    <div class="fields">
      {asked(props.form, props.value).map((field) => (
        <FieldView key={field.name} field={field} {...props} />
      ))}
    </div>
  );
}

function FieldView(props: Props & { field: Field }) {
  const { field, value, faults } = props;
  const wrong = faults.get(field.name) ?? [];
  const described = [field.help && `${fieldId(field.name)}-help`, wrong.length && `${fieldId(field.name)}-wrong`]
    .filter(Boolean)
    .join(" ");
  const around = {
    id: fieldId(field.name),
    "aria-describedby": described || undefined,
    "aria-invalid": wrong.length > 0,
  };
  const name = (
    <>
      {field.label}
      {field.required && <span class="soft"> (required)</span>}
    </>
  );
  const about = (
    <>
      {field.help && (
        <p class="help" id={`${fieldId(field.name)}-help`}>
          {field.help}
        </p>
      )}
      {wrong.length > 0 && (
        <p class="warn" id={`${fieldId(field.name)}-wrong`}>
          {wrong.join(" ")}
        </p>
      )}
    </>
  );
  if (field.kind === "choice" || field.kind === "evidence") {
    const inside = field.kind === "choice" ? <Choice {...props} /> : <Evidence {...props} />;
    return (
      <fieldset class="field" {...around}>
        <legend>{name}</legend>
        {about}
        {inside}
      </fieldset>
    );
  }
  const common = {
    value: text(value, field.name),
    dir: "auto" as const,
    onInput: (event: { currentTarget: { value: string } }) => props.onSet(field.name, event.currentTarget.value),
  };
  return (
    <div class="field">
      <label for={fieldId(field.name)}>{name}</label>
      {about}
      {field.kind === "text" ? (
        <input type="text" autocomplete="off" maxLength={props.limits.text} {...around} {...common} />
      ) : (
        <Growing maxLength={props.limits.longtext} {...around} {...common} />
      )}
    </div>
  );
}

function Choice({ field, value, onSet }: Props & { field: Field }) {
  const chosen = text(value, field.name);
  return (
    <div class="options">
      {(field.options ?? []).map((option, place) => {
        const key = field.keys?.[place];
        return (
          <label key={option} class={option === chosen ? "option chosen" : "option"}>
            <input
              type="radio"
              name={field.name}
              checked={option === chosen}
              onChange={() => onSet(field.name, option)}
              onClick={() => {
                if (option === chosen && !field.required) onSet(field.name, "");
              }}
            />
            <span>{option}</span>
            {key && <kbd>{shownChord(key)}</kbd>}
          </label>
        );
      })}
    </div>
  );
}

function Evidence(props: Props & { field: Field }) {
  const { field, value, selected, limits } = props;
  const all = pieces(value, field.name);
  const put = (index: number, piece: Piece) =>
    props.onSet(
      field.name,
      all.map((one, place) => (place === index ? piece : one)),
    );
  return (
    <>
      <ol class="pieces">
        {all.map((piece, index) => {
          const id = pieceId(field.name, index);
          return (
            <li
              key={index}
              class={selected === id ? "piece selected" : "piece"}
              onFocusCapture={() => props.onSelect(id)}
              onPointerDown={() => props.onSelect(id)}
            >
              <div class="piece-head">
                <span class={piece.box ? "piece-number boxed" : "piece-number"} aria-hidden="true">
                  {index + 1}
                </span>
                <select
                  aria-label={`Piece ${index + 1}: seen or read`}
                  value={piece.kind}
                  onChange={(event) => put(index, { ...piece, kind: event.currentTarget.value as Piece["kind"] })}
                >
                  <option value="visual">seen</option>
                  <option value="textual">read</option>
                </select>
                <span class="spread" />
                <button type="button" onClick={() => props.onBox(field.name, index)}>
                  {piece.box ? "Edit box" : "Add box"}
                </button>
                <button
                  type="button"
                  aria-label={`Remove piece ${index + 1}`}
                  onClick={() =>
                    props.onSet(
                      field.name,
                      all.filter((_, place) => place !== index),
                    )
                  }
                >
                  ✕
                </button>
              </div>
              <Growing
                id={`piece-${id}`}
                aria-label={`Piece ${index + 1}: what is ${piece.kind === "visual" ? "seen" : "read"}`}
                dir="auto"
                rows={1}
                maxLength={limits.piece}
                value={piece.text}
                onInput={(event) => put(index, { ...piece, text: event.currentTarget.value })}
              />
              {piece.box && <Edges box={piece.box} number={index + 1} onChange={(box) => put(index, { ...piece, box })} />}
            </li>
          );
        })}
      </ol>
      {all.length < limits.pieces && (
        <button type="button" onClick={() => props.onSet(field.name, [...all, { kind: "visual", text: "" }])}>
          Add a piece
        </button>
      )}
    </>
  );
}

const EDGES = ["left", "top", "right", "bottom"] as const;

/** The box in numbers: what cannot be done by eye or by mouse. */
function Edges({ box, number, onChange }: { box: Box; number: number; onChange: (box: Box | null) => void }) {
  return (
    <div class="edges" role="group" aria-label={`Box of piece ${number}, in percent of the picture`}>
      {EDGES.map((edge, place) => (
        <label key={edge}>
          {edge}
          <input
            type="number"
            min={0}
            max={100}
            step={0.5}
            value={Math.round(box[place]! * 1000) / 10}
            onChange={(event) => {
              const next = withEdge(box, place as 0 | 1 | 2 | 3, event.currentTarget.valueAsNumber / 100);
              if (next) onChange(next);
              else event.currentTarget.value = String(Math.round(box[place]! * 1000) / 10);
            }}
          />
        </label>
      ))}
      <button type="button" onClick={() => onChange(null)}>
        Remove box
      </button>
    </div>
  );
}

interface GrowingProps {
  id?: string;
  value: string;
  rows?: number;
  dir?: "auto";
  maxLength: number;
  "aria-label"?: string;
  "aria-describedby"?: string | undefined;
  "aria-invalid"?: boolean;
  onInput: (event: { currentTarget: { value: string } }) => void;
}

/** A text field that is as high as its text. */
export function Growing({ rows = 3, ...props }: GrowingProps) {
  const element = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const area = element.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight + 2, 420)}px`;
  }, [props.value]);
  return <textarea ref={element} rows={rows} {...props} />;
}
