import { colourOf, markPath, shapeOf } from "../palette";
import type { Metric } from "../types";
import { linear, tickWords, ticks } from "./scales";
import "./charts.css";

export interface Point {
  name: string;
  /** Across: dollars, tokens or seconds. */
  x: number;
  figure: Metric;
}

const WIDTH = 460;
const HEIGHT = 240;
const LEFT = 44;
const BOTTOM = 34;

/** What runs cost against what they score, with intervals. The table beside it has the numbers. */
export function Scatter({ title, across, points }: { title: string; across: string; points: Point[] }) {
  const most = Math.max(...points.map((point) => point.x), 0);
  const steps = ticks(0, most || 1, 5);
  const x = linear([0, steps.at(-1) ?? 1], [LEFT, WIDTH - 12]);
  const y = linear([0, 1], [HEIGHT - BOTTOM, 8]);
  return (
    <svg class="scatter" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}; the table after it holds the figures`}>
      {[0, 0.25, 0.5, 0.75, 1].map((share) => (
        <g key={share}>
          <line class="grid" x1={LEFT} x2={WIDTH - 12} y1={y(share)} y2={y(share)} />
          <text class="tick" x={LEFT - 6} y={y(share) + 4} text-anchor="end">
            {100 * share}
          </text>
        </g>
      ))}
      {steps.map((step) => (
        <text key={step} class="tick" x={x(step)} y={HEIGHT - BOTTOM + 15} text-anchor="middle">
          {tickWords(step)}
        </text>
      ))}
      <text class="tick" x={(LEFT + WIDTH) / 2} y={HEIGHT - 4} text-anchor="middle">
        {across}
      </text>
      {points.map((point, place) => {
        const { value, low, high } = point.figure;
        if (value === null) return null;
        return (
          <g key={place} class={colourOf(place)}>
            {typeof low === "number" && typeof high === "number" && (
              <line class="interval" x1={x(point.x)} x2={x(point.x)} y1={y(low)} y2={y(high)} />
            )}
            <path class="mark" d={markPath(shapeOf(place), x(point.x), y(value), 5)} />
          </g>
        );
      })}
    </svg>
  );
}
