"""The published table, as a data file with its source."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from beholder.benchmarks.tir.prompt import TEMPLATE
from beholder.benchmarks.tir.tasks import TASKS

BESIDE = ("Random Guess", "GPT-4o", "Gemini-2.5-Pro", "o3", "o3-TU")
"""The rows that a terminal shows beside a run: chance, a common model, the best without tools, the best with tools and
the same model without them."""


class Protocol(msgspec.Struct, frozen=True):
    """How the published figures were made: what is sent, how the model decodes, who reads the answers, who scores.

    `max_tokens` and `temperature` are the paper's; `prompt_sha256` is the digest of the template `{question}`.
    """

    prompt_sha256: str
    temperature: float
    max_tokens: int
    extractor: str
    scorer: str


PROTOCOL = Protocol(hashlib.sha256(TEMPLATE.encode()).hexdigest(), 0.0, 2048, "GPT-4o", "official")


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
    return msgspec.json.decode(resources.files(__package__).joinpath("published.json").read_bytes(), type=Published)


def beside(categories: Sequence[str]) -> dict[str, Any]:
    """The table as plain data, for rows of these tasks; `complete` names the tasks that are there with all their items.

    `protocol` is how the published figures were made.
    A task of another size than the published one has another denominator: it is listed in `partial`.
    """
    counts = Counter(categories)
    complete = [name for name, task in TASKS.items() if counts[name] == task.n]
    partial = [name for name in TASKS if counts[name] and name not in complete]
    table = {"complete": complete, "partial": partial, "beside": BESIDE, **msgspec.to_builtins(published())}
    return {**table, "protocol": msgspec.to_builtins(PROTOCOL)}
