import { useEffect } from "preact/hooks";
import { clipped, visible } from "../shared/visible";

/** The title of the window as long as the page is open: what one tells tabs by. */
export function useTitle(words: string): void {
  useEffect(() => {
    document.title = `${visible(clipped(words, 120))} · Beholder`;
    return () => {
      document.title = "Beholder";
    };
  }, [words]);
}
