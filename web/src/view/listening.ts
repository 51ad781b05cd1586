// Hearing of changes as they happen. A browser opens six connections to a server and no more, for all of its windows
// together: a window that nobody looks at must not hold one of them, or the seventh would wait for ever.

import type { Live } from "./source";

const AGAIN = 10_000; // milliseconds after which a line that was refused is tried again

/** What of a document is needed. */
export interface Looked {
  hidden: boolean;
  addEventListener(name: "visibilitychange", told: () => void): void;
  removeEventListener(name: "visibilitychange", told: () => void): void;
}

/** What of an `EventSource` is needed. */
export interface Line {
  readyState: number;
  addEventListener(name: string, told: (event: Event) => void): void;
  close(): void;
}

const CLOSED = 2;

/** Listens while the window is looked at, and in any case until it is told of how things stand for the first time. */
export function listening(page: Looked, open: () => Line, told: (live: Live) => void): () => void {
  let line: Line | null = null;
  let isTold = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const close = () => {
    clearTimeout(timer);
    line?.close();
    line = null;
  };
  const listen = () => {
    if (line) return;
    const own = open();
    line = own;
    own.addEventListener("runs", (event) => {
      try {
        told(JSON.parse((event as MessageEvent<string>).data) as Live);
      } catch {
        return; // half a message: the next one is whole
      }
      isTold = true;
      turned();
    });
    own.addEventListener("error", () => {
      if (own.readyState !== CLOSED || own !== line) return; // else the browser tries again itself
      close();
      timer = setTimeout(turned, AGAIN);
    });
  };
  const turned = () => (page.hidden && isTold ? close() : listen());
  page.addEventListener("visibilitychange", turned);
  listen();
  return () => {
    page.removeEventListener("visibilitychange", turned);
    close();
  };
}
