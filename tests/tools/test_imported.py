from __future__ import annotations

import doctest
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from beholder.errors import DataError, UsageError
from beholder.images.load import load
from beholder.tools import imported
from beholder.tools.diagnosis import diagnose
from beholder.tools.imported import find_runs, read_run, stated_answer
from beholder.trajectory import NO_NEW_EVIDENCE, CallOutcome, Ended

EXAMPLES = Path(__file__).parent / "trajectories"
ASK = {"from": "human", "value": "How many discs are there?"}
LOOK = {"from": "gpt", "value": "<code>\nprint(1)\n</code>"}
TWO_LOOKS = {"from": "gpt", "value": "<code>\nprint(1)\n</code>\n<code>\nprint(2)\n</code>"}
ANSWER = {"from": "gpt", "value": "<answer>3</answer>"}


def seen(value: str) -> dict[str, str]:
    return {"from": "observation", "value": value}


def written(folder: Path, messages: Any) -> Path:
    file = folder / "conversations.json"
    file.write_text(json.dumps(messages), encoding="utf-8")
    return file


def test_a_run_with_an_error() -> None:
    run = read_run(EXAMPLES / "count-discs" / "conversations.json")
    first, second = run.trajectory.observations
    assert (run.name, run.question) == ("count-discs", "How many discs are there?")
    assert [image.name for image in run.images] == ["image_0.png"]
    assert [(image.name, image.width, image.height) for image in run.made] == [("image_1.png", 80, 64)]
    assert (first.outcome, first.images) == (CallOutcome.ERROR, ())
    assert first.text == "Error: cannot unpack non-iterable int object"
    assert (second.outcome, second.text, second.flags) == (CallOutcome.EXECUTED, "(80, 64)", ())
    assert second.images == (run.made[0].sha256,)
    assert json.loads(second.call.arguments)["code"].splitlines()[1:] == ["p.show()", "print(p.size)"]
    assert run.trajectory.ended == Ended.ANSWERED
    assert [turn.said.partition("\n")[0] for turn in run.trajectory.turns] == [
        "I see two discs: \\boxed{2}. I cut them out.",
        "Still \\boxed{2}. Again, with a box.",
        "There is a third one behind them.",
    ]


def test_a_picture_is_known_by_the_bytes_of_its_file() -> None:
    run = read_run(EXAMPLES / "count-discs" / "conversations.json")
    for image in (*run.images, *run.made):
        assert load(image.ref).sha256 == image.sha256


def test_a_run_without_a_picture() -> None:
    run = read_run(EXAMPLES / "no-picture" / "conversations.json")
    (only,) = run.trajectory.observations
    assert (run.question, run.images, run.made) == ("What is 17 times 23?", (), ())
    assert (only.text, only.images, only.flags) == ("391", (), ())


def test_a_picture_that_was_there_already_is_no_new_evidence() -> None:
    run = read_run(EXAMPLES / "same-picture" / "conversations.json")
    assert [(one.outcome, one.text) for one in run.trajectory.observations[:2]] == [(CallOutcome.EXECUTED, "")] * 2
    assert [one.flags for one in run.trajectory.observations] == [(NO_NEW_EVIDENCE,), (NO_NEW_EVIDENCE,), ()]
    assert run.trajectory.observations[2].outcome == CallOutcome.STOPPED
    assert [one.repeated for one in diagnose(run.trajectory).calls] == [False, True, False]


# id, what an observation says, its outcome, its text
TOLD: list[tuple[str, str, CallOutcome, str]] = [
    ("printed", "<interpreter>\nText Result:\n8\nImage Result:\n</interpreter>", CallOutcome.EXECUTED, "8"),
    ("nothing", "<interpreter>\nText Result:\nNone\nImage Result:\n</interpreter>", CallOutcome.EXECUTED, ""),
    ("no-pictures-part", "<interpreter>Text Result:\n8</interpreter>", CallOutcome.EXECUTED, "8"),
    ("bare", "8", CallOutcome.EXECUTED, "8"),
    ("empty", "", CallOutcome.EXECUTED, ""),
    ("error", "<interpreter>Error: no such name</interpreter>\n", CallOutcome.ERROR, "Error: no such name"),
    (
        "late",
        "<interpreter>Error: Execution timed out.</interpreter>",
        CallOutcome.STOPPED,
        "Error: Execution timed out.",
    ),
    ("late-error", "Text Result:\nTimeoutError: 60 s", CallOutcome.STOPPED, "TimeoutError: 60 s"),
    ("last-line", "Text Result:\n1\nValueError: bad\nImage Result:\n", CallOutcome.ERROR, "1\nValueError: bad"),
    (
        "traceback",
        "Text Result:\nTraceback (most recent call last):\n  File\nOops",
        CallOutcome.ERROR,
        "Traceback (most recent call last):\n  File\nOops",
    ),
    ("measured", "Text Result:\nError: 0.25\nImage Result:", CallOutcome.EXECUTED, "Error: 0.25"),
    ("mean-error", "Text Result:\nMean Error: 0.25\nImage Result:", CallOutcome.EXECUTED, "Mean Error: 0.25"),
    ("printed-heading", "Text Result:\nImage Result: 3\nImage Result:\n", CallOutcome.EXECUTED, "Image Result: 3"),
    ("printed-tag", "Text Result:\n<image_clue_7>\nImage Result:", CallOutcome.EXECUTED, "<image_clue_7>"),
]


@pytest.mark.parametrize(("value", "outcome", "text"), [row[1:] for row in TOLD], ids=[row[0] for row in TOLD])
def test_what_an_observation_says(tmp_path: Path, value: str, outcome: CallOutcome, text: str) -> None:
    (found,) = read_run(written(tmp_path, [ASK, LOOK, seen(value), ANSWER])).trajectory.observations
    assert (found.outcome, found.text) == (outcome, text)


# id, messages, how it ended, outcomes
ENDINGS: list[tuple[str, list[dict[str, str]], Ended | None, list[CallOutcome]]] = [
    ("answered", [ASK, ANSWER], Ended.ANSWERED, []),
    ("cut after a call", [ASK, LOOK], None, [CallOutcome.NOT_RUN]),
    ("cut after a result", [ASK, LOOK, seen("1")], None, [CallOutcome.EXECUTED]),
    ("a call without a result", [ASK, LOOK, ANSWER], Ended.ANSWERED, [CallOutcome.NOT_RUN]),
    (
        "two calls",
        [ASK, TWO_LOOKS, seen("1"), seen("Error: 2"), ANSWER],
        Ended.ANSWERED,
        [CallOutcome("executed"), CallOutcome("error")],
    ),
    ("nothing", [ASK], None, []),
]


@pytest.mark.parametrize(
    ("messages", "ended", "outcomes"), [row[1:] for row in ENDINGS], ids=[row[0] for row in ENDINGS]
)
def test_how_it_ended(
    tmp_path: Path, messages: list[dict[str, str]], ended: Ended | None, outcomes: list[CallOutcome]
) -> None:
    found = read_run(written(tmp_path, messages)).trajectory
    assert found.ended == ended
    assert [one.outcome for one in found.observations] == outcomes
    assert [one.call.id for one in found.observations] == [f"call_{n + 1}" for n in range(len(outcomes))]


SHOWS = "Text Result:\nNone\nImage Result:\n<image_clue_1><image></image_clue_1>"
# id, messages, the message that is at fault (0: the file), what is said of it
REFUSED: list[tuple[str, Any, int, str]] = [
    ("no-list", {"from": "human"}, 0, "not a list of messages"),
    ("empty", [], 0, "not a list of messages"),
    ("too-many", [ASK] * (imported.MOST_MESSAGES + 1), 0, "more than 10000 messages"),
    ("no-object", ["hello"], 1, "must be an object"),
    ("no-text", [ASK, {"from": "gpt", "value": 5}], 2, "must be an object"),
    ("no-role", [{"value": "?"}], 1, "must be an object"),
    ("no-question", [ANSWER], 1, "the first message is from 'gpt'"),
    ("two-questions", [ASK, ANSWER, ASK], 3, "'human' cannot stand here"),
    ("other-role", [ASK, {"from": "../../x", "value": ""}], 2, "'../../x' cannot stand here"),
    ("result-first", [ASK, seen("1")], 2, "before the first message of the model"),
    ("no-call", [ASK, ANSWER, seen("1")], 2, "makes 0 calls and 1 observations follow"),
    ("one-of-two", [ASK, TWO_LOOKS, seen("1")], 2, "makes 2 calls and 1 observations follow"),
    ("missing-picture", [ASK, LOOK, seen(SHOWS)], 3, "there is no picture images/image_1.png"),
    (
        "missing-question-picture",
        [{"from": "human", "value": "<image_clue_4></image_clue_4>?"}],
        1,
        "images/image_4.png",
    ),
    ("huge-number", [ASK, LOOK, seen(SHOWS.replace("_1>", f"_{'9' * 50}>"))], 3, "is no picture of a conversation"),
    (
        "not-a-picture",
        [ASK, LOOK, seen("Text Result:\nImage Result:\n../../etc/passwd")],
        3,
        "something that is no picture",
    ),
]


@pytest.mark.parametrize(("messages", "number", "said"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_is_refused(tmp_path: Path, messages: Any, number: int, said: str) -> None:
    file = written(tmp_path, messages)
    with pytest.raises(DataError) as caught:
        read_run(file)
    assert said in caught.value.message
    assert caught.value.where == (f"{file}, message {number}" if number else str(file))


@pytest.mark.parametrize("data", [b"", b"{", b"[" * 100_000, b"\xff\xfe", b'["\\ud800"]', b"1" * 9_000])
def test_a_file_that_is_no_conversation_is_refused(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "conversations.json"
    file.write_bytes(data)
    with pytest.raises(DataError) as caught:
        read_run(file)
    assert caught.value.where == str(file)


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    with file.open("wb") as hole:
        hole.truncate(imported.LARGEST_FILE + 1)
    with pytest.raises(DataError, match="larger than 64 MiB"):
        read_run(file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "conversations.json")
    with pytest.raises(UsageError):
        find_runs(tmp_path)
    with pytest.raises(DataError, match="regular file"):
        read_run(tmp_path / "conversations.json")


def with_picture(folder: Path, data: bytes, name: str = "image_1.png") -> Path:
    (folder / "images").mkdir()
    (folder / "images" / name).write_bytes(data)
    return written(folder, [ASK, LOOK, seen(SHOWS), ANSWER])


def png() -> bytes:
    return (EXAMPLES / "count-discs" / "images" / "image_1.png").read_bytes()


@pytest.mark.parametrize("data", [b"", b"root:x:0:0", png()[:200], png()[:-200] + b"\0" * 200])
def test_a_broken_picture_names_file_and_message(tmp_path: Path, data: bytes) -> None:
    file = with_picture(tmp_path, data)
    with pytest.raises(DataError) as caught:
        read_run(file)
    assert caught.value.where == f"{file}, message 3"
    assert caught.value.message.startswith("images/image_1.png: ")


def test_a_picture_may_have_another_ending(tmp_path: Path) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / "picture.jpg")
    run = read_run(with_picture(tmp_path, (tmp_path / "picture.jpg").read_bytes(), "image_1.jpg"))
    assert [image.name for image in run.made] == ["image_1.jpg"]


def test_too_many_pictures_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imported, "MOST_IMAGES", 1)
    shutil.copytree(EXAMPLES / "count-discs", tmp_path / "run")
    with pytest.raises(DataError, match="more than 1 pictures") as caught:
        read_run(tmp_path / "run" / "conversations.json")
    assert caught.value.where.endswith("message 5")


@given(st.lists(st.tuples(st.sampled_from(["gpt", "observation", "human"]), st.text(max_size=40)), max_size=5))
def test_any_conversation_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    messages = [ASK, *({"from": role, "value": text} for role, text in rows)]
    file = folder / "conversations.json"
    file.write_bytes(json.dumps(messages).encode())
    try:
        turns, where = len(read_run(file).trajectory.turns), ""
    except DataError as error:
        turns, where = -1, error.where
    assert turns == sum(role == "gpt" for role, _ in rows) or where.startswith(f"{file}, message ")


def test_runs_are_found_in_order_of_their_folders(tmp_path: Path) -> None:
    assert [file.parent.name for file in find_runs(EXAMPLES)] == ["count-discs", "no-picture", "same-picture"]
    assert find_runs(EXAMPLES / "no-picture") == [EXAMPLES / "no-picture" / "conversations.json"]
    for nothing in (tmp_path, tmp_path / "not there"):
        with pytest.raises(UsageError, match="there is no conversations"):
            find_runs(nothing)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<answer>\n\\boxed{8}\n</answer>", "8"),
        ("\\boxed{'They are the same size.'}", "they are the same size"),
        ("First \\boxed{2}, now \\boxed{3}", "3"),
        ("<think>\\boxed{2}</think> Hm.", None),
        ("The answer is 8.", None),
        ("\\boxed{}", None),
        ("", None),
    ],
)
def test_stated_answer(text: str, answer: str | None) -> None:
    assert stated_answer(text) == answer


def test_examples_in_the_docstrings() -> None:
    assert doctest.testmod(imported) == doctest.TestResults(failed=0, attempted=1)
