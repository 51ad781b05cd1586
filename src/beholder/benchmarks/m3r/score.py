"""The scorers of M3R-Bench. All are ours: no code of the authors is public, and the founding text has no formula.

`strict` and `lenient` read the answer (`extract.metaphor`): the value is 1 if every label that the task asks for and
the gold gives is right, else 0. Target and source are right where they are the same after normalisation (`slots`). An
answer that breaks a rule of the structure has the flag `structure` and is scored as it stands; where its slots
contradict its own yes or no, they are wrong (row T99).

`rubric` is about the explanation (`rubric`), `slots` is what judges or an embedding say of target and source; both are
n/a where nobody was asked.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import msgspec
from msgspec import UNSET

from beholder.annotation import LABELS, Annotation, structure_faults, written
from beholder.benchmarks.m3r.assumptions import Assumptions, SlotRules
from beholder.benchmarks.m3r.equivalence import PURPOSE
from beholder.benchmarks.m3r.equivalence import read_verdict as read_verdict
from beholder.benchmarks.m3r.labels import (
    ONLY,
    SINGLE,
    SLOTS,
    asked,
    given,
    gold_of,
    right_labels,
    slots_count,
    task_of,
)
from beholder.benchmarks.m3r.rubric_score import score_rubric
from beholder.errors import Owner
from beholder.extract import metaphor
from beholder.extract.extraction import Extraction
from beholder.extract.outcome import settle
from beholder.sample import Response, Sample
from beholder.score import Outcome, Score, Scorer

STRUCTURE = "structure"
"""Flag of an answer that breaks a rule of the structure; the rule's own word follows it."""


def scorers_under(made: Assumptions) -> dict[str, Scorer]:
    """All scorers by name, under one text of assumptions."""
    return {
        "strict": partial(_strict, made.slots),
        "lenient": partial(_lenient, made.slots),
        "rubric": score_rubric(made),
        "slots": partial(_slots, made.slots),
    }


def _strict(rules: SlotRules, sample: Sample, response: Response) -> Score:
    """Reads the one JSON object that the prompt asks for, with everything in it."""
    return _judged(rules, sample, response, metaphor.strict(response.text or "", task_of(sample)))


def _lenient(rules: SlotRules, sample: Sample, response: Response) -> Score:
    """Reads what a careful reader would."""
    return _judged(rules, sample, response, _read(sample, response))


def _read(sample: Sample, response: Response) -> Extraction[Annotation]:
    """What a careful reader reads. Who says that there is no metaphor, and nothing of a slot, has said that it is none.

    A slot that is given in a way that cannot be read stays unread.
    """
    found = metaphor.lenient(response.text or "", task_of(sample))
    if found.value is None or found.value.metaphor is not False or task_of(sample) in SINGLE:
        return found
    unsaid = {
        slot: None for slot in SLOTS if getattr(found.value, slot) is UNSET and metaphor.UNREAD[slot] not in found.flags
    }
    return msgspec.structs.replace(found, value=msgspec.structs.replace(found.value, **unsaid))


def _judged(rules: SlotRules, sample: Sample, response: Response, found: Extraction[Annotation]) -> Score:
    task, gold = task_of(sample), gold_of(sample)
    outcome, flags, reason = settle(response, found)
    if task in SINGLE:
        flags = _joined(flags, (ONLY + task,))
    if not set(given(gold)).intersection(asked(task)):
        nothing = "The gold gives none of the labels that were asked for."
        said = found.value if outcome is Outcome.SCORED else None
        return Score(None, Outcome.NOT_APPLICABLE, _text(said), found.span, flags, nothing)
    if outcome is Outcome.FAILED:
        owner = response.failure.owner if response.failure else None
        return Score(None, outcome, flags=flags, reason=reason, owner=owner)
    said = found.value if outcome is Outcome.SCORED else None
    if said is not None and any(getattr(said, label) is UNSET for label in asked(task)):
        # The labels that were read before the limit cut the answer count, but the answer is not complete.
        without = settle(response, Extraction(None))
        outcome, reason = without[::2] if without[0] is Outcome.TRUNCATED else (outcome, reason)
    if said is not None and (faults := structure_faults(said)):
        flags = _joined(flags, (STRUCTURE, *faults))
    right = {label: value for label, value in right_labels(said, gold, rules).items() if label in asked(task)}
    if said is None:
        return Score(0.0, outcome, span=found.span, flags=flags, reason=reason)
    wrong = [label for label in LABELS if right.get(label) is False]
    why = f"Wrong: {', '.join(wrong)}." if wrong else f"Right: {', '.join(right)}."
    return Score(float(not wrong), outcome, _text(said), found.span, flags, " ".join(filter(None, (reason, why))))


def _slots(rules: SlotRules, sample: Sample, response: Response) -> Score:
    """What judges (same or not) or an embedding (similarity) say of target and source, both kept apart.

    The value is the least of the slots, the mean over judges; where none says "same", over embeddings. A slot that
    nobody was asked about, because it is the gold's own words or is not there, counts as under `lenient`, and so do
    all where the answer's structure makes them wrong. `extracted` is JSON: judge → its verdict. The figures are made of
    that, never of the value.
    """
    own = [one for one in response.judged if one.purpose == PURPOSE]
    if not own:
        return Score(None, Outcome.NOT_APPLICABLE, reason="Nobody was asked whether the slots are the same.")
    verdicts = {one.judge: verdict for one in own if (verdict := read_verdict(one)) is not None}
    if not verdicts:
        failure = next((one.failure for one in own if one.failure is not None), None)
        why = failure.message if failure else "No judge gave a verdict that can be read."
        return Score(None, Outcome.FAILED, flags=("judge_failed",), reason=why, owner=Owner.JUDGE)
    said = _read(sample, response).value
    right = right_labels(said, gold_of(sample), rules)
    exact = {slot: float(right[slot]) for slot in SLOTS if slot in right and slot in asked(task_of(sample))}
    flags = ("judge_failed",) if len(verdicts) < len(own) else ()
    extracted = json.dumps(verdicts, ensure_ascii=False, sort_keys=True)
    counts = said is not None and slots_count(said, rules)
    value = _value(exact, list(verdicts.values())) if counts else 0.0
    return Score(value, Outcome.SCORED, extracted, flags=flags)


def _value(exact: dict[str, float], verdicts: list[dict[str, dict[str, Any]]]) -> float:
    for word in ("same", "similarity"):
        values = [
            min((exact | {slot: float(said[word]) for slot, said in one.items()}).values())
            for one in verdicts
            if all(word in said for said in one.values())
        ]
        if values:
            break
    return sum(values) / len(values)


def _text(said: Annotation | None) -> str | None:
    return None if said is None else written(said)


def _joined(flags: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*flags, *more)))
