import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { clipped, visible } from "../../shared/visible";
import { useAsked } from "../asked";
import { useSource } from "../Shell";
import { BUCKETS, USED_TOOL } from "../types";
import {
  CHANGES,
  type Counts,
  type Filters,
  NAMELESS,
  SWITCHES,
  SWITCH_NAMES,
  TOOL_USES,
  type Table,
  type ToolUse,
  UNSCORED,
  cleared,
  isNarrow,
  scorerOf,
} from "./filters";
import { NO_SCORE, VerdictMark } from "./VerdictMark";
import { counted } from "../words";
import { CHANGE_WORDS, SWITCH_WORDS, TOOL_WORDS } from "./words";

interface Props {
  run: string;
  table: Table;
  counts: Counts;
  filters: Filters;
  apart: { here: number; there: number } | null;
  onChange: (filters: Filters) => void;
}

/** What the list can be narrowed by; beside each choice how many samples it would list. */
export function FilterPanel({ run, table, counts, filters, apart, onChange }: Props) {
  const change = (part: Partial<Filters>) => onChange({ ...filters, ...part });
  const scorer = scorerOf(table, filters);
  const shownSwitches = SWITCH_NAMES.filter((name) => table.anyFlags & SWITCHES[name] || filters.switches.includes(name));
  return (
    <div class="filter-panel">
      <TextFilter table={table} text={filters.text} onText={(text) => change({ text })} />
      <Choices legend="Scorer">
        {table.scorers.map((name, place) => (
          <label key={name} class="choice">
            <input type="radio" name="scorer" checked={name === scorer} onChange={() => change({ scorer: name })} />
            <span class="choice-name">{visible(clipped(name, 60))}</span>
            {place < 9 && <kbd>{place + 1}</kbd>}
          </label>
        ))}
      </Choices>
      <Choices legend="Verdict">
        {BUCKETS.filter((name, place) => bucketCount(table, scorer, place) > 0 || filters.outcomes.includes(name)).map((name) => (
          <Check
            key={name}
            count={counts.outcomes[BUCKETS.indexOf(name)]!}
            checked={filters.outcomes.includes(name)}
            onChange={(on) => change({ outcomes: on ? [...filters.outcomes, name] : filters.outcomes.filter((one) => one !== name) })}
          >
            <VerdictMark bucket={name} isNamed /> {name}
          </Check>
        ))}
        {counts.outcomes[UNSCORED]! > 0 && (
          <p class="help">
            {counted(counts.outcomes[UNSCORED]!)} with {NO_SCORE}
          </p>
        )}
      </Choices>
      {shownSwitches.length > 0 && (
        <Choices legend="What happened">
          {shownSwitches.map((name) => (
            <Check
              key={name}
              count={counts.switches[name]}
              checked={filters.switches.includes(name)}
              onChange={(on) => change({ switches: on ? [...filters.switches, name] : filters.switches.filter((one) => one !== name) })}
            >
              {SWITCH_WORDS[name]}
            </Check>
          ))}
        </Choices>
      )}
      <Names label="Category" names={table.categories} counts={counts.category} value={filters.category} onChange={(category) => change({ category })} />
      <Names
        label="Difficulty"
        names={table.difficulties}
        counts={counts.difficulty}
        value={filters.difficulty}
        onChange={(difficulty) => change({ difficulty })}
      />
      {((table.anyFlags & USED_TOOL) !== 0 || filters.tool) && (
        <label class="field">
          Tools
          <select value={filters.tool} onChange={(event) => change({ tool: event.currentTarget.value as ToolUse | "" })}>
            <option value="">all</option>
            {TOOL_USES.map((use) => (
              <option key={use} value={use}>
                {TOOL_WORDS[use]} ({counted(counts.tool[use])})
              </option>
            ))}
          </select>
        </label>
      )}
      <Against run={run} counts={counts} filters={filters} apart={apart} onChange={change} />
      <p class="filter-clear">
        <button type="button" disabled={!isNarrow(filters)} onClick={() => onChange(cleared(filters))}>
          Clear the filters
        </button>
      </p>
    </div>
  );
}

/** How many samples are in a bucket with no filter at all: a bucket that none is in need not be offered. */
function bucketCount(table: Table, scorer: string, bucket: number): number {
  const totals = totalsOf.get(table) ?? new Map<string, Uint32Array>();
  totalsOf.set(table, totals);
  const known = totals.get(scorer) ?? new Uint32Array(UNSCORED + 1);
  if (!totals.has(scorer)) {
    for (const each of table.buckets.get(scorer) ?? []) known[each]!++;
    totals.set(scorer, known);
  }
  return known[bucket]!;
}
const totalsOf = new WeakMap<Table, Map<string, Uint32Array>>();

function Choices({ legend, children }: { legend: string; children: ComponentChildren }) {
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {children}
    </fieldset>
  );
}

function Check(props: { count: number; checked: boolean; onChange: (on: boolean) => void; children: ComponentChildren }) {
  return (
    <label class="choice">
      <input type="checkbox" checked={props.checked} onChange={(event) => props.onChange(event.currentTarget.checked)} />
      <span class="choice-name">{props.children}</span>
      <span class="count">{counted(props.count)}</span>
    </label>
  );
}

interface NamesProps {
  label: string;
  names: string[];
  counts: number[];
  value: string | null;
  onChange: (name: string | null) => void;
}

function Names({ label, names, counts, value, onChange }: NamesProps) {
  const known = value === null || names.includes(value) || (value === NAMELESS && names.includes(""));
  if (names.length < 2 && value === null) return null;
  return (
    <label class="field">
      {label}
      <select value={value ?? ""} onChange={(event) => onChange(event.currentTarget.value || null)}>
        <option value="">all</option>
        {!known && <option value={value!}>{visible(clipped(value!, 80))} (0)</option>}
        {names.map((name, place) => (
          <option key={place} value={name || NAMELESS}>
            {visible(clipped(name || NAMELESS, 80))} ({counted(counts[place]!)})
          </option>
        ))}
      </select>
    </label>
  );
}

const PAUSE = 250; // milliseconds after the last key

/** The text that is searched for; it is looked for when the writer pauses. */
function TextFilter({ table, text, onText }: { table: Table; text: string; onText: (text: string) => void }) {
  const [written, setWritten] = useState(text);
  const told = useRef(text);
  useEffect(() => {
    if (text !== told.current) setWritten(text); // from elsewhere: cleared, or another address
    told.current = text;
  }, [text]);
  useEffect(() => {
    if (written === told.current) return;
    const timer = setTimeout(() => {
      told.current = written;
      onText(written);
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [written]);
  return (
    <label class="field">
      <span class="field-name">
        Text in question, gold and answers <kbd>/</kbd>
      </span>
      <input
        id="search"
        type="search"
        dir="auto"
        maxLength={200}
        disabled={!table.searchable}
        value={written}
        onInput={(event) => setWritten(event.currentTarget.value)}
        onKeyDown={leave}
      />
      {!table.searchable && <span class="help">Texts cannot be searched here.</span>}
    </label>
  );
}

/** Escape and Enter go from the text to the list, where the other keys mean something again. */
function leave(event: KeyboardEvent): void {
  if ((event.key !== "Escape" && event.key !== "Enter") || event.isComposing) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.currentTarget instanceof HTMLElement) event.currentTarget.blur();
}

interface AgainstProps {
  run: string;
  counts: Counts;
  filters: Filters;
  apart: { here: number; there: number } | null;
  onChange: (part: Partial<Filters>) => void;
}

/** Another run of the benchmark, and what became better or worse against it. */
function Against({ run, counts, filters, apart, onChange }: AgainstProps) {
  const source = useSource();
  const asked = useAsked(() => source.runs(), [run]);
  const runs = asked.state === "here" ? asked.found.runs : [];
  const benchmark = runs.find(({ id }) => id === run)?.benchmark;
  const others = runs.filter((one) => one.id !== run && one.benchmark === benchmark && one.status !== "damaged");
  if (others.length === 0 && !filters.against) return null;
  return (
    <fieldset class="choices">
      <legend>Against another run</legend>
      <select
        aria-label="Another run"
        value={filters.against}
        onChange={(event) => onChange({ against: event.currentTarget.value, change: event.currentTarget.value ? filters.change : "" })}
      >
        <option value="">none</option>
        {filters.against && !others.some(({ id }) => id === filters.against) && (
          <option value={filters.against}>{visible(clipped(filters.against, 80))}</option>
        )}
        {others.map(({ id, model }) => (
          <option key={id} value={id}>
            {visible(clipped(`${model} · ${id}`, 90))}
          </option>
        ))}
      </select>
      {filters.against &&
        CHANGES.map((name) => (
          <Check key={name} count={counts.change[name]} checked={filters.change === name} onChange={(on) => onChange({ change: on ? name : "" })}>
            {CHANGE_WORDS[name]}
          </Check>
        ))}
      {apart && (apart.here > 0 || apart.there > 0) && (
        <p class="help">
          {counted(apart.here)} only here, {counted(apart.there)} only there
        </p>
      )}
    </fieldset>
  );
}
