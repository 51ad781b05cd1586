import { clipped, visible } from "../../shared/visible";
import { addressOf } from "../router";
import type { RunRow } from "../types";
import { moment } from "../words";
import { MOST, addable, moved, without } from "./chosen";

interface Props {
  all: RunRow[];
  chosen: string[];
  onChange: (runs: string[]) => void;
}

/** The runs that are compared, in their order: one can be added, moved, taken out. */
export function Chooser({ all, chosen, onChange }: Props) {
  const more = addable(all, chosen);
  return (
    <section class="card chooser" aria-label="runs that are compared">
      <ol>
        {chosen.map((id, place) => (
          <li key={id}>
            <Name id={id} row={all.find((run) => run.id === id)} />
            <span class="chooser-role soft">{place === 0 && chosen.length > 1 ? "the others are compared with it" : ""}</span>
            <span class="chooser-buttons">
              {place > 0 && (
                <button type="button" onClick={() => onChange(moved(chosen, place, -place))} title="compare the others with this one">
                  Make it first
                </button>
              )}
              {place > 1 && (
                <button type="button" onClick={() => onChange(moved(chosen, place, -1))} aria-label={`move ${shortOf(id)} up`}>
                  ↑
                </button>
              )}
              <button type="button" onClick={() => onChange(without(chosen, place))} aria-label={`take ${shortOf(id)} out`}>
                ×
              </button>
            </span>
          </li>
        ))}
      </ol>
      {chosen.length >= MOST ? (
        <p class="soft">At most {MOST} runs can be compared at once.</p>
      ) : more.length > 0 ? (
        <label class="chooser-add">
          <span>{chosen.length ? "Add a run" : "Choose a run"}</span>
          <select value="" onChange={(event) => event.currentTarget.value && onChange([...chosen, event.currentTarget.value])}>
            <option value="">choose…</option>
            {more.map((run) => (
              <option key={run.id} value={run.id}>
                {visible(clipped(`${run.model || run.id} · ${run.title || run.benchmark} · ${moment(run.created)} · ${run.id}`, 140))}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <p class="soft">There is no other run {chosen.length ? "of this benchmark " : ""}that has figures.</p>
      )}
    </section>
  );
}

const shortOf = (id: string): string => visible(clipped(id, 120));

function Name({ id, row }: { id: string; row: RunRow | undefined }) {
  if (!row) return <span class="chooser-name warn">{shortOf(id)}: there is no such run here</span>;
  return (
    <span class="chooser-name">
      <a href={addressOf("run", { run: id })}>{visible(clipped(row.model || id, 120))}</a>
      <small class="under">
        {visible(clipped(id, 160))}
        {row.tools && ` · tools: ${visible(clipped(row.tools, 60))}`}
      </small>
    </span>
  );
}
