// The part of a text that a scorer read, and what of a long text is shown around it.

export interface Pieces {
  /** Characters that are left out at the beginning and at the end. */
  skipped: number;
  before: string;
  marked: string;
  after: string;
  left: number;
}

const AROUND = 700; // characters before the marked part that stay in view

/** The text around the span, at most `most` characters of it. A span that the text does not have marks nothing. */
export function piecesOf(text: string, span: readonly [number, number] | null, most: number): Pieces {
  const [from, to] = span ?? [0, 0];
  const isThere = Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from < to && to <= text.length;
  const [start, end] = isThere ? [whole(text, from), whole(text, to)] : [0, 0];
  let first = 0;
  if (text.length > most && end > most) first = whole(text, Math.max(0, Math.min(start - AROUND, text.length - most)));
  const last = whole(text, Math.min(text.length, Math.max(first + most, 0)));
  const [markedFrom, markedTo] = isThere ? [Math.min(start, last), Math.min(end, last)] : [first, first];
  return {
    skipped: first,
    before: text.slice(first, markedFrom),
    marked: text.slice(markedFrom, markedTo),
    after: text.slice(markedTo, last),
    left: text.length - last,
  };
}

/** The same place, or the one before it where it would part a pair of surrogates. */
function whole(text: string, place: number): number {
  const before = text.charCodeAt(place - 1);
  const after = text.charCodeAt(place);
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000 ? place - 1 : place;
}

const LINES = 400;

/** Code in numbered lines, at most `most` of them unless all are asked for. */
export function linesOf(code: string, all: boolean): { lines: string[]; left: number } {
  const lines = code.replace(/\n+$/, "").split(/\r\n?|\n/);
  return all ? { lines, left: 0 } : { lines: lines.slice(0, LINES), left: Math.max(0, lines.length - LINES) };
}
