"""Two small sources of metaphor data with invented rows and made pictures: copies, a damaged file, missing parts."""

from __future__ import annotations

import csv
import random
from io import BytesIO
from pathlib import Path
from typing import Any

import PIL.Image

MULTIMM = ("Pic_id", "Text", "MetaphorOccurrence", "Target", "Source", "SentimentCategory")
EMOMETA = ("Img_id", "Text", "Metaphor", "Target", "Source", "Emotion")


def drawn(seed: int) -> PIL.Image.Image:
    """A smooth picture, another one for each seed."""
    small = PIL.Image.frombytes("RGB", (8, 6), random.Random(seed).randbytes(8 * 6 * 3))
    return small.resize((160, 120), PIL.Image.Resampling.BICUBIC)


def saved(picture: PIL.Image.Image, kind: str, **options: Any) -> bytes:
    buffer = BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def two_sources(folder: Path) -> tuple[Path, Path]:
    """`EN_test.csv` with `a/`, in the layout of MultiMM, and `emo.csv` with `b/`, in that of EmoMeta."""
    first, second = folder / "a", folder / "b"
    for place in (first, second):
        place.mkdir(parents=True)
    pictures = [drawn(seed) for seed in range(5)]
    files = [saved(picture, "JPEG", quality=90) for picture in pictures]
    for number, data in enumerate(files):
        (first / f"{number}.jpg").write_bytes(data)
    (first / "cut.jpg").write_bytes(files[0][:400])
    (second / "bytes.jpg").write_bytes(files[0])
    (second / "pixels.png").write_bytes(saved(PIL.Image.open(first / "1.jpg"), "PNG"))
    pictures[2].resize((80, 60)).save(second / "small.jpg", quality=60)
    upright_by_exif = PIL.Image.Exif()
    upright_by_exif[0x0112] = 6
    turned = pictures[3].transpose(PIL.Image.Transpose.ROTATE_90)
    (second / "turned.jpg").write_bytes(saved(turned, "JPEG", quality=90, exif=upright_by_exif))
    (second / "caption.jpg").write_bytes(files[4])
    drawn(99).save(second / "own.jpg")
    one = _table(
        folder / "EN_test.csv",
        MULTIMM,
        ("0.jpg", "time is a river", 1, "time", "river", -1),
        ("1.jpg", "love is a fire", 1, "love", "fire", 1),
        ("2.jpg", "a plain advert for tea", 0, "", "", 0),
        ("3.jpg", "the road ahead", 1, "life", "road", 0),
        ("4.jpg", "first caption", 1, "work", "mountain", 0),
        ("cut.jpg", "a damaged one", 0, "", "", 0),
        ("gone.jpg", "without a picture", 0, "", "", 0),
        ("0.jpg", "", 0, "", "", 0),
        ("../0.jpg", "out of the folder", 0, "", "", 0),
        ("0.jpg", "an unknown code", 9, "", "", 0),
    )
    other = _table(
        folder / "emo.csv",
        EMOMETA,
        ("bytes.jpg", "Time is a RIVER!", 1, "time", "stream", 5),
        ("pixels.png", "love is a fire", 1, "love", "fire", 2),
        ("small.jpg", "a plain advert for tea", 1, "tea", "leaf", 10),
        ("turned.jpg", "the road ahead", 1, "life", "road", 1),
        ("caption.jpg", "something else entirely", 1, "work", "hill", 8),
        ("own.jpg", "a picture of its own", 0, "", "", 10),
    )
    return one, other


def _table(file: Path, *rows: tuple[object, ...]) -> Path:
    with file.open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows(rows)
    return file
