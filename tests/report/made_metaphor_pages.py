"""A run of M3R-Bench with pictures, answers of many kinds and two judges, to be shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import PIL.Image
from typer.testing import CliRunner

from beholder.benchmarks.m3r import BENCHMARK
from beholder.benchmarks.m3r.assumptions import assumptions_of
from beholder.cli.main import app
from beholder.engine.lifecycle import Result
from report.html_pages import HOSTILE, result_of
from scripted_server import Reply, Request, ScriptedServer, completion

CRITERIA = assumptions_of(BENCHMARK.assumptions).criteria
MAPPING = "The cigarette burns down like a fuse."
GOLD = {"metaphor": True, "target": "cigarette", "source": "bomb", "sentiment": "negative"}
ODD_BOXES = ([-0.5, 0.1, 1e3, 0.5], [0.9, 0.9, 0.1, 0.1], [0.1, 0.5, 0.4, 0.9])
HOSTILE_WORDS = "".join(HOSTILE[name] for name in ("script-end", "image", "svg", "attribute", "bidi", "control"))


def explanation(text: str = "a cigarette as fuse", *boxes: list[float]) -> dict[str, Any]:
    pieces = [
        {"kind": "visual", "text": f"{text} {place}", "box": box}
        for place, box in enumerate(boxes or [[0, 0, 0.5, 0.5]])
    ]
    return {"evidence": pieces, "mapping": MAPPING, "sentiment": "A bomb means danger."}


def verdict(evidence: str = "yes", mapping: str = "yes", quote: str = MAPPING, region: str = "centre") -> str:
    """A judge that answers all questions of a criterion alike."""
    answers = dict(zip((one.id for one in CRITERIA), (evidence, mapping, "yes"), strict=True))
    return json.dumps(
        {
            question.id: {"answer": answers[one.id], "quote": quote, "region": region}
            for one in CRITERIA
            for question in one.questions
        }
    )


def told(**more: Any) -> str:
    return json.dumps({**GOLD, "metaphor": "yes", "explanation": explanation(), **more}, ensure_ascii=True)


CASES = {
    "all right": (told(), verdict(), verdict()),
    "hostile": (
        told(metaphor="no", target=HOSTILE_WORDS, source=None, explanation=explanation(HOSTILE_WORDS, *ODD_BOXES)),
        verdict("no", "no", HOSTILE_WORDS, HOSTILE_WORDS),
        verdict("no", "no", HOSTILE_WORDS, HOSTILE_WORDS),
    ),
    "other words": (told(target="smoking", source="The Bomb"), verdict(mapping="partly"), verdict(mapping="no")),
    "unseen": (told(), verdict("no"), verdict("no")),
    "judge failed": (told(), verdict(), "9 of 10"),
    "blank": (told(explanation={"evidence": [], "mapping": "", "sentiment": ""}), verdict(), verdict()),
}
"""Name → the answer, and what each judge says of it; items are in this order."""


def record(number: int, name: str) -> dict[str, Any]:
    return {
        "id": name,
        "image": f"images/{number}.png",
        "text": f"Item {number}: only a matter of time.",
        "language": "en",
        **GOLD,
        "explanation": explanation("the fuse is a cigarette", [0.25, 0.25, 0.75, 0.75]),
    }


def metaphor_run(folder: Path) -> Result:
    """A run of all `CASES`, judged by two."""
    (folder / "set" / "images").mkdir(parents=True)
    for number in range(len(CASES)):
        picture = PIL.Image.new("RGB", (400, 300), (40 * number, 90, 120))
        picture.save(folder / "set" / "images" / f"{number}.png")
    records = [record(number, name) for number, name in enumerate(CASES)]
    (folder / "set" / "records.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    answers, *judges = zip(*CASES.values(), strict=True)
    files = []
    for letter, replies in zip("ab", judges, strict=True):
        files.append(folder / f"{letter}.json")
        files[-1].write_text(json.dumps(list(replies)))

    def script(request: Request) -> Reply:
        number = int(request.texts.partition("Item ")[2].partition(":")[0])
        return Reply(completion(answers[number]))

    with ScriptedServer(script) as server:
        command = ["run", "m3r", "--data", str(folder / "set"), "--model", "openai/seen", "--base-url", server.url]
        command += [part for file in files for part in ("--judge", f"scripted/{file}")]
        done = CliRunner().invoke(app, [*command, "--runs-dir", str(folder / "runs")])
    assert done.exit_code == 0, done.output
    return result_of(next(path for path in (folder / "runs").iterdir() if (path / "run.db").exists()))
