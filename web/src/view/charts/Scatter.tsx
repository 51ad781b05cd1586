import { colourOf, markPath, shapeOf } from "../palette";
import type { Metric } from "../types";
import { axisOf } from "./axis";
import { percentAt, shareRange } from "./scale_of";
import "./charts.css";
import "./scatter.css";

export interface Dot {
  /** Place among the runs: its colour and shape. */
  run: number;
  x: number;
  figure: Metric;
}

interface Props {
  title: string;
  dots: Dot[];
  /** What the axis counts, and how one of its numbers is written. */
  xLabel: string;
  xWords: (value: number) => string;
}

const HEIGHT = 240;

/** Cost against score with its interval. The table beside it says the same in words. */
export function Scatter({ title, dots, xLabel, xWords }: Props) {
  const axis = axisOf(dots.map((dot) => dot.x));
  const range = shareRange(dots.flatMap(({ figure }) => [figure.value, figure.low, figure.high]));
  const y = (share: number) => HEIGHT * (1 - percentAt(range, share) / 100);
  return (
    <figure class="scatter" role="img" aria-label={`${title}: the table says the same in words`}>
      <div class="scatter-field">
        <svg width="100%" height={HEIGHT} aria-hidden="true">
          {range.ticks.map((tick) => (
            <line key={`y${tick}`} class="grid" x1="0" x2="100%" y1={y(tick)} y2={y(tick)} />
          ))}
          {axis.ticks.map((tick) => (
            <line key={`x${tick}`} class="grid" x1={`${axis.at(tick)}%`} x2={`${axis.at(tick)}%`} y1={0} y2={HEIGHT} />
          ))}
          {dots.map(({ run, x, figure }) => figure.value !== null && (
            <g key={run} class={colourOf(run)}>
              {typeof figure.low === "number" && typeof figure.high === "number" && (
                <line class="interval" x1={`${axis.at(x)}%`} x2={`${axis.at(x)}%`} y1={y(figure.low)} y2={y(figure.high)} />
              )}
              <svg x={`${axis.at(x)}%`} y={y(figure.value)} overflow="visible">
                <path class="mark" d={markPath(shapeOf(run), 0, 0, 5.5)} />
              </svg>
            </g>
          ))}
        </svg>
        {range.ticks.map((tick) => (
          <span key={tick} class="scatter-y num" style={{ top: `${y(tick)}px` }} aria-hidden="true">
            {Math.round(1000 * tick) / 10} %
          </span>
        ))}
        <div class="scatter-x num" aria-hidden="true">
          {axis.ticks.map((tick) => (
            <span key={tick} style={{ left: `${axis.at(tick)}%` }}>
              {xWords(tick)}
            </span>
          ))}
        </div>
      </div>
      <figcaption class="soft">
        {xLabel}
        {axis.isLog && ", by powers of ten"}
      </figcaption>
    </figure>
  );
}
