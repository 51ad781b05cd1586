from __future__ import annotations

import io
import json

import numpy as np
import pytest
from PIL import Image

from beholder.synth.generate import SHIPPED, draws_for, make_items
from beholder.synth.items.jigsaw import GAP, SIDE, answer_of
from beholder.synth.solvers import GaveUp
from beholder.synth.solvers import jigsaw as solver
from beholder.synth.solvers.jigsaw import arrange, cut, find_size, glance, solve

PUZZLES = list(make_items(draws_for(["jigsaw"], 16, 31, (1, 2, 3, 4)), SHIPPED))


def picture(puzzle):
    return np.asarray(Image.open(io.BytesIO(puzzle.pictures[0])).convert("RGB"))


def as_jpeg(pixels, quality):
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "JPEG", quality=quality)
    return np.asarray(Image.open(out).convert("RGB"))


def right(puzzles, change=lambda pixels: pixels):
    """The share of places that are right, for each puzzle."""
    shares = []
    for puzzle in puzzles:
        answer = json.loads(solve([change(picture(puzzle))], puzzle.prompt))
        assert sorted(answer) == list(range(1, len(answer) + 1))
        shares.append(np.mean([a == b for a, b in zip(answer, json.loads(puzzle.answer), strict=True)]))
    return np.array(shares)


def test_far_better_than_chance():
    shares = right(PUZZLES)
    assert shares.mean() > 0.9  # chance is 0.06
    assert (shares == 1).mean() > 0.8


def test_puzzles_saved_as_jpeg_are_still_solved_mostly():
    assert right(PUZZLES, lambda pixels: as_jpeg(pixels, 90)).mean() > 0.7


def test_without_lines_between_the_pieces():
    for puzzle in PUZZLES[:4]:
        n = puzzle.difficulty
        pieces = cut(picture(puzzle), n)
        side = SIDE // n
        bare = pieces.reshape(n, n, side, side, 3).transpose(0, 2, 1, 3, 4).reshape(SIDE, SIDE, 3)
        assert arrange(bare, n) == tuple(json.loads(puzzle.answer))


def test_the_number_of_pieces_is_read_from_the_picture_first():
    puzzle = PUZZLES[1]
    assert solve([picture(puzzle)], "Put it in order.") == puzzle.answer
    assert solve([picture(puzzle)], "cut into 3×3 pieces") == puzzle.answer


def test_it_gives_up_where_nothing_shows_the_number_of_pieces():
    noise = np.random.default_rng(1).integers(0, 256, (200, 200, 3), dtype=np.uint8)
    for look in (solve, glance):
        with pytest.raises(GaveUp, match="how many pieces"):
            look([noise], "Put it in order.")


def test_a_glance_leaves_the_pieces_as_they_lie():
    assert json.loads(glance([picture(PUZZLES[0])], PUZZLES[0].prompt)) == list(range(1, 10))


def test_the_same_pixels_give_the_same_answer():
    pixels = picture(PUZZLES[3])
    assert arrange(pixels, 6) == arrange(pixels.copy(), 6)


def test_pixels_are_left_as_they_are():
    pixels = picture(PUZZLES[0])
    before = pixels.copy()
    pixels.flags.writeable = False
    arrange(pixels, 3)
    assert (pixels == before).all()


@pytest.mark.parametrize("puzzle", PUZZLES[:8], ids=lambda puzzle: str(puzzle.certificate["seed"]))
def test_cut_finds_the_pieces(puzzle):
    n = puzzle.difficulty
    pixels, side = picture(puzzle), SIDE // n
    pieces = cut(pixels, n)
    assert pieces.shape == (n * n, side, side, 3)
    last = GAP + (n - 1) * (side + GAP)
    assert (pieces[-1] == pixels[last : last + side, last : last + side]).all()


@pytest.mark.parametrize("quality", [None, 90])
def test_size_is_read_from_the_lines(quality):
    for puzzle in PUZZLES[:8]:
        pixels = picture(puzzle) if quality is None else as_jpeg(picture(puzzle), quality)
        assert find_size(pixels) == puzzle.difficulty


def test_no_size_without_lines():
    noise = np.random.default_rng(1).integers(0, 256, (200, 200, 3), dtype=np.uint8)
    assert find_size(noise) is None


@pytest.mark.parametrize("level", [0, 255], ids=["black", "white"])
def test_a_picture_without_content_gets_some_arrangement(level):
    pixels = np.full((60, 80, 3), level, np.uint8)
    assert find_size(pixels) is None
    assert sorted(arrange(pixels, 3)) == list(range(1, 10))


@pytest.mark.parametrize(("side", "n"), [(30, 6), (300, 1), (300, 9)], ids=["tiny", "one piece", "81 pieces"])
def test_what_cannot_be_solved_is_refused(side, n):
    with pytest.raises(ValueError, match="pieces"):
        arrange(np.zeros((side, side, 3), np.uint8), n)


def test_moves_are_rearrangements():
    for n in (2, 3, 4):
        moves = solver._moves(n)
        assert (np.sort(moves, axis=1) == np.arange(n * n)).all()


def test_a_smooth_gradient_is_solved():
    across, down = np.meshgrid(np.linspace(5, 250, 90), np.linspace(5, 250, 90))
    square = np.stack([across, down, np.full((90, 90), 40.0)], axis=-1)
    square += np.random.default_rng(2).normal(0, 0.5, square.shape)
    pieces = (
        square.clip(0, 255).astype(np.uint8).reshape(3, 30, 3, 30, 3).transpose(0, 2, 1, 3, 4).reshape(9, 30, 30, 3)
    )
    permutation = [4, 8, 0, 3, 7, 1, 6, 2, 5]
    shuffled = pieces[permutation].reshape(3, 3, 30, 30, 3).transpose(0, 2, 1, 3, 4).reshape(90, 90, 3)
    assert arrange(shuffled, 3) == answer_of(permutation)
