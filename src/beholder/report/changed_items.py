"""The items that arms of an experiment gained or lost against another: a list with links to the samples of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from beholder.experiments.evidence_findings import Evidence
from beholder.experiments.rotation import RotationOutcome
from beholder.experiments.tools import ToolsOutcome
from beholder.report.comparison import Comparison
from beholder.report.figures import count, counted
from beholder.report.html_runs import text


class Change(NamedTuple):
    """A comparison in words, the name that its lines begin with where it is printed, and the keys of its items."""

    title: str
    name: str
    gained: Sequence[str]
    lost: Sequence[str]


def changes_of(outcome: Any) -> list[Change]:
    """The changes that an experiment found, under its first scorer; empty for an outcome that is not known here."""
    if isinstance(outcome, ToolsOutcome):
        gains = outcome.gains.get(outcome.scorers[0], []) if outcome.scorers else []
        found = [(f"{gain.arm} against none", gain.arm, gain.comparison) for gain in gains]
    elif isinstance(outcome, RotationOutcome):
        found = [(one.name, one.name, one.comparison) for one in outcome.contrasts]
    elif isinstance(outcome, Evidence):
        arms = outcome.tables[0].arms if outcome.tables else []
        found = [(f"{arm.name} against full", arm.name, arm.against_full) for arm in arms if arm.against_full]
    else:
        found = []
    return [_change(*one) for one in found if one[2].gained or one[2].lost]


def _change(title: str, name: str, comparison: Comparison) -> Change:
    return Change(title, name, comparison.gained, comparison.lost)


def changes_section(changes: Sequence[Change], samples: Sequence[dict[str, Any]]) -> str:
    """All items that were gained and lost, a folded list for each comparison, with links to the `samples` of the page.

    Items that the page does not hold are named by the beginning of their key, as `beholder show` takes it.
    """
    if not changes:
        return ""
    places = {str(sample["k"]): str(sample["i"]) for sample in samples}
    lists = []
    for change in changes:
        told = f"{text(change.title)}: {count(len(change.gained))} gained, {count(len(change.lost))} lost"
        lists.append(
            f"<details><summary>{told}</summary>"
            f"{_listed('gained', change.gained, places)}{_listed('lost', change.lost, places)}</details>"
        )
    return f"<h3>Items gained and lost</h3>{''.join(lists)}"


def _listed(word: str, keys: Sequence[str], places: dict[str, str]) -> str:
    if not keys:
        return ""
    here = sorted(int(places[key]) for key in keys if key in places)
    away = [key for key in keys if key not in places]
    links = ", ".join(f'<a href="#item-{place}">{place}</a>' for place in here)
    told = f"{'item' if len(here) == 1 else 'items'} {links}" if here else ""
    if away:
        beginnings = text(", ".join(key[:12] for key in away))
        told += f"{'; ' if here else ''}{counted(len(away), 'item')} not in this page: {beginnings}"
    return f'<p class="items">{word}: {told}</p>'


def changes_data(changes: Sequence[Change], samples: Sequence[dict[str, Any]]) -> list[list[Any]]:
    """What the page can be filtered by: [words, places among its samples] for what each comparison gained and lost."""
    places = {str(sample["k"]): place for place, sample in enumerate(samples)}
    rows = []
    for change in changes:
        for word, keys in (("gained", change.gained), ("lost", change.lost)):
            own = sorted(places[key] for key in keys if key in places)
            if own:
                rows.append([f"{change.title}: {word}", own])
    return rows
