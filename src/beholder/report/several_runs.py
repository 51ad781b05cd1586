"""Two or more runs on the same items: each against the first, and how far any two agree on which items are right."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations

import msgspec

from beholder.errors import UsageError
from beholder.metrics.accuracy import share
from beholder.metrics.agreement import cohen_kappa
from beholder.metrics.paired import holm_where_tested, told_apart
from beholder.report.comparison import Comparison, ItemValue, compare_values
from beholder.score import Metric, Outcome, ScoredItem

MOST_RUNS = 12
Values = Mapping[str, ItemValue]
Answers = Mapping[str, str]
"""Item → the answer that a scorer read in it, in a form in which equal answers are equal."""


class Against(msgspec.Struct, frozen=True):
    """Run number `run` against the first.

    `holm` is the p that decides, corrected for the number of runs; None where there is one only. `told_apart` is the
    sign of a difference that is told apart from none, else 0.
    """

    run: int
    comparison: Comparison
    holm: float | None
    told_apart: int


class RunAgreement(msgspec.Struct, frozen=True):
    """How far runs number `a` and `b` agree on which of `n` items are right.

    An item is right with full credit only. `same` is the share with the same verdict, `kappa` that beyond chance
    (Cohen). `both_wrong_same`: of the items that both got wrong and in which answers were read, the share with the same
    one.
    """

    a: int
    b: int
    n: int
    same: float | None
    kappa: float | None
    both_wrong_same: float | None


class Several(msgspec.Struct, frozen=True, kw_only=True):
    """Runs on the same `n` items; `left_out` counts the items that not all have. `means` are over those items."""

    scorer: str
    n: int
    left_out: int
    means: list[Metric]
    against: list[Against]
    agreement: list[RunAgreement]


def compare_several(
    values: Sequence[Values],
    scorer: str,
    *,
    intersect: bool,
    names: Sequence[str],
    answers: Sequence[Answers] = (),
    seed: int = 0,
) -> Several:
    """Compares runs by what their items are worth (`comparison.item_values`).

    Different items are refused unless `intersect`: then those that all runs have are compared. `UsageError` says what
    is missing where.
    """
    shared = set(values[0]).intersection(*values[1:])
    everything = len(set(values[0]).union(*values[1:]))
    if intersect and len(values) > 2 and not shared:
        raise UsageError("There is no item that all of these runs hold.")
    if intersect:
        values = [own if len(own) == len(shared) else {key: own[key] for key in own if key in shared} for own in values]
    comparisons = [
        compare_values(values[0], own, scorer, intersect=intersect, names=(names[0], name), seed=seed)
        for own, name in zip(values[1:], names[1:], strict=True)
    ]
    deciding = [one.paired.p_decides for one in comparisons]
    several = len(comparisons) > 1
    corrected = holm_where_tested(deciding) if several else deciding
    against = [
        Against(place, one, p if several else None, told_apart(one.paired, p))
        for place, (one, p) in enumerate(zip(comparisons, corrected, strict=True), start=1)
    ]
    return Several(
        scorer=scorer,
        n=len(values[0]),
        left_out=everything - len(shared),
        means=[_mean(own, seed) for own in values],
        against=against,
        agreement=[
            _agreement(a, b, values, answers if answers else [{} for _ in values])
            for a, b in combinations(range(len(values)), 2)
        ],
    )


def names_of(models: Sequence[str]) -> list[str]:
    """What runs are called: their models, with a letter where a model is there more than once.

    >>> names_of(["m", "n", "m"])
    ['m (A)', 'n', 'm (C)']
    """
    return [
        f"{model} ({chr(ord('A') + place)})" if models.count(model) > 1 else model for place, model in enumerate(models)
    ]


def answers_read(items: Sequence[ScoredItem], scorer: str) -> dict[str, str]:
    """What a scorer read in each item: of several answers the most frequent, of equals the first.

    A place among answers as they were shown is mapped back to the stored answer, counted from 1.
    """
    read: dict[str, list[str]] = defaultdict(list)
    for item in items:
        score = item.scores.get(scorer)
        if score is None or score.extracted is None or score.outcome is Outcome.FAILED:
            continue
        stored = {str(place + 1): str(one + 1) for place, one in enumerate(item.order)}
        read[item.key].append(stored.get(score.extracted, score.extracted))
    return {key: Counter(found).most_common(1)[0][0] for key, found in read.items()}


def _mean(values: Values, seed: int) -> Metric:
    return share([one.value for one in values.values()], [one.cluster for one in values.values()], seed=seed)


def _agreement(a: int, b: int, values: Sequence[Values], answers: Sequence[Answers]) -> RunAgreement:
    left, right = values[a], values[b]
    both = [
        (key, ours.value == 1, theirs.value == 1)
        for key, ours in left.items()
        if ours.value is not None and (theirs := right.get(key)) is not None and theirs.value is not None
    ]
    if not both:
        return RunAgreement(a, b, 0, None, None, None)
    first, second = answers[a], answers[b]
    wrong = [key for key, ours, theirs in both if not ours and not theirs and key in first and key in second]
    return RunAgreement(
        a,
        b,
        len(both),
        sum(ours == theirs for _, ours, theirs in both) / len(both),
        cohen_kappa([ours for _, ours, _ in both], [theirs for _, _, theirs in both]).value,
        sum(first[key] == second[key] for key in wrong) / len(wrong) if wrong else None,
    )
