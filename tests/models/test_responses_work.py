"""What the provider's code interpreter did, read out of a reply: turns, outcomes, pictures; what is never fetched."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from beholder.models.provider_work import ProviderCall
from beholder.models.responses_work import MOST_FILES, File, files_wanted, with_files, work_in
from beholder.trajectory import CallOutcome

BASE = "https://api.example/v1"
DATA = "data:image/png;base64," + base64.b64encode(b"pixels").decode()


def code(
    *outputs: dict[str, Any], status: str = "completed", source: str | None = "1 + 1", **more: Any
) -> dict[str, Any]:
    return {
        "type": "code_interpreter_call",
        "id": "ci_1",
        "status": status,
        "code": source,
        "container_id": "cntr_1",
        "outputs": list(outputs),
        **more,
    }


def logs(words: str) -> dict[str, Any]:
    return {"type": "logs", "logs": words}


def image(url: str) -> dict[str, Any]:
    return {"type": "image", "url": url}


def thought(words: str) -> dict[str, Any]:
    return {"type": "reasoning", "summary": [{"type": "summary_text", "text": words}]}


def said(words: str, *cited: dict[str, Any]) -> dict[str, Any]:
    content = {"type": "output_text", "text": words, "annotations": list(cited)}
    return {"type": "message", "role": "assistant", "content": [content]}


def file(file_id: str, name: str = "a.png", container: str = "cntr_1") -> dict[str, Any]:
    return {"type": "container_file_citation", "container_id": container, "file_id": file_id, "filename": name}


def reply(*items: Any) -> bytes:
    return json.dumps({"status": "completed", "output": list(items)}).encode()


def calls(*items: Any) -> list[ProviderCall]:
    return [call for turn in work_in(reply(*items), BASE).turns for call in turn.calls]


def test_a_turn_is_a_stretch_of_thoughts_and_calls() -> None:
    items = (thought("Zoom."), code(), code(), thought("Count."), said("I count."), code(), said("Three: B"))
    turns = work_in(reply(*items), BASE).turns
    assert [(turn.reasoning, turn.text, len(turn.calls)) for turn in turns] == [
        ("Zoom.", None, 2),
        ("Count.", "I count.", 1),
        (None, "Three: B", 0),
    ]


def test_an_answer_without_code_is_one_turn() -> None:
    (turn,) = work_in(reply(thought("Easy."), said("B")), BASE).turns
    assert (turn.reasoning, turn.text, turn.calls) == ("Easy.", "B", ())
    (empty,) = work_in(reply(), BASE).turns
    assert empty.text is None


def test_a_call_is_told_as_one_of_python() -> None:
    (call,) = calls(code(logs("2"), image(DATA), logs("3"), source='print("é")'))
    assert (call.call.id, call.call.name, json.loads(call.call.arguments)) == ("ci_1", "python", {"code": 'print("é")'})
    assert (call.text, call.pictures, call.outcome) == ("2\n3", (b"pixels",), CallOutcome.EXECUTED)


RAISED = (
    "-" * 75 + "\nNameError                                 Traceback (most recent call last)\nCell In[1]\nNameError: x"
)
OUTCOMES: list[tuple[str, dict[str, Any], CallOutcome]] = [
    ("completed", code(logs("fine")), CallOutcome.EXECUTED),
    ("failed", code(status="failed"), CallOutcome.ERROR),
    ("cut off", code(status="incomplete"), CallOutcome.STOPPED),
    ("not done", code(status="interpreting"), CallOutcome.STOPPED),
    ("raised", code(logs(RAISED)), CallOutcome.ERROR),
    ("raised, plainly", code(logs("Traceback (most recent call last):\n  File\nKeyError: 1")), CallOutcome.ERROR),
    ("speaks of one", code(logs("no Traceback (most recent call last) here")), CallOutcome.EXECUTED),
    ("no outputs", code(outputs=None, code=None), CallOutcome.EXECUTED),
]


@pytest.mark.parametrize(("item", "outcome"), [row[1:] for row in OUTCOMES], ids=[row[0] for row in OUTCOMES])
def test_outcomes(item: dict[str, Any], outcome: CallOutcome) -> None:
    (call,) = calls(item)
    assert call.outcome is outcome


NEVER_FETCHED = [
    "http://169.254.169.254/latest/meta-data",
    "http://api.example/v1/containers/c/files/f/content",
    "https://api.example:8443/v1/containers/c/files/f/content",
    "https://api.example.evil/v1/containers/c/files/f/content",
    "https://api.example/v1/containers/../files/f/content",
    "https://api.example/v1/containers/c/files/f/content/x",
    "https://[::1/v1/containers/c/files/f/content",
    "file:///etc/passwd",
    "//api.example/v1/containers/c/files/f/content",
    "",
]


@pytest.mark.parametrize("url", NEVER_FETCHED)
def test_an_address_is_never_fetched(url: str) -> None:
    body = reply(code(image(url)))
    assert files_wanted(body, BASE) == []
    (call,) = calls(code(image(url)))
    assert call.text == "[A picture is not fetched: it is no file of the provider's container.]"


def test_an_address_may_name_a_file_under_the_base_url() -> None:
    body = reply(code(image("https://API.example/v1/containers/c-1/files/f_1/content?x=1")))
    assert files_wanted(body, BASE) == [File("c-1", "f_1")]


@pytest.mark.parametrize("url", ["data:image/png;base64,%%%", "data:image/png;base64,YQ=\n"])
def test_a_data_url_that_holds_none_is_said(url: str) -> None:
    (call,) = calls(code(image(url)))
    assert (call.pictures, call.text) == ((), "[A picture is missing: its text is no base64.]")


def test_cited_files_belong_to_the_last_call_in_their_container() -> None:
    items = (
        code(container_id="cntr_2"),
        thought("More."),
        code(),
        said("B", file("f1"), file("f1"), file("f2", container="cntr_2"), file("f3", container="cntr_9")),
    )
    body = reply(*items)
    assert files_wanted(body, BASE) == [File("cntr_2", "f2"), File("cntr_1", "f1")]
    files: dict[File, bytes | str] = {File("cntr_2", "f2"): b"two", File("cntr_1", "f1"): b"one"}
    kept = [call.pictures for turn in work_in(with_files(body, files), BASE).turns for call in turn.calls]
    assert kept == [(b"two",), (b"one",)]


def test_the_rest_of_a_reply_is_unchanged_by_its_files() -> None:
    body = reply(code(), said("B", file("f1")))
    longer = json.loads(with_files(body + b"\n", {File("cntr_1", "f1"): "HTTP 404"}))
    del longer["beholder_fetched"]
    assert longer == json.loads(body)
    assert with_files(body, {}) is body


def test_a_picture_that_is_shown_and_cited_is_one() -> None:
    body = with_files(reply(code(image(DATA)), said("B", file("f1"))), {File("cntr_1", "f1"): b"pixels"})
    (call,) = (call for turn in work_in(body, BASE).turns for call in turn.calls)
    assert (call.pictures, call.text) == ((b"pixels",), "")


HOSTILE: list[tuple[dict[str, Any], str]] = [
    (file("../../x"), "its name is none"),
    (file("f" * 200), "its name is none"),
    (file("f1", name="table.csv"), "The file table.csv is not fetched: it is no picture"),
    (file("f1", name="x" * 500 + ".exe"), "x" * 100 + " is not fetched"),
    ({"type": "container_file_citation", "container_id": "cntr_1"}, "its name is none"),
]


@pytest.mark.parametrize(("cited", "why"), HOSTILE, ids=range(len(HOSTILE)))
def test_names_of_files_are_hostile(cited: dict[str, Any], why: str) -> None:
    items = code(), said("B", cited)
    assert files_wanted(reply(*items), BASE) == []
    (call,) = calls(*items)
    assert why in call.text


def test_what_a_reply_may_hold_is_bounded() -> None:
    many = [file(f"f{number}") for number in range(40)]
    wanted = files_wanted(reply(code(), said("B", *many)), BASE)
    assert len(wanted) == MOST_FILES
    (call,) = calls(code(*(image("data:image/png;base64," + base64.b64encode(b"%d" % n).decode()) for n in range(50))))
    assert len(call.pictures) == 32
    assert call.text == "[Not kept: 18 more pictures of this call.]"
    (call,) = calls(code(logs("x" * 300_000)))
    assert len(call.text) < 100_100


@pytest.mark.parametrize(
    "item", [code(outputs=3), code(container_id=["x"]), code(id=3), {"type": "message", "content": 3}]
)
def test_nonsense_is_passed_by(item: dict[str, Any]) -> None:
    assert all(call.pictures == () for call in calls(item, 3, None, said("B", file("f1"))))
