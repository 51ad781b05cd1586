import { useState } from "preact/hooks";
import { clipped, visible } from "../../shared/visible";
import { useKeys } from "../keys";
import { type Route, addressOf, go } from "../router";
import { FilterPanel } from "../samples/Filters";
import { type Filters, cleared, filtersOf, isNarrow, nextOf, paramsOf, scorerOf } from "../samples/filters";
import { SampleList } from "../samples/SampleList";
import { scorerKeys } from "../scorer_keys";
import { useMedia } from "../useMedia";
import { useTitle } from "../useTitle";
import { type Samples, apartIn, useSamples, useTurn } from "../samples/useSamples";
import { listWords } from "../samples/words";
import type { Row } from "../types";
import { counted } from "../words";
import "./samples.css";

/** All samples of a run that the filters let through. What is filtered and which sample is chosen is in the address. */
export function SamplesPage({ route }: { route: Route }) {
  const run = route.params.get("run") ?? "";
  if (!run) return <p class="nothing">The address names no run. All runs are on the <a href={addressOf("runs")}>first page</a>.</p>;
  return <OfRun key={run} run={run} params={route.params} />;
}

const HEIGHT = 66; // of a row
const HEIGHT_ON_PHONES = 92;

function OfRun({ run, params }: { run: string; params: URLSearchParams }) {
  const filters = filtersOf(params);
  const samples = useSamples(run, filters, useTurn(run));
  const isPhone = useMedia("(max-width: 720px)");
  const [isOpen, setOpen] = useState(false);
  const at = placeIn(params);
  const places = samples.matched?.places ?? new Int32Array();
  useTitle(`Samples of ${run}`);

  const show = (next: Filters, place = at) =>
    go(addressOf("samples", { run, ...paramsOf(next), at: place >= 0 ? String(place) : "" }), true);
  const sampleAddress = (row: Row) => addressOf("sample", { run, key: row.key, ...paramsOf(filters) });
  const step = (by: 1 | -1, holds?: (place: number) => boolean) => {
    const place = nextOf(places, at, by, holds);
    if (place < 0) return;
    show(filters, place);
    focusRow(place);
  };
  const open = () => {
    const row = samples.rows.get(at);
    if (row) go(sampleAddress(row));
  };
  /** Back from a sample, the list is where it was opened. */
  const keep = ({ target }: MouseEvent) => {
    const row = target instanceof Element ? target.closest<HTMLElement>("a[data-place]") : null;
    if (row) show(filters, Number(row.dataset.place));
  };
  const apart = apartIn(samples);
  useKeys({
    j: ["next sample", () => step(1)],
    k: ["previous sample", () => step(-1)],
    n: ["next sample on which scorers disagree", () => step(1, apart)],
    p: ["previous sample on which scorers disagree", () => step(-1, apart)],
    o: ["open the chosen sample", open],
    "/": ["search in the texts", () => focusSearch(setOpen)],
    f: ["filters", () => focusFilters(setOpen)],
    ...scorerKeys(samples.table?.scorers ?? [], (scorer) => show({ ...filters, scorer })),
    escape: ["back to the run", () => go(addressOf("run", { run }))],
  });

  return (
    <div class="samples-page">
      <div class={isOpen ? "samples-filters open" : "samples-filters"} id="filters">
        {samples.table && samples.matched && (
          <FilterPanel
            run={run}
            table={samples.table}
            counts={samples.matched.counts}
            filters={filters}
            apart={samples.apart}
            onChange={(next) => show(next)}
          />
        )}
      </div>
      <section class="samples-list" aria-labelledby="samples-title" onClickCapture={keep}>
        <div class="samples-bar">
          <h1 id="samples-title">
            <span class="soft">Samples of</span> <a href={addressOf("run", { run })}>{visible(clipped(run, 120))}</a>
          </h1>
          <button type="button" class="filters-toggle" aria-expanded={isOpen} aria-controls="filters" onClick={() => setOpen(!isOpen)}>
            Filters{isNarrow(filters) ? " (on)" : ""}
          </button>
          <Count samples={samples} filters={filters} />
        </div>
        <SampleList
          run={run}
          samples={samples}
          filters={filters}
          at={at}
          addressOf={sampleAddress}
          onClear={() => show(cleared(filters))}
          height={isPhone ? HEIGHT_ON_PHONES : HEIGHT}
        />
      </section>
    </div>
  );
}

/** How many are listed and of what; for those who listen, once it stands still. */
function Count({ samples, filters }: { samples: Samples; filters: Filters }) {
  const { table, matched, refused, isLooking } = samples;
  if (!table || !matched) return <p class="samples-count soft" />;
  return (
    <div class="samples-count">
      <p role="status">
        {isLooking ? "Searching…" : refused ? <span class="warn">{visible(clipped(refused, 300))}</span> : listWords(matched.places.length, table.n, filters, scorerOf(table, filters))}
      </p>
      {table.leftOut > 0 && (
        <p class="soft">
          This folder holds the first {counted(table.n)}; <code>beholder view</code> shows the other {counted(table.leftOut)} too.
        </p>
      )}
      {table.ready < 1 && (
        <p class="soft">
          <progress value={table.ready} max={1} aria-label="samples read" /> the run is being read: {counted(table.n)} samples so far
        </p>
      )}
    </div>
  );
}

function placeIn(params: URLSearchParams): number {
  const at = params.get("at") ?? "";
  return /^\d{1,9}$/.test(at) ? Number(at) : -1;
}

/** Moves the focus to a row, which is drawn a moment later. */
function focusRow(place: number): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`a[data-place="${place}"]`)?.focus({ preventScroll: true })),
  );
}

function focusSearch(open: (isOpen: boolean) => void): void {
  open(true);
  requestAnimationFrame(() => document.getElementById("search")?.focus());
}

function focusFilters(open: (isOpen: boolean) => void): void {
  open(true);
  requestAnimationFrame(() => document.querySelector<HTMLElement>("#filters .choices input:checked, #filters .choices input")?.focus());
}
