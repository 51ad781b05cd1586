"""Where each label of a released item comes from: which models said it, whether they settled it, who decided, when."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from beholder.annotate.consensus import Consensus
from beholder.annotate.decisions import InForce
from beholder.annotate.forms import Field, is_asked
from beholder.annotate.items import REFUSED, Proposal
from beholder.annotate.metaphors import value_of
from beholder.annotate.people import Normalise, Outcome, is_label, reading
from beholder.annotate.project import Project

CONFIRMED, CHANGED, ADJUDICATED, PEOPLE, UNDECIDED = "confirmed", "changed", "adjudicated", "people", "undecided"
"""How a label came about: the models settled it and people kept it, or changed it; the models did not settle it and
people decided; no models were asked; people do not agree. Target and source of an item without a metaphor count as the
metaphor does."""
_SETTLED_WITH = {"metaphor": "metaphor", "target": "pair", "source": "pair", "sentiment": "sentiment"}


def provenance_of(
    project: Project, key: str, found: Outcome, decisions: Sequence[InForce], normalise: Normalise
) -> dict[str, Any]:
    """Plain data about one item: `labels` (field → how, annotators, people), `written` (long text → whose it is),
    `decisions`, `refused` (how many saves were too late) and `history`."""
    names = [one.name for one in project.annotators()]
    proposals = [one for one in project.proposals(key) if not one.missing]
    consensus = project.consensus(key)
    history = project.history(key)
    return {
        "labels": {
            field.name: _label(field, found, consensus, proposals, names, normalise)
            for field in project.form.fields
            if is_label(field)
        },
        "written": _written(project, key, found, proposals, names),
        "decisions": [
            {"person": one.author, "time": one.time, "revision": one.revision, "note": one.note} for one in decisions
        ],
        "refused": sum(row.action == REFUSED for row in history),
        "history": [
            {"person": row.author, "time": row.time, "action": row.action, "revision": row.revision, "value": row.value}
            for row in history
        ],
    }


def _label(
    field: Field,
    found: Outcome,
    consensus: Consensus | None,
    proposals: Sequence[Proposal],
    names: Sequence[str],
    normalise: Normalise,
) -> dict[str, Any]:
    decided = reading(field, found.value, normalise)
    told: dict[str, Any] = {"how": _how(field, found, consensus, decided, normalise)}
    if proposals:
        # Who was asked for a target and named none does not say that there is none.
        asked = is_asked(field, found.value)
        same = [
            one.annotator
            for one in proposals
            if reading(field, one.value, normalise) == decided and is_asked(field, one.value) == asked
        ]
        told["annotators"] = [names[number] for number in same]
    return told | {"people": list(found.labels[field.name].who)}


def _how(field: Field, found: Outcome, consensus: Consensus | None, decided: Hashable, normalise: Normalise) -> str:
    if not found.labels[field.name].decided:
        return UNDECIDED
    if consensus is None:
        return PEOPLE
    settled = {one.name: one.settled for one in consensus.fields}[_SETTLED_WITH[field.name]]
    if not settled or (field.when is not None and not consensus.metaphor.settled):
        return ADJUDICATED
    return CONFIRMED if reading(field, value_of(consensus.labels), normalise) == decided else CHANGED


def _written(
    project: Project, key: str, found: Outcome, proposals: Sequence[Proposal], names: Sequence[str]
) -> dict[str, Any]:
    """Of each long text: who decided on it, which model drafted it and whether that was revised, and which models say
    the same word for word. A draft that was taken out counts as revised."""
    draft, drafted_by = project.draft(key)
    told: dict[str, Any] = {}
    for name in (field.name for field in project.form.fields if not is_label(field)):
        kept, drafted = found.value.get(name), draft.get(name) if drafted_by is not None else None
        if kept is None and drafted is None:
            continue
        told[name] = {"person": found.written_by}
        if drafted is not None and drafted_by is not None:
            told[name] |= {"drafted_by": names[drafted_by], "revised": kept != drafted}
        same = [names[one.annotator] for one in proposals if kept is not None and one.value.get(name) == kept]
        told[name] |= {"same_as": same} if same else {}
    return told
