import { Legend } from "../charts/Bars";
import { Scatter } from "../charts/Scatter";
import { tickWords } from "../charts/scales";
import type { ComparePage, RunCost } from "../types";
import { DASH, counted, dollars, intervalOf, valueOf } from "../words";
import { COSTS, type CostBy, costChoices, costOf } from "./costs";
import { named } from "./words";

const LABELS: Record<CostBy, string> = { dollars: "US dollars, all responses", tokens: "tokens, all responses", seconds: "seconds, all responses together" };
const WRITTEN: Record<CostBy, (value: number) => string> = { dollars, tokens: tickWords, seconds: tickWords };

interface Props {
  page: ComparePage;
  by: CostBy | undefined;
  onBy: (by: CostBy) => void;
}

/** What each run cost against what it scored. */
export function Costs({ page, by, onBy }: Props) {
  const choices = costChoices(page.costs);
  const chosen = by && choices.includes(by) ? by : choices[0];
  const dots = page.costs.flatMap((cost) => {
    const x = chosen && costOf(cost, chosen);
    return typeof x === "number" && cost.figure.value !== null ? [{ run: cost.run, x, figure: cost.figure }] : [];
  });
  const isKnown = page.costs.some((cost) => COSTS.some((one) => costOf(cost, one)));
  if (!isKnown) return <p class="soft">The runs hold no prices, tokens or times.</p>;
  return (
    <>
      {choices.length > 1 && (
        <span class="scorers" role="group" aria-label="cost in">
          {choices.map((one) => (
            <button key={one} type="button" aria-pressed={one === chosen} onClick={() => onBy(one)}>
              {one}
            </button>
          ))}
        </span>
      )}
      {chosen && dots.length > 0 && (
        <>
          <Legend series={page.names} />
          <Scatter title="Cost against score" dots={dots} xLabel={LABELS[chosen]} xWords={WRITTEN[chosen]} />
        </>
      )}
      <CostTable page={page} />
    </>
  );
}

function CostTable({ page }: { page: ComparePage }) {
  const line = ({ figure, dollars: paid, tokens, seconds, run }: RunCost) => (
    <tr key={run}>
      <th scope="row">{named(page.names[run] ?? "")}</th>
      <td class="num">
        {valueOf(figure)} <small class="soft">{intervalOf(figure)}</small>
      </td>
      <td class="num">{paid === null ? DASH : dollars(paid)}</td>
      <td class="num">{tokens ? counted(tokens) : DASH}</td>
      <td class="num">{seconds ? `${tickWords(seconds)} s` : DASH}</td>
    </tr>
  );
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="costs">
      <table class="costs">
        <thead>
          <tr>
            <th scope="col">run</th>
            <th scope="col">score</th>
            <th scope="col">dollars</th>
            <th scope="col">tokens</th>
            <th scope="col">time of all responses</th>
          </tr>
        </thead>
        <tbody>{page.costs.map(line)}</tbody>
      </table>
    </div>
  );
}
