import { useEffect, useState } from "preact/hooks";
import { askerOf } from "../asked";
import { nextOf } from "../samples/filters";
import { memoryOf } from "../samples/memory";
import type { Samples } from "../samples/useSamples";
import { useSource } from "../Shell";
import type { MarkRow, SamplePage } from "../types";

interface Paged {
  page: SamplePage | null;
  refused: string;
  isWaiting: boolean;
  setMarks: (marks: MarkRow[]) => void;
}

/** The page of a sample; that of the one before stays until it is here. */
export function usePage(run: string, key: string, turn: number): Paged {
  const source = useSource();
  const [shown, setShown] = useState<{ key: string; page: SamplePage | null; refused: string }>({ key: "", page: null, refused: "" });
  useEffect(() => {
    const asker = askerOf(
      () => memoryOf(source).sample(run, key, String(turn)),
      (asked) =>
        asked.state === "here"
          ? setShown({ key, page: asked.found, refused: "" })
          : asked.state === "refused" && setShown({ key, page: null, refused: asked.sentence }),
    );
    asker.ask();
    return asker.stop;
  }, [run, key, turn]);
  const setMarks = (marks: MarkRow[]) => {
    memoryOf(source).forget(run, key, String(turn));
    setShown((before) => (before.page && before.key === key ? { ...before, page: { ...before.page, marks } } : before));
  };
  return { page: shown.page, refused: shown.key === key ? shown.refused : "", isWaiting: shown.key !== key, setMarks };
}

/** Fetches what comes next and before, so that going there is at once. */
export function useNeighbours(run: string, samples: Samples, page: SamplePage | null, turn: number, isWaiting: boolean): void {
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
