import { useEffect, useRef, useState } from "preact/hooks";
import { Said } from "../../shared/Said";
import { useReady, useSource, useVersions } from "../Shell";
import { Refusal } from "../Refusal";
import { useAsked } from "../asked";
import { Agreement } from "../charts/Agreement";
import { Bars, ShapeMark } from "../charts/Bars";
import { Forest } from "../charts/Forest";
import { CellTable } from "../compare/Cells";
import { Changed } from "../compare/Changed";
import { Chooser } from "../compare/Chooser";
import { Costs } from "../compare/Costs";
import { chosenOf } from "../compare/chosen";
import { costByOf } from "../compare/costs";
import { byDifference, detectableOf, itemsOf, named, pointsInterval, testOf, verdictOf } from "../compare/words";
import { useKeys } from "../keys";
import { colourOf, shapeOf } from "../palette";
import { type Route, addressOf, go } from "../router";
import { scorerKeys } from "../scorer_keys";
import { versionsOf } from "../source";
import type { ComparePage as Data } from "../types";
import { useTitle } from "../useTitle";
import { counted, points } from "../words";
import { Scorers } from "./RunPage";
import "./compare.css";

/** Two or more runs of one benchmark, item by item. Which ones, under which scorer and over which items is in the address. */
export function ComparePage({ route }: { route: Route }) {
  const source = useSource();
  const chosen = chosenOf(route.params);
  useTitle(chosen.length > 1 ? `Compare ${chosen.length} runs` : "Compare");
  const listed = useAsked(() => source.runs(), [source], useCalm(useVersions(), CALM), ({ runs }) => versionsOf(runs));
  const show = (changes: Record<string, string | string[]>) => {
    const kept = ["scorer", "intersect", "by"].map((name) => [name, route.params.get(name) ?? ""]);
    go(addressOf("compare", { run: chosen, ...Object.fromEntries(kept), ...changes }), true);
  };
  useKeys({ x: ["change the places of the first two runs", () => show({ run: [...chosen.slice(0, 2).reverse(), ...chosen.slice(2)] })] });
  return (
    <div class="pad compare-page">
      <div class="page-head">
        <h1>Compare</h1>
      </div>
      {listed.state === "here" && <Chooser all={listed.found.runs} chosen={chosen} onChange={(run) => show({ run, intersect: "" })} />}
      {listed.state === "refused" && <Refusal sentence={listed.sentence} />}
      {chosen.length < 2 ? (
        <p class="soft">Choose two or more runs of one benchmark: they are compared item by item.</p>
      ) : (
        <Compared key={chosen.join("\n")} runs={chosen} params={route.params} onShow={show} />
      )}
    </div>
  );
}

interface Props {
  runs: string[];
  params: URLSearchParams;
  onShow: (changes: Record<string, string | string[]>) => void;
}

function Compared({ runs, params, onShow }: Props) {
  const source = useSource();
  const scorer = params.get("scorer") ?? "";
  const intersect = params.get("intersect") === "1";
  const asked = useAsked(
    () => source.compare(runs, scorer, intersect),
    [source, scorer, intersect],
    useCalm(useVersions(runs), CALM),
    (page) => versionsOf(page.runs),
  );
  const ready = useReady(...runs);
  if (asked.state === "waiting")
    return (
      <p class="soft" role="status">
        {ready < 1 ? (
          <>
            The lists of the samples are made first: <progress max={1} value={ready} /> {Math.floor(100 * ready)} %
          </>
        ) : (
          "Comparing…"
        )}
      </p>
    );
  if (asked.state === "refused") return <Refusal sentence={asked.sentence} />;
  if (asked.found.refused) return <NotCompared page={asked.found} onIntersect={() => onShow({ intersect: "1" })} />;
  return <Shown page={asked.found} params={params} onShow={onShow} />;
}

const CALM = 5_000; // milliseconds between two comparisons of a run that goes on

/** What is said, but not another thing more often than after so many milliseconds. */
function useCalm(said: string, wait: number): string {
  const [calm, setCalm] = useState(said);
  const at = useRef(-Infinity);
  useEffect(() => {
    if (said === calm) return;
    const timer = setTimeout(
      () => {
        at.current = performance.now();
        setCalm(said);
      },
      Math.max(0, at.current + wait - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [said, calm]);
  return calm;
}

/** Why there is no comparison, what each run lacks, and the way to compare what all have. */
function NotCompared({ page, onIntersect }: { page: Data; onIntersect: () => void }) {
  return (
    <section class="card" role="alert">
      <h2>Not compared</h2>
      <p>
        <Said text={page.refused} />
      </p>
      {page.missing.length > 0 && (
        <>
          <dl class="missing">
            {page.missing.map((fact, place) => (
              <div key={place}>
                <dt>{named(fact.name, 160)}</dt>
                <dd>
                  <Said text={fact.words} first={600} />
                </dd>
              </div>
            ))}
          </dl>
          <button type="button" class="primary" onClick={onIntersect}>
            Compare {page.n > 0 ? `the ${counted(page.n)} ${page.n === 1 ? "item" : "items"}` : "only the items"} that all have
          </button>
        </>
      )}
    </section>
  );
}

const FIRST_CATEGORIES = 40;

function Shown({ page, params, onShow }: { page: Data; params: URLSearchParams; onShow: Props["onShow"] }) {
  const [all, setAll] = useState(false);
  const choose = (scorer: string) => onShow({ scorer });
  useKeys(scorerKeys(page.scorers, choose));
  const [first] = page.names;
  const samples = (run: number, more: Record<string, string>) =>
    addressOf("samples", { run: page.runs[run]?.id, scorer: page.scorer, against: page.runs[0]?.id, ...more });
  const categories = byDifference(page.categories);
  const cells = page.pairs.filter((pair) => pair.both_right !== null);
  return (
    <>
      <div class="page-head">
        <p>
          <b class="num">{counted(page.n)}</b> items{page.intersected ? " that all runs have" : ""}
          {page.intersected && (
            <button type="button" class="link" onClick={() => onShow({ intersect: "" })}>
              demand all items
            </button>
          )}
        </p>
        <span class="spread" />
        <Scorers scorers={page.scorers} scorer={page.scorer} onChoose={choose} />
      </div>
      <section class="card">
        <h2>
          Difference from {named(first ?? "")} <small class="soft">under {named(page.scorer, 40)}, with 95 % intervals</small>
        </h2>
        <ul class="pair-verdicts">
          {page.pairs.map((pair) => (
            <li key={pair.b}>
              <p>
                <ShapeMark shape={shapeOf(pair.b)} colour={colourOf(pair.b)} /> <b>{verdictOf(pair, page.names)}</b>{" "}
                <span class="num">
                  {points(pair.difference)} {pointsInterval(pair)}, {itemsOf(pair)}
                </span>
              </p>
              <p class="soft">
                {[testOf(pair, page.pairs.length), pair.interval && `interval: ${named(pair.interval)}`].filter(Boolean).join("; ")}.{" "}
                {detectableOf(pair)} {pair.note && <Said text={pair.note} />}
              </p>
            </li>
          ))}
        </ul>
        <Forest title={`Difference from ${named(first ?? "")}`} names={page.names} lines={[{ name: "all items", pairs: page.pairs }]} />
        <h3>Each run over these items</h3>
        <Bars
          title="Scores over the same items"
          series={[page.scorer]}
          lines={page.runs.map((run, place) => ({
            name: page.names[place] ?? run.id,
            href: addressOf("run", { run: run.id, scorer: page.scorer }),
            figures: [page.means[place] ?? null],
            mark: place,
          }))}
        />
      </section>
      {cells.length > 0 && (
        <section class="card">
          <h2>Right and wrong, item by item</h2>
          <div class="cell-tables">
            {cells.map((pair) => (
              <CellTable key={pair.b} page={page} pair={pair} />
            ))}
          </div>
        </section>
      )}
      <section class="card">
        <h2>What changed</h2>
        <Changed key={`gained ${page.scorer}`} page={page} change="gained" />
        <Changed key={`lost ${page.scorer}`} page={page} change="lost" />
        {page.pairs.length > 1 && (
          <ul>
            {page.pairs.slice(1).map((pair) => (
              <li key={pair.b}>
                {named(page.names[pair.b] ?? "")}: <a href={samples(pair.b, { change: "gained" })}>{counted(pair.gained)} better</a> and{" "}
                <a href={samples(pair.b, { change: "lost" })}>{counted(pair.lost)} worse</a> than in {named(first ?? "")} ({itemsOf(pair)})
              </li>
            ))}
          </ul>
        )}
      </section>
      {categories.length > 0 && (
        <section class="card">
          <h2>
            By category <small class="soft">difference from {named(first ?? "")}; p corrected for the number of categories (Holm)</small>
          </h2>
          {page.pairs.length > 1 && (
            <p class="legend">
              {page.pairs.map((pair) => (
                <span key={pair.b}>
                  <ShapeMark shape={shapeOf(pair.b)} colour={colourOf(pair.b)} /> {named(page.names[pair.b] ?? "")}
                </span>
              ))}
            </p>
          )}
          <p class="help">Filled marks, ▲ and ▼: told apart. Hollow marks: not told apart.</p>
          <Forest
            title={`Difference from ${named(first ?? "")} by category`}
            names={page.names}
            lines={categories.slice(0, all ? undefined : FIRST_CATEGORIES).map(({ name, pairs }) => ({
              name: name || "(none)",
              href: samples(pairs[0]?.b ?? 1, { category: name || "(none)" }),
              pairs,
            }))}
          />
          {!all && categories.length > FIRST_CATEGORIES && (
            <button type="button" onClick={() => setAll(true)}>
              Show all {counted(categories.length)} categories
            </button>
          )}
        </section>
      )}
      {page.agreement.length > 0 && (
        <section class="card">
          <h2>
            Agreement <small class="soft">share of items with the same verdict; κ is agreement beyond chance (Cohen)</small>
          </h2>
          <Agreement data={page.agreement} names={page.names} />
        </section>
      )}
      {page.costs.length > 0 && (
        <section class="card">
          <h2>Cost against score</h2>
          <Costs page={page} by={costByOf(params)} onBy={(by) => onShow({ by })} />
        </section>
      )}
      {page.notes.length > 0 && (
        <section class="card">
          <h2>What else differs, and what to know</h2>
          <ul>
            {page.notes.map((note, place) => (
              <li key={place}>
                <Said text={note} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
