import { VirtualList } from "../shared/VirtualList";
import { clipped, visible } from "../shared/visible";
import { type Filter, STATE_WORDS } from "./queue";
import { type Row, STATES } from "./types";

interface Props {
  rows: Row[];
  all: Row[];
  current: string;
  drafts: Set<string>;
  filter: Filter;
  search: string;
  onFilter: (filter: Filter) => void;
  onSearch: (search: string) => void;
  onOpen: (key: string) => void;
}

/** All items with their states: what is to be decided first. */
export function QueueList(props: Props) {
  const { rows, all, current } = props;
  const counted = (filter: Filter) => all.filter((row) => row.state === filter).length;
  const states = STATES.filter((state) => counted(state) > 0 || props.filter === state);
  return (
    <>
      <div class="filters">
        <label>
          Show
          <select value={props.filter} onChange={(event) => props.onFilter(event.currentTarget.value as Filter)}>
            <option value="all">all items ({all.length})</option>
            <option value="waiting">what waits ({all.length - counted("done") - counted("skipped")})</option>
            {states.map((state) => (
              <option key={state} value={state}>
                {STATE_WORDS[state].word} ({counted(state)})
              </option>
            ))}
          </select>
        </label>
        <label>
          Search
          <input
            id="search"
            type="search"
            dir="auto"
            value={props.search}
            onInput={(event) => props.onSearch(event.currentTarget.value)}
          />
        </label>
      </div>
      {rows.length === 0 && <p class="soft">No item is like that.</p>}
      <VirtualList
        label="Items"
        count={rows.length}
        height={52}
        current={rows.findIndex((row) => row.key === current)}
        row={(index) => {
          const row = rows[index]!;
          const { mark, word } = STATE_WORDS[row.state];
          return (
            <button
              type="button"
              class={`queue-row ${row.state}`}
              aria-current={row.key === current ? "true" : undefined}
              onClick={() => props.onOpen(row.key)}
            >
              <span class="mark" aria-hidden="true">
                {mark}
              </span>
              <span class="queue-title">
                <span dir="auto">
                  <span class="soft">{row.position + 1}</span> {visible(clipped(row.title, 90)) || "(no title)"}
                </span>
                <small>
                  {word}
                  {props.drafts.has(row.key) && <b class="unsaved"> · not saved</b>}
                </small>
              </span>
            </button>
          );
        }}
      />
    </>
  );
}
