"""The table of examples in docs/tir.md says what the scorers say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from beholder.benchmarks import benchmark
from beholder.engine.scoring import score_with
from beholder.score import Outcome

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tir.md"
QUESTIONS = {
    "color": "Which colour is the hat?\nA. Red\nB. Blue\nC. Green\nD. Black",
    "refcoco": "Which is closest to the share covered by the girl?\nA: 23%\nB: 39%\nC: 31%\nD: 15%",
    "symbolic": "Which pair of lines are parallel?\nA.ab and cd\nB.ef and gh\nC.ab and gh\nYou need to select more "
    "than one option. Write your final answer using consecutive letters, such as ABC.",
    "contrast": "How many vehicles are in the image?",
    "instrument": "What is the reading in kg/cm²? Provide one decimal place.",
    "word_search": "In which row and column does the letter q appear? For example, [1, 2].",
    "spot_difference": "Output the list of patch indices where the two images differ. n is 4 and m is 3",
    "jigsaw": "Put the pieces in order (3×3).",
    "ocr": "what is written in the image?",
}


def rows():
    lines = PAGE.read_text(encoding="utf-8").partition("test_tir_docs.py -->")[2].splitlines()[1:]
    for line in lines[2:]:
        if not line.startswith("|"):
            return
        first, *others = [cell.strip() for cell in line.strip("|").split("|")]
        task, gold = re.fullmatch(r"(\w+), `(.*)`", first).groups()
        yield task, gold, *others


def text_of(cell):
    return None if cell == "–" else "" if cell == "(empty)" else cell.strip("`")


ROWS = list(rows())


def test_there_are_rows():
    assert len(ROWS) >= 14
    assert {row[0] for row in ROWS} == set(QUESTIONS)


@pytest.mark.parametrize(("task", "gold", "said", "extracted", "official", "det", "strict", "lenient"), ROWS)
def test_row(tmp_path, task, gold, said, extracted, official, det, strict, lenient):
    found = benchmark("tir")
    item = {
        "id": 0,
        "task": task,
        "prompt": QUESTIONS[task],
        "answer": gold,
        "image_1": f"data/{task}/0.png",
        "image_2": None,
        "meta_data": {"difficulty": 3} if task == "jigsaw" else {},
        "model_response": text_of(said),
    }
    if extracted != "–":
        item["extracted_answer"] = text_of(extracted)
    (tmp_path / "r.json").write_text(json.dumps({"0": item}), encoding="utf-8")
    (answered,) = found.read_results(tmp_path / "r.json")
    scores = score_with(found.scorers)(answered.sample, answered.response)
    shown = {
        name: f"{score.value:.3g}" if score.outcome is Outcome.SCORED else score.outcome.value
        for name, score in scores.items()
    }
    assert shown == {"official": official, "official(det)": det, "strict": strict, "lenient": lenient}
