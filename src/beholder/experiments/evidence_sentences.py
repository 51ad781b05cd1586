"""What experiment 2 supports, in plain words. A difference counts where it is `told_apart` from none."""

from __future__ import annotations

from beholder.engine.replay import Condition
from beholder.experiments.evidence import Conducted
from beholder.experiments.verdicts import missed
from beholder.metrics.paired import told_apart
from beholder.report.comparison import Comparison
from beholder.report.figures import count, counted

WITHHELD = {
    Condition.NO_IMAGES: "the new pictures",
    Condition.NO_TEXT: "the printed text",
    Condition.NEITHER: "pictures and printed text",
}
"""What a condition withholds, in words."""


def of_withholding(condition: Condition, compared: Comparison, p: float | None) -> str:
    """What withholding did to the score."""
    what, points = WITHHELD[condition], _points(compared)
    if _is_untouched(compared):
        return f"Withholding {what} changes the score of no item."
    if not told_apart(compared.paired, p):
        return f"Withholding {what} changes accuracy by {points:+.1f} points: {_undecided(compared)}"
    if points < 0:
        return f"Withholding {what} costs {-points:.1f} points: the answers rest on them."
    return f"Withholding {what} gains {points:.1f} points: they mislead more than they help."


def of_swapping(compared: Comparison, p: float | None) -> str:
    """What another item's observations did to the score."""
    points = _points(compared)
    if _is_untouched(compared):
        return "With another item's observations the score of no item changes."
    if not told_apart(compared.paired, p):
        return f"With another item's observations {points:+.1f} points: {_undecided(compared)}"
    if points < 0:
        return f"With another item's observations {-points:.1f} points are lost: what they show matters."
    return f"With another item's observations {points:.1f} points are gained: the item's own mislead."


def of_the_baseline(compared: Comparison, model: str, alike: bool) -> str:
    """What is left when all is withheld, beside a run without tools. `alike` says that nothing else differs."""
    points = _points(compared)
    lead = f"With all withheld, on the {counted(compared.paired.n, 'item')} of both (p={_p(compared)})"
    run = f"the run without tools ({model})"
    if _is_untouched(compared):
        return f"{lead}, every item has the score of {run}."
    if not told_apart(compared.paired, compared.paired.p_decides):
        return f"{lead}, {points:+.1f} points against {run}: {_undecided(compared)}"
    side = "above" if points > 0 else "below"
    why = "turns and talk count too" if alike else "by turns and talk, or by what else differs (see the notes)"
    return f"{lead}, {abs(points):.1f} points {side} {run}: {why}."


def of_the_placebo(compared: Comparison, source: Conducted | None, live: Conducted | None) -> str:
    """What a model did and scored whose tools brought nothing, beside the source run."""
    points, n = _points(compared), count(compared.paired.n)
    conduct = f"{_conduct(live)}, in the source run {_conduct(source)}"
    lead = f"Live, with tools that bring nothing (n={n}, p={_p(compared)}; {conduct})"
    if _is_untouched(compared):
        return f"{lead}: every item has the score of the source run."
    if not told_apart(compared.paired, compared.paired.p_decides):
        return f"{lead}: {points:+.1f} points against the source run, {_undecided(compared)}"
    if points < 0:
        return f"{lead}: {-points:.1f} points fewer than in the source run; what tools bring is worth that."
    return f"{lead}: {points:.1f} points more than in the source run; what tools bring does harm."


def _conduct(own: Conducted | None) -> str:
    if own is None or own.turns is None or own.calls is None:
        return "turns not known"
    return f"{own.turns:.1f} turns and {own.calls:.1f} calls"


def _p(compared: Comparison) -> str:
    p = compared.paired.p_decides
    return "–" if p is None else f"{p:.2g}"


def _points(compared: Comparison) -> float:
    return 100 * (compared.paired.difference or 0.0)


def _is_untouched(compared: Comparison) -> bool:
    return not compared.gained and not compared.lost


def _undecided(compared: Comparison) -> str:
    return f"not told apart from none{missed(compared)}."
