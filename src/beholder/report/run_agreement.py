"""How far two runs agree on which items are right, and on what they say where both are wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from beholder.metrics.agreement import kappa_of_cells
from beholder.metrics.intervals import Floats, Integers
from beholder.score import Outcome, ScoredItem

NOT_READ = 0
"""Stands for no answer in arrays of answers."""


class RunAgreement(msgspec.Struct, frozen=True):
    """How far runs number `a` and `b` agree on which of `n` items are right: those that both answered.

    An item is right with full credit only. `same` is the share with the same verdict, `kappa` that beyond chance
    (Cohen). `both_wrong_same`: of the `both_wrong` items that both got wrong and in which answers were read, the share
    with the same one. It is None too where the two runs' answers take but two values: then two wrong ones cannot
    differ.
    """

    a: int
    b: int
    n: int
    same: float | None
    kappa: float | None
    both_wrong_same: float | None
    both_wrong: int = 0


def agreement_of(a: int, b: int, scores: Sequence[Floats], answers: Sequence[Integers]) -> RunAgreement:
    """The agreement of the runs at places `a` and `b`, from their scores of the same items (NaN: no answer) and the
    numbers of the answers that were read in them (`numbered`)."""
    known = ~(np.isnan(scores[a]) | np.isnan(scores[b]))
    n = int(known.sum())
    if not n:
        return RunAgreement(a, b, 0, None, None, None)
    left, right = scores[a][known] == 1, scores[b][known] == 1
    both, only_a = int(np.sum(left & right)), int(np.sum(left & ~right))
    only_b = int(np.sum(~left & right))
    kappa = kappa_of_cells(both, only_a, only_b, n - both - only_a - only_b)
    ours, theirs = answers[a][known], answers[b][known]
    wrong = ~left & ~right & (ours != NOT_READ) & (theirs != NOT_READ)
    kinds = np.unique(np.concatenate((ours, theirs)))
    can_differ = bool(wrong.any()) and np.count_nonzero(kinds != NOT_READ) > 2
    return RunAgreement(
        a,
        b,
        n,
        (n - only_a - only_b) / n,
        kappa.value,
        float(np.mean(ours[wrong] == theirs[wrong])) if can_differ else None,
        int(wrong.sum()),
    )


def numbered(answers: Iterable[str | None]) -> Integers:
    """A number for each answer, equal for equal ones within this process, and `NOT_READ` for none.

    It is the answer's hash: so the answers of a dozen large runs need not be held at once.
    """
    return np.array([NOT_READ if answer is None else hash(answer) or 1 for answer in answers], dtype=np.int64)


def answers_read(items: Sequence[ScoredItem], scorer: str) -> dict[str, str]:
    """What a scorer read in each item, mapped back: of several answers the most frequent, of equals the first."""
    read: dict[str, list[str]] = defaultdict(list)
    for item in items:
        score = item.scores.get(scorer)
        if score is None or score.extracted is None or score.outcome is Outcome.FAILED:
            continue
        read[item.key].append(mapped_back(score.extracted, item.order))
    return {key: Counter(found).most_common(1)[0][0] for key, found in read.items()}


def mapped_back(answer: str, order: Sequence[int]) -> str:
    """An answer in which a place among answers as they were shown is that of the stored answer, counted from 1.

    >>> mapped_back("1", (1, 0)), mapped_back("3", (1, 0)), mapped_back("1", ())
    ('2', '3', '1')
    """
    places = [str(place) for place in range(1, len(order) + 1)]
    return str(order[places.index(answer)] + 1) if answer in places else answer
