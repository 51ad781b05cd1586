"""From votes to figures: each item's votes decide, then items are counted, all or only decided ones.

Four denominators are in use in the field for items without a majority: the authors' code drops them, one
public harness tosses a coin, another calls them wrong, the recipe divides by all items. Here each figure
comes twice, and the name says which it is:

- `NAME_all`: every item counts; no majority, a tie and an unread majority are not right (the recipe);
- `NAME_decided`: only items with a majority of right or of wrong votes count (the authors).

NAME is `overall`, one of the three groups, or `macro`, their plain mean. A vote that failed, or that a run has
not got yet, counts in K: while such votes could still make a majority, the item is failed (undecided). Only
`official` leaves them out of K, as the authors do: a request that failed never enters their result file.
Intervals redraw clusters (items that
share image and query), within each group for macro; an item's votes lie in one cluster, so its decision
is redrawn with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from beholder.benchmarks.benchmark import MetricOptions
from beholder.benchmarks.vl_rewardbench.curve import authors_curve
from beholder.benchmarks.vl_rewardbench.data import GROUPS
from beholder.metrics.accuracy import macro, share
from beholder.metrics.votes import (
    Decision,
    Tally,
    Vote,
    chance_accuracy,
    expected_accuracy_by_k,
    majority,
    majority_of_answered,
    position_bias,
    tally,
)
from beholder.score import Metric, Metrics, Outcome, Score, ScoredItem

AUTHORS = "official"
"""The scorer that follows the authors' code, in what it counts too."""
DECIDED = (Decision.RIGHT, Decision.WRONG)
UNREAD = (Outcome.UNPARSED, Outcome.REFUSED, Outcome.TRUNCATED)


class Item(msgspec.Struct, frozen=True, gc=False):
    """One item of one epoch with all of its votes, in the order of their numbers."""

    key: str
    epoch: int
    category: str
    cluster: str
    source: str
    votes: tuple[ScoredItem, ...]

    def scores(self, scorer: str) -> list[Score]:
        return [vote.scores[scorer] for vote in self.votes]


class Counted(msgspec.Struct, frozen=True):
    """The items under one scorer: what each one's votes were and what they decide.

    Votes that are not there are in `failed` of the tallies; `missing` counts them.
    """

    items: list[Item]
    tallies: list[Tally]
    decisions: list[Decision]
    missing: int

    @property
    def clusters(self) -> list[str]:
        return [item.cluster for item in self.items]


def metrics(rows: Sequence[ScoredItem], options: MetricOptions) -> Metrics:
    """All figures, by scorer. The order of the rows never matters.

    Beside the pairs above, over items: `decided_share`, `tie_rate` (no majority, or a majority for
    "equal"), `vote_accuracy` (expected with one vote an item), `flip_rate` and `consistency`; over votes:
    `unparsed_rate` (nothing could be read, refusals and cut answers included) and `position_first_share`.
    """
    items = grouped(rows)
    return {scorer: _figures(count(items, scorer, options.votes), scorer, options) for scorer in _scorers(rows)}


def details(rows: Sequence[ScoredItem], options: MetricOptions | None = None) -> dict[str, Any]:
    """Further plain data. Of the options only `votes` is used: how many votes each item should have.

    For each scorer: `accuracy_by_k` (expectation over all subsets of the votes), `decisions` (one for
    each item) and their `counts`; once: the `chance` of a coin by K, and the `authors_k_curve` (see
    `curve`).
    """
    items = grouped(rows)
    most = max((len(item.votes) for item in items), default=0)
    planned = options.votes if options is not None else None
    by_scorer = {scorer: _details(count(items, scorer, planned)) for scorer in _scorers(rows)}
    found: dict[str, Any] = {**by_scorer, "chance": {str(k): chance_accuracy(k) for k in range(1, most + 1)}}
    if AUTHORS in by_scorer:
        found["authors_k_curve"] = authors_curve(rows)
    return found


def grouped(rows: Sequence[ScoredItem]) -> list[Item]:
    """The rows as items, each with its votes, in the order of their first index."""
    votes: dict[tuple[str, int], list[ScoredItem]] = {}
    for row in sorted(rows, key=lambda row: (row.epoch, row.index, row.vote, row.key)):
        votes.setdefault((row.key, row.epoch), []).append(row)
    return [
        Item(key, epoch, own[0].category, own[0].cluster, own[0].group, tuple(own))
        for (key, epoch), own in votes.items()
    ]


def count(items: list[Item], scorer: str, planned: int | None = None) -> Counted:
    """The tally of each item's votes under one scorer, and what they decide.

    An item with fewer votes than `planned` has failed votes in their place.
    """
    decide = majority_of_answered if scorer == AUTHORS else majority
    tallies = []
    missing = 0
    for item in items:
        votes = tally(item.scores(scorer))
        lacking = max(0, (planned or 0) - votes.total)
        missing += lacking
        tallies.append(msgspec.structs.replace(votes, failed=votes.failed + lacking) if lacking else votes)
    return Counted(items, tallies, [decide(votes) for votes in tallies], missing)


def _scorers(rows: Sequence[ScoredItem]) -> list[str]:
    return list(rows[0].scores) if rows else []


def _figures(counted: Counted, scorer: str, options: MetricOptions) -> dict[str, Metric]:
    crash = _authors_crash(counted, scorer)
    lost = _lost(counted, scorer)
    found: dict[str, Metric] = {}
    for name in ("overall", "macro", *GROUPS):
        for policy in ("all", "decided"):
            metric = _accuracy(counted, name, decided_only=policy == "decided", options=options)
            notes = [metric.note, _absent(counted) if name == "macro" else ""]
            notes.append(lost if name == "overall" else "")
            notes.append(crash if policy == "decided" else "")
            found[f"{name}_{policy}"] = _noted(metric, notes)
    return found | _item_rates(counted, options) | _vote_rates(counted, scorer, options)


def _lost(counted: Counted, scorer: str) -> str:
    """How many votes there is no answer to, and what that does to K; "" if there are none."""
    failed = sum(votes.failed for votes in counted.tallies) - counted.missing
    kinds = ((failed, "failed votes"), (counted.missing, "votes that are not there"))
    named = " and ".join(f"{number} {kind}" for number, kind in kinds if number)
    if not named:
        return ""
    return f"{named} are left out of K, as in the authors' file" if scorer == AUTHORS else f"{named} count in K"


def _accuracy(counted: Counted, name: str, *, decided_only: bool, options: MetricOptions) -> Metric:
    places = [p for p, item in enumerate(counted.items) if name not in GROUPS or item.category == name]
    decisions = [counted.decisions[place] for place in places]
    values = [None if made is Decision.FAILED else float(made is Decision.RIGHT) for made in decisions]
    inside = [not decided_only or made in DECIDED or made is Decision.FAILED for made in decisions]
    clusters = [counted.items[place].cluster for place in places]
    if name == "macro":
        categories = [item.category for item in counted.items]
        return macro(values, categories, clusters, counted=inside, seed=options.seed, resamples=options.resamples)
    return share(values, clusters, counted=inside, seed=options.seed, resamples=options.resamples)


def _item_rates(counted: Counted, options: MetricOptions) -> dict[str, Metric]:
    def rate(values: list[float | None]) -> Metric:
        return share(values, counted.clusters, seed=options.seed, resamples=options.resamples)

    made = counted.decisions
    undecided = (Decision.TIE, Decision.NO_MAJORITY)
    return {
        "decided_share": rate([None if d is Decision.FAILED else float(d in DECIDED) for d in made]),
        "tie_rate": rate([None if d is Decision.FAILED else float(d in undecided) for d in made]),
        "vote_accuracy": rate([t.right / t.answered if t.answered else None for t in counted.tallies]),
    }


def _vote_rates(counted: Counted, scorer: str, options: MetricOptions) -> dict[str, Metric]:
    unread: list[float | None] = []
    clusters: list[str] = []
    cast: list[Vote] = []
    for item in counted.items:
        name = f"{item.key}/{item.epoch}"
        for vote in item.votes:
            score = vote.scores[scorer]
            clusters.append(item.cluster or name)
            unread.append(None if score.outcome is Outcome.FAILED else float(score.outcome in UNREAD))
            if score.outcome is not Outcome.FAILED:
                cast.append(Vote(name, _position(score), vote.order, item.cluster))
    bias = position_bias(cast, seed=options.seed, resamples=options.resamples)
    return {
        "unparsed_rate": share(unread, clusters, seed=options.seed, resamples=options.resamples),
        "position_first_share": bias.first,
        "flip_rate": bias.flips,
        "consistency": bias.consistency,
    }


def _position(score: Score) -> int | None:
    """The place that a vote names: 1, 2, 0 for a tie; None for no place or a third answer (`official`)."""
    if score.outcome is Outcome.TIE:
        return 0
    return int(score.extracted) if score.outcome is Outcome.SCORED and score.extracted in ("1", "2") else None


def _details(counted: Counted) -> dict[str, Any]:
    most = max((votes.answered for votes in counted.tallies), default=0)
    made = zip(counted.items, counted.tallies, counted.decisions, strict=True)
    return {
        "accuracy_by_k": msgspec.to_builtins(expected_accuracy_by_k(counted.tallies, range(1, most + 1))),
        "counts": dict(Counter(str(name) for name in counted.decisions)),
        "decisions": [
            {
                "key": item.key,
                "epoch": item.epoch,
                "category": item.category,
                "decision": str(name),
                "votes": msgspec.to_builtins(votes),
            }
            for item, votes, name in made
        ],
    }


def _authors_crash(counted: Counted, scorer: str) -> str:
    """Why the authors' code would stop with an exception on these rows, or "" if it would not."""
    if scorer != AUTHORS:
        return ""
    decided = [item for item, name in zip(counted.items, counted.decisions, strict=True) if name in DECIDED]
    empty = sorted({item.source for item in counted.items} - {item.source for item in decided})
    bare = [group for group in GROUPS if group not in {item.category for item in decided}]
    if any("authors_crash" in score.flags for item in counted.items for score in item.scores(scorer)):
        return "authors_crash: their code raises on a judgement that has no text or too long a number"
    if empty:
        return f"authors_crash: no item of source {empty[0]!r} is decided, their code divides by zero"
    if bare:
        return f"authors_crash: no item of group {bare[0]!r} is decided, their code divides by zero"
    return ""


def _absent(counted: Counted) -> str:
    present = {item.category for item in counted.items}
    absent = [group for group in GROUPS if group not in present]
    return f"mean of {len(present)} groups: no item of {', '.join(absent)}" if absent and present else ""


def _noted(metric: Metric, notes: list[str]) -> Metric:
    return msgspec.structs.replace(metric, note="; ".join(note for note in notes if note))
