import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { Help } from "./Help";
import { Theme } from "./Theme";
import { type Keys, keysInUse, useKeys } from "./keys";
import { ComparePage } from "./pages/ComparePage";
import { LeaderboardPage } from "./pages/LeaderboardPage";
import { RunPage } from "./pages/RunPage";
import { RunsPage } from "./pages/RunsPage";
import { SamplePage } from "./pages/SamplePage";
import { SamplesPage } from "./pages/SamplesPage";
import { addressOf, go, useRoute } from "./router";
import { useScrolling } from "./scrolling";
import { type Live, type Source, versionsOf } from "./source";

const SourceContext = createContext<Source | null>(null);
/** Null until the source has told of it for the first time. */
const LiveContext = createContext<Live | null>(null);

/** Where the pages get what they show. */
export function useSource(): Source {
  const source = useContext(SourceContext);
  if (!source) throw new Error("there is no source");
  return source;
}

/** What changes whenever the run does: a reason to ask again. "" where nothing is known of it. */
export function useVersion(run: string): string {
  return useContext(LiveContext)?.versions[run] ?? "";
}

/** What changes whenever one of these runs does, or any run; "" as long as nothing is known. */
export function useVersions(runs?: string[]): string {
  const live = useContext(LiveContext);
  if (!live) return "";
  return versionsOf((runs ?? Object.keys(live.versions)).map((id) => ({ id, version: live.versions[id] ?? "" })));
}

/** How many runs' indexes are being made. */
export function useBeingMade(): number {
  return Object.keys(useContext(LiveContext)?.ready ?? {}).length;
}

/** How much of the run's index is made, 0..1; of several, of that which is least made. */
export function useReady(...runs: string[]): number {
  const ready = useContext(LiveContext)?.ready;
  return Math.min(...runs.map((run) => ready?.[run] ?? 1));
}

const SHOWN = {
  runs: RunsPage,
  run: RunPage,
  samples: SamplesPage,
  sample: SamplePage,
  compare: ComparePage,
  leaderboard: LeaderboardPage,
};

/** The head with the way around, and the page that the address names. */
export function Shell({ source }: { source: Source }) {
  const route = useRoute();
  useScrolling();
  const [live, setLive] = useState<Live | null>(null);
  useEffect(() => source.listen(setLive), [source]);
  const [help, setHelp] = useState<[string, string][] | null>(null);
  const keys: Keys = {
    "?": ["these keys", () => setHelp(keysInUse())],
    r: ["all runs", () => go(addressOf("runs"))],
    l: ["leaderboard", () => go(addressOf("leaderboard"))],
  };
  useKeys(keys, true);
  useEffect(() => {
    // The link that led here is gone, and the focus with it: go on from the content, not from the head.
    if (document.activeElement === document.body) document.getElementById("content")?.focus({ preventScroll: true });
  }, [route.page]);
  const Page = SHOWN[route.page];
  return (
    <SourceContext.Provider value={source}>
      <LiveContext.Provider value={live}>
        <a class="skip" href="#content" onClick={(event) => skip(event)}>
          Skip to the content
        </a>
        <header class="head">
          <a class="brand" href={addressOf("runs")}>
            Beholder
          </a>
          <nav aria-label="pages">
            <a href={addressOf("runs")} aria-current={route.page === "runs" ? "page" : undefined}>
              Runs
            </a>
            <a href={addressOf("leaderboard")} aria-current={route.page === "leaderboard" ? "page" : undefined}>
              Leaderboard
            </a>
          </nav>
          <span class="spread" />
          <Theme />
          <button type="button" onClick={() => setHelp(keysInUse())} aria-label="keys">
            ?
          </button>
        </header>
        <main id="content" tabIndex={-1} class={`page-${route.page}`}>
          <Page route={route} />
        </main>
        {help && <Help keys={help} onClose={() => setHelp(null)} />}
      </LiveContext.Provider>
    </SourceContext.Provider>
  );
}

/** The address after `#` is the page's own, so the focus is moved by hand. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}
