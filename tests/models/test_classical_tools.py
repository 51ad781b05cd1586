"""The tool-using classical solver: families through the real loop, evidence withheld, errors, protocols."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import msgspec
import PIL.Image
import pytest
from tool_talks import ARMS, PYTHON, TIR, Talk, png, question, talk, value, withheld

from beholder.benchmarks.benchmark import LoadOptions
from beholder.benchmarks.tir.rotation import angles_of
from beholder.errors import Owner, UsageError
from beholder.models import make_model
from beholder.models.bad_tools import BAD_KINDS
from beholder.models.classical import solved
from beholder.models.classical_tools import ClassicalToolsModel, conversation_hash, reply
from beholder.sample import Ask, ImageRef, Message, Sample, TextPart, ToolCall
from beholder.synth.dataset import write_dataset
from beholder.synth.families import FAMILIES
from beholder.synth.generate import draws_for


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Sample]]:
    """Two items of each family, at level 2: what they show still needs a closer look."""
    folder = write_dataset(draws_for(list(FAMILIES), 2, 7, (2,)), tmp_path_factory.mktemp("made") / "set")
    samples: dict[str, list[Sample]] = {}
    for sample in TIR.load(Path(folder), LoadOptions()):
        samples.setdefault(str(sample.metadata["task"]), []).append(sample)
    return samples


_HELD: dict[str, Talk] = {}


def with_python(sample: Sample) -> Talk:
    """The conversation with Python alone, held once a sample."""
    if sample.key not in _HELD:
        _HELD[sample.key] = talk("classical-tools", sample, "python")
    return _HELD[sample.key]


@pytest.mark.slow
@pytest.mark.parametrize("task", [task for task in FAMILIES if task != "rotation_game"])
def test_programs_give_the_right_answer_and_nothing_else_does(task: str, made: dict[str, list[Sample]]) -> None:
    for sample in made[task]:
        held = with_python(sample)
        assert value(sample, held.response.text) == 1.0, (held.response.text, held.last.messages[-1])
        assert 2 <= len(held.turns) <= 4
        assert all(turn.said for turn in held.turns)
        blind = reply(withheld(held.last, pictures=True, text=True))
        assert blind.text == solved(sample, at_a_glance=True)


# What is left to go by if one kind of evidence is withheld: text, pictures, or either.
PRINTED = ("symbolic", "maze", "jigsaw", "instrument")
SHOWN = ("ocr", "contrast", "visual_search")
EITHER = ("spot_difference", "refcoco")


@pytest.mark.parametrize("task", [*PRINTED, *SHOWN, *EITHER])
def test_one_kind_of_evidence_is_used_without_the_other(task: str, made: dict[str, list[Sample]]) -> None:
    for sample in made[task]:
        held = with_python(sample)
        full, static = held.response.text, solved(sample, at_a_glance=True)
        unprinted = reply(withheld(held.last, pictures=False, text=True)).text
        unseen = reply(withheld(held.last, pictures=True, text=False)).text
        assert unprinted == (static if task in PRINTED else full)
        assert unseen == (static if task in SHOWN else full)


@pytest.mark.parametrize("task", ["symbolic", "math", "word_search", "ocr", "maze", "contrast", "spot_difference"])
def test_visual_tools_are_enough_where_a_closer_look_is(task: str, made: dict[str, list[Sample]]) -> None:
    for sample in made[task]:
        held = talk("classical-tools", sample, "visual")
        assert value(sample, held.response.text) == 1.0
        assert {one.call.name for turn in held.turns for one in turn.observations} <= {"rotate", "adjust", "split_grid"}
        assert {one.outcome.value for turn in held.turns for one in turn.observations} == {"executed"}
        assert reply(withheld(held.last, pictures=True, text=True)).text == solved(sample, at_a_glance=True)


@pytest.mark.parametrize("task", list(FAMILIES))
def test_without_tools_it_answers_what_static_does(task: str, made: dict[str, list[Sample]]) -> None:
    for sample in made[task]:
        given = reply(question(sample))
        assert (given.text, given.calls) == (solved(sample, at_a_glance=True), ())


def test_swapped_observations_lead_to_the_other_items_answer(made: dict[str, list[Sample]]) -> None:
    one, other = made["spot_difference"]
    other_talk = with_python(other)
    messages = (*question(one).messages, *other_talk.last.messages[1:])
    swapped = Ask(sample=one, messages=(*messages[:2], _text_only(messages[2])))
    counts = "how many patches" in one.question
    told = _text_only(messages[2]).parts[0].text.partition("result: ")[2].partition("\n")[0]
    assert reply(swapped).text == (str(len(told.split(","))) if counts else told)


def _text_only(message: Message) -> Message:
    return msgspec.structs.replace(message, parts=message.parts[:1])


def test_the_text_protocol_does_as_well(made: dict[str, list[Sample]]) -> None:
    sample = made["maze"][0]
    held = talk("classical-tools", sample, "both", text=True)
    assert value(sample, held.response.text) == 1.0
    assert [one.call.name for turn in held.turns for one in turn.observations] == ["python", "python"]
    asked = Message("user", (TextPart("What is your answer so far? Do not call a tool now."),))
    probe = msgspec.structs.replace(held.last, messages=(*held.last.messages[:4], asked))
    assert "<tool_call>" not in str(reply(probe).text)


HINT = "\n\nYou may turn the picture with the tool `rotate`."
EACH = "\n\nTurn the picture by the angle of each option, one call for each, before you answer."
# arm, what the prompt adds, calls
ROTATIONS = [
    ("rotate", "", 2),
    ("rotate", HINT, 2),
    ("rotate", EACH, 6),
    ("python", "", 2),
    ("python", HINT, 2),
    ("python", EACH, 6),
]


@pytest.mark.slow
@pytest.mark.parametrize("arm, after, calls", ROTATIONS)
def test_how_often_it_turns_follows_from_the_prompt(
    arm: str, after: str, calls: int, made: dict[str, list[Sample]]
) -> None:
    sample = made["rotation_game"][0]
    held = talk("classical-tools", sample, arm, after=after)
    observations = [one for turn in held.turns for one in turn.observations]
    assert len(observations) == calls
    assert {one.outcome.value for one in observations} == {"executed"}
    assert held.response.text in ("A", "B", "C", "D", "E", "F")
    if arm == "rotate":
        asked = [json.loads(one.call.arguments) for one in observations]
        assert {one["direction"] for one in asked} == {"clockwise"}
        assert len({one["degrees"] for one in asked}) == calls


def test_after_a_program_that_failed_it_looks_in_parts_and_then_gives_up(made: dict[str, list[Sample]]) -> None:
    sample = made["symbolic"][0]
    ask = msgspec.structs.replace(question(sample), tools=(PYTHON,))
    for failed in (False, True):
        given = reply(ask)
        assert str(given.text).startswith("That failed.") == failed
        (call,) = given.calls
        messages = (
            Message("assistant", (TextPart(given.text or ""),), calls=(call,)),
            Message("tool", (TextPart("NameError: name 'np' is not defined"),), answers=call.id),
        )
        ask = msgspec.structs.replace(ask, messages=(*ask.messages, *messages))
    assert reply(ask) == reply(question(sample))


def test_a_placebo_brings_it_to_what_static_says(made: dict[str, list[Sample]]) -> None:
    for task in ("contrast", "maze", "ocr"):
        sample = made[task][0]
        ask = msgspec.structs.replace(question(sample), tools=ARMS["both"])
        for _ in range(12):
            given = reply(ask)
            if not given.calls:
                break
            told = Message("tool", (TextPart("Done."),), answers=given.calls[0].id)
            said = Message("assistant", (TextPart(given.text or ""),), calls=given.calls)
            ask = msgspec.structs.replace(ask, messages=(*ask.messages, said, told))
        assert (given.text, given.calls) == (solved(sample, at_a_glance=True), ())


def test_requests_are_told_apart_by_everything_said_and_made(made: dict[str, list[Sample]]) -> None:
    plain = question(made["maze"][0])
    blank = ImageRef("image_2", data=png(PIL.Image.new("RGB", (9, 9))))
    asks = [
        plain,
        msgspec.structs.replace(plain, vote=1),
        msgspec.structs.replace(plain, tools=(PYTHON,)),
        msgspec.structs.replace(plain, made=(blank,)),
        msgspec.structs.replace(plain, messages=(*plain.messages, Message("assistant", (TextPart("x"),)))),
    ]
    assert len({conversation_hash("classical-tools", ask) for ask in asks}) == len(asks)


def test_it_is_a_model_and_a_fault_of_it_is_ours(
    made: dict[str, list[Sample]], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make_model("classical-tools", TIR, seed=0, endpoint=None)
    assert isinstance(model, ClassicalToolsModel)
    assert (model.remote, model.identity()) == (False, {"wire": "fake", "model": "classical-tools"})
    with pytest.raises(UsageError, match="knows tir"):
        ClassicalToolsModel("classical-tools", "tfq")

    def breaks(ask: Ask) -> None:
        raise IndexError("x\ny")

    monkeypatch.setattr("beholder.models.classical_tools.reply", breaks)
    (prepared,) = model.prepare([question(made["maze"][0])])
    given = asyncio.run(model.send(prepared))
    assert given.failure is not None
    assert (given.failure.owner, given.request_hash) == (Owner.US, prepared.request_hash)
    assert "IndexError" in given.failure.message
    assert "\n" not in given.failure.message


# kind, arm, calls, how it ended, outcomes, flags that all calls have
BAD = [
    ("wrong-direction", "both", 1, "answered", {"executed"}, set()),
    ("wrong-direction", "python", 1, "answered", {"executed"}, set()),
    ("useless", "both", 2, "answered", {"executed"}, {"no_new_evidence"}),
    ("useless", "python", 2, "answered", {"executed"}, {"no_new_evidence"}),
    ("never-stops", "both", 20, "turns", {"executed", "not_run"}, set()),
    ("malformed", "both", 4, "malformed", {"malformed", "unknown_tool"}, set()),
]


@pytest.mark.parametrize("kind, arm, calls, ended, outcomes, flags", BAD)
def test_bad_tool_users_go_wrong_as_they_are_named(
    kind: str,
    arm: str,
    calls: int,
    ended: str,
    outcomes: set[str],
    flags: set[str],
    made: dict[str, list[Sample]],
) -> None:
    held = talk(f"bad-tools/{kind}", made["rotation_game"][0], arm)
    conduct = held.response.conduct
    assert conduct is not None
    assert (conduct.calls, conduct.ended) == (calls, ended)
    observations = [one for turn in held.turns for one in turn.observations]
    assert {one.outcome.value for one in observations} == outcomes
    assert all(flags <= set(one.flags) for one in observations)
    again = talk(f"bad-tools/{kind}", made["rotation_game"][0], arm)
    assert [turn.text for turn in again.turns] == [turn.text for turn in held.turns]


# arm, tool, the sense that is asked for, how the call turns: degrees counterclockwise (Pillow's sense)
WAYS = [("rotate", "rotate", "CLOCKWISE", 1), ("rotate", "rotate", "COUNTER-CLOCKWISE", -1)]
WAYS += [("python", "python", "CLOCKWISE", 1), ("python", "python", "COUNTER-CLOCKWISE", -1)]


@pytest.mark.parametrize(("arm", "tool", "sense", "sign"), WAYS)
def test_the_wrong_direction_is_a_turn_of_the_right_size_against_what_is_asked(
    arm: str, tool: str, sense: str, sign: int, made: dict[str, list[Sample]]
) -> None:
    first = made["rotation_game"][0]
    parts = [
        TextPart(part.text.replace("CLOCKWISE", sense)) if isinstance(part, TextPart) else part for part in first.parts
    ]
    held = talk("bad-tools/wrong-direction", msgspec.structs.replace(first, parts=tuple(parts)), arm)
    turn = held.turns[0]
    call: ToolCall = turn.observations[0].call
    letter = solved(first, at_a_glance=True)
    degrees = angles_of(first.question)[letter]
    assert turn.said == f"I will turn the picture {sense.lower().replace('-', '')} by {degrees:g}°."
    if tool == "rotate":
        assert json.loads(call.arguments) == {
            "degrees": degrees,
            "direction": "counterclockwise" if sign > 0 else "clockwise",
        }
    else:
        assert f"image_1.rotate({sign * degrees:g}, " in json.loads(call.arguments)["code"]
    assert held.response.text in angles_of(first.question)
    assert held.response.text != letter, "the turned picture did not stand upright"


def test_without_tools_the_wrong_direction_answers_as_it_estimates(made: dict[str, list[Sample]]) -> None:
    sample = made["rotation_game"][0]
    model = make_model("bad-tools/wrong-direction", TIR, seed=0, endpoint=None)
    (prepared,) = model.prepare([question(sample)])
    assert asyncio.run(model.send(prepared)).text == solved(sample, at_a_glance=True)


@pytest.mark.parametrize("kind", BAD_KINDS)
def test_the_run_of_a_bad_tool_user_keeps_the_pictures(kind: str, made: dict[str, list[Sample]]) -> None:
    model = make_model(f"bad-tools/{kind}", TIR, seed=0, endpoint=None)
    (prepared,) = model.prepare([question(made["maze"][0])])
    assert len(prepared.blobs) == len(made["maze"][0].images) > 0


def test_unknown_kinds_of_bad_tool_users_are_refused() -> None:
    with pytest.raises(UsageError, match="wrong-direction, useless"):
        make_model("bad-tools/lazy", TIR, seed=0, endpoint=None)
    with pytest.raises(UsageError, match="bad-tools/KIND"):
        make_model("bad-tools", TIR, seed=0, endpoint=None)
