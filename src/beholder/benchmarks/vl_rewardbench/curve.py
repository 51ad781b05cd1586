"""Accuracy by number of votes as the authors' `main()` prints it: a reproduction of their seeded shuffle.

For k = 1, 3, 5, 7, 9 they read the rows in file order, shuffle them (swapping each row with any row,
which does not make all orders equally likely), and let the first k votes of each item in shuffled order
decide. The generator is seeded once, with 1234, and runs on from one k to the next. So each of their
figures is one draw; `accuracy_by_k` gives the expectation over all draws instead.

A pure function of the rows in file order: the generator is our own, with their seed.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from beholder.benchmarks.vl_rewardbench.data import GROUPS
from beholder.score import Outcome, ScoredItem

SEED = 1234
KS = (1, 3, 5, 7, 9)
LABEL = "reproduction of the authors' seeded shuffle (random.seed(1234)); one draw for each k"

AGREE, REJECT, NO_MATCH, OTHER = "agree", "reject", "doesntMatch", "other"


def authors_curve(rows: Sequence[ScoredItem]) -> dict[str, Any]:
    """Their figures for each k, from the `official` scores of the first epoch.

    Shares in 0..1, over decided items; None where their code would divide by zero, with `crash` saying
    so. Gaps in the row numbers of a result file are the null rows that their code shuffles along and then
    passes over (null rows after the last judgement cannot be seen from here). Votes that failed are no
    rows.
    """
    places = _file_order(rows)
    rng = random.Random(SEED)
    points = []
    for k in KS:
        shuffled = _biased_shuffle(places, rng)
        votes: dict[str, Counter[str]] = {}
        for row in shuffled:
            if row is None:
                continue
            seen = votes.setdefault(row.key, Counter())
            if seen.total() < k:
                seen[_status(row)] += 1
        points.append({"k": k, **_point(votes, {row.key: row for row in places if row is not None})})
    return {"label": LABEL, "points": points}


def _file_order(rows: Sequence[ScoredItem]) -> list[ScoredItem | None]:
    kept = [
        row
        for row in rows
        if row.epoch == 0 and row.scores["official"].outcome not in (Outcome.FAILED, Outcome.NOT_APPLICABLE)
    ]
    kept.sort(key=lambda row: (row.index, row.vote, row.key))
    if any(row.scores["official"].outcome is Outcome.FAILED for row in rows):
        return list(kept)
    if len({row.index for row in kept}) < len(kept):
        return list(kept)  # a run: all votes of an item have its index, there are no file rows
    by_place: list[ScoredItem | None] = [None] * (kept[-1].index + 1 if kept else 0)
    for row in kept:
        by_place[row.index] = row
    return by_place


def _biased_shuffle(rows: list[ScoredItem | None], rng: random.Random) -> list[ScoredItem | None]:
    shuffled = list(rows)
    for place in range(len(shuffled)):
        other = rng.randint(0, len(shuffled) - 1)
        shuffled[place], shuffled[other] = shuffled[other], shuffled[place]
    return shuffled


def _status(row: ScoredItem) -> str:
    score = row.scores["official"]
    if score.outcome is not Outcome.SCORED:
        return NO_MATCH
    return AGREE if score.value == 1 else REJECT


def _classified(seen: Counter[str]) -> str:
    return next((status for status in (AGREE, REJECT, NO_MATCH) if 2 * seen[status] > seen.total()), OTHER)


def _point(votes: dict[str, Counter[str]], row_of: dict[str, ScoredItem]) -> dict[str, Any]:
    classes = {key: _classified(seen) for key, seen in votes.items()}
    right: Counter[str] = Counter()
    decided: Counter[str] = Counter()
    sources: Counter[str] = Counter()
    for key, found in classes.items():
        row = row_of[key]
        right[row.category] += found == AGREE
        decided[row.category] += found in (AGREE, REJECT)
        sources[row.group] += found in (AGREE, REJECT)
    shares = {group: right[group] / decided[group] if decided[group] else None for group in GROUPS}
    known = [value for value in shares.values() if value is not None]
    empty = [name for name, number in (*sources.items(), *((g, decided[g]) for g in GROUPS)) if not number]
    return {
        "items": len(classes),
        **{status: sum(found == status for found in classes.values()) for status in (AGREE, REJECT, NO_MATCH, OTHER)},
        **shares,
        "overall": right.total() / decided.total() if decided.total() else None,
        "macro": sum(known) / len(GROUPS) if len(known) == len(GROUPS) else None,
        "crash": f"their code divides by zero: nothing decided in {', '.join(empty)}" if empty else "",
    }
