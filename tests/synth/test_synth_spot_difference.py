from __future__ import annotations

import io
from collections import Counter

import numpy as np
import pytest
from PIL import Image, ImageFilter

from beholder.errors import UsageError
from beholder.synth.item import LEVELS, Item, Sources
from beholder.synth.items.spot_difference import BAND, CLEAR, HEIGHT, RULES, WIDTH, make
from beholder.synth.photographs import shipped_photos
from beholder.synth.solvers import GaveUp
from beholder.synth.solvers.spot_difference import solve

SOURCES = Sources(shipped_photos())


def pixels(item: Item) -> list[np.ndarray]:
    return [np.asarray(Image.open(io.BytesIO(picture)).convert("RGB")) for picture in item.pictures]


def versions(item: Item) -> tuple[np.ndarray, np.ndarray]:
    shown = pixels(item)
    return (shown[0], shown[1]) if len(shown) == 2 else (shown[0][:, :WIDTH], shown[0][:, WIDTH + BAND :])


def touched(box: list[int], rows: int, columns: int) -> set[int]:
    """The patches, from 1, that a box lies in."""
    left, top, right, bottom = box
    return {
        row * columns + column + 1
        for row in range(rows)
        for column in range(columns)
        if left < (column + 1) * WIDTH // columns
        and right > column * WIDTH // columns
        and top < (row + 1) * HEIGHT // rows
        and bottom > row * HEIGHT // rows
    }


def implied(certificate: dict) -> set[int]:
    grid = certificate["rows"], certificate["columns"]
    return set().union(*(touched(change["box"], *grid) for change in certificate["changes"]))


def test_the_same_seed_gives_the_same_bytes():
    one, again, other = make(5, 4, SOURCES), make(5, 4, SOURCES), make(6, 4, SOURCES)
    assert one == again
    assert one.pictures != other.pictures


@pytest.mark.parametrize("level", LEVELS)
def test_the_certificate_implies_the_answer(level):
    for seed in range(20):
        item = make(seed, level, SOURCES)
        certificate = item.certificate
        patches = implied(certificate)
        listed = [patch for change in certificate["changes"] for patch in change["patches"]]
        assert sorted(listed) == sorted(patches)
        expected = str(len(patches)) if certificate["kind"] == "count" else ", ".join(map(str, sorted(patches)))
        assert item.answer == expected
        for change in certificate["changes"]:
            assert min(change["clear_pixels"]) >= RULES[level].fewest
            assert change["versions"] in ((1,), (2,))
        assert (certificate["seed"], certificate["level"], item.difficulty) == (seed, level, level)
        assert item.cluster == certificate["photo"]


@pytest.mark.parametrize("level", LEVELS)
def test_patches_differ_as_the_certificate_says(level):
    """Elsewhere 3 × 3 pixels differ by less than half the contrast of a change on average, whatever the JPEG does."""
    contrast = RULES[level].contrast
    for seed in range(5):
        item = make(seed, level, SOURCES)
        first, second = versions(item)
        certificate = item.certificate
        apart = np.abs(second.astype(int) - certificate["shift"] - first).max(axis=2)
        inside = np.zeros((HEIGHT, WIDTH), dtype=bool)
        for change in certificate["changes"]:
            left, top, right, bottom = change["box"]
            assert np.count_nonzero(apart[top:bottom, left:right] >= 0.75 * contrast) >= RULES[level].fewest // 2
            inside[top - CLEAR + 2 : bottom + CLEAR - 2, left - CLEAR + 2 : right + CLEAR - 2] = True
        # White lines and clipped pixels do not shift.
        smoothed = np.asarray(Image.fromarray(apart.astype(np.uint8)).filter(ImageFilter.BoxBlur(1)))
        assert smoothed[~inside].max() < 0.5 * contrast


def test_changes_keep_clear_of_the_lines_that_they_do_not_cross():
    for seed in range(40):
        certificate = make(seed, 1 + seed % 5, SOURCES).certificate
        grid = certificate["rows"], certificate["columns"]
        for change in certificate["changes"] + certificate["decoys"]:
            left, top, right, bottom = change["box"]
            wider = [left - CLEAR, top - CLEAR, right + CLEAR, bottom + CLEAR]
            assert touched(wider, *grid) == set(change["patches"])


def test_pictures_have_one_size_a_kind():
    shapes = {(kind, shape) for kind, shape in ((i.certificate["kind"], pixels(i)[0].shape) for i in some_items())}
    assert shapes == {
        ("two pictures", (HEIGHT, WIDTH, 3)),
        ("list", (HEIGHT, 2 * WIDTH + BAND, 3)),
        ("count", (HEIGHT, 2 * WIDTH + BAND, 3)),
    }


def some_items() -> list[Item]:
    return [make(seed, 3, SOURCES) for seed in range(30)]


@pytest.mark.parametrize("level", [0, 6, -1])
def test_other_levels_are_refused(level):
    with pytest.raises(UsageError, match="1 to 5"):
        make(1, level, SOURCES)


@pytest.mark.slow
def test_kinds_and_numbers_are_spread_evenly():
    made = [make(seed, 1, SOURCES) for seed in range(200)]
    kinds = Counter(item.certificate["kind"] for item in made)
    assert abs(kinds["two pictures"] - 80) < 30
    assert abs(kinds["list"] - 60) < 28
    assert abs(kinds["count"] - 60) < 28
    counts = Counter(item.answer for item in made if item.certificate["kind"] == "count")
    assert set(counts) == set("2345678")
    assert max(counts.values()) <= 0.3 * kinds["count"]
    lengths = Counter(len(item.answer.split(", ")) for item in made if item.certificate["kind"] != "count")
    assert set(lengths) == {2, 3, 4, 5, 6}
    assert max(lengths.values()) <= 0.3 * (200 - kinds["count"])
    # No part of the grid is favoured: the middle of the listed places is the middle of the grid.
    places = [
        (patch - 1) / (item.certificate["rows"] * item.certificate["columns"] - 1)
        for item in made
        for patch in implied(item.certificate)
    ]
    assert abs(sum(places) / len(places) - 0.5) < 0.04


def test_decoys_are_in_both_versions():
    item = next(item for item in some_items() if item.certificate["kind"] == "two pictures")
    assert len(item.certificate["decoys"]) >= 2
    assert all(decoy["versions"] == (1, 2) for decoy in item.certificate["decoys"])


@pytest.mark.parametrize("level", LEVELS)
def test_the_solver_is_right_at_each_level(level):
    items = [make(seed, level, SOURCES) for seed in range(500, 510)]
    assert sum(solve(pixels(item), item.prompt) == item.answer for item in items) >= 9


def test_the_solver_is_right_on_fresh_items():
    items = [make(seed, 3, SOURCES) for seed in range(1000, 1020)]
    assert sum(solve(pixels(item), item.prompt) == item.answer for item in items) >= 18


@pytest.mark.slow
def test_the_solver_is_right_on_many():
    items = (make(seed, 3, SOURCES) for seed in range(2000, 2200))
    assert sum(solve(pixels(item), item.prompt) == item.answer for item in items) >= 190


GRID = "3 rows and 4 columns. In which patches do they differ?"
PLAIN = np.full((48, 60, 3), 90, dtype=np.uint8)


@pytest.mark.parametrize(
    ("pictures", "prompt"),
    [
        ([], GRID),
        ([PLAIN, PLAIN], GRID),
        ([PLAIN, PLAIN[:40]], GRID),
        ([PLAIN, PLAIN], "Which patches differ?"),
        ([PLAIN, PLAIN], "0 rows and 4 columns"),
        ([PLAIN, PLAIN], "99 rows and 99 columns"),
        ([PLAIN[:, :1]], GRID),
    ],
)
def test_the_solver_gives_up_where_there_is_nothing_to_compare(pictures, prompt):
    with pytest.raises(GaveUp):
        solve(pictures, prompt)
