"""Reading a run back: what was scored is what is read, whatever texts models and data sets hold."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.errors import Owner
from beholder.sample import BooleanTarget, Failure, Response, Sample, TextPart, Usage
from beholder.score import Outcome, Score, ScoredItem
from beholder.store import reading, schema
from beholder.store.journal import Entry, Journal
from beholder.store.storable import storable

SCORERS = {"strict": "code1", "lenient": "code2"}


def sample(number: int, **facts: object) -> Sample:
    base = Sample(
        key=f"key{number}-0",
        index=number,
        benchmark="tfq",
        images=(),
        parts=(TextPart(f"Statement {number}"),),
        target=BooleanTarget(number % 2 == 0),
    )
    return msgspec.structs.replace(base, **facts)


HOSTILE = st.text(st.characters(codec=None), max_size=30) | st.sampled_from(
    ["", "\x00", "a\x00b", "\ud83d", "\udc80x", "\ud83d\ude00", "'; DROP TABLE scores; --", "\u202e", "x" * 5000]
)
WORDS = st.lists(st.sampled_from(["ambiguous", "no_think", "cap_hit", "empty"]), max_size=3, unique=True).map(tuple)
SCORES = st.builds(
    Score,
    value=st.none() | st.sampled_from([0.0, 1.0]) | st.floats(0, 1),
    outcome=st.sampled_from(list(Outcome)),
    extracted=st.none() | HOSTILE,
    span=st.none() | st.tuples(st.integers(0, 9), st.integers(9, 99)),
    flags=WORDS,
    reason=HOSTILE,
    owner=st.none() | st.sampled_from(list(Owner)),
)
ROWS = st.lists(
    st.tuples(
        st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 2)),
        st.fixed_dictionaries({"strict": SCORES, "lenient": SCORES}),
        st.permutations([0, 1, 2]).map(tuple),
        HOSTILE,
    ),
    min_size=1,
    max_size=12,
    unique_by=lambda row: row[0],
)


def as_stored(text: str | None) -> str | None:
    return text if text is None else text.encode("utf-8", "backslashreplace").decode()


@settings(max_examples=60, deadline=None)
@given(rows=ROWS)
def test_the_rows_read_back_are_what_was_scored(tmp_path_factory: pytest.TempPathFactory, rows: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("rows")
    schema.create(folder / "run.db", fsync=False).close()
    given_scores = {place: scores for place, scores, _, _ in rows}

    def score(sample: Sample, response: Response) -> dict[str, Score]:
        usage = response.usage
        return given_scores[sample.index, usage.prompt_tokens or 0, usage.completion_tokens or 0]

    with Journal(folder, SCORERS, score) as journal:
        for (number, epoch, vote), _, order, text in rows:
            usage = Usage(prompt_tokens=epoch, completion_tokens=vote)
            raw = text.encode("utf-8", "replace")
            response = Response(text=text, reasoning=text, order=order, usage=usage, raw=raw)
            journal.put(Entry(sample(number, group=text, category=text, record_id=text), vote, epoch, response))
    with closing(schema.open_to_read(folder / "run.db")) as db:
        items = reading.scored_items(db)
        responses = {(one.key, one.epoch, one.vote): one for one in reading.responses(db, with_raw=True)}
        whole = {place: reading.scores_of(db, one.number) for place, one in responses.items()}
    assert [(item.index, item.epoch, item.vote) for item in items] == sorted(given_scores)
    by_place = {(item.index, item.epoch, item.vote): item for item in items}
    for (number, epoch, vote), scores, order, text in rows:
        item = by_place[number, epoch, vote]
        place = (f"key{number}-0", epoch, vote)
        assert item.order == order
        assert responses[place].response.text == as_stored(text)
        assert responses[place].response.reasoning == as_stored(text)
        assert (responses[place].response.raw or b"") == text.encode("utf-8", "replace")
        for name, said in scores.items():
            extracted, reason = as_stored(said.extracted), as_stored(said.reason) or ""
            kept = msgspec.structs.replace(said, extracted=extracted, reason=reason)
            assert whole[place][name] == kept
            assert item.scores[name] == msgspec.structs.replace(kept, span=None, reason="")
            assert item.target == ("T" if number % 2 == 0 else "F")
            assert isinstance(item, ScoredItem)


@settings(max_examples=100, deadline=None)
@given(HOSTILE)
def test_any_text_can_be_stored_and_plain_text_as_it_is(text: str) -> None:
    kept = storable(text)
    assert kept is not None
    kept.encode()
    if not any(0xD800 <= ord(char) <= 0xDFFF for char in text):
        assert kept == text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small journal: three samples, two votes each, one failure of every kind."""
    schema.close_for_good(schema.create(tmp_path / "run.db", fsync=False))
    failures = {
        (1, 0): Failure(owner=Owner.PROVIDER, kind="http_500", message="x", retryable=True),
        (1, 1): Failure(owner=Owner.PROVIDER, kind="request", message="x", status=400),
        (2, 0): Failure(owner=Owner.DATA, kind="image", message="x"),
    }
    with Journal(tmp_path, SCORERS, scores_for) as journal:
        for number in range(3):
            for vote in range(2):
                failure = failures.get((number, vote))
                usage = Usage() if failure else Usage(prompt_tokens=100, completion_tokens=7)
                response = Response(
                    text=None if failure else "T",
                    failure=failure,
                    usage=usage,
                    attempts=1 + vote,
                    cached=number == 0,
                )
                named = sample(number, record_id=f"id_{number}%", key=f"{number}abc_def-0")
                journal.put(Entry(named, vote, 0, response))
    return tmp_path


def scores_for(sample: Sample, response: Response) -> dict[str, Score]:
    if response.failure is not None:
        return {name: Score(None, Outcome.FAILED, owner=response.failure.owner) for name in SCORERS}
    return {name: Score(1.0, Outcome.SCORED, "T", (0, 1)) for name in SCORERS}


def test_what_a_run_holds_is_counted(folder: Path) -> None:
    with closing(schema.open_to_read(folder / "run.db")) as db:
        tally = reading.tally(db, len(SCORERS))
        assert (tally.answered, tally.failed, tally.retryable, tally.unscored) == (3, 2, 1, 0)
        assert (tally.prompt_tokens, tally.completion_tokens) == (100, 7)  # two of three came from the cache
        assert (tally.attempts, tally.cached) == (9, 2)
        assert reading.tally(db, len(SCORERS) + 1).unscored == 6


def test_a_resume_asks_again_what_may_now_succeed(folder: Path) -> None:
    with closing(schema.open_to_write(folder / "run.db")) as db:
        assert len(reading.done(db)) == 5  # all but the one that a server could not answer
        assert reading.forget_retryable(db) == 2
        assert reading.forget_retryable(db) == 0
        kept = {("0abc_def-0", 0, 0), ("0abc_def-0", 0, 1), ("1abc_def-0", 0, 1), ("2abc_def-0", 0, 1)}
        assert reading.done(db) == kept
        assert db.execute("SELECT count(*) FROM scores").fetchone() == (8,)


NAMES = [
    ("0abc_def-0", [0]),
    ("1", [1]),
    ("1ab", [1]),
    ("id_2%", [2]),
    ("", [0, 1, 2]),
    ("%", []),
    ("_abc", []),
    ("abc", []),
    ("9" * 18, []),
    ("9" * 30, []),
    ("9" * 6000, []),
    ("²", []),
    ("id", []),
    ("'; DROP TABLE samples; --", []),
]


@pytest.mark.parametrize(("name", "numbers"), NAMES, ids=range(len(NAMES)))
def test_samples_are_found_by_key_position_or_record_id(folder: Path, name: str, numbers: list[int]) -> None:
    with closing(schema.open_to_read(folder / "run.db")) as db:
        assert reading.find_keys(db, name) == [f"{number}abc_def-0" for number in numbers]


def test_a_position_is_tried_only_where_no_key_begins_so(tmp_path: Path) -> None:
    schema.close_for_good(schema.create(tmp_path / "run.db", fsync=False))
    with Journal(tmp_path, SCORERS, scores_for) as journal:
        for number in range(12):
            journal.put(Entry(sample(number, key=f"x{number}"), 0, 0, Response(text="T")))
    with closing(schema.open_to_read(tmp_path / "run.db")) as db:
        assert reading.find_keys(db, "11") == ["x11"]
        assert reading.find_keys(db, "x1") == ["x1", "x10", "x11"]
        assert len(reading.find_keys(db, "x", limit=4)) == 4
        assert [found.index for found in reading.samples(db)] == list(range(12))


def test_responses_of_one_sample_and_those_without_scores(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "run.db")) as db:
        db.execute("DELETE FROM scores WHERE response = 1")
        db.execute("DELETE FROM scores WHERE response = 2 AND scorer = 1")
        db.commit()
    with closing(schema.open_to_read(folder / "run.db")) as db:
        assert [one.vote for one in reading.responses(db, key="1abc_def-0")] == [0, 1]
        assert reading.response_numbers(db, fewer_scores_than=2) == [1, 2]
        assert reading.response_numbers(db, fewer_scores_than=1) == [1]
        assert [one.number for one in reading.responses(db, numbers=[2])] == [2]
        assert [one.number for one in reading.responses(db, numbers=[])] == []
        assert reading.sample(db, "nobody") is None
