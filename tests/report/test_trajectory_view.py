"""What a reader is told of a trajectory: which picture a call was about, what is text and what names a picture."""

from __future__ import annotations

import doctest
import json

import pytest

from beholder.benchmarks import benchmark
from beholder.report import trajectory_report, trajectory_view
from beholder.report.stated_answers import Stated, answer_reader, judge_of, stated_answers
from beholder.report.trajectory_view import View, answers_in_words, calls_in_words, view_of
from beholder.sample import ChoiceTarget, NumberTarget, Sample, Target, TextPart, ToolCall
from beholder.tools.diagnosis import diagnose
from beholder.trajectory import CallOutcome, Ended, Observation, Trajectory, Turn

SHA = "a" * 64


def observation(name: str = "crop", arguments: str = "{}", **more: object) -> Observation:
    return Observation(ToolCall("id", name, arguments), **{"outcome": CallOutcome.EXECUTED, **more})  # type: ignore[arg-type]


def view(*turns: Turn, own: int = 1, ended: Ended | None = Ended.ANSWERED, stated: tuple[Stated, ...] = ()) -> View:
    trajectory = Trajectory(turns, ended)
    return view_of(trajectory, diagnose(trajectory), stated or tuple(Stated() for _ in turns), own)


def made(text: str, number: int = 1) -> Observation:
    return observation(text=text, images=(SHA,) * number)


TEXTS = [
    ("one", made("Cropped.\nimage_2: 40x30 pixels"), "Cropped.", ["40x30"]),
    ("two", made("image_2: 40x30 pixels\nimage_3: 4x3 pixels", 2), "", ["40x30", "4x3"]),
    ("printed by code", made("image_2: 9x9 pixels\nimage_2: 40x30 pixels"), "image_2: 9x9 pixels", ["40x30"]),
    ("another number", made("image_7: 40x30 pixels"), "image_7: 40x30 pixels", [""]),
    ("told otherwise", made("<image>"), "<image>", [""]),
    ("fewer lines than pictures", made("image_3: 4x3 pixels", 2), "image_3: 4x3 pixels", ["", ""]),
    ("no picture", observation(text="image_2: 40x30 pixels"), "image_2: 40x30 pixels", []),
    ("no text", made(""), "", [""]),
]


@pytest.mark.parametrize(("name", "one", "text", "sizes"), TEXTS, ids=[row[0] for row in TEXTS])
def test_the_lines_that_name_new_pictures_are_told_from_what_a_tool_printed(
    name: str, one: Observation, text: str, sizes: list[str]
) -> None:
    (call,) = view(Turn(observations=(one,))).calls
    assert (call.text, [picture.size for picture in call.pictures]) == (text, sizes)
    assert [picture.number for picture in call.pictures] == list(range(2, 2 + len(sizes)))


BEFORE = [
    ("named", "crop", '{"image": "image_2"}', "image_2"),
    ("the default", "crop", '{"box": [1, 2, 3, 4]}', "image_1"),
    ("not there", "crop", '{"image": "image_9"}', "image_1"),
    ("not there, then one that is", "difference", '{"image": "image_9", "other": "image_3"}', "image_3"),
    ("malformed", "crop", "crop image_2 please", "image_2"),
    ("code that names one", "python", json.dumps({"code": "image_1.rotate(90)"}), "image_1"),
    ("code that uses one", "python", json.dumps({"code": "# image_3\nimage_2.show()"}), "image_2"),
]


@pytest.mark.parametrize(("name", "tool", "arguments", "before"), BEFORE, ids=[row[0] for row in BEFORE])
def test_the_picture_that_a_call_was_about(name: str, tool: str, arguments: str, before: str) -> None:
    first = Turn(observations=(made("image_3: 1x1 pixels"),))
    call = list(view(first, Turn(observations=(observation(tool, arguments),)), own=2).calls)[-1]
    assert call.before is not None
    assert call.before.name == before


# the pieces of code of a conversation in order; the picture that the last one is about, of three that are there
TURN = "def turn(by):\n    image_1.rotate(by).show()"
CODES = [
    ("uses one", ["image_2.show()"], "image_2"),
    ("uses two", ["difference(image_3, image_1)"], "image_3"),
    ("names another in a comment and in a text", ["# image_2\nprint('image_3')\nimage_1.show()"], "image_1"),
    ("gives one a name of ours", ["image_2 = image_1.rotate(90)\nimage_2.show()"], "image_1"),
    ("gives one a name of its own", ["p = image_2\np.rotate(90).show()"], "image_2"),
    ("uses a name of an earlier call", ["p = image_2.rotate(9)", "p.show()"], "image_2"),
    ("uses a name that was made of a name", ["p = image_2", "q = p.rotate(9)", "q.show()"], "image_2"),
    ("calls a function of an earlier call", [TURN, "for by in (9, 30):\n    turn(by)"], "image_1"),
    ("only defines a function", [TURN], None),
    ("defines a function of another picture than it uses", [TURN + "\nimage_2.show()"], "image_2"),
    ("gives a name anew", ["p = image_2", "p = 3", "print(p)"], None),
    ("names one in a text only", ["clearer(globals()['image_2'])"], "image_2"),
    ("uses none", ["print(1)"], None),
    ("one that is not there", ["image_9.show()"], None),
    ("one that it made itself", ["image_9 = image_1.rotate(1)", "image_9.show()"], "image_1"),
    ("is no Python", ["image_2.rotate("], "image_2"),
    ("is no Python, and names none", ["rotate("], None),
]


@pytest.mark.parametrize(("name", "codes", "before"), CODES, ids=[row[0] for row in CODES])
def test_the_picture_that_code_is_about(name: str, codes: list[str], before: str | None) -> None:
    turns = [Turn(observations=(observation("python", json.dumps({"code": code})),)) for code in codes]
    call = list(view(*turns, own=3).calls)[-1]
    assert (call.before.name if call.before is not None else None) == before


def test_a_call_about_nothing_has_no_picture_before_it() -> None:
    (call,) = view(Turn(observations=(observation("python", '{"code": "1"}'),)), own=0).calls
    assert call.before is None


ARGUMENTS = [
    ("of a tool", "crop", '{"image": "image_1", "box": [1,2]}', None, 'image="image_1", box=[1, 2]'),
    ("code", "python", '{"code": "a\\nb"}', "a\nb", 'code="a\\nb"'),
    ("code that is no text", "python", '{"code": 7}', None, "code=7"),
    ("a tool that has code too", "crop", '{"code": "a"}', None, 'code="a"'),
    ("no JSON", "crop", "{box: 1", None, "{box: 1"),
    ("a list", "crop", "[1]", None, "[1]"),
    ("nested without end", "crop", "[" * 100_000, None, "[" * 100_000),
    ("none", "crop", "", None, ""),
]


@pytest.mark.parametrize(("name", "tool", "written", "code", "line"), ARGUMENTS, ids=[row[0] for row in ARGUMENTS])
def test_arguments_are_code_or_one_line(name: str, tool: str, written: str, code: str | None, line: str) -> None:
    (call,) = view(Turn(observations=(observation(tool, written),))).calls
    assert (call.code, call.arguments) == (code, line)


def test_the_summary_counts_turns_and_calls_and_names_outcomes() -> None:
    turns = (
        Turn(observations=(observation("python", outcome=CallOutcome.EXECUTED),)),
        Turn(observations=(observation("python", outcome=CallOutcome.ERROR),)),
        Turn(said="B"),
    )
    assert view(*turns).summary == "3 turns, 2 calls: python ✓, python ✗ error"
    assert view(Turn(said="B")).summary == "1 turn, no calls"


def test_equal_calls_in_a_row_are_counted_and_many_are_cut() -> None:
    names = ["a", "a", "a", "b", "c", "d", "e", "f", "g", "h", "i", "i"]
    calls = list(view(Turn(observations=tuple(observation(name) for name in names))).calls)
    assert calls_in_words(calls) == "a ✓ ×3, b ✓, c ✓, d ✓, e ✓, f ✓, g ✓, h ✓, and 2 more"
    assert calls_in_words(list(view(Turn(observations=(observation(""),))).calls)) == "(no name) ✓"


def test_the_answers_on_the_way_stand_in_their_order() -> None:
    stated = (Stated("C", "A"), Stated(None, None), Stated("B"))
    assert answers_in_words(view(Turn(), Turn(), Turn(), stated=stated)) == "C → A → B"
    assert answers_in_words(view(Turn(), stated=(Stated("B"),))) == "", "one answer does not change"
    many = tuple(Stated(str(number)) for number in range(30))
    assert answers_in_words(view(*(Turn() for _ in many), stated=many)).startswith("0 → 1 → 2 → 3 → 4 → 5 → … → 24 → ")


def sample(target: Target, options: tuple[str, ...] = ()) -> Sample:
    parts = (TextPart("How far?\nA. x\nB. y"),)
    return Sample(key="k-0", index=0, benchmark="tir", images=(), parts=parts, target=target, options=options)


SAID = [
    ("talk with a number in it", "Let me turn it by 90 degrees.", None),
    ("declared", "The answer is 72. I check with a crop of 10 pixels, to be sure.", "72"),
    ("boxed", r"So far \boxed{71}, but let me look.", "71"),
    ("no answer yet", "I cannot tell yet.", None),
]


@pytest.mark.parametrize(("name", "said", "answer"), SAID, ids=[row[0] for row in SAID])
def test_a_message_on_the_way_states_an_answer_only_where_it_declares_one(
    name: str, said: str, answer: str | None
) -> None:
    trajectory = Trajectory((Turn(said=said, observations=(observation(),)), Turn(said="72")), Ended.ANSWERED)
    reader = answer_reader(benchmark("tir"), sample(NumberTarget("72")), trajectory)
    on_the_way, last = stated_answers(trajectory, reader)
    assert (on_the_way.said, last.said) == (answer, "72")


def test_a_probe_is_an_answer_whatever_its_form() -> None:
    trajectory = Trajectory((Turn(said="Look.", observations=(observation(),), probe="B"), Turn(said="B")), None)
    item = sample(ChoiceTarget("B"), ("x", "y"))
    reader = answer_reader(benchmark("tir"), item, trajectory)
    assert [one.probed for one in stated_answers(trajectory, reader)] == ["B", None]
    judge = judge_of(benchmark("tir"), item)
    assert judge is not None
    assert (judge("B"), judge("A")) == (True, False)


def test_the_examples_in_the_docstrings_hold() -> None:
    for module in (trajectory_view, trajectory_report):
        results = doctest.testmod(module)
        assert results.attempted
        assert not results.failed
