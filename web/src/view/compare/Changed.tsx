import { useState } from "preact/hooks";
import { clipped, visible } from "../../shared/visible";
import { useSource } from "../Shell";
import { useAsked } from "../asked";
import { addressOf } from "../router";
import type { ComparePage, ItemRef, Row } from "../types";
import { counted } from "../words";
import { named } from "./words";

const FIRST = 8;
const AT_MOST = 200; // rows that are fetched for one list

interface Props {
  page: ComparePage;
  change: "gained" | "lost";
}

/** The items on which the second run is better (or worse) than the first, with both answers side by side. */
export function Changed({ page, change }: Props) {
  const [most, setMost] = useState(FIRST);
  const pair = page.pairs.find((one) => one.a === 0 && one.b === 1);
  const [first, second] = page.runs;
  if (!pair || !first || !second) return null;
  const items = page[change];
  const count = pair[change];
  const [nameOfFirst, nameOfSecond] = [named(page.names[0] ?? "", 50), named(page.names[1] ?? "", 50)];
  const all = addressOf("samples", { run: second.id, scorer: page.scorer, against: first.id, change });
  const word = change === "gained" ? "better" : "worse";
  const shown = items.slice(0, most);
  return (
    <section class="changed">
      <h3>
        {count > 0 ? <a href={all}>{`${counted(count)} ${change}`}</a> : `0 ${change}`}{" "}
        <small class="soft">
          {word} in {nameOfSecond} than in {nameOfFirst}
        </small>
      </h3>
      {shown.length > 0 && <Table page={page} items={shown} first={first.id} second={second.id} change={change} />}
      {most < Math.min(items.length, AT_MOST) ? (
        <button type="button" onClick={() => setMost(AT_MOST)}>
          Show {counted(Math.min(items.length, AT_MOST))}
        </button>
      ) : (
        items.length > AT_MOST && <a href={all}>All of them in the list of samples</a>
      )}
    </section>
  );
}

function Table({ page, items, first, second, change }: { page: ComparePage; items: ItemRef[]; first: string; second: string; change: string }) {
  const here = useRows(second, items.map(({ places }) => places[1] ?? -1));
  const there = useRows(first, items.map(({ places }) => places[0] ?? -1));
  const address = (run: string, against: string, key: string) =>
    addressOf("sample", { run, key, scorer: page.scorer, against, ...(run === second ? { change } : {}) });
  return (
    <div class="wide" tabIndex={0} role="region" aria-label={`items that are ${change}`}>
      <table class="changed-items">
        <thead>
          <tr>
            <th scope="col">item</th>
            <th scope="col">gold</th>
            <th scope="col">{named(page.names[0] ?? "", 50)}</th>
            <th scope="col">{named(page.names[1] ?? "", 50)}</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ key, places }) => {
            const row = here.get(places[1] ?? -1);
            const other = there.get(places[0] ?? -1);
            return (
              <tr key={key}>
                <th scope="row">
                  <a href={address(second, first, key)}>{short(row?.question || other?.question || key, 90)}</a>
                  {row?.category && <small class="under">{short(row.category, 40)}</small>}
                </th>
                <td>{short(row?.gold ?? other?.gold ?? "", 40)}</td>
                <td>
                  <Answer row={other} href={address(first, second, key)} />
                </td>
                <td>
                  <Answer row={row} href={address(second, first, key)} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Answer({ row, href }: { row: Row | undefined; href: string }) {
  return <a href={href}>{row?.answer ? short(row.answer, 60) : "open"}</a>;
}

const short = (text: string, most: number): string => visible(clipped(text, most));

/** Rows of a run by their place; empty until they are here, and where they are not to be had. */
function useRows(run: string, places: number[]): Map<number, Row> {
  const source = useSource();
  const wanted = places.filter((place) => place >= 0);
  const asked = useAsked(() => source.rows(run, wanted), [source, run, wanted.join()]);
  return new Map(asked.state === "here" ? asked.found.rows.map((row) => [row.place, row]) : []);
}
