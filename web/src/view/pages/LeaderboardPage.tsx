import { Said } from "../../shared/Said";
import { clipped, visible } from "../../shared/visible";
import { useBeingMade, useSource, useVersions } from "../Shell";
import { Refusal } from "../Refusal";
import { useAsked } from "../asked";
import { SmallBar } from "../charts/Bars";
import { Ranks } from "../charts/Ranks";
import { type Route, addressOf, go } from "../router";
import type { Board, BoardRow, Leaderboard } from "../types";
import { useTitle } from "../useTitle";
import { counted, denominatorOf, intervalOf, valueOf } from "../words";
import "./leaderboard.css";

/** Runs and published figures of one benchmark, with the ranks that cannot be told apart. */
export function LeaderboardPage({ route }: { route: Route }) {
  const source = useSource();
  useTitle("Leaderboard");
  const wanted = (name: string) => route.params.get(name) ?? "";
  const versions = useVersions();
  const beingMade = useBeingMade();
  const asked = useAsked(
    () => source.leaderboard(wanted("benchmark"), wanted("scorer"), wanted("metric")),
    [source, route.params.toString()],
    versions && `${versions} ${beingMade}`,
  );
  if (asked.state === "waiting") return <p class="soft pad">Ranking the runs…</p>;
  if (asked.state === "refused") return <Refusal sentence={asked.sentence} isPage />;
  const board = asked.found;
  const published = board.rows.filter((row) => !row.run).length;
  return (
    <div class="pad">
      <div class="page-head">
        <h1>Leaderboard</h1>
        <Choose board={board} />
        <span class="soft">
          {counted(board.rows.length - published)} runs, {counted(published)} published lines
        </span>
      </div>
      {board.rows.length === 0 ? (
        <p>No run has such a figure yet.</p>
      ) : (
        <>
          <section class="card">
            <Ranks rows={board.rows} title={`${board.title}: ${board.metric} by ${board.scorer}`} />
          </section>
          <Table board={board} />
        </>
      )}
      <Notes board={board} />
    </div>
  );
}

function Choose({ board }: { board: Leaderboard }) {
  const here = board.boards.find((one) => one.benchmark === board.benchmark);
  const to = (params: Record<string, string>) => go(addressOf("leaderboard", params), true);
  return (
    <span class="runs-filter">
      <Select
        label="benchmark"
        value={board.benchmark}
        choices={board.boards.map((one: Board) => [one.benchmark, one.title])}
        onChoose={(benchmark) => to({ benchmark })}
      />
      {here && (
        <>
          <Select
            label="metric"
            value={board.metric}
            choices={here.metrics.map((metric) => [metric, metric])}
            onChoose={(metric) => to({ benchmark: board.benchmark, scorer: board.scorer, metric })}
          />
          <Select
            label="scorer"
            value={board.scorer}
            choices={here.scorers.map((scorer) => [scorer, `by ${scorer}`])}
            onChoose={(scorer) => to({ benchmark: board.benchmark, scorer, metric: board.metric })}
          />
        </>
      )}
    </span>
  );
}

interface SelectProps {
  label: string;
  value: string;
  choices: [string, string][];
  onChoose: (choice: string) => void;
}

function Select({ label, value, choices, onChoose }: SelectProps) {
  const known = choices.some(([choice]) => choice === value) ? choices : [[value, value] as [string, string], ...choices];
  return (
    <label>
      <span class="unseen">{label}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {known.map(([choice, words]) => (
          <option key={choice} value={choice}>
            {visible(clipped(words, 60))}
          </option>
        ))}
      </select>
    </label>
  );
}

function Table({ board }: { board: Leaderboard }) {
  return (
    <div class="wide card" tabIndex={0} role="region" aria-label="leaderboard">
      <table class="metrics board">
        <thead>
          <tr>
            <th scope="col">rank</th>
            <th scope="col">model</th>
            <th scope="col">
              {visible(clipped(board.metric, 60))} by {visible(clipped(board.scorer, 40))}
            </th>
            {board.parts.map((part) => (
              <th key={part} scope="col">
                {visible(clipped(part, 40))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {board.rows.map((row, place) => (
            <Line key={place} row={row} parts={board.parts} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Line({ row, parts }: { row: BoardRow; parts: string[] }) {
  const name = visible(clipped(row.name, 100));
  const from = row.run ? visible(clipped(row.run, 100)) : whence(row);
  return (
    <tr class={row.run ? "" : "published"}>
      <td class="num">
        <b>{row.rank}</b> {row.best !== row.worst && <span class="soft">({row.best}–{row.worst})</span>}
      </td>
      <th scope="row">
        {row.run ? <a href={addressOf("run", { run: row.run })}>{name}</a> : name}
        {row.marks.map((mark) => (
          <sup key={mark}>
            <a href={`#note-${mark}`} onClick={(event) => toNote(event, mark)} aria-label={`note ${mark}`}>
              {mark}
            </a>
          </sup>
        ))}
        <small class="under" title={from}>
          {from}
        </small>
      </th>
      <td class="num">
        <SmallBar figure={row.figure} /> <b>{valueOf(row.figure)}</b> <span class="soft">{intervalOf(row.figure)}</span>
        <small class="under">{row.figure.n > 0 ? denominatorOf(row.figure) : "number of items not published"}</small>
      </td>
      {parts.map((part) => (
        <td key={part} class="num">
          {valueOf(row.parts[part])}
        </td>
      ))}
    </tr>
  );
}

/** Where a published line is from. The note on its table, which it bears the number of, says all of it. */
function whence(row: BoardRow): string {
  return `published ${row.date && `${visible(clipped(row.date, 20))}: `}${visible(clipped(row.source, 140))}`;
}

/** The address after `#` is the page's own, so the note is brought into view by hand. */
function toNote(event: Event, mark: number): void {
  event.preventDefault();
  const note = document.getElementById(`note-${mark}`);
  note?.scrollIntoView({ block: "center" });
  note?.focus();
}

function Notes({ board }: { board: Leaderboard }) {
  return (
    <section class="card">
      <p class="soft">
        A rank in brackets is where a line may stand as well: no test of two lines, corrected for the number of pairs (Holm), tells it from those
        at these ranks. Lines with a number are not measured in the same way as the others.
      </p>
      {board.notes.length > 0 && (
        <ol>
          {board.notes.map((note, place) => (
            <li key={place} id={`note-${place + 1}`} tabIndex={-1}>
              <Said text={note} />
            </li>
          ))}
        </ol>
      )}
      {board.left_out.length > 0 && (
        <details>
          <summary>{counted(board.left_out.length)} not on this board, and why</summary>
          <ul>
            {board.left_out.map((fact, place) => (
              <li key={place}>
                <b>{visible(clipped(fact.name, 100))}</b>: <Said text={fact.words} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
