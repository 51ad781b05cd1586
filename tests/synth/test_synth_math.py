from __future__ import annotations

import functools
import io
import itertools
import math
import re
from collections import Counter, defaultdict

import msgspec
import numpy as np
import pytest
from PIL import Image

from beholder.errors import UsageError
from beholder.synth.item import Sources
from beholder.synth.items.math import POINT_KINDS, SHEETS, STEPS, Certificate, make
from beholder.synth.photographs import shipped_photos
from beholder.synth.solvers import GaveUp
from beholder.synth.solvers.math import measure, solve

SOURCES = Sources(photos=shipped_photos())
LEVELS = (1, 2, 3, 4, 5)
LETTERS = "ABCDEF"
EXACT = 0.02
"""Pixels, or units of the number asked for, within which the right answer is right."""


def items(seeds, level=3):
    return [make(seed, level, SOURCES) for seed in seeds]


@functools.cache
def some(level):
    return items(range(300, 334), level)


def every():
    return [item for level in LEVELS for item in some(level)]


def picture(item):
    return np.asarray(Image.open(io.BytesIO(item.pictures[0])).convert("RGB"))


def kind_of(item):
    return item.certificate["figure"]["kind"]


def through(a, b):
    """The line through two points as (normal, offset): normal · p = offset."""
    (ax, ay), (bx, by) = a, b
    normal = np.array([ay - by, bx - ax]) / math.dist(a, b)
    return normal, float(normal @ np.array(a))


def off_by(figure, point):
    """How far in pixels a lettered point is from being right."""
    point = np.array(point)
    match figure["kind"]:
        case "mirror":
            # As complex numbers: seen from the line, mirroring is conjugation.
            source, a, b = (complex(*p) for p in (*figure["red"], *figure["blue"]))
            image = a + (b - a) * ((source - a) / (b - a)).conjugate()
            return math.dist(point, (image.real, image.imag))
        case "half_turn":
            return math.dist((point + figure["red"][0]) / 2, figure["blue"][0]) * 2
        case "extension":
            normal, offset = through(*figure["red"])
            return abs(normal @ point - offset)
        case "meeting":
            lines = [through(*figure[colour]) for colour in ("red", "blue")]
            return math.dist(point, np.linalg.solve([n for n, _ in lines], [o for _, o in lines]))


def shoelace(points):
    x, y = np.array(points).T
    return abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def asked_for(item):
    """The number that an item asks for, from its figure's geometry and what the question says."""
    figure = item.certificate["figure"]
    match figure["kind"]:
        case "angle":
            arms = [np.subtract(figure[colour][1], figure["corner"]) for colour in ("red", "blue")]
            near = [np.subtract(figure[colour][0], figure["corner"]) for colour in ("red", "blue")]
            for arm, start in zip(arms, near, strict=True):
                assert abs(arm[0] * start[1] - arm[1] * start[0]) / np.linalg.norm(arm) < 0.01
            cosine = arms[0] @ arms[1] / np.linalg.norm(arms[0]) / np.linalg.norm(arms[1])
            return math.degrees(math.acos(cosine))
        case "lengths":
            red, blue = (sum(itertools.starmap(math.dist, itertools.pairwise(figure[c]))) for c in ("red", "blue"))
            return red / blue
        case "areas":
            red, blue = (
                shoelace(shape["points"]) if shape["points"] else math.pi * shape["radius"] ** 2
                for shape in (figure["red"], figure["blue"])
            )
            return red / blue
        case "height":
            normal, offset = through(*figure["base"])
            says = int(re.search(r"is (\d+) cm long", item.prompt)[1])
            return abs(normal @ np.array(figure["top"]) - offset) / math.dist(*figure["base"]) * says
        case "curve":
            wave = figure["red"]
            x = float(re.search(r"x = (-?[\d.]+)\?", item.prompt)[1])
            return wave["level"] + wave["slope"] * x + wave["swing"] * math.sin(wave["pace"] * x + wave["phase"])
        case "grid_area":
            return shoelace(figure["corners"])


@pytest.mark.parametrize("level", LEVELS)
def test_same_seed_same_bytes(level):
    again = items(range(300, 303), level)
    assert again == some(level)[:3]
    assert len({item.pictures for item in some(level)}) == len(some(level))


@pytest.mark.parametrize("level", [0, 6, -1])
def test_other_levels(level):
    with pytest.raises(UsageError, match=r"1 to 5"):
        make(1, level, SOURCES)


def test_what_an_item_says_about_itself():
    for item in every():
        certificate = msgspec.convert(item.certificate, Certificate)
        assert (item.task, item.cluster, item.suffix) == ("math", "", ".png")
        assert item.difficulty == certificate.level
        assert picture(item).shape == (SHEETS[certificate.level].side,) * 2 + (3,)
        asked = "point" if kind_of(item) in POINT_KINDS else "option"
        assert item.prompt.endswith(f"\nAnswer with the letter of the right {asked}.")
    assert {kind_of(item) for item in every()} == {*POINT_KINDS, *STEPS}


def test_exactly_one_point_is_right():
    pointed = [item for item in every() if kind_of(item) in POINT_KINDS]
    assert len(pointed) > 30
    for item in pointed:
        figure = item.certificate["figure"]
        wrong = [off_by(figure, point) for point in figure["points"]]
        right = wrong.pop(LETTERS.index(item.answer))
        assert right < EXACT
        assert min(wrong) >= figure["margin"] - EXACT
        apart = min(math.dist(p, q) for p, q in itertools.combinations(figure["points"], 2))
        assert apart >= SHEETS[item.difficulty].apart - 0.2


def test_letters_stand_next_to_their_points():
    for item in every():
        figure = item.certificate["figure"]
        if figure["kind"] in POINT_KINDS:
            for i, label in enumerate(figure["labels"]):
                own, *others = (math.dist(label, p) for p in (figure["points"][i], *figure["points"]))
                others.pop(i)
                assert own + 6 < min(others)


def test_exactly_one_number_is_right():
    numbered = [item for item in every() if kind_of(item) in STEPS]
    assert len(numbered) > 50
    for item in numbered:
        scale = STEPS[kind_of(item)]
        step = scale.steps[item.difficulty - 1] * scale.grain
        shown = re.findall(r"^([A-F])\. (-?[\d.]+)(?:°| cm)?$", item.prompt, re.MULTILINE)
        assert [letter for letter, _ in shown] == list(LETTERS)
        values = [float(number) for _, number in shown]
        assert values == [pytest.approx(option) for option in item.certificate["options"]]
        assert np.diff(sorted(values)) == pytest.approx(step)
        truth = asked_for(item)
        near = [letter for letter, value in zip(LETTERS, values, strict=True) if abs(value - truth) < EXACT]
        assert near == [item.answer]


def test_the_answer_is_spread_evenly():
    many = items(range(2000, 2200), 1)
    letters = Counter(item.answer for item in many)
    assert set(letters) == set(LETTERS)
    assert all(15 <= number <= 54 for number in letters.values())
    numbered = [item.certificate for item in many if item.certificate["options"]]
    ranks = Counter(sorted(c["options"]).index(c["options"][LETTERS.index(c["answer"])]) for c in numbered)
    assert all(6 <= ranks[rank] <= 36 for rank in range(6))


def shares(level, seeds):
    right = defaultdict(list)
    for item in items(seeds, level):
        right[kind_of(item)].append(solve([picture(item)], item.prompt) == item.answer)
    return right


def test_solver_is_right():
    right = shares(3, range(20))
    assert sum(map(sum, right.values())) >= 18


@pytest.mark.slow
@pytest.mark.parametrize("level, seeds, floor", [(1, 100, 0.95), (3, 200, 0.95), (5, 100, 0.95)])
def test_solver_is_right_on_many(level, seeds, floor):
    right = shares(level, range(6000, 6000 + seeds))
    assert sum(map(sum, right.values())) >= floor * seeds
    if level == 3:
        assert all(np.mean(marks) >= 0.9 for marks in right.values())


def test_solver_measures_what_is_there():
    """Not merely the nearest option: the number itself is close."""
    measured = [item for item in some(2) if kind_of(item) in STEPS][:16]
    near = {"angle": 0.7, "lengths": 0.05, "areas": 0.05, "height": 0.15, "curve": 0.06, "grid_area": 0.3}
    assert all(abs(measure(picture(item), item.prompt) - asked_for(item)) < near[kind_of(item)] for item in measured)


BLANK = np.full((80, 80, 3), 250, dtype=np.uint8)
RED_ONLY = BLANK.copy()
RED_ONLY[30:34, 10:60] = (208, 38, 42)


@pytest.mark.parametrize(
    "pictures, prompt",
    [
        ([], "How large is the angle?\nA. 30°\nB. 40°"),
        ([BLANK], "How large is the angle?\nA. 30°\nB. 40°"),
        ([RED_ONLY], "How large is the angle?\nA. 30°\nB. 40°"),
        ([RED_ONLY], "How many times as long is it?\nA. 1.0\nB. 2.0"),
        ([RED_ONLY], "How many times as large is it?\nA. 1.0\nB. 2.0"),
        ([RED_ONLY], "The blue side of the triangle is 7 cm long.\nA. 1.0\nB. 2.0"),
        ([RED_ONLY], "What is y at x = 1.5?\nA. 1.0\nB. 2.0"),
        ([RED_ONLY], "Each square of the grid has an area of 1.\nA. 1.0\nB. 2.0"),
        ([RED_ONLY], "Which of the lettered points is the mirror image of the red point?"),
        ([RED_ONLY], "Through which of the lettered points does it pass?"),
        ([RED_ONLY], "What is this?\nA. 3\nB. 4"),
        ([BLANK], "at x = " * 100_000 + "\ud800\0"),
    ],
)
def test_solver_gives_up(pictures, prompt):
    with pytest.raises(GaveUp):
        solve(pictures, prompt)
