// Which key does what. The form's own keys come first: a command whose letter the form takes needs the shift key.

import type { Form } from "./types";

export type Command =
  | "next"
  | "previous"
  | "save"
  | "skip"
  | "undo"
  | "note"
  | "explain"
  | "add"
  | "box"
  | "zoom"
  | "larger"
  | "smaller"
  | "explanations"
  | "search"
  | "help";

const COMMANDS: [Command, string, string][] = [
  ["next", "j", "next item"],
  ["previous", "k", "previous item"],
  ["save", "s", "save, and go on to what waits"],
  ["skip", "x", "skip the item for now"],
  ["undo", "u", "undo what was taken over or decided"],
  ["note", "m", "write a note"],
  ["explain", "e", "write in the first text of the form"],
  ["add", "a", "add a piece of evidence"],
  ["box", "b", "box of the selected piece"],
  ["zoom", "z", "enlarge the picture, or fit it again"],
  ["larger", "+", "picture larger"],
  ["smaller", "-", "picture smaller"],
  ["explanations", "w", "why the models think so"],
  ["search", "/", "search in the list"],
  ["help", "?", "show or hide the keys"],
];

export const MOST_PROPOSALS = 9;

export type Bound =
  | { do: "command"; command: Command }
  | { do: "choose"; field: string; option: string }
  | { do: "take"; proposal: number };

export interface Keymap {
  /** What a chord does. */
  bound: Map<string, Bound>;
  /** The chord of a command, for buttons and the help. */
  chord: Record<Command, string>;
  /** The chord that takes over a proposal, by its place; "" for those beyond the ninth. */
  take: (place: number) => string;
  /** What the help lists: chord and meaning. */
  commands: { chord: string; meaning: string }[];
}

export function keymapOf(form: Form): Keymap {
  const bound = new Map<string, Bound>();
  for (const field of form.fields) {
    (field.keys ?? []).forEach((key, place) => {
      const option = field.options?.[place];
      if (option !== undefined) bound.set(key, { do: "choose", field: field.name, option });
    });
  }
  const taken = new Set(bound.keys());
  const free = (key: string): string => (taken.has(key) ? `shift+${key}` : key);
  const digits = Array.from({ length: MOST_PROPOSALS }, (_, place) => String(place + 1));
  // One rule for all proposals: half of them with the shift key would be learned by nobody.
  const shifted = digits.some((digit) => taken.has(digit));
  const take = (place: number): string => {
    const digit = digits[place];
    return digit === undefined ? "" : shifted ? `shift+${digit}` : digit;
  };
  digits.forEach((_, place) => bound.set(take(place), { do: "take", proposal: place }));
  const chord = {} as Record<Command, string>;
  for (const [command, key] of COMMANDS) {
    chord[command] = free(key);
    bound.set(chord[command], { do: "command", command });
  }
  bound.set("ctrl+enter", { do: "command", command: "save" });
  return { bound, chord, take, commands: COMMANDS.map(([command, , meaning]) => ({ chord: chord[command], meaning })) };
}
