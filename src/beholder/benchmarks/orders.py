"""In which order stored answers are shown, for each vote on each item.

Position bias is real, so the order is part of the measurement: it is drawn from (run seed, sample key,
vote) and nothing else, and neither threads nor restarts change it.
"""

from __future__ import annotations

from beholder.errors import UsageError
from beholder.seeds import rng_for

MODES = ("random", "balanced")


def answer_orders(seed: int, key: str, votes: int, n_answers: int, mode: str) -> list[tuple[int, ...]]:
    """One order for each vote; `order[p]` is the stored index (from 0) of the answer shown at position p.

    `random`: each vote draws its own permutation, independently (what VL-RewardBench's paper describes).
    `balanced`: the first permutation is drawn and each further vote shows it turned by one place, so that
    over `n_answers` votes each answer stands once in each place; with two answers the order alternates.

    Raises `UsageError` for an unknown mode and for a negative number of votes or answers.

    >>> answer_orders(0, "item", 3, 2, "balanced")[0] == answer_orders(0, "item", 3, 2, "balanced")[2]
    True
    """
    if mode not in MODES:
        raise UsageError(f"There is no answer order {mode!r}. Known: {', '.join(MODES)}.")
    if votes < 0 or n_answers < 0:
        raise UsageError("The number of votes and the number of answers must not be negative.")
    if mode == "random":
        return [_permutation(seed, key, vote, n_answers) for vote in range(votes)]
    first = _permutation(seed, key, 0, n_answers)
    return [first[turn:] + first[:turn] for turn in (vote % max(n_answers, 1) for vote in range(votes))]


def _permutation(seed: int, key: str, vote: int, n_answers: int) -> tuple[int, ...]:
    # random() is the one method whose stream Python promises to keep between versions.
    rng = rng_for(seed, key, vote, "order")
    draws = [rng.random() for _ in range(n_answers)]
    return tuple(sorted(range(n_answers), key=draws.__getitem__))
