"""The loop: what the model is told after each call, what is kept of it, and where a conversation ends."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from typing import Any

import msgspec
import PIL.Image
import pytest
from made_talks import CROP, VISUAL, budget, calls, png, question, says, talk

from beholder.errors import Owner
from beholder.sample import Ask, Failure, ImagePart, ImageRef, Message, Response, TextPart, ToolCall, Usage
from beholder.tools.loop import PROBE, UNREADABLE, UNSENDABLE
from beholder.tools.settings import Arm, Protocol, ToolSettings
from beholder.tools.tool import ToolResult
from beholder.trajectory import CallOutcome, Turn


def outcomes(turn: Turn) -> list[str]:
    return [one.outcome.value for one in turn.observations]


def test_an_answer_at_once_is_a_conversation_of_one_turn() -> None:
    made = talk([says("B")])
    assert made.response.text == "B"
    assert made.response.conduct is not None
    assert (made.response.conduct.turns, made.response.conduct.calls, made.response.conduct.ended) == (1, 0, "answered")
    assert made.turns == [Turn(text="B", said="B", finish="stop", usage=Usage(10, 5))]
    assert [tool.name for tool in made.asks[0].tools][:2] == ["crop", "rotate"]


def test_a_call_is_run_and_its_picture_goes_back_under_its_name() -> None:
    made = talk([calls(("crop", CROP), text="I look closer."), says("B")])
    (turn, last) = made.turns
    (crop,) = turn.observations
    assert crop.outcome is CallOutcome.EXECUTED
    assert crop.text.endswith("image_2: 8x8 pixels")
    (sha256,) = crop.images
    assert hashlib.sha256(made.pictures[sha256]).hexdigest() == sha256
    assert last.said == "B"
    assistant, told = made.asks[1].messages[1:]
    assert assistant == Message("assistant", (TextPart("I look closer."),), calls=(ToolCall("c0", "crop", CROP),))
    assert told == Message("tool", (TextPart(crop.text), ImagePart(1)), answers="c0")
    assert [ref.data for ref in made.asks[1].pictures] == [png(), made.pictures[sha256]]
    assert made.response.usage == Usage(20, 10)
    assert made.response.conduct is not None
    assert (made.response.conduct.turns, made.response.conduct.calls) == (2, 1)


def test_later_calls_see_earlier_pictures_and_each_message_has_its_own() -> None:
    made = talk(
        [
            calls(("crop", CROP), ("rotate", '{"degrees": 90, "direction": "clockwise"}')),
            calls(("crop", '{"image": "image_2", "box": [0, 0, 4, 4]}')),
            says("B"),
        ]
    )
    tools = [message for message in made.asks[-1].messages if message.role == "tool"]
    places = [[part.index for part in message.parts if isinstance(part, ImagePart)] for message in tools]
    assert places == [[1], [2], [3]]
    assert made.turns[1].observations[0].text.endswith("image_4: 4x4 pixels")


def test_what_cannot_be_run_is_told_and_nothing_more() -> None:
    asked = [
        ("rotate", '{"angle": 90,'),  # T53
        ("rotate", '{"degrees": "ninety", "direction": "clockwise"}'),  # T53
        ("rotate", "__import__('os').system('x')"),  # T53
        ("fetch", "{}"),
        ("crop", '{"box": [5, 5, 5, 5]}'),  # T55
    ]
    made = talk([calls(*asked[:3]), calls(*asked[3:]), says("B")])
    assert outcomes(made.turns[0]) == ["malformed"] * 3
    assert outcomes(made.turns[1]) == ["unknown_tool", "error"]
    assert "'fetch'" in made.turns[1].observations[0].text
    assert made.response.text == "B"
    sent = [call.arguments for message in made.asks[1].messages for call in message.calls]
    assert sent == ["{}", asked[1][1], "{}"]  # servers refuse a conversation with arguments that are no JSON
    assert [one.call.arguments for one in made.turns[0].observations] == [text for _, text in asked[:3]]


def test_the_same_picture_again_is_no_new_evidence() -> None:  # T89
    whole = calls(("crop", '{"box": [0, 0, 16, 12]}'))
    made = talk([whole, calls(("crop", CROP)), calls(("crop", '{"image": "image_3", "box": [0, 0, 8, 8]}')), says("B")])
    assert [one.flags for turn in made.turns for one in turn.observations] == [
        ("no_new_evidence",),
        (),
        ("no_new_evidence",),
    ]


ENDINGS: list[tuple[str, dict[str, Any], list[Any], str, int, str | None]] = [
    # (name, budget, script, ended, turns, text)
    ("T54 the same call for ever", {"repeats": 5}, [calls(("crop", CROP), text="B, or not?")], "repeats", 6, None),
    ("T54 other words, same call", {"repeats": 3}, [calls(("crop", CROP)), calls(("crop", '{"box":[0,0,8,8]}'))],
     "repeats", 4, ""),
    ("turns", {"turns": 3}, [calls(("crop", '{"box": [0, 0, 1, 1]}')), calls(("crop", CROP), text="B")],
     "turns", 3, "B"),
    ("tokens", {"tokens": 10}, [calls(("crop", '{"box": [0, 0, 1, 1]}')), calls(("crop", CROP))], "tokens", 2, ""),
    ("broken calls", {"malformed": 4}, [calls(("crop", "{{")), calls(("nope", "{}")), calls(("crop", "["))],
     "malformed", 4, ""),
    ("only turns with nothing usable count", {"malformed": 2}, [calls(("crop", "{{"), ("nope", "{}"), ("crop", "["))],
     "malformed", 2, ""),
    ("T52 the server cannot read them", {}, [Response(finish="MALFORMED_FUNCTION_CALL")], "malformed", 4, ""),
]  # fmt: skip


@pytest.mark.parametrize(("limits", "script", "ended", "turns", "text"), [row[1:] for row in ENDINGS],
                         ids=[row[0] for row in ENDINGS])  # fmt: skip
def test_where_a_conversation_ends(
    limits: dict[str, Any], script: list[Any], ended: str, turns: int, text: str | None
) -> None:
    made = talk(script, budget(**limits))
    assert made.response.conduct is not None
    assert (made.response.conduct.ended, len(made.turns)) == (ended, turns)
    assert made.response.text == (script[0].text if text is None else text)
    assert made.response.calls == ()
    assert len(made.asks) == turns


def test_calls_whose_result_nobody_would_see_are_not_run() -> None:
    made = talk([calls(("crop", CROP))], budget(turns=2, repeats=9))
    assert [outcomes(turn) for turn in made.turns] == [["executed"], ["not_run"]]
    made = talk(
        [calls(*[("crop", f'{{"box": [0, 0, {side}, 2]}}') for side in range(1, 7)]), says("B")], budget(calls=4)
    )
    assert outcomes(made.turns[0]) == ["executed"] * 4 + ["not_run"] * 2
    assert "at most 4 calls" in made.turns[0].observations[-1].text


def test_a_call_that_works_ends_a_row_of_broken_ones() -> None:
    broken, works = calls(("crop", "{{")), calls(("crop", "{{"), ("crop", CROP))
    made = talk([broken, broken, works, broken, broken, says("B")], budget(malformed=3, repeats=9))
    assert made.response.conduct is not None
    assert made.response.conduct.ended == "answered"


def test_four_unreadable_calls_are_counted_and_none_is_run() -> None:  # T52
    made = talk([Response(finish="MALFORMED_FUNCTION_CALL")])
    assert [outcomes(turn) for turn in made.turns] == [["malformed"]] * 4
    assert made.asks[1].messages[-1] == Message("user", (TextPart(UNREADABLE),))


def test_time_is_looked_at_between_turns_and_calls() -> None:
    ticks = itertools.count(step=10)
    made = talk([calls(("crop", CROP))], budget(seconds=75.0, repeats=99), clock=lambda: float(next(ticks)))
    assert made.response.conduct is not None
    assert made.response.conduct.ended == "seconds"
    assert len(made.turns) < 6


def test_a_request_that_fails_ends_it_with_the_failure_and_what_was_spent() -> None:
    gone = Failure(owner=Owner.PROVIDER, kind="http_503", message="busy", status=503, retryable=True)
    made = talk([calls(("crop", CROP)), Response(failure=gone, attempts=8)], attempt=2)
    assert made.response.failure == gone
    assert made.response.conduct is not None
    assert (made.response.conduct.ended, made.response.conduct.attempt, len(made.turns)) == ("failed", 2, 1)
    assert made.response.usage == Usage(10, 5)


def test_a_repeated_call_is_flagged() -> None:
    made = talk([calls(("crop", CROP)), calls(("crop", CROP)), says("B")])
    assert [one.flags for turn in made.turns for one in turn.observations] == [(), ("repeated", "no_new_evidence")]


def shown(ask: Ask) -> list[int]:
    return [part.index for message in ask.messages for part in message.parts if isinstance(part, ImagePart)]


def test_older_pictures_are_left_out_beyond_the_limit() -> None:
    script = [calls(("crop", f'{{"box": [0, 0, {side}, 2]}}')) for side in (1, 2, 3)]
    made = talk([*script, says("B")], budget(pictures=1))
    assert [shown(ask) for ask in made.asks] == [[0], [0, 1], [0, 2], [0, 3]]
    assert [turn.evicted for turn in made.turns] == [(), (), (1,), (1, 2)]
    words = [part.text for part in made.asks[2].messages[2].parts if isinstance(part, TextPart)]
    assert words[-1] == "\n[image_2 is not shown]\n"


def test_a_server_that_finds_a_request_too_long_gets_fewer_pictures() -> None:
    long = Failure(owner=Owner.PROVIDER, kind="request", message="maximum context length is 9 tokens", status=400)

    def script(number: int, ask: Ask) -> Response:
        if len(shown(ask)) > 3:
            return Response(failure=long)
        return calls(("crop", f'{{"box": [0, 0, {number + 1}, 2]}}')) if len(ask.messages) < 12 else says("B")

    made = talk(script)
    assert made.response.text == "B"
    assert max(len(shown(ask)) for ask in made.asks) == 4
    assert made.turns[-1].evicted[:2] == (1, 2)


LONG = Failure(owner=Owner.PROVIDER, kind="request", message="maximum context length is 9 tokens", status=400)
HUGE = Failure(owner=Owner.PROVIDER, kind="request", message="HTTP 413: Payload Too Large", status=413)


@pytest.mark.parametrize("failure", [LONG, HUGE])
def test_a_question_that_is_too_long_fails(failure: Failure) -> None:
    made = talk([Response(failure=failure)])
    assert made.response.failure == failure
    assert len(made.asks) == 1


@pytest.mark.parametrize("failure", [LONG, HUGE])
def test_a_conversation_that_grows_too_long_is_scored_by_what_was_said(failure: Failure) -> None:
    made = talk([calls(("crop", CROP), text="I think it is B."), Response(failure=failure)])
    assert made.response.failure is None
    assert made.response.text == "I think it is B."
    assert made.response.conduct is not None
    assert made.response.conduct.ended == "context"
    assert [shown(ask) for ask in made.asks] == [[0], [0, 1], [0]]


def test_a_picture_that_cannot_be_sent_is_left_out_and_nobody_fails() -> None:
    refused = Failure(owner=Owner.US, kind=UNSENDABLE, message="an aspect of 400")

    def script(number: int, ask: Ask) -> Response:
        if 2 in shown(ask):
            return Response(failure=refused)
        return calls(("crop", f'{{"box": [0, 0, {number + 1}, 2]}}')) if len(ask.messages) < 5 else says("B")

    made = talk(script)
    assert made.response.text == "B"
    assert made.turns[-1].evicted == (2,)
    assert shown(made.asks[-1]) == [0, 1]
    assert made.response.attempts == 4


def test_what_was_said_is_kept_before_its_calls_are_run() -> None:
    made = talk([calls(("crop", CROP), text="I look."), says("B")])
    assert [turn.said for turn in made.early] == ["I look.", "B"]
    assert made.early[0].observations == ()
    assert len(made.turns[0].observations) == 1
    assert [len(responses) for responses in made.kept] == [1, 1]


def test_a_call_that_stands_in_one_message_too_often_is_run_as_often_as_may_be() -> None:
    made = talk([calls(*[("crop", CROP)] * 8), says("B")])
    assert outcomes(made.turns[0]) == ["executed"] * 5 + ["not_run"] * 3
    assert "run 5 times already" in made.turns[0].observations[-1].text
    assert made.response.text == "B"


def test_waiting_for_a_sandbox_is_not_the_models_time() -> None:
    class Waiting(Breaking):
        @property
        def waited(self) -> float:
            return 1e6

    made = talk([says("B")], budget(seconds=1.0), toolset=Waiting(), clock=lambda: 0.0)
    assert made.response.text == "B"
    now = iter([0.0, 1e6 + 0.5, 1e6 + 0.6, 1e6 + 0.7])
    assert talk([says("B")], budget(seconds=1.0), toolset=Waiting(), clock=lambda: next(now)).response.text == "B"


def test_a_tool_that_breaks_is_our_fault_and_the_conversation_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*arguments: object) -> None:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr("beholder.tools.visual.call_visual", breaks)
    made = talk([calls(("crop", CROP)), says("B")])
    (one,) = made.turns[0].observations
    assert one.outcome is CallOutcome.BROKEN
    assert "no fault of yours" in one.text
    assert made.response.text == "B"


def test_a_picture_of_the_question_that_cannot_be_decoded_fails_this_one_only() -> None:
    asked = question()
    torn = png()[:-30] + b"\0" * 10 + png()[-20:]
    sample = msgspec.structs.replace(asked.sample, images=(ImageRef(name="torn.png", data=torn),))
    made = talk([calls(("crop", CROP)), says("B")], ask=msgspec.structs.replace(asked, sample=sample))
    assert made.response.failure is not None
    assert (made.response.failure.owner, made.response.failure.kind) == (Owner.DATA, "image")
    assert len(made.turns) == 1


@pytest.mark.parametrize("bound", ["MOST_BYTES", "MOST_PIXELS"])
def test_a_conversation_holds_no_more_pictures_than_it_may(bound: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"beholder.tools.pictures.{bound}", 40)
    made = talk([calls(*[("crop", f'{{"box": [0, 0, {side}, 8]}}') for side in range(2, 9)]), says("B")])
    ran = [one for one in made.turns[0].observations if one.outcome is CallOutcome.EXECUTED]
    assert 1 <= len(ran) < 7
    assert "as many pictures as it may" in made.turns[0].observations[-1].text


def test_a_probe_that_fails_is_told() -> None:
    def script(number: int, ask: Ask) -> Response:
        if not ask.tools:
            return Response(failure=LONG)
        return calls(("crop", CROP)) if number == 0 else says("B")

    made = talk(script, msgspec.structs.replace(VISUAL, probe=True))
    assert (made.turns[0].probe, made.turns[0].probe_failed) == (None, LONG.message)
    assert made.response.text == "B"


def test_a_last_message_that_used_its_limit_up_was_cut() -> None:
    asks = calls(("crop", CROP))
    cut = Response(text="", usage=Usage(10, 64), max_tokens=64)
    assert talk([asks, cut]).response.finish == "length"
    assert talk([asks, msgspec.structs.replace(cut, max_tokens=65)]).response.finish is None


def test_what_goes_back_in_a_conversation_is_what_servers_take() -> None:
    odd = Response(calls=(ToolCall("a", "functions.crop!", '{"box": NaN}'), ToolCall("a", "", "{}")))
    made = talk([odd, says("B")])
    (assistant,) = [message for message in made.asks[1].messages if message.role == "assistant"]
    assert [(call.id, call.name, call.arguments) for call in assistant.calls] == [
        ("a", "functions_crop_", "{}"),
        ("call_1_2", "unknown", "{}"),
    ]
    assert [one.call.name for one in made.turns[0].observations] == ["functions.crop!", ""]


def test_probes_are_asked_aside() -> None:
    script = [calls(("crop", CROP)), says("A"), calls(("crop", '{"box": [0, 0, 16, 12]}')), says("B")]
    made = talk(script, msgspec.structs.replace(VISUAL, probe=True))
    assert made.asks[1].messages[-1] == Message("user", (TextPart(PROBE),))
    assert made.asks[1].tools == ()
    assert made.aside == [made.asks[1]]
    assert all(PROBE not in str(ask.messages) for ask in (made.asks[2], made.asks[3]))
    assert [turn.probe for turn in made.turns] == ["A", None, None]  # the second call brought nothing new
    assert made.turns[0].probe_usage == Usage(10, 5)
    assert len(made.kept[0]) == 2
    assert made.response.usage == Usage(30, 15)


def test_a_placebo_brings_the_unchanged_picture() -> None:
    made = talk([calls(("crop", "not even JSON")), says("B")], msgspec.structs.replace(VISUAL, placebo=True))
    (one,) = made.turns[0].observations
    assert (one.outcome, one.flags) == (CallOutcome.EXECUTED, ("no_new_evidence",))
    assert one.text == "Done.\nimage_2: 16x12 pixels"


def test_the_text_protocol() -> None:
    settings = ToolSettings(arm=Arm.VISUAL, protocol=Protocol.TEXT)
    call = f'I look.\n<tool_call>{{"name": "crop", "arguments": {CROP}}}</tool_call>'
    made = talk([says(call), says("B")], settings)
    assert made.asks[0].tools == ()
    assert made.asks[0].messages[0].role == "system"
    assert "crop" in str(made.asks[0].messages[0])
    assistant, told = made.asks[1].messages[2:]
    assert assistant == Message("assistant", (TextPart(call),))
    assert told.role == "user"
    assert ImagePart(1) in told.parts
    assert "image_2: 8x8 pixels" in str(told.parts[0])
    assert made.turns[0].said.strip() == "I look."
    assert made.turns[0].observations[0].call.id == "call_1_1"


def test_a_missing_id_is_made_up_and_no_two_are_the_same() -> None:
    nameless = Response(calls=(ToolCall("", "crop", CROP), ToolCall("", "crop", '{"box": [0, 0, 2, 2]}')))
    made = talk([nameless, nameless, says("B")])
    ids = [message.answers for message in made.asks[-1].messages if message.role == "tool"]
    assert ids == ["call_1_1", "call_1_2", "call_2_1", "call_2_2"]


class Breaking:
    """Tools of which one raises; they remember whether they were closed."""

    def __init__(self) -> None:
        self.specs = ()
        self.closed = 0

    @property
    def waited(self) -> float:
        return 0.0

    async def call(self, name: str, arguments: str, pictures: Sequence[PIL.Image.Image]) -> ToolResult:
        raise AssertionError("not reached: there is no such tool")

    async def close(self) -> None:
        self.closed += 1


def test_tools_are_closed_whatever_happens() -> None:
    tools = Breaking()
    talk([says("B")], toolset=tools)
    assert tools.closed == 1

    def broken(number: int, ask: Ask) -> Response:
        raise RuntimeError("a fault of ours")

    with pytest.raises(RuntimeError):
        talk(broken, toolset=tools)
    assert tools.closed == 2


def test_a_conversation_answered_from_the_cache_alone_says_so() -> None:
    def cached(response: Response) -> Response:
        return msgspec.structs.replace(response, cached=True)

    assert talk([cached(calls(("crop", CROP))), cached(says("B"))]).response.cached
    assert not talk([cached(calls(("crop", CROP))), says("B")]).response.cached


def test_two_pictures_of_the_question_come_first() -> None:
    made = talk([calls(("difference", '{"image": "image_1", "other": "image_2"}')), says("B")], ask=question(2))
    assert made.turns[0].observations[0].outcome is CallOutcome.ERROR  # 16 and 17 pixels wide
    assert "17x12" in made.turns[0].observations[0].text
