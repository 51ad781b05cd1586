import { useState } from "preact/hooks";
import { clipped, visible } from "../../shared/visible";
import { addressOf } from "../router";
import type { Filters } from "../samples/filters";
import type { MarkRow, SamplePage } from "../types";
import { Against } from "./Against";
import { AnswerView } from "./AnswerView";
import { Item } from "./Item";
import { MarkList } from "./Marks";
import { Pictures } from "./Pictures";
import { boxesOf } from "./Stages";
import { Votes } from "./Votes";

interface Props {
  page: SamplePage;
  filters: Filters;
  params: URLSearchParams;
  /** The scorer whose reading is marked. */
  scorer: string;
  /** Which response is shown. */
  place: number;
  /** Changes parts of the address. */
  onShow: (part: Record<string, string>) => void;
  mayMark: boolean;
  marking: string;
  onMarking: (scorer: string) => void;
  onMarked: (marks: MarkRow[]) => void;
}

/** All of a sample: what is seen beside what is asked, said and judged. */
export function SampleView(props: Props) {
  const { page, filters, params, scorer, place, onShow, mayMark } = props;
  const [lit, setLit] = useState("");
  const answer = page.answers[place];
  const isKept = page.pictures.some(({ sha256 }) => sha256 !== null);
  const beside = filters.against && filters.against !== page.run && (
    <Against run={page.run} against={filters.against} sampleKey={page.key} scorer={scorer} vote={answer?.vote ?? 0} epoch={answer?.epoch ?? 0} />
  );
  return (
    <>
      <h1>
        Sample {page.index} <span class="soft">of</span> <a href={addressOf("run", { run: page.run })}>{visible(clipped(page.run, 160))}</a>
      </h1>
      <div class={isKept ? "sample-columns" : "sample-columns no-pictures"}>
        {page.pictures.length > 0 && (
          <div class="sample-seen">
            <Pictures
              key={page.key}
              run={page.run}
              pictures={page.pictures}
              place={Math.max(0, Number(params.get("picture") || 1) - 1)}
              onPlace={(at) => onShow({ picture: at > 0 ? String(at + 1) : "" })}
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
              place={place}
              onPlace={(at) => onShow({ vote: String(page.answers[at]!.vote), epoch: String(page.answers[at]!.epoch) })}
            />
          )}
          {!answer && (
            <>
              <p class="soft">There is no response yet.</p>
              {beside}
            </>
          )}
          {answer && (
            <AnswerView
              key={`${page.key} ${place}`}
              page={page}
              answer={answer}
              scorer={scorer}
              onScorer={(name) => onShow({ scorer: name })}
              lit={lit}
              onLight={setLit}
              mayMark={mayMark}
              marking={props.marking}
              onMarking={props.onMarking}
              onMarked={props.onMarked}
              beside={beside}
            />
          )}
          <MarkList run={page.run} sampleKey={page.key} marks={page.marks} answers={page.answers} mayMark={mayMark} onMarked={props.onMarked} />
        </div>
      </div>
    </>
  );
}
