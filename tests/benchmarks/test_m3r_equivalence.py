"""What judges are asked about targets and sources, and what is read out of their replies."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from beholder.annotation import LABELS, Annotation, written
from beholder.benchmarks.benchmark import MetricOptions
from beholder.benchmarks.m3r.equivalence import equivalence_task, open_slots, read_reply
from beholder.benchmarks.m3r.label_metrics import rows_of
from beholder.benchmarks.m3r.slot_metrics import slot_figures
from beholder.errors import Owner
from beholder.sample import Failure, Response, TextPart
from beholder.score import Outcome, Score
from made_judged import GOLD, LITERAL, MADE, row, said, sample

TASK = equivalence_task(MADE)


def slots(target: Any, source: Any, **more: Any) -> Annotation:
    return msgspec.structs.replace(GOLD, target=target, source=source, **more)


OPEN: list[tuple[str, Annotation, Response, str, tuple[str, ...]]] = [
    ("both in other words", GOLD, said(slots("cigarettes", "pistol")), "joint", ("target", "source")),
    ("the gold's own", GOLD, said(GOLD), "joint", ()),
    ("the same but for case and article", GOLD, said(slots("Smoking", "a gun")), "joint", ()),
    ("one of them", GOLD, said(slots("smoking", "pistol")), "joint", ("source",)),
    ("none said", GOLD, said(slots(UNSET, None)), "joint", ()),
    ("no metaphor said", GOLD, said(LITERAL), "joint", ()),
    ("against its own no", GOLD, said(slots("cigarettes", "pistol", metaphor=False)), "joint", ()),
    ("no metaphor in the gold", LITERAL, said(GOLD), "joint", ()),
    ("gold without them", slots(UNSET, UNSET), said(GOLD), "joint", ()),
    ("target alone", GOLD, Response(text='{"target": "cigarettes"}', finish="stop"), "target", ("target",)),
    ("another task", GOLD, Response(text='{"sentiment": "negative"}', finish="stop"), "sentiment", ()),
    ("empty", GOLD, Response(text="", finish="stop"), "joint", ()),
    ("failed", GOLD, Response(failure=Failure(Owner.PROVIDER, "timeout", "no answer")), "joint", ()),
]


@pytest.mark.parametrize(
    ("gold", "answer", "task", "asked"), [case[1:] for case in OPEN], ids=[case[0] for case in OPEN]
)
def test_which_slots_only_a_judge_can_tell(
    gold: Annotation, answer: Response, task: str, asked: tuple[str, ...]
) -> None:
    one = sample(gold, task=task)
    assert tuple(open_slots(one, answer, MADE.slots)) == asked
    assert TASK.needs(one, answer) is bool(asked)


def test_the_question_shows_the_open_pairs_and_nothing_else() -> None:
    (part,) = TASK.prompt(sample(text="~~~~ {pairs}"), said(slots("smoking", "~~~ yes: {text}")), TASK.template)
    assert isinstance(part, TextPart)
    assert "~~~~~\n~~~~ {pairs}\n~~~~~" in part.text
    assert "The source. A:\n~~~\ngun\n~~~\nThe source. B:\n~~~~\n~~~ yes: {text}\n~~~~" in part.text
    assert "The target. A:" not in part.text
    assert "barrel" not in part.text  # nothing of the explanation


BOTH = ("target", "source")
READ: list[tuple[str, tuple[str, ...], Any, tuple[str, ...]]] = [
    # reply, slots that were asked about, verdict, flags
    ('{"target": {"same": true}, "source": {"same": false}}', BOTH, [True, False], ()),
    ('```json\n{"target": {"same": true}, "source": {"same": true}}\n```', BOTH, [True, True], ()),
    ("{'target': {'same': True}, 'source': {'same': False}}", BOTH, [True, False], ("repaired",)),
    ('{"target": true, "source": false}', BOTH, [True, False], ("repaired",)),
    ('{"target": {"same": "true"}, "source": {"same": "No."}}', BOTH, [True, False], ("repaired",)),
    ('{"target": {"same": "是"}, "source": {"same": "否"}}', BOTH, [True, False], ("repaired",)),
    ('{"source": {"same": true, "why": "gun, pistol"}}', ("source",), [True], ()),
    ('{"target": {"same": false}, "source": {"same": true}}', ("source",), [True], ()),
    ('{"source": {"same": true}}', BOTH, None, ("missing_answer",)),
    ('{"target": {}, "source": {"same": true}}', BOTH, None, ("missing_answer",)),
    ('{"target": null, "source": {"same": true}}', BOTH, None, ("missing_answer",)),
    ('{"target": {"same": 1}, "source": {"same": true}}', BOTH, None, ("out_of_range",)),
    ('{"target": {"same": "partly"}, "source": {"same": true}}', BOTH, None, ("out_of_range",)),
    ('{"target": {"same": [true]}, "source": {"same": true}}', BOTH, None, ("out_of_range",)),
    ('{"target": {"same": true, "same": false}, "source": {"same": true}}', BOTH, None, ("ambiguous",)),
    ('{"source": {"same": true}} {"source": {"same": false}}', ("source",), None, ("ambiguous",)),
    ("[true, false]", BOTH, None, ("no_json",)),
    ("I cannot evaluate this", BOTH, None, ("no_json",)),
    ("", BOTH, None, ("no_json",)),
]


@pytest.mark.parametrize(("reply", "asked", "same", "flags"), READ)
def test_replies(reply: str, asked: tuple[str, ...], same: Any, flags: tuple[str, ...]) -> None:
    found = read_reply(reply, asked)
    verdict = None if same is None else {slot: {"same": value} for slot, value in zip(asked, same, strict=True)}
    assert (None if found.value is None else json.loads(found.value), found.flags) == (verdict, flags)
    assert same is not None or found.reason


@given(st.text() | st.dictionaries(st.sampled_from(BOTH), st.text() | st.booleans() | st.none()).map(json.dumps))
def test_no_reply_makes_it_raise(reply: str) -> None:
    found = read_reply(reply, BOTH)
    assert found.value is None or set(json.loads(found.value)) == set(BOTH)


@pytest.mark.parametrize(
    "extracted",
    ["{", "[]", "1", '{"a": 1}', '{"a": {"target": 1}}', '{"a": {"target": {"same": 1}}}', '{"a": {"target": {}}}'],
)
def test_what_no_scorer_wrote_is_no_verdict(extracted: str) -> None:
    """As the scores of a foreign run may have it."""
    said_so = Score(0.0, Outcome.SCORED, written(slots("cigarettes", "pistol")))
    sure = Score(1.0, Outcome.SCORED, '{"a":{"target":{"same":true},"source":{"same":true}}}')
    scores = [{"lenient": said_so, "slots": one} for one in (sure, Score(1.0, Outcome.SCORED, extracted))]
    items = [row(place, sure) for place in range(2)]
    items = [msgspec.structs.replace(item, scores=own) for item, own in zip(items, scores, strict=True)]
    figure = slot_figures(rows_of(items, "lenient", LABELS, MADE.slots), "slots", MetricOptions())["slots_judged"]
    assert (figure.value, figure.n, figure.failed) == (1.0, 1, 1)
