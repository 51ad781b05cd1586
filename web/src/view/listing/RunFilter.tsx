import { clipped, visible } from "../../shared/visible";
import { addressOf, go } from "../router";
import type { RunRow } from "../types";
import { type Sort, type Wanted, choicesOf } from "./table";

interface Props {
  wanted: Wanted;
  params: URLSearchParams;
}

/** The list with one more thing in its address. */
function set(params: URLSearchParams, name: string, value: string): void {
  const next = new URLSearchParams(params);
  next.set(name, value);
  go(addressOf("runs", next), true);
}

/** Which runs are listed: by benchmark, model, status and words. */
export function RunFilter({ runs, wanted, params }: Props & { runs: RunRow[] }) {
  const choose = (name: "benchmark" | "model" | "status") => (
    <label>
      <span class="unseen">{name}</span>
      <select value={wanted[name]} onChange={(event) => set(params, name, event.currentTarget.value)}>
        <option value="">any {name}</option>
        {[...new Set([...choicesOf(runs, name), wanted[name]])].filter(Boolean).map((choice) => (
          <option key={choice} value={choice}>
            {visible(clipped(choice, 60))}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <div class="runs-filter" role="search" aria-label="filter the runs">
      {choose("benchmark")}
      {choose("model")}
      {choose("status")}
      <label>
        <span class="unseen">words of a model or a name</span>
        <input
          id="runs-text"
          type="search"
          placeholder="model or name"
          value={wanted.text}
          onInput={(event) => set(params, "text", event.currentTarget.value)}
        />
      </label>
    </div>
  );
}

/** The head of a column; a click sorts by it, largest first, and once more the other way round. */
export function Column({ name, label, wanted, params }: Props & { name: Sort; label: string }) {
  const isSorted = wanted.sort === name;
  return (
    <th scope="col" aria-sort={isSorted ? (wanted.isDown ? "descending" : "ascending") : "none"}>
      <button type="button" class="column" onClick={() => set(params, "sort", isSorted && wanted.isDown ? name : `-${name}`)}>
        {label}
        <span aria-hidden="true">{isSorted ? (wanted.isDown ? " ↓" : " ↑") : ""}</span>
      </button>
    </th>
  );
}
