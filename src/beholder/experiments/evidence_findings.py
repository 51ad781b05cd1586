"""What experiment 2 found: each condition against `full`, what the source run scored, and what that supports. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from beholder.benchmarks.benchmark import Benchmark
from beholder.engine.replay import Condition
from beholder.experiments.evidence import LENIENT, PLACEBO, SOURCE, Conducted, Replayed
from beholder.metrics.accuracy import share
from beholder.report.comparison import Comparison, ItemValue, compare, headline_scorer, item_values
from beholder.score import Metric, Outcome, ScoredItem

_WITHOUT = {
    Condition.NO_IMAGES: "the new pictures",
    Condition.NO_TEXT: "the printed text",
    Condition.NEITHER: "pictures and printed text",
}
"""What a condition withholds, in words."""


class ArmFindings(msgspec.Struct, frozen=True, kw_only=True):
    """One arm under one scorer. `against_full` is its difference from `full` on the items of both, arm minus full;
    None for `full` itself and where the arms share no item. `changed` counts the items that the condition shows
    anything else than the source run did; None for an arm that is no replay.
    """

    name: str
    accuracy: Metric
    changed: int | None = None
    against_full: Comparison | None = None


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """All arms under one scorer, on all items or (`unstated`) without those whose answer is stated on the way."""

    scorer: str
    unstated: bool
    n_items: int
    arms: list[ArmFindings]

    def arm(self, name: str) -> ArmFindings | None:
        """The arm of that name, if it was run."""
        return next((arm for arm in self.arms if arm.name == name), None)


class TaskRow(msgspec.Struct, frozen=True):
    """The accuracy of each arm within one category, by the headline's scorer."""

    category: str
    n: int
    accuracies: dict[str, float | None]


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What the experiment found.

    `tables` begins with the headline's scorer on all items. `n_stated` counts the items in which a turn that is kept
    states the answer already. `same_answers` of `both_answers` conversations were answered under `full` as in the
    source run, as `lenient` reads them. `against_baseline` is `neither` against a run without tools. `conduct` tells
    realised turns and calls, of the source run and of a live placebo. `sentences` say what the figures support, `notes`
    what else a reader must know.
    """

    title: str
    n_items: int
    n_conversations: int
    n_stated: int
    left_out: dict[str, int]
    without_partner: int
    same_answers: int
    both_answers: int
    tables: list[Findings]
    tasks: list[TaskRow]
    against_baseline: Comparison | None
    conduct: dict[str, Conducted]
    sentences: list[str]
    notes: list[str]


class Arms(msgspec.Struct, frozen=True, kw_only=True):
    """The scored rows of the arms by name (`full` first), of the source run, and of a baseline if there is one."""

    found: Benchmark
    rows: Mapping[str, Sequence[ScoredItem]]
    source: Sequence[ScoredItem]
    baseline: Sequence[ScoredItem] | None = None
    seed: int = 0


def evidence(
    arms: Arms,
    replayed: Sequence[Replayed],
    *,
    left_out: dict[str, int],
    without_partner: int = 0,
    conduct: dict[str, Conducted] | None = None,
    notes: Sequence[str] = (),
    title: str = "",
) -> Evidence:
    """The whole analysis. Arms that are not there yet are left out."""
    places = {(one.key, one.epoch, one.vote) for one in replayed}
    source = [row for row in arms.source if (row.key, row.epoch, row.vote) in places]
    rows = {SOURCE: source, **arms.rows}
    everything = [row for own in rows.values() for row in own]
    headline = headline_scorer(arms.found, everything)
    stated = {one.key for one in replayed if one.stated}
    tables = [
        _findings(arms, rows, replayed, scorer, stated if unstated else None)
        for scorer in dict.fromkeys((headline, LENIENT))
        for unstated in (False, True)
    ]
    against_baseline = None
    if arms.baseline is not None and arms.rows.get(Condition.NEITHER):
        scorer = headline_scorer(arms.found, [*everything, *arms.baseline])
        against_baseline = _compared(
            arms, arms.baseline, arms.rows[Condition.NEITHER], scorer, ("baseline", Condition.NEITHER.value)
        )
    same, both = _same_answers(source, arms.rows.get(Condition.FULL, ()))
    return Evidence(
        title=title,
        n_items=len({one.key for one in replayed}),
        n_conversations=len(replayed),
        n_stated=len(stated),
        left_out=left_out,
        without_partner=without_partner,
        same_answers=same,
        both_answers=both,
        tables=tables,
        tasks=_tasks(arms.found, rows, headline),
        against_baseline=against_baseline,
        conduct=conduct or {},
        sentences=_sentences(tables, against_baseline),
        notes=list(notes),
    )


def _findings(
    arms: Arms,
    rows: Mapping[str, Sequence[ScoredItem]],
    replayed: Sequence[Replayed],
    scorer: str,
    without: set[str] | None,
) -> Findings:
    left = {name: [row for row in own if without is None or row.key not in without] for name, own in rows.items()}
    kept = [one for one in replayed if without is None or one.key not in without]
    full = left.get(Condition.FULL, [])
    found = []
    for name, own in left.items():
        values = _values(arms.found, own, scorer)
        accuracy = share(
            [value.value for value in values.values()], [value.cluster for value in values.values()], seed=arms.seed
        )
        compared = None if name == Condition.FULL else _compared(arms, full, own, scorer, (Condition.FULL.value, name))
        found.append(
            ArmFindings(name=name, accuracy=accuracy, changed=_changed(name, kept, values), against_full=compared)
        )
    return Findings(scorer=scorer, unstated=without is not None, n_items=len({one.key for one in kept}), arms=found)


def _values(found: Benchmark, rows: Sequence[ScoredItem], scorer: str) -> dict[str, ItemValue]:
    return item_values(rows, scorer, voted=found.answers_shown > 0)


def _compared(
    arms: Arms, a: Sequence[ScoredItem], b: Sequence[ScoredItem], scorer: str, names: tuple[str, str]
) -> Comparison | None:
    if not {row.key for row in a} & {row.key for row in b}:
        return None
    return compare(a, b, scorer, voted=arms.found.answers_shown > 0, intersect=True, names=names, seed=arms.seed)


def _changed(name: str, replayed: Iterable[Replayed], values: Mapping[str, ItemValue]) -> int | None:
    if name in (SOURCE, PLACEBO):
        return None
    condition = Condition(name)
    return len({one.key for one in replayed if one.key in values and one.is_changed_by(condition)})


def _same_answers(source: Sequence[ScoredItem], full: Sequence[ScoredItem]) -> tuple[int, int]:
    """In how many conversations `full` led to the source run's answer, of those that have one in both."""
    before = {(row.key, row.epoch, row.vote): row.scores[LENIENT] for row in source}
    pairs = [
        (before[place], row.scores[LENIENT]) for row in full if (place := (row.key, row.epoch, row.vote)) in before
    ]
    read = [(a, b) for a, b in pairs if a.outcome is Outcome.SCORED and b.outcome is Outcome.SCORED]
    return sum(a.extracted == b.extracted for a, b in read), len(read)


def _tasks(found: Benchmark, rows: Mapping[str, Sequence[ScoredItem]], scorer: str) -> list[TaskRow]:
    own = {name: _values(found, some, scorer) for name, some in rows.items()}
    by_category: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    sizes: dict[str, int] = defaultdict(int)
    for name, values in own.items():
        for value in values.values():
            sizes[value.category] += name == SOURCE
            if value.value is not None:
                by_category[value.category][name].append(value.value)
    return [
        TaskRow(category, sizes[category], {name: _mean(means.get(name, ())) for name in own})
        for category, means in sorted(by_category.items())
    ]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _sentences(tables: Sequence[Findings], against_baseline: Comparison | None) -> list[str]:
    """What the figures of the headline's scorer support, in plain words."""
    everything, unstated = tables[0], tables[1]
    said = [
        _of_withholding(what, compared)
        for condition, what in _WITHOUT.items()
        if (compared := _against_full(everything, condition)) is not None
    ]
    swapped = _against_full(everything, Condition.SWAPPED)
    if swapped is not None:
        said.append(_of_swapping(swapped))
    neither = _against_full(unstated, Condition.NEITHER)
    if neither is not None and unstated.n_items < everything.n_items:
        left = f"On the {unstated.n_items} items whose answer is not stated on the way: "
        said.append(left + _of_withholding(_WITHOUT[Condition.NEITHER], neither))
    if against_baseline is not None and against_baseline.paired.difference is not None:
        said.append(_of_the_baseline(against_baseline))
    return said


def _against_full(table: Findings, condition: Condition) -> Comparison | None:
    arm = table.arm(condition)
    compared = arm.against_full if arm is not None else None
    return compared if compared is not None and compared.paired.difference is not None else None


def _of_withholding(what: str, compared: Comparison) -> str:
    points = _points(compared)
    if not compared.gained and not compared.lost:
        return f"Withholding {what} changes the score of no item."
    if not is_clear(compared):
        return f"Withholding {what} changes accuracy by {points:+.1f} points: {_NO_MORE_THAN_CHANCE}{_blind(compared)}"
    if points < 0:
        return f"Withholding {what} costs {-points:.1f} points: the answers rest on them."
    return f"Withholding {what} gains {points:.1f} points: they mislead more than they help."


def _of_swapping(compared: Comparison) -> str:
    points = _points(compared)
    if not is_clear(compared):
        return f"With another item's observations {points:+.1f} points: {_NO_MORE_THAN_CHANCE}{_blind(compared)}"
    if points < 0:
        return f"With another item's observations {-points:.1f} points are lost: what they show matters."
    return f"With another item's observations {points:.1f} points are gained: the item's own mislead."


def _of_the_baseline(compared: Comparison) -> str:
    points = _points(compared)
    if not compared.gained and not compared.lost:
        return "With all withheld, every item has the score of the run without tools."
    if not is_clear(compared):
        told = f"With all withheld, {points:+.1f} points against the run without tools"
        return f"{told}: {_NO_MORE_THAN_CHANCE}{_blind(compared)}"
    side = "above" if points > 0 else "below"
    return f"With all withheld, {abs(points):.1f} points {side} the run without tools: turns and talk count too."


_NO_MORE_THAN_CHANCE = "no more than chance explains."


def _points(compared: Comparison) -> float:
    return 100 * (compared.paired.difference or 0.0)


def _blind(compared: Comparison) -> str:
    """What a comparison of this size cannot exclude."""
    if compared.detectable is None:
        return ""
    return f" A true difference below {100 * compared.detectable:.1f} points would often go unseen."


def is_clear(compared: Comparison) -> bool:
    """Whether chance does not explain a difference: 0 lies outside its interval, and McNemar's p, where all is right or
    wrong, is below 0.05."""
    paired = compared.paired
    if paired.low is None or paired.high is None:
        return paired.p is not None and paired.p < 0.05
    return (paired.low > 0 or paired.high < 0) and (paired.p is None or paired.p < 0.05)
