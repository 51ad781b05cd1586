"use strict";
// Everything that comes from models and data is set as text, never as markup.
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const list = $("samples"), end = $("end");
  const several = data.runs.length > 1;
  const SHAPES = ["circle", "square", "diamond", "triangle"];
  const CHUNK = 40; // cards drawn at once; more follow as the reader comes near the end

  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const button = (className, text, act) => {
    const element = make("button", className, text);
    element.type = "button";
    element.addEventListener("click", act);
    return element;
  };
  const dot = (run) => make("i", `dot ${SHAPES[run % 4]} run${run % 8}`);
  const distinct = (values) => [...new Set(values)];
  const number = (value) => value.toLocaleString("en");
  const verdictOf = (response, scorer) => response.s.find((score) => score.n === scorer);

  // -- filters -------------------------------------------------------------------------------------------------------
  const filters = {
    run: $("f-run"), scorer: $("f-scorer"), outcome: $("f-outcome"), category: $("f-category"), tools: $("f-tools"),
    metaphor: $("f-metaphor"), changed: $("f-changed"), text: $("f-text"), disagree: $("f-disagree"), differ: $("f-differ"),
  };
  const fill = (select, values) => values.forEach(([value, label]) => {
    const option = make("option", "", label);
    option.value = value;
    select.append(option);
  });
  const categories = distinct(data.samples.map((sample) => sample.c)).sort();
  const found = new Set(data.samples.flatMap((sample) => sample.r.flatMap((one) => one.s.map((score) => score.o))));
  const NOT_RIGHT = "not right";
  const outcomes = data.outcomes.filter((name) => found.has(name)).map((name) => [name, name]);
  fill(filters.run, [["", "all runs"], ...data.runs.map((name, run) => [String(run), name])]);
  fill(filters.scorer, data.scorers.map((name) => [name, name]));
  // Values are places in the list: a category may have any name, and none is one too.
  fill(filters.category, [["", "all"], ...categories.map((name, place) => [String(place), name || "(none)"])]);
  // What an answer can be filtered by beside its verdicts: a conversation with tools, a reading of a metaphor.
  const traits = { tools: (one) => (one.tr ? one.tr.f : []), metaphor: (one) => (one.mp ? one.mp.f : []) };
  for (const [name, of] of Object.entries(traits)) {
    const there = new Set(data.samples.flatMap((sample) => sample.r.flatMap(of)));
    fill(filters[name], [["", "all"], ...data[name].filter(([trait]) => there.has(trait))]);
    filters[name].parentElement.hidden = !there.size;
  }
  fill(filters.changed, [["", "all"], ...data.changes.map(([words, own], place) => [String(place), `${words} (${own.length})`])]);
  fill(filters.outcome, [["", "all"], [NOT_RIGHT, NOT_RIGHT], ...outcomes]);
  filters.run.parentElement.hidden = !several;
  filters.differ.parentElement.hidden = !several;
  filters.category.parentElement.hidden = categories.length < 2;
  filters.changed.parentElement.hidden = !data.changes.length;

  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const runsDiffer = (sample, scorer) => {
    const byRun = new Map();
    for (const one of sample.r) {
      const score = verdictOf(one, scorer);
      if (score && score.v !== null) byRun.set(one.m, [...(byRun.get(one.m) || []), score.v]);
    }
    return distinct([...byRun.values()].map(mean)).length > 1;
  };
  const talkOf = (one) => (one.tr ? one.tr.u : []).flatMap((turn) => [
    turn.t, turn.th, turn.p, ...(turn.c || []).flatMap((call) => [call.w, call.a, call.k, call.t]),
  ]);
  const holds = (sample, responses, words) => {
    sample.words ??= [sample.q, sample.g, sample.k, sample.id, `item ${sample.i}`].join("\n").toLowerCase();
    if (sample.words.includes(words)) return true;
    return responses.some((one) => (
      one.words ??= [one.t, one.th, one.f, one.e, ...talkOf(one)].join("\n").toLowerCase()).includes(words));
  };
  const ofRun = (sample) => {
    const run = filters.run.value;
    return run === "" ? sample.r : sample.r.filter((one) => String(one.m) === run);
  };
  const wanted = () => {
    const scorer = filters.scorer.value, outcome = filters.outcome.value, category = filters.category.value;
    const changed = filters.changed.value;
    const traced = Object.entries(traits).filter(([name]) => filters[name].value !== "");
    const own = changed === "" ? null : new Set(data.changes[changed][1]);
    const words = filters.text.value.trim().toLowerCase();
    const fits = (one) => {
      const score = verdictOf(one, scorer);
      return score && (outcome === NOT_RIGHT ? score.o !== "right" : score.o === outcome);
    };
    return data.samples.filter((sample, place) => {
      if (own && !own.has(place)) return false;
      if (category !== "" && sample.c !== categories[category]) return false;
      const responses = ofRun(sample);
      return responses.length > 0
        && (!outcome || responses.some(fits))
        && traced.every(([name, of]) => responses.some((one) => of(one).includes(filters[name].value)))
        && (!filters.disagree.checked || responses.some((one) => one.dis))
        && (!filters.differ.checked || runsDiffer(sample, scorer))
        && (!words || holds(sample, responses, words));
    });
  };

  // -- samples -------------------------------------------------------------------------------------------------------
  const said = (text, span) => {
    const box = make("div", "said");
    box.dir = "auto";
    if (span) box.append(text.slice(0, span[0]), make("mark", "", text.slice(span[0], span[1])), text.slice(span[1]));
    else box.textContent = text;
    return box;
  };
  const folded = (parent, box, name) => { // with a button that shows all of it
    box.classList.add("short");
    const more = button("more", name, () => {
      const short = box.classList.toggle("short");
      more.textContent = short ? name : "Show less";
      more.setAttribute("aria-expanded", String(!short));
    });
    more.setAttribute("aria-expanded", "false");
    parent.append(box, more);
  };
  const shortened = (parent, box) => {
    const text = box.textContent;
    if (text.length < 640 && text.split("\n").length < 10) parent.append(box);
    else folded(parent, box, "Show all of it");
  };
  const program = (parent, box) => { // scrolls, or shows all of its lines at once
    const lines = box.textContent.split("\n").length;
    if (lines < 18) parent.append(box);
    else folded(parent, box, `Show all ${number(lines)} lines`);
  };
  const opened = (title, className) => {
    const details = make("details", className);
    details.append(make("summary", "", title));
    return details;
  };
  const SIGNS = { right: "✓", wrong: "✗", "partly right": "◐" };
  const TONES = { right: "right", wrong: "wrong", "partly right": "partly" };
  const verdict = (scores, all) => {
    const { o: outcome, v: value, x: read, st: stored, fl: flags } = scores[0];
    const what = outcome === "partly right" ? `${Math.round(value * 1000) / 1000} partly right` : outcome;
    const item = make("li", `v-${TONES[outcome] || "none"}`, `${SIGNS[outcome] || "○"} ${what}`);
    const who = scores.length === all && all > 2 ? "every scorer" : scores.map((score) => score.n).join(", ");
    item.append(make("span", "", ` by ${who}`));
    if (read) item.append(make("span", "", ` · read “${read}”${stored ? ` = stored answer ${stored}` : ""}`));
    if (flags) item.append(make("span", "", ` · ${flags}`));
    return item;
  };
  const verdicts = (scores) => {
    const groups = new Map(); // scorers that say the same share a line
    for (const score of scores) {
      const same = JSON.stringify([score.o, score.v, score.x, score.fl]);
      groups.set(same, [...(groups.get(same) || []), score]);
    }
    const items = make("ul", "verdicts");
    const last = (group) => Number(group[0].o === "n/a");
    [...groups.values()].sort((a, b) => last(a) - last(b))
      .forEach((group) => items.append(verdict(group, scores.length)));
    return items;
  };
  const reasons = (scores) => {
    const given = scores.filter((score) => score.w);
    if (!given.length) return [];
    const why = opened("why", "why");
    given.forEach((score) => why.append(make("div", "", `${score.n}: ${score.w}`)));
    return [why];
  };
  const labels = (words) => {
    const items = make("ul", "labels");
    words.forEach((word) => items.append(make("li", "", word)));
    return items;
  };
  const output = (text, className, name) => { // scrolls by itself, so that the page need not
    const box = make("pre", className, text);
    box.dir = "auto";
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", name);
    return box;
  };
  const seen = (title, [place, name, size], item) => {
    const figure = make("figure");
    const shown = (data.pictures[place] || [""])[0]
      ? picture(place, `${name} of item ${item}, ${title}`) : make("div", "gone", "picture not here");
    figure.append(shown, make("figcaption", "", `${title}: ${name}${size ? `, ${size}` : ""}`));
    return figure;
  };
  const call = (one, item) => {
    const box = make("div", one.ok ? "call" : "call bad");
    const head = make("div", "head");
    head.append(make("b", "", `${one.n}. ${one.w}`), " ", make("span", one.ok ? "v-right" : "v-wrong", one.o));
    if (one.s) head.append(" ", make("span", "", one.s));
    if (one.fl) head.append(" ", labels(one.fl));
    box.append(head);
    if (one.a) box.append(make("div", "arguments", one.a));
    if (one.k) program(box, output(one.k, "code", `code of call ${one.n}`));
    if (one.t) box.append(output(one.t, "output", `what call ${one.n} brought`));
    if (one.i) {
      const row = make("div", "pictures beside");
      if (one.b) row.append(seen("before", one.b, item));
      one.i.forEach((made) => row.append(seen(one.b ? "after" : "new", made, item)));
      box.append(row);
    }
    if (one.more) box.append(make("div", "note", `${number(one.more)} more new pictures, not in this page`));
    return box;
  };
  const turn = (one, item) => {
    const box = make("li");
    const head = make("div", "head");
    head.append(make("b", "", `turn ${one.n}`));
    if (one.x) head.append(" ", make("span", "", one.x));
    box.append(head);
    if (one.th) {
      const thought = opened("reasoning");
      thought.append(said(one.th));
      box.append(thought);
    }
    if (one.t) shortened(box, said(one.t));
    if (one.sa) box.append(make("div", "so-far", `states the answer ${one.sa}`));
    (one.c || []).forEach((each) => box.append(call(each, item)));
    if (one.more) box.append(make("div", "note", `${number(one.more)} more calls in this turn, not in this page`));
    if (one.p) {
      box.append(make("div", "so-far", `asked for its answer so far${one.pa ? `, read as ${one.pa}` : ""}`), said(one.p));
    }
    if (one.last) box.append(make("div", "note", "the answer, below"));
    return box;
  };
  const talk = (one, item) => {
    const details = make("details", "talk");
    const summary = make("summary");
    summary.append(make("span", "", one.s));
    if (one.bad) summary.append(" ", make("span", "warn", one.e));
    if (one.as) summary.append(" ", make("span", "", `answers ${one.as}`));
    details.append(summary);
    details.addEventListener("toggle", () => { // drawn when it is first opened: most are not
      if (!details.open || details.childElementCount > 1) return;
      const turns = make("ol", "turns");
      let last = 0;
      for (const each of one.u) {
        if (each.n > last + 1) turns.append(make("li", "note", `${number(each.n - last - 1)} turns, not in this page`));
        turns.append(turn(each, item));
        last = each.n;
      }
      details.append(turns);
      const end = [one.e, one.co].filter(Boolean).join("; ");
      if (end) details.append(make("div", one.bad ? "warn" : "note", end));
      if (one.fl) details.append(labels(one.fl));
      if (one.w) details.append(make("div", "note", one.w));
      (one.ab || []).forEach((words) => details.append(make("div", "note", words)));
    });
    return details;
  };
  const response = (one, sample) => {
    const box = make("div", `response run${one.m % 8}`);
    const head = make("div", "head");
    if (several) head.append(dot(one.m), make("b", "", data.runs[one.m]));
    [one.a, one.e].filter(Boolean).forEach((fact) => head.append(" ", make("span", "", fact)));
    if (head.childNodes.length) box.append(head);
    if (one.th) {
      const thought = opened("reasoning");
      thought.append(said(one.th));
      box.append(thought);
    }
    if (one.tr) box.append(talk(one.tr, sample.i));
    if (one.tr && one.tr.bad && one.t) box.append(make("div", "note", "no answer; the last that it said:"));
    if (one.mp) {
      box.append(...metaphor.answer(one, sample));
      const written = opened("the answer as it was written");
      written.append(said(one.t || "(empty)", one.x));
      if (one.t !== undefined) box.append(written);
    } else if (one.t !== undefined) shortened(box, said(one.t || "(empty)", one.x));
    else if (!one.f) box.append(make("div", "note", "(no text)"));
    if (one.f) box.append(make("div", "warn said", `failed: ${one.f}`));
    else box.append(verdicts(one.s), ...reasons(one.s));
    (one.pe || []).forEach((words) => box.append(make("div", "note", words)));
    return box;
  };
  const picture = (place, name) => {
    const [small, width, height] = data.pictures[place] || [""];
    if (!small) return make("div", "gone", "picture not here");
    const open = button("", undefined, () => enlarge(place, name));
    open.title = "Open large";
    const image = make("img");
    Object.assign(image, { loading: "lazy", decoding: "async", width, height, alt: `${name}: open large`, src: small });
    open.append(image);
    return open;
  };
  const metaphor = metaphorCards({ make, said, opened, labels, data, large: (place) => addressOf(place) });
  const card = (sample) => {
    const box = make("article", sample.p.length ? "sample pictured" : "sample");
    box.dataset.key = sample.k;
    box.id = `item-${sample.i}`;
    box.tabIndex = -1;
    if (sample.p.length) {
      const pictures = make("div", "pictures");
      const many = sample.p.length > 1;
      sample.p.forEach((place, at) => {
        const shown = picture(place, `picture ${many ? `${at + 1} ` : ""}of item ${sample.i}`);
        if (at === 0) metaphor.boxesOn(shown, sample, ofRun(sample));
        pictures.append(shown);
      });
      box.append(pictures);
    }
    const body = make("div", "body");
    const head = make("h3", "head", `item ${sample.i}`);
    [sample.id && `id ${sample.id}`, sample.c, sample.d && `difficulty ${sample.d}`].filter(Boolean)
      .forEach((fact) => head.append(" ", make("span", "", fact)));
    body.append(head);
    shortened(body, said(sample.q));
    const gold = make("div", "gold", `gold: ${sample.g}`);
    gold.dir = "auto";
    body.append(gold, ...ofRun(sample).map((one) => response(one, sample)));
    box.append(body);
    return box;
  };

  let current = [], drawn = 0;
  const draw = (upTo) => {
    const part = document.createDocumentFragment();
    current.slice(drawn, upTo).forEach((sample) => part.append(card(sample)));
    drawn = Math.min(upTo, current.length);
    list.append(part);
  };
  const refresh = () => {
    current = wanted();
    drawn = 0;
    list.replaceChildren();
    $("count").textContent = `${number(current.length)} of ${number(data.samples.length)} samples`;
    $("clear").hidden = current.length === data.samples.length;
    draw(CHUNK);
    if (!current.length) list.append(make("p", "note", "No sample fits these filters."));
    if (list.getBoundingClientRect().top < 0) list.scrollIntoView();
    watchEnd();
  };
  const clear = () => {
    ["run", "outcome", "category", "tools", "metaphor", "changed", "text"].map((name) => filters[name])
      .forEach((filter) => { filter.value = ""; });
    filters.disagree.checked = filters.differ.checked = false;
    filters.scorer.value = data.scorer;
    refresh();
  };
  let typing = 0;
  Object.values(filters).forEach((filter) => filter.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(refresh, filter === filters.text ? 150 : 0);
  }));
  $("clear").addEventListener("click", clear);
  const nearEnd = new IntersectionObserver((seen) => {
    if (!seen.some((entry) => entry.isIntersecting) || drawn >= current.length) return;
    draw(drawn + CHUNK);
    watchEnd();
  }, { rootMargin: "1200px" });
  const watchEnd = () => { // looked at anew: it may have stayed in view all the while
    nearEnd.unobserve(end);
    nearEnd.observe(end);
  };
  const goTo = (address) => { // a link to a sample: it may be filtered away, or not be drawn yet
    const sample = data.samples.find((one) => `#item-${one.i}` === address);
    if (!sample) return;
    if (!current.includes(sample)) clear();
    draw(Math.max(drawn, current.indexOf(sample) + CHUNK)); // those after it too: else it cannot come to the top
    const box = document.getElementById(address.slice(1));
    box.scrollIntoView();
    box.focus({ preventScroll: true });
    const bar = $("filters"); // lies over what it is scrolled to, unless the screen is narrow
    const settle = (frames) => { // cards around it take on their heights only now
      const covered = getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
      const off = box.getBoundingClientRect().top - covered - 8;
      if (Math.abs(off) >= 1) scrollBy(0, off);
      if (frames) requestAnimationFrame(() => settle(frames - 1));
    };
    settle(5);
  };
  addEventListener("hashchange", () => goTo(location.hash));
  document.addEventListener("click", (event) => { // the address may be the same as before
    const link = event.target.closest('a[href^="#item-"]');
    if (!link) return;
    event.preventDefault();
    if (location.hash === link.hash) goTo(link.hash);
    else location.hash = link.hash;
  });
  addEventListener("beforeprint", () => draw(current.length));

  // -- a picture, large ----------------------------------------------------------------------------------------------
  const dialog = $("large"), large = $("large-image"), stage = $("large-stage"), size = $("large-size");
  let smallOne = "";
  const setFull = (full) => {
    stage.classList.toggle("full", full);
    size.textContent = full ? "Fit to window" : "Full size";
  };
  function addressOf(place) { // of the large picture, or the small one
    const [small, , , beside] = data.pictures[place];
    const inside = $(`large-${place}`); // embedded: a script element that holds text
    return beside || (inside && inside.textContent) || small;
  }
  function enlarge(place, name) {
    [smallOne] = data.pictures[place];
    setFull(false);
    $("large-note").textContent = name;
    large.alt = name;
    large.src = addressOf(place);
    dialog.showModal();
    $("large-close").focus();
  }
  large.addEventListener("error", () => {
    if (large.src === smallOne) return;
    large.src = smallOne;
    $("large-note").textContent = "This is the small picture: the large one was not found in the folder beside the page.";
  });
  size.addEventListener("click", () => setFull(!stage.classList.contains("full")));
  large.addEventListener("click", () => setFull(!stage.classList.contains("full")));
  $("large-close").addEventListener("click", () => dialog.close());
  [dialog, stage].forEach((area) => area.addEventListener("click", (event) => {
    if (event.target === area) dialog.close();
  }));
  dialog.addEventListener("close", () => { // told late: the next picture may be open by now
    if (!dialog.open) large.removeAttribute("src");
  });

  $("filters").hidden = false;
  clear();
  goTo(location.hash);
})();
