import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask, wellFormed } from "../shared/api";
import { chordOf, isWriting, shownChord } from "../shared/chords";
import { browserStorage, shelf } from "../shared/kept";
import { Said } from "../shared/Said";
import { visible } from "../shared/visible";
import { Conflict } from "./Conflict";
import { Decide } from "./Decide";
import { Desk } from "./desk";
import { asked, pieces } from "./filling";
import { fieldId, pieceId } from "./FormView";
import { Help } from "./Help";
import { History, when } from "./History";
import { type Command, keymapOf } from "./keymap";
import { Picture, type ShownBox } from "./Picture";
import { Proposals, Settled } from "./Proposals";
import { STATE_WORDS } from "./queue";
import { QueueList } from "./QueueList";
import { Record } from "./Record";
import type { Box, Project, Value } from "./types";

interface Props {
  project: Project;
  author: string;
  onLeave: () => void;
}

/** The page at work: the list, the item, the form, and the keys for all of it. */
export function DeskView({ project, author, onLeave }: Props) {
  const [, redraw] = useState(0);
  const desk = useMemo(() => {
    const drafts = shelf(`beholder:draft:${project.id}:${encodeURIComponent(wellFormed(author))}:`, browserStorage());
    return new Desk(project, author, drafts, ask, () => redraw((count) => count + 1));
  }, []);
  const [help, setHelp] = useState(false);
  const [list, setList] = useState(false);
  const [zoom, setZoom] = useState(1);
  const [explained, setExplained] = useKept("explanations", false);
  const [hints, setHints] = useKept("hints", true);
  const [ghosts, setGhosts] = useState<Box[]>([]);
  const keys = useMemo(() => keymapOf(project.form), []);
  const { sight } = desk;
  const { item, draft } = sight;

  useEffect(() => {
    void desk.start(keyInAddress());
    const back = () => {
      const key = keyInAddress();
      if (key && key !== desk.sight.item?.key) void desk.open(key);
    };
    const seen = () => {
      if (document.visibilityState === "visible" && !desk.sight.busy) void desk.refresh();
    };
    window.addEventListener("hashchange", back);
    document.addEventListener("visibilitychange", seen);
    return () => {
      window.removeEventListener("hashchange", back);
      document.removeEventListener("visibilitychange", seen);
    };
  }, []);
  // With the drawing and not after it: an address that is typed meanwhile must not be put back.
  useLayoutEffect(() => {
    if (item) history.replaceState(null, "", `#${encodeURIComponent(item.key)}`);
  }, [item?.key]);
  useEffect(() => {
    setGhosts([]);
    setZoom(1);
    window.scrollTo({ top: 0 });
  }, [item?.key]);
  useLayoutEffect(() => {
    if (!sight.focus) return;
    elementOf(sight.focus)?.focus();
    desk.look({ focus: "" });
  }, [sight.focus]);

  const zoomTo = (next: number) => setZoom(Math.min(8, Math.max(1, next)));
  const focusFirst = (kinds: string[]) => {
    const field = draft && asked(project.form, draft.value).find(({ kind }) => kinds.includes(kind));
    if (field) document.getElementById(fieldId(field.name))?.focus();
    return Boolean(field);
  };
  const commands: { [name in Command]: () => void } = {
    next: () => void desk.step(1),
    previous: () => void desk.step(-1),
    save: () => void desk.decide("save"),
    skip: () => void desk.decide("skip"),
    undo: () => void desk.undo(),
    note: () => document.getElementById("note")?.focus(),
    explain: () => focusFirst(["longtext"]) || focusFirst(["text"]),
    add: () => desk.addPiece() || desk.say("This form asks for no evidence."),
    box: () => desk.editBox(),
    zoom: () => zoomTo(zoom > 1 ? 1 : 2),
    larger: () => zoomTo(zoom * 1.25),
    smaller: () => zoomTo(zoom / 1.25),
    explanations: () => setExplained(!explained),
    search: () => {
      const focus = () => document.getElementById("search")?.focus();
      setList(true);
      focus(); // at once: what is typed next must not be taken for commands
      setTimeout(focus); // where the list was hidden until now
    },
    help: () => setHelp((before) => !before),
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing || event.defaultPrevented) return;
    const chord = chordOf(event);
    const writing = isWriting(event.target);
    if (chord === "escape" && !help) {
      if (writing && event.target instanceof HTMLElement) event.target.blur();
      setList(false);
      return;
    }
    if (writing && chord !== "ctrl+enter") return;
    const bound = keys.bound.get(chord);
    if (!bound || (help && !(bound.do === "command" && bound.command === "help"))) return;
    if (event.repeat && !(bound.do === "command" && ["next", "previous"].includes(bound.command))) return;
    event.preventDefault();
    if (bound.do === "command") commands[bound.command]();
    else if (bound.do === "take") desk.take(bound.proposal);
    else desk.choose(bound.field, bound.option);
  };
  const latest = useRef(onKey);
  latest.current = onKey;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => latest.current(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);

  const done = sight.rows.filter(({ state }) => state === "done").length;
  const last = item?.history.filter(({ action }) => action !== "refused").at(-1);
  return (
    <div class="desk">
      <header>
        <button type="button" class="list-toggle" aria-expanded={list} aria-controls="queue" onClick={() => setList(!list)}>
          List
        </button>
        <h1>{project.form.title}</h1>
        <div class="progress">
          <progress max={sight.rows.length || 1} value={done} aria-label="Items that are done" />
          <span id="count">
            {done} of {sight.rows.length} done
          </span>
        </div>
        <span class="spread" />
        <button type="button" title="Change the name" onClick={onLeave}>
          <span class="unseen">Name: </span>
          <span class="name" dir="auto">
            {visible(author)}
          </span>
        </button>
        <button type="button" onClick={commands.help} aria-label="Keys and help">
          Keys <kbd>{shownChord(keys.chord.help)}</kbd>
        </button>
      </header>
      <nav id="queue" class={list ? "queue open" : "queue"} aria-label="Items">
        <QueueList
          rows={desk.shown}
          all={sight.rows}
          current={item?.key ?? ""}
          drafts={sight.drafts}
          filter={sight.filter}
          search={sight.search}
          onFilter={(filter) => desk.look({ filter })}
          onSearch={(search) => desk.look({ search })}
          onOpen={(key) => {
            setList(false);
            void desk.open(key);
          }}
        />
      </nav>
      {item && draft && (
        <main key={item.key}>
          <div class="seen">
            <div class="item-head">
              <h2>Item {item.position + 1}</h2>
              <span class={`state ${item.state}`}>
                <span aria-hidden="true">{STATE_WORDS[item.state].mark}</span> {STATE_WORDS[item.state].word}
              </span>
              {last && (item.state === "done" || item.state === "skipped") && (
                <span class="state">
                  <Said text={last.author} first={60} />, {when(last.time)}
                </span>
              )}
            </div>
            {item.why && item.state !== "done" && <p class="why">{visible(item.why)}</p>}
            {sight.theirs && (
              <Conflict
                form={project.form}
                theirs={sight.theirs}
                mine={draft}
                onSaveMine={() => void desk.decide("save", true)}
                onTakeTheirs={() => desk.takeTheirs()}
                onUse={(field, filled) => desk.set(field, filled)}
              />
            )}
            <Picture
              pictures={item.images}
              zoom={zoom}
              zoomKey={shownChord(keys.chord.zoom)}
              onZoom={zoomTo}
              boxable={asked(project.form, draft.value).some(({ kind }) => kind === "evidence")}
              boxes={boxesOf(project, draft.value)}
              ghosts={ghosts}
              selected={sight.selected}
              onSelect={(selected) => desk.look({ selected })}
              onChange={(id, box) => desk.setBox(id, box)}
              onRemove={(id) => {
                desk.setBox(id, null);
                desk.look({ focus: `piece ${id}` });
              }}
              onDrawn={(box) => desk.drawn(box)}
              onLeave={(id) => desk.look({ focus: `piece ${id}` })}
            />
            <Record record={item.record} />
            {item.consensus && <Settled consensus={item.consensus} />}
            <Proposals
              form={project.form}
              proposals={item.proposals}
              chord={keys.take}
              onTake={(place) => desk.take(place)}
              explained={explained}
              explainKey={shownChord(keys.chord.explanations)}
              onExplain={commands.explanations}
              onLook={setGhosts}
            />
            <History form={project.form} history={item.history} onUse={(decision) => desk.use(decision)} />
          </div>
          <Decide
            desk={desk}
            project={project}
            commands={commands}
            chord={keys.chord}
            hints={hints}
            onHints={() => setHints(!hints)}
          />
        </main>
      )}
      {!item && <main class="seen soft">{sight.message.text || "Reading the items…"}</main>}
      <p role="status" aria-live="polite" class="unseen">
        {visible(sight.message.text)}
      </p>
      {sight.message.text && sight.message.kind !== "quiet" && (
        <p key={sight.message.turn} class={`message ${sight.message.kind}`} aria-hidden="true">
          {visible(sight.message.text)}
        </p>
      )}
      {help && <Help form={project.form} keys={keys} onClose={() => setHelp(false)} />}
    </div>
  );
}

function boxesOf(project: Project, value: Value): ShownBox[] {
  return asked(project.form, value)
    .filter(({ kind }) => kind === "evidence")
    .flatMap(({ name }) =>
      pieces(value, name).flatMap((piece, index) =>
        piece.box ? [{ id: pieceId(name, index), number: index + 1, label: visible(piece.text.slice(0, 80)), box: piece.box }] : [],
      ),
    );
}

function elementOf(focus: string): HTMLElement | null {
  const space = focus.indexOf(" ");
  const [what, id] = [focus.slice(0, space), focus.slice(space + 1)];
  if (what === "box") return document.querySelector<HTMLElement>(`.box[data-box="${CSS.escape(id)}"]`);
  if (what === "choice") {
    const [field, place] = id.split("/");
    return document.getElementById(fieldId(field!))?.querySelectorAll<HTMLElement>("input")[Number(place)] ?? null;
  }
  return document.getElementById(`piece-${id}`);
}

/** A setting that the browser keeps. */
function useKept(name: string, first: boolean): [boolean, (next: boolean) => void] {
  const kept = useMemo(() => shelf("beholder:view:", browserStorage()), []);
  const [value, setValue] = useState(() => {
    const before = kept.get(name);
    return typeof before === "boolean" ? before : first;
  });
  return [
    value,
    (next) => {
      kept.put(name, next);
      setValue(next);
    },
  ];
}

function keyInAddress(): string {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}
