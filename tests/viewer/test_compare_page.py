"""The page of a comparison: what `beholder compare` says of the same runs, and refusals that say why."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from beholder.engine.selection import Selection
from beholder.errors import UsageError
from beholder.models.fakes import constant
from beholder.report.comparison import compare
from beholder.store import reading, schema
from beholder.viewer.compare_page import compare_page
from beholder.viewer.library import Library
from made_runs import plan_for, run_engine, tfq_data, vl_data


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Four runs: always true, always false, the first four items only, and of another benchmark."""
    folder = tmp_path_factory.mktemp("compared")
    data, runs = tfq_data(folder, 12, category=["a", "b", "c"] * 4), folder / "runs"
    for name, answer, limit in (("yes", "T", None), ("no", "F", None), ("few", "T", 4)):
        made = run_engine(
            plan_for(data, selection=Selection(limit=limit)),
            "",
            runs,
            make_model=lambda text=answer: constant(f"<answer>{text}</answer>"),
        )
        made.folder.rename(runs / name)
    other = run_engine(
        plan_for(vl_data(folder / "vl", 2), "vl-rewardbench"), "", runs, make_model=lambda: constant("x")
    )
    other.folder.rename(runs / "other")
    with closing(Library(runs, cache=folder / "cache")) as opened:
        yield opened


def test_it_says_what_the_command_says(library: Library) -> None:
    items = []
    for run in ("yes", "no"):
        with closing(schema.open_to_read(library.folder(run) / "run.db")) as db:
            items.append(reading.scored_items(db))
    wanted = compare(items[0], items[1], "recipe", voted=False, intersect=False)
    page = compare_page(library, ["yes", "no"])
    (pair,) = page.pairs
    assert (page.scorer, page.n, page.refused, page.missing) == ("recipe", 12, "", [])
    assert (pair.difference, pair.low, pair.high) == (wanted.paired.difference, wanted.paired.low, wanted.paired.high)
    assert (pair.p, pair.detectable) == (wanted.paired.p_decides, wanted.detectable)
    assert (pair.gained, pair.lost) == (len(wanted.gained), len(wanted.lost))
    assert [ref.key for ref in page.gained] == wanted.gained
    index = library.index("no", whole=True)
    assert all(index.key_at(ref.places[1]) == ref.key for ref in [*page.gained, *page.lost])
    assert [(row.name, row.pairs[0].holm) for row in page.categories] == [
        (row.category, row.p_holm) for row in wanted.categories
    ]
    assert [mean.value for mean in page.means] == [wanted.paired.mean_a, wanted.paired.mean_b]
    assert page.agreement[0].same == 0
    assert page.names == ["constant/<answer>T</answer>", "constant/<answer>F</answer>"]


def test_another_scorer(library: Library) -> None:
    assert compare_page(library, ["yes", "no"], "lenient").scorer == "lenient"


REFUSED = [
    (["yes"], None, "two or more"),
    (["yes", "yes"], None, "named twice"),
    (["yes", "other"], None, "runs of TFQ-Bench and VL-RewardBench. Compare runs of one benchmark."),
    (["yes", "no"], "nobody", "no scorer 'nobody'"),
    (["yes", "no"] * 7, None, "At most 12"),
    (["yes", "few"], None, "do not hold the same items"),
]


@pytest.mark.parametrize(("runs", "scorer", "words"), REFUSED)
def test_what_cannot_be_compared_says_why(library: Library, runs: list[str], scorer: str | None, words: str) -> None:
    page = compare_page(library, runs, scorer)
    assert words in page.refused
    assert page.pairs == []
    assert len(page.runs) == len(page.names) == len(runs)


def test_missing_items_are_named_and_what_is_shared_can_be_compared(library: Library) -> None:
    page = compare_page(library, ["yes", "few"])
    assert page.n == 4
    (lacks,) = page.missing
    assert lacks.words.startswith("lacks 8 of 12 items: ")
    index = library.index("yes", whole=True)
    assert sorted(index.key_at(place) for place in range(4, 12))[0] in lacks.words
    shared = compare_page(library, ["yes", "few"], intersect=True)
    assert (shared.n, shared.refused, shared.intersected) == (4, "", True)
    assert shared.pairs[0].difference == 0
    assert any("8 items are left out" in note for note in shared.notes)
    assert compare_page(library, ["yes", "no"], intersect=True).intersected is False


def test_three_runs_are_corrected_for_their_number(library: Library) -> None:
    page = compare_page(library, ["yes", "no", "few"], intersect=True)
    assert [pair.b for pair in page.pairs] == [1, 2]
    assert all(pair.holm is not None for pair in page.pairs)
    assert [(one.a, one.b) for one in page.agreement] == [(0, 1), (0, 2), (1, 2)]


def test_a_run_that_is_not_there(library: Library, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no run"):
        compare_page(library, ["yes", "../yes"])


def test_costs_and_what_else_differs(library: Library) -> None:
    page = compare_page(library, ["yes", "few"], intersect=True)
    assert [(cost.run, cost.figure, cost.dollars) for cost in page.costs] == [
        (0, page.means[0], None),
        (1, page.means[1], None),
    ]
    yes, few = page.names
    assert f"The runs differ in number of items: 12 in {yes}, 4 in {few}" in page.notes
    assert not [note for note in page.notes if str(library.runs_dir) in note]


def write_garbage(folder: Path) -> None:
    (folder / "run.db").write_bytes(b"no database" * 100)


def take_away(folder: Path) -> None:
    (folder / "run.db").unlink()


def nest(folder: Path) -> None:
    (folder / "run.json").write_text("[" * 50_000)


def other_tables(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "run.db")) as db:
        db.execute("CREATE VIEW evil AS SELECT 1")


def no_scores(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "run.db")) as db, db:
        db.execute("DELETE FROM scores")
    (folder / "results.json").unlink()


DAMAGES = [
    (write_garbage, "cannot be read"),
    (take_away, "no run.db"),
    (nest, "cannot be read"),
    (other_tables, "not a run database"),
    (no_scores, ""),
]


@pytest.mark.parametrize(("damage", "words"), DAMAGES, ids=[damage.__name__ for damage, _ in DAMAGES])
def test_a_run_that_cannot_be_read_is_refused_on_the_page(
    library: Library, tmp_path: Path, damage: Callable[[Path], None], words: str
) -> None:
    for name in ("yes", "no"):
        shutil.copytree(library.folder(name), tmp_path / "runs" / name)
    damage(tmp_path / "runs" / "no")
    with closing(Library(tmp_path / "runs", cache=tmp_path / "cache")) as opened:
        page = compare_page(opened, ["yes", "no"])
    assert page.refused
    assert words in page.refused
    assert str(tmp_path) not in page.refused
    assert (len(page.runs), page.pairs, page.means) == (2, [], [])


def test_runs_of_one_model_are_numbered(library: Library, tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(library.folder("yes"), tmp_path / "runs" / name)
    with closing(Library(tmp_path / "runs", cache=tmp_path / "cache")) as opened:
        page = compare_page(opened, ["one", "two"])
    assert page.names == ["constant/<answer>T</answer> (1)", "constant/<answer>T</answer> (2)"]
    (pair,) = page.pairs
    assert (pair.difference, pair.p, pair.told_apart, pair.gained, pair.lost) == (0, 1.0, 0, 0, 0)
    assert page.agreement[0].same == 1
