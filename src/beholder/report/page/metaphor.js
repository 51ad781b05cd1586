"use strict";
// An answer about a metaphor: labels and stages of gold and answer, boxes over the picture, what each judge said.
// Everything is set as text; of a box only finite numbers from 0 to 100 are drawn.
const metaphorCards = ({ make, said, opened, labels, data, large }) => {
  const SVG = "http://www.w3.org/2000/svg";
  const SIGNS = { 1: ["✓", "v-right", "right"], 0: ["✗", "v-wrong", "wrong"], "-1": ["–", "v-none", "not compared"] };
  const ANSWERS = { yes: ["✓", "v-right"], partly: ["◐", "v-partly"], no: ["✗", "v-wrong"] };
  const kinds = new Map(data.metaphor);
  const known = new Set(data.told);

  const shape = (name, attributes, parent) => {
    const element = document.createElementNS(SVG, name);
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
    parent.append(element);
    return element;
  };
  const isBox = (box) => Array.isArray(box) && box.length === 4
    && box.every((side) => Number.isFinite(side) && side >= 0 && side <= 100);
  const boxesOf = (stages, letter) => (stages && stages.e ? stages.e : [])
    .map(([, , , box], place) => [`${letter}${place + 1}`, box]).filter(([, box]) => isBox(box));

  // Boxes over a picture: the gold's solid, named G1, G2, …; the answer's dashed, named A1, A2, …
  const overlay = (gold, answer) => {
    const drawing = document.createElementNS(SVG, "svg");
    drawing.setAttribute("class", "over");
    drawing.setAttribute("role", "img");
    const all = [[boxesOf(gold, "G"), "gold-box"], [boxesOf(answer, "A"), "answer-box"]];
    const names = all.flatMap(([boxes]) => boxes.map(([name]) => name));
    drawing.setAttribute("aria-label", `boxes ${names.join(", ")}; their places stand with the evidence`);
    const outline = (boxes, look) => boxes.forEach(([, [x, y, width, height]]) => shape(
      "rect", { x: `${x}%`, y: `${y}%`, width: `${width}%`, height: `${height}%`, class: look }, drawing,
    ));
    // Two boxes may be the same: the thin dashes lie upon the thick line, and the names stand in opposite corners.
    all.forEach(([boxes]) => outline(boxes, "halo"));
    all.forEach(([boxes, look]) => outline(boxes, look));
    all.forEach(([boxes, look]) => boxes.forEach(([name, [x, y, width, height]]) => {
      const corner = look === "gold-box" ? { x: `${x}%`, y: `${y}%`, dx: 4, dy: 14 }
        : { x: `${x + width}%`, y: `${y + height}%`, dx: -4, dy: -5, "text-anchor": "end" };
      shape("text", { ...corner, class: look }, drawing).textContent = name;
    }));
    return names.length ? drawing : null;
  };

  const labelTable = (rows) => {
    const table = make("table", "pairs");
    const head = table.createTHead().insertRow();
    ["", "gold", "answer", ""].forEach((name) => head.append(make("th", "", name)));
    const body = table.createTBody();
    rows.forEach(([name, gold, answer, right, why]) => {
      const row = body.insertRow();
      const first = make("th", "", name);
      first.scope = "row";
      row.append(first);
      [gold, answer].forEach((text) => { row.insertCell().append(said(text)); });
      const [sign, tone, word] = SIGNS[right];
      row.insertCell().append(make("span", tone, `${sign} ${word}`));
      if (!why) return;
      const told = body.insertRow();
      told.insertCell();
      const words = told.insertCell();
      words.colSpan = 3;
      words.append(make("div", "note", why));
    });
    return table;
  };

  const EMPTY = "(none)";
  const evidence = (stages, letter) => {
    if (!stages.e) return make("div", "note", EMPTY);
    const items = make("ul", "pieces");
    stages.e.forEach(([kind, text, place], number) => {
      const item = make("li");
      item.append(make("b", "", `${letter}${number + 1}`), make("span", "note", ` ${kind} `));
      const words = make("span", "", text);
      words.dir = "auto";
      item.append(words);
      if (place) item.append(make("span", "note", ` (${place})`));
      items.append(item);
    });
    if (stages.more) items.append(make("li", "note", `${stages.more} more pieces, not in this page`));
    return items;
  };
  const stagesGrid = (gold, answer) => {
    const grid = make("div", "stages");
    [["e", "evidence"], ["m", "mapping"], ["s", "sentiment"]].forEach(([key, name]) => {
      [["gold", gold, "G"], ["answer", answer, "A"]].forEach(([whose, stages, letter]) => {
        const cell = make("div");
        cell.append(make("b", "note", `${name}, ${whose}`));
        if (key === "e") cell.append(evidence(stages, letter));
        else cell.append(stages[key] ? said(stages[key]) : make("div", "note", EMPTY));
        grid.append(cell);
      });
    });
    return grid;
  };
  const figure = (sample, gold, answer) => {
    const boxes = overlay(gold, answer);
    if (!boxes) return [];
    const box = make("figure", "boxes");
    const frame = make("div", "frame");
    const [small, width, height] = data.pictures[sample.p[0]] || [""];
    if (small) {
      const image = make("img");
      Object.assign(image, { loading: "lazy", decoding: "async", width, height, alt: `picture of item ${sample.i}` });
      image.addEventListener("error", () => { if (image.src !== small) image.src = small; });
      image.src = large(sample.p[0]);
      frame.append(image);
    } else frame.append(make("div", "blank"));
    frame.append(boxes);
    const missing = small ? "" : "picture not here, its boxes alone · ";
    box.append(frame, make("figcaption", "note", `${missing}G, solid: the gold’s · A, dashed: the answer’s`));
    return [box];
  };

  const answersTo = (judges, place) => {
    const items = make("ul", "answers");
    const same = new Map(); // judges that say the same share a line
    judges.forEach((judge, number) => {
      if (!judge.a) return;
      const key = JSON.stringify(judge.a[place]);
      same.set(key, [...(same.get(key) || []), number + 1]);
    });
    same.forEach((who, key) => {
      const [answer, quote, region, found] = JSON.parse(key);
      const [sign, tone] = ANSWERS[answer] || ["", "v-none"];
      const item = make("li");
      item.append(make("b", tone, `${sign} ${answer}`));
      if (judges.length > 1) item.append(make("span", "note", ` judge ${who.join(", ")}`));
      const words = make("span", "", quote ? ` “${quote}”` : " (no quotation)");
      words.dir = "auto";
      item.append(words);
      if (region) item.append(make("span", "note", ` at ${region}`));
      if (!found) item.append(" ", make("span", "v-wrong", "✗ not in the explanation"));
      items.append(item);
    });
    return items;
  };
  const judgesBox = (judges, rubric) => {
    const box = make("div");
    const who = make("ol", "judges");
    judges.forEach((judge) => {
      const item = make("li", "", judge.n);
      item.append(judge.x ? make("span", "warn", ` ${judge.x}`) : make("b", "", ` ${judge.p} points of 100`));
      who.append(item);
    });
    box.append(who);
    const given = judges.filter((judge) => judge.a);
    let place = 0;
    (given.length ? rubric : []).forEach(([title, questions], number) => {
      box.append(make("h4", "", `${title}: ${given.map((judge) => judge.c[number]).join(", ")}`));
      questions.forEach(([id, asks]) => {
        const asked = make("div", "asked");
        asked.append(make("code", "", id), ` ${asks}`, answersTo(judges, place));
        box.append(asked);
        place += 1;
      });
    });
    return box;
  };
  const whenOpened = (details, fill) => { // most are never opened
    details.addEventListener("toggle", () => {
      if (details.open && details.childElementCount === 1) details.append(...fill());
    });
    return details;
  };

  const answer = (one, sample) => {
    const { l, st: stages = {}, w: faults = [], j: judges = [], f: fits } = one.mp;
    const gold = sample.gs || {};
    const parts = [labelTable(l)];
    const words = fits.filter((name) => known.has(name)).map((name) => kinds.get(name));
    if (words.length) parts.push(labels(words));
    faults.forEach((fault) => parts.push(make("div", "warn", fault)));
    if (Object.keys(stages).length || Object.keys(gold).length) {
      parts.push(whenOpened(opened("explanation: gold and answer", "explained"), () => [
        ...figure(sample, gold, stages), stagesGrid(gold, stages),
      ]));
    }
    if (judges.length) {
      const points = judges.map((judge) => (judge.x ? "failed" : judge.p)).join(", ");
      const details = opened(`${judges.length > 1 ? "judges" : "judge"} of the explanation: ${points}`, "explained");
      parts.push(whenOpened(details, () => [judgesBox(judges, data.rubrics[one.m])]));
    }
    return parts;
  };
  const boxesOn = (button, sample, shownOnes) => { // the small picture of a card, where one answer is shown
    if (button.localName !== "button") return; // there is no picture
    const only = shownOnes.length === 1 && shownOnes[0].mp ? shownOnes[0].mp.st : undefined;
    const boxes = sample.gs || only ? overlay(sample.gs, only) : null;
    if (boxes) button.append(boxes);
  };
  return { answer, boxesOn };
};
