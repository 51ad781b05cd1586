from __future__ import annotations

import io
import random
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from beholder.errors import DataError, UsageError
from beholder.sample import ImageRef
from beholder.synth.item import LEVELS, Item, Sources
from beholder.synth.items.cut_outs import LARGEST_SCALE, with_article
from beholder.synth.items.pasting import Room, Sprite
from beholder.synth.items.refcoco import COUNT, NEAR, STEP, make
from beholder.synth.masks import MaskedObject
from beholder.synth.photographs import shipped_photos
from beholder.synth.solvers import GaveUp
from beholder.synth.solvers.refcoco import find, solve

SOURCES = Sources(shipped_photos())
GREY = np.full((90, 120, 3), 128, dtype=np.uint8)


def pixels(item: Item) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(item.pictures[0])).convert("RGB"))


def shown_options(item: Item) -> list[int]:
    return [int(value) for value in re.findall(r"^[A-F]\. (\d+)%$", item.prompt, re.MULTILINE)]


def object_in(folder: Path, name: str, shape: str, size: tuple[int, int] = (240, 200)) -> MaskedObject:
    """A photograph of coloured noise with a mask in it."""
    noise = np.random.default_rng(3).integers(60, 200, (size[1], size[0], 3), dtype=np.uint8)
    path = folder / f"{name}.png"
    Image.fromarray(noise).save(path)
    drawn = Image.new("L", size)
    draw = ImageDraw.Draw(drawn)
    if shape == "ring":
        draw.ellipse((20, 10, 190, 180), fill=255)
        draw.ellipse((80, 70, 120, 110), fill=0)
    elif shape == "bar":
        draw.rectangle((60, 5, 160, 195), fill=255)
    elif shape == "speck":
        draw.rectangle((60, 5, 100, 45), fill=255)
    elif shape == "two pieces":
        draw.rectangle((10, 5, 110, 195), fill=255)
        draw.rectangle((130, 5, 230, 195), fill=255)
    elif shape == "piece and crumb":
        draw.rectangle((10, 5, 160, 195), fill=255)
        draw.rectangle((200, 80, 230, 120), fill=255)
    mask = np.asarray(drawn) > 0
    return MaskedObject(name, ImageRef(name=path.name, path=str(path)), lambda: mask)


@pytest.fixture
def cut_outs(tmp_path: Path) -> Sources:
    objects = (object_in(tmp_path, "ring of dough", "ring"), object_in(tmp_path, "pole", "bar"))
    return Sources(shipped_photos(), objects)


def right_ones(item: Item) -> list[str]:
    """The letters whose values are nearest to the pixels counted in the certificate."""
    made = item.certificate
    share = 100 * made["pixels"] / (made["size"][0] * made["size"][1])
    away = {letter: abs(value - share) for letter, value in zip("ABCDEF", made["options"], strict=True)}
    assert min(away.values()) <= NEAR
    return [letter for letter in away if away[letter] == min(away.values())]


def check(item: Item) -> None:
    made = item.certificate
    assert right_ones(item) == [item.answer]
    assert shown_options(item) == list(made["options"])
    assert np.diff(sorted(made["options"])).tolist() == [STEP] * (COUNT - 1)
    assert made["margin"] >= STEP - 2 * NEAR
    assert f" {made['object']} cover?" in item.prompt or f"covered by {made['object']}?" in item.prompt
    assert item.cluster == (made["source"] or made["photo"])
    assert pixels(item).shape[:2] == tuple(made["size"])[::-1]


def test_the_same_seed_gives_the_same_bytes():
    one, again, other = make(5, 5, SOURCES), make(5, 5, SOURCES), make(6, 5, SOURCES)
    assert one == again
    assert one.pictures != other.pictures


@pytest.mark.parametrize("level", LEVELS)
def test_the_certificate_implies_the_answer(level):
    for seed in range(10):
        item = make(seed, level, SOURCES)
        check(item)
        assert (item.difficulty, item.certificate["level"], item.certificate["seed"]) == (level, level, seed)
        assert item.certificate["object"].removeprefix("the ") not in item.certificate["others"]


@pytest.mark.parametrize("level", LEVELS)
def test_cut_outs_cover_what_the_certificate_says(level, cut_outs):
    for seed in range(6):
        item = make(seed, level, cut_outs)
        check(item)
        assert item.certificate["source"] in ("ring of dough.png", "pole.png")
        assert item.certificate["source"].removesuffix(".png") in item.prompt


def test_items_from_one_mask_photograph_cluster(cut_outs):
    made = [make(seed, 3, cut_outs) for seed in range(8)]
    assert {item.cluster for item in made} == {"ring of dough.png", "pole.png"}
    assert len({item.certificate["photo"] for item in made}) > 2


@pytest.mark.parametrize(
    "shape, said", [("speck", "none of 1 objects"), ("two pieces", "in several pieces"), ("none", "0 inside")]
)
def test_objects_that_no_cut_out_is_made_of(shape, said, tmp_path):
    with pytest.raises(DataError, match=said):
        make(1, 3, Sources(shipped_photos(), (object_in(tmp_path, "thing", shape),)))


def test_the_largest_piece_alone_is_cut_out(tmp_path):
    whole = object_in(tmp_path, "thing", "piece and crumb")
    for seed in range(4):
        made = make(seed, 3, Sources(shipped_photos(), (whole,))).certificate
        left, top, right, bottom = made["box"]
        assert (right - left) / (bottom - top) == pytest.approx(151 / 191, rel=0.05)


def test_cut_outs_are_enlarged_three_times_at_most(cut_outs):
    wide = {"ring of dough.png": 171, "pole.png": 101}
    for seed in range(10):
        made = make(seed, 1, cut_outs).certificate
        assert made["box"][2] - made["box"][0] <= LARGEST_SCALE * wide[made["source"]]


@pytest.mark.parametrize(
    "name, said",
    [
        ("person", "a person"),
        ("umbrella", "an umbrella"),
        ("wine glass", "a wine glass"),
        ("bus", "a bus"),
        ("skis", "skis"),
        ("scissors", "scissors"),
        ("the man in red", "the man in red"),
        ("Two girls", "Two girls"),
        ("🐘", "a 🐘"),
    ],
)
def test_how_objects_are_named(name, said):
    assert with_article(name) == said


@pytest.mark.slow
@pytest.mark.parametrize("level", [2, 3, 4, 5])
def test_shapes_of_all_sizes_lie_beside_the_object(level):
    """Neither the largest shape nor the last painted is always the one that is asked for."""
    made = [make(seed, level, SOURCES).certificate for seed in range(40)]
    larger = [max(one["other_pixels"], default=0) > one["pixels"] for one in made]
    comparable = [max(one["other_pixels"], default=0) > one["pixels"] / 3 for one in made]
    assert sum(larger) >= 5
    assert sum(comparable) >= 20
    assert all(len(one["others"]) == len(one["other_pixels"]) for one in made)
    # Nothing is laid over anything else.
    assert all(one["pixels"] + sum(one["other_pixels"]) < one["size"][0] * one["size"][1] for one in made)


def test_room_is_what_no_shape_touches_or_encloses():
    solid, holed = Image.new("L", (100, 100), 255), Image.new("L", (100, 100), 255)
    ImageDraw.Draw(holed).ellipse((20, 20, 80, 80), fill=0)
    rng = random.Random(1)
    room = Room((400, 300))
    first = room.find(Sprite(holed, (50, 50), solid), 40, rng, over=False)
    assert first is not None
    taken = np.zeros((300, 400), dtype=bool)
    left, top, right, bottom = first.box
    taken[max(0, top - 2) : bottom + 2, max(0, left - 2) : right + 2] = True
    laid = [found for _ in range(20) if (found := room.find(Sprite(solid, (50, 50)), 30, rng, over=True)) is not None]
    assert 2 <= len(laid) < 20
    for pasted in laid:
        assert not (taken & (pasted.cover > 0)).any()
        taken |= pasted.cover > 0


def test_the_picture_differs_from_its_photograph_where_the_object_lies(cut_outs):
    for sources in (SOURCES, cut_outs):
        made = [make(seed, 1, sources) for seed in range(8)]
        for item in made:
            left, top, right, bottom = item.certificate["box"]
            shown = pixels(item)[max(top, 0) : bottom, max(left, 0) : right]
            assert item.certificate["pixels"] <= shown.shape[0] * shown.shape[1]
            assert shown.reshape(-1, 3).std(axis=0).max() > 5


@pytest.mark.parametrize("level", [0, 6, -1])
def test_other_levels(level):
    with pytest.raises(UsageError, match="1 to 5"):
        make(1, level, SOURCES)


@pytest.mark.slow
def test_letters_and_places_are_spread_evenly():
    items = [make(seed, 1, SOURCES) for seed in range(200)]
    letters = Counter(item.answer for item in items)
    places = Counter(
        sorted(shown_options(item)).index(shown_options(item)["ABCDEF".index(item.answer)]) for item in items
    )
    for spread in (letters, places):
        assert len(spread) == COUNT
        assert max(spread.values()) < 60


@pytest.mark.parametrize("level", [1, 3, 4])
def test_the_solver_is_right(level):
    items = [make(seed, level, SOURCES) for seed in range(5000, 5020)]
    assert sum(solve([pixels(item)], item.prompt) == item.answer for item in items) >= 18


@pytest.mark.slow
@pytest.mark.parametrize("level, at_least", [(3, 190), (5, 150)])
def test_the_solver_is_right_on_many(level, at_least):
    items = (make(seed, level, SOURCES) for seed in range(6000, 6200))
    assert sum(solve([pixels(item)], item.prompt) == item.answer for item in items) >= at_least


def test_the_solver_finds_cut_outs_by_their_white_edge(cut_outs):
    right = 0
    for seed in range(20):
        item = make(seed, 1, cut_outs)
        try:
            right += solve([pixels(item)], item.prompt) == item.answer
        except GaveUp:
            continue
    assert right >= 10  # chance is 3.3


def test_the_solver_counts_a_plain_disc():
    picture = Image.new("RGB", (480, 360), (128, 128, 128))
    ImageDraw.Draw(picture).ellipse((100, 100, 300, 300), fill=(226, 24, 44), outline=(16, 16, 20), width=3)
    found = find(np.asarray(picture), "red disc").mean()
    assert found == pytest.approx(np.pi * 100**2 / (480 * 360), abs=0.01)


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "Which is closest to the share that is covered by the red disc?",
        "… is covered by the red disc?\nA. 10%\nB. 18%",
        "… is covered by the disc?\nA. 10%\nB. 18%",
        "How much of the picture does the pasted cut-out of a dog cover?\nA. 10%\nB. 18%",
        "covered by the " * 5000,
    ],
)
def test_what_the_solver_cannot_find(prompt):
    with pytest.raises(GaveUp):
        solve([GREY], prompt)


def wrong_size(folder: Path) -> MaskedObject:
    good = object_in(folder, "ring", "ring")
    return MaskedObject("ring", good.image, lambda: np.ones((300, 310), dtype=np.bool_))


def gone(folder: Path) -> MaskedObject:
    good = object_in(folder, "ring", "ring")
    Path(good.image.path).unlink()
    return good


@pytest.mark.parametrize("bad, said", [(wrong_size, "310×300"), (gone, "does not exist")])
def test_masked_objects_that_cannot_be_used(bad, said, tmp_path):
    with pytest.raises(DataError, match=said):
        make(1, 3, Sources(shipped_photos(), (bad(tmp_path),)))
