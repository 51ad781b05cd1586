import { clipped, visible } from "../../shared/visible";
import { type Shape, colourOf, markPath, shapeOf } from "../palette";
import type { Metric } from "../types";
import { boundsOf, counted, intervalOf, valueOf } from "../words";
import "./charts.css";

export interface BarLine {
  name: string;
  /** Where the name leads, if anywhere. */
  href?: string | undefined;
  /** One figure for each series; null where there is none. */
  figures: (Metric | null)[];
  /** Colour and shape of the line, where not those of its series. */
  mark?: number;
}

/** Shares with their 95 % intervals, a line for each; several series are told apart by shape and colour. The words beside them are the table. */
export function Bars({ title, lines, series }: { title: string; lines: BarLine[]; series: string[] }) {
  if (!lines.length) return null;
  const isBounded = lines.some((line) => line.figures.some((figure) => figure && boundsOf(figure)));
  return (
    <figure class="bars" aria-label={title}>
      {series.length > 1 && <Legend series={series} />}
      <div class="bars-axis" aria-hidden="true">
        <span />
        <span class="bars-scale">
          {[0, 25, 50, 75, 100].map((tick) => (
            <span key={tick}>{tick}</span>
          ))}
        </span>
        <span />
      </div>
      <ul>
        {lines.map((line, place) => (
          <li key={place} class="bars-line">
            <span class="bars-name">{line.href ? <a href={line.href}>{short(line.name)}</a> : short(line.name)}</span>
            <Track figures={line.figures} mark={line.mark} />
            <span class="bars-words num">
              {line.figures.map((figure, which) => (
                <span key={which}>
                  {series.length > 1 && <span class="unseen">{visible(series[which] ?? "")} </span>}
                  <b>{valueOf(figure)}</b> <small>{figure && `${intervalOf(figure)} ${missing(figure)}`}</small>
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
      {isBounded && <figcaption class="help">Behind what failed: the figure if all of those were wrong, and if all were right.</figcaption>}
    </figure>
  );
}

/** `n=4, 2 failed: 40.0 to 60.0 %` */
function missing(figure: Metric): string {
  const failed = figure.failed ? `, ${counted(figure.failed)} failed` : "";
  return `n=${counted(figure.n)}${failed}${failed && boundsOf(figure) ? `: ${boundsOf(figure)}` : ""}`;
}

const ROW = 20;

/** The marks of one line on a scale from 0 to 1. Places are in percent, so that it is as wide as there is room. */
function Track({ figures, mark }: { figures: (Metric | null)[]; mark: number | undefined }) {
  const height = ROW * Math.max(1, figures.length);
  return (
    <svg class="bars-track" height={height} aria-hidden="true">
      {[0, 25, 50, 75, 100].map((tick) => (
        <line key={tick} class="grid" x1={`${tick}%`} x2={`${tick}%`} y1={0} y2={height} />
      ))}
      {figures.map((figure, place) => figure && <Mark key={place} figure={figure} place={mark ?? place} y={ROW * place + ROW / 2} />)}
    </svg>
  );
}

function Mark({ figure, place, y }: { figure: Metric; place: number; y: number }) {
  const { value, low, high } = figure;
  if (value === null) return null;
  const at = (share: number) => `${100 * Math.min(1, Math.max(0, share))}%`;
  return (
    <g class={colourOf(place)}>
      {typeof low === "number" && typeof high === "number" && (
        <line class="interval" x1={at(low)} x2={at(high)} y1={y} y2={y} />
      )}
      <svg x={at(value)} y={y} overflow="visible">
        <path class="mark" d={markPath(shapeOf(place), 0, 0, 4.5)} />
      </svg>
    </g>
  );
}

/** What the shapes and colours stand for. */
export function Legend({ series }: { series: string[] }) {
  return (
    <p class="legend">
      {series.map((name, place) => (
        <span key={place}>
          <ShapeMark shape={shapeOf(place)} colour={colourOf(place)} /> {short(name)}
        </span>
      ))}
    </p>
  );
}

export function ShapeMark({ shape, colour }: { shape: Shape; colour: string }) {
  return (
    <svg class={`shape ${colour}`} width="14" height="14" aria-hidden="true">
      <path class="mark" d={markPath(shape, 7, 7, 4.5)} />
    </svg>
  );
}

const short = (text: string): string => visible(clipped(text, 80));

/** A figure as a small bar with its interval, for a cell of a table; the words stand beside it. */
export function SmallBar({ figure }: { figure: Metric }) {
  if (figure.value === null || (figure.unit ?? "share") !== "share") return null;
  return (
    <svg class="small-bar" width="120" height="14" aria-hidden="true">
      <rect class="ground" x="0" y="4" width="120" height="6" rx="2" />
      <rect class="filled" x="0" y="4" width={Math.max(0, Math.min(1, figure.value)) * 120} height="6" rx="2" />
      {typeof figure.low === "number" && typeof figure.high === "number" && (
        <path class="whisker" d={`M${120 * figure.low} 7H${120 * figure.high}M${120 * figure.low} 3V11M${120 * figure.high} 3V11`} />
      )}
    </svg>
  );
}
