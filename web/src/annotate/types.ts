// What the server says, as JSON (src/beholder/web/annotate_api.py).

export type Box = [number, number, number, number];

export interface Piece {
  kind: "visual" | "textual";
  text: string;
  box?: Box | null;
}

export type Filled = string | Piece[];
export type Value = Record<string, Filled>;

export interface Field {
  name: string;
  kind: "choice" | "text" | "longtext" | "evidence";
  label: string;
  options?: string[];
  keys?: string[];
  when?: [string, string] | null;
  required?: boolean;
  help?: string;
}

export interface Form {
  name: string;
  title: string;
  fields: Field[];
  mode: "shared" | "each";
}

export type State = "adjudicate" | "confirm" | "open" | "skipped" | "done";
export const STATES: State[] = ["adjudicate", "confirm", "open", "skipped", "done"];

export interface Progress extends Record<State, number> {
  items: number;
  kept_apart: number;
}

export interface Project {
  id: string;
  form: Form;
  limits: Record<"text" | "longtext" | "piece" | "pieces" | "note" | "name", number>;
  progress: Progress;
}

export interface Row {
  key: string;
  position: number;
  title: string;
  state: State;
  why: string;
  revision: number;
}

export interface Proposal {
  letter: string;
  value: Value;
  missing?: string;
  faults?: string[];
}

export interface Vote {
  value: string;
  who: number[];
}

export interface Consensus {
  annotators: number;
  agree: number;
  fields: { name: string; label: string; settled: boolean; value: string | null; votes: Vote[] }[];
  missing: number[];
  why: string[];
  equivalences: [string, string][];
}

export interface Decision {
  author: string;
  time: string;
  action: "save" | "skip" | "undo" | "refused";
  value: Value;
  note: string;
  revision: number;
  restores?: number | null;
}

export interface Picture {
  sha256: string;
  mime: string;
  width: number;
  height: number;
}

export interface Item {
  key: string;
  position: number;
  record: Record<string, unknown>;
  image: string;
  images: Picture[];
  proposals: Proposal[];
  consensus: Consensus | null;
  value: Value;
  state: State;
  why: string;
  revision: number;
  note: string;
  history: Decision[];
}
