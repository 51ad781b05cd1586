"""The vocabulary of judgement: what a scorer says of one response, and what a metric says of many."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import msgspec

from beholder.errors import Owner
from beholder.sample import Response, Sample


class Outcome(StrEnum):
    """What became of one response under one scorer.

    Only `failed` is outside the denominator: there was no answer, and somebody other than the model has to mend it.
    `unparsed`, `refused` and `truncated` are the model's and count 0. `not_applicable` marks a scorer that cannot
    judge this kind of input at all (its column says `n/a`).
    """

    SCORED = "scored"
    TIE = "tie"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    FAILED = "failed"
    NOT_APPLICABLE = "n/a"


class Score(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one scorer says of one response.

    `value` is in 0..1, or None when the outcome is `failed` or `n/a`. `extracted` is the answer that was read,
    written as text; `span` gives its place in `Response.text` as (start, end) character offsets, where there is one.
    `flags` are short words a reader can filter by; `reason` is one plain sentence. `owner` is set for `failed` only.
    """

    value: float | None
    outcome: Outcome
    extracted: str | None = None
    span: tuple[int, int] | None = None
    flags: tuple[str, ...] = ()
    reason: str = ""
    owner: Owner | None = None


Scorer = Callable[[Sample, Response], Score]
"""A pure function: no files, clock, network or randomness."""


class ScoredItem(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One response with the scores of all scorers: the row that every metric is computed from.

    `index` is the row's position (data order for a run, file order for `beholder score`), `order` the order in which
    stored answers were shown. `origin` says which collection the item came from, where the data says so. There is one
    row for each (key, epoch, vote).
    """

    index: int
    key: str
    scores: dict[str, Score]
    vote: int = 0
    epoch: int = 0
    group: str = ""
    cluster: str = ""
    category: str = ""
    difficulty: str = ""
    order: tuple[int, ...] = ()
    target: str = ""
    split: str = ""
    origin: str = ""


class Metric(msgspec.Struct, frozen=True, omit_defaults=True):
    """One figure with its denominator and its uncertainty.

    `value` is None when nothing could be scored. `n` counts what is in the denominator, `failed` what is not because
    there was no answer. `low`/`high` bound the 95 % interval made by `interval` (`wilson`, `cluster bootstrap`, …,
    or `` where none applies). `worst`/`best` are the value if all the failed ones were wrong / right.
    `unit` is `share` (0..1), or the name of what is counted.
    """

    value: float | None
    n: int
    failed: int = 0
    low: float | None = None
    high: float | None = None
    worst: float | None = None
    best: float | None = None
    interval: str = ""
    unit: str = "share"
    note: str = ""


Metrics = dict[str, dict[str, Metric]]
"""Scorer name → metric name → figure."""
