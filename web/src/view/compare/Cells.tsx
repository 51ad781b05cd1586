import { addressOf } from "../router";
import type { ComparePage, Pair } from "../types";
import { counted, percent } from "../words";
import { cellsOf, named } from "./words";

/** The four cells of two runs under right and wrong; the two that differ lead to their samples. */
export function CellTable({ page, pair }: { page: ComparePage; pair: Pair }) {
  const cells = cellsOf(pair);
  if (!cells) return null;
  const [first, second] = [named(page.names[pair.a] ?? "", 60), named(page.names[pair.b] ?? "", 60)];
  const changed = (change: string) =>
    addressOf("samples", { run: page.runs[pair.b]?.id, scorer: page.scorer, against: page.runs[pair.a]?.id, change });
  const cell = (count: number, href?: string) => (
    <td class="num">
      <b>{href && count > 0 ? <a href={href}>{counted(count)}</a> : counted(count)}</b>
      <small class="under">{pair.n ? percent(count / pair.n) : ""}</small>
    </td>
  );
  return (
    <table class="cells">
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
          {cell(cells.both_right)}
          {cell(cells.only_a, changed("lost"))}
        </tr>
        <tr>
          <th scope="row">{first} wrong</th>
          {cell(cells.only_b, changed("gained"))}
          {cell(cells.both_wrong)}
        </tr>
      </tbody>
    </table>
  );
}
