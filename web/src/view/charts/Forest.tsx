import { clipped, visible } from "../../shared/visible";
import { pairLine } from "../compare/words";
import { colourOf, markPath, shapeOf } from "../palette";
import type { Pair } from "../types";
import { signed } from "../words";
import { type Range, differenceRange, percentAt } from "./scale_of";
import "./charts.css";
import "./forest.css";

export interface ForestLine {
  name: string;
  href?: string | undefined;
  pairs: Pair[];
}

/** Differences with their intervals around 0, a line for each; the words beside them are the table. `names` are those of the runs. */
export function Forest({ title, lines, names }: { title: string; lines: ForestLine[]; names: string[] }) {
  const range = differenceRange(lines.flatMap((line) => line.pairs));
  const several = Math.max(0, ...lines.map((line) => line.pairs.length)) > 1;
  return (
    <figure class="forest" aria-label={title}>
      <div class="forest-axis" aria-hidden="true">
        <span />
        <span class="forest-scale num">
          {range.ticks.map((tick) => (
            <span key={tick} style={{ left: `${percentAt(range, tick)}%` }}>
              {tick === 0 ? "0" : signed(100 * tick).replace(/\.0$/, "")}
            </span>
          ))}
        </span>
        <span class="soft">points</span>
      </div>
      <ul>
        {lines.map((line, place) => (
          <li key={place} class="forest-line">
            <span class="forest-name">{line.href ? <a href={line.href}>{short(line.name)}</a> : short(line.name)}</span>
            <Track pairs={line.pairs} range={range} />
            <span class="forest-words num">
              {line.pairs.map((pair) => (
                <span key={pair.b} class={pair.told_apart ? "apart" : ""}>
                  {several && <span class="unseen">{short(names[pair.b] ?? "")}: </span>}
                  {pair.told_apart !== 0 && (
                    <>
                      <span aria-hidden="true">{pair.told_apart > 0 ? "▲" : "▼"}</span>
                      <span class="unseen">{pair.told_apart > 0 ? "better" : "worse"}</span>
                    </>
                  )}{" "}
                  {pairLine(pair)}
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </figure>
  );
}

const ROW = 20;

function Track({ pairs, range }: { pairs: Pair[]; range: Range }) {
  const height = ROW * Math.max(1, pairs.length);
  const at = (value: number) => `${percentAt(range, value)}%`;
  return (
    <svg class="forest-track" height={height} aria-hidden="true">
      {range.ticks.map((tick) => (
        <line key={tick} class={tick === 0 ? "zero" : "grid"} x1={at(tick)} x2={at(tick)} y1={0} y2={height} />
      ))}
      {pairs.map((pair, place) => {
        const { difference, low, high } = pair;
        if (difference === null) return null;
        const y = ROW * place + ROW / 2;
        return (
          <g key={pair.b} class={colourOf(pair.b)}>
            {low !== null && high !== null && <line class="interval" x1={at(low)} x2={at(high)} y1={y} y2={y} />}
            <svg x={at(difference)} y={y} overflow="visible">
              <path class={pair.told_apart ? "mark" : "mark hollow"} d={markPath(shapeOf(pair.b), 0, 0, 4.5)} />
            </svg>
          </g>
        );
      })}
    </svg>
  );
}

const short = (text: string): string => visible(clipped(text, 80));
