"""Histograms and bars: edges that fit, counts that add up, values that are none."""

from __future__ import annotations

import doctest
import json
import math
import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import pytest

from beholder.errors import UsageError
from beholder.score import Outcome, Score
from beholder.store import schema
from beholder.viewer import distributions
from beholder.viewer.distributions import MOST_BINS, Came, bars, histogram, histograms, outcomes
from beholder.viewer.run_data import Bar

_draw = random.Random(7)
VALUES: dict[str, list[float]] = {
    "one": [3.25],
    "equal": [7.0] * 9,
    "zeros and one": [0, 0, 0, 1],
    "a few": [1, 2, 2, 5],
    "two decades": [_draw.uniform(1, 100) for _ in range(500)],
    "skewed": [_draw.lognormvariate(3, 2) for _ in range(2_000)],
    "skewed, whole": [float(int(_draw.lognormvariate(5, 2))) for _ in range(2_000)],
    "far from zero": [123_456 + _draw.random() for _ in range(100)],
    "tiny and huge": [1e-300, 1e-9, 0.0, 1e12],
    "huge": [1e12],
    "a wide line": [float(number) for number in range(1_000)],
}


@pytest.mark.parametrize("unit", ["s", "tokens"])
@pytest.mark.parametrize("name", VALUES)
def test_every_value_is_in_a_bin_between_round_edges(name: str, unit: str) -> None:
    values = VALUES[name] if unit == "s" else [float(math.floor(value)) for value in VALUES[name]]
    if max(values) == 0:
        return
    made = histogram("title", unit, values)
    assert made.edges == sorted(set(made.edges))
    assert 1 <= len(made.counts) <= MOST_BINS
    assert len(made.counts) == len(made.edges) - 1
    assert made.edges[0] <= min(values)
    assert made.edges[-1] >= max(values) == made.most
    for place, number in enumerate(made.counts):
        low, high, last = made.edges[place], made.edges[place + 1], place == len(made.counts) - 1
        assert number == sum(low <= value < high or (last and value == high) for value in values)
    assert sum(made.counts) == made.n == len(values)
    if unit == "tokens":
        assert all(edge == int(edge) for edge in made.edges)


def test_nine_in_ten_are_at_most_p90() -> None:
    for n in range(1, 60):
        values = sorted(_draw.random() for _ in range(n))
        made = histogram("title", "s", values)
        assert sum(value <= made.p90 for value in values) >= 0.9 * n
        assert sum(value < made.p90 for value in values) < 0.9 * n
        assert made.median == pytest.approx((values[(n - 1) // 2] + values[n // 2]) / 2)


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(distributions).failed == 0


@pytest.fixture
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with closing(schema.create(tmp_path_factory.mktemp("db") / "run.db", fsync=False)) as made:
        yield made


def put(db: sqlite3.Connection, records: Sequence[Any]) -> None:
    for number, record in enumerate(records):
        text = record if isinstance(record, str) else json.dumps(record)
        row = (number + 1, f"key-{number}", 0, 0, schema.ANSWERED, "", None, None, text, None)
        db.execute("INSERT INTO responses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)


def test_what_is_not_known_has_no_distribution(db: sqlite3.Connection) -> None:
    put(db, [{"latency": 2.0}, {"usage": {"prompt_tokens": 0}}, {"usage": {"completion_tokens": 5}}, {}])
    assert [(one.title, one.n) for one in histograms(db)] == [("Answer tokens", 1), ("Seconds to the answer", 1)]


ODD: list[Any] = ["x", True, [], {}, None, -3, 10**30, -1e300]


def test_what_is_no_amount_is_left_out(db: sqlite3.Connection) -> None:
    put(db, [{"usage": {"prompt_tokens": value}, "latency": value} for value in [*ODD, 4]])
    assert [(one.title, one.n, one.most) for one in histograms(db)] == [
        ("Prompt tokens", 1, 4),
        ("Seconds to the answer", 1, 4),
    ]


BROKEN = ["{", "[]", "null", "[" * 100_000, '{"usage": 3}', '{"latency": 1e999}']


@pytest.mark.parametrize("record", BROKEN, ids=[text[:20] for text in BROKEN])
def test_a_record_that_is_none_is_told(db: sqlite3.Connection, record: str) -> None:
    put(db, [record])
    with pytest.raises(UsageError, match="responses cannot be read"):
        histograms(db)


def test_a_record_longer_than_any_of_ours_is_passed_by(db: sqlite3.Connection) -> None:
    put(db, [{"latency": 1.0}, {"latency": 2.0, "more": "x" * 200_000}])
    (made,) = histograms(db)
    assert (made.n, made.most) == (1, 1.0)


def test_of_many_responses_some_are_looked_at_and_it_is_said(
    db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distributions, "LOOKED_AT", 10)
    put(db, [{"latency": float(number)} for number in range(1, 36)])
    (made,) = histograms(db)
    assert (made.title, made.n) == ("Seconds to the answer, one response in 3", 11)


SCORES = [
    Score(1, Outcome.SCORED),
    Score(1, Outcome.SCORED),
    Score(0, Outcome.SCORED),
    Score(0.5, Outcome.SCORED),
    Score(0.5, Outcome.TIE),
    *(Score(0, outcome) for outcome in (Outcome.UNPARSED, Outcome.REFUSED, Outcome.TRUNCATED)),
    *(Score(None, outcome) for outcome in (Outcome.FAILED, Outcome.NOT_APPLICABLE)),
]


def test_outcomes_are_counted_as_pages_name_them(db: sqlite3.Connection) -> None:
    db.executemany("INSERT INTO scorers VALUES (?, ?, 'x')", [(1, "strict"), (2, "lenient"), (3, "a stranger's")])
    for number, score in enumerate(SCORES):
        for scorer in (1, 2, 3):
            row = (number, scorer, score.value, score.outcome.value, None, None, None, None, None, None)
            db.execute("INSERT INTO scores VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    came = outcomes(db, ["lenient", "strict", "not there"])
    assert list(came) == ["lenient", "strict"]
    assert came["strict"]["right"] == Came(2, 2, 2.0)
    assert came["strict"]["tie"] == Came(1, 1, 0.5)
    assert came["strict"]["failed"] == Came(1, 0, 0.0)
    counts = {
        "right": 2,
        "partly right": 1,
        "wrong": 1,
        "tie": 1,
        "unparsed": 1,
        "refused": 1,
        "truncated": 1,
        "failed": 1,
        "n/a": 1,
    }
    assert bars(came)[1] == Bar(scorer="strict", counts=counts)
    assert list(bars(came)[1].counts) == list(counts)
