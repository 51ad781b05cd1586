import { useEffect, useRef, useState } from "preact/hooks";
import { clipped, visible } from "../../shared/visible";
import { useKeys } from "../keys";
import { type Route, addressOf, go } from "../router";
import { type Filters, cleared, filtersOf, nextOf, paramsOf, scorerOf } from "../samples/filters";
import { SampleList } from "../samples/SampleList";
import { scorerKeys } from "../scorer_keys";
import { useMedia } from "../useMedia";
import { useTitle } from "../useTitle";
import { type Samples, apartIn, useSamples, useTurn } from "../samples/useSamples";
import { SampleBar, type Step } from "../sample/SampleBar";
import { Steps } from "../sample/steps";
import { SampleView } from "../sample/SampleView";
import { useNeighbours, usePage } from "../sample/usePage";
import { answerOf } from "../sample/verdicts";
import { useSource } from "../Shell";
import type { Row, SamplePage as Page } from "../types";
import "./samples.css";
import "./sample.css";

/** One sample with everything that the run holds of it; the list that one came from is a key away. */
export function SamplePage({ route }: { route: Route }) {
  const run = route.params.get("run") ?? "";
  const key = route.params.get("key") ?? "";
  if (!run || !key) return <p class="nothing">The address names no sample. All runs are on the <a href={addressOf("runs")}>first page</a>.</p>;
  return <InRun key={run} run={run} sampleKey={key} params={route.params} />;
}

interface Props {
  run: string;
  sampleKey: string;
  params: URLSearchParams;
}

function InRun({ run, sampleKey, params }: Props) {
  const source = useSource();
  const filters = filtersOf(params);
  const turn = useTurn(run);
  const samples = useSamples(run, filters, turn);
  const { page, refused, isWaiting, setMarks } = usePage(run, sampleKey, turn);
  const mayMark = page !== null && page.may_mark && !source.isStatic;
  const hasRoom = useMedia("(min-width: 1440px)");
  const [marking, setMarking] = useState("");
  useTitle(`${page ? `Sample ${page.index}` : "Sample"} · ${run}`);
  const places = samples.matched?.places ?? null;
  const place = page?.place ?? -1;

  const sampleAddress = (row: Pick<Row, "key">) => addressOf("sample", { run, key: row.key, ...paramsOf(filters) });
  const listAddress = addressOf("samples", { run, ...paramsOf(filters), at: place >= 0 ? String(place) : "" });
  const show = (part: Record<string, string>, next: Filters = filters) => {
    const [vote, epoch, picture] = ["vote", "epoch", "picture"].map((name) => params.get(name) ?? "");
    go(addressOf("sample", { run, key: sampleKey, ...paramsOf(next), vote, epoch, picture, ...part }), true);
  };
  const apart = apartIn(samples);
  const { current: steps } = useRef(new Steps());
  const led = useRef(""); // the sample that keys led to
  const shownKey = useRef(sampleKey);
  const leave = () =>
    void steps.leave(
      place,
      (next) => samples.rows.row(next),
      (row) => {
        led.current = row.key;
        go(sampleAddress(row), true);
      },
    );
  const step: Step = (by, holds) => {
    const next = places ? nextOf(places, steps.from(place), by, holds) : -1;
    if (next < 0) return;
    steps.to(next);
    if (!isWaiting) leave();
  };
  useEffect(() => {
    if (shownKey.current === sampleKey) return;
    shownKey.current = sampleKey;
    if (led.current !== sampleKey) steps.arrived(); // a link led here
    setMarking("");
    scrollTo(0, 0);
  }, [sampleKey]);
  useEffect(() => {
    if (!isWaiting) leave(); // as far as was wished for in the meantime
  }, [isWaiting]);
  const scorer = page ? chosenScorer(page, filters, samples) : "";
  const answerPlace = page ? answerOf(page.answers, params.get("vote"), params.get("epoch")) : 0;
  const answer = page?.answers[answerPlace];

  useKeys({
    j: ["next sample", () => step(1)],
    k: ["previous sample", () => step(-1)],
    n: ["next sample on which scorers disagree", () => step(1, apart)],
    p: ["previous sample on which scorers disagree", () => step(-1, apart)],
    m: ["mark the chosen scorer as wrong here", () => mayMark && answer && setMarking(scorer)],
    "/": ["search in the texts", () => go(listAddress)],
    f: ["filters", () => go(listAddress)],
    ...scorerKeys(page?.scorers ?? [], (name) => show({ scorer: name })),
    escape: ["back to the list", () => go(listAddress)],
  });
  useNeighbours(run, samples, page, turn, isWaiting);

  return (
    <div class={hasRoom ? "sample-page with-list" : "sample-page"}>
      {hasRoom && (
        <nav class="sample-rail" aria-label="Samples in the list">
          <SampleList
            run={run}
            samples={samples}
            filters={filters}
            at={place}
            addressOf={sampleAddress}
            onClear={() => show({}, cleared(filters))}
            isNarrow
            height={66}
          />
        </nav>
      )}
      <div class="sample-main" aria-busy={isWaiting}>
        <SampleBar samples={samples} filters={filters} place={place} listAddress={listAddress} onStep={step} />
        {refused && (
          <p class="nothing" role="alert">
            {visible(clipped(refused, 600))}
          </p>
        )}
        {!page && !refused && <p class="nothing soft">Loading the sample…</p>}
        {page && !refused && (
          <SampleView
            page={page}
            filters={filters}
            params={params}
            scorer={scorer}
            place={answerPlace}
            onShow={show}
            mayMark={mayMark}
            marking={marking}
            onMarking={setMarking}
            onMarked={setMarks}
          />
        )}
      </div>
    </div>
  );
}

function chosenScorer(page: Page, filters: Filters, { table }: Samples): string {
  if (page.scorers.includes(filters.scorer)) return filters.scorer;
  const own = table ? scorerOf(table, filters) : "";
  return page.scorers.includes(own) ? own : (page.scorers[0] ?? "");
}
