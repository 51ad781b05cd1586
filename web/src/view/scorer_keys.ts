import { clipped, visible } from "../shared/visible";

/** The keys 1 to 9 for the scorers of a run. */
export function scorerKeys(scorers: string[], choose: (scorer: string) => void): Record<string, [string, () => void]> {
  return Object.fromEntries(
    scorers.slice(0, 9).map((scorer, place) => [String(place + 1), [`scorer ${visible(clipped(scorer, 40))}`, () => choose(scorer)]]),
  );
}
