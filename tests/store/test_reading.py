"""Reading a run back: what was scored is what is read, whatever texts models and data sets hold."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.errors import Owner
from beholder.sample import BooleanTarget, Response, Sample, TextPart, Usage
from beholder.score import Outcome, Score, ScoredItem
from beholder.store import reading, schema
from beholder.store.journal import Entry, Journal, storable

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
