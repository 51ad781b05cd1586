"""The authors' own result file: a JSON list (JSONL is read too) with one record per answered question.

    {"Model_Output": str, "Ground_Truth": "T" | "F", "Question_ID", "Question", "Image_URL"}

Only the first two columns must be there; others than these five are ignored. `Image_URL` is what the
authors group by; where it is missing it is "", so that all such rows fall into one group, as in their code.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from beholder.benchmarks.benchmark import Answered
from beholder.benchmarks.records import Record, identifier, kind_of, optional_text, read_records
from beholder.benchmarks.tfq.data import NAME, is_true, read_gold
from beholder.benchmarks.tfq.tagger import tag
from beholder.errors import DataError
from beholder.sample import BooleanTarget, KeyMaker, Response, Sample, TextPart


def read_results(path: Path) -> Iterator[Answered]:
    """The rows of a result file, in file order.

    A `Model_Output` that is null or not text gives a response without text (the authors' code would stop
    there); `metadata["output_kind"]` then says what it was. `DataError` if it or the gold is missing, or
    the gold is neither T nor F.
    """
    return _answered(read_records(path))


def _answered(records: Iterator[Record]) -> Iterator[Answered]:
    make_key = KeyMaker(NAME)
    for record in records:
        if "Model_Output" not in record.value:
            there = ", ".join(repr(name[:60]) for name in list(record.value)[:20]) or "none"
            raise DataError(
                f"there is no column 'Model_Output'; the columns are: {there}",
                where=record.where,
                mend="This must be a result file of TFQ-Bench.",
            )
        output = record.value["Model_Output"]
        text = output if isinstance(output, str) else None
        yield Answered(record.index, _sample(record, make_key), Response(text=text))


def _sample(record: Record, make_key: KeyMaker) -> Sample:
    gold = read_gold(record, "Ground_Truth")
    question, record_id = optional_text(record, "Question"), identifier(record, "Question_ID")
    url, output = optional_text(record, "Image_URL"), record.value["Model_Output"]
    metadata = {"gold": gold, "grouping": "image_url", "category_from": "tagger" if question else ""}
    if not isinstance(output, str):
        metadata["output_kind"] = kind_of(output)
    return Sample(
        key=make_key(question or record_id, gold.strip().upper(), url),
        index=record.index,
        benchmark=NAME,
        images=(),
        parts=(TextPart(question),) if question else (),
        target=BooleanTarget(is_true(gold)),
        category=tag(question) if question else "",
        group=url,
        cluster=url,
        record_id=record_id,
        source=record.where,
        metadata=metadata,
    )
