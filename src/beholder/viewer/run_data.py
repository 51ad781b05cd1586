"""What pages show of runs and of lists of samples: one frozen record for each thing.

`web/src/view/types.ts` is made from these (`python web/make_types.py`), so both sides have the same fields. Shares are
in 0..1, times in seconds, money in US dollars, sizes in pixels, boxes in 0..1 of the picture (left, top, right,
bottom). Every text is that of models, data or people, as it came, cut to a bound: pages show it as text.
"""

from __future__ import annotations

import msgspec

from beholder.score import Metric

RIGHT, PARTLY, WRONG = "right", "partly right", "wrong"
BUCKETS = (RIGHT, PARTLY, WRONG, "tie", "unparsed", "refused", "truncated", "failed", "n/a")
"""What can become of an item under one scorer, in the order in which it is shown."""
LETTERS = "RPWTUDCFN"
"""A letter of its own for each of `BUCKETS`, in the same order (`D` is declined: refused; `C` is cut off: truncated).

`-` stands where there is no score yet."""

DISAGREE, USED_TOOL, BUDGET, SPLIT, FAILED, MARKED, CALL_FAILED, STALE = (1 << bit for bit in range(8))
"""Bits of `Columns.flags`: scorers disagree; a tool was used; a budget ended the conversation; the votes or epochs of
the item do not agree; a response failed; somebody marked it; a tool call failed; a call showed nothing new."""


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of a run and where it stands: `metric` under `scorer`."""

    scorer: str
    metric: str
    figure: Metric


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """What was paid: `dollars` for the answers whose price is known, `unpriced` answers whose price is not."""

    dollars: float
    unpriced: int


class RunRow(msgspec.Struct, frozen=True, kw_only=True):
    """A run in the list of runs, from run.json and results.json alone.

    `id` names it everywhere: the folder's name, or `experiment/arm`. `status` is running, stopped (killed),
    incomplete, complete or damaged (then `message` says why). `headline` is None before the first figure; `beside` is
    the same metric under `lenient` (under `strict` where `lenient` leads). `version` changes whenever the run does.
    `asked` of `planned` responses are there, `failed` of them without an answer (-1: not known without opening it).
    """

    id: str
    version: str
    benchmark: str
    title: str
    model: str
    status: str
    created: str
    headline: Figure | None = None
    beside: Figure | None = None
    items: int = 0
    planned: int = 0
    asked: int = -1
    failed: int = -1
    cost: Cost | None = None
    tools: str = ""
    experiment: str = ""
    imported: str = ""
    message: str = ""


class RunList(msgspec.Struct, frozen=True, kw_only=True):
    """All runs, newest first. `folder` is the name of the runs folder, not its path; `static` in a written folder."""

    folder: str
    runs: list[RunRow]
    static: bool = False
    beholder: str = ""


class MetricRow(msgspec.Struct, frozen=True, kw_only=True):
    """A metric under each scorer that has it. `part` is the name of what it is a part of the headline for, else ""."""

    name: str
    part: str
    figures: dict[str, Metric]


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """How many responses came to what under one scorer: bucket → count, in the order of `BUCKETS`, no zeros."""

    scorer: str
    counts: dict[str, int]


class FailureRow(msgspec.Struct, frozen=True, kw_only=True):
    """Failures of one kind: who has to mend it (provider, data, judge, us), how many, one message of them."""

    owner: str
    kind: str
    status: int | None
    count: int
    message: str


class Histogram(msgspec.Struct, frozen=True, kw_only=True):
    """A distribution over responses: `counts[i]` of the `n` lie in `edges[i]` to `edges[i + 1]`.

    `unit` is `tokens`, `s` or `turns`; `median`, `p90` (nine in ten are at most that) and `most` are in it.
    """

    title: str
    unit: str
    edges: list[float]
    counts: list[int]
    n: int
    median: float
    p90: float
    most: float


class Fact(msgspec.Struct, frozen=True):
    """A name and what there is to say."""

    name: str
    words: str


class PublishedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A published line beside the run's own: figures in 0..1 by part (None: not published), `all` for the whole."""

    model: str
    parts: dict[str, float | None]


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """The published table beside a run: whether the figures can be compared, and what differs if not."""

    source: str
    comparable: bool
    verdict: str
    differences: list[str]
    rows: list[PublishedRow]


class RunPage(msgspec.Struct, frozen=True, kw_only=True):
    """Everything of a run but its samples. `provisional`: it goes on, and figures are those of what is there so far.

    `metrics` begin with the headline; those with a `part` are what the chart draws. `prompt` is the template as it was
    sent, `plan` how it was asked, `made_with` versions. `resume` is the command that asks for what is missing.
    """

    row: RunRow
    paper: str
    scorers: list[str]
    scorer: str
    metric: str
    metrics: list[MetricRow]
    chart_title: str
    bars: list[Bar]
    failures: list[FailureRow]
    histograms: list[Histogram]
    plan: list[Fact]
    prompt: str
    made_with: list[Fact]
    counts: list[Fact]
    tools: list[Fact]
    published: Published | None
    notes: list[str]
    provisional: bool
    resume: str


class Columns(msgspec.Struct, frozen=True, kw_only=True):
    """What all items of a run can be filtered and sorted by, in data order: place 0 is the first item that is there.

    `buckets[scorer]` has one letter of `LETTERS` for each item. `category[i]` is a place in `categories`, in the same
    way `difficulty`. `flags[i]` are the bits above. `ready` is below 1 while the run's index is being made: then only
    the first items are here. `left_out` counts the items that a written folder does without.
    """

    version: str
    ready: float
    n: int
    scorers: list[str]
    scorer: str
    buckets: dict[str, str]
    categories: list[str]
    category: list[int]
    difficulties: list[str]
    difficulty: list[int]
    flags: list[int]
    searchable: bool = True
    left_out: int = 0


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """An item in the list of samples. Texts are one line, cut. `picture` is the hash of its first picture, if kept."""

    place: int
    key: str
    index: int
    id: str
    category: str
    question: str
    gold: str
    answer: str
    pictures: int
    picture: str | None


class Rows(msgspec.Struct, frozen=True, kw_only=True):
    """Items by place, in the order asked for."""

    version: str
    rows: list[Row]


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """Which items a text was found in, ascending."""

    version: str
    places: list[int]


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """Which items (places in the run) are better or worse than in another run, and how many only one of them has."""

    gained: list[int]
    lost: list[int]
    only_here: int
    only_there: int
