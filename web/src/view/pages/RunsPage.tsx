import { useMemo, useRef, useState } from "preact/hooks";
import { Said } from "../../shared/Said";
import { useSource, useVersions } from "../Shell";
import { Refusal } from "../Refusal";
import { useAsked } from "../asked";
import { useKeys } from "../keys";
import { Column, RunFilter } from "../listing/RunFilter";
import { RunGroup, isWhole } from "../listing/RunLine";
import { type Sort, grouped, shownRuns, toggled, wantedOf, whyNotCompared } from "../listing/table";
import { type Route, addressOf, go } from "../router";
import { useTitle } from "../useTitle";
import { versionsOf } from "../source";
import type { RunRow } from "../types";
import { counted } from "../words";
import "./runs.css";

/** Rows that are drawn at once; more are a button away. */
const FIRST = 100;
const COLUMNS: [Sort, string][] = [
  ["model", "Model"],
  ["benchmark", "Benchmark"],
  ["headline", "Headline"],
  ["failed", "Failed"],
  ["cost", "Cost"],
  ["status", "Status"],
  ["created", "Begun"],
];

/** All runs: sorted, filtered, and chosen for a comparison. */
export function RunsPage({ route }: { route: Route }) {
  const source = useSource();
  useTitle("Runs");
  const asked = useAsked(() => source.runs(), [source], useVersions(), ({ runs }) => versionsOf(runs));
  if (asked.state === "waiting") return <p class="soft pad">Reading the runs…</p>;
  if (asked.state === "refused") return <Refusal sentence={asked.sentence} isPage />;
  if (!asked.found.runs.length) return <NoRuns folder={asked.found.folder} />;
  return <Listed runs={asked.found.runs} params={route.params} />;
}

function Listed({ runs, params }: { runs: RunRow[]; params: URLSearchParams }) {
  const [most, setMost] = useState(FIRST);
  const table = useRef<HTMLTableElement>(null);
  const wanted = wantedOf(params);
  const shown = useMemo(() => grouped(shownRuns(runs, wanted)).flatMap((group) => group.runs), [runs, params.toString()]);
  const picked = runs.filter((run) => isWhole(run) && params.getAll("chosen").includes(run.id));
  const chosen = params.getAll("chosen").filter((id) => picked.some((run) => run.id === id));
  const refusal = whyNotCompared(picked);
  const toggle = (ids: string[]) => {
    const next = new URLSearchParams(params);
    next.delete("chosen");
    for (const id of toggled(chosen, ids)) next.append("chosen", id);
    go(addressOf("runs", next), true);
  };
  const compare = () => {
    if (!refusal) go(addressOf("compare", { run: chosen }));
  };
  useKeys({
    j: ["next run", () => move(table.current, 1)],
    k: ["run before", () => move(table.current, -1)],
    x: ["choose this run for a comparison", () => chooseFocused(table.current, runs, toggle)],
    o: ["open this run", () => openFocused(table.current, runs)],
    c: ["compare the chosen runs", compare],
    "/": ["search the runs", () => document.getElementById("runs-text")?.focus()],
  });
  return (
    <div class="pad">
      <div class="page-head">
        <h1>Runs</h1>
        <RunFilter runs={runs} wanted={wanted} params={params} />
        <output class="soft" aria-live="polite">
          {shown.length === runs.length ? counted(runs.length) : `${counted(shown.length)} of ${counted(runs.length)}`} runs
        </output>
        <span class="spread" />
        <button type="button" class="primary" disabled={!!refusal} aria-describedby="compare-why" title={refusal} onClick={compare}>
          Compare {picked.length || ""}
        </button>
      </div>
      <p class="help" id="compare-why" aria-live="polite">
        {picked.length > 0 && refusal}
      </p>
      {shown.length === 0 && <p class="soft">No run fits these filters.</p>}
      <div class="wide">
        <table class="runs" ref={table} hidden={shown.length === 0}>
          <thead>
            <tr>
              <th scope="col">
                <span class="unseen">choose</span>
              </th>
              {COLUMNS.map(([name, label]) => (
                <Column key={name} name={name} label={label} wanted={wanted} params={params} />
              ))}
            </tr>
          </thead>
          {grouped(shown.slice(0, most)).map((group) => (
            <RunGroup key={group.experiment || group.runs[0]!.id} group={group} chosen={chosen} onToggle={toggle} />
          ))}
        </table>
      </div>
      {shown.length > most && (
        <button type="button" onClick={() => setMost(most + 2 * FIRST)}>
          Show more of {counted(shown.length)}
        </button>
      )}
    </div>
  );
}

const linesOf = (table: HTMLTableElement | null): HTMLElement[] =>
  table ? [...table.querySelectorAll<HTMLElement>("tr[data-run]")] : [];

/** The run whose line has the focus. */
function focused(table: HTMLTableElement | null, runs: RunRow[]): RunRow | undefined {
  const line = linesOf(table).find((one) => one.contains(document.activeElement));
  return runs.find((run) => run.id === line?.dataset.run);
}

/** Moves the focus to the line that is `step` further. */
function move(table: HTMLTableElement | null, step: number): void {
  const lines = linesOf(table);
  const here = lines.findIndex((one) => one.contains(document.activeElement));
  const next = here < 0 ? 0 : Math.min(lines.length - 1, Math.max(0, here + step));
  lines[next]?.querySelector<HTMLElement>("th a, th span")?.focus();
}

function chooseFocused(table: HTMLTableElement | null, runs: RunRow[], toggle: (ids: string[]) => void): void {
  const run = focused(table, runs);
  if (run && isWhole(run)) toggle([run.id]);
}

function openFocused(table: HTMLTableElement | null, runs: RunRow[]): void {
  const run = focused(table, runs);
  if (run && isWhole(run)) go(addressOf("run", { run: run.id }));
}

function NoRuns({ folder }: { folder: string }) {
  return (
    <div class="pad empty">
      <h1>No runs yet</h1>
      <p>
        The folder <Said text={folder} /> holds no runs. Make some without any model:
      </p>
      <pre>beholder demo</pre>
      <p>or evaluate a model of yours:</p>
      <pre>beholder run tfq --data TFQ-Bench --model openai/NAME --base-url http://localhost:8000/v1</pre>
      <p class="soft">They appear here as soon as they begin.</p>
    </div>
  );
}
