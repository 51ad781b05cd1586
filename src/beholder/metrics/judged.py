"""The mean of what a judge gave, when the judge may fail on some items."""

from __future__ import annotations

import math
from collections.abc import Sequence

from beholder.score import Metric


def judged_mean(values: Sequence[float | None]) -> Metric:
    """The mean over the judged items; each value is in 0..1, or None where the judge failed.

    `n` counts the judged items, `failed` the others. `worst` and `best` are the mean over all items if all the failed
    ones were worth 0 or 1. Without a single verdict the value is None: failures are never turned into a figure.
    Raises `ValueError` for a value outside 0..1, which no reader of verdicts should have let through.

    >>> mean = judged_mean([1.0, 0.0, None, 1.0])
    >>> mean.n, mean.failed, mean.worst, mean.best, mean.note
    (3, 1, 0.5, 0.75, '3/4 judged')
    """
    judged = [value for value in values if value is not None]
    for value in judged:
        if not 0 <= value <= 1:
            raise ValueError(f"A judged value must be in 0..1, not {value!r}.")
    n, total = len(judged), len(values)
    failed = total - n
    points = math.fsum(judged)
    return Metric(
        value=points / n if n else None,
        n=n,
        failed=failed,
        worst=points / total if total else None,
        best=(points + failed) / total if total else None,
        note=f"{n}/{total} judged",
    )
