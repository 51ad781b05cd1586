from __future__ import annotations

import ast
import inspect
import io
import random
from collections import Counter

import numpy as np
import pytest
from PIL import Image

from beholder.errors import UsageError
from beholder.synth.item import Sources
from beholder.synth.items import word_search as items
from beholder.synth.photographs import shipped_photos
from beholder.synth.solvers import GaveUp, glyphs
from beholder.synth.solvers import word_search as solvers

SOURCES = Sources(photos=shipped_photos())
WAYS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]


def make(seed, level=3):
    return items.make(seed, level, SOURCES)


@pytest.fixture(scope="module")
def many():
    return [make(seed) for seed in range(200)]


def picture(item):
    return np.asarray(Image.open(io.BytesIO(item.pictures[0])).convert("RGB"))


def right(seeds, level):
    made = [make(seed, level) for seed in seeds]
    return np.mean([solvers.solve([picture(item)], item.prompt) == item.answer for item in made])


def places(grid, word):
    """Where a word stands in a grid, from 1, with the direction, whichever it is."""
    found = []
    for row in range(len(grid)):
        for column in range(len(grid)):
            for down, across in WAYS:
                cells = [(row + step * down, column + step * across) for step in range(len(word))]
                inside = all(0 <= r < len(grid) and 0 <= c < len(grid) for r, c in cells)
                if inside and "".join(grid[r][c] for r, c in cells) == word:
                    found.append(([row + 1, column + 1], (down, across)))
    return found


@pytest.mark.parametrize("level", [1, 2, 3, 4, 5])
def test_each_level_gives_the_same_bytes_again(level):
    first, again, other = make(7, level), make(7, level), make(8, level)
    assert first == again
    assert first.pictures != other.pictures
    assert first.difficulty == level == first.certificate["level"]
    assert first.suffix == ".png"
    side = items.SIDES[level - 1] * items.CELLS[level - 1] + 2 * items.MARGIN
    assert picture(first).shape == picture(other).shape == (side, side, 3)


@pytest.mark.parametrize("level", [0, 6, -1])
def test_other_levels_are_refused(level):
    with pytest.raises(UsageError):
        make(1, level)


def test_the_grid_implies_the_answer(many):
    for item in many:
        drawn = item.certificate
        grid, target = drawn["grid"], drawn["target"]
        cells = Counter("".join(grid).replace(" ", ""))
        if drawn["question"] == "count":
            assert item.answer == str(cells[target])
            assert cells[drawn["alike"]] > 0
        elif drawn["question"] == "word":
            (place, way), *others = places(grid, target)
            assert others == []
            assert way == (0, 1)
            assert item.answer == str(place)
        else:
            assert cells[target] == 1
            ((place, _),) = {str(found[0]): found for found in places(grid, target)}.values()
            assert item.answer == str(place)
            if drawn["question"] == "odd":
                assert set(cells) == {target, drawn["alike"]}
        if drawn["question"] != "odd":
            assert f" {target} " in item.prompt
        assert sum(map(len, grid)) == items.SIDES[2] ** 2


def test_characters_are_of_one_kind_and_none_is_ambiguous(many):
    for item in many:
        seen = set("".join(item.certificate["grid"])) - {" "}
        assert any(seen <= set(alphabet) for alphabet in items.ALPHABETS.values())
    assert not set("".join(items.ALPHABETS.values())) & set("Iijl")
    for word in items.WORDS.split():
        assert 3 <= len(word) <= 5
        assert set(word) <= set(items.ALPHABETS["capital letter"])
        assert word != word[::-1]


@pytest.mark.parametrize("level", [1, 2, 3, 4, 5])
def test_words_of_a_level_have_one_length_and_may_begin_wherever_they_fit(level):
    length = items.LENGTHS[level - 1]
    rng = random.Random(level)
    drawn = [items._draw_word(level, rng)[:2] for _ in range(400)]
    assert {len(word) for word, _ in drawn} == {length}
    assert len({word for word, _ in drawn if word.isalpha()}) >= 10
    columns = Counter(column for _, (_, column) in drawn)
    assert set(columns) == set(range(1, items.SIDES[level - 1] - length + 2))


@pytest.mark.slow
def test_answers_are_spread_evenly():
    low, high = items.COUNTS[0]
    made = [make(seed, 1) for seed in range(400)]
    counts = [int(item.answer) for item in made if item.certificate["question"] == "count"]
    assert set(counts) == set(range(low, high + 1))
    assert Counter(counts).most_common(1)[0][1] / len(counts) < 0.18
    rows = [item.certificate["at"][0] for item in made if item.certificate["question"] != "count"]
    columns = [item.certificate["at"][1] for item in made if item.certificate["question"] in ("place", "odd")]
    starts = [item.certificate["at"][1] for item in made if item.certificate["question"] == "word"]
    for drawn, values in ((rows, 8), (columns, 8), (starts, 6)):
        assert set(drawn) == set(range(1, values + 1))
        assert Counter(drawn).most_common(1)[0][1] / len(drawn) < 2 / values
    assert len(set(Counter(item.certificate["question"] for item in made))) == 4


@pytest.mark.parametrize("shape", ["square", *items.SHAPES])
def test_a_field_has_room_for_every_count(shape):
    for level, side in enumerate(items.SIDES, start=1):
        field = items._field(shape, side)
        assert field.shape == (side, side)
        assert field.sum() > 1.8 * items.COUNTS[level - 1][1]
        assert (field == field[:, ::-1]).all()


def test_look_alikes_are_of_one_kind():
    for pair in (*items.EASY, *items.MEDIUM, *items.HARD):
        assert len(set(pair)) == 2
        assert sum(set(pair) <= set(alphabet) for alphabet in items.ALPHABETS.values()) == 1


def test_the_ink_stands_out(many):
    for item in many:
        for ink in item.certificate["inks"]:
            lightness = [np.dot(colour, (0.299, 0.587, 0.114)) for colour in (ink, item.certificate["paper"])]
            assert abs(lightness[0] - lightness[1]) > 100


@pytest.mark.slow
def test_the_solver_reads_fresh_grids():
    assert right(range(900, 920), 3) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize(("level", "least"), [(1, 0.85), (5, 0.7)])
def test_the_solver_at_the_ends(level, least):
    assert right(range(950, 958), level) >= least


@pytest.mark.slow
def test_the_solver_reads_nearly_all_grids_of_level_3():
    assert right(range(5000, 5200), 3) >= 0.95


BAD = {
    "blank": (np.full((400, 400, 3), 255, dtype=np.uint8), "How many times does the digit 3 occur in the picture?"),
    "tiny": (np.zeros((1, 1, 3), dtype=np.uint8), "How many times does the digit 3 occur in the picture?"),
    "no target": (None, "What is this?"),
    "mixed target": (None, "The word aB is written once in the grid."),
}


@pytest.mark.parametrize("case", BAD)
def test_it_gives_up_where_there_is_nothing_to_read(case):
    pixels, prompt = BAD[case]
    with pytest.raises(GaveUp):
        solvers.solve([picture(make(1, 1)) if pixels is None else pixels], prompt)


@pytest.mark.parametrize("module", [solvers, glyphs])
def test_it_sees_neither_makers_nor_photographs(module):
    imported = {
        name
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
    }
    assert not {name for name in imported if "items" in name or "photographs" in name or name == "random"}
