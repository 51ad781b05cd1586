// What is filled in: pure functions over a form and a value. The server has the last word (annotate/forms.py).

import type { Field, Filled, Form, Item, Piece, Value } from "./types";

export interface Draft {
  value: Value;
  note: string;
  /** The revision that it was based on. */
  revision: number;
}

/** The form as an item fills it in before anybody writes. */
export function draftOf(item: Item): Draft {
  return { value: structuredClone(item.value), note: item.note, revision: item.revision };
}

export function isAsked(field: Field, value: Value): boolean {
  return !field.when || value[field.when[0]] === field.when[1];
}

export function isBlank(filled: Filled | undefined): boolean {
  if (filled === undefined) return true;
  return typeof filled === "string" ? filled.trim() === "" : filled.length === 0;
}

export function asked(form: Form, value: Value): Field[] {
  return form.fields.filter((field) => isAsked(field, value));
}

/** The first field that asks for evidence; undefined where none does. */
export function evidenceField(form: Form, value: Value): Field | undefined {
  return asked(form, value).find(({ kind }) => kind === "evidence");
}

export function pieces(value: Value, name: string): Piece[] {
  const filled = value[name];
  return Array.isArray(filled) ? filled : [];
}

/** The piece of evidence that `FIELD/INDEX` names; null where there is none. */
export function pieceAt(value: Value, id: string): { id: string; field: string; index: number; piece: Piece } | null {
  const slash = id.lastIndexOf("/");
  if (slash < 0) return null;
  const [field, index] = [id.slice(0, slash), Number(id.slice(slash + 1))];
  const piece = pieces(value, field)[index];
  return piece ? { id, field, index, piece } : null;
}

export function text(value: Value, name: string): string {
  const filled = value[name];
  return typeof filled === "string" ? filled : "";
}

/** What is sent: only what is asked and said. A field that a choice hides stays in the draft, but is not sent. */
export function toSend(form: Form, value: Value): Value {
  const sent: Value = {};
  for (const field of form.fields) {
    const filled = value[field.name];
    if (filled === undefined || isBlank(filled) || !isAsked(field, sent)) continue;
    sent[field.name] = typeof filled === "string" ? filled : filled.filter((piece) => piece.text.trim() || piece.box);
    if (isBlank(sent[field.name])) delete sent[field.name];
  }
  return sent;
}

/** The same value in a canonical form, to tell whether something was changed. */
export function same(form: Form, one: Value, other: Value): boolean {
  return canonical(form, one) === canonical(form, other);
}

function canonical(form: Form, value: Value): string {
  const sent = toSend(form, value);
  const fields = form.fields.map(({ name }) => {
    const filled = sent[name];
    if (filled === undefined) return null;
    if (typeof filled === "string") return filled.trim();
    return filled.map((piece) => [piece.kind, piece.text.trim(), piece.box ?? null]);
  });
  return JSON.stringify(fields);
}

/** The fields whose content differs, in the form's order. */
export function differing(form: Form, one: Value, other: Value): string[] {
  return form.fields
    .filter(({ name }) => {
      const only = { ...form, fields: form.fields.filter((field) => field.name === name).map(unconditional) };
      return !same(only, one, other);
    })
    .map(({ name }) => name);
}

function unconditional(field: Field): Field {
  return { ...field, when: null };
}

/** The faults that the server names, by field (`Target: please fill this in.`), and those of no field. */
export function byField(form: Form, faults: string[]): { fields: Map<string, string[]>; others: string[] } {
  const fields = new Map<string, string[]>();
  const others: string[] = [];
  for (const fault of faults) {
    const field = [...form.fields]
      .sort((one, other) => other.label.length - one.label.length)
      .find(({ label }) => fault.startsWith(`${label}: `));
    if (!field) others.push(fault);
    else fields.set(field.name, [...(fields.get(field.name) ?? []), sentence(fault.slice(field.label.length + 2))]);
  }
  return { fields, others };
}

function sentence(fault: string): string {
  return fault.charAt(0).toUpperCase() + fault.slice(1);
}

/** A draft that the browser kept, or null if it is none: what is stored may be anything. */
export function readDraft(kept: unknown): Draft | null {
  if (typeof kept !== "object" || kept === null) return null;
  const { value, note, revision } = kept as Record<string, unknown>;
  if (typeof note !== "string" || typeof revision !== "number" || typeof value !== "object" || value === null) return null;
  for (const filled of Object.values(value)) {
    const fine = typeof filled === "string" || (Array.isArray(filled) && filled.every(isPiece));
    if (!fine) return null;
  }
  return { value: value as Value, note, revision };
}

function isPiece(piece: unknown): boolean {
  if (typeof piece !== "object" || piece === null) return false;
  const { kind, text: said, box } = piece as Record<string, unknown>;
  const fineBox = box == null || (Array.isArray(box) && box.length === 4 && box.every((edge) => typeof edge === "number"));
  return (kind === "visual" || kind === "textual") && typeof said === "string" && fineBox;
}
