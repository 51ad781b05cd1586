import { useEffect, useRef, useState } from "preact/hooks";
import { clipped, visible } from "../../shared/visible";
import { useKeys } from "../keys";
import { type Route, addressOf, go } from "../router";
import { type Filters, cleared, filtersOf, nextOf, paramsOf, positionOf, scorerOf } from "../samples/filters";
import { memoryOf } from "../samples/memory";
import { SampleList } from "../samples/SampleList";
import { scorerKeys } from "../samples/scorer_keys";
import { useMedia } from "../samples/useMedia";
import { type Samples, useSamples, useTurn } from "../samples/useSamples";
import { filterWords } from "../samples/words";
import { Against } from "../sample/Against";
import { AnswerView } from "../sample/AnswerView";
import { Item } from "../sample/Item";
import { MarkList } from "../sample/Marks";
import { Pictures } from "../sample/Pictures";
import { boxesOf } from "../sample/Stages";
import { answerOf } from "../sample/verdicts";
import { Votes } from "../sample/Votes";
import { useSource } from "../Shell";
import { sentenceOf } from "../source";
import { DISAGREE, type MarkRow, type Row, type SamplePage as Page } from "../types";
import { counted } from "../words";
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
  const filters = filtersOf(params);
  const turn = useTurn(run);
  const samples = useSamples(run, filters, turn);
  const { page, refused, isWaiting, setMarks } = usePage(run, sampleKey, turn);
  const hasRoom = useMedia("(min-width: 1440px)");
  const [marking, setMarking] = useState("");
  const [lit, setLit] = useState("");
  const places = samples.matched?.places ?? null;
  const place = page?.place ?? -1;

  const sampleAddress = (row: Pick<Row, "key">) => addressOf("sample", { run, key: row.key, ...paramsOf(filters) });
  const listAddress = addressOf("samples", { run, ...paramsOf(filters), at: place >= 0 ? String(place) : "" });
  const show = (part: Record<string, string>, next: Filters = filters) =>
    go(addressOf("sample", { run, key: sampleKey, ...paramsOf(next), vote: params.get("vote") ?? "", epoch: params.get("epoch") ?? "", picture: params.get("picture") ?? "", ...part }), true);
  const apart = (at: number) => ((samples.table?.flags[at] ?? 0) & DISAGREE) !== 0;
  const wished = useRef(0);
  const step = (by: 1 | -1, holds?: (at: number) => boolean) => {
    const next = places && !isWaiting ? nextOf(places, place, by, holds) : -1;
    if (next < 0) return;
    const wish = ++wished.current;
    void samples.rows.row(next).then((row) => row && wish === wished.current && go(sampleAddress(row), true));
  };
  const scorer = page ? chosenScorer(page, filters, samples) : "";
  const chooseScorer = (name: string) => show({}, { ...filters, scorer: name });
  const answerPlace = page ? answerOf(page.answers, params.get("vote"), params.get("epoch")) : 0;
  const answer = page?.answers[answerPlace];

  useKeys({
    j: ["next sample", () => step(1)],
    k: ["previous sample", () => step(-1)],
    n: ["next sample on which scorers disagree", () => step(1, apart)],
    p: ["previous sample on which scorers disagree", () => step(-1, apart)],
    m: ["mark the chosen scorer as wrong here", () => page?.may_mark && answer && setMarking(scorer)],
    "/": ["search in the texts", () => go(listAddress)],
    f: ["filters", () => go(listAddress)],
    ...scorerKeys(page?.scorers ?? [], chooseScorer),
    escape: ["back to the list", () => go(listAddress)],
  });
  useEffect(() => {
    setMarking("");
    setLit("");
    scrollTo(0, 0);
  }, [sampleKey]);
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
        <div class="sample-bar">
          <a href={listAddress}>
            ‹ All samples <kbd>Esc</kbd>
          </a>
          <Where samples={samples} filters={filters} place={place} />
          <span class="steps">
            <button type="button" disabled={!places || nextOf(places, place, -1) < 0} onClick={() => step(-1)}>
              Previous <kbd>K</kbd>
            </button>
            <button type="button" disabled={!places || nextOf(places, place, 1) < 0} onClick={() => step(1)}>
              Next <kbd>J</kbd>
            </button>
            <button type="button" disabled={!places || nextOf(places, place, 1, apart) < 0} onClick={() => step(1, apart)}>
              Next disagreement <kbd>N</kbd>
            </button>
          </span>
        </div>
        {refused && (
          <p class="nothing" role="alert">
            {visible(clipped(refused, 600))}
          </p>
        )}
        {!page && !refused && <p class="nothing soft">Loading the sample…</p>}
        {page && !refused && (
          <>
            <h1>
              Sample {page.index} <span class="soft">of</span> <a href={addressOf("run", { run })}>{visible(clipped(run, 160))}</a>
            </h1>
            <div class={page.pictures.length > 0 ? "sample-columns" : "sample-columns no-pictures"}>
              {page.pictures.length > 0 && (
                <div class="sample-seen">
                  <Pictures
                    key={page.key}
                    run={run}
                    pictures={page.pictures}
                    place={Math.max(0, Number(params.get("picture") || 1) - 1)}
                    onPlace={(at) => show({ picture: at > 0 ? String(at + 1) : "" })}
                    boxes={boxesOf(page.gold_stages, answer?.metaphor?.stages ?? null)}
                    lit={lit}
                    onLight={setLit}
                    of={`sample ${page.index}`}
                  />
                </div>
              )}
              <div class="sample-said">
                <Item page={page} />
                {page.answers.length > 1 && (
                  <Votes
                    page={page}
                    scorer={scorer}
                    place={answerPlace}
                    onPlace={(at) => show({ vote: String(page.answers[at]!.vote), epoch: String(page.answers[at]!.epoch) })}
                  />
                )}
                {!answer && <p class="soft">There is no response yet.</p>}
                {answer && (
                  <AnswerView
                    key={`${page.key} ${answerPlace}`}
                    page={page}
                    answer={answer}
                    scorer={scorer}
                    onScorer={chooseScorer}
                    lit={lit}
                    onLight={setLit}
                    marking={marking}
                    onMarking={setMarking}
                    onMarked={setMarks}
                  />
                )}
                <MarkList run={run} sampleKey={page.key} marks={page.marks} answers={page.answers} mayMark={page.may_mark} onMarked={setMarks} />
                {filters.against && filters.against !== run && (
                  <Against against={filters.against} sampleKey={page.key} scorer={scorer} vote={answer?.vote ?? 0} epoch={answer?.epoch ?? 0} />
                )}
              </div>
            </div>
          </>
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

/** Where one is in the list: `3 of 1,204: wrong under official`. */
function Where({ samples, filters, place }: { samples: Samples; filters: Filters; place: number }) {
  const { table, matched } = samples;
  if (!table || !matched || place < 0) return <span class="where soft" role="status" />;
  const { position, isThere } = positionOf(matched.places, place);
  const words = filterWords(filters, scorerOf(table, filters));
  return (
    <span class="where" role="status">
      {isThere ? `${counted(position + 1)} of ${counted(matched.places.length)}` : `not among the ${counted(matched.places.length)}`}
      {words && <span class="soft"> {words}</span>}
    </span>
  );
}

interface Paged {
  page: Page | null;
  refused: string;
  isWaiting: boolean;
  setMarks: (marks: MarkRow[]) => void;
}

/** The page of a sample; that of the one before stays until it is here. */
function usePage(run: string, key: string, turn: number): Paged {
  const source = useSource();
  const [shown, setShown] = useState<{ key: string; page: Page | null; refused: string }>({ key: "", page: null, refused: "" });
  useEffect(() => {
    let gone = false;
    memoryOf(source)
      .sample(run, key, String(turn))
      .then(
        (page) => !gone && setShown({ key, page, refused: "" }),
        (error: unknown) => !gone && setShown({ key, page: null, refused: sentenceOf(error) }),
      );
    return () => {
      gone = true;
    };
  }, [run, key, turn]);
  const setMarks = (marks: MarkRow[]) => {
    memoryOf(source).forget(run, key, String(turn));
    setShown((before) => (before.page && before.key === key ? { ...before, page: { ...before.page, marks } } : before));
  };
  return { page: shown.page, refused: shown.key === key ? shown.refused : "", isWaiting: shown.key !== key, setMarks };
}

/** Fetches what comes next and before, so that going there is at once. */
function useNeighbours(run: string, samples: Samples, page: Page | null, turn: number, isWaiting: boolean): void {
  const source = useSource();
  const places = samples.matched?.places;
  useEffect(() => {
    if (!places || !page || isWaiting) return;
    let gone = false;
    for (const by of [1, -1] as const) {
      const next = nextOf(places, page.place, by);
      if (next < 0) continue;
      void samples.rows
        .row(next)
        .then((row) => (row && !gone ? memoryOf(source).sample(run, row.key, String(turn)) : null))
        .then(
          (near) => {
            const sha256 = near?.pictures[0]?.sha256;
            if (sha256 && !gone) new Image().src = source.picture(run, sha256, false);
          },
          () => {}, // it is said when one goes there
        );
    }
    return () => {
      gone = true;
    };
  }, [places, page?.key, turn, isWaiting]);
}
