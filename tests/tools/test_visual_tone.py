"""Adjust, equalize, threshold, edges and colour mask, against values that are known."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from visual_calls import BLACK, BLUE, RED, WHITE, call, noise, plain, same, with_box

from beholder.tools.visual import call_visual
from beholder.tools.visual_tone import otsu_level
from beholder.trajectory import CallOutcome

ADJUSTED = [
    ({"brightness": 2}, 100, 200),
    ({"brightness": 2}, 200, 255),
    ({"brightness": 0}, 200, 0),
    ({"contrast": 0}, 10, 128),
    ({"contrast": 2}, 100, 72),
    ({"contrast": 2}, 200, 255),
    ({"gamma": 2}, 64, 128),
    ({"gamma": 0.5}, 128, 64),
    ({"brightness": 2, "contrast": 2, "gamma": 2}, 50, 136),
    ({}, 77, 77),
]


@pytest.mark.parametrize("asked, before, after", ADJUSTED)
def test_adjust_follows_its_curve(asked: dict, before: int, after: int) -> None:
    done = call("adjust", plain(color=(before, before, before)), **asked)
    assert done.pictures[0].getpixel((0, 0)) == (after, after, after)


def test_adjust_says_what_it_did_and_without_settings_changes_nothing() -> None:
    done = call("adjust", noise())
    assert same(done.pictures[0], noise())  # T89: the loop flags it, as it flags every picture that was there already
    assert done.text == "Adjusted image_1: brightness 1, contrast 1, gamma 1."


def test_equalize_spreads_the_luminance() -> None:
    picture = plain(20, 10, (100, 100, 100))
    for column in range(10):
        picture.paste((100 + column,) * 3, (column * 2, 0, column * 2 + 2, 10))
    done = call("equalize", picture)
    assert done.pictures[0].convert("L").getextrema() == (0, 255)
    assert done.text == "Equalized the histogram of image_1: its luminance ran from 100 to 109 (of 0 to 255)."


def test_threshold_is_white_above_the_level() -> None:
    picture = with_box(plain(color=(99, 99, 99)), (0, 0, 10, 10), (100, 100, 100))
    done = call("threshold", picture, level=99)
    assert sorted(done.pictures[0].getcolors()) == [(100, WHITE), (1100, BLACK)]
    assert done.text == "Thresholded image_1 at luminance 99 (as asked). White: 100 of 1200 pixels (8.33 %)."


def test_otsus_level_parts_two_humps() -> None:
    picture = with_box(plain(color=(50, 50, 50)), (0, 0, 10, 10), (150, 150, 150))
    done = call("threshold", picture)
    assert done.pictures[0].getpixel((5, 5)) == WHITE
    assert done.pictures[0].getpixel((20, 20)) == BLACK
    assert "at luminance 99 (chosen by Otsu's method). White: 100 of 1200" in done.text


@pytest.mark.parametrize("seed", range(5))
def test_otsus_level_is_opencvs(seed: int) -> None:
    import cv2
    import numpy as np

    values = np.clip(np.random.default_rng(seed).normal((60, 170), (20, 30), (500, 2)), 0, 255).astype(np.uint8)
    level, _ = cv2.threshold(values, 0, 255, cv2.THRESH_OTSU)
    assert otsu_level(np.bincount(values.ravel(), minlength=256).tolist()) == level


def test_a_picture_of_one_value_has_a_level_too() -> None:
    assert otsu_level([0] * 70 + [5] + [0] * 185) == 70


def test_edges_lie_on_the_outline() -> None:
    done = call("edges", with_box(plain(60, 50), (20, 10, 40, 30), BLACK))
    found = done.pictures[0].convert("L")
    left, top, right, bottom = found.getbbox()
    assert (abs(left - 20) <= 1, abs(top - 10) <= 1, abs(right - 40) <= 1, abs(bottom - 30) <= 1) == (True,) * 4
    assert found.getpixel((30, 20)) == 0
    count = found.histogram()[255]
    assert 60 <= count <= 90
    assert f"Edge pixels: {count} of 3000 pixels" in done.text


def test_thresholds_in_the_wrong_order_are_an_error() -> None:
    done = call("edges", plain(), low=5, high=4)
    assert (done.outcome, done.text) == (CallOutcome.ERROR, "low (5) must not be above high (4).")


COLORS = [
    ("red", 0, (10, 5, 20, 15), 100),
    ("#FF0000", 0, (10, 5, 20, 15), 100),
    ("#f00", 0, (10, 5, 20, 15), 100),
    (" Red ", 0, (10, 5, 20, 15), 100),
    ("rgb(250, 3, 3)", 5, (10, 5, 20, 15), 100),
    ("rgb(250, 3, 3)", 4, None, 0),
    ("white", 0, (0, 0, 40, 30), 1075),
    ("white", 255, (0, 0, 40, 30), 1200),
]


@pytest.mark.parametrize("color, tolerance, box, count", COLORS)
def test_a_color_is_found_counted_and_placed(color: str, tolerance: int, box: tuple | None, count: int) -> None:
    picture = with_box(with_box(plain(), (10, 5, 20, 15), RED), (30, 20, 35, 25), BLUE)
    done = call("color_mask", picture, color=color, tolerance=tolerance)
    assert done.pictures[0].convert("L").getbbox() == box
    assert done.pictures[0].convert("L").histogram()[255] == count
    assert f"white on black: {count} of 1200 pixels ({count / 12:.2f} %)." in done.text
    assert done.text.endswith(f"They lie within {list(box)}." if box else "pixels (0.00 %).")


@pytest.mark.parametrize("color", ["reddish", "", "#12", "rgb(999, 0, 0)", "__import__('os')"])
def test_a_color_that_there_is_not_is_an_error(color: str) -> None:
    done = call_visual("color_mask", json.dumps({"color": color}), [plain()])
    assert done.outcome is CallOutcome.ERROR
    assert done.text == f"There is no colour {color!r}. Give a name such as red, or #rrggbb."


def test_opencv_is_loaded_by_a_call_only() -> None:
    code = "import sys, beholder.tools.visual; sys.exit('cv2' in sys.modules or 'rapidocr' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
