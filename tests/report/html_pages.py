"""Runs to make report pages of, hostile ones among them, and what a parser finds in a page."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import PIL.Image

from beholder.benchmarks import benchmark
from beholder.engine import lifecycle
from beholder.engine.lifecycle import Result
from beholder.engine.selection import Selection
from beholder.models.endpoint import Endpoint
from beholder.models.fakes import constant
from beholder.models.openai import OpenAIModel
from beholder.report.html_pictures import Images
from beholder.report.html_report import write_html
from beholder.score import Outcome, ScoredItem
from beholder.store.folder import read_info
from made_runs import number_of, plan_for, run_engine, tfq_data
from scripted_server import Reply, Request, ScriptedServer, completion

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "script-end": "</script><script>alert(2)</script>",
    "comment": "<!--<script>alert(3)",
    "cdata": "<![CDATA[ ]]> ]]>",
    "image": "<img src=x onerror=alert(4)>",
    "svg": '<svg onload="alert(5)"><a xlink:href="javascript:alert(6)">x</a></svg>',
    "link": "[a](javascript:alert(7)) <a href='javascript:alert(8)'>b</a> https://example.invalid/x.png",
    "attribute": '" onmouseover="alert(9)" x=\'',
    "style": "</style><style>body { display: none }</style>",
    "title": "</title></textarea></noscript><iframe src='https://example.invalid'></iframe>",
    "meta": '<meta http-equiv="refresh" content="0;url=https://example.invalid">',
    "entities": "&lt;b&gt; &amp;lt; &#60;i&#62; \\u003cb\\u003e",
    "template": "{{7*7}} ${7*7} %s {0}",
    "newlines": "one\r\ntwo\u2028three\u2029four",
    "bidi": "\u202egpj.exe\u202c \u2066isolated\u2069",
    "control": "zero\x00 bell\x07 \x1b[31mred\x1b[0m \x9b2J \x7f",
    "surrogate": "lone \ud83d end",
    "arabic": "الجواب صحيح",
    "astral": "😀𝕏😀",
    "long word": "w" * 600,
    "markdown image": "![x](https://example.invalid/x.png) ![y](javascript:alert(10)) <https://example.invalid>",
    "data address": "<a href='data:text/html,<script>alert(11)</script>'>x</a> data:text/html;base64,PHNjcmlwdD4=",
    "srcdoc": "<iframe srcdoc='<script>parent.alert(12)</script>'></iframe>",
    "mutation": "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(13)>",
    "handler": "<details open ontoggle=alert(14)><video><source onerror=alert(15)></video>",
    "polyglot": "jaVasCript:/*-/*`/*'/*\"/**/(/* */oNcliCk=alert(16) )//%0D%0A%0d%0a//</stYle/</titLe/--!>",
    "css": "background:url(https://example.invalid/x.png);width:expression(alert(17))}*{display:none}",
    "prototype": "__proto__",
    "constructor": "constructor",
    "path": "../../../../etc/passwd %2e%2e%2f%00 C:\\Windows\\win.ini file:///etc/passwd",
    "address": "?run=other&key=x#/runs&token=1 %23%2Fleaderboard",
    "formula": '=HYPERLINK("https://example.invalid","x")',
    "query": '" OR 1=1; DROP TABLE samples; -- NEAR(a, b) * ^ {a b}: c',
    "piled": "Z" + "\u0300\u0301\u0302\u0303" * 40 + "a",
    "osc": "\x1b]8;;https://example.invalid\x1b\\link\x1b]8;;\x1b\\ \x1b]0;owned\x07",
}
"""Text that would do harm, or harm the page, if it were taken for anything but text."""
TAGS = {
    *(
        "html",
        "head",
        "meta",
        "link",
        "title",
        "style",
        "body",
        "main",
        "h1",
        "h2",
        "p",
        "section",
        "span",
        "div",
        "ul",
        "li",
    ),
    *("svg", "g", "rect", "line", "circle", "path", "text", "table", "thead", "tbody", "tr", "th", "td", "br", "wbr"),
    *("i", "small", "details", "summary", "label", "select", "input", "output", "button", "noscript", "dialog", "img"),
    "script",
}
"""Every element that a page may be written with."""


def pictures(folder: Path, number: int) -> None:
    """Pictures that are larger than any thumbnail, each of a colour of its own."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    for index in range(number):
        colour = (40 + 37 * index % 200, 90, 160 - 11 * index % 140)
        PIL.Image.new("RGB", (400, 300), colour).save(folder / "images" / f"{index}.jpg")


def statements(folder: Path, number: int, **columns: list[Any]) -> Path:
    """TFQ-Bench data about three large pictures."""
    file = tfq_data(folder, number, images=3, **columns)
    pictures(folder, 3)
    return file


def hostile_statements(folder: Path) -> Path:
    """TFQ-Bench data with each hostile text as question, id, category and difficulty of an item."""
    texts = list(HOSTILE.values())
    file = statements(folder, len(texts), id=texts, category=texts, difficulty=texts[3:] + texts[:3])
    records = [json.loads(line) for line in file.read_text().splitlines()]
    for number, (record, text) in enumerate(zip(records, texts, strict=True)):
        record["problem"] = f"<image>Statement {number}: {text}"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def hostile_answer(request: Request) -> Reply:
    """The statement's own hostile text as answer and as reasoning; every tenth request fails with it."""
    number = number_of(request)
    text = list(HOSTILE.values())[number % len(HOSTILE)]
    if number % 10 == 9:
        return Reply(status=400, body=json.dumps({"error": {"message": text}}).encode())
    said = f"{text} <answer>{'TF'[number // 2 % 2]}</answer>"
    return Reply(completion(said, reasoning_content=text))


def true_or_unsure(request: Request) -> Reply:
    """A proper answer, a free one, or none, by the number of the statement."""
    said = ("<think>seen</think><answer>T</answer>", "So it is True.", "It depends.", "<answer>F</answer>", "T or F?")
    return Reply(completion(said[number_of(request) % len(said)]))


def served_run(
    data: Path, runs: Path, script: Callable[[Request], Reply], name: str = "test-model", **plan: Any
) -> Path:
    """A run against a server that answers by script, by a model of that name."""
    with ScriptedServer(script) as server:
        made = run_engine(
            plan_for(data, **plan),
            server.url,
            runs,
            make_model=lambda: OpenAIModel(f"openai/{name}", Endpoint(base_url=server.url, max_connections=4)),
        )
    return made.folder


def constant_run(data: Path, runs: Path, text: str, limit: int | None = None, **plan: Any) -> Path:
    """A run of a model that always says the same, and that never looks at a picture."""
    chosen = plan_for(data, selection=Selection(limit=limit), **plan)
    return run_engine(chosen, "", runs, make_model=lambda: constant(text)).folder


def twelve_statements(folder: Path) -> Path:
    """A run of twelve statements about three pictures; answers differ in how well they keep to the format."""
    data = statements(folder, 12, category=["a", "b", "b"] * 4)
    return served_run(data, folder / "runs", true_or_unsure)


def result_of(folder: Path) -> Result:
    """A run as it stands."""
    info = read_info(folder)
    plan = lifecycle.plan_of(info)
    return lifecycle.read_result(folder, info, plan, benchmark(plan.benchmark))


class Parsed(HTMLParser):
    """What a page is made of: its tags with their attributes, the text outside scripts, and the scripts."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""
        self._inside = ""
        self.feed(page.read_text(encoding="utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts[-1] += data
        elif self._inside != "style":
            self.text += data

    @property
    def data(self) -> Any:
        """What the page tells its script."""
        return json.loads(self.scripts[0])


def keys(samples: Sequence[dict[str, Any]]) -> list[str]:
    return [sample["k"] for sample in samples]


def written(out: Path, *folders: Path, images: Images = Images.BESIDE, limit: int = 2000) -> Parsed:
    """The page of these runs, written and read."""
    return Parsed(write_html([result_of(folder) for folder in folders], out, images=images, limit=limit))


def tree(folder: Path) -> dict[str, bytes]:
    """Every file under a folder."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def is_right(item: ScoredItem, scorer: str) -> bool:
    return item.scores[scorer].outcome is Outcome.SCORED and item.scores[scorer].value == 1


def chosen(results: list[Result], test: Callable[[ScoredItem], bool]) -> list[str]:
    """Keys of the samples of which any response passes a test, in data order."""
    return list(dict.fromkeys(item.key for item in results[0].items if any(test(own) for own in same(results, item))))


def same(results: list[Result], item: ScoredItem) -> list[ScoredItem]:
    return [own for result in results for own in result.items if own.key == item.key]


CONTRAST = """() => {
  const light = (channel) => (channel <= 0.03928 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = parts(colour).slice(0, 3).map((channel) => light(channel / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (parts(colour)[3] !== 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const found = {};
  for (const element of document.querySelectorAll("main *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || ["SCRIPT", "OPTION", "NOSCRIPT"].includes(element.tagName) || element.localName === "title") continue;
    const style = getComputedStyle(element);
    const [high, low] = [element.localName === "text" ? style.fill : style.color, ground(element)].map(luminance)
      .sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) found[`${element.localName}.${element.getAttribute("class")}`] = ratio;
  }
  return found;
}"""
"""Runs in a page: the text that stands out from its ground by less than 4.5 to 1 (WCAG AA), with its ratio."""
