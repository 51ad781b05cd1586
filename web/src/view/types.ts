// Made by web/make_types.py from beholder.viewer.*_data: change that, and run it again.

export interface Answer {
  vote: number;
  epoch: number;
  order: number[];
  text: string | null;
  reasoning: string;
  finish: string;
  failure: string;
  facts: Fact[];
  read_by: string;
  theirs: string;
  verdicts: Verdict[];
  prompt: Said[];
  talk: Talk | null;
  metaphor: Metaphor | null;
  triplets: Triplet[];
  made_again: boolean;
}

export interface Bar {
  scorer: string;
  counts: Record<string, number>;
}

export interface Board {
  benchmark: string;
  title: string;
  scorers: string[];
  metrics: string[];
  lines: number;
}

export interface BoardRow {
  rank: number;
  best: number;
  worst: number;
  name: string;
  run: string;
  source: string;
  date: string;
  figure: Metric;
  parts: Record<string, Metric>;
  marks: number[];
}

export interface Call {
  number: number;
  tool: string;
  code: string | null;
  arguments: string;
  ok: boolean;
  outcome: string;
  flags: string[];
  text: string;
  seconds: number;
  before: Shown | null;
  pictures: Shown[];
  more: number;
}

export interface CategoryPairs {
  name: string;
  pairs: Pair[];
}

export interface Changes {
  gained: number[];
  lost: number[];
  only_here: number;
  only_there: number;
}

export interface Columns {
  version: string;
  ready: number;
  n: number;
  scorers: string[];
  scorer: string;
  buckets: Record<string, string>;
  categories: string[];
  category: number[];
  difficulties: string[];
  difficulty: number[];
  flags: number[];
  searchable: boolean;
  left_out: number;
}

export interface ComparePage {
  runs: RunRow[];
  names: string[];
  scorer: string;
  scorers: string[];
  n: number;
  intersected: boolean;
  refused: string;
  missing: Fact[];
  means: Metric[];
  pairs: Pair[];
  categories: CategoryPairs[];
  gained: ItemRef[];
  lost: ItemRef[];
  agreement: RunAgreement[];
  costs: RunCost[];
  notes: string[];
}

export interface Cost {
  dollars: number;
  unpriced: number;
}

export interface Criterion {
  title: string;
  points: number;
  ratings: Rating[];
}

export interface Fact {
  name: string;
  words: string;
}

export interface FailureRow {
  owner: string;
  kind: string;
  status: number | null;
  count: number;
  message: string;
}

export interface Figure {
  scorer: string;
  metric: string;
  figure: Metric;
}

export interface Histogram {
  title: string;
  unit: string;
  edges: number[];
  counts: number[];
  n: number;
  median: number;
  p90: number;
  most: number;
}

export interface ItemRef {
  key: string;
  places: number[];
}

export interface Judgement {
  judge: string;
  points: number | null;
  failure: string;
  criteria: Criterion[];
}

export interface LabelRow {
  name: string;
  gold: string;
  said: string;
  right: boolean | null;
  why: string;
}

export interface Leaderboard {
  benchmark: string;
  title: string;
  scorer: string;
  metric: string;
  parts: string[];
  rows: BoardRow[];
  notes: string[];
  left_out: Fact[];
  boards: Board[];
}

export interface Majority {
  scorer: string;
  votes: number[];
  neither: number;
  failed: number;
  decision: string;
}

export interface MarkRow {
  number: number;
  scorer: string;
  label: string;
  note: string;
  created: string;
  vote: number;
  epoch: number;
}

export interface Metaphor {
  labels: LabelRow[];
  stages: Stages | null;
  faults: string[];
  judgements: Judgement[];
}

export interface Metric {
  value: number | null;
  n: number;
  failed?: number;
  low?: number | null;
  high?: number | null;
  worst?: number | null;
  best?: number | null;
  interval?: string;
  unit?: string;
  note?: string;
}

export interface MetricRow {
  name: string;
  part: string;
  figures: Record<string, Metric>;
}

export interface Pair {
  a: number;
  b: number;
  n: number;
  failed: number;
  difference: number | null;
  low: number | null;
  high: number | null;
  interval: string;
  p: number | null;
  test: string;
  holm: number | null;
  told_apart: number;
  both_right: number | null;
  only_a: number | null;
  only_b: number | null;
  both_wrong: number | null;
  detectable: number | null;
  note: string;
  gained: number;
  lost: number;
}

export interface Piece {
  kind: string;
  text: string;
  place: string;
  box: [number, number, number, number] | null;
}

export interface Places {
  version: string;
  places: number[];
}

export interface Published {
  source: string;
  comparable: boolean;
  verdict: string;
  differences: string[];
  rows: PublishedRow[];
}

export interface PublishedRow {
  model: string;
  parts: Record<string, number | null>;
}

export interface Rating {
  question: string;
  answer: string;
  quote: string;
  region: string;
  quote_found: boolean;
}

export interface Row {
  place: number;
  key: string;
  index: number;
  id: string;
  category: string;
  question: string;
  gold: string;
  answer: string;
  pictures: number;
  picture: string | null;
}

export interface Rows {
  version: string;
  rows: Row[];
}

export interface RunAgreement {
  a: number;
  b: number;
  n: number;
  same: number | null;
  kappa: number | null;
  both_wrong_same: number | null;
  both_wrong: number;
}

export interface RunCost {
  run: number;
  figure: Metric;
  dollars: number | null;
  tokens: number;
  seconds: number | null;
}

export interface RunList {
  folder: string;
  runs: RunRow[];
  static: boolean;
  beholder: string;
}

export interface RunPage {
  row: RunRow;
  paper: string;
  scorers: string[];
  scorer: string;
  metric: string;
  metrics: MetricRow[];
  chart_title: string;
  bars: Bar[];
  failures: FailureRow[];
  histograms: Histogram[];
  plan: Fact[];
  prompt: string;
  made_with: Fact[];
  counts: Fact[];
  tools: Fact[];
  published: Published | null;
  notes: string[];
  provisional: boolean;
  resume: string;
}

export interface RunRow {
  id: string;
  version: string;
  benchmark: string;
  title: string;
  model: string;
  status: string;
  created: string;
  headline: Figure | null;
  beside: Figure | null;
  items: number;
  planned: number;
  asked: number;
  failed: number;
  cost: Cost | null;
  tools: string;
  experiment: string;
  imported: string;
  message: string;
}

export interface Said {
  role: string;
  text: string;
}

export interface SamplePage {
  run: string;
  place: number;
  key: string;
  index: number;
  id: string;
  category: string;
  difficulty: string;
  group: string;
  source: string;
  question: string;
  options: string[];
  gold: string;
  stored: string[];
  pictures: Shown[];
  gold_stages: Stages | null;
  gold_triplets: Triplet[];
  answers: Answer[];
  majority: Majority[];
  marks: MarkRow[];
  scorers: string[];
  may_mark: boolean;
  more: number;
}

export interface Shown {
  sha256: string | null;
  name: string;
  width: number;
  height: number;
  sent: string;
}

export interface Stages {
  evidence: Piece[];
  mapping: string;
  sentiment: string;
}

export interface Talk {
  summary: string;
  ending: string;
  badly: boolean;
  cost: string;
  cause: string;
  answers: string;
  flags: string[];
  abandoned: string[];
  turns: Turn[];
  more: number;
}

export interface Triplet {
  subject: string;
  relation: string;
  object: string;
  role: "both" | "missed" | "extra";
}

export interface Turn {
  number: number;
  said: string;
  reasoning: string;
  stated: string;
  probe: string;
  probed: string;
  facts: string;
  calls: Call[];
  is_answer: boolean;
  more: number;
}

export interface Verdict {
  scorer: string;
  value: number | null;
  bucket: string;
  read: string | null;
  span: [number, number] | null;
  stored: number | null;
  flags: string[];
  reason: string;
  apart: boolean;
}

export const BUCKETS = ["right", "partly right", "wrong", "tie", "unparsed", "refused", "truncated", "failed", "n/a"] as const;
export const LETTERS = "RPWTUDCFN";
export const DISAGREE = 1;
export const USED_TOOL = 2;
export const BUDGET = 4;
export const SPLIT = 8;
export const FAILED = 16;
export const MARKED = 32;
export const CALL_FAILED = 64;
export const STALE = 128;
