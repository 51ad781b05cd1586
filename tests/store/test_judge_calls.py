"""What judges said, as it lies in a run's database: kept in one transaction, replaced, read back with the response."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from beholder.errors import Owner, UsageError
from beholder.sample import BooleanTarget, Extracted, Failure, Response, Sample, Usage
from beholder.score import Outcome, Score
from beholder.store import judge_calls, reading, schema
from beholder.store.journal import Entry, insert_scores, register_scorers, response_row, sample_record
from beholder.store.judge_calls import EXTRACTION, Asking, JudgeCall
from beholder.store.rows import insert_rows

BUSY = Failure(owner=Owner.JUDGE, kind="http_503", message="busy", status=503, retryable=True)
GONE = Failure(owner=Owner.JUDGE, kind="http_404", message="no such model", status=404)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run folder with three responses (rows 1 to 3), each with one score."""
    db = schema.create(tmp_path / "run.db", fsync=False)
    entries = []
    for number in range(3):
        sample = Sample(
            key=f"k{number}-0", index=number, benchmark="tir", images=(), parts=(), target=BooleanTarget(True)
        )
        entries.append(Entry(sample, 0, 0, Response(text=f"response {number}")))
    insert_rows(db, "INSERT INTO samples", [(one.sample.key, one.sample.index, sample_record(one)) for one in entries])
    insert_rows(db, "INSERT INTO responses", [response_row(number, one) for number, one in enumerate(entries, start=1)])
    ids = register_scorers(db, {"official": "code"})
    insert_scores(db, ids, [(number, {"official": Score(1.0, Outcome.SCORED)}) for number in (1, 2, 3)])
    schema.close_for_good(db)
    return tmp_path


READER = Asking(EXTRACTION, "openai/reader", "p1")
OTHER = Asking(EXTRACTION, "openai/other", "p1")
REWORDED = Asking(EXTRACTION, "openai/reader", "p2")
RUBRIC = Asking("rubric", "openai/reader", "p1")


def call(
    response: int,
    answer: str | None = "B",
    *,
    failure: Failure | None = None,
    replies: tuple[Response, ...] = (),
) -> JudgeCall:
    return JudgeCall(response=response, answer=answer, failure=failure, replies=replies)


def rescored(run: Path) -> None:
    """Every response has its score again, as after a rescore."""
    db = schema.open_to_write(run / "run.db")
    db.execute("DELETE FROM scores")
    ids = register_scorers(db, {"official": "code"})
    insert_scores(db, ids, [(number, {"official": Score(1.0, Outcome.SCORED)}) for number in (1, 2, 3)])
    schema.close_for_good(db)


def by(run: Path) -> list[str | None]:
    """What counts of each response's readings: `judge: answer`, None where it has none."""
    return [None if one is None else f"{one.by}: {one.answer}" for one in extracted(run)]


def asked(run: Path, purpose: str = EXTRACTION) -> tuple[list[tuple[str, str]], list[tuple[int, int, int]]]:
    """Whose calls count, with their prompts; and how many of each were answered, failed, may be tried again."""
    with closing(schema.open_to_read(run / "run.db")) as db:
        whose = sorted((one.judge, one.prompt) for one in judge_calls.counting(db, purpose))
        counted = [one for one in judge_calls.counted(db) if one.purpose == purpose]
    assert [one.judge for one in counted] == [judge for judge, _ in whose]
    return whose, [(one.answered, one.failed, one.retryable) for one in counted]


def extracted(run: Path) -> list[Extracted | None]:
    with closing(schema.open_to_read(run / "run.db")) as db:
        return [one.response.extracted for one in reading.responses(db)]


def scored(run: Path) -> list[int]:
    with closing(schema.open_to_read(run / "run.db")) as db:
        return [row[0] for row in db.execute("SELECT response FROM scores ORDER BY 1")]


def test_a_call_is_read_back_with_its_response_and_takes_its_scores(run: Path) -> None:
    judge_calls.keep(run, READER, [call(2)])
    rescored(run)
    judge_calls.keep(run, READER, [call(1), call(3, None, failure=GONE)])
    assert extracted(run) == [
        Extracted("B", "openai/reader"),
        Extracted("B", "openai/reader"),
        Extracted(None, "openai/reader", GONE),
    ]
    assert scored(run) == [2]
    with closing(schema.open_to_read(run / "run.db")) as db:
        assert [one.response.text for one in reading.responses(db, key="k2-0")] == ["response 2"]
        assert [one.response.extracted for one in reading.responses(db, numbers=[1])] == [
            Extracted("B", "openai/reader")
        ]
    assert asked(run) == ([("openai/reader", "p1")], [(2, 1, 0)])
    assert not (run / "run.db-wal").exists()


def test_a_later_call_replaces_an_earlier_one_by_the_same_judge(run: Path) -> None:
    judge_calls.keep(run, READER, [call(1, "A"), call(1, "C")])
    judge_calls.keep(run, RUBRIC, [call(1, "0.5")])
    judge_calls.keep(run, READER, [call(1, "D")])
    assert by(run) == ["openai/reader: D", None, None]
    with closing(schema.open_to_read(run / "run.db")) as db:
        assert db.execute("SELECT count(*) FROM judge_calls").fetchone() == (2,)
    assert asked(run, "rubric") == ([("openai/reader", "p1")], [(1, 0, 0)])


@pytest.mark.parametrize("second", [OTHER, REWORDED], ids=["another judge", "another prompt"])
def test_another_judges_calls_count_alone_and_the_first_ones_stay(run: Path, second: Asking) -> None:
    judge_calls.keep(run, READER, [call(1, "A"), call(2, "A"), call(3, None, failure=BUSY)])
    rescored(run)
    judge_calls.keep(run, second, [call(1, "B")])
    assert by(run) == [f"{second.judge}: B", None, None], "never two judges in one figure"
    assert scored(run) == [], "what the first one read is no ground for a score any more"
    assert asked(run) == ([(second.judge, second.prompt)], [(1, 0, 0)])
    with closing(schema.open_to_read(run / "run.db")) as db:
        assert judge_calls.settled(db, READER) == {1, 2}
        assert db.execute("SELECT count(*) FROM judge_calls").fetchone() == (4,)

    rescored(run)
    judge_calls.keep(run, second, [call(2, "B")])
    assert by(run)[:2] == [f"{second.judge}: B"] * 2
    assert scored(run) == [1, 3], "its round goes on"

    rescored(run)
    judge_calls.keep(run, READER, [])
    assert by(run) == ["openai/reader: A", "openai/reader: A", "openai/reader: None"]
    assert scored(run) == []
    assert asked(run) == ([("openai/reader", "p1")], [(2, 1, 1)])


def test_no_calls_change_nothing_unless_the_judge_said_something_earlier(run: Path) -> None:
    judge_calls.keep(run, OTHER, [])
    assert (asked(run)[0], scored(run)) == ([], [1, 2, 3])
    judge_calls.keep(run, READER, [call(1)])
    rescored(run)
    for asking in (READER, OTHER, RUBRIC):
        judge_calls.keep(run, asking, [])
        assert by(run) == ["openai/reader: B", None, None]
        assert scored(run) == [1, 2, 3]


A, B, C = (Asking("rubric", name, "p1") for name in "ABC")


def judged_by(run: Path) -> list[str]:
    """What counts of the verdicts on each response: `A: 1 B: 2`."""
    with closing(schema.open_to_read(run / "run.db")) as db:
        rows = list(reading.responses(db))
    return [" ".join(f"{one.judge}: {one.answer}" for one in row.response.judged) for row in rows]


def test_judges_of_one_round_count_together(run: Path) -> None:
    judge_calls.keep(run, A, [call(1, "1"), call(2, "2")], together=(A, B))
    rescored(run)
    judge_calls.keep(run, B, [call(2, "3")], together=(A, B))
    assert judged_by(run) == ["A: 1", "A: 2 B: 3", ""]
    assert scored(run) == [], "what was scored without the second judge is scored again"
    rescored(run)
    judge_calls.keep(run, B, [call(3, "4")], together=(A, B))
    assert scored(run) == [1, 2]
    assert asked(run, "rubric") == ([("A", "p1"), ("B", "p1")], [(2, 0, 0), (2, 0, 0)])


# who is named now, each keeping nothing new → whose verdicts count, after A and B have counted together
NAMED: list[tuple[tuple[Asking, ...], list[str]]] = [
    ((A, B), ["A: 1 B: 2", "", ""]),
    ((A,), ["A: 1", "", ""]),
    ((B,), ["B: 2", "", ""]),
    ((B, C), ["B: 2", "", ""]),
    ((A, B, C), ["A: 1 B: 2", "", ""]),
    ((C,), ["A: 1 B: 2", "", ""]),
]


@pytest.mark.parametrize(
    ("together", "counting"), NAMED, ids=lambda row: "".join(getattr(one, "judge", "") for one in row)
)
def test_those_that_are_named_count_once_one_of_them_has_said_something(
    run: Path, together: tuple[Asking, ...], counting: list[str]
) -> None:
    for asking, answer in ((A, "1"), (B, "2")):
        judge_calls.keep(run, asking, [call(1, answer)], together=(A, B))
    rescored(run)
    for asking in together:
        judge_calls.keep(run, asking, [], together=together)
    assert judged_by(run) == counting
    changed = counting[0] != "A: 1 B: 2"
    assert scored(run) == ([] if changed else [1, 2, 3])

    for asking in (A, B):
        judge_calls.keep(run, asking, [], together=(A, B))
    assert judged_by(run) == ["A: 1 B: 2", "", ""], "both come back unasked"


def test_a_third_judge_joins_or_takes_the_place_of_the_others(run: Path) -> None:
    for asking, answer in ((A, "1"), (B, "2")):
        judge_calls.keep(run, asking, [call(1, answer)], together=(A, B))
    judge_calls.keep(run, C, [call(1, "3")], together=(A, B, C))
    assert judged_by(run)[0] == "A: 1 B: 2 C: 3"
    judge_calls.keep(run, C, [call(2, "4")])
    assert judged_by(run) == ["C: 3", "C: 4", ""]
    judge_calls.keep(run, B, [call(2, "5")], together=(B, C))
    assert judged_by(run) == ["B: 2 C: 3", "B: 5 C: 4", ""]


def test_judges_with_another_purpose_end_no_round(run: Path) -> None:
    judge_calls.keep(run, READER, [call(1)])
    rescored(run)
    judge_calls.keep(run, RUBRIC, [call(2)])
    judge_calls.keep(run, READER, [call(3)])
    assert by(run) == ["openai/reader: B", None, "openai/reader: B"]


# who reads, with which prompt → the responses that are settled
SETTLED: list[tuple[Asking, set[int]]] = [(READER, {1, 2}), (REWORDED, set()), (OTHER, set()), (RUBRIC, {1})]


@pytest.mark.parametrize(("asking", "numbers"), SETTLED)
def test_what_has_nothing_more_to_be_asked(run: Path, asking: Asking, numbers: set[int]) -> None:
    judge_calls.keep(run, READER, [call(1), call(2, None, failure=GONE), call(3, None, failure=BUSY)])
    judge_calls.keep(run, RUBRIC, [call(1, "x")])
    with closing(schema.open_to_read(run / "run.db")) as db:
        assert judge_calls.settled(db, asking) == numbers
    assert asked(run)[1] == [(1, 2, 1)]


@pytest.mark.parametrize("fsync", [False, True])
def test_it_is_written_through_only_if_asked_for(run: Path, monkeypatch: pytest.MonkeyPatch, fsync: bool) -> None:
    opened: list[bool] = []
    usual = schema.open_to_write

    def watched(path: Path, *, fsync: bool = False) -> sqlite3.Connection:
        opened.append(fsync)
        return usual(path, fsync=fsync)

    monkeypatch.setattr(schema, "open_to_write", watched)
    judge_calls.keep(run, READER, [call(1)], fsync=fsync)
    assert opened == [fsync]


def test_replies_are_kept_whole(run: Path) -> None:
    replies = (
        Response(text="", finish="length", max_tokens=1024, usage=Usage(completion_tokens=1024)),
        Response(text="B", finish="stop", raw=b"\x00\xff{}", latency=0.5, cached=True),
        Response(failure=BUSY, attempts=3),
    )
    judge_calls.keep(run, READER, [call(2, replies=replies)])
    with closing(sqlite3.connect(run / "run.db")) as db:
        (text,) = db.execute("SELECT replies FROM judge_calls").fetchone()
    assert msgspec.json.decode(text, type=tuple[Response, ...]) == replies


@pytest.mark.parametrize(
    "text", ["", "\x00", "\u202e\x1b[2J", "漢字", "B" * 1_000_000, '{"a": 1}'], ids=lambda text: ascii(text)[:12]
)
def test_any_text_is_kept_as_it_is(run: Path, text: str) -> None:
    asking = Asking(EXTRACTION, "openai/漢", "p1")
    judge_calls.keep(run, asking, [call(1, text, replies=(Response(text=text),))])
    assert extracted(run)[0] == Extracted(text, "openai/漢")


def test_half_a_surrogate_pair_is_kept_as_its_escape(run: Path) -> None:
    failure = Failure(owner=Owner.JUDGE, kind="http_500", message="no \ud83d")
    calls = [call(1, "B\ud83d", replies=(Response(text="B\ud83d"),)), call(2, None, failure=failure)]
    judge_calls.keep(run, READER, calls)
    first, second, _ = extracted(run)
    assert first == Extracted("B\\ud83d", "openai/reader")
    assert second is not None
    assert second.failure is not None
    assert second.failure.message == "no \\ud83d"
    with closing(sqlite3.connect(run / "run.db")) as db:
        (replies,) = db.execute("SELECT replies FROM judge_calls WHERE response = 1").fetchone()
    assert json.loads(replies)[0]["text"] == "B\\ud83d"


def test_a_transaction_is_whole_or_not_there(run: Path) -> None:
    judge_calls.keep(run, OTHER, [call(1, "A")])
    rescored(run)
    with pytest.raises(AttributeError):
        judge_calls.keep(run, READER, [call(1), object()])  # type: ignore[list-item]
    assert by(run) == ["openai/other: A", None, None]
    assert scored(run) == [1, 2, 3]


def test_a_damaged_failure_is_told_plainly(run: Path) -> None:
    with closing(sqlite3.connect(run / "run.db")) as db:
        db.execute("INSERT INTO judge_calls VALUES (1, 'extraction', 'j', 'p', 1, NULL, '{\"owner\": 5}', '[]')")
        db.commit()
    with pytest.raises(UsageError, match="database cannot be read"):
        extracted(run)


@pytest.mark.parametrize(
    "row",
    [
        "NULL, 'extraction', 'j', 'p', 1, 'a', NULL, '[]'",
        "1, NULL, 'j', 'p', 1, 'a', NULL, '[]'",
        "1, 'extraction', NULL, 'p', 1, 'a', NULL, '[]'",
        "1, 'extraction', 'j', NULL, 1, 'a', NULL, '[]'",
        "1, 'extraction', 'j', 'p', NULL, 'a', NULL, '[]'",
        "1, 'extraction', 'j', 'p', 'last', 'a', NULL, '[]'",
        "1, 'extraction', 'j', 'p', 1, x'00', NULL, '[]'",
        "1, 'extraction', 'j', 'p', 1, 'a', NULL, NULL",
        "'one', 'extraction', 'j', 'p', 1, 'a', NULL, '[]'",
    ],
)
def test_columns_hold_what_their_type_says(run: Path, row: str) -> None:
    with closing(sqlite3.connect(run / "run.db")) as db, pytest.raises(sqlite3.IntegrityError):
        db.execute(f"INSERT INTO judge_calls VALUES ({row})")


def test_a_run_of_the_older_format_has_no_calls(run: Path) -> None:
    with closing(sqlite3.connect(run / "run.db")) as db:
        db.executescript("DROP TABLE judge_calls; DROP TABLE turns; PRAGMA user_version=1")
    assert extracted(run) == [None] * 3
    with closing(schema.open_to_read(run / "run.db")) as db:
        assert not judge_calls.are_kept(db)
    assert asked(run) == ([], [])
    judge_calls.keep(run, READER, [call(2)])
    assert extracted(run) == [None, Extracted("B", "openai/reader"), None]
    assert scored(run) == [], "the first reader ends the figures that were made without one"
