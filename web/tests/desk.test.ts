// The work at the desk against a server that is played by a few lines.

import { beforeEach, expect, test } from "vitest";
import { type Ask, Desk } from "../src/annotate/desk";
import type { Item, Project, Row, State, Value } from "../src/annotate/types";
import { type Asking, Refused } from "../src/shared/api";
import type { Shelf } from "../src/shared/kept";
import { M3R } from "./forms";

const PROGRESS = { items: 3, done: 0, skipped: 0, adjudicate: 0, confirm: 3, open: 0, kept_apart: 0 };
const PROJECT: Project = {
  id: "p",
  form: M3R,
  limits: { text: 500, longtext: 10_000, piece: 1_000, pieces: 3, note: 2_000, name: 60 },
  progress: PROGRESS,
};

class Server {
  items = new Map<string, Item>();
  asked: [string, string, unknown][] = [];
  fails: Refused | null = null;
  during: () => void = () => undefined;

  constructor() {
    for (const position of [0, 1, 2]) this.put(`k${position}`, position, {}, "confirm", 0);
  }

  put(key: string, position: number, value: Value, state: State, revision: number): Item {
    const proposals = [
      { letter: "A", value: { metaphor: "no", sentiment: "bad" } },
      { letter: "B", value: {}, missing: "refused" },
    ];
    const record = { text: key };
    const common = { image: "", images: [], consensus: null, why: "", note: "", history: [] };
    const item: Item = { key, position, record, proposals, value, state, revision, ...common };
    this.items.set(key, item);
    return item;
  }

  ask = async <T>(path: string, { method = "GET", body }: Asking = {}): Promise<T> => {
    this.asked.push([method, path, body]);
    this.during();
    if (this.fails) throw this.fails;
    if (path === "/api/queue") {
      const rows: Row[] = [...this.items.values()].map(({ key, position, state, why, revision }) => {
        return { key, position, title: key, state, why, revision };
      });
      return { rows } as T;
    }
    const key = decodeURIComponent(path.split("/")[3]!);
    const item = this.items.get(key)!;
    if (method === "GET") return structuredClone(item) as T;
    const sent = body as { value?: Value; revision: number; action?: string };
    if (sent.revision !== item.revision) throw new Refused("late", 409, { item: structuredClone(item) });
    const state: State = path.endsWith("/undo") ? "confirm" : sent.action === "skip" ? "skipped" : "done";
    const next = this.put(key, item.position, sent.value ?? {}, state, item.revision + 1);
    return { item: structuredClone(next) } as T;
  };
}

function memory(): Shelf {
  const things = new Map<string, unknown>();
  return {
    get: (name) => structuredClone(things.get(name) ?? null),
    put: (name, content) => void things.set(name, structuredClone(content)),
    drop: (name) => void things.delete(name),
    names: () => [...things.keys()],
  };
}

let server: Server;
let drafts: Shelf;
let desk: Desk;
const open = async () => {
  desk = new Desk(PROJECT, "Ada", drafts, server.ask);
  await desk.start();
};

beforeEach(async () => {
  server = new Server();
  drafts = memory();
  await open();
});

const here = () => desk.sight.item?.key;

test("a save goes on to what waits, and tells when nothing does", async () => {
  desk.set("metaphor", "no");
  await desk.decide("save");
  expect(here()).toBe("k1");
  await desk.decide("skip");
  await desk.decide("save");
  expect(here()).toBe("k2");
  expect(desk.sight.message.text).toContain("Nothing else waits");
  expect([...server.items.values()].map(({ state }) => state)).toEqual(["done", "skipped", "done"]);
  expect(drafts.names()).toEqual([]);
});

test("a draft is kept until it is saved, and comes back", async () => {
  desk.set("mapping", "half");
  expect(desk.changed).toBe(true);
  await desk.step(1);
  expect([...desk.sight.drafts]).toEqual(["k0"]);
  await open();
  expect(here()).toBe("k0");
  expect(desk.sight.draft?.value.mapping).toBe("half");
  desk.set("mapping", "");
  expect(drafts.names()).toEqual([]);
});

test("a stale save shows both, and is sent again only when one says so", async () => {
  desk.set("mapping", "mine");
  server.put("k0", 0, { mapping: "theirs" }, "done", 1);
  await desk.decide("save");
  expect(desk.sight.theirs?.value).toEqual({ mapping: "theirs" });
  expect(desk.sight.draft?.value).toEqual({ mapping: "mine" });
  await desk.decide("save");
  await desk.undo();
  expect(server.items.get("k0")?.revision).toBe(1);
  await open();
  await desk.open("k0");
  expect(desk.sight.theirs?.revision).toBe(1);
  await desk.decide("save", true);
  expect(server.items.get("k0")).toMatchObject({ value: { mapping: "mine" }, revision: 2 });
  expect(drafts.names()).toEqual([]);
});

test("the other version can be taken", async () => {
  desk.set("mapping", "mine");
  server.put("k0", 0, { mapping: "theirs" }, "done", 1);
  await desk.decide("save");
  desk.takeTheirs();
  expect(desk.sight.draft).toEqual({ value: { mapping: "theirs" }, note: "", revision: 1 });
  expect(desk.sight.theirs).toBeNull();
  expect(drafts.names()).toEqual([]);
});

test("a draft that others overtook while one was away is shown as a conflict", async () => {
  desk.set("mapping", "mine");
  server.put("k0", 0, { mapping: "theirs" }, "done", 1);
  await open();
  await desk.open("k0");
  expect(desk.sight.theirs?.value).toEqual({ mapping: "theirs" });
  expect(desk.sight.draft).toEqual({ value: { mapping: "mine" }, note: "", revision: 1 });
});

test("what is written while a save is on its way stays, based on what was saved", async () => {
  desk.set("mapping", "first");
  server.during = () => {
    server.during = () => undefined;
    desk.set("mapping", "first and more");
  };
  await desk.decide("save");
  expect(here()).toBe("k0");
  expect(desk.sight.draft).toEqual({ value: { mapping: "first and more" }, note: "", revision: 1 });
  expect(server.items.get("k0")?.value).toEqual({ mapping: "first" });
});

test("a save that did not arrive loses nothing", async () => {
  desk.set("mapping", "mine");
  server.fails = new Refused("The server cannot be reached.", 0);
  await desk.decide("save");
  expect(desk.sight.message).toMatchObject({ kind: "trouble", text: "The server cannot be reached. What you wrote is kept in this browser." });
  expect(desk.sight.draft?.value.mapping).toBe("mine");
  expect(desk.sight.busy).toBe(false);
  server.fails = null;
  await desk.decide("save");
  expect(here()).toBe("k1");
});

test("faults are kept until something is changed", async () => {
  server.fails = new Refused("Target: please fill this in.", 422, { faults: ["Target: please fill this in."] });
  await desk.decide("save");
  expect(desk.sight.faults).toEqual(["Target: please fill this in."]);
  desk.set("metaphor", "no");
  expect(desk.sight.faults).toEqual([]);
});

test("undo takes back the nearest thing first", async () => {
  desk.set("metaphor", "no");
  await desk.decide("save");
  desk.take(0);
  expect(desk.sight.draft?.value.sentiment).toBe("bad");
  await desk.undo();
  expect(desk.sight.draft?.value).toEqual({});
  expect(here()).toBe("k1");
  await desk.undo();
  expect(here()).toBe("k0");
  expect(server.items.get("k0")?.state).toBe("confirm");
  await desk.undo();
  expect(desk.sight.message.text).toBe("There is nothing to undo.");
});

test("changes are not thrown away by undoing the decision under them", async () => {
  await desk.decide("save");
  await desk.open("k0");
  desk.set("mapping", "an afterthought");
  await desk.undo();
  expect(desk.sight.message.kind).toBe("trouble");
  expect(server.items.get("k0")?.state).toBe("done");
});

test("a proposal without an answer changes nothing", () => {
  desk.set("metaphor", "yes");
  desk.take(1);
  desk.take(7);
  expect(desk.sight.draft?.value).toEqual({ metaphor: "yes" });
});

test("a choice by its key: again takes it back where nothing has to be chosen, and not where it is hidden", () => {
  desk.choose("sentiment", "bad");
  desk.choose("sentiment", "bad");
  desk.choose("metaphor", "no");
  desk.choose("metaphor", "no");
  expect(desk.sight.draft?.value).toEqual({ sentiment: "", metaphor: "no" });
});

test("boxes: drawn for the selected piece without one, otherwise for a new one, and no more than are kept", () => {
  desk.drawn([0, 0, 0.5, 0.5]);
  desk.drawn([0, 0, 0.2, 0.2]);
  desk.addPiece();
  desk.drawn([0.5, 0.5, 1, 1]);
  expect(desk.sight.focus).toBe("piece evidence/2");
  expect(desk.addPiece()).toBe(true);
  const boxes = (desk.sight.draft?.value.evidence as { box?: unknown }[]).map(({ box }) => box);
  expect(boxes).toEqual([
    [0, 0, 0.5, 0.5],
    [0, 0, 0.2, 0.2],
    [0.5, 0.5, 1, 1],
  ]);
  desk.setBox("evidence/0", null);
  desk.editBox("evidence/0");
  expect(desk.sight.focus).toBe("box evidence/0");
});

test("the answer to an older question does not replace a newer one", async () => {
  const ask = server.ask;
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  server.ask = async <T>(path: string, asking?: Asking): Promise<T> => {
    if (path.endsWith("/k1")) await held;
    return ask<T>(path, asking);
  };
  desk = new Desk(PROJECT, "Ada", drafts, server.ask);
  await desk.start();
  const slow = desk.open("k1");
  await desk.open("k2");
  release();
  await slow;
  expect(here()).toBe("k2");
});

/** The desk at k0, from which one goes on to k1 and writes there before a save is answered. */
async function leaving(mapping: string): Promise<void> {
  const ask: Ask = async (path, asking) => {
    if (asking?.method === "PUT") {
      await desk.open("k1");
      if (mapping) desk.set("mapping", mapping);
    }
    return server.ask(path, asking);
  };
  desk = new Desk(PROJECT, "Ada", drafts, ask);
  await desk.start("k0");
}

test("a save that is refused once another item is looked at mixes up no texts", async () => {
  await leaving("of the other");
  desk.set("mapping", "mine");
  server.put("k0", 0, { mapping: "theirs" }, "done", 1);
  await desk.decide("save");
  expect([here(), desk.sight.theirs]).toEqual(["k1", null]);
  expect(desk.sight.draft).toEqual({ value: { mapping: "of the other" }, note: "", revision: 0 });
  expect(desk.sight.message).toMatchObject({ kind: "trouble", text: "Item 1 was not saved. late" });
  await desk.open("k0");
  expect(desk.sight.draft?.value).toEqual({ mapping: "mine" });
  expect(desk.sight.theirs?.value).toEqual({ mapping: "theirs" });
});

test("faults of a save are not shown at another item", async () => {
  await leaving("");
  desk.set("mapping", "mine");
  server.during = () => {
    if (here() === "k1") server.fails = new Refused("Target: please fill this in.", 422, { faults: ["…"] });
  };
  await desk.decide("save");
  expect([here(), desk.sight.faults]).toEqual(["k1", []]);
  expect(desk.sight.message.text).toBe("Item 1 was not saved. Target: please fill this in.");
  expect(drafts.names()).toEqual(["k0"]);
});

test("a save that is answered once another item is looked at leaves no draft", async () => {
  await leaving("");
  desk.set("mapping", "mine");
  await desk.decide("save");
  expect([here(), desk.sight.message.text]).toEqual(["k1", "Saved item 1."]);
  expect([drafts.names(), [...desk.sight.drafts]]).toEqual([[], []]);
});

test("a save in one tab does not drop the draft of another", async () => {
  desk.set("mapping", "of this tab");
  drafts.put("k0", { value: { mapping: "of the other tab" }, note: "", revision: 0 });
  await desk.decide("save");
  await desk.open("k0");
  expect(desk.sight.draft?.value).toEqual({ mapping: "of the other tab" });
  expect(desk.sight.theirs?.value).toEqual({ mapping: "of this tab" });
});

test("undo takes back one's own decision, not what somebody else decided after it", async () => {
  await desk.decide("save");
  server.put("k0", 0, { mapping: "theirs" }, "done", 2);
  await desk.undo();
  expect([here(), server.items.get("k0")?.revision]).toEqual(["k0", 2]);
  expect(desk.sight.message).toMatchObject({ kind: "trouble" });
  await desk.undo(); // now that it was seen
  expect(server.items.get("k0")).toMatchObject({ state: "confirm", revision: 3 });
});

test("what was written on top of a proposal comes back after an undo too many", async () => {
  desk.set("mapping", "before");
  desk.take(0);
  desk.set("mapping", "a long thought");
  await desk.undo();
  expect(desk.sight.draft?.value).toEqual({ mapping: "before" });
  await desk.undo();
  expect(desk.sight.draft?.value).toMatchObject({ sentiment: "bad", mapping: "a long thought" });
  await desk.undo();
  expect(desk.sight.message.text).toBe("There is nothing to undo.");
});
