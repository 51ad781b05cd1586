import { Said } from "../../shared/Said";
import { clipped, visible } from "../../shared/visible";
import type { SamplePage } from "../types";

/** What was asked: question, options, gold, and where it comes from. */
export function Item({ page }: { page: SamplePage }) {
  const facts = [
    page.id && page.id !== String(page.index) && `id ${page.id}`,
    page.category,
    page.difficulty && `difficulty ${page.difficulty}`,
    page.group && `group ${page.group}`,
    page.source,
  ].filter((fact): fact is string => Boolean(fact));
  return (
    <section class="item" aria-label="Question">
      <p class="item-facts">
        {facts.map((fact) => (
          <span key={fact} class="tag said">
            {visible(clipped(fact, 160))}
          </span>
        ))}
      </p>
      <div class="question">
        <Said text={page.question || "(no question)"} first={1_500} />
      </div>
      {page.options.length > 0 && (
        <ol class="sample-options">
          {page.options.slice(0, 60).map((option, index) => (
            <li key={index}>
              <Said text={option} first={600} />
            </li>
          ))}
        </ol>
      )}
      <p class="gold-line">
        <b>Gold</b> <Said text={page.gold || "–"} first={800} />
      </p>
      {page.stored.length > 0 && (
        <details class="stored" open={page.stored.length <= 2}>
          <summary>The {page.stored.length} stored answers</summary>
          <ol>
            {page.stored.map((text, index) => (
              <li key={index}>
                <Said text={text} first={1_200} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  );
}
