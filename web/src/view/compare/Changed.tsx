import { visible } from "../../shared/visible";
import { addressOf } from "../router";
import type { ComparePage, ItemRef } from "../types";
import { counted } from "../words";

const SHOWN = 60;

/** The items that the second run gained and lost against the first, with links to both. */
export function Changed({ page }: { page: ComparePage }) {
  const pair = page.pairs.find((one) => one.a === 0 && one.b === 1);
  const [first, second] = page.runs;
  if (!pair || !first || !second || pair.gained + pair.lost === 0) return null;
  const all = (change: string) => addressOf("samples", { run: second.id, scorer: page.scorer, against: first.id, change });
  return (
    <section class="card">
      <h2>
        Gained and lost <small class="soft">by the second run against the first</small>
      </h2>
      <div class="columns">
        <List title="gained" items={page.gained} count={pair.gained} all={all("gained")} page={page} />
        <List title="lost" items={page.lost} count={pair.lost} all={all("lost")} page={page} />
      </div>
    </section>
  );
}

interface Props {
  title: "gained" | "lost";
  items: ItemRef[];
  count: number;
  all: string;
  page: ComparePage;
}

function List({ title, items, count, all, page }: Props) {
  const [first, second] = page.runs;
  const address = (run: string, against: string, key: string) =>
    addressOf("sample", { run, key, scorer: page.scorer, against, change: title });
  return (
    <div>
      <h3>
        <a href={all}>
          {counted(count)} {title}
        </a>
      </h3>
      <ul class="refs">
        {items.slice(0, SHOWN).map((item) => (
          <li key={item.key}>
            <a href={address(second!.id, first!.id, item.key)}>{visible(item.key.slice(0, 10))}</a>
            <a class="soft" href={addressOf("sample", { run: first!.id, key: item.key, scorer: page.scorer })}>
              first
            </a>
          </li>
        ))}
      </ul>
      {count > SHOWN && (
        <a href={all}>
          all {counted(count)}
        </a>
      )}
    </div>
  );
}
