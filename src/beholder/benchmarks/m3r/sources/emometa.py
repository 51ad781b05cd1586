"""EmoMeta (github DUTIR-YSQ/EmoMeta): Chinese advertisements with metaphor, target, source and one of ten emotions.

Columns by its README: Img_id (the picture's file name), Img_url, Text, Metaphor (1, 0), Target domain, Source domain,
Emotion (1 to 10); published files also write Target and Source. The README names the ten emotions and maps none of them
to a sentiment, so the sentiment stays missing. Links are not followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from beholder.annotation import Annotation
from beholder.benchmarks.m3r.records import metaphor_of, refuse_contradictions, slot_of
from beholder.benchmarks.m3r.sources import record as source
from beholder.benchmarks.m3r.sources.record import SourceRecord, Unusable
from beholder.benchmarks.m3r.sources.tables import read_rows
from beholder.benchmarks.records import Record
from beholder.errors import DataError

ORIGIN = "emometa"
PICTURE, TEXT, METAPHOR, EMOTION = "Img_id", "Text", "Metaphor", "Emotion"
TARGET, SOURCE = ("Target", "Target domain"), ("Source", "Source domain")
EMOTIONS = {
    "1": "joy",
    "2": "love",
    "3": "trust",
    "4": "fear",
    "5": "sadness",
    "6": "disgust",
    "7": "anger",
    "8": "surprise",
    "9": "anticipation",
    "10": "neutral",
}
"""Code → name, by the README."""


def read(path: Path, images: Path) -> Iterator[SourceRecord | Unusable]:
    """The records of one file, in file order."""
    rows = read_rows(path, [(PICTURE,), (TEXT,), (METAPHOR,), TARGET, SOURCE])
    return source.each(ORIGIN, rows, _name, lambda row: _record(row, images))


def _name(row: Record) -> str:
    return source.cell(row, PICTURE)


def _record(row: Record, images: Path) -> SourceRecord:
    metaphor = metaphor_of(source.cell(row, METAPHOR), row.where)
    gold = Annotation(
        metaphor=metaphor,
        target=slot_of(source.cell(row, *TARGET), metaphor, row.where, "Target"),
        source=slot_of(source.cell(row, *SOURCE), metaphor, row.where, "Source"),
    )
    refuse_contradictions(gold, row.where)
    return SourceRecord(
        origin=ORIGIN,
        name=_name(row),
        where=row.where,
        text=source.shown_text(row, TEXT),
        image=source.picture(row, _name(row), images),
        language="zh",
        annotation=gold,
        metadata=_emotion(row),
        record=row.value,
    )


def _emotion(row: Record) -> dict[str, str]:
    code = source.cell(row, EMOTION)
    if not code:
        return {}
    if code not in EMOTIONS:
        mend = "The codes are 1 (joy) to 10 (neutral)."
        raise DataError(f"{code[:40]!r} is no known code of 'Emotion'", where=row.where, mend=mend)
    return {"emotion": EMOTIONS[code], "emotion_code": code}
