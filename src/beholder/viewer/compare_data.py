"""What the pages of comparisons and leaderboards show. Units and texts are as in `run_data`."""

from __future__ import annotations

import msgspec

from beholder.report.run_agreement import RunAgreement
from beholder.score import Metric
from beholder.viewer.run_data import Fact, RunRow


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Run `b` against run `a` (places in `ComparePage.runs`) on the same items: `difference` is b minus a.

    `p` is the one that decides, by `test`; `holm` is it corrected for the number of pairs or categories, None where
    there is one only. `told_apart` is -1 (worse), 0 (not told apart) or 1 (better). `both_right` … are None under
    partial credit. `detectable` is the smallest true difference that would have shown with 80 % power.
    """

    a: int
    b: int
    n: int
    failed: int
    difference: float | None
    low: float | None
    high: float | None
    interval: str
    p: float | None
    test: str
    holm: float | None
    told_apart: int
    both_right: int | None
    only_a: int | None
    only_b: int | None
    both_wrong: int | None
    detectable: float | None
    note: str
    gained: int
    lost: int


class ItemRef(msgspec.Struct, frozen=True):
    """An item that both runs have: its key and its place in each (`Row.place`)."""

    key: str
    places: list[int]


class CategoryPairs(msgspec.Struct, frozen=True, kw_only=True):
    """One category: each run's pair against the first."""

    name: str
    pairs: list[Pair]


class RunCost(msgspec.Struct, frozen=True, kw_only=True):
    """What a run cost against what it scored. `dollars` is None where no price is known; for all responses together."""

    run: int
    figure: Metric
    dollars: float | None
    tokens: int
    seconds: float | None


class ComparePage(msgspec.Struct, frozen=True, kw_only=True):
    """Two or more runs of one benchmark, item by item; the first is what the others are compared with.

    `refused` says why there is no comparison (different items without `--intersect`, different benchmarks); then
    `missing` names the first keys that each run lacks. `gained` and `lost` are those of the second run against the
    first (at most 1,000 each; `Pair` has the counts).
    """

    runs: list[RunRow]
    names: list[str]
    scorer: str
    scorers: list[str]
    n: int
    intersected: bool
    refused: str
    missing: list[Fact]
    means: list[Metric]
    pairs: list[Pair]
    categories: list[CategoryPairs]
    gained: list[ItemRef]
    lost: list[ItemRef]
    agreement: list[RunAgreement]
    costs: list[RunCost]
    notes: list[str]


class BoardRow(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a leaderboard: a run (`run` is its id) or a published figure (`source`, `date`).

    `rank` is the place by figure, `best` to `worst` the ranks that cannot be told apart from it. `marks` are numbers of
    `Leaderboard.notes` (from 1): what makes this line not comparable with the others (another denominator, prompt, …).
    """

    rank: int
    best: int
    worst: int
    name: str
    run: str
    source: str
    date: str
    figure: Metric
    parts: dict[str, Metric]
    marks: list[int]


class Leaderboard(msgspec.Struct, frozen=True, kw_only=True):
    """Runs and published figures of one benchmark under one scorer and metric. `boards` are what one can ask for."""

    benchmark: str
    title: str
    scorer: str
    metric: str
    parts: list[str]
    rows: list[BoardRow]
    notes: list[str]
    left_out: list[Fact]
    boards: list[Board]


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """A leaderboard that there is: a benchmark, with its scorers and metrics."""

    benchmark: str
    title: str
    scorers: list[str]
    metrics: list[str]
    lines: int
