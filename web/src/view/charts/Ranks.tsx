import { clipped, visible } from "../../shared/visible";
import { markPath } from "../palette";
import type { BoardRow } from "../types";
import { valueOf } from "../words";
import { linear, rankTicks } from "./scales";
import "./charts.css";

const WIDTH = 420;
const ROW = 20;
const MOST = 60;

/** Each line's rank, and from which to which rank it may stand. Published lines are hollow diamonds, runs filled circles. */
export function Ranks({ rows, title }: { rows: BoardRow[]; title: string }) {
  const shown = rows.slice(0, MOST);
  const x = linear([1, Math.max(2, rows.length)], [10, WIDTH - 10]);
  return (
    <figure class="bars" aria-label={`${title}: ranks with their intervals`}>
      <figcaption class="soft">
        Rank of each line, and the ranks that it is not told apart from · ● run ◇ published
      </figcaption>
      <div class="bars-line" aria-hidden="true">
        <span />
        <svg class="bars-track" viewBox={`0 0 ${WIDTH} 14`}>
          {rankTicks(rows.length).map((rank) => (
            <text key={rank} class="tick" x={x(rank)} y={11} text-anchor="middle">
              {rank}
            </text>
          ))}
        </svg>
      </div>
      {shown.map((row, place) => (
        <div class="bars-line ranks" key={place}>
          <span class="bars-name">{visible(clipped(row.name, 60))}</span>
          <svg class="bars-track" viewBox={`0 0 ${WIDTH} ${ROW}`} aria-hidden="true">
            <line class="grid" x1={10} x2={WIDTH - 10} y1={ROW / 2} y2={ROW / 2} />
            <line class="interval c0" x1={x(row.best)} x2={x(row.worst)} y1={ROW / 2} y2={ROW / 2} />
            <path
              class={row.run ? "mark c0" : "mark hollow c0"}
              d={markPath(row.run ? "circle" : "diamond", x(row.rank), ROW / 2, 4.5)}
            />
          </svg>
          <span class="bars-words num">
            {`${row.rank}${row.best === row.worst ? "" : ` (${row.best}–${row.worst})`} · ${valueOf(row.figure)}`}
          </span>
        </div>
      ))}
      {rows.length > MOST && <p class="soft">and {rows.length - MOST} more in the table</p>}
    </figure>
  );
}
