import { Said } from "../../shared/Said";
import { clipped, visible } from "../../shared/visible";
import type { Fact, FailureRow, MetricRow, Published } from "../types";
import { counted, percent, valueOf } from "../words";

/** Names and what there is to say of them. */
export function FactTable({ title, facts }: { title: string; facts: Fact[] }) {
  if (!facts.length) return null;
  return (
    <div class="facts">
      <h2>{title}</h2>
      <table>
        <tbody>
          {facts.map((fact, place) => (
            <tr key={place}>
              <th scope="row">{visible(clipped(fact.name, 80))}</th>
              <td>
                <Said text={fact.words} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Why responses failed, and who has to mend it. */
export function FailureTable({ failures, link }: { failures: FailureRow[]; link: string }) {
  if (!failures.length) return null;
  const whole = failures.reduce((sum, one) => sum + one.count, 0);
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="failures">
      <table class="failures">
        <caption>
          <a href={link}>{counted(whole)} failed</a>
        </caption>
        <thead>
          <tr>
            <th scope="col">owner</th>
            <th scope="col">kind</th>
            <th scope="col">how often</th>
            <th scope="col">message</th>
          </tr>
        </thead>
        <tbody>
          {failures.map((one, place) => (
            <tr key={place}>
              <td>{visible(clipped(one.owner, 40))}</td>
              <td class="nowrap">
                {visible(clipped(one.kind, 60))} {one.status}
              </td>
              <td class="num">{counted(one.count)}</td>
              <td>
                <Said text={one.message} first={300} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface PublishedProps {
  published: Published;
  metrics: MetricRow[];
  scorer: string;
}

/** The published table beside the run, part by part, and what keeps them from being compared. */
export function PublishedTable({ published, metrics, scorer }: PublishedProps) {
  const parts = [...new Set(published.rows.flatMap((row) => Object.keys(row.parts)))];
  const own = (part: string) => metrics.find((metric) => metric.part === part || metric.name === part)?.figures[scorer];
  return (
    <section class="card">
      <h2>Beside the published table</h2>
      <p>
        <Said text={published.verdict} />
      </p>
      {published.differences.length > 0 && (
        <ul>
          {published.differences.map((one, place) => (
            <li key={place}>
              <Said text={one} />
            </li>
          ))}
        </ul>
      )}
      {published.rows.length > 0 && (
        <div class="wide" tabIndex={0} role="region" aria-label="published figures">
          <table class="metrics">
            <thead>
              <tr>
                <th scope="col">part</th>
                <th scope="col">this run ({visible(clipped(scorer, 40))})</th>
                {published.rows.map((row) => (
                  <th key={row.model} scope="col">
                    {visible(clipped(row.model, 60))}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {parts.map((part) => (
                <tr key={part}>
                  <th scope="row">{visible(clipped(part, 60))}</th>
                  <td class="num">{valueOf(own(part))}</td>
                  {published.rows.map((row) => (
                    <td key={row.model} class="num">
                      {percent(row.parts[part])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="soft">
        <Said text={published.source} />
      </p>
    </section>
  );
}
