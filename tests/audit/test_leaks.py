"""Which pictures and texts of an evaluation are found in training data, and what is not taken for a leak."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import PIL.Image
import pyarrow as pa
import pyarrow.parquet
import pytest

from beholder.audit.leak_pictures import PAIRED
from beholder.audit.leak_sides import Place, read_side, recognised
from beholder.audit.leak_texts import TextLeak, text_leaks, words
from beholder.audit.leaks import Leaks, find_leaks, write_keys
from beholder.audit.picture_cache import FILE, PictureCache, file_facts
from beholder.errors import DataError, UsageError

TURNS = PIL.Image.Transpose
LONG = "the empty road behind the house hints at an ending that nobody in the picture wants to see"
STATEMENTS = [
    "The candle stands for loneliness in a crowded city.",
    "Two ships leaving the harbour suggest a farewell.",
    "The broken clock mocks those who wait for luck.",
    "The umbrella shelters a child from its own fears.",
]


def picture(seed: int) -> PIL.Image.Image:
    import random

    rng = random.Random(seed)
    return PIL.Image.frombytes("RGB", (8, 6), rng.randbytes(144)).resize((320, 240), PIL.Image.Resampling.BICUBIC)


def encoded(image: PIL.Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def tfq(folder: Path, *rows: tuple[str, str], name: str = "tfq.jsonl") -> Place:
    """TFQ-Bench's columns: rows of picture and statement."""
    folder.mkdir(parents=True, exist_ok=True)
    records = [
        {"images": [image], "problem": f"<image>{text}", "answer": "T", "id": f"{folder.name}{number}"}
        for number, (image, text) in enumerate(rows)
    ]
    (folder / name).write_text("".join(json.dumps(record) + "\n" for record in records))
    return Place(folder / name)


def leaks(tmp_path: Path, train: Place, evaluation: Place, *, transforms: bool = False) -> Leaks:
    cache = PictureCache(tmp_path / "cache")
    try:
        return find_leaks([train], evaluation, cache, transforms=transforms)
    finally:
        cache.close()


def put(folder: Path, **files: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / f"{name}.img").write_bytes(data)
        os.utime(folder / f"{name}.img", (1e9, 1e9))  # what was written a moment ago is looked at each time
    return folder


def turned_by_exif() -> bytes:
    exif = PIL.Image.Exif()
    exif[0x0112] = 6
    return encoded(picture(1).transpose(TURNS.ROTATE_90), "PNG", exif=exif)


# T61 and its neighbours: what became of the picture, what is found, what is found with --transforms
CHANGED = [
    ("the same file", encoded(picture(1)), "bytes", "bytes"),
    ("another file", encoded(picture(1), compress_level=1), "pixels", "pixels"),
    ("turned, and EXIF turns it back", turned_by_exif(), "pixels", "pixels"),
    ("saved again", encoded(picture(1), "JPEG", quality=40), "look", "look"),
    ("scaled by 0.9", encoded(picture(1).resize((288, 216))), "look", "look"),
    ("mirrored", encoded(picture(1).transpose(TURNS.FLIP_LEFT_RIGHT)), "", "mirrored"),
    ("turned", encoded(picture(1).transpose(TURNS.ROTATE_180)), "", "turned 180°"),
    ("another one", encoded(picture(2)), "", ""),
]


@pytest.mark.parametrize(("what", "data", "how", "with_transforms"), CHANGED, ids=[row[0] for row in CHANGED])
def test_a_picture_of_the_training_data(tmp_path: Path, what: str, data: bytes, how: str, with_transforms: str) -> None:
    put(tmp_path / "train", a=data)
    put(tmp_path / "eval", a=encoded(picture(1)))
    train = tfq(tmp_path / "train", ("a.img", STATEMENTS[0]))
    evaluation = tfq(tmp_path / "eval", ("a.img", STATEMENTS[1]))
    for transforms, expected in ((False, how), (True, with_transforms)):
        found = leaks(tmp_path, train, evaluation, transforms=transforms)
        assert [leak.how for leak in found.pictures] == ([expected] if expected else [])
        assert (found.found, found.share) == (bool(expected), float(bool(expected)))


def test_items_whose_texts_differ_are_touched_by_their_pictures(tmp_path: Path) -> None:
    """TFQ-Bench-Lite against TFQ-Data: other records, the same source image under another name."""
    put(tmp_path / "train", one=encoded(picture(1)), two=encoded(picture(2)), again=encoded(picture(2)))
    put(tmp_path / "eval", x=encoded(picture(1)), y=encoded(picture(3)))
    train = tfq(tmp_path / "train", ("one.img", STATEMENTS[2]), ("two.img", STATEMENTS[3]), ("again.img", LONG))
    evaluation = tfq(tmp_path / "eval", ("x.img", STATEMENTS[0]), ("x.img", STATEMENTS[1]), ("y.img", "A lamp glows."))
    found = leaks(tmp_path, train, evaluation)
    assert (found.picture_only, found.text_only, found.both, found.by_kind) == (2, 0, 0, {"bytes": 2})
    assert (len(found.touched), len(found.clean), found.unknown) == (2, 1, ())
    (leak,) = found.pictures
    assert (leak.eval.picture, leak.eval.items, leak.train.picture) == ("x.img", 2, "one.img")
    assert found.eval.copies == ()  # two statements about one picture are no copies of it
    assert [origin.rpartition("/")[2] for origin in found.train.copies[0].pictures[0].origins] == [
        "two.img",
        "again.img",
    ]


def test_copies_under_other_bytes(tmp_path: Path) -> None:
    put(tmp_path / "train", a=encoded(picture(5)))
    put(tmp_path / "eval", a=encoded(picture(1)), b=encoded(picture(1), "JPEG", quality=60), c=encoded(picture(2)))
    evaluation = tfq(tmp_path / "eval", *((f"{name}.img", text) for name, text in zip("abc", STATEMENTS, strict=False)))
    found = leaks(tmp_path, tfq(tmp_path / "train", ("a.img", LONG)), evaluation)
    (copies,) = found.eval.copies
    assert (copies.how, [one.picture for one in copies.pictures]) == ("look", ["a.img", "b.img"])


def test_embedded_pictures_in_parquet(tmp_path: Path) -> None:
    """Rows in succession that embed one picture are one record's; the same bytes later on are a copy."""
    shown = [picture(1), picture(1), picture(2), picture(1)]
    rows = [
        {"images": [{"bytes": encoded(one), "path": None}], "problem": f"<image>{text}", "answer": "T"}
        for one, text in zip(shown, STATEMENTS, strict=True)
    ]
    pyarrow.parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "train.parquet")
    put(tmp_path / "eval", a=encoded(picture(1), "JPEG", quality=70))
    found = leaks(tmp_path, Place(tmp_path / "train.parquet"), tfq(tmp_path / "eval", ("a.img", LONG)))
    assert [(leak.how, leak.train.items) for leak in found.pictures] == [("look", 3)]
    assert [len(one.pictures[0].origins) for one in found.train.copies] == [2]


def test_a_folder_of_pictures_and_other_records(tmp_path: Path) -> None:
    (tmp_path / "train/deep").mkdir(parents=True)
    (tmp_path / "train/deep/a.png").write_bytes(encoded(picture(1)))
    put(tmp_path / "eval", a=encoded(picture(1)))
    talk = [
        {"role": "user", "content": [{"type": "text", "text": STATEMENTS[0]}]},
        {"role": "assistant", "content": LONG},
    ]
    (tmp_path / "eval/chat.jsonl").write_text(json.dumps({"image": "a.img", "messages": talk}) + "\n")
    place = Place(tmp_path / "eval/chat.jsonl")
    (item,) = read_side(place, pytest.fail)
    assert (item.text, item.key) == (STATEMENTS[0], "chat.jsonl, line 1")
    found = leaks(tmp_path, Place(tmp_path / "train"), place)
    assert [(leak.how, leak.train.picture) for leak in found.pictures] == [("bytes", "deep/a.png")]


RECOGNISED = [
    ({"images": [], "problem": "p", "answer": "T"}, "tfq"),
    ({"id": "1", "query": "q", "response": [], "human_ranking": [], "image": "a"}, "vl-rewardbench"),
    ({"task": "maze", "prompt": "p", "image_1": "a"}, "tir"),
    ({"prompt": "p"}, ""),
]


@pytest.mark.parametrize(("record", "name"), RECOGNISED)
def test_data_is_recognised_by_its_columns(tmp_path: Path, record: dict[str, Any], name: str) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(record) + "\n")
    assert recognised(tmp_path / "a.jsonl") == name


def test_what_cannot_be_looked_at_is_listed_and_is_not_called_clean(tmp_path: Path) -> None:
    put(tmp_path / "train", a=encoded(picture(5)))
    put(tmp_path / "eval", a=b"no picture", b=encoded(picture(2)))
    evaluation = tfq(tmp_path / "eval", ("a.img", STATEMENTS[0]), ("b.img", STATEMENTS[1]), ("gone.img", STATEMENTS[2]))
    found = leaks(tmp_path, tfq(tmp_path / "train", ("a.img", LONG)), evaluation)
    assert [one.picture for one in found.eval.unreadable] == ["a.img", "gone.img"]
    assert (len(found.unknown), len(found.clean), found.unseen) == (2, 1, True)


# lines of data of which nothing, or not all, can be compared: that nothing is found in them would say nothing
NOTHING_TO_COMPARE = [
    ('{"image": "../../secret.png"}', UsageError, "no item of it can be used. The first: e.jsonl, line 1: the image"),
    ('{"img": "a.img", "caption": "A lamp glows."}', UsageError, "no picture and no text in the columns"),
    ('{"question": "A lamp glows."}\n{"question": "A lamp', DataError, "not valid JSON"),
    ('{"question": "A lamp glows."}\n[]', DataError, "a record must be an object"),
]


@pytest.mark.parametrize(("lines", "error", "words"), NOTHING_TO_COMPARE)
def test_a_side_that_cannot_be_compared_is_refused(
    tmp_path: Path, lines: str, error: type[Exception], words: str
) -> None:
    put(tmp_path / "other", a=encoded(picture(5)))
    other = tfq(tmp_path / "other", ("a.img", LONG))
    (tmp_path / "e.jsonl").write_text(lines)
    for sides in ((other, Place(tmp_path / "e.jsonl")), (Place(tmp_path / "e.jsonl"), other)):
        with pytest.raises(error, match=words):
            leaks(tmp_path, *sides)


def test_items_with_neither_picture_nor_text_are_not_called_clean(tmp_path: Path) -> None:
    (tmp_path / "e.jsonl").write_text('{"question": "A lamp glows."}\n{"answer": "T"}\n')
    (tmp_path / "t.jsonl").write_text('{"question": "Another text."}\n')
    found = leaks(tmp_path, Place(tmp_path / "t.jsonl"), Place(tmp_path / "e.jsonl"))
    assert (found.eval.bare, found.unknown, len(found.clean)) == (1, ("e.jsonl, line 2",), 1)
    assert (found.unseen, found.train.bare) == (True, 0)


def test_a_linked_folder_is_told_of(tmp_path: Path) -> None:
    put(tmp_path / "deep", a=encoded(picture(1)))
    (tmp_path / "train").mkdir()
    (tmp_path / "train/b.png").write_bytes(encoded(picture(2)))
    (tmp_path / "train/linked").symlink_to(tmp_path / "deep")
    put(tmp_path / "eval", a=encoded(picture(1)))
    found = leaks(tmp_path, Place(tmp_path / "train"), tfq(tmp_path / "eval", ("a.img", LONG)))
    assert [one.problem for one in found.train.unusable] == ["a link to a folder is not followed"]
    assert (found.found, found.unseen) == (False, True)


def test_names_need_not_be_text(tmp_path: Path) -> None:
    """A file name that is not UTF-8, and a record that names its picture with half a character."""
    (tmp_path / "train").mkdir()
    Path(os.fsdecode(os.fsencode(tmp_path / "train") + b"/\xff.png")).write_bytes(encoded(picture(1)))
    put(tmp_path / "eval", a=encoded(picture(1)))
    (tmp_path / "eval/e.jsonl").write_text('{"id": "\\ud800", "image": "a.img"}\n{"image": "\\ud800.png"}\n')
    found = leaks(tmp_path, Place(tmp_path / "train"), Place(tmp_path / "eval/e.jsonl"))
    assert (found.touched, len(found.eval.unreadable)) == (("\ud800",), 1)


def test_pictures_in_the_parts_of_a_conversation(tmp_path: Path) -> None:
    put(tmp_path, a=encoded(picture(1)), b=encoded(picture(2)))
    shown = [{"type": "image", "image": "b.img"}, {"type": "image"}, {"type": "text", "text": STATEMENTS[0]}]
    record = {"images": ["a.img"], "text": " ", "messages": [{"role": "user", "content": shown}]}
    (tmp_path / "chat.jsonl").write_text(json.dumps(record) + "\n")
    (item,) = read_side(Place(tmp_path / "chat.jsonl"), pytest.fail)
    assert ([ref.name for ref in item.pictures], item.text) == (["a.img", "b.img"], STATEMENTS[0])


def test_not_every_pair_is_named_where_many_pictures_are_the_same(tmp_path: Path) -> None:
    put(tmp_path / "train", **{f"p{level}": encoded(picture(1), "JPEG", quality=level) for level in range(40, 65)})
    (tmp_path / "train/t.jsonl").write_text("".join(f'{{"image": "p{level}.img"}}\n' for level in range(40, 65)))
    put(tmp_path / "eval", a=encoded(picture(1), "JPEG", quality=64))
    found = leaks(tmp_path, Place(tmp_path / "train/t.jsonl"), tfq(tmp_path / "eval", ("a.img", LONG)))
    assert [leak.how for leak in found.pictures].count("look") == len(found.pictures) - 1 == PAIRED - 1


def test_a_second_look_decodes_nothing_but_what_changed(tmp_path: Path) -> None:
    put(tmp_path / "train", a=encoded(picture(1)), b=encoded(picture(2)))
    train = tfq(tmp_path / "train", ("a.img", STATEMENTS[0]), ("b.img", STATEMENTS[1]), ("b.img", STATEMENTS[2]))
    put(tmp_path / "eval", a=encoded(picture(3)))
    evaluation = tfq(tmp_path / "eval", ("a.img", LONG))
    first = leaks(tmp_path, train, evaluation)
    again = leaks(tmp_path, train, evaluation)
    assert (first.hashed, again.hashed) == (3, 0)
    put(tmp_path / "eval", a=encoded(picture(2), "BMP"))
    changed = leaks(tmp_path, train, evaluation)
    assert (changed.hashed, [leak.how for leak in changed.pictures]) == (1, ["pixels"])
    assert leaks(tmp_path, train, evaluation, transforms=True).hashed == 3  # corners were not looked for before


def test_a_file_that_only_seems_unchanged_is_looked_at_again(tmp_path: Path) -> None:
    """Another picture of the same size, with the time of the old one (as `cp -p` and unpacking set it)."""
    size = 4096
    put(tmp_path / "train", a=encoded(picture(2)).ljust(size * 40, b"\0"))
    put(tmp_path / "eval", a=encoded(picture(1)).ljust(size * 40, b"\0"))
    train = tfq(tmp_path / "train", ("a.img", STATEMENTS[0]))
    evaluation = tfq(tmp_path / "eval", ("a.img", LONG))
    assert not leaks(tmp_path, train, evaluation).found
    put(tmp_path / "train", a=encoded(picture(1)).ljust(size * 40, b"\0"))
    assert leaks(tmp_path, train, evaluation).found


def test_a_file_of_a_moment_ago_is_not_known_by_its_time(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    assert file_facts(str(tmp_path / "a")) == file_facts(str(tmp_path / "gone")) == ""
    os.utime(tmp_path / "a", (1e9, 1e9))
    assert file_facts(str(tmp_path / "a")).startswith("1 1000000000000000000 ")


def test_a_broken_cache_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database" * 100)
    with pytest.raises(UsageError, match="Delete it"):
        PictureCache(tmp_path)


def test_the_file_of_keys_holds_whole_lines_only(tmp_path: Path) -> None:
    write_keys(["a-0", "b\nc", "#d", " e", "f\ud800"], tmp_path / "keys.txt", "what")
    assert (tmp_path / "keys.txt").read_text() == "# what\na-0\n"


CHANGED_LONG = LONG.replace("nobody", "none")
# an evaluation's text, a training text, how it is found
TEXTS = [
    (STATEMENTS[0], STATEMENTS[0].upper().replace(" ", "  "), "same"),
    (LONG, f"Look closely. {LONG} Is that true?", "run"),
    (CHANGED_LONG, LONG, "most"),
    ("a b c d e f g h i j k l", "x a b c d e f g h i j k l y", "most"),
    (STATEMENTS[0], STATEMENTS[1], ""),
    (STATEMENTS[0], STATEMENTS[0].replace("loneliness", "hope"), ""),
    ("yes it", "yes it", ""),
    ("节约用水，从我做起", "节约用水从我做起", "same"),
    ("这幅画用一支快要燃尽的蜡烛来比喻时间", "请看：这幅画用一支快要燃尽的蜡烛来比喻时间。对吗？", "run"),
    ("", "", ""),
]


@pytest.mark.parametrize(("text", "train", "how"), TEXTS)
def test_a_text_of_the_training_data(text: str, train: str, how: str) -> None:
    assert [leak.how for leak in text_leaks([text], ["something else entirely here", train]).leaks] == (
        [how] if how else []
    )


def test_words_that_stand_everywhere_are_nobodys() -> None:
    template = "look at the picture and say with one letter whether the statement that follows is true or false"
    ours = [f"{template}: {text}" for text in STATEMENTS] + [template]
    train = [f"{template}: {LONG}", f"{template}: {STATEMENTS[1]}"]
    found = text_leaks(ours, train)
    assert found.leaks == (TextLeak(1, 1, "same", 1.0),)
    assert found.templates == 1


def test_a_question_that_many_items_ask_is_no_leak() -> None:
    question = "Which way leads out of the maze?"
    assert text_leaks([question] * 3, [question]).leaks != ()
    found = text_leaks([question] * 4, [question])
    assert (found.leaks, found.templates) == ((), 4)


def test_a_template_of_the_training_data_is_not_counted() -> None:
    opening = "this is what the assistant was told before it saw anything of the picture at all"
    train = [f"{opening} {number} {text}" for number, text in enumerate(STATEMENTS * 3)]
    assert text_leaks([f"{opening} and then something else was written here"], train).leaks == ()


def test_words_are_bounded_and_plain() -> None:
    assert words("Ｆｕｌｌ width_and-more 東京x") == ["full", "width", "and", "more", "東", "京", "x"]
    assert len(words("a " * 1_000_000)) == 100_000
