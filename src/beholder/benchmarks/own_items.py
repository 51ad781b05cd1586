"""The items of a benchmark of one's own: from records of JSON, JSONL or Parquet to samples with a typed gold."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import msgspec

from beholder.benchmarks.benchmark import LoadOptions
from beholder.benchmarks.records import Record, image_ref, kind_of, read_records
from beholder.errors import DataError, UsageError
from beholder.sample import (
    BooleanTarget,
    ChoiceTarget,
    ImageRef,
    KeyMaker,
    NumberTarget,
    Sample,
    Target,
    TextPart,
    TextTarget,
)

Answer = str | bool | int | float | list[str]


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One item as a user's data gives it.

    `images` are paths relative to the data file (or `--images`), bytes, or what Parquet files embed. `answer` is true
    or false, a number, text, or with `options` the letter or the text of the right one (a list of them with `several`,
    which says that the question lets one choose more than one). Items of one `cluster` are not independent (default:
    those that show the same first picture).
    """

    question: str
    answer: Answer
    images: Sequence[Any] = ()
    options: Sequence[str] = ()
    several: bool = False
    id: str = ""
    category: str = ""
    difficulty: str = ""
    split: str = ""
    cluster: str = ""
    metadata: dict[str, Any] = {}


def item_of(record: dict[str, Any]) -> Item:
    """The item of a record with the usual columns: `question`, `answer`, and where there are any `image` or `images`,
    `options` (a list), `several`, `id`, `category`, `difficulty`, `split`, `cluster`.
    """
    missing = [column for column in ("question", "answer") if record.get(column) is None]
    if missing:
        raise ValueError(f"there is no {missing[0]!r}; the columns are: {', '.join(map(str, list(record)[:20]))}")
    image, images = record.get("image"), record.get("images")
    words: dict[str, Any] = {name: _word(record, name) for name in ("id", "category", "difficulty", "split", "cluster")}
    return Item(
        question=record["question"],
        answer=record["answer"],
        images=images if images is not None else [image] if image is not None else [],
        options=record.get("options") or (),
        several=record.get("several") is True,
        **words,
    )


def samples(name: str, item: Callable[[dict[str, Any]], Item], path: Path, options: LoadOptions) -> Iterator[Sample]:
    """The samples of the data at `path`, in its order. `DataError` for a record that cannot be used, or repeats an id;
    `options.on_error` is told of it, where it is there, and the reading goes on.
    """
    if options.categories is not None:
        raise UsageError(f"{name} takes no --categories. Give its items a category in the data.")
    folder = options.images or (path if path.is_dir() else path.parent)
    make_key = KeyMaker(name)
    places: dict[str, str] = {}
    for record in read_records(path):
        try:
            sample = _sample(name, record, item, folder, make_key)
            first = places.setdefault(sample.record_id or sample.source, sample.source)
            if first != sample.source:
                words = f"its id {sample.record_id[:60]!r} is that of {first} too"
                raise DataError(words, where=record.where, mend="Give each item its own id, or none.")
            yield sample
        except DataError as error:
            if options.on_error is None:
                raise
            options.on_error(error)


def _sample(
    name: str, record: Record, item: Callable[[dict[str, Any]], Item], folder: Path, make_key: KeyMaker
) -> Sample:
    try:
        made: Any = item(record.value)
        if not isinstance(made, Item):
            raise TypeError(f"`item` gave {type(made).__name__}, not an Item")
        checked = msgspec.convert(msgspec.structs.asdict(made), Item)
        target = _target(checked)
    except (
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
    ) as error:  # `item` is the user's: a record may lack a column
        what = f"there is no {error}" if isinstance(error, KeyError) else str(error)
        raise DataError(what[:300], where=record.where, mend="Mend or remove this record.") from None
    images = tuple(image_ref(record, value, folder) for value in checked.images)
    names = [_identity(image) for image in images]
    written = msgspec.json.encode(checked.answer).decode()
    key = make_key(checked.question, *checked.options, written, *names)
    return Sample(
        key=key,
        index=record.index,
        benchmark=name,
        images=images,
        parts=(TextPart(checked.question),),
        target=target,
        split=checked.split,
        options=tuple(checked.options),
        category=checked.category,
        difficulty=checked.difficulty,
        cluster=checked.cluster or (names[0] if names else key),
        record_id=checked.id,
        source=record.where,
        metadata={"answer": checked.answer, **checked.metadata},
    )


def _target(item: Item) -> Target:
    """The gold with its type. ValueError if it does not go with the options."""
    answer = item.answer
    if item.options:
        letters = ascii_uppercase[: len(item.options)]
        if len(letters) < len(item.options):
            raise ValueError(f"there are {len(item.options)} options; at most {len(ascii_uppercase)} have a letter")
        chosen = sorted({_letter(one, letters, item.options) for one in _each(answer, letters, item.several)})
        if len(chosen) != 1 and not item.several:
            raise ValueError(f"the answer names {len(chosen)} options; say `several` if the question lets one do so")
        return ChoiceTarget("".join(chosen), item.several)
    if isinstance(answer, bool):
        return BooleanTarget(answer)
    if isinstance(answer, int | float):
        return NumberTarget(format(Decimal(repr(answer)), "f"))
    if not isinstance(answer, str) or not answer.strip():
        raise ValueError(f"the answer must be text, a number, true or false but is {kind_of(answer)}, or blank")
    return TextTarget(answer)


def _each(answer: Answer, letters: str, several: bool) -> list[str]:
    if isinstance(answer, list):
        return answer
    text = str(answer).strip()
    return list(text) if several and text and set(text) <= set(letters) else [text]


def _letter(answer: str, letters: str, options: Sequence[str]) -> str:
    """The letter of an option that is given by its letter or by its text."""
    if len(answer) == 1 and answer in letters:
        return answer
    same = [letter for letter, option in zip(letters, options, strict=True) if option == answer]
    if len(same) != 1:
        raise ValueError(f"the answer {answer[:60]!r} is neither a letter to {letters[-1]} nor the text of one option")
    return same[0]


def _identity(image: ImageRef) -> str:
    return hashlib.sha256(image.data).hexdigest() if image.data is not None else image.name


def _word(record: dict[str, Any], column: str) -> str:
    value = record.get(column)
    if isinstance(value, str | int | float):
        return str(value)
    if value is None:
        return ""
    raise ValueError(f"column {column!r} must be text but is {kind_of(value)}")
