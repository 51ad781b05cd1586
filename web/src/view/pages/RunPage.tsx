import { useState } from "preact/hooks";
import { Said } from "../../shared/Said";
import { clipped, visible } from "../../shared/visible";
import { useReady, useSource, useVersion } from "../Shell";
import { Refusal } from "../Refusal";
import { useAsked } from "../asked";
import { Bars } from "../charts/Bars";
import { Histogram } from "../charts/Histogram";
import { OutcomeBar } from "../charts/OutcomeBar";
import { useKeys } from "../keys";
import { Headline, Status } from "../listing/RunLine";
import { headlineOf, provisionalWords } from "../listing/headline";
import { FactTable, FailureTable, PublishedTable } from "../listing/RunTables";
import { MetricTable } from "../listing/MetricTable";
import { type Route, addressOf, go } from "../router";
import { scorerKeys } from "../scorer_keys";
import { useTitle } from "../useTitle";
import type { RunPage as Data } from "../types";
import { counted } from "../words";
import "./run.css";

/** One run: its figures, what became of the responses, how it was asked. */
export function RunPage({ route }: { route: Route }) {
  const source = useSource();
  const run = route.params.get("run") ?? "";
  useTitle(run);
  const asked = useAsked(() => source.run(run), [source, run], useVersion(run), ({ row }) => row.version);
  if (asked.state === "waiting") return <p class="soft pad">Reading the run…</p>;
  if (asked.state === "refused") return <Refusal sentence={asked.sentence} isPage />;
  if (asked.found.row.id !== run) return <p class="soft pad">Reading the run…</p>; // what is there is still the run before
  return <Shown key={run} page={asked.found} route={route} />;
}

function Shown({ page, route }: { page: Data; route: Route }) {
  const { row } = page;
  const { headline, beside } = headlineOf(page);
  const ready = useReady(row.id);
  const scorer = page.scorers.find((one) => one === route.params.get("scorer")) ?? page.scorer;
  const samples = (more: Record<string, string> = {}) => addressOf("samples", { run: row.id, scorer, ...more });
  const choose = (name: string) => go(addressOf("run", { run: row.id, scorer: name }), true);
  useKeys({
    s: ["the samples", () => go(samples())],
    o: ["the samples", () => go(samples())],
    ...scorerKeys(page.scorers, choose),
  });
  const parts = page.metrics.filter((metric) => metric.part);
  const areCategories = page.chart_title === "By category";
  return (
    <div class="pad run-page">
      <div class="page-head">
        <h1>{visible(clipped(row.model || row.id, 160))}</h1>
        <Status run={row} />
        <span class="soft">
          {visible(clipped(row.title, 80))} · {counted(row.items)} items
        </span>
        <span class="spread" />
        <a class="button primary" href={samples()}>
          Samples
        </a>
        <a class="button" href={addressOf("runs", { benchmark: row.benchmark, chosen: row.id })}>
          Compare with…
        </a>
        <a class="button" href={addressOf("leaderboard", { benchmark: row.benchmark })}>
          Leaderboard
        </a>
      </div>
      <p class="soft run-id">
        <Said text={row.id} />
      </p>
      {ready < 1 && (
        <p role="status">
          The list of its samples is being made: <progress max={1} value={ready} /> {Math.floor(100 * ready)} %
        </p>
      )}
      {page.provisional && <p class="note">{provisionalWords(page)}</p>}
      {page.resume && <Resume command={page.resume} />}
      <section class="card">
        <h2>Headline</h2>
        {headline ? <Headline headline={headline} beside={beside} /> : <p class="soft">Nothing could be scored yet.</p>}
        {page.published && <Comparable page={page} />}
      </section>
      <section class="card">
        <h2>Scorers side by side</h2>
        <MetricTable metrics={page.metrics} scorers={page.scorers} lead={[page.scorer, page.metric]} />
        {page.notes.length > 0 && (
          <details>
            <summary>Notes on these figures</summary>
            <ul>
              {page.notes.map((note, place) => (
                <li key={place}>
                  <Said text={note} />
                </li>
              ))}
            </ul>
          </details>
        )}
      </section>
      <section class="card">
        <h2>What became of the responses</h2>
        <dl class="bars-by-scorer">
          {page.bars.map((one) => (
            <div key={one.scorer}>
              <dt>by {visible(clipped(one.scorer, 40))}</dt>
              <dd>
                <OutcomeBar counts={one.counts} linkOf={(outcome) => samples({ scorer: one.scorer, outcome })} />
              </dd>
            </div>
          ))}
        </dl>
        <FailureTable failures={page.failures} link={samples({ failed: "1" })} />
      </section>
      {parts.length > 0 && (
        <section class="card">
          <div class="page-head">
            <h2>
              {visible(clipped(page.chart_title, 80))} <small class="soft">with 95 % intervals</small>
            </h2>
            <Scorers scorers={page.scorers} scorer={scorer} onChoose={choose} />
          </div>
          <Bars
            title={`${page.chart_title} by ${visible(scorer)}`}
            series={[scorer]}
            lines={parts.map((metric) => ({
              name: metric.part,
              href: areCategories ? samples({ category: metric.part }) : undefined,
              figures: [metric.figures[scorer] ?? null],
            }))}
          />
        </section>
      )}
      {page.histograms.length > 0 && (
        <section class="card">
          <h2>Tokens, time and turns</h2>
          <div class="histograms">
            {page.histograms.map((one) => (
              <Histogram key={one.title} data={one} />
            ))}
          </div>
        </section>
      )}
      <section class="card columns">
        <FactTable title="How it was asked" facts={page.plan} />
        <div>
          <FactTable title="What there is" facts={page.counts} />
          <FactTable title="Tools" facts={page.tools} />
          <FactTable title="Made with" facts={page.made_with} />
        </div>
        {page.prompt && (
          <details>
            <summary>The template of the prompt</summary>
            <pre>
              <Said text={page.prompt} first={20_000} />
            </pre>
          </details>
        )}
      </section>
      {page.published && <PublishedTable published={page.published} metrics={page.metrics} scorer={scorer} />}
      {page.paper && (
        <p class="soft">
          <Said text={page.paper} />
        </p>
      )}
    </div>
  );
}

function Comparable({ page }: { page: Data }) {
  const published = page.published!;
  return (
    <p class={published.comparable ? "" : "soft"}>
      <Said text={published.verdict} />
    </p>
  );
}

/** One of the scorers; the others are a key away. */
export function Scorers({ scorers, scorer, onChoose }: { scorers: string[]; scorer: string; onChoose: (name: string) => void }) {
  return (
    <span class="scorers" role="group" aria-label="scorer">
      {scorers.map((name, place) => (
        <button key={name} type="button" aria-pressed={name === scorer} onClick={() => onChoose(name)}>
          {visible(clipped(name, 40))} {place < 9 && <kbd>{place + 1}</kbd>}
        </button>
      ))}
    </span>
  );
}

function Resume({ command }: { command: string }) {
  const [said, setSaid] = useState("");
  const copy = () =>
    navigator.clipboard.writeText(command).then(
      () => setSaid("copied"),
      () => setSaid("could not be copied; mark it by hand"),
    );
  return (
    <p class="note resume">
      Something is missing. Continue with <code>{visible(clipped(command, 400))}</code>{" "}
      <button type="button" onClick={copy}>
        Copy
      </button>{" "}
      <output aria-live="polite">{said}</output>
    </p>
  );
}
