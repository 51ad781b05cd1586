// What a page keeps in the browser: bounded, and never needed. A browser that forbids it only forgets sooner.

const LONGEST = 200_000;
const MOST = 200;

export interface Shelf {
  get(name: string): unknown;
  put(name: string, content: unknown): void;
  drop(name: string): void;
  names(): string[];
}

interface Kept {
  at: number;
  content: unknown;
}

/** A shelf of at most 200 things under a common prefix; the oldest make room. */
export function shelf(prefix: string, storage: Storage | null, now: () => number = Date.now): Shelf {
  const keys = (): string[] => {
    if (!storage) return [];
    return Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "").filter((key) =>
      key.startsWith(prefix),
    );
  };
  const read = (key: string): Kept | null => {
    try {
      const kept: unknown = JSON.parse(storage?.getItem(key) ?? "null");
      return kept !== null && typeof kept === "object" && "content" in kept && "at" in kept ? (kept as Kept) : null;
    } catch {
      return null;
    }
  };
  const makeRoom = (): void => {
    const oldest = keys().sort((one, other) => (read(one)?.at ?? 0) - (read(other)?.at ?? 0));
    for (const key of oldest.slice(0, Math.max(0, oldest.length - MOST + 1))) storage?.removeItem(key);
  };
  return {
    get: (name) => read(prefix + name)?.content ?? null,
    put(name, content) {
      const text = JSON.stringify({ at: now(), content });
      if (text.length > LONGEST) return;
      try {
        if (storage?.getItem(prefix + name) === null) makeRoom();
        storage?.setItem(prefix + name, text);
      } catch {
        return; // the storage is full or forbidden: the draft lives as long as the page
      }
    },
    drop: (name) => storage?.removeItem(prefix + name),
    names: () => keys().map((key) => key.slice(prefix.length)),
  };
}

/** The browser's storage for this address, or null where it is forbidden. */
export function browserStorage(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}
