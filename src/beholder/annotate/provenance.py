"""Where each label of a released item comes from: which models said it, whether they settled it, who decided, when."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from beholder.annotate.consensus import Consensus
from beholder.annotate.decisions import InForce
from beholder.annotate.forms import Field, Form, Value, is_asked
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
    """Plain data about one item: `labels` (field → how, annotators, people), `written` (the long texts), `history`."""
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
    """Whose the long texts are: who decided on them, which model drafted them, and whether they were revised."""
    kept = _long(project.form, found.value)
    if not kept:
        return {"person": found.written_by, "blank": True}
    draft, drafted_by = project.draft(key)
    told: dict[str, Any] = {"person": found.written_by}
    if drafted_by is not None:
        told |= {"drafted_by": names[drafted_by], "revised": _long(project.form, draft) != kept}
    taken = [names[one.annotator] for one in proposals if _long(project.form, one.value) == kept]
    return told | ({"same_as": taken} if taken else {})


def _long(form: Form, value: Value) -> Value:
    return {field.name: value[field.name] for field in form.fields if not is_label(field) and field.name in value}
