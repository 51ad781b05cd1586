"""Samples of a run that a stranger made: all is bounded, what is odd is passed by, no file of this machine is read."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from beholder.viewer.sample_data import SamplePage
from beholder.viewer.sample_page import MOST_ANSWERS
from viewer.shown_runs import page_of, votes_run


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return votes_run(tmp_path_factory.mktemp("good"))


@pytest.fixture
def run(good: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(good, tmp_path / "runs" / "run"))


def changed(run: Path, *statements: str, **values: Any) -> SamplePage:
    """The page of the first sample after a change of the database; it can be sent, and is not too large for that."""
    with closing(sqlite3.connect(run / "run.db")) as db, db:
        for statement in statements:
            db.execute(statement, values if ":" in statement else ())
    page = page_of(run)
    assert len(msgspec.json.encode(page)) < 8_000_000
    return page


REQUESTS: list[Any] = [
    [],
    None,
    "text",
    {"messages": 3},
    {"messages": [3, None, [], "x"]},
    {"messages": [{"role": 3, "content": {"a": 1}}]},
    {"messages": [{"role": "user", "content": [3, {}, {"type": "image_url"}, {"type": "image", "source": 5}]}]},
    {"messages": [{"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": [1]}]}]}]},
    {"messages": [{"role": "assistant", "tool_calls": [1, {}, {"function": 3}, {"function": {"name": None}}]}]},
    {"system": {"x": []}, "messages": []},
]


@pytest.mark.parametrize("request_body", REQUESTS, ids=range(len(REQUESTS)))
def test_a_request_of_odd_form_is_shown_as_far_as_it_can_be(run: Path, request_body: Any) -> None:
    record = zlib.compress(json.dumps(request_body).encode())
    page = changed(run, "UPDATE requests SET record = :record", record=record)
    assert page.answers[0].prompt


def test_a_request_that_is_no_json_is_made_again(run: Path) -> None:
    page = changed(run, "UPDATE requests SET record = :record", record=zlib.compress(b"[" * 100_000))
    assert page.answers[0].made_again


IMAGES: list[Any] = [
    [{}],
    [{"reasons": 3, "flags": {"a": 1}, "width": [], "sha256": 7}],
    [{"reasons": [None, 1, {}], "format": "x" * 100_000}],
    [{"n_bytes": 10**18}] * 5_000,
]


@pytest.mark.parametrize("images", IMAGES, ids=range(len(IMAGES)))
def test_notes_on_pictures_of_odd_form_are_words(run: Path, images: Any) -> None:
    text = json.dumps(images)
    page = changed(run, "UPDATE responses SET record = json_set(record, '$.images', json(:text))", text=text)
    assert page.pictures[0].sent.startswith("sent as ")
    assert len(page.pictures[0].sent) <= 500


def test_one_that_cannot_be_read_keeps_nobody_from_the_others(run: Path) -> None:
    others = "SELECT r.id FROM responses r JOIN samples s ON s.key = r.key WHERE s.position > 0"
    page = changed(run, f"UPDATE scores SET value = 7 WHERE response IN ({others})")
    assert page.answers
    assert page.place == -1, "there is no list of samples"


def test_a_sample_shows_the_runs_own_pictures_and_no_file(run: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("a secret of this machine")
    names = ["/etc/passwd", str(tmp_path / "secret"), "sha256:../../secret", "sha256:" + "0" * 64, "file:///etc/passwd"]
    text = json.dumps([{"name": f"n{place}", "path": path} for place, path in enumerate(names)])
    page = changed(run, "UPDATE samples SET record = json_set(record, '$.images', json(:text))", text=text)
    assert [shown.name for shown in page.pictures] == [f"n{place}" for place in range(len(names))]
    assert {shown.sha256 for shown in page.pictures} == {None}
    assert "secret" not in "".join(shown.sent for shown in page.pictures)


@pytest.mark.slow
def test_there_may_be_any_number_of_everything(run: Path) -> None:
    pictures = json.dumps([{"name": "x" * 1_000, "path": "sha256:" + "0" * 64}] * 2_000)
    flags = "odd " * 5_000
    page = changed(
        run,
        "UPDATE samples SET record = json_set(record, '$.images', json(:text))",
        "UPDATE scores SET flags = :flags, reason = hex(zeroblob(200000)), extracted = hex(zeroblob(200000))",
        "WITH n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < 60) "
        "INSERT INTO scorers SELECT v + 100, 'scorer ' || v, 'x' FROM n",
        "WITH n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < 60) "
        "INSERT INTO scores SELECT r.id, v + 100, 1, 'scored', 'B', 0, 1, '', '', NULL FROM n, responses r",
        "WITH n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < 500) "
        "INSERT INTO responses SELECT NULL, key, 1000 + v, 0, 0, hex(zeroblob(900)), NULL, '', '{}', NULL "
        "FROM n, samples WHERE position = 0",
        text=pictures,
        flags=flags,
    )
    assert (len(page.answers), page.more) == (MOST_ANSWERS, 6 + 500 - MOST_ANSWERS)
    assert (len(page.pictures), len(page.answers[0].verdicts)) == (64, 40)
    assert max(len(verdict.flags) for verdict in page.answers[0].verdicts) == 40
    assert max(len(verdict.reason) for verdict in page.answers[0].verdicts) == 4_000
