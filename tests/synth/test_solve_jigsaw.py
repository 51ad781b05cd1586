from __future__ import annotations

import inspect
import io

import numpy as np
import pytest
from PIL import Image

from beholder.synth import solve_jigsaw
from beholder.synth.jigsaw import GAP, SIDE, answer_of, generate
from beholder.synth.solve_jigsaw import cut, find_size, solve

SAMPLES = list(generate(16, 31))


def picture(sample):
    return np.asarray(Image.open(io.BytesIO(sample.images[0].data)).convert("RGB"))


def as_jpeg(pixels, quality):
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "JPEG", quality=quality)
    return np.asarray(Image.open(out).convert("RGB"))


def right(samples, change=lambda pixels: pixels):
    """The share of places that are right, for each sample."""
    shares = []
    for sample in samples:
        answer = solve(change(picture(sample)), sample.metadata["n"])
        assert sorted(answer) == list(range(1, len(answer) + 1))
        shares.append(np.mean([a == b for a, b in zip(answer, sample.target.values, strict=True)]))
    return np.array(shares)


def test_far_better_than_chance():
    shares = right(SAMPLES)
    assert shares.mean() > 0.9  # chance is 0.06
    assert (shares == 1).mean() > 0.8


def test_puzzles_saved_as_jpeg_are_still_solved_mostly():
    assert right(SAMPLES, lambda pixels: as_jpeg(pixels, 90)).mean() > 0.7


def test_without_lines_between_the_pieces():
    for sample in SAMPLES[:4]:
        n = sample.metadata["n"]
        pieces = cut(picture(sample), n)
        side = SIDE // n
        bare = pieces.reshape(n, n, side, side, 3).transpose(0, 2, 1, 3, 4).reshape(SIDE, SIDE, 3)
        assert solve(bare, n) == sample.target.values


def test_it_sees_pixels_and_size_only():
    assert list(inspect.signature(solve).parameters) == ["pixels", "n"]
    source = inspect.getsource(solve_jigsaw)
    imports = [line for line in source.splitlines() if line.startswith(("import ", "from "))]
    allowed = {"__future__", "collections.abc", "functools", "numpy", "numpy.typing"}
    assert {line.split()[1] for line in imports} <= allowed


def test_the_same_pixels_give_the_same_answer():
    pixels = picture(SAMPLES[3])
    assert solve(pixels, 6) == solve(pixels.copy(), 6)


def test_pixels_are_left_as_they_are():
    pixels = picture(SAMPLES[0])
    before = pixels.copy()
    pixels.flags.writeable = False
    solve(pixels, 3)
    assert (pixels == before).all()


@pytest.mark.parametrize("sample", SAMPLES[:8], ids=lambda sample: sample.record_id)
def test_cut_finds_the_pieces(sample):
    n = sample.metadata["n"]
    pixels, side = picture(sample), SIDE // n
    pieces = cut(pixels, n)
    assert pieces.shape == (n * n, side, side, 3)
    last = GAP + (n - 1) * (side + GAP)
    assert (pieces[-1] == pixels[last : last + side, last : last + side]).all()


@pytest.mark.parametrize("quality", [None, 90])
def test_size_is_read_from_the_lines(quality):
    for sample in SAMPLES[:8]:
        pixels = picture(sample) if quality is None else as_jpeg(picture(sample), quality)
        assert find_size(pixels) == sample.metadata["n"]


def test_no_size_without_lines():
    noise = np.random.default_rng(1).integers(0, 256, (200, 200, 3), dtype=np.uint8)
    assert find_size(noise) is None


@pytest.mark.parametrize("level", [0, 255], ids=["black", "white"])
def test_a_picture_without_content_gets_some_arrangement(level):
    pixels = np.full((60, 80, 3), level, np.uint8)
    assert find_size(pixels) is None
    assert sorted(solve(pixels, 3)) == list(range(1, 10))


@pytest.mark.parametrize(("side", "n"), [(30, 6), (300, 1), (300, 9)], ids=["tiny", "one piece", "81 pieces"])
def test_what_cannot_be_solved_is_refused(side, n):
    with pytest.raises(ValueError, match="pieces"):
        solve(np.zeros((side, side, 3), np.uint8), n)


def test_moves_are_rearrangements():
    for n in (2, 3, 4):
        moves = solve_jigsaw._moves(n)
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
    assert solve(shuffled, 3) == answer_of(permutation)
