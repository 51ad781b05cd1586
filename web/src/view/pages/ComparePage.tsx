import { Said } from "../../shared/Said";
import { clipped, visible } from "../../shared/visible";
import { useSource, useVersion } from "../Shell";
import { useAsked } from "../asked";
import { ShapeMark } from "../charts/Bars";
import { Forest, pairWords } from "../charts/Forest";
import { Agreements, Cells, Costs } from "../compare/Tables";
import { Changed } from "../compare/Changed";
import { pairSentence } from "../compare/sentences";
import { useKeys } from "../keys";
import { colourOf, shapeOf } from "../palette";
import { type Route, addressOf, go } from "../router";
import type { ComparePage as Data } from "../types";
import { counted, denominatorOf, intervalOf, points, valueOf } from "../words";
import { Scorers } from "./RunPage";
import "./compare.css";

/** Two or more runs on the same items; the first is what the others are compared with. */
export function ComparePage({ route }: { route: Route }) {
  const source = useSource();
  const runs = route.params.getAll("run");
  const scorer = route.params.get("scorer") ?? "";
  const intersect = route.params.get("intersect") === "1";
  const asked = useAsked(() => source.compare(runs, scorer, intersect), [source, route.params.toString(), useVersion()]);
  const at = (changed: { runs?: string[]; scorer?: string; intersect?: boolean }) =>
    addressOf("compare", {
      run: changed.runs ?? runs,
      scorer: changed.scorer ?? scorer,
      intersect: (changed.intersect ?? intersect) ? "1" : "",
    });
  if (runs.length < 2)
    return (
      <p class="pad">
        Choose two or more runs in the <a href={addressOf("runs")}>list of runs</a>, then Compare.
      </p>
    );
  if (asked.state === "waiting") return <p class="soft pad">Comparing item by item…</p>;
  if (asked.state === "refused")
    return (
      <p class="warn pad" role="alert">
        {visible(clipped(asked.sentence, 600))}
      </p>
    );
  const page = asked.found;
  return (
    <div class="pad">
      <div class="page-head">
        <h1>Compare</h1>
        <span class="soft">
          {visible(clipped(page.runs[0]?.title ?? "", 60))}
          {!page.refused && ` · ${counted(page.n)} items that all have`}
        </span>
        {page.scorers.length > 0 && (
          <Scorers scorers={page.scorers} scorer={page.scorer} onChoose={(name) => go(at({ scorer: name }), true)} />
        )}
      </div>
      <Chosen page={page} runs={runs} go={(next) => go(at({ runs: next }), true)} />
      {page.refused ? (
        <Refusal page={page} onIntersect={() => go(at({ intersect: true }), true)} isIntersected={intersect} />
      ) : (
        <Compared page={page} onScorer={(name) => go(at({ scorer: name }), true)} />
      )}
    </div>
  );
}

function Compared({ page, onScorer }: { page: Data; onScorer: (name: string) => void }) {
  useKeys(
    Object.fromEntries(
      page.scorers.slice(0, 9).map((name, place) => [String(place + 1), [`scorer ${visible(clipped(name, 40))}`, () => onScorer(name)]]),
    ),
  );
  const others = page.pairs.filter((pair) => pair.a === 0);
  const names = others.map((pair) => page.names[pair.b] ?? "");
  const first = page.runs[0]!;
  return (
    <>
      {page.intersected && <p class="note">Only the {counted(page.n)} items that all runs have are compared; the runs hold different items.</p>}
      <section class="card">
        <h2>Against {visible(clipped(page.names[0] ?? "", 80))}, item by item</h2>
        {others.map((pair, place) => (
          <p key={place}>
            <ShapeMark shape={shapeOf(place)} colour={colourOf(place)} /> <b>{visible(clipped(names[place] ?? "", 80))}</b>:{" "}
            <b class="num">{points(pair.difference)}</b> <span class="num soft">{pairWords(pair)}</span>
            <br />
            {pairSentence(pair)}
            {pair.note && (
              <small class="under">
                <Said text={pair.note} />
              </small>
            )}
          </p>
        ))}
        <Forest title="Difference in points" series={names} lines={[{ name: "all items", pairs: others }]} />
        {page.categories.length > 0 && (
          <>
            <h3>
              By category <small class="soft">p corrected for the number of categories (Holm); a filled mark is told apart</small>
            </h3>
            <Forest
              title="Difference by category in points"
              series={names}
              lines={page.categories.map((category) => ({
                name: category.name || "(none)",
                href: addressOf("samples", { run: page.runs[1]?.id, scorer: page.scorer, category: category.name, against: first.id }),
                pairs: category.pairs,
              }))}
            />
          </>
        )}
      </section>
      <section class="card columns">
        <Cells pair={others[0]} names={[page.names[0] ?? "", page.names[1] ?? ""]} />
        <Agreements agreement={page.agreement} names={page.names} />
      </section>
      <Costs page={page} />
      <Changed page={page} />
      {page.notes.length > 0 && (
        <section class="card">
          <h2>What else differs</h2>
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

interface ChosenProps {
  page: Data;
  runs: string[];
  go: (runs: string[]) => void;
}

/** The runs with their means; the first can be changed, and runs taken out. */
function Chosen({ page, runs, go: choose }: ChosenProps) {
  return (
    <section class="card">
      <div class="wide" tabIndex={0} role="region" aria-label="runs that are compared">
        <table class="metrics">
          <tbody>
            {page.runs.map((run, place) => (
              <tr key={place}>
                <td>
                  {place > 0 ? <ShapeMark shape={shapeOf(place - 1)} colour={colourOf(place - 1)} /> : <span class="tag">first</span>}
                </td>
                <th scope="row">
                  <a href={addressOf("run", { run: run.id })}>{visible(clipped(page.names[place] ?? run.model, 100))}</a>
                  <small class="under">{visible(clipped(run.id, 120))}</small>
                </th>
                <td class="num">
                  {page.means[place] && (
                    <>
                      <b>{valueOf(page.means[place])}</b> {intervalOf(page.means[place])}
                      <small class="under">{denominatorOf(page.means[place])}</small>
                    </>
                  )}
                </td>
                <td>
                  {place > 0 && (
                    <button type="button" onClick={() => choose([run.id, ...runs.filter((one) => one !== run.id)])}>
                      Make it the first
                    </button>
                  )}{" "}
                  {runs.length > 2 && (
                    <button type="button" onClick={() => choose(runs.filter((one) => one !== run.id))}>
                      Take out
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Refusal({ page, onIntersect, isIntersected }: { page: Data; onIntersect: () => void; isIntersected: boolean }) {
  return (
    <section class="card" role="alert">
      <h2>These runs are not compared</h2>
      <p class="warn">
        <Said text={page.refused} />
      </p>
      {page.missing.map((fact, place) => (
        <p key={place}>
          <b>{visible(clipped(fact.name, 100))}</b>: <Said text={fact.words} />
        </p>
      ))}
      {page.missing.length > 0 && !isIntersected && page.n > 0 && (
        <button type="button" class="primary" onClick={onIntersect}>
          Compare the {counted(page.n)} items that all have
        </button>
      )}
    </section>
  );
}

