"""An index says of every run what the run itself says: values, letters, flags, rows; and finds any text in it."""

from __future__ import annotations

import doctest
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from beholder.benchmarks import benchmark
from beholder.errors import UsageError
from beholder.metrics.votes import Decision
from beholder.report.comparison import compare, epoch_decision
from beholder.report.html_facts import bucket
from beholder.report.run_agreement import NOT_READ, numbered
from beholder.report.terminal import disagree
from beholder.store import reading, schema
from beholder.store.marks import Mark, add_mark
from beholder.viewer import searching
from beholder.viewer.index import Index
from beholder.viewer.library import Library
from beholder.viewer.run_data import (
    BUCKETS,
    BUDGET,
    CALL_FAILED,
    DISAGREE,
    FAILED,
    LETTERS,
    MARKED,
    SPLIT,
    STALE,
    USED_TOOL,
    Columns,
)
from beholder.viewer.searching import LONGEST, terms
from made_runs import stored
from report.made_conversations import TALKS
from viewer.indexed_runs import KINDS, change, copied, items_of, items_scored, library_of, rows_of, scored

WORD = dict(zip(LETTERS, BUCKETS, strict=True))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {kind: make(tmp_path_factory.mktemp(kind)) for kind, make in KINDS.items()}


@pytest.fixture(scope="module")
def runs(made: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """One run of each kind, by its name, with a mark on the first item of `plain`."""
    folder = tmp_path_factory.mktemp("all")
    for kind, run in made.items():
        copied(run, folder, kind)
    with library_of(folder) as library:
        key = scored(folder / "runs" / "plain")[0].key
        add_mark(folder / "runs" / "plain", key, Mark("strict", "no", "2026-01-01T00:00:00+00:00", 0, 0))
        yield library


def flagged(columns: Columns, flag: int) -> list[int]:
    return [place for place, flags in enumerate(columns.flags) if flags & flag]


@pytest.mark.parametrize("kind", KINDS)
def test_items_are_those_of_the_comparison(runs: Library, kind: str) -> None:
    index, voted = runs.index(kind), runs.opened(kind).found.answers_shown > 0
    assert index.scorers == list(runs.opened(kind).found.scorers)
    for scorer in index.scorers:
        wanted = items_scored(runs.folder(kind), scorer, voted=voted)
        ours = items_of(index.side(scorer))
        assert [row[:4] for row in ours] == [row[:4] for row in wanted]
        assert [row[4] == NOT_READ for row in ours] == [row[4] == NOT_READ for row in wanted]


@pytest.mark.parametrize("kind", ["plain", "tools"])
def test_the_letter_of_one_response_is_what_became_of_it(runs: Library, kind: str) -> None:
    columns = runs.index(kind).columns()
    items = scored(runs.folder(kind))
    for scorer in columns.scorers:
        assert [WORD[letter] for letter in columns.buckets[scorer]] == [bucket(item.scores[scorer]) for item in items]
    assert flagged(columns, DISAGREE) == [place for place, item in enumerate(items) if disagree(item)]
    assert flagged(columns, FAILED) == [
        place for place, one in enumerate(stored(runs.folder(kind))) if one.response.failure
    ]


def test_the_letter_of_votes_is_what_they_decide(runs: Library) -> None:
    columns = runs.index("votes").columns()
    votes: dict[str, dict[int, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for item in scored(runs.folder("votes")):
        for scorer, score in item.scores.items():
            votes[scorer][item.index].append(score)
    words = {Decision.NO_MAJORITY: "wrong", Decision.UNREAD: "unparsed"}
    seen = set()
    for scorer, items in votes.items():
        decided = [epoch_decision(items[number], scorer, 5) for number in sorted(items)]
        assert [WORD[letter] for letter in columns.buckets[scorer]] == [words.get(one, one.value) for one in decided]
        seen |= set(decided)
    assert {Decision.RIGHT, Decision.WRONG, Decision.TIE, Decision.UNREAD} <= seen


def test_items_whose_votes_or_epochs_do_not_agree_are_split(runs: Library) -> None:
    assert flagged(runs.index("plain").columns(), SPLIT) == []
    assert flagged(runs.index("epochs").columns(), SPLIT) == [1, 3, 5, 7]
    # Five votes for what stands first are for both stored answers; those for the house are for one, wherever it stood.
    orders = {one.response.order for one in stored(runs.folder("votes"))[:5]}
    assert len(orders) == 2
    assert flagged(runs.index("votes").columns(), SPLIT)[0] == 0
    assert not {1, 2, 3, 4} & set(flagged(runs.index("votes").columns(), SPLIT))


def test_epochs_that_are_sometimes_right_are_partly_right(runs: Library) -> None:
    columns = runs.index("epochs").columns()
    assert [WORD[letter] for letter in columns.buckets["strict"]] == ["right", "partly right"] * 4


TOOL_FLAGS = {
    USED_TOOL: [0, 1, 3, 4, 5, 6, 7, 8],
    CALL_FAILED: [1, 4],
    BUDGET: [3, 5],
    STALE: [3, 7],
    FAILED: [8],
}


@pytest.mark.parametrize(("flag", "places"), TOOL_FLAGS.items())
def test_conversations_are_flagged_as_the_report_filters_them(runs: Library, flag: int, places: list[int]) -> None:
    assert len(TALKS) == 9
    assert flagged(runs.index("tools").columns(), flag) == places


def test_what_somebody_marked_is_flagged(runs: Library) -> None:
    assert flagged(runs.index("plain").columns(), MARKED) == [0]


def test_categories_and_difficulties_are_numbers_of_names(runs: Library) -> None:
    columns = runs.index("plain").columns()
    items = scored(runs.folder("plain"))
    assert [columns.categories[number] for number in columns.category] == [item.category for item in items]
    assert [columns.difficulties[number] for number in columns.difficulty] == [item.difficulty for item in items]


def test_the_leading_scorer_is_the_headlines_or_what_stands_in_for_it(runs: Library) -> None:
    assert runs.index("plain").columns().scorer == benchmark("tfq").headline[0]
    tir = benchmark("tir")
    assert tir.second_headline is not None
    assert runs.index("tools").columns().scorer == tir.second_headline[0]  # nobody has read the answers for `official`


def test_rows_come_in_the_order_asked_for(runs: Library) -> None:
    index = runs.index("plain")
    rows = index.rows([4, 3, 4, 99, -1]).rows
    assert [row.place for row in rows] == [4, 3, 4]
    row, item = rows[1], scored(runs.folder("plain"))[3]
    assert (row.key, row.index, row.category, row.gold) == (item.key, 3, "kind 1", "F")
    assert row.question == "Statement 3: the lamp stands for hope."
    assert row.answer == item.scores["recipe"].extracted
    assert row.pictures == 1
    assert row.picture is not None
    assert len(index.rows(range(2_000)).rows) == index.n
    assert index.rows([]).rows == []


def test_a_row_shows_the_text_where_nothing_was_read(runs: Library) -> None:
    rows, answers = rows_of(runs.index("plain")), stored(runs.folder("plain"))
    unread = [place for place, item in enumerate(scored(runs.folder("plain"))) if not item.scores["recipe"].extracted]
    assert unread
    assert [rows[place].answer for place in unread] == [answers[place].response.text or "" for place in unread]


def test_a_row_shows_the_answers_that_were_read(runs: Library) -> None:
    rows = rows_of(runs.index("epochs"))
    assert rows[0].answer == "T"
    assert sorted(rows[1].answer.split(" · ")) == ["F", "T"]
    (votes,) = rows_of(runs.index("votes"))[4:5]
    assert votes.gold == "stored answer 1"
    assert set(votes.answer.split(" · ")) <= {"1", "2"}


def test_keys_and_places_name_the_same_items(runs: Library) -> None:
    index = runs.index("plain")
    keys = [item.key for item in scored(runs.folder("plain"))]
    assert [index.key_at(place) for place in range(index.n)] == keys
    assert [index.place_of(key) for key in keys] == list(range(index.n))
    assert index.place_of("nothing") is None
    for place in (-1, index.n):
        with pytest.raises(UsageError, match="no item"):
            index.key_at(place)


def test_answers_that_were_read_can_be_compared(runs: Library) -> None:
    ours = items_of(runs.index("plain").side("strict"))
    assert ours == items_scored(runs.folder("plain"), "strict", voted=False)
    assert NOT_READ in [row[4] for row in ours]
    assert set(runs.index("epochs").side("strict").answers.tolist()) <= set(numbered(["T", "F", None]).tolist())


def test_a_scorer_that_is_not_there_is_refused(runs: Library) -> None:
    index = runs.index("plain")
    with pytest.raises(UsageError, match="No scorer 'nobody'"):
        index.side("nobody")
    with pytest.raises(UsageError, match="No scorer 'nobody'"):
        index.changes(index, "nobody")


EVERYWHERE = list(range(24))
SEARCHES: list[tuple[str, list[int]]] = [
    ("lamp", EVERYWHERE),
    ("LAMP", EVERYWHERE),
    ("amp st", EVERYWHERE),
    ("hope lamp", EVERYWHERE),
    ("Statement 13", [13]),
    ("statement 1:", [1]),
    ("灯塔", [3]),
    ("灯", [3]),
    ("灯塔 lamp", [3]),
    ("the 灯塔 sh", [3]),
    ("100%", [3]),
    ('"sure"', [3]),
    ('"', [3]),
    ("%", [3]),
    ("_", []),
    ("AND (not) NEAR*", [3]),
    ("it's", [3]),
    ("lamp OR nothing", []),
    ("lamp NOT hope", [3]),
    ("lamp NOT gone", []),
    ("NEAR(lamp hope)", []),
    ("text:lamp", []),
    ("^lamp", []),
    ("lamp*", []),
    ('lamp"', []),
    ("lamp\0hope", EVERYWHERE),
    ("lamp\n\thope", EVERYWHERE),
    ("{lamp}", []),
    ("nowhere", []),
    ("-", []),
    ("\\", []),
    ("lamp \\", []),
    ("\ud800", []),
    ("", []),
    ("  ", []),
    ("\0", []),
    ("x" * 5_000, []),
    ("x " * 5_000, []),
]


@pytest.mark.parametrize(("text", "places"), SEARCHES, ids=[ascii(text)[:24] for text, _ in SEARCHES])
def test_what_is_typed_is_found_as_text(runs: Library, text: str, places: list[int]) -> None:
    assert runs.index("plain").search(text).places == places


def test_answers_record_ids_and_keys_are_found(runs: Library) -> None:
    index = runs.index("votes")
    assert index.search("mathverse_4").places == [4]
    assert index.search("I cannot tell").places == [3]
    assert index.search("house with 5 windows").places == [5]
    assert index.search(f" {index.key_at(2)} ").places == [2]


def test_without_trigrams_the_lines_of_the_list_are_searched(
    made: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("beholder.viewer.index_file._OLDEST_TRIGRAM", (99, 0, 0))
    copied(made["plain"], tmp_path)
    with library_of(tmp_path) as library:
        index = library.index("run")
        assert index.columns().searchable is False
        assert index.search("lamp Statement 13").places == [13]


def test_the_examples_of_terms_are_right() -> None:
    assert doctest.testmod(searching) == doctest.TestResults(failed=0, attempted=1)


def test_a_long_query_is_cut() -> None:
    assert sum(map(len, terms("word " * 1_000))) <= LONGEST


OF_ITEMS = "SELECT r.id FROM responses r JOIN samples s ON s.key = r.key WHERE s.position"


@pytest.fixture(scope="module")
def pair(made: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The epochs run, and a copy of it that lacks two items, has one of its own and other scores."""
    folder = tmp_path_factory.mktemp("pair")
    copied(made["epochs"], folder, "a")
    other = copied(made["epochs"], folder, "b")
    change(
        other,
        "DELETE FROM samples WHERE position IN (2, 6)",
        "UPDATE responses SET key = 'another' WHERE key = (SELECT key FROM samples WHERE position = 5)",
        "UPDATE samples SET key = 'another', record = json_set(record, '$.key', 'another') WHERE position = 5",
        f"UPDATE scores SET value = 0, outcome = 'scored' WHERE response IN ({OF_ITEMS} IN (0, 1))",
        f"UPDATE scores SET value = 1, outcome = 'scored' WHERE response IN ({OF_ITEMS} = 3)",
    )
    with library_of(folder) as library:
        yield library


def test_changes_are_those_of_the_comparison(pair: Library) -> None:
    a, b = pair.index("a"), pair.index("b")
    compared = compare(scored(pair.folder("a")), scored(pair.folder("b")), "strict", voted=False, intersect=True)
    changes = b.changes(a, "strict")
    assert sorted(map(b.key_at, changes.gained)) == sorted(compared.gained)
    assert sorted(map(b.key_at, changes.lost)) == sorted(compared.lost)
    assert compared.gained
    assert compared.lost
    here, there = set(b.side("strict").keys), set(a.side("strict").keys)
    assert (changes.only_here, changes.only_there) == (len(here - there), len(there - here))
    back = a.changes(b)
    assert sorted(map(a.key_at, back.lost)) == sorted(compared.gained)
    assert sorted(map(a.key_at, back.gained)) == sorted(compared.lost)


def test_a_run_against_itself_or_another_benchmark_has_no_changes(runs: Library) -> None:
    epochs, plain = runs.index("epochs"), runs.index("plain")
    assert msgspec.structs.astuple(epochs.changes(epochs)) == ([], [], 0, 0)
    assert msgspec.structs.astuple(epochs.changes(plain, "strict"))[:2] == ([], [])


def test_an_index_that_is_gone_or_damaged_has_no_changes(pair: Library, made: dict[str, Path], tmp_path: Path) -> None:
    copied(made["epochs"], tmp_path)
    with library_of(tmp_path) as library:
        library.index("run")
        (file,) = library.cache.rglob("*.index")
        other = Index(file, leading=["strict"])
        renamed = file.rename(tmp_path / "renamed")  # as one that was being made
        with pytest.raises(UsageError, match="has just been made"):
            pair.index("a").changes(other)
        renamed.rename(file)
        with file.open("r+b") as there:
            there.seek(4096)
            there.write(b"\xff" * (file.stat().st_size - 4096))
        with pytest.raises(UsageError, match="damaged"):
            pair.index("a").changes(other)
        assert not file.exists()
        assert pair.index("a").changes(library.index("run")).lost == []


def test_a_closed_library_leaves_what_is_in_use(made: dict[str, Path], tmp_path: Path) -> None:
    copied(made["plain"], tmp_path)
    with library_of(tmp_path) as library:
        index: Index = library.index("run")
    with closing(schema.open_to_read(library.folder("run") / "run.db")) as db:
        assert index.n == len(list(reading.samples(db)))
    assert index.search("lamp").places
