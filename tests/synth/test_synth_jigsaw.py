from __future__ import annotations

import io
import json
import random
import subprocess
import sys
import zlib

import msgspec
import numpy as np
import pytest
from PIL import Image

from beholder.errors import DataError, UsageError
from beholder.synth.digits import number_mask
from beholder.synth.generate import draws_for, make_item
from beholder.synth.item import LEVELS, Sources
from beholder.synth.items.jigsaw import (
    GAP,
    LABEL_INSET,
    SIDE,
    SIZES,
    TELLABLE_APART,
    Certificate,
    TooPlainError,
    answer_of,
    closest_pieces,
    make,
    restored,
)
from beholder.synth.photographs import SHIPPED, Photos, photos_in, shipped_photos
from beholder.synth.png import encode_png
from beholder.synth.tones import tone_table

PHOTOS = shipped_photos()
SOURCES = Sources(PHOTOS)


def certificate_of(item):
    return msgspec.convert(item.certificate, Certificate)


def generate(n_items, seed, levels=(3,), sources=SOURCES):
    return [make_item(draw, sources) for draw in draws_for(["jigsaw"], n_items, seed, levels)]


def picture(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def tiles(shown: np.ndarray, n: int) -> list[np.ndarray]:
    """The pieces by their place in the file, cut with the generator's own measures."""
    side = SIDE // n
    starts = [GAP + k * (side + GAP) for k in range(n)]
    return [shown[y : y + side, x : x + side] for y in starts for x in starts]


def hidden(n: int, number: int) -> np.ndarray:
    """Which pixels of a piece its number covers."""
    covered = np.zeros((SIDE // n, SIDE // n), dtype=bool)
    height, width = number_mask(number).shape
    covered[LABEL_INSET : LABEL_INSET + height, LABEL_INSET : LABEL_INSET + width] = True
    return covered


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", [0, 1, 2**63 + 5])
def test_the_answer_restores_the_crop(level, seed):
    puzzle = make(seed, level, SOURCES)
    certificate, n = certificate_of(puzzle), SIZES[level]
    whole = restored(certificate, PHOTOS)
    pieces, side = tiles(picture(puzzle.pictures[0]), n), SIDE // n
    assert json.loads(puzzle.answer) == list(answer_of(certificate.permutation))
    for place, number in enumerate(json.loads(puzzle.answer)):
        y, x = (step * side for step in divmod(place, n))
        seen = ~hidden(n, number)
        assert (pieces[number - 1][seen] == whole[y : y + side, x : x + side][seen]).all()


@pytest.mark.parametrize("level", LEVELS)
def test_the_certificate_names_the_part_of_the_photograph(level):
    puzzle = make(11, level, SOURCES)
    certificate = certificate_of(puzzle)
    assert (certificate.seed, certificate.level, certificate.n, puzzle.difficulty) == (11, level, level + 2, level + 2)
    assert puzzle.cluster == certificate.photo
    photo = PHOTOS.pixels(PHOTOS.place(certificate.photo))
    left, top, right, bottom = certificate.box
    assert right - left == bottom - top >= 240
    assert 0 <= left < right <= photo.width
    assert 0 <= top < bottom <= photo.height


@pytest.mark.parametrize("level", LEVELS)
def test_each_number_is_on_its_piece(level):
    for number, piece in enumerate(tiles(picture(make(3, level, SOURCES).pictures[0]), SIZES[level]), start=1):
        mask = number_mask(number)
        corner = piece[LABEL_INSET:, LABEL_INSET:][: mask.shape[0], : mask.shape[1]]
        assert (corner == np.where(mask, 255, 0)[..., None]).all()


def test_the_numbers_are_all_different():
    drawn = {number_mask(number).tobytes() for number in range(1, 50)}
    assert len(drawn) == 49


def test_never_in_order_already():
    for seed in range(20):
        assert json.loads(make(seed, 1, SOURCES).answer) != list(range(1, 10))


def test_a_shuffle_that_came_out_in_order_is_drawn_again():
    class Lazy(random.Random):
        calls = 0

        def shuffle(self, x):
            self.calls += 1
            if self.calls > 1:
                x.reverse()

    from beholder.synth.items.jigsaw import _shuffled

    assert _shuffled(4, Lazy()) == (3, 2, 1, 0)


PRINT_DIGESTS = """
import hashlib
from beholder.synth.generate import draws_for, make_items
for item in make_items(draws_for(["jigsaw"], 5, 5, (1, 2, 3, 4, 5))):
    print(hashlib.sha256(item.pictures[0]).hexdigest(), item.answer, item.certificate)
"""


def test_two_processes_make_the_same_bytes():
    runs = [
        subprocess.run(
            [sys.executable, "-c", PRINT_DIGESTS],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert len(set(runs[0].splitlines())) == 5


def test_other_seeds_give_other_puzzles():
    assert {one.pictures for one in generate(4, 1)}.isdisjoint(one.pictures for one in generate(4, 2))


def test_puzzles_of_one_photograph_differ_in_more_than_their_order():
    one = Sources(Photos(PHOTOS.items[:1]))
    drawn = [certificate_of(make(seed, 1, one)) for seed in range(20)]
    assert len({(c.box, c.mirrored, c.curve) for c in drawn}) == 20
    assert {c.mirrored for c in drawn} == {True, False}


@pytest.mark.parametrize("level", LEVELS)
def test_nothing_outside_the_pixels_tells_the_answer(level):
    puzzle, n = make(21, level, SOURCES), SIZES[level]
    (png,) = puzzle.pictures
    chunks, at = [], 8
    while at < len(png):
        length = int.from_bytes(png[at : at + 4], "big")
        chunks.append(png[at + 4 : at + 8])
        at += 12 + length
    assert chunks == [b"IHDR", b"IDAT", b"IEND"]
    opened = Image.open(io.BytesIO(png))
    opened.load()
    assert opened.info == {}
    assert opened.size == (SIDE + (n + 1) * GAP,) * 2


def test_the_question_does_not_tell_the_answer():
    one, other = generate(2, 1)
    assert one.answer != other.answer
    assert one.prompt == other.prompt


def test_pieces_can_be_told_apart():
    for puzzle in generate(22, 13, (4,)):
        pieces = [piece[26:] for piece in tiles(picture(puzzle.pictures[0]), 6)]  # below the numbers
        assert len({piece.tobytes() for piece in pieces}) == 36


def averaged(piece, n):
    """A piece as 8 × 8 cells, without those that a number from 1 to n² touches."""
    cells = np.asarray(Image.fromarray(piece).resize((8, 8), Image.Resampling.BOX), dtype=float)
    fine = hidden(n, n * n).repeat(8, axis=0).repeat(8, axis=1)  # a cell need not be whole pixels
    touched = fine.reshape(8, SIDE // n, 8, SIDE // n).any(axis=(1, 3))
    return cells[~touched]


@pytest.mark.parametrize("level", LEVELS)
def test_the_closest_pieces_that_are_shown_can_be_told_apart(level):
    n = SIZES[level]
    for seed in range(40, 46):
        puzzle = make(seed, level, SOURCES)
        pieces = [averaged(piece, n) for piece in tiles(picture(puzzle.pictures[0]), n)]
        closest = min(np.sqrt(((one - other) ** 2).mean()) for k, one in enumerate(pieces) for other in pieces[k + 1 :])
        assert closest >= TELLABLE_APART - 0.05
        assert closest == pytest.approx(puzzle.certificate["closest"], abs=0.05)


@pytest.mark.parametrize("level", LEVELS)
def test_a_difference_that_a_number_hides_does_not_count(level):
    n, side = SIZES[level], SIDE // SIZES[level]
    square = np.random.default_rng(1).integers(0, 256, (n, 1, n, 1, 3), dtype=np.uint8)
    square = np.ascontiguousarray(np.broadcast_to(square, (n, side, n, side, 3))).reshape(SIDE, SIDE, 3)
    square[:side, :side] = square[-side:, -side:]
    assert closest_pieces(square, n) == 0
    square[:side, :side][hidden(n, 1)] = 255 - square[0, 0]
    assert closest_pieces(square, n) == 0
    square[side // 2 : side, side // 2 : side] = 255 - square[0, 0]
    assert closest_pieces(square, n) > TELLABLE_APART


@pytest.mark.parametrize("level", LEVELS)
def test_most_photographs_have_such_a_part(level):
    def usable(photo):
        for seed in range(3):
            try:
                make(seed, level, Sources(Photos((photo,))))
            except TooPlainError:
                continue
            return True
        return False

    assert sum(usable(photo) for photo in PHOTOS.items) >= 9  # of 11


@pytest.mark.parametrize(
    ("curve", "tones"),
    [
        ((1.0, 1.0, 0.0), {0: 0, 100: 100, 255: 255}),
        ((2.0, 1.0, 0.0), {0: 0, 128: 64, 255: 255}),
        ((1.0, 0.5, 0.0), {0: 64, 128: 128, 255: 192}),
        ((1.0, 2.0, 12.0), {0: 0, 128: 140, 255: 255}),
    ],
    ids=["as it is", "gamma", "contrast", "cut at both ends"],
)
def test_tone_curves(curve, tones):
    table = tone_table(curve)
    assert len(table) == 256
    assert {tone: table[tone] for tone in tones} == tones


@pytest.mark.parametrize("grainy", [False, True], ids=["plain", "grainy"])
@pytest.mark.parametrize("grey", [False, True], ids=["colour", "grey"])
def test_png_holds_exactly_the_pixels(grey, grainy):
    pixels = np.random.default_rng(4).integers(0, 256, (37, 21, 3), dtype=np.uint8)
    if grey:
        pixels[:] = pixels[..., :1]
    png = encode_png(pixels, grainy=grainy)
    assert (picture(png) == pixels).all()
    assert Image.open(io.BytesIO(png)).mode == ("L" if grey else "RGB")
    assert zlib.decompress(png[41:-16])[0] == 2


def test_answer_of_inverts_the_permutation():
    assert answer_of((3, 0, 2, 1)) == (2, 4, 3, 1)


@pytest.mark.parametrize("level", [0, 6, -1])
def test_another_level_is_refused(level):
    with pytest.raises(UsageError, match="level 1 to 5"):
        make(1, level, SOURCES)


def save(path, colour=None, side=200):
    if colour is None:
        pixels = np.random.default_rng(len(path.name)).integers(0, 256, (side, side + 30, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(path)
    else:
        Image.new("RGB", (side, side), colour).save(path)


def test_own_photographs(tmp_path):
    (tmp_path / "trip").mkdir()
    save(tmp_path / "b.png")
    save(tmp_path / "trip" / "a.jpg")
    save(tmp_path / ".hidden.png")
    (tmp_path / "notes.txt").write_text("not a picture")
    assert [photo.name for photo in photos_in(tmp_path).items] == ["b.png", "trip/a.jpg"]
    made = generate(12, 1, (1,), Sources(photos_in(tmp_path)))
    assert {one.cluster for one in made} == {"b.png", "trip/a.jpg"}


def test_large_photographs_are_scaled_down_once(tmp_path):
    save(tmp_path / "large.png", side=1500)
    assert max(photos_in(tmp_path).pixels(0).size) == 1024


def test_exif_orientation_is_applied(tmp_path):
    image = Image.new("RGB", (300, 150))
    image.paste((255, 0, 0), (0, 0, 150, 150))
    exif = Image.Exif()
    exif[0x0112] = 6
    image.save(tmp_path / "turned.jpg", exif=exif)
    assert photos_in(tmp_path).pixels(0).size == (150, 300)


def test_a_plain_photograph_is_refused(tmp_path):
    save(tmp_path / "sky.png", colour=(90, 120, 200))
    with pytest.raises(TooPlainError, match=r"sky\.png.*nobody could tell apart"):
        make(1, 1, Sources(photos_in(tmp_path)))


def test_passes_over_a_plain_photograph(tmp_path):
    save(tmp_path / "sky.png", colour=(90, 120, 200))
    save(tmp_path / "town.png")
    assert {one.cluster for one in generate(6, 1, (3,), Sources(photos_in(tmp_path)))} == {"town.png"}


def test_stops_if_all_are_plain(tmp_path):
    save(tmp_path / "sky.png", colour=(90, 120, 200))
    save(tmp_path / "wall.png", colour=(9, 12, 20))
    with pytest.raises(DataError, match="nobody could tell apart"):
        generate(1, 1, (3,), Sources(photos_in(tmp_path)))


@pytest.mark.parametrize(
    ("prepare", "error", "says"),
    [
        (lambda folder: folder / "nowhere", UsageError, "is not a folder"),
        (lambda folder: folder, UsageError, "holds no photographs"),
        (
            lambda folder: (save(folder / "tiny.png", side=60), folder)[1],
            DataError,
            "tiny.png: the photograph is too small",
        ),
        (lambda folder: ((folder / "cut.jpg").write_bytes(b"\xff\xd8\xff\xe0 cut"), folder)[1], DataError, "cut.jpg"),
    ],
    ids=["missing", "empty", "tiny", "damaged"],
)
def test_unusable_photographs_are_named(tmp_path, prepare, error, says):
    with pytest.raises(error, match=says):
        make(1, 1, Sources(photos_in(prepare(tmp_path))))


def test_shipped_photographs_are_small_and_their_terms_are_stated():
    terms = (SHIPPED / "LICENSES.md").read_text(encoding="utf-8")
    assert len(PHOTOS) == 11
    for photo in PHOTOS.items:
        assert f"`{photo.name}`" in terms
        file = SHIPPED / photo.name
        assert file.stat().st_size <= 120_000
        with Image.open(file) as image:
            assert not image.getexif()
