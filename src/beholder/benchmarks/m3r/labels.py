"""Which labels a task asks for, and which of a prediction's labels are right."""

from __future__ import annotations

from msgspec import UNSET

from beholder.annotation import LABELS, Annotation, structure_faults
from beholder.benchmarks.m3r.assumptions import SlotRules
from beholder.benchmarks.m3r.slots import same
from beholder.extract.metaphor_form import asked as asked
from beholder.sample import MetaphorTarget, Sample

JOINT, ANNOTATE = "joint", "annotate"
SINGLE = LABELS
"""The tasks that ask for one label alone; each has the label's name."""
SLOTS = ("target", "source")
ONLY = "only_"
"""What the flag of a task for one label begins with: `only_target`. Metrics tell by it what was asked."""


def task_of(sample: Sample) -> str:
    """What is asked about a sample: `joint`, one of `SINGLE`, or `annotate`."""
    return str(sample.metadata.get("task") or JOINT)


def gold_of(sample: Sample) -> Annotation:
    """The gold of a sample; a label that its data do not give is UNSET in it."""
    assert isinstance(sample.target, MetaphorTarget)
    return sample.target.annotation


def given(annotation: Annotation) -> tuple[str, ...]:
    """The labels that an annotation has; None is one."""
    return tuple(label for label in LABELS if getattr(annotation, label) is not UNSET)


def is_metaphor(gold: Annotation) -> bool | None:
    """Whether the gold has a metaphor, by its label or, without one, by its slots; None if neither says."""
    if isinstance(gold.metaphor, bool):
        return gold.metaphor
    slots = [slot for slot in (gold.target, gold.source) if slot is not UNSET]
    return any(slot is not None for slot in slots) if slots else None


def slots_count(said: Annotation, rules: SlotRules) -> bool:
    """Whether a prediction's slots can be right at all: they cannot where its structure is broken (T99)."""
    return not set(rules.spoiled_by).intersection(structure_faults(said))


def right_labels(said: Annotation | None, gold: Annotation, rules: SlotRules) -> dict[str, bool]:
    """For each label of the gold, whether the prediction has it right; without a prediction (None) none is.

    A slot of the gold that is None is right where the prediction says None, and wrong where it says nothing.
    """
    if said is None:
        return dict.fromkeys(given(gold), False)
    slots = slots_count(said, rules)
    return {
        label: (slots and _same_slot(said, gold, label, rules))
        if label in SLOTS
        else getattr(said, label) == getattr(gold, label)
        for label in given(gold)
    }


def _same_slot(said: Annotation, gold: Annotation, label: str, rules: SlotRules) -> bool:
    ours, theirs = getattr(said, label), getattr(gold, label)
    return ours is not UNSET and same(ours, theirs, rules)
