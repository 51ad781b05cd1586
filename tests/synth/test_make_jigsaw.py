from __future__ import annotations

import hashlib
import io
import random
import subprocess
import sys
import zlib

import numpy as np
import pytest
from PIL import Image

from beholder.errors import DataError, UsageError
from beholder.sample import OrderedListTarget
from beholder.synth.digits import number_mask
from beholder.synth.jigsaw import (
    GAP,
    LABEL_INSET,
    SIDE,
    SIZES,
    Certificate,
    TooPlainError,
    answer_of,
    generate,
    make,
    restored,
)
from beholder.synth.photographs import SHIPPED, photos_in, shipped_photos
from beholder.synth.png import encode_png

PHOTOS = shipped_photos()


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


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("seed", [0, 1, 2**63 + 5])
def test_the_answer_restores_the_crop(n, seed):
    puzzle = make(seed, n, PHOTOS)
    whole = restored(puzzle.certificate, PHOTOS)
    pieces, side = tiles(picture(puzzle.png), n), SIDE // n
    assert puzzle.answer == answer_of(puzzle.certificate.permutation)
    for place, number in enumerate(puzzle.answer):
        y, x = (step * side for step in divmod(place, n))
        seen = ~hidden(n, number)
        assert (pieces[number - 1][seen] == whole[y : y + side, x : x + side][seen]).all()


@pytest.mark.parametrize("n", SIZES)
def test_the_certificate_names_the_part_of_the_photograph(n):
    certificate = make(11, n, PHOTOS).certificate
    photo = PHOTOS.pixels(PHOTOS.place(certificate.photo))
    left, top, right, bottom = certificate.box
    assert right - left == bottom - top >= 240
    assert 0 <= left < right <= photo.width
    assert 0 <= top < bottom <= photo.height
    assert certificate.photo_digest == hashlib.sha256((SHIPPED / certificate.photo).read_bytes()).hexdigest()


@pytest.mark.parametrize("n", SIZES)
def test_each_number_is_on_its_piece(n):
    for number, piece in enumerate(tiles(picture(make(3, n, PHOTOS).png), n), start=1):
        mask = number_mask(number)
        corner = piece[LABEL_INSET:, LABEL_INSET:][: mask.shape[0], : mask.shape[1]]
        assert (corner == np.where(mask, 255, 0)[..., None]).all()


def test_the_numbers_are_all_different():
    drawn = {number_mask(number).tobytes() for number in range(1, 37)}
    assert len(drawn) == 36


def test_never_in_order_already():
    for seed in range(20):
        assert make(seed, 3, PHOTOS, photo=0).answer != tuple(range(1, 10))


def test_a_shuffle_that_came_out_in_order_is_drawn_again():
    class Lazy(random.Random):
        calls = 0

        def shuffle(self, x):
            self.calls += 1
            if self.calls > 1:
                x.reverse()

    from beholder.synth.jigsaw import _shuffled

    assert _shuffled(4, Lazy()) == (3, 2, 1, 0)


PRINT_DIGESTS = """
import hashlib
from beholder.synth.jigsaw import generate
for sample in generate(8, 5):
    print(hashlib.sha256(sample.images[0].data).hexdigest(), sample.target.values, sample.key)
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
    here = "".join(
        f"{hashlib.sha256(sample.images[0].data).hexdigest()} {sample.target.values} {sample.key}\n"
        for sample in generate(8, 5)
    )
    assert runs[0] == runs[1] == here
    assert len(set(here.splitlines())) == 8


def test_an_item_does_not_depend_on_how_many_are_asked_for():
    assert list(generate(15, 9))[:4] == list(generate(4, 9))


def test_other_seeds_give_other_puzzles():
    assert {s.images[0].data for s in generate(4, 1)}.isdisjoint(s.images[0].data for s in generate(4, 2))


def test_sizes_and_photographs_take_turns():
    samples = list(generate(44, 7))
    assert [s.metadata["n"] for s in samples[:5]] == [3, 4, 5, 6, 3]
    for start in (0, 11, 22, 33):
        assert len({s.cluster for s in samples[start : start + 11]}) == 11
    assert len({s.images[0].data for s in samples}) == 44


def test_puzzles_of_one_photograph_differ_in_more_than_their_order():
    drawn = [make(seed, 3, PHOTOS, photo=0).certificate for seed in range(20)]
    assert len({(c.box, c.mirrored, c.curve) for c in drawn}) == 20
    assert {c.mirrored for c in drawn} == {True, False}


@pytest.mark.parametrize("n", SIZES)
def test_nothing_outside_the_pixels_tells_the_answer(n):
    puzzle = make(21, n, PHOTOS)
    chunks, at = [], 8
    while at < len(puzzle.png):
        length = int.from_bytes(puzzle.png[at : at + 4], "big")
        chunks.append(puzzle.png[at + 4 : at + 8])
        at += 12 + length
    assert chunks == [b"IHDR", b"IDAT", b"IEND"]
    opened = Image.open(io.BytesIO(puzzle.png))
    opened.load()
    assert opened.info == {}
    assert opened.size == (SIDE + (n + 1) * GAP,) * 2


def test_names_and_question_do_not_tell_the_answer():
    one, other = next(generate(1, 1)), next(generate(1, 2))
    assert one.target != other.target
    assert one.images[0].name == other.images[0].name
    assert one.parts == other.parts
    assert one.record_id == other.record_id


def test_pieces_can_be_told_apart():
    for sample in generate(22, 13, sizes=(6,)):
        pieces = [piece[26:] for piece in tiles(picture(sample.images[0].data), 6)]  # below the numbers
        assert len({piece.tobytes() for piece in pieces}) == 36


@pytest.mark.parametrize("grey", [False, True], ids=["colour", "grey"])
def test_png_holds_exactly_the_pixels(grey):
    pixels = np.random.default_rng(4).integers(0, 256, (37, 21, 3), dtype=np.uint8)
    if grey:
        pixels[:] = pixels[..., :1]
    png = encode_png(pixels)
    assert (picture(png) == pixels).all()
    assert Image.open(io.BytesIO(png)).mode == ("L" if grey else "RGB")
    assert zlib.decompress(png[41:-16])[0] == 2


def test_answer_of_inverts_the_permutation():
    assert answer_of((3, 0, 2, 1)) == (2, 4, 3, 1)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: generate(0, 1), "at least 1, not 0"),
        (lambda: generate(1, 1, sizes=(3, 7)), "3, 4, 5 and 6, not 3, 7"),
        (lambda: generate(1, 1, sizes=()), "not none"),
        (lambda: make(1, 2, PHOTOS), "3 to 6 pieces a side, not 2"),
    ],
    ids=["none", "size 7", "no sizes", "size 2"],
)
def test_what_cannot_be_made_is_said_at_once(call, says):
    with pytest.raises(UsageError, match=says):
        call()


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
    samples = list(generate(4, 1, sizes=(3,), photos_dir=tmp_path))
    assert sorted(s.cluster for s in samples) == ["b.png", "b.png", "trip/a.jpg", "trip/a.jpg"]


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
        make(1, 3, photos_in(tmp_path))


def test_generate_passes_over_a_plain_photograph(tmp_path):
    save(tmp_path / "sky.png", colour=(90, 120, 200))
    save(tmp_path / "town.png")
    assert {s.cluster for s in generate(6, 1, photos_dir=tmp_path)} == {"town.png"}


def test_generate_stops_if_all_are_plain(tmp_path):
    save(tmp_path / "sky.png", colour=(90, 120, 200))
    save(tmp_path / "wall.png", colour=(9, 12, 20))
    with pytest.raises(DataError, match="nobody could tell apart"):
        list(generate(1, 1, photos_dir=tmp_path))


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
        list(generate(1, 1, photos_dir=prepare(tmp_path)))


def test_shipped_photographs_are_small_and_their_terms_are_stated():
    terms = (SHIPPED / "LICENSES.md").read_text(encoding="utf-8")
    assert len(PHOTOS) == 11
    for photo in PHOTOS.items:
        assert f"`{photo.name}`" in terms
        file = SHIPPED / photo.name
        assert file.stat().st_size <= 120_000
        with Image.open(file) as image:
            assert not image.getexif()


def test_sample_says_what_it_is():
    sample = next(generate(1, 3, sizes=(4,)))
    certificate = sample.metadata["certificate"]
    assert isinstance(sample.target, OrderedListTarget)
    assert (sample.category, sample.difficulty, sample.metadata["n"]) == ("4x4", "4", 4)
    assert sample.cluster == certificate["photo"]
    assert set(certificate) == set(Certificate.__struct_fields__)
