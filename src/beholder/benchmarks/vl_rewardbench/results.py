"""The authors' own result file, as their `inference.py` writes and their `cal.py` reads it.

JSON lines, one judgement each, the K votes of an item at any place of the file: `id`, `query`, `response`
(two texts in stored order), `ranking`, and `meta` with `filter_choice` (what the judge wrote) and
`random_number` (0: shown in stored order; anything else: swapped). Their quirks are followed: rows that
are null are skipped, and if the first row has a key "0", each row is wrapped as {"0": row}.
`meta.flag_status` is not read: they, too, read the text again.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from beholder.benchmarks.benchmark import Answered
from beholder.benchmarks.records import LINE_SUFFIXES, Record, kind_of, read_records
from beholder.benchmarks.vl_rewardbench.data import NAME, comparison, make_sample, ranking
from beholder.errors import DataError, UsageError
from beholder.sample import KeyMaker, Response, content_digest


def read_results(path: Path) -> Iterator[Answered]:
    """The judgements of a result file, in file order; `index` counts all rows, null ones too.

    The item of a row is its id, query and responses in sorted order (the authors' rule); `vote` counts
    the rows of that item so far. The key is the one that `load` gives the same record. `human_ranking` is
    accepted for `ranking`. Images are not in these files: the samples have none.

    Raises `DataError` that names the row for what cannot be scored: no ranking, no `random_number`, no
    judgement.
    """
    make_key = KeyMaker(NAME)
    keys: dict[bytes, str] = {}
    votes: Counter[str] = Counter()
    for row in _unwrapped(_rows(path)):
        identity, query, responses = comparison(row)
        content = content_digest((identity, query, *sorted(responses)))
        if content not in keys:
            keys[content] = make_key(identity, query, *responses)
        key = keys[content]
        text, order = _judgement(row)
        picture = row.value.get("image_path") or row.value.get("image")
        sample = make_sample(
            row,
            key=key,
            ranking=ranking(row, "ranking", "human_ranking"),
            image=None,
            sight=picture if isinstance(picture, str) else identity,
        )
        yield Answered(row.index, sample, Response(text=text, order=order), votes[key])
        votes[key] += 1


def _judgement(row: Record) -> tuple[str | None, tuple[int, int]]:
    """(what the judge wrote, the order in which the stored answers were shown)."""
    meta = row.value.get("meta")
    if not isinstance(meta, dict):
        raise DataError(
            f"'meta' must be an object with filter_choice and random_number but is {kind_of(meta)}",
            where=row.where,
            mend="Give the file that inference.py wrote.",
        )
    number = meta.get("random_number")
    if isinstance(number, bool) or not isinstance(number, int | float) or math.isnan(number):
        raise DataError(
            f"meta.random_number must be 0 (stored order) or 1 (swapped) but is {kind_of(number)}",
            where=row.where,
            mend="Without it a verdict cannot be mapped back to the stored answers: give the file with it.",
        )
    text = meta.get("filter_choice")
    if "filter_choice" not in meta or not (text is None or isinstance(text, str)):
        found = kind_of(text) if "filter_choice" in meta else "not there"
        raise DataError(
            f"meta.filter_choice must be the judge's text but is {found}",
            where=row.where,
            mend="Give the file that inference.py wrote.",
        )
    return text, (0, 1) if number == 0 else (1, 0)


def _unwrapped(rows: Iterator[Record]) -> Iterator[Record]:
    wrapped: bool | None = None
    for row in rows:
        if wrapped is None:
            wrapped = "0" in row.value
        if not wrapped:
            yield row
            continue
        inner = row.value.get("0")
        if isinstance(inner, dict):
            yield Record(row.where, row.index, inner)
        elif inner is not None or "0" not in row.value:
            raise DataError(
                "the first row is wrapped as {'0': row} but this one is not",
                where=row.where,
                mend='Wrap all rows as {"0": row}, or none.',
            )


def _rows(path: Path) -> Iterator[Record]:
    """Like `read_records`, but rows that are null are passed over (and counted), as the authors do."""
    if path.suffix.lower() not in LINE_SUFFIXES or not path.is_file():
        yield from read_records(path)
        return
    index = 0
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                content = line.removeprefix(b"\xef\xbb\xbf").strip() if number == 1 else line.strip()
                if not content:
                    continue
                where = f"{path.name}, line {number}"
                value = None if content == b"null" else _decoded(content, where)
                if isinstance(value, dict):
                    yield Record(where, index, value)
                elif value is not None:
                    raise DataError(
                        f"a row must be an object or null but is {kind_of(value)}",
                        where=where,
                        mend="Give the file that inference.py wrote.",
                    )
                index += 1
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}.") from error
    if index == 0:
        raise DataError("there are no rows in it", where=path.name, mend="Check that this is the right file.")


def _decoded(line: bytes, where: str) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, ValueError, RecursionError):
        pass  # the standard library allows more: NaN, lone surrogates
    try:
        return json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        reason = (str(error).splitlines() or ["no reason given"])[0][:120]
        raise DataError(f"this is not valid JSON: {reason}", where=where, mend="Mend or remove this row.") from error
