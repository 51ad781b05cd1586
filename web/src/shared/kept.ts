// What a page keeps in the browser, bounded. What the browser does not take is kept as long as the page lives.

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

/** A shelf of at most 200 things under a common prefix; the oldest make room. `storage` is null where it is forbidden. */
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
  const store = (key: string, text: string): boolean => {
    if (!storage || text.length > LONGEST) return false;
    try {
      if (storage.getItem(key) === null) makeRoom();
      storage.setItem(key, text);
      return true;
    } catch {
      return false; // the storage is full
    }
  };
  const unstored = new Map<string, unknown>();
  return {
    get: (name) => unstored.get(name) ?? read(prefix + name)?.content ?? null,
    put(name, content) {
      if (store(prefix + name, JSON.stringify({ at: now(), content }))) unstored.delete(name);
      else unstored.set(name, content);
    },
    drop(name) {
      unstored.delete(name);
      storage?.removeItem(prefix + name);
    },
    names: () => [...new Set([...keys().map((key) => key.slice(prefix.length)), ...unstored.keys()])],
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
