from __future__ import annotations

import io
import math
from collections import Counter

import numpy as np
import pytest
from PIL import Image

from beholder.errors import UsageError
from beholder.synth.item import LEVELS, Sources
from beholder.synth.items import instrument
from beholder.synth.items.instrument_scales import (
    GAUGES,
    SCALES,
    THERMOMETERS,
    Range,
    Scale,
    converted,
    draw_scale,
    written,
)
from beholder.synth.photographs import Photos
from beholder.synth.solvers import GaveUp
from beholder.synth.solvers.instrument import glance, solve

NOTHING = Sources(photos=Photos(()))
KINDS = {"clock", "gauge", "thermometer", "ruler", "scale"}


def pixels(item):
    return [np.asarray(Image.open(io.BytesIO(picture)).convert("RGB")) for picture in item.pictures]


def answered(item, how=solve):
    try:
        return how(pixels(item), item.prompt)
    except GaveUp:
        return "gave up"


@pytest.fixture(scope="module")
def unseen():
    """600 items whose pictures were not painted: what can be known without looking."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(instrument, "photograph", lambda sheet, ground, view, seed: np.zeros((8, 8, 3), np.uint8))
        patch.setattr(instrument, "draw_ground", lambda *_: None)
        return [instrument.make(seed, level, NOTHING) for level in (1, 3, 5) for seed in range(200)]


def test_the_same_seed_makes_the_same_bytes():
    one, again = (instrument.make(11, 3, NOTHING) for _ in range(2))
    assert one == again
    assert one.pictures != instrument.make(12, 3, NOTHING).pictures
    assert one.suffix == ".jpg"
    assert one.cluster == ""


@pytest.mark.parametrize("level", [0, 6, -1])
def test_other_levels(level):
    with pytest.raises(UsageError, match="levels 1 to 5"):
        instrument.make(1, level, NOTHING)


@pytest.mark.parametrize("level", LEVELS)
def test_every_kind_at_every_level(level):
    made = {}
    for seed in range(40):
        item = instrument.make(seed, level, NOTHING)
        made.setdefault(item.certificate["kind"], item)
        if len(made) == 5:
            break
    assert set(made) == KINDS
    for item in made.values():
        assert item.task == "instrument"
        assert item.difficulty == item.certificate["level"] == level
        assert pixels(item)[0].shape[2] == 3
        # Neighbouring readings are at least 3 pixels apart at the pointer's end.
        assert item.certificate["margin_px"] >= 3


def value_of(text):
    return round(10 * float(text.split()[0]))


def minutes_of(text):
    hour, minute = text.split(":")
    return 10 * (int(hour) % 12 * 60 + int(minute))


def test_the_certificate_implies_the_answer(unseen):
    for item in unseen:
        drawn = item.certificate
        lines = [line for line in item.prompt.splitlines() if line[1:3] == ". "]
        read = minutes_of if drawn["kind"] == "clock" else value_of
        if drawn["options"]:
            assert [line[0] for line in lines] == list("ABCDE")
            right = [line[0] for line in lines if read(line[3:]) == drawn["reading"]]
            assert right == [item.answer]
            assert item.prompt.endswith("\nAnswer with the letter of the right option.")
        else:
            assert lines == []
            if drawn["kind"] == "clock":
                hour, minute = divmod(drawn["reading"] // 10, 60)
                assert int(item.answer) == (hour or 12) * 100 + minute
            else:
                assert value_of(item.answer) == drawn["reading"]
            decimal = "." in item.answer
            ending = "Answer with a number with one decimal place." if decimal else "Answer with a whole number."
            assert item.prompt.endswith(ending)


def test_readings_are_possible_ones(unseen):
    for item in unseen:
        drawn = item.certificate
        assert (drawn["reading"] - drawn["low"]) % drawn["step"] == 0
        assert drawn["low"] <= drawn["reading"] <= drawn["high"]
        if drawn["level"] <= 3:
            assert drawn["step"] == drawn["mark"]
        else:
            assert drawn["mark"] in (drawn["step"], 2 * drawn["step"])
        if drawn["kind"] == "ruler":
            assert drawn["start"] > 0
            assert drawn["start"] + drawn["reading"] <= drawn["high"]
        if drawn["kind"] == "scale":
            assert 0 < drawn["reading"] < drawn["high"]
        assert ("halfway" in item.prompt) == (drawn["mark"] == 2 * drawn["step"])


def test_nothing_outside_the_picture_tells_the_answer(unseen):
    letters = Counter(item.answer for item in unseen if item.certificate["options"])
    total = sum(letters.values())
    assert set(letters) == set("ABCDE")
    assert 0.42 < total / len(unseen) < 0.58
    assert max(letters.values()) < 0.27 * total
    assert set(Counter(item.certificate["kind"] for item in unseen)) == KINDS
    free = [
        item.certificate for item in unseen if not item.certificate["options"] and item.certificate["kind"] != "ruler"
    ]
    shares = [(drawn["reading"] - drawn["low"]) / (drawn["high"] - drawn["low"]) for drawn in free]
    thirds = Counter(min(2, math.floor(3 * share)) for share in shares)
    assert min(thirds.values()) > 0.24 * len(shares)


@pytest.mark.parametrize(("kind", "ranges"), [("gauge", GAUGES), ("scale", SCALES), ("thermometer", THERMOMETERS)])
@pytest.mark.parametrize("level", LEVELS)
def test_every_scale_reads_in_whole_tenths(kind, ranges, level):
    import random

    rng = random.Random(level)
    seen = {draw_scale(kind, ranges, level, rng) for _ in range(200)}
    assert len(seen) >= 4
    for scale in seen:
        assert scale.mark * scale.divisions == scale.range.major
        assert scale.step * scale.readings == scale.range.high - scale.range.low
        values = range(scale.range.low, scale.range.high + 1, scale.step)
        assert [value_of(scale.text(value)) for value in values] == list(values)


@pytest.mark.parametrize(("tenths", "text"), [(0, "0.0"), (5, "0.5"), (-5, "-0.5"), (-120, "-12.0"), (1007, "100.7")])
def test_tenths(tenths, text):
    assert written(tenths) == text


@pytest.mark.parametrize(
    ("unit", "low", "high"), [("°C", -200, 500), ("°C", 0, 1000), ("°F", 0, 1200), ("°F", 200, 1200)]
)
def test_both_sides_of_a_thermometer_agree(unit, low, high):
    scale = Scale(Range("thermometer", unit, low, high, 100), 5, halves=True)
    marks, other = converted(scale)
    assert {unit, other} == {"°C", "°F"}
    for value, share in marks:
        here = low + share * (high - low)
        celsius, fahrenheit = (here, value) if unit == "°C" else (value, here)
        assert celsius * 9 / 5 + 320 == pytest.approx(fahrenheit)
        assert 0 <= share <= 1 + 1e-9


PLAIN = np.full((300, 300, 3), 128, np.uint8)


@pytest.mark.parametrize(
    "prompt",
    [
        "The picture shows a clock with twelve hours. What time does the clock show?",
        "The picture shows a pressure gauge. Its scale runs from 0 to 10 bar in equal steps. What does it read?",
        "The picture shows a ruler numbered from 0 to 9 cm in equal steps, and a rod. How long is it, in millimetres?",
        "The picture shows a thermometer. Its scale runs from 0 to 10 °C in equal steps. The column ends on a mark.",
        "A full turn: a full turn clockwise is 10 kg, in equal steps.",
        "",
        "\ud800\x00 scale runs from " + "1" * 100_000,
    ],
    ids=["clock", "gauge", "ruler", "thermometer", "scale", "empty", "odd"],
)
@pytest.mark.parametrize("how", [solve, glance])
def test_a_picture_of_nothing(prompt, how):
    with pytest.raises(GaveUp):
        how([PLAIN], prompt)


def test_solved_from_the_pixels():
    items = [instrument.make(seed, 3, NOTHING) for seed in range(7000, 7020)]
    assert sum(answered(item) == item.answer for item in items) >= 18


@pytest.mark.slow
def test_solved_at_level_3_whatever_the_kind():
    right, total = Counter(), Counter()
    for seed in range(9000, 9200):
        item = instrument.make(seed, 3, NOTHING)
        total[item.certificate["kind"]] += 1
        right[item.certificate["kind"]] += answered(item) == item.answer
    assert sum(right.values()) >= 190
    for kind in KINDS:
        assert right[kind] >= 0.9 * total[kind], (kind, right[kind], total[kind])


@pytest.mark.slow
@pytest.mark.parametrize(("level", "solved", "glanced"), [(1, 0.97, 1.0), (5, 0.85, 0.4)])
def test_higher_levels_need_the_picture_straightened(level, solved, glanced):
    items = [instrument.make(seed, level, NOTHING) for seed in range(500, 560)]
    assert sum(answered(item) == item.answer for item in items) >= solved * len(items)
    assert sum(answered(item, glance) == item.answer for item in items) <= glanced * len(items)
