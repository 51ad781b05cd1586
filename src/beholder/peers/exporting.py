"""A run's responses as a table that other programs read: one row for each response, JSON lines, CSV or Parquet.

`FORMATS` is the list of formats: a plain table of import paths, so that another one is a line. What a writer gets is
`Wanted`; it streams, so that a run of any size takes little memory. A foreign run is read as it is everywhere: read
only, its schema checked.

The CSV is for spreadsheets, so text in it is not always what the run holds (JSON lines and Parquet hold it as it is):

- A text that a spreadsheet could take for a formula (it begins with `=`, `+`, `-` or `@`, also in full width or behind
  blanks, or with a tab), and one that begins with an apostrophe, gets an apostrophe before it. Taking one leading
  apostrophe away gives the text back.
- Control characters, terminal sequences and signs that turn the direction of reading are left out; line ends are `\\n`.
- A text of more than `LONGEST_CELL` characters is cut, and says so: spreadsheets spill what is longer into other cells.
- It begins with a byte order mark, by which spreadsheets know UTF-8.
"""

from __future__ import annotations

import contextlib
import csv
import importlib
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from beholder.engine.lifecycle import plan_of
from beholder.errors import UsageError
from beholder.peers.pictures import PictureCopies, hash_of
from beholder.report.as_json import dump
from beholder.report.plain_text import plain, seen
from beholder.sample import Sample
from beholder.store import reading, schema
from beholder.store.folder import read_info

FORMATS: dict[str, str] = {
    "jsonl": "beholder.peers.exporting:write_jsonl",
    "csv": "beholder.peers.exporting:write_csv",
    "parquet": "beholder.peers.exporting:write_parquet",
    "inspect": "beholder.peers.inspect_writing:write_inspect",
}
"""Format → the function that writes it (a `Writer`)."""
LONGEST_CELL = 32_000
BATCH = 512
"""Rows of a Parquet file that are held at a time."""
_FORMULA = frozenset("=+-@＝＋－＠")
_COUNTS = (
    "index", "vote", "epoch", "max_tokens", "prompt_tokens", "completion_tokens", "reasoning_tokens",
    "cache_read_tokens", "cache_write_tokens", "attempts",
)  # fmt: skip
_NUMBERS = ("cost", "latency")
COLUMNS = (
    "key", "record_id", "index", "benchmark", "split", "category", "difficulty", "model", "served_model", "vote",
    "epoch", "order", "question", "gold", "response", "reasoning", "finish", "max_tokens", "extracted_answer",
    "extracted_by", "prompt_tokens", "completion_tokens", "reasoning_tokens", "cache_read_tokens",
    "cache_write_tokens", "cost", "latency", "attempts", "cached", "failure_owner", "failure_kind", "failure_message",
    "images",
)  # fmt: skip
"""The columns of CSV and Parquet before those of the scorers (`SCORER.value`, `.outcome`, `.extracted`, `.reason`)."""
_OF_SCORER = ("value", "outcome", "extracted", "reason")


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be exported: a run folder, all its epochs or one, and a folder to copy its pictures to, or none."""

    folder: Path
    epoch: int | None = None
    pictures: Path | None = None


class Exported(msgspec.Struct, frozen=True):
    """How many rows were written, and how many pictures were copied and how many were not there to copy."""

    rows: int
    pictures: int = 0
    missing: int = 0


Writer = Callable[[Wanted, BinaryIO], Exported]


def export(wanted: Wanted, form: str, out: BinaryIO) -> Exported:
    """Writes a run in one of the `FORMATS`.

    `UsageError` for another format, a repetition that the run does not have, and a run that cannot be read.
    """
    if form not in FORMATS:
        raise UsageError(f"There is no format {form[:40]!r}. Choose {', '.join(FORMATS)}.")
    epochs = plan_of(read_info(wanted.folder)).epochs
    if wanted.epoch is not None and wanted.epoch >= epochs:
        raise UsageError(f"There is no repetition {wanted.epoch}: the run has {epochs}, numbered from 0.")
    module, _, function = FORMATS[form].partition(":")
    writer: Writer = getattr(importlib.import_module(module), function)
    return writer(wanted, out)


class _Rows:
    """The rows of a run, one at a time, as JSON lines hold them; `exported` is what came of it at the end."""

    def __init__(self, wanted: Wanted) -> None:
        info = read_info(wanted.folder)
        self._wanted = wanted
        self._benchmark = plan_of(info).benchmark
        self._model = str(info.settings.get("model", ""))
        self._copies = PictureCopies(wanted.folder, wanted.pictures) if wanted.pictures is not None else None
        self._count = 0
        with contextlib.closing(schema.open_to_read(wanted.folder / "run.db")) as db:
            self.scorers = list(reading.scorer_codes(db))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        sample: Sample | None = None
        with contextlib.closing(schema.open_to_read(self._wanted.folder / "run.db")) as db:
            for stored in reading.responses(db):
                if self._wanted.epoch not in (None, stored.epoch):
                    continue
                if sample is None or sample.key != stored.key:
                    sample = reading.sample(db, stored.key)
                assert sample is not None  # responses are read together with their samples
                self._count += 1
                yield self._row(sample, stored) | {"scores": _scores(db, stored.number)}

    def _row(self, sample: Sample, stored: reading.StoredResponse) -> dict[str, Any]:
        response = stored.response
        row: dict[str, Any] = {
            "key": sample.key,
            "record_id": sample.record_id,
            "index": sample.index,
            "benchmark": self._benchmark,
            "split": sample.split,
            "category": sample.category,
            "difficulty": sample.difficulty,
            "model": self._model,
            "served_model": response.served_model,
            "vote": stored.vote,
            "epoch": stored.epoch,
            "question": sample.question,
            "gold": reading.target_text(sample),
            "response": response.text,
            "reasoning": response.reasoning,
            "finish": response.finish,
            "max_tokens": response.max_tokens,
            **msgspec.structs.asdict(response.usage),
            "latency": response.latency,
            "attempts": response.attempts,
            "cached": response.cached,
            "images": self._images(sample),
        }
        if response.order:
            row["order"] = list(response.order)
        if response.failure is not None:
            row["failure"] = msgspec.to_builtins(response.failure)
        if response.extracted is not None and response.extracted.failure is None:
            row |= {"extracted_answer": response.extracted.answer, "extracted_by": response.extracted.by}
        if response.judged:
            row["judged"] = msgspec.to_builtins(response.judged)
        return row

    def _images(self, sample: Sample) -> list[str]:
        """The pictures that the model was sent: their SHA-256, or the names of their copies."""
        hashes = [digest for ref in sample.images if (digest := hash_of(ref))]
        return hashes if self._copies is None else [self._copies.name_of(digest) or digest for digest in hashes]

    @property
    def exported(self) -> Exported:
        if self._copies is None:
            return Exported(self._count)
        return Exported(self._count, self._copies.copied, self._copies.missing)


def write_jsonl(wanted: Wanted, out: BinaryIO) -> Exported:
    """JSON lines that `beholder score` and the model `replay/FILE` read again; texts are as the run holds them."""
    rows = _Rows(wanted)
    for row in rows:
        out.write(f"{dump(row)}\n".encode())
    return rows.exported


def write_csv(wanted: Wanted, out: BinaryIO) -> Exported:
    """CSV with a header line, every cell quoted, safe to open in a spreadsheet (see above)."""
    rows = _Rows(wanted)
    text = io.TextIOWrapper(out, encoding="utf-8-sig", errors="replace", newline="", write_through=True)
    lines = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    lines.writerow([safe_cell(name) for name in _columns(rows.scorers)])
    for row in rows:
        lines.writerow([safe_cell(value) for value in flat(row, rows.scorers).values()])
    text.detach()
    return rows.exported


def write_parquet(wanted: Wanted, out: BinaryIO) -> Exported:
    """Parquet with the columns of the CSV, each of one type; texts are as the run holds them. Needs pyarrow."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise UsageError("Writing Parquet needs pyarrow. Install it with: pip install 'beholder[data]'") from None
    rows = _Rows(wanted)
    kinds = dict.fromkeys(_COUNTS, pa.int64()) | dict.fromkeys(_NUMBERS, pa.float64()) | {"cached": pa.bool_()}
    kinds |= {f"{name}.value": pa.float64() for name in rows.scorers}
    shape = pa.schema([(name, kinds.get(name, pa.string())) for name in _columns(rows.scorers)])
    batch: list[dict[str, Any]] = []
    try:
        with parquet.ParquetWriter(out, shape) as table:
            for row in rows:
                batch.append(flat(row, rows.scorers))
                if len(batch) == BATCH:
                    table.write_table(pa.Table.from_pylist(batch, schema=shape))
                    batch.clear()
            table.write_table(pa.Table.from_pylist(batch, schema=shape))
    except (OverflowError, pa.ArrowInvalid) as error:  # a server may count what no column of numbers holds
        raise UsageError(f"Parquet cannot hold a value of the run ({error}). Choose another --format.") from None
    return rows.exported


def flat(row: dict[str, Any], scorers: list[str]) -> dict[str, Any]:
    """A row as CSV and Parquet hold it: a column for each value of each scorer, lists as text."""
    failure = row.get("failure") or {}
    found = {name: row.get(name) for name in COLUMNS}
    found |= {f"failure_{part}": failure.get(part) for part in ("owner", "kind", "message")}
    found["order"] = ",".join(map(str, row["order"])) if "order" in row else None
    found["images"] = " ".join(row["images"])
    for scorer in scorers:
        score = row["scores"].get(scorer, {})
        found |= {f"{scorer}.{part}": score.get(part) for part in _OF_SCORER}
    return found


def safe_cell(value: Any) -> Any:
    """A value as the CSV holds it; see above.

    >>> safe_cell("=1+1"), safe_cell(" @SUM(A1)"), safe_cell("'tis"), safe_cell(-1.5), safe_cell("a\\x1b[2Jb")
    ("'=1+1", "' @SUM(A1)", "''tis", -1.5, 'ab')
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\r\n", "\n").replace("\r", "\n")
    if not text.replace("\n", "").isprintable():  # `plain` looks at each character, which takes its time
        text = plain(text)
    if len(text) > LONGEST_CELL:
        text = f"{text[:LONGEST_CELL]}\n[… {len(text) - LONGEST_CELL:,} characters left out; JSON lines hold them …]"
    first = text.lstrip()[:1]
    if not first.isprintable():  # a sign that leaves no mark
        first = seen(text)[:1]
    return f"'{text}" if text[:1] in ("'", "\t") or first in _FORMULA else text


def _columns(scorers: list[str]) -> list[str]:
    return [*COLUMNS, *(f"{scorer}.{part}" for scorer in scorers for part in _OF_SCORER)]


def _scores(db: Any, number: int) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "value": score.value,
            "outcome": score.outcome.value,
            "extracted": score.extracted,
            **({"reason": score.reason} if score.reason else {}),
            **({"flags": list(score.flags)} if score.flags else {}),
        }
        for name, score in reading.scores_of(db, number).items()
    }
