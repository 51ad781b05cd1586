"""The published table beside figures of one's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec

from beholder.benchmarks.tables import table
from beholder.benchmarks.tir.tasks import TASKS

TABLE = "tir-table-2"
BESIDE = ("Random Guess", "GPT-4o", "Gemini-2.5-Pro", "o3", "o3-TU")
"""The rows that a terminal shows beside a run: chance, a common model, the best without tools, the best with tools and
the same model without them."""


class Row(msgspec.Struct, frozen=True):
    """One model of the table: percentages, None where the table has none."""

    group: str
    model: str
    all: float | None
    tasks: dict[str, float | None]


class Published(msgspec.Struct, frozen=True):
    """The table with its source and the day it was read."""

    source: str
    read: str
    note: str
    rows: tuple[Row, ...]


@cache
def published() -> Published:
    """Table 2 of the paper."""
    found = table(TABLE)
    rows = [
        Row(row.group, row.model, row.figures.get("all"), {task: row.figures.get(f"task/{task}") for task in TASKS})
        for row in found.rows
    ]
    return Published(found.source, found.read, found.note, tuple(rows))


def beside(categories: Sequence[str]) -> dict[str, Any]:
    """The table as plain data, for rows of these tasks; `complete` names the tasks that are there with all their items.

    `protocol` is how the published figures were made: what is sent, how the model decodes, who reads the answers, who
    scores. A task of another size than the published one has another denominator: it is listed in `partial`.
    """
    counts, made = Counter(categories), table(TABLE)
    complete = [name for name, task in TASKS.items() if counts[name] == task.n]
    partial = [name for name in TASKS if counts[name] and name not in complete]
    known = {"complete": complete, "partial": partial, "beside": BESIDE, **msgspec.to_builtins(published())}
    said = ("prompt_sha256", "temperature", "max_tokens", "extractor")
    protocol = {name: getattr(made.protocol, name) for name in said} | {"scorer": made.scorer}
    return {**known, "protocol": protocol}
