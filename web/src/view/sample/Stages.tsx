import { Said } from "../../shared/Said";
import { clipped, visible } from "../../shared/visible";
import type { Judgement, LabelRow, Metaphor, Stages } from "../types";
import type { Boxed } from "./Pictures";
import { figure } from "./verdicts";

/** The pieces of both explanations that have a place on the picture, in their order: G1, G2 …, A1, A2 … */
export function boxesOf(gold: Stages | null, said: Stages | null): Boxed[] {
  const of = (stages: Stages | null, isGold: boolean) =>
    (stages?.evidence ?? []).flatMap((piece, place) =>
      piece.box ? [{ id: idOf(isGold, place), name: nameOf(isGold, place), isGold, piece }] : [],
    );
  // The smaller above the larger, so that each can be pointed at.
  return [...of(gold, true), ...of(said, false)].sort((one, other) => area(other) - area(one));
}

function area({ piece }: Boxed): number {
  const [left, top, right, bottom] = piece.box!;
  return (right - left) * (bottom - top);
}

const idOf = (isGold: boolean, place: number): string => `${isGold ? "gold" : "said"}-${place}`;
const nameOf = (isGold: boolean, place: number): string => `${isGold ? "G" : "A"}${place + 1}`;

interface Props {
  metaphor: Metaphor | null;
  gold: Stages | null;
  /** The piece whose box is looked at, in both directions. */
  lit: string;
  onLight: (id: string) => void;
}

/** A reading of a metaphor beside the gold one: labels, stages, what judges say. */
export function MetaphorView({ metaphor, gold, lit, onLight }: Props) {
  return (
    <section class="metaphor" aria-label="The metaphor">
      {metaphor && metaphor.labels.length > 0 && <Labels labels={metaphor.labels} />}
      {(gold || metaphor?.stages) && (
        <>
          <h3>Explanation in its stages</h3>
          <div class="stages">
            <StagesColumn title="gold" stages={gold} isGold lit={lit} onLight={onLight} />
            <StagesColumn title="answer" stages={metaphor?.stages ?? null} isGold={false} lit={lit} onLight={onLight} />
          </div>
        </>
      )}
      {metaphor && metaphor.faults.length > 0 && (
        <div class="faults">
          <h3>Rules of structure that the answer breaks</h3>
          <ul>
            {metaphor.faults.slice(0, 50).map((fault, index) => (
              <li key={index}>
                <Said text={fault} first={300} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {metaphor?.judgements.map((one, index, all) => (
        <Rubric key={index} judgement={one} isOpen={all.length === 1} />
      ))}
    </section>
  );
}

function Labels({ labels }: { labels: LabelRow[] }) {
  return (
    <div class="wide">
      <table class="labels">
        <caption>Labels</caption>
        <thead>
          <tr>
            <th scope="col">label</th>
            <th scope="col">gold</th>
            <th scope="col">said</th>
            <th scope="col">right?</th>
          </tr>
        </thead>
        <tbody>
          {labels.map((label) => (
            <tr key={label.name}>
              <th scope="row">{visible(clipped(label.name, 60))}</th>
              <td>
                <Said text={label.gold || "–"} first={200} />
              </td>
              <td>
                <Said text={label.said || "–"} first={200} />
              </td>
              <td class={label.right === null ? "soft" : label.right ? "yes" : "no"}>
                {label.right === null ? "not compared" : label.right ? "✓ right" : "✗ wrong"}
                {label.why && (
                  <span class="soft">
                    {" "}
                    <Said text={label.why} first={200} />
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ColumnProps {
  title: string;
  stages: Stages | null;
  isGold: boolean;
  lit: string;
  onLight: (id: string) => void;
}

function StagesColumn({ title, stages, isGold, lit, onLight }: ColumnProps) {
  return (
    <div class={isGold ? "stages-column gold" : "stages-column"}>
      <h4>{title}</h4>
      {stages === null ? (
        <p class="soft">No explanation in stages.</p>
      ) : (
        <>
          <h5>1 · evidence</h5>
          <ol class="evidence">
            {stages.evidence.map((piece, place) => {
              const id = idOf(isGold, place);
              const words = (
                <>
                  <span class={`evidence-name ${isGold ? "gold" : "said-by-model"}`}>{nameOf(isGold, place)}</span>
                  <span class="soft">{visible(clipped([piece.kind, piece.place].filter(Boolean).join(", "), 200))}</span>{" "}
                  <Said text={piece.text} first={600} />
                </>
              );
              return (
                <li
                  key={place}
                  class={lit === id ? "lit" : undefined}
                  tabIndex={piece.box ? 0 : undefined}
                  onPointerEnter={() => piece.box && onLight(id)}
                  onPointerLeave={() => piece.box && onLight("")}
                  onFocus={() => piece.box && onLight(id)}
                  onBlur={() => piece.box && onLight("")}
                >
                  {words}
                  {piece.box && <span class="soft"> (box on the picture)</span>}
                </li>
              );
            })}
          </ol>
          <h5>2 · mapping</h5>
          <p>
            <Said text={stages.mapping || "–"} first={1_200} />
          </p>
          <h5>3 · sentiment</h5>
          <p>
            <Said text={stages.sentiment || "–"} first={600} />
          </p>
        </>
      )}
    </div>
  );
}

/** What a judge says: criteria with their questions, and whether what it quotes stands in the answer. */
function Rubric({ judgement, isOpen }: { judgement: Judgement; isOpen: boolean }) {
  return (
    <details class="rubric" open={isOpen}>
      <summary>
        Judged by {visible(clipped(judgement.judge, 120))}:{" "}
        {judgement.points === null ? "failed" : `${figure(judgement.points)} of 100 points`}
      </summary>
      {judgement.failure && (
        <p class="warn">
          <Said text={judgement.failure} first={600} />
        </p>
      )}
      {judgement.criteria.map((criterion) => (
        <div key={criterion.title} class="wide">
          <table>
            <caption>
              {visible(clipped(criterion.title, 160))}: {figure(criterion.points)} of 100
            </caption>
            <thead>
              <tr>
                <th scope="col">question</th>
                <th scope="col">answer</th>
                <th scope="col">what it quotes</th>
              </tr>
            </thead>
            <tbody>
              {criterion.ratings.map((rating, index) => (
                <tr key={index}>
                  <td>
                    <Said text={rating.question} first={400} />
                  </td>
                  <td>{visible(clipped(rating.answer, 60))}</td>
                  <td>
                    {rating.quote ? (
                      <>
                        <span class={rating.quote_found ? "yes" : "no"}>{rating.quote_found ? "✓ stands there" : "✗ does not stand there"}</span>{" "}
                        “<Said text={rating.quote} first={300} />”
                      </>
                    ) : (
                      <span class="soft">no quote</span>
                    )}
                    {rating.region && (
                      <span class="soft">
                        {" "}
                        region: <Said text={rating.region} first={160} />
                      </span>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ))}
    </details>
  );
}
