"""What a report tells the diagnosis of a sample: which turn sets its picture upright."""

from __future__ import annotations

import msgspec
import pytest

from beholder.benchmarks import benchmark
from beholder.benchmarks.tir.rotation import upright_turn
from beholder.report.tool_use import diagnosis_of
from beholder.sample import Sample
from made_experiments import code, rotate, rotation_sample, trajectory

TIR = benchmark("tir")


def rotation_item(answer: str = "C", **more: str) -> Sample:
    return msgspec.structs.replace(rotation_sample(answer), category=more.get("category", "rotation_game"))


UPRIGHT = [
    ("a rotation item", rotation_item(), 45),
    ("of another task", rotation_item(category="maze"), None),
    ("the other way is an option too",
     msgspec.structs.replace(rotation_sample("A", ("15°", "345°")), category="rotation_game"), None),
    ("half a turn", msgspec.structs.replace(rotation_sample("A", ("180°", "90°")), category="rotation_game"), None),
    ("no sense", msgspec.structs.replace(rotation_sample(sense="round"), category="rotation_game"), None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "sample", "wanted"), UPRIGHT, ids=[row[0] for row in UPRIGHT])
def test_the_turn_that_sets_a_picture_upright(name: str, sample: Sample, wanted: float | None) -> None:
    assert upright_turn(sample) == wanted


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        (rotate(45, "counterclockwise"), True),
        (rotate(45), False),
        (rotate(30, "counterclockwise"), False),
        (code("image_1.rotate(45).show()", "p"), True),
    ],
)
def test_a_turn_the_wrong_way_round_is_flagged_in_reports(call: object, wrong: bool) -> None:
    talk = trajectory(call)  # type: ignore[arg-type]
    found = diagnosis_of(TIR, rotation_item(), talk, {})
    assert ("wrong_direction" in found.flags) == wrong
    assert "wrong_direction" not in diagnosis_of(TIR, rotation_item(category="maze"), talk, {}).flags
