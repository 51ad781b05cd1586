"""The published table beside a run's figures: when it stands there, and when not."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console
from tir_rows import NOT_READ, OPTIONS, TIR, row, rows, scored

from beholder.benchmarks.tir.data import SYNTHETIC
from beholder.benchmarks.tir.metrics import details, metrics
from beholder.benchmarks.tir.published import BESIDE, beside, published
from beholder.benchmarks.tir.tasks import TASKS
from beholder.report.details_report import print_details
from beholder.score import ScoredItem


def public_items(official: bool = True, **sizes: int) -> list[ScoredItem]:
    """Rows of a set with the public sizes, or others; every second answer is right."""
    made = []
    for name, task in TASKS.items():
        for number in range(sizes.get(name, task.n)):
            score = scored(number % 2, "B")
            read = score if official else NOT_READ
            made.append(row(name, number, official=read, det=score, lenient=score, target="[1]"))
    return made


def test_the_whole_table_is_there_with_its_source() -> None:
    table = published()
    assert "arXiv 2511.01833" in table.source
    assert table.read
    assert len(table.rows) == 23
    assert all(set(one.tasks) == set(TASKS) for one in table.rows)
    assert set(BESIDE) <= {one.model for one in table.rows}
    by_name = {one.model: one for one in table.rows}
    assert by_name["Random Guess"].tasks["ocr"] is None
    assert (by_name["DeepEyes"].all, by_name["DeepEyes"].tasks["symbolic"]) == (17.3, 19.9)
    assert by_name["InternVL3-78B"].tasks["symbolic"] == 24.0
    assert by_name["o3-TU"].all == max(one.all or 0 for one in table.rows) == 46.0
    assert all(0 <= value <= 100 for one in table.rows for value in one.tasks.values() if value is not None)


# sizes that differ; tasks that may stand beside the table, tasks that may not
BESIDES: list[tuple[dict[str, int], list[str], list[str]]] = [
    ({}, list(TASKS), []),
    ({"maze": 119}, [name for name in TASKS if name != "maze"], ["maze"]),
    ({"maze": 121}, [name for name in TASKS if name != "maze"], ["maze"]),
    ({name: 0 for name in TASKS if name != "ocr"}, ["ocr"], []),
    (dict.fromkeys(TASKS, 1), [], list(TASKS)),
]


@pytest.mark.parametrize(("sizes", "complete", "partial"), BESIDES, ids=range(len(BESIDES)))
def test_a_task_stands_beside_the_table_only_whole(
    sizes: dict[str, int], complete: list[str], partial: list[str]
) -> None:
    found = details(public_items(**sizes), OPTIONS)["published"]
    assert (found["complete"], found["partial"]) == (complete, partial)
    assert len(found["rows"]) == 23
    assert json.loads(json.dumps(found))["source"] == published().source


def test_several_epochs_are_not_more_items() -> None:
    once = public_items()
    twice = [
        *once,
        *(ScoredItem(index=one.index, key=one.key, scores=one.scores, epoch=1, category=one.category) for one in once),
    ]
    assert details(twice, OPTIONS)["published"]["partial"] == []


def test_generated_items_never_stand_beside_it() -> None:
    items = [*rows("maze", 1, 0), row("maze", 7, lenient=scored(1), split=SYNTHETIC)]
    assert "published" not in details(items, OPTIONS)
    assert "published" in details(items[:2], OPTIONS)
    assert details([], OPTIONS) == {}
    assert beside([])["complete"] == []


def printed(items: list[ScoredItem], width: int = 110) -> str:
    sink = io.StringIO()
    console = Console(file=sink, width=width, markup=False, highlight=False, emoji=False)
    print_details(console, details(items, OPTIONS), TIR, metrics(items, OPTIONS), {"openai/reader": len(items)})
    return sink.getvalue()


def test_the_published_table_is_printed_beside_the_official_figures() -> None:
    lines = printed(public_items()).splitlines()
    words = [line.split() for line in lines]
    heading = next(line for line in lines if line.startswith("task (official)"))
    assert heading.split()[2:] == ["this", "run", "Random", "Guess", "GPT-4o", "Gemini-2.5-Pro", "o3", "o3-TU"]
    assert ["jigsaw", "50.0", "%", "5.8", "%", "6.2", "%", "10.4", "%", "10.8", "%", "16.4", "%"] in words
    ocr = next(line for line in words if line[:1] == ["ocr"])
    assert ocr[3] == "–", "the random guesser has no figure for it"
    whole = next(line for line in words if line[:1] == ["all"])
    assert whole[3:] == ["13.5", "%", "17.3", "%", "28.9", "%", "26.9", "%", "46.0", "%"]
    assert "Published: TIR-Bench, arXiv 2511.01833" in " ".join(lines)
    assert "Answers read by openai/reader (1,215)" in " ".join(lines)
    assert "Not comparable: how the model was asked is not known from the file; the answers were read by " in " ".join(
        " ".join(lines).split()
    )


def test_one_whole_task_alone_has_no_overall_line() -> None:
    only = {name: 0 for name in TASKS if name != "maze"}
    lines = printed(public_items(**only)).splitlines()
    assert any(line.startswith("maze") for line in lines)
    assert not any(line.startswith("all  ") for line in lines), "the published one is over thirteen tasks"


def test_with_a_task_cut_the_table_has_no_overall_line() -> None:
    lines = printed(public_items(maze=20)).splitlines()
    assert not any(line.startswith(("all", "maze")) for line in lines)
    assert any(line.startswith("jigsaw") for line in lines)
    none = printed(public_items(**dict.fromkeys(TASKS, 1)))
    assert "No task has as many items as the published one" in none
    assert "o3" not in none


def test_without_an_official_headline_nothing_published_is_printed() -> None:
    shown = printed(public_items(official=False))
    assert "ublished" not in shown
    assert "Answers read by" not in shown
