"""Records in our own schema, or under the names that `records.FIELDS` knows, to be put together with other sources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from beholder.benchmarks.m3r.data import facts_of, given_picture, language_said
from beholder.benchmarks.m3r.records import annotation_of, columns_of, text_of
from beholder.benchmarks.m3r.sources.record import SourceRecord, Unusable, each
from beholder.benchmarks.records import Record, image_ref, read_records

ORIGIN = "m3r"


def read(path: Path, images: Path) -> Iterator[SourceRecord | Unusable]:
    """The records of a JSON, JSONL or Parquet file, in file order; they keep the origin that they name."""
    return each(ORIGIN, read_records(path), _name, lambda record: _record(record, images))


def _name(record: Record) -> str:
    columns = columns_of(record.value)
    said = (columns.value(record.value, field) for field in ("id", "image"))
    return next((str(value) for value in said if isinstance(value, str | int) and value != ""), "")


def _record(record: Record, images: Path) -> SourceRecord:
    columns = columns_of(record.value)
    text = text_of(columns.value(record.value, "text"), record.where, "text")
    given = given_picture(record, columns)
    kept = columns.value(record.value, "metadata")
    return SourceRecord(
        origin=text_of(columns.value(record.value, "origin"), record.where, "origin") or ORIGIN,
        name=_name(record),
        where=record.where,
        text=text,
        image=image_ref(record, given, images) if given is not None and given != "" else None,
        language=language_said(record, columns, text)[0],
        annotation=annotation_of(record.value, columns, record.where),
        split=text_of(columns.value(record.value, "split"), record.where, "split"),
        metadata={**(kept if isinstance(kept, dict) else {}), **_facts(record)},
        record=record.value,
    )


def _facts(record: Record) -> dict[str, str | int | float]:
    """Whose the record is, and its emotion."""
    facts = facts_of(record, columns_of(record.value))
    return {name: facts[name] for name in ("author", "licence", "emotion") if name in facts}
