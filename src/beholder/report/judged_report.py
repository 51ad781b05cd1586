"""Who judged a run's responses beside the scorers, in words; where a judge failed, and how it is asked again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from beholder.report.figures import count
from beholder.score import ScoredItem
from beholder.store.folder import resume_command
from beholder.store.judge_calls import Counted

FAILED = "judge_failed"
"""The flag of a score that a judge's verdict is missing from."""
_OPTIONS = {"rubric": "--judge", "slots": "--slot-judge"}
_LISTED = 10


def judged_lines(judged: Sequence[Counted], *, unfinished: bool = False) -> list[str]:
    """One line for each judge: of how many responses it was asked, how many verdicts it gave, how often it failed.

    `unfinished`: somebody has still to be asked something.
    """
    return [
        f"Judged by {one.judge} ({one.purpose}): {count(one.answered)} of {count(one.answered + one.failed)}"
        + (" so far" if unfinished else "")
        + (f", {count(one.failed)} failed" if one.failed else "")
        for one in judged
    ]


def failed_lines(items: Sequence[ScoredItem], judged: Sequence[Counted] = (), folder: Path | None = None) -> list[str]:
    """On which items of a run a judge failed; with its folder, where the reason stands and what can be done."""
    places = sorted({item.index for item in items if any(FAILED in score.flags for score in item.scores.values())})
    if not places:
        return []
    listed = ", ".join(map(str, places[:_LISTED])) + (f" and {len(places) - _LISTED} more" * (len(places) > _LISTED))
    said = f"A judge failed (owner judge) on item{'s' * (len(places) > 1)} {listed}."
    if folder is None:
        return [said]
    show = f"beholder show {shlex.quote(str(folder))} {places[0]}"
    failing = [one for one in judged if one.failed]
    purpose = failing[0].purpose if failing else ""
    return [f"{said} Why: {show}. {again(folder, any(one.retryable for one in failing), purpose)}"]


def again(folder: Path, retryable: bool, purpose: str = "rubric") -> str:
    """How a missing verdict of a judge of that purpose can still be had. Only a failure of the judge's server is tried
    again: a reply that is no verdict would come again."""
    if retryable:
        return f"Ask it again: {resume_command(folder)}"
    return (
        "It is not asked again, for its reply would be the same. Another judge in its place: "
        f"beholder rescore {shlex.quote(str(folder))} {_OPTIONS.get(purpose, '--judge')} KIND/NAME"
    )
