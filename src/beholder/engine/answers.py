"""Answers that somebody already has: the authors' result files, or our plain JSON lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from beholder.benchmarks.benchmark import Answered, Benchmark, LoadOptions
from beholder.benchmarks.records import Record, read_records
from beholder.engine.plan import group_sizes
from beholder.engine.scoring import score_with
from beholder.errors import DataError, UsageError
from beholder.sample import FROM_FILE, Extracted, Failure, Response, Sample, Usage
from beholder.score import ScoredItem, Scorer
from beholder.store.reading import origin_of, target_text

_LINE = "Each line is an object with `key` and `response`, and optionally `vote`, `order`, `reasoning`, `finish`."
_NO_FAILURE = "Write it as an object with `owner`, `kind` and `message`, or leave it out."


class PlainAnswers(msgspec.Struct, frozen=True):
    """What a plain file gave: the answered samples in file order, and how many of the data's items have no answer.

    `names` gives what the file calls an item, by sample key. `group_sizes` is as in `Plan`: the sizes of the groups in
    the whole data, None if the benchmark has no groups.
    """

    answered: list[Answered]
    unanswered: int
    assumed_order: bool
    names: dict[str, str] = {}
    group_sizes: dict[str, int] | None = None


def is_plain(file: Path, found: Benchmark) -> bool:
    """Whether a file is our plain JSONL: its first record holds a `response` that is text (or null) under a `key`.

    A file that cannot be read as records is not, if the benchmark has a result file of its own: its reader will say
    what is wrong.
    """
    for record in _first_record(file, found):
        value = record.value
        named = "key" in value or "index" in value
        return named and "response" in value and isinstance(value["response"], str | None)
    return False


def _first_record(file: Path, found: Benchmark) -> list[Record]:
    try:
        return list(islice(read_records(file), 1))
    except DataError:
        if found.read_results is None:
            raise
        return []


def read_plain(file: Path, found: Benchmark, data: Path, options: LoadOptions) -> PlainAnswers:
    """Plain answers matched with the samples of `data`, by key, record id or index.

    Raises `UsageError` for a key that two lines answer (naming both) and for a key that the data does not hold.
    """
    samples, ambiguous = _by_name(found.load(data, options))
    answered: list[Answered] = []
    places: dict[tuple[str, int], str] = {}
    names: dict[str, str] = {}
    assumed = False
    for record in read_records(file):
        name = record.value.get("key", record.value.get("index"))
        if name is None or isinstance(name, bool) or not isinstance(name, str | int):
            raise DataError("it has neither `key` nor `index`", where=record.where, mend=_LINE)
        if name in ambiguous:
            raise UsageError(
                f"{record.where}: {name!r} names several items of {data}. Use the content keys that a run shows."
            )
        sample = samples.get(name)
        if sample is None:
            raise UsageError(f"{record.where}: {data} holds no item {name!r}. Check the key, or --data.")
        if isinstance(name, str):
            names.setdefault(sample.key, name)
        vote = _whole(record, "vote")
        place = (sample.key, vote)
        if place in places:
            raise UsageError(
                f"{places[place]} and {record.where} both answer key {name!r}, vote {vote}. "
                "Remove one of them, or number the votes."
            )
        places[place] = record.where
        order, given = _order(record, found.answers_shown)
        assumed = assumed or (found.answers_shown > 0 and not given)
        answered.append(Answered(record.index, sample, _response(record, order), vote))
    everything = {sample.key: sample for sample in samples.values()}
    missing = len(everything) - len({key for key, _ in places})
    sizes = group_sizes(everything.values()) if found.grouped else None
    return PlainAnswers(answered, missing, assumed, names, sizes)


def _by_name(samples: Iterator[Sample]) -> tuple[dict[str | int, Sample], set[str | int]]:
    named: dict[str | int, Sample] = {}
    ambiguous: set[str | int] = set()
    for sample in samples:
        named[sample.key] = sample
        named[sample.index] = sample
        if sample.record_id:
            if sample.record_id in named:
                ambiguous.add(sample.record_id)
            named[sample.record_id] = sample
    return named, ambiguous


def _response(record: Record, order: tuple[int, ...]) -> Response:
    value = record.value
    text = value.get("response")
    if text is not None and not isinstance(text, str):
        raise DataError("its `response` is not text", where=record.where, mend=_LINE)
    return Response(
        text=text,
        reasoning=_optional(record, "reasoning"),
        finish=_optional(record, "finish"),
        order=order,
        max_tokens=_count(record, "max_tokens"),
        usage=Usage(completion_tokens=_count(record, "completion_tokens")),
        extracted=_extracted(record),
        failure=_failure(record),
    )


def _failure(record: Record) -> Failure | None:
    """Why there is no answer, where the line says so, as `beholder export` writes it: that is not a wrong answer."""
    if record.value.get("failure") is None:
        return None
    try:
        return msgspec.convert(record.value["failure"], Failure)
    except msgspec.ValidationError as error:
        raise DataError(f"its `failure` is none ({error})", where=record.where, mend=_NO_FAILURE) from None


def _extracted(record: Record) -> Extracted | None:
    """What the line says was read out of the response, in the field that TIR-Bench's files have; null is nothing."""
    if "extracted_answer" not in record.value:
        return None
    read = record.value["extracted_answer"]
    if read is not None and not isinstance(read, str):
        raise DataError("its `extracted_answer` is not text", where=record.where, mend="Write the answer as text.")
    return Extracted(read, FROM_FILE)


def _order(record: Record, answers_shown: int) -> tuple[tuple[int, ...], bool]:
    """The order in which stored answers were shown; the stored order (OUR assumption) where the line does not say."""
    stored = tuple(range(answers_shown))
    order = record.value.get("order")
    if order is None:
        return stored, False
    if not isinstance(order, list) or sorted(map(str, order)) != sorted(map(str, stored)):
        raise DataError(
            f"its `order` is not an arrangement of {list(stored)}",
            where=record.where,
            mend="Write the stored index shown at each place.",
        )
    return tuple(map(int, order)), True


def _optional(record: Record, column: str) -> str | None:
    value = record.value.get(column)
    return value if isinstance(value, str) else None


def _count(record: Record, column: str) -> int | None:
    value = record.value.get(column)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _whole(record: Record, column: str) -> int:
    value = record.value.get(column, 0)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise DataError(f"its `{column}` is not a whole number from 0 on", where=record.where, mend=_LINE)
    return value


def score_answers(answered: Sequence[Answered], scorers: dict[str, Scorer]) -> list[ScoredItem]:
    """Rows of scores, in the order given."""
    score_all = score_with(scorers)
    return [
        ScoredItem(
            index=one.index,
            key=one.sample.key,
            vote=one.vote,
            scores=score_all(one.sample, one.response),
            group=one.sample.group,
            cluster=one.sample.cluster,
            category=one.sample.category,
            difficulty=one.sample.difficulty,
            order=one.response.order,
            target=target_text(one.sample),
            split=one.sample.split,
            origin=origin_of(one.sample),
        )
        for one in answered
    ]
