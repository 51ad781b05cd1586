"""Samples made from a log alone, where the user has no data at hand: question and gold as the other tool has them.

TFQ-Bench: the statement is the logged prompt, or its record's `problem`. TIR-Bench: the log must hold the record's
columns (`task`, `prompt`, `answer`, `meta_data`), as evalscope's and our own Inspect tasks log them. The other
benchmarks have golds that no log holds. Keys are not those of the data, because the pictures' names are not known; what
is missing is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from beholder.benchmarks.benchmark import Benchmark
from beholder.benchmarks.records import Record
from beholder.benchmarks.tfq.data import is_true
from beholder.benchmarks.tfq.tagger import tag
from beholder.benchmarks.tir.data import make_sample
from beholder.errors import DataError, UsageError
from beholder.images.load import load
from beholder.peers.peer_log import PeerAnswer
from beholder.sample import BooleanTarget, ImagePart, ImageRef, KeyMaker, Sample, TextPart

BENCHMARKS = ("tfq", "tir")


def samples_of(
    found: Benchmark, answers: Sequence[PeerAnswer]
) -> tuple[list[tuple[Sample, list[PeerAnswer]]], list[str]]:
    """The items of a log with their answers, in log order, and plain sentences on what is missing.

    `UsageError` for a benchmark whose golds no log holds, `DataError` for an item without question or gold.
    """
    if found.name not in BENCHMARKS:
        raise UsageError(f"No log holds what {found.name} needs to be scored. Give the benchmark's data with --data.")
    make_key = KeyMaker(found.name)
    items: dict[str, tuple[Sample, list[PeerAnswer]]] = {}
    for answer in answers:
        name = str(answer.id if answer.id is not None else answer.index)
        if name in items and all(other.repetition != answer.repetition for other in items[name][1]):
            items[name][1].append(answer)
            continue
        if name in items:
            raise DataError(f"another answer has the id {name[:60]!r} too", where=answer.where, mend="Give --data.")
        sample = _tfq(answer, make_key, len(items)) if found.name == "tfq" else _tir(answer, make_key, len(items))
        items[name] = (_with_pictures(sample, answer), [answer])
    made = list(items.values())
    blind = sum(not sample.images for sample, _ in made)
    missing = ["The items were made from the log itself: keys, groups and categories are not those of the data."]
    if blind:
        missing.append(f"The log holds no pictures of {blind:,} of {len(made):,} items.")
    return made, missing


def record_of(sample: Sample) -> dict[str, Any]:
    """The columns from which `samples_of` makes an item again; empty for benchmarks of which it makes none."""
    if isinstance(sample.target, BooleanTarget) and sample.benchmark == "tfq":
        return {"problem": sample.question, "answer": "T" if sample.target.value else "F"}
    if sample.benchmark == "tir":
        about = {"difficulty": sample.metadata.get("difficulty")}
        answer = sample.metadata.get("answer")
        return {"task": sample.category, "prompt": sample.question, "answer": answer, "meta_data": about}
    return {}


def _tfq(answer: PeerAnswer, make_key: KeyMaker, index: int) -> Sample:
    problem, gold = answer.record.get("problem"), answer.record.get("answer")
    question = problem if isinstance(problem, str) else answer.question
    written = gold if isinstance(gold, str) else answer.gold
    if written.strip().upper() not in ("T", "F") or not question.strip():
        shown = repr(written[:40]) if question.strip() else "there without a question"
        raise DataError(
            f"its gold must be T or F but is {shown}", where=answer.where, mend="Give the benchmark's data with --data."
        )
    return Sample(
        key=make_key(question, written.strip().upper()),
        index=index,
        benchmark="tfq",
        images=(),
        parts=(TextPart(question.replace("<image>", "")),),
        target=BooleanTarget(is_true(written)),
        category=tag(question),
        record_id=str(answer.id if answer.id is not None else ""),
        source=answer.where,
        metadata={"gold": written, "grouping": "image_url", "category_from": "tagger"},
    )


def _tir(answer: PeerAnswer, make_key: KeyMaker, index: int) -> Sample:
    columns = {"prompt": answer.question, "answer": answer.gold} | answer.record
    try:
        sample = make_sample(Record(answer.where, index, columns), make_key, None)
    except DataError as error:
        raise DataError(error.message, where=error.where, mend="Give the benchmark's data with --data.") from None
    return msgspec.structs.replace(sample, record_id=sample.record_id or str(answer.id or ""))


def _with_pictures(sample: Sample, answer: PeerAnswer) -> Sample:
    """The sample with the pictures that stand in the log, if all of them can be read."""
    refs = tuple(ImageRef(name=f"picture {n}", data=data) for n, data in enumerate(answer.pictures, start=1))
    try:
        for ref in refs:
            load(ref)
    except DataError:
        return sample
    parts = (*(ImagePart(place) for place in range(len(refs))), *sample.parts)
    return msgspec.structs.replace(sample, images=refs, parts=parts) if refs else sample
