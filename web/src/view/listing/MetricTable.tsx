import { clipped, visible } from "../../shared/visible";
import type { Metric, MetricRow } from "../types";
import { boundsOf, counted, intervalOf, valueOf } from "../words";

interface Props {
  metrics: MetricRow[];
  scorers: string[];
  /** Scorer and metric that the run leads with. */
  lead: [string, string];
}

/** Each metric under each scorer with its denominator; parts of the headline are folded away. */
export function MetricTable({ metrics, scorers, lead }: Props) {
  const isPart = (metric: MetricRow) => metric.part !== "" || metric.name.includes("/");
  const whole = metrics.filter((metric) => !isPart(metric));
  const parts = metrics.filter(isPart);
  return (
    <>
      <Table rows={whole} scorers={scorers} lead={lead} />
      {parts.length > 0 && (
        <details>
          <summary>Every part, under each scorer ({counted(parts.length)})</summary>
          <Table rows={parts} scorers={scorers} lead={lead} />
        </details>
      )}
    </>
  );
}

function Table({ rows, scorers, lead }: { rows: MetricRow[]; scorers: string[]; lead: [string, string] }) {
  const isBounded = rows.some((row) => Object.values(row.figures).some(boundsOf));
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="figures by scorer">
      <table class="metrics">
        <thead>
          <tr>
            <th scope="col">
              <span class="unseen">metric</span>
            </th>
            {scorers.map((scorer) => (
              <th key={scorer} scope="col">
                {visible(clipped(scorer, 40))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">{visible(clipped(row.name, 80))}</th>
              {scorers.map((scorer) => (
                <td key={scorer} class={scorer === lead[0] && row.name === lead[1] ? "lead num" : "num"}>
                  <Cell metric={row.figures[scorer]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {isBounded && <p class="help">The last line of a figure: what it would be if all that failed were wrong, and if all were right.</p>}
    </div>
  );
}

function Cell({ metric }: { metric: Metric | undefined }) {
  if (!metric) return null;
  const failed = metric.failed ?? 0;
  if (metric.value === null && metric.n === 0 && !failed) return <small class="soft">n/a</small>;
  return (
    <>
      {valueOf(metric)}
      <small class="under">
        {intervalOf(metric)} n={counted(metric.n)}
        {failed > 0 && `, ${counted(failed)} failed`}
      </small>
      {boundsOf(metric) && <small class="under">{boundsOf(metric)}</small>}
    </>
  );
}
