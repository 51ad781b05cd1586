"""What people have decided, where each of them has their own decision: label by label, by more than half of them.

Labels are choices and short texts. What is written at length (a mapping, evidence) is nobody's vote: it is taken whole
from one person whose labels are those that were decided.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import cache

import msgspec

from beholder.annotate.decisions import InForce
from beholder.annotate.forms import Field, Form, Value, is_asked

PAIR = ("target", "source")
Normalise = Callable[[str], str]
"""Takes from a short text what does not count when two are compared."""


class FieldDecision(msgspec.Struct, frozen=True):
    """How a label came out among people. `who` decided it: all that say so, in the order of their names.

    `decided` is False where no value has more than half of the people behind it.
    """

    decided: bool
    who: tuple[str, ...] = ()


class Outcome(msgspec.Struct, frozen=True):
    """What people decided of one item: the value, and how each label came out. `written_by` is whose long texts it has.

    Labels that are not decided are left out of `value`.
    """

    value: Value
    labels: dict[str, FieldDecision]
    written_by: str

    @property
    def undecided(self) -> tuple[str, ...]:
        """The labels on which people do not agree."""
        return tuple(name for name, label in self.labels.items() if not label.decided)


def is_label(field: Field) -> bool:
    """Whether a field is a label, which can be compared: a choice or a short text."""
    return field.kind in ("choice", "text")


def normaliser(form: Form) -> Normalise:
    """How short texts of a form are compared: metaphors as M3R-Bench compares them, others but for case and spaces.

    `UsageError` if the packages that the comparison needs are not there.
    """
    if form.name != "m3r":
        return plainly
    from beholder.benchmarks.m3r import slots
    from beholder.benchmarks.m3r.assumptions import assumptions_of, shipped

    rules = assumptions_of(shipped()).slots
    return cache(lambda text: slots.normalised(text, rules))  # the same few words come again and again


def plainly(text: str) -> str:
    """A text in composed Unicode, without case and with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def reading(field: Field, value: Value, normalise: Normalise) -> Hashable:
    """A label as it is compared; None if it was not asked or not given."""
    filled = value.get(field.name)
    if not isinstance(filled, str) or not filled or not is_asked(field, value):
        return None
    return filled if field.kind == "choice" else normalise(filled)


def outcome(form: Form, decisions: Sequence[InForce], normalise: Normalise) -> Outcome | None:
    """What people decided of an item. `decisions` are those saved for it, one a person; None if there are none."""
    if not decisions:
        return None
    by_name = sorted(decisions, key=lambda one: (one.author, one.person))
    value: Value = {}
    labels: dict[str, FieldDecision] = {}
    for fields in _decided_together(form):
        said = {one.author: tuple(reading(field, one.value, normalise) for field in fields) for one in by_name}
        counts = Counter(said.values())
        most = max(counts, key=lambda what: counts[what])
        decided = 2 * counts[most] > len(said)
        who = tuple(name for name, what in said.items() if what == most) if decided else ()
        labels |= {field.name: FieldDecision(decided, who) for field in fields}
        if decided:
            first = next(one.value for one in by_name if one.author == who[0])
            given = (field.name for field, what in zip(fields, most, strict=True) if what is not None)
            value |= {name: first[name] for name in given}
    writer = _writer(by_name, labels)
    value |= {
        field.name: writer.value[field.name]
        for field in form.fields
        if not is_label(field) and field.name in writer.value and is_asked(field, value)
    }
    ordered = {field.name: value[field.name] for field in form.fields if field.name in value}
    return Outcome(ordered, labels, writer.author)


def _decided_together(form: Form) -> list[tuple[Field, ...]]:
    """The labels of a form, each by itself, but for target and source of a metaphor: those are a pair, as they are
    among models; a target of one person with the source of another would be nobody's metaphor."""
    labels = [field for field in form.fields if is_label(field)]
    pair = tuple(field for field in labels if form.name == "m3r" and field.name in PAIR)
    groups = [pair if field in pair else (field,) for field in labels]
    return list(dict.fromkeys(groups))


def _writer(by_name: Sequence[InForce], labels: dict[str, FieldDecision]) -> InForce:
    """Whose long texts are taken: of those with the most decided labels, who saved first."""

    def agreed(one: InForce) -> int:
        return sum(one.author in label.who for label in labels.values())

    return min(by_name, key=lambda one: (-agreed(one), one.time, one.author))
