import { clipped, visible } from "../shared/visible";

/** Why there is nothing to show, in the place of the page or in it. */
export function Refusal({ sentence, isPage = false }: { sentence: string; isPage?: boolean }) {
  return (
    <p class={isPage ? "warn pad" : "warn"} role="alert">
      {visible(clipped(sentence, 600))}
    </p>
  );
}
