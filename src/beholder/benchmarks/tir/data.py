"""Reads TIR-Bench records: the public `TIR-Bench.json` with its extracted image folder, or a set made by `synth`.

Columns: `id`, `task` (older name: `category`), `prompt`, `answer`, `image_1`, `image_2` (two pictures: only in Spot the
Difference), `meta_data` (older name: `metadata`) with `difficulty` where the task has one. Generated sets add to it
`synthetic`, `level` and `photo` (the photograph that items share; without it each picture is its own cluster).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from beholder.benchmarks.benchmark import LoadOptions
from beholder.benchmarks.records import Record, data_files, identifier, image_ref, kind_of, read_records, require
from beholder.benchmarks.tir.answers import LETTERS
from beholder.benchmarks.tir.official import LETTER_TASKS, classify_gold
from beholder.benchmarks.tir.questions import asks_place, counts, options_of, several
from beholder.benchmarks.tir.tasks import ITEMS, PAIRS, TASKS
from beholder.errors import DataError, UsageError
from beholder.sample import (
    BooleanTarget,
    ChoiceTarget,
    ImagePart,
    ImageRef,
    KeyMaker,
    NumberSetTarget,
    NumberTarget,
    OrderedListTarget,
    PlaceTarget,
    Sample,
    Target,
    TextPart,
    TextTarget,
)

NAME = "tir"
RECORDS = "TIR-Bench.json"
SYNTHETIC = "synthetic"
"""`Sample.split` of generated items; published figures are never shown beside them."""
SIZES = range(2, 21)
"""Pieces a side that a jigsaw record may claim; TIR-Bench has 3 to 6."""
_LONGEST_ANSWER = 10_000
_WHOLE = re.compile(r"\d{1,9}", re.ASCII)
_NUMBER = re.compile(r"[-+]?\d{1,30}(?:\.\d{1,30})?", re.ASCII)
_WRITTEN_NUMBER = re.compile(  # 1/2, 3,000, 31%, −5
    r"[-+−]?(?:\d{1,9}/[1-9]\d{0,8}|\d{1,3}(?:,\d{3}){1,9}(?:\.\d{1,30})?|\d{1,30}(?:\.\d{1,30})?)\s?%?", re.ASCII
)
_BOOLEANS = {"yes": True, "true": True, "no": False, "false": False}


def load(path: Path, options: LoadOptions) -> Iterator[Sample]:
    """The samples at `path`, in file order: the folder, or the record file itself.

    `UsageError` if there is no such data, `DataError` naming file and record for a record that cannot be used: a
    missing column, an unknown task, an answer that is empty or does not fit its task, half of a pair of pictures. Such
    a record is passed over where the options have somebody to tell.
    """
    source = path / RECORDS if (path / RECORDS).is_file() else path
    folder = options.images or data_files(source)[0].parent
    if not folder.is_dir():
        raise UsageError(f"{folder}: the image folder is not there.")
    return _samples(source, folder, options.on_error)


def _samples(source: Path, folder: Path, on_error: Callable[[DataError], None] | None) -> Iterator[Sample]:
    make_key = KeyMaker(NAME)
    for record in read_records(source):
        try:
            sample = make_sample(record, make_key, folder)
        except DataError as error:
            if on_error is None:
                raise
            on_error(error)
        else:
            yield sample


def make_sample(record: Record, make_key: KeyMaker, folder: Path | None) -> Sample:
    """The item of a record. Without a folder (a result file) it has no images, only their names in the metadata."""
    task = task_of(record)
    prompt = require(record, "prompt", str)
    written = _written(record)
    about = meta_data(record)
    pictures = [given for column in ("image_1", "image_2") if (given := record.value.get(column)) is not None]
    images = _images(record, task, folder) if folder is not None else ()
    synthetic = about.get("synthetic") is True
    photo = about.get("photo")
    first = _name(pictures[0]) if pictures else None
    key = make_key(task, prompt, str(written), *map(_content, pictures))
    return Sample(
        key=key,
        index=record.index,
        benchmark=NAME,
        images=images,
        parts=(TextPart(prompt), *(ImagePart(place) for place in range(len(images)))),
        target=target_of(record, task, prompt, written, about),
        split=SYNTHETIC if synthetic else "",
        options=tuple(options_of(prompt).values()),
        category=task,
        difficulty=_difficulty(about, synthetic),
        cluster=photo if isinstance(photo, str) and photo else first or key,
        record_id=identifier(record, "id"),
        source=record.where,
        metadata={
            "task": task,
            "answer": written,
            "image_1": first,
            "difficulty": _plain(about.get("difficulty")),
            **({"n": about["difficulty"]} if task == "jigsaw" else {}),
        },
    )


def task_of(record: Record) -> str:
    """The record's task; `DataError` if it is none of the thirteen."""
    column = "category" if "task" not in record.value and "category" in record.value else "task"
    task = require(record, column, str)
    if task not in TASKS:
        raise DataError(
            f"there is no task {task[:40]!r} in TIR-Bench",
            where=record.where,
            mend=f"The tasks are {', '.join(TASKS)}.",
        )
    return task


def meta_data(record: Record) -> dict[str, Any]:
    """`metadata` if the record has it, else `meta_data` (the authors' order); empty where there is neither."""
    column = "metadata" if "metadata" in record.value else "meta_data"
    if record.value.get(column) is None:
        return {}
    found: dict[str, Any] = require(record, column, dict)
    return found


def target_of(record: Record, task: str, prompt: str, written: Any, about: dict[str, Any]) -> Target:
    """The gold with its type, which follows from the task and, where the task leaves it open, from the prompt.

    Only what kind of thing the record's answer *is* is looked at beyond that: a letter, a number, a place. Whether more
    than one letter may be chosen is the prompt's to say.
    """
    text = str(written).strip()
    if not text or len(text) > _LONGEST_ANSWER:
        raise _bad_answer(record, "is empty" if not text else "is too long", "Mend or remove this record.")
    if task == "jigsaw":
        return OrderedListTarget(_arrangement(record, text, about))
    if task == "ocr":
        return TextTarget(str(written))
    numbers = [int(number) for number in _WHOLE.findall(text)]
    if task == "spot_difference":
        if not numbers:
            raise _bad_answer(record, f"is {text[:40]!r}", "Write a count, or a list of patch numbers.")
        if counts(prompt) and _NUMBER.fullmatch(text):
            return NumberTarget(text)
        return NumberSetTarget(tuple(sorted(set(numbers))))
    if _NUMBER.fullmatch(text):
        return NumberTarget(text)
    if _WRITTEN_NUMBER.fullmatch(text) and not (task == "word_search" and asks_place(prompt)):
        return NumberTarget(text)
    if task == "word_search" and len(numbers) == 2:
        return PlaceTarget(*numbers)
    if text.lower() in _BOOLEANS:
        return BooleanTarget(_BOOLEANS[text.lower()])
    return ChoiceTarget("".join(sorted(text)), several(prompt)) if _are_letters(text, prompt) else TextTarget(text)


def _are_letters(text: str, prompt: str) -> bool:
    """Whether a gold is letters of options. OUR assumption: where the prompt lists none, they are A to J, the letters
    that the authors' scorer knows, and more than one (`AC`, but not the word `BAD`) only if the question says so."""
    options = options_of(prompt)
    known = set(text) <= set(options or LETTERS) and len(set(text)) == len(text)
    return known and (len(text) == 1 or bool(options) or several(prompt))


def notices(samples: Iterable[Sample] | int) -> list[str]:
    """What the user must know about this data: what is generated, and what differs from the public 1,215 items."""
    if isinstance(samples, int):
        return []
    rows = list(samples)
    made = [sample for sample in rows if sample.split == SYNTHETIC]
    notes = []
    if made:
        photos = Counter(sample.cluster for sample in made)
        notes.append(
            f"{len(made):,} of these {len(rows):,} items were generated: figures are not comparable with TIR-Bench."
        )
        if len(photos) < len(made):
            notes.append("Some are made from the same photograph; intervals redraw photographs.")
    public = [sample for sample in rows if sample.split != SYNTHETIC]
    if public:
        notes += count_differences(Counter(sample.category for sample in public))
    if len(public) == ITEMS and any(sample.images for sample in public):  # a result file has no pictures
        notes += pair_difference(public)
    odd = [sample for sample in rows if isinstance(sample.target, TextTarget) and sample.category != "ocr"]
    if odd:
        stops = sum(
            sample.category in LETTER_TASKS and classify_gold(str(sample.metadata["answer"])) == "other"
            for sample in odd
        )
        stopping = f" (the authors' program would stop at {stops} of them)" if stops else ""
        which = (
            f"1 gold answer is neither letters of options nor a number ({odd[0].source}): it is"
            if len(odd) == 1
            else f"{len(odd)} gold answers are neither letters of options nor numbers ({odd[0].source}, …): they are"
        )
        notes.append(f"{which} compared as text{stopping}.")
    return notes


def count_differences(counts: Counter[str]) -> list[str]:
    """How these task sizes differ from the public set's; empty if they do not."""
    if counts.total() == ITEMS and all(counts[name] == task.n for name, task in TASKS.items()):
        return []
    differing = [f"{name} {counts[name]} of {task.n}" for name, task in TASKS.items() if counts[name] != task.n]
    return [f"This is not the whole of TIR-Bench: {counts.total():,} of {ITEMS:,} items ({', '.join(differing)})."]


def pair_difference(samples: Iterable[Sample]) -> list[str]:
    """How the number of two-picture items differs from the public set's; empty if it does not."""
    pairs = sum(len(sample.images) == 2 for sample in samples)
    return [] if pairs == PAIRS else [f"{pairs} items show two pictures; the public set has {PAIRS}."]


def _images(record: Record, task: str, folder: Path) -> tuple[ImageRef, ...]:
    images = [image_ref(record, require(record, "image_1", (str, dict, bytes)), folder)]
    if record.value.get("image_2") is not None:
        images.append(image_ref(record, record.value["image_2"], folder))
    elif task == "spot_difference" and re.search(r"_left\.\w+$", images[0].name):
        raise DataError(
            f"{images[0].name!r} is half of a pair, but there is no image_2",
            where=record.where,
            mend="Name the right half in image_2.",
        )
    return tuple(images)


def _written(record: Record) -> Any:
    """The answer as the record has it: text or a number; a list as Python writes it, which is what the authors read."""
    written = require(record, "answer", (str, int, float, list))
    if not isinstance(written, list):
        return written
    try:
        return str(written)
    except RecursionError:
        raise _bad_answer(record, "is nested too deeply", "Mend or remove this record.") from None


def _name(picture: Any) -> str | None:
    """What a record calls a picture: a path, or the path in a struct of Parquet; None where it has no name."""
    name = picture.get("path") if isinstance(picture, dict) else picture
    return name if isinstance(name, str) and name else None


def _content(picture: Any) -> str | bytes:
    """What tells a picture from others: its bytes, where the record embeds them, or its name."""
    data = picture.get("bytes") if isinstance(picture, dict) else picture
    return data if isinstance(data, bytes) and data else _name(picture) or ""


def _plain(value: Any) -> Any:
    """A value that a run's database can hold whatever the data holds."""
    return value if isinstance(value, str | int | float) else None


def _difficulty(about: dict[str, Any], synthetic: bool) -> str:
    """The level of a generated item, or what the public record says (jigsaw: pieces a side)."""
    given = about.get("level") if synthetic else about.get("difficulty")
    return str(given) if isinstance(given, int | str) and not isinstance(given, bool) else ""


def _arrangement(record: Record, text: str, about: dict[str, Any]) -> tuple[int, ...]:
    n = about.get("difficulty")
    if isinstance(n, bool) or not isinstance(n, int) or n not in SIZES:
        raise DataError(
            f"'difficulty' in 'meta_data' of a jigsaw must be the number of pieces a side, {SIZES[0]} to {SIZES[-1]}, "
            f"but is {kind_of(n) if not isinstance(n, int) else n}",
            where=record.where,
            mend="Write the size there, 3 for a 3×3 puzzle.",
        )
    if re.fullmatch(r"\[?[\s\d,]+\]?", text, re.ASCII) is None:
        raise _bad_answer(record, f"is {text[:40]!r}", "Write it as a list of piece numbers.")
    numbers = tuple(int(number) for number in _WHOLE.findall(text))
    if sorted(numbers) != list(range(1, n * n + 1)):
        raise _bad_answer(
            record, f"does not list each number from 1 to {n * n} once", "Mend the answer or the difficulty."
        )
    return numbers


def _bad_answer(record: Record, what: str, mend: str) -> DataError:
    return DataError(f"column 'answer' {what}", where=record.where, mend=mend)
