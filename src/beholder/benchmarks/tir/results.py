"""The authors' response file, as their `extract_answer.py` writes and their `calculate_score.py` reads it.

A JSON object `{"0": item, "1": item, …}`; each item is a record of the data set with `model_response` and, once answers
were extracted, `extracted_answer` (not for OCR). A list of such items is read too. Their program adds `true_false`,
which is not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from beholder.benchmarks.benchmark import Answered
from beholder.benchmarks.records import Record, kind_of, read_records
from beholder.benchmarks.tir.data import NAME, make_sample
from beholder.errors import DataError, UsageError
from beholder.sample import FROM_FILE, Extracted, KeyMaker, Response, Sample

_LARGEST = 1 << 30


def read_results(path: Path) -> Iterator[Answered]:
    """The answered items of a response file, in file order.

    A `model_response` or `extracted_answer` that is not text keeps its value in the sample's metadata, because the
    authors' program does something of its own with it; our scorers take the first text of a list. So does a
    `question_id`, which that program prints. `DataError` names an item that has no response or is no TIR-Bench record.
    """
    make_key = KeyMaker(NAME)
    for record in _items(path):
        if "model_response" not in record.value:
            there = ", ".join(repr(name[:40]) for name in list(record.value)[:20]) or "none"
            raise DataError(
                f"there is no 'model_response'; the fields are: {there}",
                where=record.where,
                mend="Give a response file of TIR-Bench.",
            )
        sample = make_sample(record, make_key, None)
        said = record.value["model_response"]
        text = said[0] if isinstance(said, list) and said and isinstance(said[0], str) else said
        odd: dict[str, Any] = {} if isinstance(said, str) else {"model_response": said}
        extracted = None
        if "extracted_answer" in record.value:
            read = record.value["extracted_answer"]
            extracted = Extracted(read if isinstance(read, str) else None, FROM_FILE)
            if read is not None and not isinstance(read, str):
                odd["extracted_answer"] = read
        if "question_id" in record.value:  # that it is there is all that the authors' program needs
            number = record.value["question_id"]
            odd["question_id"] = number if isinstance(number, str | int | float) else None
        yield Answered(
            record.index,
            _with(sample, odd),
            Response(text=text if isinstance(text, str) else None, extracted=extracted),
        )


def _with(sample: Sample, more: dict[str, Any]) -> Sample:
    return msgspec.structs.replace(sample, metadata={**sample.metadata, **more}) if more else sample


def _items(path: Path) -> Iterator[Record]:
    if path.suffix.lower() != ".json" or not path.is_file():
        yield from read_records(path)
        return
    try:
        if path.stat().st_size > _LARGEST:
            raise UsageError(f"{path}: it is larger than {_LARGEST >> 30} GiB.")
        data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}.") from error
    if data.lstrip()[:1] != b"{":
        yield from read_records(path)
        return
    items = _decoded(data, path.name)
    if not items:
        raise DataError("there are no items in it", where=path.name, mend="Check that this is the right file.")
    for index, (name, item) in enumerate(items.items()):
        where = f"{path.name}, item {name[:40]!r}"
        if not isinstance(item, dict):
            raise DataError(f"an item must be an object but is {kind_of(item)}", where=where)
        yield Record(where, index, item)


def _decoded(data: bytes, name: str) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(data)
    except (msgspec.DecodeError, ValueError, RecursionError):
        try:  # the standard library allows more: NaN, lone surrogates
            found = json.loads(data.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            reason = (str(error).splitlines() or ["no reason given"])[0][:120]
            raise DataError(f"this is not valid JSON: {reason}", where=name, mend="Get the whole file.") from error
    if not isinstance(found, dict):
        raise DataError(f"this must be an object of items but is {kind_of(found)}", where=name)
    return found
