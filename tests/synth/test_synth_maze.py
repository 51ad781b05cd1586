from __future__ import annotations

import io
from collections import Counter

import numpy as np
import pytest
from PIL import Image

from beholder.errors import UsageError
from beholder.synth.item import LEVELS, Item, Sources
from beholder.synth.items.maze import RULES, make
from beholder.synth.photographs import shipped_photos
from beholder.synth.solvers import GaveUp
from beholder.synth.solvers.maze import solve

SOURCES = Sources(shipped_photos())


def pixels(item: Item) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(item.pictures[0])).convert("RGB"))


def leads_out(certificate: dict, moves: str) -> bool:
    """Walks a string through the certificate's openings, apart from the maker's own code."""
    size, right, down = certificate["size"], certificate["open_right"], certificate["open_down"]
    row = column = 0
    for move in moves:
        if move == "R":
            free = column < size - 1 and right[row][column] == "1"
        elif move == "L":
            free = column > 0 and right[row][column - 1] == "1"
        elif move == "D":
            free = row < size - 1 and down[row][column] == "1"
        else:
            free = row > 0 and down[row - 1][column] == "1"
        if not free:
            return False
        row += (move == "D") - (move == "U")
        column += (move == "R") - (move == "L")
    return (row, column) == (size - 1, size - 1)


def test_the_same_seed_gives_the_same_bytes():
    one, again, other = make(5, 3, SOURCES), make(5, 3, SOURCES), make(6, 3, SOURCES)
    assert one == again
    assert one.pictures != other.pictures


@pytest.mark.parametrize("level", LEVELS)
def test_the_certificate_implies_the_answer(level):
    for seed in range(6):
        item = make(seed, level, SOURCES)
        certificate = item.certificate
        right = [
            letter
            for letter, moves in zip("ABCDE", certificate["strings"], strict=True)
            if leads_out(certificate, moves)
        ]
        assert [item.answer] == (right or ["F"])
        assert [letter for letter, step in zip("ABCDE", certificate["fails_at"], strict=True) if step == 0] == right
        assert RULES[level].sizes[0] <= certificate["size"] <= RULES[level].sizes[1]
        assert (certificate["seed"], certificate["level"], item.difficulty) == (seed, level, level)


@pytest.mark.parametrize("level", LEVELS)
def test_the_options_are_in_the_question_and_all_end_on_the_goal_without_walls(level):
    item = make(11, level, SOURCES)
    size = item.certificate["size"]
    for letter, moves in zip("ABCDE", item.certificate["strings"], strict=True):
        assert f"\n{letter}. {moves}\n" in item.prompt
        assert moves.count("R") - moves.count("L") == moves.count("D") - moves.count("U") == size - 1
    assert "\nF. No answer\n" in item.prompt
    assert item.prompt.endswith("Answer with the letter of the right option.")


@pytest.mark.parametrize("level", LEVELS)
def test_the_size_of_the_picture_depends_on_the_level_only(level):
    assert {pixels(make(seed, level, SOURCES)).shape for seed in range(4)} == {(RULES[level].side,) * 2 + (3,)}


@pytest.mark.parametrize("level", [0, 6, -1])
def test_other_levels_are_refused(level):
    with pytest.raises(UsageError, match="1 to 5"):
        make(1, level, SOURCES)


def test_letters_are_spread_evenly():
    letters = Counter(make(seed, 1, SOURCES).answer for seed in range(200))
    assert set(letters) == set("ABCDEF")
    assert min(letters.values()) >= 18
    assert max(letters.values()) <= 54


def test_neither_length_nor_likeness_tells_the_right_string():
    """The right one is as often the longest, and the one most like the others, as any of five."""
    longest = most_alike = items = 0
    for seed in range(240):
        item = make(seed, 2, SOURCES)
        if item.answer == "F":
            continue
        strings, place = item.certificate["strings"], "ABCDE".index(item.answer)
        shared = [
            sum(next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), 0) for two in strings)
            for one in strings
        ]
        items += 1
        longest += max(range(5), key=lambda k: len(strings[k])) == place
        most_alike += max(range(5), key=lambda k: shared[k]) == place
    for hits in (longest, most_alike):
        assert abs(hits / items - 0.2) < 0.09


@pytest.mark.parametrize("level", LEVELS)
def test_the_solver_is_right_at_each_level(level):
    for seed in range(500, 504):
        item = make(seed, level, SOURCES)
        assert solve([pixels(item)], item.prompt) == item.answer


def test_the_solver_is_right_on_fresh_items():
    items = [make(seed, 3, SOURCES) for seed in range(1000, 1020)]
    assert sum(solve([pixels(item)], item.prompt) == item.answer for item in items) >= 18


@pytest.mark.slow
def test_the_solver_is_right_on_many():
    items = (make(seed, 3, SOURCES) for seed in range(2000, 2200))
    assert sum(solve([pixels(item)], item.prompt) == item.answer for item in items) >= 190


def test_the_solver_looks_at_the_picture():
    """With another maze's picture the same question gets another answer."""
    item = next(item for seed in range(100) if (item := make(seed, 3, SOURCES)).answer == "A")
    other = make(12345, 3, SOURCES)
    assert solve([pixels(other)], item.prompt) == "F"


QUESTION = "Which?\nA. RRDD\nB. DDRR\nF. No answer\nAnswer with the letter of the right option."


@pytest.mark.parametrize(
    "picture",
    [
        np.zeros((1, 1, 3), dtype=np.uint8),
        np.full((90, 70, 3), 255, dtype=np.uint8),
        np.tile(np.array([[[250, 0, 0], [0, 250, 0]]], dtype=np.uint8), (40, 20, 1)),
        np.random.Generator(np.random.PCG64(1)).integers(0, 256, (60, 60, 3), dtype=np.uint8),
    ],
)
def test_the_solver_gives_up_on_pictures_without_a_maze(picture):
    with pytest.raises(GaveUp):
        solve([picture], QUESTION)


def test_the_solver_gives_up_on_other_questions():
    with pytest.raises(GaveUp):
        solve([pixels(make(1, 1, SOURCES))], "How many bends are there?")
    with pytest.raises(GaveUp):
        solve([], QUESTION)
