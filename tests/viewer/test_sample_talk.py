"""Conversations with tools on the page of a sample: every turn and call, and the pictures before and after."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from beholder.store.folder import Blobs
from beholder.viewer import talk as talks
from beholder.viewer.sample_data import Answer, SamplePage
from report.made_conversations import CODE, HOSTILE_TALK, TALKS, conversations
from viewer.shown_runs import page_of


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return conversations(tmp_path_factory.mktemp("talks")).folder


@pytest.fixture(scope="module")
def pages(run: Path) -> list[SamplePage]:
    return [page_of(run, place) for place in range(len(TALKS))]


def answer(pages: list[SamplePage], place: int) -> Answer:
    (one,) = pages[place].answers
    assert one.talk is not None
    return one


def test_a_call_stands_with_the_picture_before_and_the_one_it_made(run: Path, pages: list[SamplePage]) -> None:
    one = answer(pages, 0)
    assert one.talk is not None
    assert one.talk.summary == "2 turns, 1 call: crop ✓"
    assert (one.talk.ending, one.talk.badly) == ("ended: the model answered", False)
    first, last = one.talk.turns
    assert (first.said, first.is_answer) == ("I look closer at the sign.", False)
    assert (last.said, last.is_answer, one.text) == ("", True, "B"), "the answer is the response itself"
    (call,) = first.calls
    assert (call.tool, call.code, call.ok, call.outcome) == ("crop", None, True, "✓")
    assert call.arguments == 'image="image_1", box=[40, 30, 200, 150]'
    assert "clamped" in call.flags
    assert call.before == pages[0].pictures[0]
    (made,) = call.pictures
    assert (made.name, made.width, made.height) == ("image_2", 240, 180)
    assert made.sha256 is not None
    data = Blobs(run).read(made.sha256)
    assert data is not None
    assert hashlib.sha256(data).hexdigest() == made.sha256


def test_code_is_whole_and_an_error_is_none_of_the_good_ones(pages: list[SamplePage]) -> None:
    one = answer(pages, 1)
    assert one.talk is not None
    broken, mended = (turn.calls[0] for turn in one.talk.turns[:2])
    assert (broken.ok, broken.outcome, broken.pictures, broken.before) == (False, "✗ error", [], None)
    assert broken.text.endswith("NameError: name 'cv' is not defined")
    assert mended.code == CODE
    assert [picture.name for picture in mended.pictures] == ["image_2", "image_3"]
    assert one.talk.turns[0].stated == "C"
    assert one.talk.answers == "C → B"


ENDINGS = [
    (3, "ended: the same call came too often"),
    (5, "ended: the budget of turns was used up"),
    (8, "ended: a request failed"),
]


@pytest.mark.parametrize(("place", "ending"), ENDINGS)
def test_an_ending_without_an_answer_is_told(pages: list[SamplePage], place: int, ending: str) -> None:
    talk = answer(pages, place).talk
    assert talk is not None
    assert (talk.ending, talk.badly) == (ending, True)
    assert not any(turn.is_answer for turn in talk.turns)


def test_a_call_that_shows_nothing_new_is_flagged(pages: list[SamplePage]) -> None:
    talk = answer(pages, 7).talk
    assert talk is not None
    assert "no new evidence" in talk.turns[0].calls[0].flags


def test_the_prompt_is_what_opened_the_conversation(pages: list[SamplePage]) -> None:
    one = answer(pages, 1)
    assert "assistant" not in [message.role for message in one.prompt]
    assert "Item 1:" in "".join(message.text for message in one.prompt)


def test_hostile_talk_is_as_it_was_said(pages: list[SamplePage]) -> None:
    one = answer(pages, 6)
    assert one.talk is not None
    turn = one.talk.turns[0]
    sound = HOSTILE_TALK.encode("utf-8", "backslashreplace").decode().strip()
    assert turn.said == sound
    assert turn.calls[0].code is not None
    assert turn.calls[0].code.startswith("# hostile")
    assert "<script>" in turn.calls[0].text


def test_a_long_conversation_has_its_beginning_and_its_end(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talks, "FIRST_TURNS", 2)
    monkeypatch.setattr(talks, "LAST_TURNS", 1)
    monkeypatch.setattr(talks, "CALLS", 1)
    monkeypatch.setattr(talks, "PICTURES", 1)
    # The last call was not run: the budget was used up.
    talk = page_of(run, 5).answers[0].talk
    assert talk is not None
    assert ([turn.number for turn in talk.turns], talk.more) == ([1, 2, 6], 3)
    assert [(len(turn.calls[0].pictures), turn.calls[0].more) for turn in talk.turns] == [(1, 0), (0, 1), (0, 0)]
    two = page_of(run, 4).answers[0].talk
    assert two is not None
    assert (len(two.turns[0].calls), two.turns[0].more) == (1, 1)
