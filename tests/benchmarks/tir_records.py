"""Records of TIR-Bench as the tests write and read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from beholder.benchmarks.benchmark import LoadOptions
from beholder.benchmarks.tir.data import load
from beholder.sample import (
    BooleanTarget,
    ChoiceTarget,
    NumberSetTarget,
    NumberTarget,
    PlaceTarget,
    Sample,
    Target,
    TextTarget,
)

OPTIONS = "Which share is it?\nA: 65%\nB: 73%\nC: 81%\nD: 89%"
SEVERAL = "Which are true? Select more than one option.\nA. one\nB. two\nC. three\nD. four"
LIST = "Output the list of patch indices where the two images differ. Here n is 4 and m is 5."
COUNT = "How many differences are there between the left and the right picture?"
PLACE = "In which row and column is the letter q? Answer [row, column]."
NINE = [4, 1, 8, 9, 3, 6, 2, 7, 5]


def record(task: str = "maze", **changes: Any) -> dict[str, Any]:
    base = {
        "id": 7,
        "task": task,
        "prompt": OPTIONS,
        "answer": "B",
        "image_1": f"data/{task}/7.png",
        "image_2": None,
        "meta_data": {},
    }
    return {**base, **changes}


def write(path: Path, rows: list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def samples_of(path: Path, **options: Any) -> list[Sample]:
    return list(load(path, LoadOptions(**options)))


def one(tmp_path: Path, **changes: Any) -> Sample:
    (sample,) = samples_of(write(tmp_path / "TIR-Bench.json", [record(**changes)]))
    return sample


# task, question, answer as written, target
TARGETS: list[tuple[str, str, Any, Target]] = [
    ("refcoco", OPTIONS, "B", ChoiceTarget("B")),
    ("refcoco", OPTIONS, " B ", ChoiceTarget("B")),
    ("math", SEVERAL, "CA", ChoiceTarget("AC", several=True)),
    ("math", OPTIONS, "AC", ChoiceTarget("AC")),
    ("color", "Which of the drawn ones is it?", "D", ChoiceTarget("D")),
    ("color", "Which of the drawn ones is it?", "K", TextTarget("K")),
    ("color", OPTIONS, "E", TextTarget("E")),
    ("color", OPTIONS, "b", TextTarget("b")),
    ("color", OPTIONS, "Ｂ", TextTarget("Ｂ")),
    ("instrument", "What does the gauge read?", "72", NumberTarget("72")),
    ("instrument", "What does the gauge read?", 72, NumberTarget("72")),
    ("instrument", "What does the gauge read?", 2.5, NumberTarget("2.5")),
    ("instrument", "What does the gauge read?", "-2.50", NumberTarget("-2.50")),
    ("instrument", "What does the gauge read?", "7 cm", TextTarget("7 cm")),
    ("instrument", "What does the gauge read?", "1e3", TextTarget("1e3")),
    ("instrument", "What does the gauge read?", "７２", TextTarget("７２")),
    ("contrast", "How many balloons are there?", "2", NumberTarget("2")),
    ("word_search", "How often is the letter q there?", "5", NumberTarget("5")),
    ("word_search", PLACE, "[2, 3]", PlaceTarget(2, 3)),
    ("word_search", PLACE, [2, 3], PlaceTarget(2, 3)),
    ("word_search", PLACE, "row 17, column 1", PlaceTarget(17, 1)),
    ("word_search", PLACE, "[2, 3, 4]", TextTarget("[2, 3, 4]")),
    ("ocr", "What is written in the picture?", "WONDERS", TextTarget("WONDERS")),
    ("ocr", "What is written in the picture?", " B ", TextTarget(" B ")),
    ("ocr", "What is written in the picture?", 1984, TextTarget("1984")),
    ("spot_difference", LIST, "7, 11, 12", NumberSetTarget((7, 11, 12))),
    ("spot_difference", LIST, "[12, 7, 7]", NumberSetTarget((7, 12))),
    ("spot_difference", LIST, [12, 7], NumberSetTarget((7, 12))),
    ("spot_difference", LIST, "7", NumberSetTarget((7,))),
    ("spot_difference", COUNT, "7", NumberTarget("7")),
    ("spot_difference", COUNT + " " + LIST, "7", NumberSetTarget((7,))),
    ("spot_difference", COUNT, "3, 4", NumberSetTarget((3, 4))),
    ("spot_difference", "两张图有多少处不同？", "4", NumberTarget("4")),
    ("spot_difference", "哪些编号的区域不同？共有几处？", "4", NumberSetTarget((4,))),
    ("visual_search", OPTIONS, "True", BooleanTarget(True)),
]
