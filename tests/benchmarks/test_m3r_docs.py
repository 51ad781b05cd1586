"""The table of answers in docs/m3r.md says what the scorers say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from m3r_rows import GUN, sample

from beholder.benchmarks.m3r import BENCHMARK
from beholder.sample import Response
from beholder.score import Outcome

PAGE = Path(__file__).resolve().parents[2] / "docs" / "m3r.md"
EXPLAINED = (
    '"explanation": {"evidence": [{"kind": "visual", "text": "a cigarette held like a pistol", '
    '"box": [0.2, 0.3, 0.8, 0.6]}], "mapping": "smoking is seen as a gun", "sentiment": "a gun kills"}'
)


def rows() -> Iterator[tuple[str, str, str, str]]:
    lines = PAGE.read_text(encoding="utf-8").partition("test_m3r_docs.py -->")[2].splitlines()[1:]
    for line in lines[2:]:
        if not line.startswith("|"):
            return
        answer, strict, lenient, flags = (cell.strip() for cell in line.strip("|").split("|"))
        text = "" if answer == "(empty)" else answer.strip("`").replace("…", EXPLAINED)
        yield text, strict, lenient, flags


ROWS = list(rows())


def test_there_are_rows() -> None:
    assert len(ROWS) >= 9


@pytest.mark.parametrize(("text", "strict", "lenient", "flags"), ROWS)
def test_row(text: str, strict: str, lenient: str, flags: str) -> None:
    scores = {
        name: BENCHMARK.scorers[name](sample(GUN), Response(text=text, finish="stop")) for name in BENCHMARK.scorers
    }
    said = {
        name: f"{score.value:g}" if score.outcome is Outcome.SCORED and score.value is not None else score.outcome.value
        for name, score in scores.items()
    }
    assert (said["strict"], said["lenient"]) == (strict, lenient)
    assert ", ".join(scores["lenient"].flags) == flags
