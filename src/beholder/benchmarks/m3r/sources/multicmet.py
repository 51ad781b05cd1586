"""MultiCMET (github DUTIR-YSQ/MultiCMET and PedaloJSY/MultiCMET): Chinese advertisements, as ZH_pbs.csv and ZH_ifs.csv.

Columns: Pic_id (the picture's file name), Pic_url (only in ZH_pbs), MetaphorOccurrence (1; 0, for which the legend of
ZH_ifs writes 2), TargetCategory and SourceCategory (1 to 13), GroundCategory (only in ZH_ifs; its codes are not said),
SentimentCategory (1, 0, -1). The second line is a legend without Pic_id and is left out.

The public files hold no texts, so their items are incomplete unless a Text column is added; and they give the kinds of
target and source, not what these are: both stay missing, the kinds are kept beside. Links are not followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from beholder.annotation import Annotation
from beholder.benchmarks.m3r.records import metaphor_of, sentiment_of
from beholder.benchmarks.m3r.sources import record as source
from beholder.benchmarks.m3r.sources.record import SourceRecord, Unusable
from beholder.benchmarks.m3r.sources.tables import read_rows
from beholder.benchmarks.records import Record
from beholder.errors import DataError

ORIGIN = "multicmet"
PICTURE, TEXT, METAPHOR, SENTIMENT = "Pic_id", "Text", "MetaphorOccurrence", "SentimentCategory"
CATEGORIES = (
    "relation",
    "communication",
    "attribute",
    "psychological_feature",
    "person",
    "plant",
    "animal",
    "process",
    "event",
    "substance",
    "natural_object",
    "artifact",
    "location",
)
"""The kinds of target and source, codes 1 to 13, by the legend."""


def read(path: Path, images: Path) -> Iterator[SourceRecord | Unusable]:
    """The records of one file, in file order."""
    rows = read_rows(path, [(PICTURE,), (METAPHOR,), ("TargetCategory",), ("SourceCategory",), (SENTIMENT,)])
    return source.each(ORIGIN, (row for row in rows if not _is_legend(row)), _name, lambda row: _record(row, images))


def _name(row: Record) -> str:
    return source.cell(row, PICTURE)


def _is_legend(row: Record) -> bool:
    return row.index == 0 and not _name(row) and "yes" in source.cell(row, METAPHOR).lower()


def _record(row: Record, images: Path) -> SourceRecord:
    said = source.cell(row, METAPHOR)
    kinds = {
        "target_category": _category(row, "TargetCategory"),
        "source_category": _category(row, "SourceCategory"),
        "ground_category": source.cell(row, "GroundCategory"),
    }
    return SourceRecord(
        origin=ORIGIN,
        name=_name(row),
        where=row.where,
        text=source.shown_text(row, TEXT),
        image=source.picture(row, _name(row), images),
        language="zh",
        annotation=Annotation(
            metaphor=metaphor_of("0" if said == "2" else said, row.where),
            sentiment=sentiment_of(source.cell(row, SENTIMENT), row.where),
        ),
        metadata={name: kind for name, kind in kinds.items() if kind},
        record=row.value,
    )


def _category(row: Record, column: str) -> str:
    code = source.cell(row, column)
    if not code:
        return ""
    if not (code.isascii() and code.isdecimal() and len(code) < 3 and 1 <= int(code) <= len(CATEGORIES)):
        mend = f"The codes are 1 to {len(CATEGORIES)}."
        raise DataError(f"{code[:40]!r} is no known code of {column!r}", where=row.where, mend=mend)
    return CATEGORIES[int(code) - 1]
