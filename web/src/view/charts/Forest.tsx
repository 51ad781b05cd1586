import { clipped, visible } from "../../shared/visible";
import { colourOf, markPath, shapeOf } from "../palette";
import type { Pair } from "../types";
import { pValue, points, signed } from "../words";
import { Legend } from "./Bars";
import { linear, tickWords, ticks } from "./scales";
import "./charts.css";

export interface ForestLine {
  name: string;
  href?: string | undefined;
  pairs: Pair[];
}

const WIDTH = 400;
const ROW = 22;

/** Differences in points with their intervals around zero, a line for each; the words beside them are the table. */
export function Forest({ title, lines, series }: { title: string; lines: ForestLine[]; series: string[] }) {
  const [low, high] = reach(lines);
  const steps = ticks(low, high, 6);
  const x = linear([steps[0] ?? -1, steps.at(-1) ?? 1], [8, WIDTH - 8]);
  return (
    <figure class="forest" aria-label={title}>
      {series.length > 1 && <Legend series={series} />}
      <div class="forest-line" aria-hidden="true">
        <span />
        <svg viewBox={`0 0 ${WIDTH} 16`}>
          {steps.map((step) => (
            <text key={step} class="tick" x={x(step)} y={12} text-anchor="middle">
              {step > 0 ? `+${tickWords(step)}` : tickWords(step)}
            </text>
          ))}
        </svg>
        <span class="soft">points</span>
      </div>
      {lines.map((line, place) => {
        const height = ROW * Math.max(1, line.pairs.length);
        return (
          <div class="forest-line" key={place}>
            <span class="bars-name">
              {line.href ? <a href={line.href}>{visible(clipped(line.name, 60))}</a> : visible(clipped(line.name, 60))}
            </span>
            <svg viewBox={`0 0 ${WIDTH} ${height}`} aria-hidden="true">
              {steps.map((step) => (
                <line key={step} class={step === 0 ? "zero" : "grid"} x1={x(step)} x2={x(step)} y1={0} y2={height} />
              ))}
              {line.pairs.map((pair, which) => (
                <PairMark key={which} pair={pair} place={which} x={x} y={ROW * which + ROW / 2} />
              ))}
            </svg>
            <span class="bars-words num">
              {line.pairs.map((pair, which) => (
                <span key={which}>
                  {series.length > 1 && <span class="unseen">{visible(series[which] ?? "")} </span>}
                  <b>{points(pair.difference)}</b> <small>{pairWords(pair)}</small>
                </span>
              ))}
            </span>
          </div>
        );
      })}
    </figure>
  );
}

function PairMark({ pair, place, x, y }: { pair: Pair; place: number; x: (value: number) => number; y: number }) {
  if (pair.difference === null) return null;
  return (
    <g class={colourOf(place)}>
      {pair.low !== null && pair.high !== null && (
        <line class="interval" x1={x(100 * pair.low)} x2={x(100 * pair.high)} y1={y} y2={y} />
      )}
      <path class={pair.told_apart ? "mark" : "mark hollow"} d={markPath(shapeOf(place), x(100 * pair.difference), y, 4.5)} />
    </g>
  );
}

/** `[+1.2, +9.8], p = 0.031, n=120` */
export function pairWords(pair: Pair): string {
  const interval = pair.low !== null && pair.high !== null ? `[${signed(100 * pair.low)}, ${signed(100 * pair.high)}]` : "";
  const p = pair.holm ?? pair.p;
  return [interval, pValue(p), `n=${pair.n.toLocaleString("en")}`].filter(Boolean).join(", ");
}

/** From where to where the scale has to reach: all intervals, and zero. */
export function reach(lines: ForestLine[]): [number, number] {
  const ends = lines
    .flatMap((line) => line.pairs)
    .flatMap((pair) => [pair.difference, pair.low, pair.high])
    .filter((end): end is number => end !== null);
  const low = 100 * Math.min(0, ...ends);
  const high = 100 * Math.max(0, ...ends);
  return low === high ? [-1, 1] : [low, high];
}
