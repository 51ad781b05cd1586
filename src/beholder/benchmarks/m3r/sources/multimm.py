"""MultiMM (github DUTIR-YSQ/MultiMM and PedaloJSY/MultiMM): advertisements in English and Chinese, all four labels.

Columns: Pic_id (the picture's file name), Text, MetaphorOccurrence (1, 0), Target, Source, SentimentCategory (1, 0,
-1). The files are EN or CN/ZH, some with `_train`, `_val` or `_test`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from beholder.annotation import Annotation
from beholder.benchmarks.m3r.records import metaphor_of, refuse_contradictions, sentiment_of, slot_of
from beholder.benchmarks.m3r.sources import record as source
from beholder.benchmarks.m3r.sources.record import SourceRecord, Unusable
from beholder.benchmarks.m3r.sources.tables import read_rows
from beholder.benchmarks.records import Record

ORIGIN = "multimm"
PICTURE, TEXT, METAPHOR, SENTIMENT = "Pic_id", "Text", "MetaphorOccurrence", "SentimentCategory"


def read(path: Path, images: Path) -> Iterator[SourceRecord | Unusable]:
    """The records of one file, in file order."""
    rows = read_rows(path, [(PICTURE,), (TEXT,), (METAPHOR,), ("Target",), ("Source",), (SENTIMENT,)])
    return source.each(ORIGIN, rows, _name, lambda row: _record(row, path, images))


def _name(row: Record) -> str:
    return source.cell(row, PICTURE)


def _record(row: Record, path: Path, images: Path) -> SourceRecord:
    metaphor = metaphor_of(source.cell(row, METAPHOR), row.where)
    gold = Annotation(
        metaphor=metaphor,
        target=slot_of(source.cell(row, "Target"), metaphor, row.where, "Target"),
        source=slot_of(source.cell(row, "Source"), metaphor, row.where, "Source"),
        sentiment=sentiment_of(source.cell(row, SENTIMENT), row.where),
    )
    refuse_contradictions(gold, row.where)
    text = source.shown_text(row, TEXT)
    return SourceRecord(
        origin=ORIGIN,
        name=_name(row),
        where=row.where,
        text=text,
        image=source.picture(row, _name(row), images),
        language=source.language_by_name(path, text),
        annotation=gold,
        split=source.split_of(path),
        record=row.value,
    )
