"""Hand-made trajectories: the diagnosis tells good tool users from bad ones."""

from __future__ import annotations

import doctest
import json
import re
from typing import Any

import msgspec
import pytest

from beholder.sample import ToolCall, Usage
from beholder.tools import tally as tally_module
from beholder.tools.attribution import attributed
from beholder.tools.diagnosis import Diagnosis, ErrorLabel, diagnose
from beholder.tools.tally import Rate, score_against_turns, tally
from beholder.trajectory import NO_NEW_EVIDENCE, CallOutcome, Ended, Observation, Trajectory, Turn

RIGHT = "7"
UPRIGHT = 90.0
"""The picture of all these trajectories stands upright when it is turned by 90 degrees clockwise."""


def read(text: str) -> str | None:
    found = re.search(r"answer: (\w+)", text)
    return found[1] if found else None


def call(name: str = "crop", **arguments: Any) -> ToolCall:
    return ToolCall("call_1", name, json.dumps(arguments))


def turn_by(degrees: float, direction: str, image: str = "image_1") -> ToolCall:
    return call("rotate", degrees=degrees, direction=direction, image=image)


def seen(made: ToolCall, *images: str, text: str = "", flags: tuple[str, ...] = ()) -> Observation:
    return Observation(made, CallOutcome.EXECUTED, text, images, flags)


def fails(made: ToolCall, outcome: CallOutcome) -> Observation:
    return Observation(made, outcome, "It cannot be done.")


def says(said: str, *observations: Observation, probe: str | None = None) -> Turn:
    return Turn(text=said, said=said, observations=observations, probe=probe)


def trajectory(*turns: Turn, ended: Ended | None = Ended.ANSWERED) -> Trajectory:
    return Trajectory(turns, ended)


GOOD = trajectory(
    says("I turn it.", seen(turn_by(90, "clockwise"), "a"), probe="answer: 5"),
    says("I cut it out.", seen(call(box=[0, 0, 9, 9], image="image_2"), "b"), probe="answer: 7"),
    says("answer: 7"),
)
WRONG_DIRECTION = trajectory(says("I turn it.", seen(turn_by(90, "counterclockwise"), "a")), says("answer: 3"))
USELESS = trajectory(
    says("Whole picture.", seen(call(box=[0, 0, 99, 99]), "a", flags=(NO_NEW_EVIDENCE,))),
    says("Once more.", seen(call(box=[0, 0, 99, 99]), "a", flags=(NO_NEW_EVIDENCE, "repeated"))),
    says("answer: 3"),
)
NEVER_STOPS = trajectory(
    *(says("Closer.", seen(call(box=[0, 0, size, size]), f"crop {size}")) for size in range(9, 1, -1)),
    says("Closer.", fails(call(box=[0, 0, 1, 1]), CallOutcome.NOT_RUN)),
    ended=Ended.TURNS,
)
GOES_ROUND = trajectory(
    *(says("Again.", seen(call(box=[0, 0, 9, 9]), "a")) for _ in range(5)),
    ended=Ended.REPEATS,
)
BROKEN = trajectory(
    says("", fails(ToolCall("1", "crop", '{"box": '), CallOutcome.MALFORMED)),
    says("", fails(call("zoom"), CallOutcome.UNKNOWN_TOOL)),
    says("", fails(ToolCall("3", "", "{'name'}"), CallOutcome.MALFORMED)),
    ended=Ended.MALFORMED,
)
CODE_FAILS = trajectory(
    says("", fails(call("python", code="p = image_1.crop(1)"), CallOutcome.ERROR)),
    says("", fails(call("python", code="while True: pass"), CallOutcome.STOPPED)),
    says("answer: 3"),
)
TRIED_AGAIN = trajectory(
    says("", fails(call("python", code="show()"), CallOutcome.STOPPED)),
    says("", seen(call("python", code="show()"), "a", flags=("repeated",))),
    says("answer: 3"),
)
SAME_CALL_OTHER_PICTURE = trajectory(
    says("", seen(call("python", code="next_part()"), "a")),
    says("", seen(call("python", code="next_part()"), "b", flags=("repeated",))),
    says("answer: 3"),
)
PRINTED = trajectory(says("I count.", seen(call("python", code="print(n)"), text="There are 7.")), says("answer: 3"))
LEFT_AGAIN = trajectory(says("", seen(call(box=[0, 0, 9, 9]), "a"), probe="answer: 7"), says("answer: 3"))
NOT_SEEN = trajectory(
    says("", seen(call(box=[0, 0, 9, 9]), "a"), probe="answer: 5"),
    says("", seen(call(box=[0, 0, 5, 5]), "b"), probe="answer: 3"),
    says("answer: 3"),
)
NOT_PROBED = trajectory(says("", seen(call(box=[0, 0, 9, 9]), "a")), says("", seen(call(), "b")), says("answer: 3"))
NO_TOOLS = trajectory(says("answer: 3"))
FAILED = trajectory(says("", seen(call(), "a")), ended=Ended.FAILED)
ABANDONED = trajectory(says("", seen(call(), "a")), ended=None)
OURS = trajectory(says("", fails(call(), CallOutcome.BROKEN)), says("answer: 3"))
NEVER_SAID = trajectory(says("", seen(call(), "a"), probe="answer: 7"), ended=Ended.TOKENS)

# id, trajectory, its flags, to what it is put down
CASES: list[tuple[str, Trajectory, tuple[str, ...], str | None]] = [
    ("good", GOOD, (), None),
    ("wrong direction", WRONG_DIRECTION, ("wrong_direction",), "tool_use"),
    ("useless calls", USELESS, ("no_new_evidence", "useless_calls"), "tool_use"),
    ("never stops", NEVER_STOPS, ("never_stopped",), None),
    ("goes round", GOES_ROUND, ("never_stopped",), "tool_use"),
    ("broken calls", BROKEN, ("nothing_executed", "never_stopped", "broken_calls"), "tool_use"),
    ("code fails", CODE_FAILS, ("nothing_executed",), "tool_use"),
    ("tried again", TRIED_AGAIN, (), None),
    ("same call, other picture", SAME_CALL_OTHER_PICTURE, (), None),
    ("printed", PRINTED, (), "reasoning"),
    ("left again", LEFT_AGAIN, (), "reasoning"),
    ("never said", NEVER_SAID, ("never_stopped",), "reasoning"),
    ("not seen", NOT_SEEN, (), "perception"),
    ("not probed", NOT_PROBED, (), None),
    ("no tools", NO_TOOLS, ("no_calls",), None),
    ("failed", FAILED, (), None),
    ("abandoned", ABANDONED, (), None),
    ("ours", OURS, ("nothing_executed",), None),
]


def of(given: Trajectory) -> Diagnosis:
    last = read(given.turns[-1].said)
    return attributed(
        diagnose(given, read, upright=UPRIGHT),
        given,
        final_right=last == RIGHT,
        is_right=lambda answer: answer == RIGHT,
        tells_right=lambda text: RIGHT in text.split() or f"{RIGHT}." in text.split(),
    )


@pytest.mark.parametrize(("given", "flags", "attribution"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_trajectory(given: Trajectory, flags: tuple[str, ...], attribution: str | None) -> None:
    found = of(given)
    assert (found.flags, found.attribution) == (flags, attribution)
    assert found.why
    assert found.label is None


def test_every_call_of_a_good_one() -> None:
    turned, cut = of(GOOD).calls
    assert (turned.turn, turned.number, turned.chosen, turned.operations) == (1, 1, "rotate", ("rotate",))
    assert (turned.valid, turned.executed, turned.new_images, turned.image_differs) == (True, True, 1, True)
    assert turned.answer_changed is None  # nothing was known before it
    assert (cut.number, cut.answer_changed, cut.repeated, cut.budget_hit) == (2, True, False, False)
    assert of(GOOD).answers == ("5", "7", "7")


# id, trajectory, (valid, executed, image_differs, repeated, budget_hit) of each call
CALLS: list[tuple[str, Trajectory, list[tuple[bool | None, bool, bool | None, bool, bool]]]] = [
    ("useless", USELESS, [(True, True, False, False, False), (True, True, False, True, False)]),
    ("broken", BROKEN, [(False, False, None, False, False)] * 3),
    ("fails", CODE_FAILS, [(True, False, None, False, False)] * 2),
    ("ours", OURS, [(None, False, None, False, False)]),
    ("again", TRIED_AGAIN, [(True, False, None, False, False), (True, True, True, False, False)]),
    (
        "not run, but for no budget",
        trajectory(says("", fails(call(), CallOutcome.NOT_RUN)), says("answer: 3")),
        [(None, False, None, False, False)],
    ),
    ("budget", NEVER_STOPS, [(True, True, True, False, False)] * 8 + [(None, False, None, False, True)]),
    ("round", GOES_ROUND, [(True, True, True, False, False)] + [(True, True, True, True, False)] * 4),
]


@pytest.mark.parametrize(("given", "wanted"), [case[1:] for case in CALLS], ids=[case[0] for case in CALLS])
def test_calls(given: Trajectory, wanted: list[tuple[bool | None, bool, bool | None, bool, bool]]) -> None:
    found = [
        (one.valid, one.executed, one.image_differs, one.repeated, one.budget_hit) for one in diagnose(given).calls
    ]
    assert found == wanted


# what is said with the call, probe before, probe after, said next; whether the answer changed
CHANGES: list[tuple[str, str | None, str | None, str, bool | None]] = [
    ("answer: 1", None, None, "answer: 1", False),
    ("answer: 1", None, None, "answer: 2", True),
    ("answer: 1", None, "answer: 2", "answer: 1", True),
    ("answer: 1", "answer: 2", "answer: 2", "", True),
    ("I look.", "answer: 2", "answer: 2", "", False),
    ("I look.", "answer: 2", None, "answer: 1", True),
    ("I look.", None, None, "answer: 1", None),
    ("answer: 1", None, None, "I look on.", None),
    ("answer: 1", None, "no idea", "answer: 2", True),
    ("I look.", "no idea", "answer: 1", "", None),
]


@pytest.mark.parametrize(("said", "before", "after", "then", "changed"), CHANGES)
def test_answer_changed(said: str, before: str | None, after: str | None, then: str, changed: bool | None) -> None:
    given = trajectory(
        says("", seen(call(n=1), "a"), probe=before),
        says(said, seen(call(n=2), "b"), seen(call(n=3), "c"), probe=after),
        says(then),
    )
    assert [one.answer_changed for one in diagnose(given, read).calls[1:]] == [changed, changed]


def test_without_a_reader_only_probes_count() -> None:
    given = trajectory(
        says("answer: 1", seen(call(n=1), "a"), probe=" seven "),
        says("answer: 2", seen(call(n=2), "b"), probe="seven"),
        says("answer: 2", seen(call(n=3), "c"), probe="eight"),
        says("answer: 3"),
    )
    found = diagnose(given)
    assert [one.answer_changed for one in found.calls] == [None, False, True]
    assert found.answers == ("seven", "seven", "eight", None)


# turns of a picture that stands upright after 90 degrees clockwise; whether that is the wrong direction
DIRECTIONS: list[tuple[str, list[ToolCall], float | None, bool]] = [
    ("right", [turn_by(90, "clockwise")], 90, False),
    ("wrong", [turn_by(90, "counterclockwise")], 90, True),
    ("wrong in code", [call("python", code="image_1.rotate(90)")], 90, True),
    ("right in code", [call("python", code="image_1.rotate(-90)")], 90, False),
    ("both tried", [turn_by(90, "counterclockwise"), turn_by(90, "clockwise")], 90, False),
    ("turned on", [turn_by(90, "counterclockwise"), turn_by(180, "clockwise", "image_2")], 90, False),
    ("same again", [turn_by(90, "counterclockwise")] * 3, 90, True),
    ("other angle", [turn_by(45, "counterclockwise")], 90, False),
    ("half a turn", [turn_by(180, "counterclockwise")], 180, False),
    ("upright before", [turn_by(90, "counterclockwise")], 0, False),
    ("not known", [turn_by(90, "counterclockwise")], None, False),
    ("270 is -90", [turn_by(270, "clockwise")], 90, True),
]


@pytest.mark.parametrize(("calls", "upright", "wrong"), [row[1:] for row in DIRECTIONS], ids=[r[0] for r in DIRECTIONS])
def test_wrong_direction(calls: list[ToolCall], upright: float | None, wrong: bool) -> None:
    given = trajectory(*(says("", seen(one, str(number))) for number, one in enumerate(calls)), says("answer: 3"))
    assert ("wrong_direction" in diagnose(given, upright=upright).flags) == wrong


@pytest.mark.parametrize(
    ("first", "second", "repeated"),
    [
        ('{"a": 1, "b": 2}', '{"b":2,"a":1}', True),
        ('{"a": 1}', '{"a": 2}', False),
        ("not JSON", " not JSON ", True),
        ("[" * 5000, "[" * 5000, True),
    ],
)
def test_repeated(first: str, second: str, repeated: bool) -> None:
    given = trajectory(says("", *(seen(ToolCall("1", "crop", arguments)) for arguments in (first, second))))
    assert [one.repeated for one in diagnose(given).calls] == [False, repeated]


def test_the_same_arguments_of_another_tool_are_no_repetition() -> None:
    given = trajectory(says("", seen(call("flip")), seen(call("crop"))))
    assert not any(one.repeated for one in diagnose(given).calls)


def test_tokens_and_seconds_are_of_requests_probes_and_calls() -> None:
    observation = Observation(call(), CallOutcome.EXECUTED, seconds=0.5)
    first = Turn(observations=(observation,), usage=Usage(100, 20), probe_usage=Usage(30, 1), latency=2.0)
    found = diagnose(trajectory(first, Turn(usage=Usage(200, None), latency=1.0)))
    assert (found.tokens, found.seconds, found.turns) == (351, 3.5, 2)


def test_what_was_not_recorded_is_not_zero() -> None:
    found = diagnose(trajectory(says("answer: 3")))
    assert (found.tokens, found.seconds) == (None, None)
    assert diagnose(Trajectory((), None)).turns == 0


@pytest.mark.parametrize("known", [None, True])
def test_nothing_is_attributed_unless_the_answer_is_known_to_be_wrong(known: bool | None) -> None:
    found = attributed(diagnose(BROKEN), BROKEN, final_right=known)
    assert found.attribution is None


def test_without_judges_of_answers_only_tool_use_can_be_told() -> None:
    assert attributed(diagnose(BROKEN), BROKEN, final_right=False).attribution == "tool_use"
    for given in (PRINTED, LEFT_AGAIN, NOT_SEEN):
        assert attributed(diagnose(given), given, final_right=False).attribution is None


def test_a_person_can_set_a_label() -> None:
    labelled = msgspec.structs.replace(of(USELESS), label=ErrorLabel("perception", by="ana", note="looked elsewhere"))
    again = msgspec.json.decode(msgspec.json.encode(labelled), type=Diagnosis)
    assert again == labelled
    assert again.label is not None
    assert again.label.label == "perception"


def test_tally() -> None:
    found = tally([of(given) for given in (GOOD, USELESS, BROKEN, CODE_FAILS, NO_TOOLS)])
    assert (found.trajectories, found.calls) == (5, 9)
    assert found.mean_turns == pytest.approx((3 + 3 + 3 + 3 + 1) / 5)
    assert found.chosen == Rate(7, 8, 7 / 8)  # one call has no name
    assert found.valid == Rate(6, 9, 6 / 9)
    assert found.executed == Rate(4, 9, 4 / 9)
    assert found.changed == Rate(1, 1, 1.0)
    assert found.new_image == Rate(2, 4, 0.5)
    assert found.no_new_evidence == Rate(2, 4, 0.5)
    assert found.repeated == Rate(1, 9, 1 / 9)
    assert found.outcomes == {
        "executed": 4,
        "malformed": 2,
        "unknown_tool": 1,
        "error": 1,
        "stopped": 1,
        "not_run": 0,
        "broken": 0,
    }
    assert list(found.operations.items()) == [("crop", 5), ("rotate", 1), ("zoom", 1)]
    assert found.ended == {"answered": 4, "malformed": 1}
    assert found.attributions == {"tool_use": 3, "unknown": 2}
    assert found.flags["nothing_executed"] == 2


def test_calls_that_nobody_looked_at_are_in_no_rate_of_good_calls() -> None:
    found = tally([of(given) for given in (NEVER_STOPS, OURS)])  # eight that ran, one not run, one that we broke
    assert (found.calls, found.executed) == (10, Rate(8, 10, 0.8))
    assert found.chosen == Rate(9, 9, 1.0)
    assert found.valid == Rate(8, 8, 1.0)


def test_a_tally_of_nothing() -> None:
    found = tally([])
    assert found.executed == Rate(0, 0, None)
    assert found.mean_turns is None


def test_score_against_turns() -> None:
    rows = [("maze", 9, 0.0), ("ocr", 3, 1.0), ("maze", 8, 1.0), ("ocr", 2, None), ("color", 4, None)]
    found = score_against_turns(rows)
    assert [(one.task, one.n, one.turns, one.score, one.scored) for one in found] == [
        ("ocr", 2, 2.5, 1.0, 1),
        ("color", 1, 4.0, None, 0),
        ("maze", 2, 8.5, 0.5, 2),
    ]


def test_examples_in_the_docstrings() -> None:
    assert doctest.testmod(tally_module) == doctest.TestResults(failed=0, attempted=1)
