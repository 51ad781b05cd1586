"""Arithmetic of published tables: does a claimed overall figure follow from the groups printed beside it?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec


class Arithmetic(msgspec.Struct, frozen=True):
    """What the groups give, and whether the claim agrees.

    `micro` is the mean weighted by `counts`, `macro` the plain mean. `follows` names the means that the
    claim agrees with (`micro`, `macro`). `possible` says if any weights at all could give the claim, as when
    items were dropped from some groups. `reason` is one plain sentence.
    """

    micro: float
    macro: float
    follows: tuple[str, ...]
    possible: bool
    reason: str


def follows_from(counts: Sequence[int], groups: Sequence[float], claimed: float, tolerance: float = 0.1) -> Arithmetic:
    """Checks a claimed overall figure against the groups' figures and sizes, in the table's own unit.

    `tolerance` covers rounding: with one decimal printed, half a unit in the groups and half in the claim is
    0.1.

    >>> check = follows_from([183, 749, 318], [81.5, 94.2, 60.4], 76.3)
    >>> round(check.micro, 1), round(check.macro, 1), check.follows, check.possible
    (83.7, 78.7, (), True)
    """
    if not groups or len(counts) != len(groups) or min(counts) < 1:
        raise ValueError("each group needs a figure and a count of at least 1")
    if tolerance < 0 or not all(map(math.isfinite, (*groups, claimed, tolerance))):
        raise ValueError("figures must be finite numbers and the tolerance 0 or more")
    micro = math.fsum(n * figure for n, figure in zip(counts, groups, strict=True)) / sum(counts)
    macro = math.fsum(groups) / len(groups)
    reach = tolerance + 1e-9  # 0.1 is not exact in binary
    follows = tuple(name for name, mean in (("micro", micro), ("macro", macro)) if abs(claimed - mean) <= reach)
    possible = min(groups) - reach <= claimed <= max(groups) + reach
    means = f"micro {micro:.2f}, macro {macro:.2f}"
    if follows:
        reason = f"{claimed:g} follows from the groups as {' and '.join(follows)} mean ({means})"
    elif possible:
        reason = f"{claimed:g} does not follow from full counts ({means}); it can be true if items were dropped"
    else:
        reason = f"{claimed:g} is outside the range of the groups ({means}); no weights can give it"
    return Arithmetic(micro, macro, follows, possible, reason)
