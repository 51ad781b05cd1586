// What the desk shows at a moment.

import type { Draft } from "./filling";
import type { Filter } from "./queue";
import type { Item, Row } from "./types";

/** `turn` tells a message from the same one said before. */
export type Message = { text: string; kind: "news" | "quiet" | "trouble"; turn: number };

export interface Sight {
  rows: Row[];
  filter: Filter;
  search: string;
  item: Item | null;
  draft: Draft | null;
  /** The item as somebody else saved it meanwhile, until one has chosen. */
  theirs: Item | null;
  faults: string[];
  message: Message;
  busy: boolean;
  /** The piece of evidence that is worked on: FIELD/INDEX, "" for none. */
  selected: string;
  /** What is to get the focus when the page has been drawn: `piece FIELD/0`, `box FIELD/0`, `choice FIELD/0`. */
  focus: string;
  /** Keys of the items with a draft that was not saved. */
  drafts: Set<string>;
}
