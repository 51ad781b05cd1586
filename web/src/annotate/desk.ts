// The work of one person at one item after another: what is shown, what is written, what is saved. No element of a page
// is touched here, so that all of it can be tested without a browser.

import { type Asking, Refused } from "../shared/api";
import type { Shelf } from "../shared/kept";
import { FIRST_BOX } from "./boxes";
import { type Draft, draftOf, evidenceField, isAsked, pieceAt, pieces, readDraft, same, text, toSend } from "./filling";
import { STATE_WORDS, neighbour, nextWaiting, shownRows } from "./queue";
import type { Message, Sight } from "./sight";
import type { Box, Decision, Filled, Item, Piece, Project, Row } from "./types";

export type Ask = <T>(path: string, asking?: Asking) => Promise<T>;

interface Answer {
  item: Item;
}

const CHOOSE = "Somebody saved meanwhile: look at both versions, then choose one.";

export class Desk {
  sight: Sight;
  private saved: { key: string; revision: number }[] = [];
  /** What `undo` brings back after a version was put into the form, and what was put there. */
  private taken: { before: Draft; put: Draft } | null = null;
  private opening = 0;

  constructor(
    private readonly project: Project,
    private readonly author: string,
    private readonly shelf: Shelf,
    private readonly asks: Ask,
    private readonly onChange: () => void = () => undefined,
  ) {
    this.sight = {
      rows: [],
      filter: "all",
      search: "",
      item: null,
      draft: null,
      theirs: null,
      faults: [],
      message: { text: "", kind: "news", turn: 0 },
      busy: false,
      selected: "",
      focus: "",
      drafts: new Set(shelf.names()),
    };
  }

  get form() {
    return this.project.form;
  }

  get shown(): Row[] {
    return shownRows(this.sight.rows, this.sight.filter, this.sight.search);
  }

  /** Whether something was written that is not saved. */
  get changed(): boolean {
    const { item, draft } = this.sight;
    return item !== null && draft !== null && this.differs(item, draft);
  }

  look(change: Partial<Sight>): void {
    this.sight = { ...this.sight, ...change };
    this.onChange();
  }

  say(text: string, kind: Message["kind"] = "news"): void {
    this.look({ message: { text, kind, turn: this.sight.message.turn + 1 } });
  }

  /** Reads the list, and opens an item: the wanted one, or the first that waits. */
  async start(wanted = ""): Promise<void> {
    await this.refresh();
    const { rows } = this.sight;
    const first = rows.find((row) => row.key === wanted) ?? nextWaiting(rows, "") ?? rows[0];
    if (first) await this.open(first.key);
  }

  async refresh(): Promise<void> {
    try {
      const { rows } = await this.asks<{ rows: Row[] }>("/api/queue", { author: this.author });
      this.look({ rows });
    } catch (error) {
      this.trouble(error);
    }
  }

  async open(key: string): Promise<void> {
    const turn = ++this.opening;
    try {
      const item = await this.asks<Item>(address(key), { author: this.author });
      if (turn !== this.opening) return;
      this.show(item);
      this.update(item);
      if (this.sight.theirs) return;
      const place = `Item ${item.position + 1}`;
      if (this.changed) this.say(`${place}: what you had not saved is back.`);
      else this.say(`${place}, ${STATE_WORDS[item.state].word}.`, "quiet");
    } catch (error) {
      if (turn === this.opening) this.trouble(error);
    }
  }

  async step(step: 1 | -1): Promise<void> {
    const next = neighbour(this.shown, this.sight.item?.key ?? "", step);
    if (next && next.key !== this.sight.item?.key) await this.open(next.key);
    else this.say(step > 0 ? "This is the last item of the list." : "This is the first item of the list.");
  }

  // -- writing ------------------------------------------------------------------------------------------------------

  set(field: string, filled: Filled): void {
    const { draft } = this.sight;
    if (draft) this.write({ ...draft, value: { ...draft.value, [field]: filled } });
  }

  setNote(note: string): void {
    const { draft } = this.sight;
    if (draft) this.write({ ...draft, note });
  }

  /** A choice by its key; the same key again takes it back where nothing has to be chosen. */
  choose(name: string, option: string): void {
    const { draft } = this.sight;
    const field = this.form.fields.find((one) => one.name === name);
    if (!draft || !field || !isAsked(field, draft.value)) return;
    const again = text(draft.value, name) === option && !field.required;
    this.set(name, again ? "" : option);
    this.look({ focus: `choice ${name}/${field.options?.indexOf(option)}` }); // so that Tab goes on from there
    this.say(again ? `${field.label}: nothing is chosen.` : `${field.label}: ${option}.`, "quiet");
  }

  /** Puts a proposal into the form; `undo` brings back what was there. */
  take(place: number): void {
    const { item, draft } = this.sight;
    const proposal = item?.proposals[place];
    if (!draft || !proposal) return;
    if (proposal.missing) return this.say(`Proposal ${place + 1} has no answer.`);
    this.put(draft, { ...draft, value: structuredClone(proposal.value) });
    this.look({ selected: "" });
    this.say(`Proposal ${place + 1} is in the form; undo brings back what was there.`);
  }

  /** Brings a version of the history into the form. */
  use(decision: Decision): void {
    const { draft } = this.sight;
    if (!draft) return;
    this.put(draft, { ...draft, value: structuredClone(decision.value), note: decision.note });
    this.say("That version is in the form, not saved yet; undo brings back what was there.");
  }

  /** Adds a piece to the first evidence that is asked for; false where the form has none. */
  addPiece(box: Box | null = null): boolean {
    const { draft } = this.sight;
    const field = draft && evidenceField(this.form, draft.value);
    if (!draft || !field) return false;
    const before = pieces(draft.value, field.name);
    if (before.length >= this.project.limits.pieces) {
      this.say(`There are ${before.length} pieces already, no more are kept.`, "trouble");
      return true;
    }
    const piece: Piece = { kind: "visual", text: "", ...(box && { box }) };
    this.set(field.name, [...before, piece]);
    const id = `${field.name}/${before.length}`;
    this.look({ selected: id, focus: `piece ${id}` });
    return true;
  }

  /** A box that was drawn: for the selected piece if it has none, otherwise for a new one. */
  drawn(box: Box): void {
    const found = this.piece(this.sight.selected);
    if (!found || found.piece.box) {
      this.addPiece(box);
      return;
    }
    this.setBox(this.sight.selected, box);
    this.look({ focus: `piece ${this.sight.selected}` });
  }

  /** Goes to the box of the selected piece, and makes one if there is none yet. */
  editBox(id = this.sight.selected): void {
    const { draft } = this.sight;
    const field = draft && evidenceField(this.form, draft.value);
    if (!field) return this.say("This form asks for no boxes.");
    if (pieces(draft.value, field.name).length === 0) this.addPiece();
    const found = this.piece(id) ?? this.piece(`${field.name}/0`);
    if (!found) return;
    if (!found.piece.box) this.setBox(found.id, FIRST_BOX);
    this.look({ selected: found.id, focus: `box ${found.id}` });
    this.say("Arrow keys move the box, shift and arrow keys resize it, Enter goes on to its text.");
  }

  setBox(id: string, box: Box | null): void {
    const found = this.piece(id);
    if (!found || !this.sight.draft) return;
    const all = pieces(this.sight.draft.value, found.field);
    const changed = { ...found.piece, box };
    this.set(
      found.field,
      all.map((piece, index) => (index === found.index ? changed : piece)),
    );
  }

  /** Throws away what was written here and not saved. */
  dropDraft(): void {
    const { item } = this.sight;
    if (!item) return;
    this.forget(item.key);
    this.show({ ...item });
    this.say("Your changes were dropped.");
  }

  // -- deciding -----------------------------------------------------------------------------------------------------

  /** Saves or skips, and goes on to what waits. A stale save keeps what was written and shows what others saved. */
  async decide(action: "save" | "skip", onTop = false): Promise<void> {
    const { item, draft, theirs, busy } = this.sight;
    if (!item || !draft || busy) return;
    if (theirs && !onTop) return this.say(CHOOSE, "trouble");
    const body = { value: toSend(this.form, draft.value), note: draft.note, revision: draft.revision, action };
    this.look({ busy: true, faults: [] });
    try {
      const said = await this.asks<Answer>(address(item.key), { method: "PUT", author: this.author, body });
      this.saved.push({ key: item.key, revision: said.item.revision });
      await this.afterDecision(draft, said.item, action === "save" ? "Saved" : "Skipped");
    } catch (error) {
      this.refused(error, item, draft);
    } finally {
      this.look({ busy: false });
    }
  }

  /** Undoes the nearest thing: a proposal that was taken over, this item's decision, or the last one made here. */
  async undo(): Promise<void> {
    const { item, draft, theirs, busy } = this.sight;
    if (!item || !draft || busy) return;
    if (theirs) return this.say(CHOOSE, "trouble");
    if (this.taken) return this.untake(this.taken, draft);
    const decided = item.state === "done" || item.state === "skipped";
    if (decided && this.changed) return this.say("Save or drop your changes here before you undo the decision.", "trouble");
    const last = this.saved.at(-1);
    const key = decided ? item.key : last?.key;
    if (!key) return this.say("There is nothing to undo.");
    if (key !== item.key) await this.open(key);
    const { item: opened } = this.sight;
    if (!opened || opened.key !== key || this.changed) return;
    if (!decided && opened.revision !== last?.revision) {
      this.saved.pop(); // what holds now is not what was decided here, and nobody has looked at it yet
      return this.say(`Item ${opened.position + 1}: somebody changed it after you, so nothing was taken back.`, "trouble");
    }
    this.look({ busy: true });
    try {
      const body = { revision: opened.revision };
      const said = await this.asks<Answer>(`${address(key)}/undo`, { method: "POST", author: this.author, body });
      this.saved = this.saved.filter((one) => one.key !== key);
      this.forget(key);
      this.update(said.item);
      this.show(said.item);
      this.say(`Item ${said.item.position + 1}: the last decision was taken back.`);
    } catch (error) {
      this.refused(error, opened, null);
    } finally {
      this.look({ busy: false });
    }
  }

  /** Keeps what is saved, and drops one's own version, which the history of the item has if it was sent. */
  takeTheirs(): void {
    const { theirs } = this.sight;
    if (!theirs) return;
    this.forget(theirs.key);
    this.show(theirs);
    this.say("What is saved was kept; your version was dropped.");
  }

  // -- inside -------------------------------------------------------------------------------------------------------

  private async afterDecision(sent: Draft, saved: Item, word: string): Promise<void> {
    this.update(saved);
    const { item, draft } = this.sight;
    if (item?.key !== saved.key || !draft) {
      this.forgetSent(saved.key, sent);
      return this.say(`${word} item ${saved.position + 1}.`);
    }
    if (draft !== sent) {
      // Written on while the answer was on its way: it stays, based on what was just saved.
      this.look({ item: saved, theirs: null });
      this.write({ ...draft, revision: saved.revision });
      return this.say(`${word}; what you wrote since is not saved yet.`);
    }
    this.forgetSent(saved.key, sent);
    const next = nextWaiting(this.shown, saved.key) ?? nextWaiting(this.sight.rows, saved.key);
    if (!next) {
      this.show(saved);
      return this.say(`${word}. Nothing else waits: all items have been seen.`);
    }
    await this.open(next.key);
    if (!this.sight.theirs && this.sight.item?.key === next.key)
      this.say(`${word} item ${saved.position + 1}. This is item ${next.position + 1}.`);
  }

  /** What was asked of `about` was refused: a save of `draft`, or an undo (null). */
  private refused(error: unknown, about: Item, draft: Draft | null): void {
    if (!(error instanceof Refused)) throw error;
    const item = error.status === 409 ? (error.body.item as Item | undefined) : undefined;
    if (item) this.update(item);
    if (this.sight.item?.key !== about.key) {
      // Another item is looked at by now. The draft is kept, and its old revision will show the conflict there.
      this.say(`Item ${about.position + 1} was not ${draft ? "saved" : "undone"}. ${error.message}`, "trouble");
    } else if (item && draft) {
      this.look({ item, theirs: item });
      this.write({ ...(this.sight.draft ?? draft), revision: item.revision });
      this.say("Not saved: somebody saved this item meanwhile. What you wrote is still here.", "trouble");
    } else if (item) {
      this.show(item);
      this.say("Not undone: somebody changed this item meanwhile.", "trouble");
    } else if (error.status === 422) {
      const faults = Array.isArray(error.body.faults) ? error.body.faults.map(String) : [error.message];
      this.look({ faults });
      this.say(faults.length === 1 ? `Not saved. ${faults[0]}` : `Not saved: ${faults.length} things to mend.`, "trouble");
    } else this.trouble(error);
  }

  /** Puts another version into the form, so that undo can bring back what was there. */
  private put(before: Draft, put: Draft): void {
    this.taken = { before, put };
    this.write(put);
  }

  /** Brings back what was there. What was written on top of the other version comes back by undoing once more. */
  private untake(taken: { before: Draft; put: Draft }, now: Draft): void {
    const back = { ...taken.before, revision: now.revision };
    const writtenSince = now !== taken.put;
    this.taken = writtenSince ? { before: now, put: back } : null;
    this.write(back);
    this.say(`What was there before is back${writtenSince ? "; undo again brings back what you wrote since" : ""}.`);
  }

  private trouble(error: unknown): void {
    if (!(error instanceof Refused)) throw error;
    this.say(error.status ? error.message : `${error.message} What you wrote is kept in this browser.`, "trouble");
  }

  /** Shows an item with the draft that was kept of it, if there is one; one that is stale is shown as a conflict. */
  private show(item: Item): void {
    const kept = readDraft(this.shelf.get(item.key));
    const useful = kept !== null && this.differs(item, kept);
    if (kept && !useful) this.forget(item.key);
    this.taken = null;
    const stale = useful && kept.revision !== item.revision;
    const draft = useful ? { ...kept, revision: item.revision } : draftOf(item);
    this.look({ item, draft, theirs: stale ? item : null, faults: [], selected: "" });
    if (stale) this.say("Somebody saved this item since you wrote your draft. Both versions are here.", "trouble");
  }

  private write(draft: Draft): void {
    const { item, drafts, theirs } = this.sight;
    if (!item) return;
    const unsaved = this.differs(item, draft) || theirs !== null;
    if (unsaved) this.shelf.put(item.key, theirs ? { ...draft, revision: -1 } : draft);
    else this.shelf.drop(item.key);
    const next = new Set(drafts);
    if (unsaved) next.add(item.key);
    else next.delete(item.key);
    this.look({ draft, drafts: next, faults: [] });
  }

  private forget(key: string): void {
    this.shelf.drop(key);
    this.look({ drafts: new Set([...this.sight.drafts].filter((one) => one !== key)) });
  }

  /** Forgets the draft of what was saved; not one that another tab has written since. */
  private forgetSent(key: string, sent: Draft): void {
    const kept = readDraft(this.shelf.get(key));
    if (kept && same(this.form, kept.value, sent.value) && kept.note.trim() === sent.note.trim()) this.forget(key);
  }

  private differs(item: Item, draft: Draft): boolean {
    return !same(this.form, draft.value, item.value) || draft.note.trim() !== item.note.trim();
  }

  private update(item: Item): void {
    const rows = this.sight.rows.map((row) =>
      row.key === item.key ? { ...row, state: item.state, revision: item.revision } : row,
    );
    this.look({ rows });
  }

  private piece(id: string) {
    return this.sight.draft && pieceAt(this.sight.draft.value, id);
  }
}

function address(key: string): string {
  return `/api/items/${encodeURIComponent(key)}`;
}
