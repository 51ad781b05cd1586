import { useMemo, useState } from "preact/hooks";
import { Said } from "../../shared/Said";
import { clipped, visible } from "../../shared/visible";
import { useSource, useVersion } from "../Shell";
import { useAsked } from "../asked";
import { SmallBar } from "../charts/Bars";
import { useKeys } from "../keys";
import { type Route, addressOf, go } from "../router";
import { type Sort, type Wanted, choicesOf, shownRuns, wantedOf, whyNotCompared } from "../listing/table";
import type { RunRow } from "../types";
import { costOf, counted, denominatorOf, intervalOf, moment, valueOf } from "../words";
import "./runs.css";

const FIRST = 200;

/** All runs: sorted, filtered, and chosen for a comparison. */
export function RunsPage({ route }: { route: Route }) {
  const source = useSource();
  const asked = useAsked(() => source.runs(), [source, useVersion()]);
  const [chosen, setChosen] = useState<string[]>([]);
  const [most, setMost] = useState(FIRST);
  const wanted = wantedOf(route.params);
  const runs = asked.state === "here" ? asked.found.runs : [];
  const shown = useMemo(() => shownRuns(runs, wanted), [runs, route.params.toString()]);
  const picked = runs.filter((run) => chosen.includes(run.id));
  const refusal = whyNotCompared(picked);
  const compare = () => !refusal && go(addressOf("compare", { run: chosen.filter((id) => runs.some((run) => run.id === id)) }));
  useKeys({
    "/": ["search the runs", () => document.getElementById("runs-text")?.focus()],
    c: ["compare the chosen runs", compare],
  });
  if (asked.state === "waiting") return <p class="soft pad">Reading the runs…</p>;
  if (asked.state === "refused") return <p class="warn pad" role="alert">{asked.sentence}</p>;
  if (!runs.length) return <NoRuns folder={asked.found.folder} />;
  const toggle = (id: string) => setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <div class="pad">
      <div class="page-head">
        <h1>Runs</h1>
        <Filter runs={runs} wanted={wanted} params={route.params} />
        <output class="soft" aria-live="polite">
          {shown.length === runs.length ? counted(runs.length) : `${counted(shown.length)} of ${counted(runs.length)}`} runs
        </output>
        <span class="spread" />
        <button type="button" class="primary" disabled={!!refusal} title={refusal} onClick={compare}>
          Compare {picked.length || ""}
        </button>
      </div>
      {picked.length > 1 && refusal && <p class="warn">{refusal}</p>}
      <div class="wide">
        <table class="runs">
          <thead>
            <tr>
              <th scope="col">
                <span class="unseen">choose</span>
              </th>
              <Column name="model" label="Model" wanted={wanted} params={route.params} />
              <Column name="benchmark" label="Benchmark" wanted={wanted} params={route.params} />
              <Column name="headline" label="Headline" wanted={wanted} params={route.params} />
              <Column name="failed" label="Failed" wanted={wanted} params={route.params} />
              <Column name="cost" label="Cost" wanted={wanted} params={route.params} />
              <Column name="status" label="Status" wanted={wanted} params={route.params} />
              <Column name="created" label="Begun" wanted={wanted} params={route.params} />
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, most).map((run) => (
              <Line key={run.id} run={run} isChosen={chosen.includes(run.id)} onToggle={() => toggle(run.id)} />
            ))}
          </tbody>
        </table>
      </div>
      {shown.length > most && (
        <button type="button" onClick={() => setMost(most + 1000)}>
          Show more of {counted(shown.length)}
        </button>
      )}
    </div>
  );
}

function Line({ run, isChosen, onToggle }: { run: RunRow; isChosen: boolean; onToggle: () => void }) {
  const isDamaged = run.status === "damaged";
  const name = visible(clipped(run.model || run.id, 120));
  return (
    <tr class={isDamaged ? "damaged" : ""}>
      <td>
        {!isDamaged && <input type="checkbox" checked={isChosen} onChange={onToggle} aria-label={`choose ${visible(clipped(run.id, 120))}`} />}
      </td>
      <th scope="row">
        {isDamaged ? name : <a href={addressOf("run", { run: run.id })}>{name}</a>}
        <small class="under">
          {visible(clipped(run.id, 160))}
          {run.tools && ` · tools: ${visible(clipped(run.tools, 60))}`}
          {run.imported && ` · ${visible(clipped(run.imported, 120))}`}
        </small>
        {run.message && <small class="under warn">{visible(clipped(run.message, 300))}</small>}
      </th>
      <td>{visible(clipped(run.title || run.benchmark, 60))}</td>
      <td>{run.headline ? <Headline run={run} /> : <span class="soft">{isDamaged ? "" : "no figure yet"}</span>}</td>
      <td class="num" data-label="failed">
        {run.failed < 0 ? "" : run.failed ? <span class="warn">{counted(run.failed)}</span> : "0"}
      </td>
      <td class="num" data-label="cost">
        {costOf(run.cost)}
      </td>
      <td>
        <Status run={run} />
      </td>
      <td class="num nowrap">{moment(run.created)}</td>
    </tr>
  );
}

/** The headline drawn and in words, with what stands beside it. */
export function Headline({ run }: { run: RunRow }) {
  if (!run.headline) return null;
  const { figure, scorer, metric } = run.headline;
  return (
    <div class="headline">
      <div class="headline-figure">
        <SmallBar figure={figure} /> <b class="num">{valueOf(figure)}</b> <small class="num soft">{intervalOf(figure)}</small>
      </div>
      <small class="soft num">
        {visible(clipped(`${metric} by ${scorer}`, 80))}, {denominatorOf(figure)}
        {run.beside && ` · ${valueOf(run.beside.figure)} by ${visible(clipped(run.beside.scorer, 40))}`}
      </small>
    </div>
  );
}

/** The status in a word and by shape; of a running one, how far it is. */
export function Status({ run }: { run: RunRow }) {
  const share = run.planned > 0 && run.asked >= 0 ? run.asked / run.planned : null;
  return (
    <span class={`status s-${run.status}`}>
      {run.status}
      {run.status !== "complete" && share !== null && (
        <>
          {" "}
          <progress max={1} value={share} aria-label={`${counted(run.asked)} of ${counted(run.planned)} responses`} />
        </>
      )}
    </span>
  );
}

function Column({ name, label, wanted, params }: { name: Sort; label: string; wanted: Wanted; params: URLSearchParams }) {
  const isSorted = wanted.sort === name;
  const turn = () => {
    const next = new URLSearchParams(params);
    next.set("sort", isSorted && wanted.isDown ? name : `-${name}`);
    go(addressOf("runs", next), true);
  };
  return (
    <th scope="col" aria-sort={isSorted ? (wanted.isDown ? "descending" : "ascending") : "none"}>
      <button type="button" class="column" onClick={turn}>
        {label}
        <span aria-hidden="true">{isSorted ? (wanted.isDown ? " ↓" : " ↑") : ""}</span>
      </button>
    </th>
  );
}

function Filter({ runs, wanted, params }: { runs: RunRow[]; wanted: Wanted; params: URLSearchParams }) {
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(params);
    next.set(name, value);
    go(addressOf("runs", next), true);
  };
  const choose = (name: "benchmark" | "status", label: string) => (
    <label>
      <span class="unseen">{label}</span>
      <select value={wanted[name]} onChange={(event) => set(name, event.currentTarget.value)}>
        <option value="">any {label}</option>
        {choicesOf(runs, name).map((choice) => (
          <option key={choice} value={choice}>
            {visible(clipped(choice, 60))}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <div class="runs-filter" role="search" aria-label="filter the runs">
      {choose("benchmark", "benchmark")}
      {choose("status", "status")}
      <label>
        <span class="unseen">text</span>
        <input
          id="runs-text"
          type="search"
          placeholder="model or name"
          value={wanted.text}
          onInput={(event) => set("text", event.currentTarget.value)}
        />
      </label>
    </div>
  );
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
