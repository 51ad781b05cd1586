"""Who judged a run's responses beside the scorers, in words."""

from __future__ import annotations

from collections.abc import Sequence

from beholder.report.figures import count
from beholder.store.judge_calls import Counted


def judged_lines(judged: Sequence[Counted]) -> list[str]:
    """One line for each judge: of how many responses it was asked, how many verdicts it gave, how often it failed."""
    return [
        f"Judged by {one.judge} ({one.purpose}): {count(one.answered)} of {count(one.answered + one.failed)}"
        + (f", {count(one.failed)} failed" if one.failed else "")
        for one in judged
    ]
