"""What experiment 2 found: each condition against `full`, what the source run scored, and what that supports. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from beholder.benchmarks.benchmark import Benchmark
from beholder.engine.replay import Condition
from beholder.experiments.evidence import LENIENT, PLACEBO, SOURCE, Conducted, Replayed
from beholder.experiments.evidence_sentences import (
    WITHHELD,
    of_swapping,
    of_the_baseline,
    of_the_placebo,
    of_withholding,
)
from beholder.metrics.accuracy import share
from beholder.metrics.paired import Paired, holm_where_tested
from beholder.report.comparison import (
    Comparison,
    ItemValue,
    compare,
    headline_scorer,
    item_values,
    right_wrong,
    with_difficulties,
)
from beholder.score import Metric, Outcome, ScoredItem


class ArmFindings(msgspec.Struct, frozen=True, kw_only=True):
    """One arm under one scorer.

    `against_full` is its difference from `full` on the items of both, arm minus full; None for `full` itself, for a
    placebo (which is no replay: it has `against_source`), and where the arms share no item. `right_wrong` is the same
    comparison over the items of tasks without credit in part, with the four cells and the exact McNemar p. `p_holm` is
    the p that decides, corrected for the number of conditions in the table; the source run and a placebo are tests of
    their own. `changed` counts the items that the condition shows anything else than the source run did; None for an
    arm that is no replay.
    """

    name: str
    accuracy: Metric
    changed: int | None = None
    against_full: Comparison | None = None
    against_source: Comparison | None = None
    right_wrong: Paired | None = None
    p_holm: float | None = None


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
    """The accuracy of each arm within one category or difficulty, by the headline's scorer. `n` counts the items of the
    source run, `failed` those of each arm without an answer."""

    category: str
    n: int
    accuracies: dict[str, float | None]
    failed: dict[str, int]


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What the experiment found.

    `tables` begins with the headline's scorer on all items. `n_stated` counts the items in which a turn that is kept
    states the answer already. `same_answers` of `both_answers` conversations were answered under `full` as in the
    source run, as `lenient` reads them. Of `swapped` items, `same_target` got the observations of an item with the very
    same right answer. `against_baseline` is `neither` against a run without tools, answered by `baseline_model`.
    `conduct` tells realised turns and calls, of the source run and of a live placebo. `sentences` say what the figures
    support, `notes` what else a reader must know.
    """

    title: str
    n_items: int
    n_conversations: int
    n_stated: int
    left_out: dict[str, int]
    without_partner: int
    same_answers: int
    both_answers: int
    swapped: int
    same_target: int
    tables: list[Findings]
    tasks: list[TaskRow]
    difficulties: list[TaskRow]
    against_baseline: Comparison | None
    baseline_model: str
    conduct: dict[str, Conducted]
    sentences: list[str]
    notes: list[str]


class Baseline(msgspec.Struct, frozen=True, kw_only=True):
    """A run without tools on the same items: its rows, its model, and what else differs from the arms, in sentences."""

    items: Sequence[ScoredItem]
    model: str
    differences: Sequence[str] = ()


class Arms(msgspec.Struct, frozen=True, kw_only=True):
    """The scored rows of the arms by name (`full` first), of the source run, and of a baseline if there is one.

    `partners` says whose observations an item got under `swapped`.
    """

    found: Benchmark
    rows: Mapping[str, Sequence[ScoredItem]]
    source: Sequence[ScoredItem]
    baseline: Baseline | None = None
    partners: Mapping[str, str] = {}
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
    rows = {
        # A placebo asks again what the source run asked, but for what came of conversations without a call.
        name: [row for row in own if name not in (SOURCE, PLACEBO) or (row.key, row.epoch, row.vote) in places]
        for name, own in {SOURCE: arms.source, **arms.rows}.items()
    }
    headline = headline_scorer(arms.found, [row for own in rows.values() for row in own])
    stated = {one.key for one in replayed if one.stated}
    tables = [
        _findings(arms, rows, replayed, scorer, stated if unstated else None)
        for scorer in dict.fromkeys((headline, LENIENT))
        for unstated in (False, True)
    ]
    against_baseline, base_notes = _against_baseline(arms, rows)
    same, both = _same_answers(rows[SOURCE], rows.get(Condition.FULL, ()))
    targets = {row.key: row.target for row in arms.source}
    return Evidence(
        title=title,
        n_items=len({one.key for one in replayed}),
        n_conversations=len(replayed),
        n_stated=len(stated),
        left_out=left_out,
        without_partner=without_partner,
        same_answers=same,
        both_answers=both,
        swapped=len(arms.partners),
        same_target=sum(targets.get(key) == targets.get(other) for key, other in arms.partners.items()),
        tables=tables,
        tasks=_tasks(arms.found, rows, headline),
        difficulties=_tasks(arms.found, {name: with_difficulties(own) for name, own in rows.items()}, headline),
        against_baseline=against_baseline,
        baseline_model=arms.baseline.model if arms.baseline is not None else "",
        conduct=conduct or {},
        sentences=_sentences(tables, arms.baseline, against_baseline, conduct or {}),
        notes=[*notes, *base_notes],
    )


def _against_baseline(arms: Arms, rows: Mapping[str, Sequence[ScoredItem]]) -> tuple[Comparison | None, Iterable[str]]:
    """`neither` against the baseline, and what a reader must know of it."""
    if arms.baseline is None or not rows.get(Condition.NEITHER):
        return None, ()
    own = arms.baseline.items
    scorer = headline_scorer(arms.found, [*(row for some in rows.values() for row in some), *own])
    compared = _compared(arms, own, rows[Condition.NEITHER], scorer, ("baseline", Condition.NEITHER.value))
    if compared is None:
        return None, ("the baseline shares no item with these arms: it is compared with nothing",)
    return compared, arms.baseline.differences


def _findings(
    arms: Arms,
    rows: Mapping[str, Sequence[ScoredItem]],
    replayed: Sequence[Replayed],
    scorer: str,
    without: set[str] | None,
) -> Findings:
    left = {name: [row for row in own if without is None or row.key not in without] for name, own in rows.items()}
    kept = [one for one in replayed if without is None or one.key not in without]
    found = []
    for name, own in left.items():
        values = _values(arms.found, own, scorer)
        accuracy = share(
            [value.value for value in values.values()], [value.cluster for value in values.values()], seed=arms.seed
        )
        other = {Condition.FULL.value: "", PLACEBO: SOURCE}.get(name, Condition.FULL.value)
        reference = left.get(other, [])
        compared = _compared(arms, reference, own, scorer, (other, name))
        found.append(
            ArmFindings(
                name=name,
                accuracy=accuracy,
                changed=_changed(name, kept, values),
                against_full=compared if other == Condition.FULL else None,
                against_source=compared if other == SOURCE else None,
                right_wrong=_right_wrong(arms, reference, own, scorer),
                p_holm=None if compared is None else compared.paired.p_decides,
            )
        )
    return Findings(
        scorer=scorer,
        unstated=without is not None,
        n_items=len({one.key for one in kept}),
        arms=_corrected(found),
    )


def _corrected(arms: Sequence[ArmFindings]) -> list[ArmFindings]:
    """Holm's correction over the replay conditions, which are one family."""
    family = [arm for arm in arms if arm.name not in (SOURCE, PLACEBO)]
    p_of = dict(zip([arm.name for arm in family], holm_where_tested([arm.p_holm for arm in family]), strict=True))
    return [msgspec.structs.replace(arm, p_holm=p_of.get(arm.name, arm.p_holm)) for arm in arms]


def _values(found: Benchmark, rows: Sequence[ScoredItem], scorer: str) -> dict[str, ItemValue]:
    return item_values(rows, scorer, voted=found.answers_shown > 0)


def _compared(
    arms: Arms, a: Sequence[ScoredItem], b: Sequence[ScoredItem], scorer: str, names: tuple[str, str]
) -> Comparison | None:
    if not {row.key for row in a} & {row.key for row in b}:
        return None
    return compare(a, b, scorer, voted=arms.found.answers_shown > 0, intersect=True, names=names, seed=arms.seed)


def _right_wrong(arms: Arms, a: Sequence[ScoredItem], b: Sequence[ScoredItem], scorer: str) -> Paired | None:
    voted = arms.found.answers_shown > 0
    return right_wrong(a, b, scorer, arms.found.partial_credit, voted=voted, seed=arms.seed)


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
    by_category: dict[str, dict[str, list[float | None]]] = defaultdict(lambda: {name: [] for name in rows})
    for name, some in rows.items():
        for value in _values(found, some, scorer).values():
            by_category[value.category][name].append(value.value)
    return [
        TaskRow(
            category,
            len(own[SOURCE]),
            {name: _mean(values) for name, values in own.items()},
            {name: values.count(None) for name, values in own.items()},
        )
        for category, own in sorted(by_category.items())
    ]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _sentences(
    tables: Sequence[Findings],
    baseline: Baseline | None,
    against_baseline: Comparison | None,
    conduct: Mapping[str, Conducted],
) -> list[str]:
    """What the figures of the headline's scorer support, in plain words."""
    everything, unstated = tables[0], tables[1]
    said = [
        of_withholding(condition, compared, p)
        for condition in WITHHELD
        for compared, p in _against_full(everything, condition)
    ]
    said += [of_swapping(compared, p) for compared, p in _against_full(everything, Condition.SWAPPED)]
    if unstated.n_items < everything.n_items:
        left = f"On the {unstated.n_items} items whose answer is not stated on the way: "
        said += [
            left + of_withholding(Condition.NEITHER, compared, p)
            for compared, p in _against_full(unstated, Condition.NEITHER)
        ]
    if baseline is not None and against_baseline is not None and against_baseline.paired.difference is not None:
        said.append(of_the_baseline(against_baseline, baseline.model, alike=not baseline.differences))
    placebo = everything.arm(PLACEBO)
    live = placebo.against_source if placebo is not None else None
    if live is not None and live.paired.difference is not None:
        said.append(of_the_placebo(live, conduct.get(SOURCE), conduct.get(PLACEBO)))
    return said


def _against_full(table: Findings, condition: Condition) -> Iterable[tuple[Comparison, float | None]]:
    """The comparison of a condition with `full` and its p, if there is one."""
    arm = table.arm(condition)
    if arm is not None and arm.against_full is not None and arm.against_full.paired.difference is not None:
        yield arm.against_full, arm.p_holm
