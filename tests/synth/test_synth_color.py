from __future__ import annotations

import io
import re
from collections import Counter

import numpy as np
import pytest
from PIL import Image

from beholder.errors import UsageError
from beholder.synth.item import LEVELS, Item, Sources
from beholder.synth.items.color import KINDS, make
from beholder.synth.photographs import shipped_photos
from beholder.synth.solvers import GaveUp
from beholder.synth.solvers.color import count_colours, solve

SOURCES = Sources(shipped_photos())
LEADS = {1: 20, 2: 14, 3: 10, 4: 7, 5: 5}
STEPS = {1: 20, 2: 15, 3: 10, 4: 7, 5: 5}
BLANK = np.full((40, 60, 3), 255, dtype=np.uint8)


def pixels(item: Item) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(item.pictures[0])).convert("RGB"))


def truths(made: dict) -> list[bool]:
    """For each option whether it is right, from the certificate alone."""
    options, counts = made["options"], made["pixels"]
    if made["kind"] == "colours":
        return [int(option) == sum(count > 0 for count in counts) for option in options]
    if made["kind"] == "patches":
        return [int(option) == made["patches"][made["asked"]] for option in options]
    if made["kind"] == "dominant":
        largest = made["names"][counts.index(max(counts))]
        return [option == largest for option in options]
    share = 100 * counts[made["asked"]] / sum(counts)
    away = [abs(int(option.rstrip("%")) - share) for option in options]
    return [distance == min(distances) for distance in away for distances in (away,)]


def shown_options(item: Item) -> list[str]:
    return re.findall(r"^[A-D]\. (.+)$", item.prompt, re.MULTILINE)


def test_the_same_seed_gives_the_same_bytes():
    for seed in range(4):
        assert make(seed, 5, SOURCES) == make(seed, 5, SOURCES)
    assert make(1, 3, SOURCES).pictures != make(2, 3, SOURCES).pictures


@pytest.mark.parametrize("level", LEVELS)
def test_the_certificate_implies_the_answer(level):
    kinds = set()
    for seed in range(24):
        item = make(seed, level, SOURCES)
        made = item.certificate
        kinds.add(made["kind"])
        assert shown_options(item) == list(made["options"])
        assert [letter for letter, true in zip("ABCD", truths(made), strict=True) if true] == [item.answer]
        assert (item.difficulty, made["level"], made["seed"]) == (level, level, seed)
        assert (item.cluster != "") == (made["kind"] == "dominant")
        assert made["margin"] >= {"share": STEPS[level] - 0.85, "dominant": LEADS[level] - 0.3}.get(made["kind"], 1)
    assert kinds == set(KINDS)


@pytest.mark.slow
@pytest.mark.parametrize("level", [1, 3])
def test_the_picture_holds_what_the_certificate_says(level):
    for seed in range(12):
        item = make(seed, level, SOURCES)
        made, shown = item.certificate, pixels(item)
        assert shown.shape[:2] == tuple(made["size"])[::-1]
        counted = Counter(map(tuple, shown.reshape(-1, 3).tolist()))
        assert counted == {tuple(rgb): count for rgb, count in zip(made["rgb"], made["pixels"], strict=True) if count}


def test_colours_that_are_counted_are_large_enough_to_be_seen():
    for seed in range(60):
        made = make(seed, 5, SOURCES).certificate
        if made["kind"] == "colours":
            assert min(made["pixels"]) > 200


@pytest.mark.parametrize("level", [0, 6, -1])
def test_other_levels(level):
    with pytest.raises(UsageError, match="1 to 5"):
        make(1, level, SOURCES)


def test_letters_and_kinds_are_spread_evenly():
    items = [make(seed, 1, SOURCES) for seed in range(200)]
    letters = Counter(item.answer for item in items)
    kinds = Counter(item.certificate["kind"] for item in items)
    assert set(letters) == set("ABCD")
    assert set(kinds) == set(KINDS)
    assert max(letters.values()) < 80
    assert max(kinds.values()) < 80
    for kind in KINDS:  # the kind does not tell the letter
        assert (
            max(Counter(item.answer for item in items if item.certificate["kind"] == kind).values()) < 0.6 * kinds[kind]
        )


def test_the_solver_is_right():
    items = [make(seed, 3, SOURCES) for seed in range(5000, 5020)]
    assert sum(solve([pixels(item)], item.prompt) == item.answer for item in items) >= 18


@pytest.mark.slow
def test_the_solver_is_right_on_many():
    items = (make(seed, 3, SOURCES) for seed in range(6000, 6200))
    assert sum(solve([pixels(item)], item.prompt) == item.answer for item in items) >= 190


def test_the_solver_looks_at_the_picture():
    items = [item for seed in range(40) if (item := make(seed, 1, SOURCES)).certificate["kind"] == "share"]
    assert {solve([BLANK], item.prompt) for item in items if "is white" not in item.prompt} == {"A"}


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "How many?",
        "Which share is mauve?\nA. 1%\nB. 2%",
        "Which share is red?\nA. much\nB. little",
        "\ud83d\0" * 1000,
    ],
)
def test_questions_the_solver_cannot_read(prompt):
    with pytest.raises(GaveUp):
        solve([BLANK], prompt)


def test_shades_are_told_apart():
    picture = BLANK.copy()
    picture[:10], picture[10:20] = (200, 20, 20), (200, 60, 20)
    picture[30, :5] = 0  # too few pixels for a colour
    assert count_colours(picture) == 3
