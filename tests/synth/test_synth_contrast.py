from __future__ import annotations

import io
import itertools
import math
from collections import Counter

import numpy as np
import pytest
from PIL import Image

from beholder.errors import UsageError
from beholder.synth.item import LEVELS, Sources
from beholder.synth.items import contrast
from beholder.synth.items.contrast import DARK, make
from beholder.synth.items.contrast_plan import EDGE_PX, HEIGHT, WIDTH, draw_plan
from beholder.synth.photographs import shipped_photos
from beholder.synth.silhouettes import KINDS, NAMES, silhouette
from beholder.synth.solvers import GaveUp
from beholder.synth.solvers.contrast import glance, solve

SOURCES = Sources(photos=shipped_photos())


def pixels(item):
    return [np.asarray(Image.open(io.BytesIO(picture)).convert("RGB")) for picture in item.pictures]


def answered(item, how=solve):
    try:
        return how(pixels(item), item.prompt)
    except GaveUp:
        return "gave up"


@pytest.fixture(scope="module")
def items():
    return [make(seed, level, SOURCES) for level in LEVELS for seed in range(5, 19)]


@pytest.fixture(scope="module")
def plans():
    return [draw_plan(seed, DARK[3].others) for seed in range(2000)]


def test_the_same_seed_makes_the_same_bytes():
    one, again = (make(5, 3, SOURCES) for _ in range(2))
    assert one == again
    assert one.pictures != make(6, 3, SOURCES).pictures
    assert one.suffix == ".png"


@pytest.mark.parametrize("level", [0, 6, -1])
def test_other_levels(level):
    with pytest.raises(UsageError, match="levels 1 to 5"):
        make(1, level, SOURCES)


def on_side(thing, side):
    return {
        "": True,
        "left": thing["x"] < WIDTH / 2,
        "right": thing["x"] > WIDTH / 2,
        "top": thing["y"] < HEIGHT / 2,
        "bottom": thing["y"] > HEIGHT / 2,
    }[side]


def depth(thing, side):
    return {"left": thing["x"], "right": WIDTH - thing["x"], "top": thing["y"], "bottom": HEIGHT - thing["y"]}[side]


def test_the_certificate_implies_the_answer(items):
    asked = Counter()
    for item in items:
        drawn = item.certificate
        asked[drawn["question"]] += 1
        things = drawn["things"]
        if drawn["question"] in ("count", "half"):
            inside = [thing for thing in things if thing["kind"] == drawn["asked"] and on_side(thing, drawn["side"])]
            assert item.answer == str(len(inside))
            assert NAMES[drawn["asked"]][1] in item.prompt.partition("How many")[2]
            assert item.prompt.endswith("Answer with a whole number.")
            continue
        lines = [line for line in item.prompt.splitlines() if line[1:3] == ". "]
        assert [line[3:] for line in lines] == [NAMES[kind][0] for kind in drawn["options"]]
        right = lines["ABCD".index(item.answer)][3:]
        if drawn["question"] == "edge":
            offered = [thing for thing in things if thing["kind"] in drawn["options"]]
            assert len(offered) == 4
            first, second, *_ = sorted(offered, key=lambda thing: depth(thing, drawn["side"]))
            assert NAMES[first["kind"]][0] == right
            assert depth(second, drawn["side"]) - depth(first, drawn["side"]) >= EDGE_PX
        else:
            counts = Counter(thing["kind"] for thing in things if thing["kind"] in drawn["options"])
            (first, most), (_, next_most) = counts.most_common(2)
            assert NAMES[first][0] == right
            assert most > next_most
    assert set(asked) == {"count", "half", "edge", "most"}


def test_the_difference_is_in_the_picture(items):
    for item in items:
        dark = DARK[item.difficulty]
        drawn = item.certificate
        assert drawn["least"] >= dark.least
        assert drawn["noise"] <= drawn["least"] / 3
        shown = pixels(item)[0]
        assert shown.shape == (HEIGHT, WIDTH, 3)
        assert shown.max() == drawn["brightest"]
        # Tints make one channel of the brightest tone brighter than the mean, and noise comes on top.
        assert shown.max() <= 1.45 * dark.brightest + 6 * dark.noise
        for thing in drawn["things"]:
            mask = silhouette(thing["kind"], thing["size"], thing["turn"])
            half = mask.shape[0] // 2
            top, left = thing["y"] - half, thing["x"] - half
            assert top >= 0
            assert left >= 0
            about = shown[top : top + 2 * half, left : left + 2 * half].mean(axis=2)
            inside, outside = about[mask == 255].mean(), about[mask == 0].mean()
            assert inside - outside >= dark.least - 0.5


def test_things_keep_apart(items):
    for item in items:
        things = item.certificate["things"]
        for place, one in enumerate(things):
            assert abs(one["x"] - WIDTH / 2) >= 0.5 * one["size"]
            assert abs(one["y"] - HEIGHT / 2) >= 0.5 * one["size"]
            for other in things[place + 1 :]:
                gap = math.dist((one["x"], one["y"]), (other["x"], other["y"]))
                assert gap > 0.5 * (one["size"] + other["size"])


def test_levels_get_darker():
    tones = [(dark.brightest, dark.least, dark.least / dark.noise) for _, dark in sorted(DARK.items())]
    for easier, harder in itertools.pairwise(tones):
        assert all(a > b for a, b in zip(easier, harder, strict=True))


def test_nothing_outside_the_picture_tells_the_answer(plans):
    for question, values in (("count", range(1, 10)), ("half", range(7))):
        answers = Counter()
        for plan in plans:
            if plan.question == question:
                middles = [contrast.middle_of(cell) for kind, cell in plan.cells if kind == plan.asked]
                answers[sum(on_side({"x": x, "y": y}, plan.side) for x, y in middles)] += 1
        assert set(answers) == set(values)
        assert max(answers.values()) < 1.45 * sum(answers.values()) / len(values)
    for question in ("edge", "most"):
        chosen = [plan for plan in plans if plan.question == question]
        letters = Counter(plan.right for plan in chosen)
        kinds = Counter(plan.options[plan.right] for plan in chosen)
        assert max(letters.values()) < 0.32 * len(chosen)
        assert set(kinds) == set(KINDS)
        assert max(kinds.values()) < 0.16 * len(chosen)


@pytest.mark.parametrize("kind", KINDS)
def test_a_silhouette_is_in_one_piece_and_not_cut_off(kind):
    import cv2

    for turn in (-20, 0, 20):
        mask = silhouette(kind, 40, turn)
        assert mask[[0, -1]].max() == mask[:, [0, -1]].max() == 0
        assert cv2.connectedComponents((mask > 127).astype(np.uint8))[0] == 2


@pytest.mark.parametrize(
    "prompt", ["", "How many balls are there in the picture?", "\ud800\x00" + "How many " * 20_000]
)
def test_a_black_picture(prompt):
    for how in (solve, glance):
        with pytest.raises(GaveUp):
            how([np.zeros((HEIGHT, WIDTH, 3), np.uint8)], prompt)


def test_an_unknown_kind():
    item = make(3, 1, SOURCES)
    with pytest.raises(GaveUp, match="unknown kind"):
        solve(pixels(item), "How many spoons are there in the picture?")


@pytest.mark.slow
def test_solved_from_the_pixels():
    fresh = [make(seed, 3, SOURCES) for seed in range(7000, 7020)]
    assert sum(answered(item) == item.answer for item in fresh) >= 18
    # Without brightening there is next to nothing to be seen.
    assert sum(answered(item, glance) == item.answer for item in fresh) <= 4


@pytest.mark.slow
@pytest.mark.parametrize(("level", "share"), [(3, 0.95), (5, 0.9)])
def test_solved_at_higher_levels(level, share):
    fresh = [make(seed, level, SOURCES) for seed in range(9000, 9200)]
    assert sum(answered(item) == item.answer for item in fresh) >= share * len(fresh)
