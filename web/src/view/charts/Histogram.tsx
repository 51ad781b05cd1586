import type { Histogram as Data } from "../types";
import { counted } from "../words";
import { edgeTicks, linear, tickWords } from "./scales";
import "./charts.css";

const WIDTH = 320;
const HEIGHT = 90;

/** A distribution. Its bars are of equal width, for the edges may grow by factors; a bar says its own bounds. */
export function Histogram({ data }: { data: Data }) {
  const most = Math.max(1, ...data.counts);
  const height = linear([0, most], [0, HEIGHT - 4]);
  const step = WIDTH / Math.max(1, data.counts.length);
  const { unit } = data;
  const bounds = (place: number) => `${tickWords(data.edges[place] ?? 0)} to ${tickWords(data.edges[place + 1] ?? 0)} ${unit}`;
  const summary = `median ${tickWords(data.median)}, nine in ten at most ${tickWords(data.p90)}, most ${tickWords(data.most)} ${unit}; n=${counted(data.n)}`;
  return (
    <figure class="histogram">
      <figcaption>
        <b>{data.title}</b> <small class="soft num">{summary}</small>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${data.title}: ${summary}`}>
        {data.counts.map((count, place) => (
          <rect
            key={place}
            class="filled"
            x={place * step + 0.5}
            y={HEIGHT - height(count)}
            width={Math.max(0.5, step - 1)}
            height={height(count)}
          >
            <title>{`${bounds(place)}: ${counted(count)}`}</title>
          </rect>
        ))}
        <line class="grid" x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      </svg>
      <div class="histogram-edges num soft" aria-hidden="true">
        {edgeTicks(data.edges.length).map((place) => (
          <span key={place} style={{ left: `${(100 * place) / Math.max(1, data.edges.length - 1)}%` }}>
            {tickWords(data.edges[place] ?? 0)}
          </span>
        ))}
      </div>
    </figure>
  );
}
