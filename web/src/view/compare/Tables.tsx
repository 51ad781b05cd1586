import { clipped, visible } from "../../shared/visible";
import { Legend } from "../charts/Bars";
import { Scatter } from "../charts/Scatter";
import type { Agreement, ComparePage, Pair } from "../types";
import { DASH, counted, dollars, intervalOf, percent, valueOf } from "../words";

/** The four cells of right and wrong; nothing where there is partial credit. */
export function Cells({ pair, names }: { pair: Pair | undefined; names: [string, string] }) {
  if (!pair || pair.both_right === null) return null;
  const [first, second] = names.map((name) => visible(clipped(name, 40)));
  const cell = (count: number | null) => <td class="num">{count === null ? DASH : counted(count)}</td>;
  return (
    <table class="cells">
      <caption>Items that are right</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">{second} right</th>
          <th scope="col">{second} wrong</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">{first} right</th>
          {cell(pair.both_right)}
          {cell(pair.only_a)}
        </tr>
        <tr>
          <th scope="row">{first} wrong</th>
          {cell(pair.only_b)}
          {cell(pair.both_wrong)}
        </tr>
      </tbody>
    </table>
  );
}

/** How far runs agree on which items are right. */
export function Agreements({ agreement, names }: { agreement: Agreement[]; names: string[] }) {
  if (!agreement.length) return null;
  const name = (place: number) => visible(clipped(names[place] ?? "", 60));
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="agreement">
      <table class="metrics">
        <caption>Agreement on which items are right</caption>
        <thead>
          <tr>
            <th scope="col">runs</th>
            <th scope="col">same verdict</th>
            <th scope="col">beyond chance (κ)</th>
            <th scope="col">both wrong: same answer</th>
          </tr>
        </thead>
        <tbody>
          {agreement.map((one, place) => (
            <tr key={place}>
              <th scope="row">
                {name(one.a)} · {name(one.b)}
              </th>
              <td class="num">
                {percent(one.same)} <small class="soft">n={counted(one.n)}</small>
              </td>
              <td class="num">{one.kappa === null ? DASH : one.kappa.toFixed(2)}</td>
              <td class="num">{percent(one.both_wrong_same)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What the runs cost against what they score: by money where prices are known, else by tokens or seconds. */
export function Costs({ page }: { page: ComparePage }) {
  const { costs, names } = page;
  const ways = [
    { across: "dollars", of: (place: number) => costs[place]!.dollars },
    { across: "tokens", of: (place: number) => costs[place]!.tokens || null },
    { across: "seconds", of: (place: number) => costs[place]!.seconds },
  ];
  const way = ways.find(({ of }) => costs.length > 0 && costs.every((_, place) => of(place) !== null));
  if (!costs.length) return null;
  return (
    <section class="card">
      <h2>What it cost</h2>
      <div class="columns">
        {way && (
          <div>
            <Legend series={costs.map((one) => names[one.run] ?? "")} />
            <Scatter
              title={`Score against ${way.across}`}
              across={way.across}
              points={costs.map((one, place) => ({ name: names[one.run] ?? "", x: way.of(place) ?? 0, figure: one.figure }))}
            />
          </div>
        )}
        <div class="wide" tabIndex={0} role="region" aria-label="costs">
          <table class="metrics">
            <thead>
              <tr>
                <th scope="col">run</th>
                <th scope="col">score</th>
                <th scope="col">dollars</th>
                <th scope="col">tokens</th>
                <th scope="col">seconds</th>
              </tr>
            </thead>
            <tbody>
              {costs.map((one) => (
                <tr key={one.run}>
                  <th scope="row">{visible(clipped(names[one.run] ?? "", 60))}</th>
                  <td class="num">
                    {valueOf(one.figure)} <small class="soft">{intervalOf(one.figure)}</small>
                  </td>
                  <td class="num">{one.dollars === null ? "no price known" : dollars(one.dollars)}</td>
                  <td class="num">{one.tokens ? counted(one.tokens) : DASH}</td>
                  <td class="num">{one.seconds === null ? DASH : counted(Math.round(one.seconds))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </section>
  );
}
