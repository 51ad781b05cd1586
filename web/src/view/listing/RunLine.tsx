import { clipped, visible } from "../../shared/visible";
import { SmallBar } from "../charts/Bars";
import { addressOf } from "../router";
import type { Figure, RunRow } from "../types";
import { costOf, counted, denominatorOf, intervalOf, moment, valueOf } from "../words";
import { type Group, nameInGroup } from "./table";

interface Props {
  group: Group;
  chosen: string[];
  onToggle: (ids: string[]) => void;
}

/** A run by itself, or an experiment with its arms under it. */
export function RunGroup({ group, chosen, onToggle }: Props) {
  const { experiment, runs } = group;
  const arms = runs.filter(isWhole).map((run) => run.id);
  const taken = arms.filter((id) => chosen.includes(id)).length;
  return (
    <tbody class={experiment ? "experiment" : undefined}>
      {experiment && (
        <tr class="group">
          <td>
            {arms.length > 1 && (
              <input
                type="checkbox"
                checked={taken === arms.length}
                indeterminate={taken > 0 && taken < arms.length}
                onChange={() => onToggle(arms)}
                aria-label={`choose all arms of ${visible(clipped(experiment, 120))}`}
              />
            )}
          </td>
          <th colSpan={7} scope="rowgroup">
            {visible(clipped(experiment, 160))} <small class="soft">experiment, {counted(runs.length)} arms here</small>
          </th>
        </tr>
      )}
      {runs.map((run) => (
        <Line key={run.id} run={run} isChosen={chosen.includes(run.id)} onToggle={() => onToggle([run.id])} />
      ))}
    </tbody>
  );
}

/** Whether the run can be opened and compared. */
export const isWhole = (run: RunRow): boolean => run.status !== "damaged";

function Line({ run, isChosen, onToggle }: { run: RunRow; isChosen: boolean; onToggle: () => void }) {
  const name = visible(clipped(run.model || run.id, 120));
  return (
    <tr class={isWhole(run) ? "run" : "run damaged"} data-run={run.id}>
      <td>
        {isWhole(run) && (
          <input type="checkbox" checked={isChosen} onChange={onToggle} aria-label={`choose ${visible(clipped(run.id, 120))}`} />
        )}
      </td>
      <th scope="row">
        {isWhole(run) ? <a href={addressOf("run", { run: run.id })}>{name}</a> : <span tabIndex={-1}>{name}</span>}
        <small class="under">
          {run.experiment && "arm "}
          {visible(clipped(nameInGroup(run), 160))}
          {run.tools && ` · tools: ${visible(clipped(run.tools, 60))}`}
          {run.imported && ` · ${visible(clipped(run.imported, 120))}`}
        </small>
        {run.message && <small class="under warn">{visible(clipped(run.message, 300))}</small>}
      </th>
      <td>{visible(clipped(run.title || run.benchmark, 60))}</td>
      <td>
        {run.headline ? (
          <Headline headline={run.headline} beside={run.beside} />
        ) : (
          <span class="soft">{isWhole(run) ? "no figure yet" : ""}</span>
        )}
      </td>
      <td class="num" data-label="failed">
        {run.failed < 0 ? "" : run.failed ? <span class="warn">{counted(run.failed)}</span> : "0"}
      </td>
      <td class="num" data-label="cost">
        {costOf(run.cost)}
      </td>
      <td>
        <Status run={run} />
      </td>
      <td class="num nowrap">{moment(run.created)}</td>
    </tr>
  );
}

/** The headline drawn and in words, with what stands beside it. */
export function Headline({ headline, beside }: { headline: Figure; beside: Figure | null }) {
  const { figure, scorer, metric } = headline;
  return (
    <div class="headline">
      <div class="headline-figure">
        <SmallBar figure={figure} /> <b class="num">{valueOf(figure)}</b> <small class="num soft">{intervalOf(figure)}</small>
      </div>
      <small class="soft num">
        {visible(clipped(`${metric} by ${scorer}`, 80))}, {denominatorOf(figure)}
        {beside && ` · ${valueOf(beside.figure)} by ${visible(clipped(beside.scorer, 40))}`}
      </small>
    </div>
  );
}

const STATES = ["running", "stopped", "incomplete", "complete", "damaged"];

/** The status in a word and by shape; of one that is not complete, how far it is. */
export function Status({ run }: { run: RunRow }) {
  const share = run.planned > 0 && run.asked >= 0 ? run.asked / run.planned : null;
  return (
    <span class={`status ${STATES.includes(run.status) ? `s-${run.status}` : ""}`}>
      {visible(clipped(run.status, 20))}
      {run.status !== "complete" && share !== null && (
        <>
          {" "}
          <progress max={1} value={share} aria-label={`${counted(run.asked)} of ${counted(run.planned)} responses`} />{" "}
          <small class="num soft">{Math.floor(100 * share)} %</small>
        </>
      )}
    </span>
  );
}
