"""What a question of the rotation task asks for: sense, options, the right turn, and the wrong way round."""

from __future__ import annotations

import doctest

import msgspec
import pytest

from beholder.benchmarks.tir import rotation
from beholder.benchmarks.tir.rotation import Wanted, near, wanted
from beholder.sample import NumberTarget, Sample
from made_experiments import rotation_sample

PUBLIC = ("90°", "110°", "100°", "80°", "75°", "70°")
WANTED = [
    ("ours", rotation_sample(), Wanted(45, (15, 30, 45, 60, 75, 90))),
    ("the public set's", rotation_sample("A", PUBLIC), Wanted(90, (90, 110, 100, 80, 75, 70))),
    ("the other way", rotation_sample(sense="counter-clockwise"), Wanted(315, (345, 330, 315, 300, 285, 270))),
    ("in another word", rotation_sample(sense="ANTICLOCKWISE"), Wanted(315, (345, 330, 315, 300, 285, 270))),
    ("written out", rotation_sample("A", ("90 degrees", "180 degrees")), Wanted(90, (90, 180))),
    ("no sense", rotation_sample(sense="round"), None),
    ("both senses", rotation_sample(sense="clockwise (not counterclockwise)"), None),
    ("no angles", rotation_sample("A", ("left", "right")), None),
    ("no choice", msgspec.structs.replace(rotation_sample(), target=NumberTarget("45")), None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "sample", "expected"), WANTED, ids=[row[0] for row in WANTED])
def test_what_a_question_asks_for(name: str, sample: Sample, expected: Wanted | None) -> None:
    assert wanted(sample) == expected


WRONG_WAYS = [
    ("the other way", Wanted(45, (15, 30, 45, 60)), 315),
    ("half a turn has none", Wanted(180, (165, 180)), None),
    ("upright has none", Wanted(0, (0, 90)), None),
    ("an option of its own", Wanted(15, (345, 0, 15, 30)), None),
    ("an option of its own, to two degrees", Wanted(15, (343, 0, 15, 30)), None),
]


@pytest.mark.parametrize(("name", "asked", "other"), WRONG_WAYS, ids=[row[0] for row in WRONG_WAYS])
def test_the_wrong_way_round(name: str, asked: Wanted, other: float | None) -> None:
    assert asked.wrong_way == other


@pytest.mark.parametrize(("one", "other", "so"), [(0, 359, True), (1, 358, False), (90, 92, True), (90, 92.5, False)])
def test_turns_that_are_the_same_to_two_degrees(one: float, other: float, so: bool) -> None:
    assert near(one, other) == so


def test_examples_in_the_docstrings() -> None:
    assert doctest.testmod(rotation) == doctest.TestResults(failed=0, attempted=1)
