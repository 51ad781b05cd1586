"""What another evaluation tool has recorded, in one form for all of them, and reading its values with distrust.

A log is somebody else's file: sizes are bounded, a value of the wrong kind is an error that names its place, and
nothing in it is ever unpickled, evaluated or used as a path.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from beholder.benchmarks.records import kind_of
from beholder.errors import DataError, Owner, UsageError
from beholder.sample import Failure, Response
from beholder.store.storable import storable

LARGEST_FILE = 2 << 30
"""Bytes of a log that is read whole."""
LONGEST_TEXT = 4_000_000
"""Characters of one text (an answer, a question); a longer one is an error."""
MOST_ANSWERS = 1_000_000
MOST_REPETITIONS = 1000
"""Answers to one item. Each item has a place for as many, so a number that is only claimed must not be believed."""
MOST_PICTURES = 64
"""Pictures of one item: a log may hold one once and name it often."""
_MOST_SCORES = 64
_WRITTEN_SHOWN = 200


class PeerScore(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the other tool says of one answer: `value` in 0..1, None where it gave none or one that is not a share.

    `written` is its value as its file has it, `answer` what it read out of the response, `explanation` its own words.
    """

    value: float | None
    written: str = ""
    answer: str | None = None
    explanation: str = ""


class PeerAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One answer of a log. `where` names it for messages.

    `id` and `index` are what the tool calls the item and its position in the tool's data, from 0; `question` is the
    text that it put to the model, `gold` its gold as written, `repetition` counts the answers to one item from 0.
    `record` holds the columns of the data's record that the log has, `pictures` the encoded pictures in it.
    """

    where: str
    response: Response
    id: str | int | None = None
    index: int | None = None
    repetition: int = 0
    question: str = ""
    gold: str = ""
    scores: dict[str, PeerScore] = {}
    record: dict[str, Any] = {}
    pictures: tuple[bytes, ...] = ()


class PeerLog(msgspec.Struct, frozen=True, kw_only=True):
    """A log: which tool and version wrote it, which model answered, how it was asked to decode, and the answers.

    What the file does not say is "" or empty. `notes` are plain sentences that the user must know.
    """

    peer: str
    model: str
    answers: list[PeerAnswer]
    version: str = ""
    task: str = ""
    created: str = ""
    generation: dict[str, Any] = {}
    notes: tuple[str, ...] = ()


def read_bytes(file: Path) -> bytes:
    """A whole file; `UsageError` if it cannot be read or is larger than `LARGEST_FILE`."""
    try:
        if not file.is_file():
            raise UsageError(f"{file}: there is no such file.")
        if file.stat().st_size > LARGEST_FILE:
            raise UsageError(f"{file}: it is larger than {LARGEST_FILE >> 30} GiB.")
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror or error}.") from None


def file_sha256(file: Path) -> str:
    """The SHA-256 of a file, in hex; of a folder, that of its JSON lines in order of name."""
    digest = hashlib.sha256()
    files = sorted(file.glob("*.jsonl")) if file.is_dir() else [file]
    for one in files:
        with one.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def decoded(data: bytes, where: str) -> dict[str, Any]:
    """The JSON object in `data`; `DataError` if it is none. `NaN` and half surrogate pairs are read, as peers write
    them."""
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, ValueError, RecursionError):
        try:
            value = json.loads(data.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:120]
            raise DataError(f"this is not valid JSON: {reason}", where=where, mend="Get the whole file.") from None
    return an_object(value, "the log", where)


def an_object(value: Any, name: str, where: str) -> dict[str, Any]:
    """`value` if it is an object, an empty one for null; `DataError` otherwise."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise DataError(f"{name} must be an object but is {kind_of(value)}", where=where)
    return value


def a_list(value: Any, name: str, where: str) -> list[Any]:
    """`value` if it is a list, an empty one for null; `DataError` otherwise."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise DataError(f"{name} must be a list but is {kind_of(value)}", where=where)
    return value


def a_text(value: Any, name: str, where: str) -> str:
    """`value` if it is text of a bearable length, "" for null; `DataError` otherwise."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise DataError(f"{name} must be text but is {kind_of(value)}", where=where)
    if len(value) > LONGEST_TEXT:
        raise DataError(f"{name} is longer than {LONGEST_TEXT:,} characters", where=where)
    return storable(value) or ""


def a_repetition(value: Any, first: int, name: str, where: str) -> int:
    """Which answer to its item one is, from 0, of a field that counts from `first`; `DataError` if it is none."""
    number = a_count(value)
    if number is None or not 0 <= number - first < MOST_REPETITIONS:
        last = first + MOST_REPETITIONS - 1
        raise DataError(f"{name} must be a whole number in {first}..{last}", where=where)
    return number - first


def a_count(value: Any) -> int | None:
    """A whole number from 0 on that SQLite can hold; None for anything else, which a log may well have."""
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if not whole or isinstance(value, bool) or not 0 <= value < 2**53:
        return None
    return int(value)


def a_name(value: Any, name: str, where: str) -> str | int | None:
    """What a tool calls an item: text, a whole number, or None; `DataError` for anything else."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    return a_text(value, name, where)


def words_of(value: Any) -> str:
    """A value of any kind as short text, for showing."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return storable(text[:_WRITTEN_SHOWN]) or ""


def share(value: Any) -> float | None:
    """A score as a share of 1: a number in 0..1, true or false; None for everything else (NaN, 85, a text)."""
    if isinstance(value, bool):
        return float(value)
    if not isinstance(value, int | float) or not 0 <= value <= 1:  # NaN is on no side of anything
        return None
    return float(value)


def scores_in(values: Mapping[str, Any], where: str) -> Iterator[tuple[str, Any]]:
    """The named scores of an answer, at most so many that a person could look at."""
    if len(values) > _MOST_SCORES:
        raise DataError(f"there are more than {_MOST_SCORES} scores", where=where)
    for name, value in values.items():
        yield words_of(name)[:80], value


def failed(message: str, kind: str = "imported") -> Response:
    """The response of an item for which the other tool got no answer. A resume cannot mend it."""
    return Response(failure=Failure(owner=Owner.PROVIDER, kind=kind, message=message[:2000]))


def plain_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Decoding settings as run.json may hold them: plain values that are set, no nested ones, none that is long, no
    number that JSON's readers cannot hold."""
    return {
        words_of(name)[:80]: words_of(value) if isinstance(value, str) else value
        for name, value in list(settings.items())[:64]
        if isinstance(value, bool | str)
        or (isinstance(value, int) and abs(value) < 2**53)
        or (isinstance(value, float) and math.isfinite(value))
    }
