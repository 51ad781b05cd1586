"""The page of a run: its figures, where they come from, and what else it tells."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from beholder.benchmarks import benchmark
from beholder.benchmarks.tir.published import beside
from beholder.errors import UsageError
from beholder.report.run_list import read_results
from beholder.sample import Sampling
from beholder.score import Metric
from beholder.store import marks
from beholder.viewer import run_figures, run_page, tools_of_run
from beholder.viewer.library import Library
from beholder.viewer.run_data import Bar, Fact, FailureRow, MetricRow, RunPage
from beholder.viewer.run_figures import RUNNING_MEAN
from made_runs import number_of, plan_for, tfq_data
from made_tir import mazes, run_tir
from report.html_pages import constant_run, served_run
from report.made_conversations import conversations
from scripted_server import Reply, Request, completion

SENTINEL = 0.123


def answers(request: Request) -> Reply:
    """Of twelve statements, ten get an answer, one that only a careful reader can read; two fail in different ways."""
    number = number_of(request)
    if number == 3:
        return Reply(status=400, body=b'{"error": {"message": "no such picture"}}')
    if number == 4:
        return Reply(status=404, body=b'{"error": {"message": "no such model"}}')
    return Reply(completion("So it is True." if number == 5 else "<think>x</think><answer>T</answer>"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of twelve statements with failures, one of two epochs, one with tools, one of TIR-Bench."""
    here = tmp_path_factory.mktemp("made")
    runs = here / "runs"
    data = tfq_data(here / "data", 12, category=["a", "b", "b"] * 4)
    served_run(data, runs, answers).rename(runs / "plain")
    constant_run(data, runs, "<think>x</think><answer>T</answer>", epochs=2).rename(runs / "epochs")
    conversations(here / "tools").folder.rename(runs / "tools")
    rows = json.loads((mazes(here / "mazes", 3) / "TIR-Bench.json").read_text())
    run_tir(here / "tir", rows, ["It is B."] * 3)[0].folder.rename(runs / "tir")
    return runs


@pytest.fixture
def runs(made: Path, tmp_path: Path) -> Path:
    """The same runs, to be changed."""
    return Path(shutil.copytree(made, tmp_path / "runs"))


@pytest.fixture
def library(runs: Path, tmp_path: Path) -> Iterator[Library]:
    with closing(Library(runs, cache=tmp_path / "cache")) as opened:
        yield opened


@pytest.fixture(scope="module")
def pages(made: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunPage]:
    """The pages of the runs as they were made."""
    with closing(Library(made, cache=tmp_path_factory.mktemp("cache"))) as opened:
        return {run: run_page.run_page(opened, run) for run in opened.folders()}


def facts(listed: list[Fact]) -> dict[str, str]:
    return {fact.name: fact.words for fact in listed}


# -- what it tells -------------------------------------------------------------------------------------------------


def test_the_figures_are_those_of_the_run_with_their_denominators(made: Path, pages: dict[str, RunPage]) -> None:
    page, results = pages["plain"], read_results(made / "plain")
    assert results is not None
    assert (page.scorer, page.metric) == ("recipe", "question_accuracy")
    assert {row.name: row.figures for row in page.metrics} == {
        name: {scorer: own[name] for scorer, own in results.metrics.items() if name in own}
        for name in dict.fromkeys(name for own in results.metrics.values() for name in own)
    }
    assert page.metrics[0].name == "question_accuracy"
    assert (page.metrics[0].figures["recipe"].n, page.metrics[0].figures["recipe"].failed) == (10, 2)
    assert page.scorers == list(benchmark("tfq").scorers)
    assert not page.provisional


def test_parts_are_named_by_what_they_have_of_their_own(pages: dict[str, RunPage]) -> None:
    parts = {row.name: row.part for row in pages["plain"].metrics if row.part}
    assert parts == {"question_accuracy/a": "a", "question_accuracy/b": "b"}
    assert pages["plain"].chart_title == "By category"


def test_bars_hold_every_response_under_every_scorer(pages: dict[str, RunPage]) -> None:
    bars = pages["plain"].bars
    assert [bar.scorer for bar in bars] == pages["plain"].scorers
    assert all(sum(bar.counts.values()) == 12 for bar in bars)
    by_name = {bar.scorer: bar for bar in bars}
    assert by_name["strict"] == Bar(scorer="strict", counts={"right": 5, "wrong": 4, "unparsed": 1, "failed": 2})
    assert by_name["lenient"] == Bar(scorer="lenient", counts={"right": 5, "wrong": 5, "failed": 2})


def test_failures_name_their_owner_and_a_message(pages: dict[str, RunPage]) -> None:
    found = {(row.kind, row.status): row for row in pages["plain"].failures}
    assert set(found) == {("request", 400), ("request", 404)}
    row = found["request", 400]
    assert (row.owner, row.count) == ("provider", 1)
    assert "no such picture" in row.message
    assert isinstance(row, FailureRow)


def test_distributions_are_of_what_is_known(pages: dict[str, RunPage]) -> None:
    drawn = {one.title: one for one in pages["plain"].histograms}
    assert set(drawn) == {"Prompt tokens", "Answer tokens", "Seconds to the answer"}
    assert (drawn["Prompt tokens"].n, drawn["Prompt tokens"].median) == (10, 10)
    assert pages["epochs"].histograms == [], "a fake has neither tokens nor a latency"
    assert {"Turns", "Seconds a conversation"} <= {one.title for one in pages["tools"].histograms}


def test_how_it_was_asked_and_made(made: Path, pages: dict[str, RunPage]) -> None:
    page = pages["plain"]
    plan, kept = facts(page.plan), json.loads((made / "plain" / "run.json").read_text())
    assert plan["data"].startswith("tfq.jsonl, SHA-256 ")
    assert plan["decoding"] == "temperature 0, max_tokens 64"
    assert page.prompt == kept["settings"]["plan"]["template"]
    assert facts(page.made_with)["plan"] == kept["plan_hash"]
    assert facts(page.counts)["answered"] == "10 of 12"
    assert facts(page.counts)["failed"] == "2"
    assert page.paper == benchmark("tfq").paper
    told = msgspec.json.encode(msgspec.structs.replace(page, resume="")).decode()
    assert str(made.parent) not in told, "no path of this machine is on a page but in the command"


def test_a_run_that_lacks_responses_says_how_to_go_on(runs: Path, library: Library) -> None:
    with closing(sqlite3.connect(runs / "plain" / "run.db")) as db, db:
        db.execute("DELETE FROM scores WHERE response = 1")
        db.execute("DELETE FROM responses WHERE id = 1")
    page = run_page.run_page(library, "plain")
    assert page.resume.startswith("beholder resume ")
    assert run_page.run_page(library, "epochs").resume == ""


def test_a_command_names_the_folder_as_one_word(runs: Path, library: Library) -> None:
    with closing(sqlite3.connect(runs / "plain" / "run.db")) as db, db:
        db.execute("UPDATE scorers SET code = 'another'")
    (runs / "plain").rename(runs / "a;$(touch b)")
    notes = run_page.run_page(library, "a;$(touch b)").notes
    assert any(note.endswith("beholder rescore 'a;$(touch b)'") for note in notes)


def test_a_journal_in_no_order_is_told_in_a_sentence(runs: Path, library: Library) -> None:
    """Items that share a place are read as one in pieces, each with other scores."""
    with closing(sqlite3.connect(runs / "epochs" / "run.db")) as db, db:
        db.execute("UPDATE samples SET position = 0")
    with pytest.raises(UsageError, match="holds what no run of ours does"):
        run_page.run_page(library, "epochs")


def test_noise_over_epochs_is_told(pages: dict[str, RunPage]) -> None:
    assert "over 2 epochs" in facts(pages["epochs"].counts)["sampling noise"]
    assert "sampling noise" not in facts(pages["plain"].counts)


def test_tools_are_told_in_figures(pages: dict[str, RunPage]) -> None:
    tools = facts(pages["tools"].tools)
    assert tools["tools"] == "visual (native calls)"
    assert "have one" in tools["calls"]
    assert pages["plain"].tools == []


def test_many_conversations_are_counted_and_not_diagnosed(
    pages: dict[str, RunPage], library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools_of_run, "MOST_DIAGNOSED", 3)
    monkeypatch.setattr(tools_of_run, "tool_use", None)
    diagnosed, counted = facts(pages["tools"].tools), facts(run_page.run_page(library, "tools").tools)
    assert counted["tools"] == diagnosed["tools"]
    for name in ("turns", "calls"):  # without the median, which SQLite does not count
        assert counted[name].partition(",")[0] == diagnosed[name].partition(",")[0]
    assert counted["calls"].partition(";")[2] == diagnosed["calls"].partition(";")[2]
    for name in ("outcomes", "ended"):  # equally frequent ones come in any order
        assert set(counted[name].split(", ")) == set(diagnosed[name].partition(";")[0].split(", "))


# -- beside the published table -------------------------------------------------------------------------------------


def with_published(runs: Path, change: Callable[[dict[str, Any]], None] = lambda table: None) -> None:
    table = msgspec.to_builtins(beside(["maze"] * 120))
    change(table)
    file = runs / "tir" / "results.json"
    results = json.loads(file.read_text())
    results["details"]["published"] = table
    file.write_text(json.dumps(results))


def test_the_published_table_stands_beside_with_what_differs(runs: Path, library: Library) -> None:
    with_published(runs)
    published = run_page.run_page(library, "tir").published
    assert published is not None
    assert not published.comparable
    assert published.verdict.startswith("Not comparable: ")
    assert "answers had at most 64 tokens, not 2,048" in published.differences
    gpt = next(row for row in published.rows if row.model == "GPT-4o")
    assert gpt.parts["all"] == pytest.approx(0.172, abs=0.01)
    assert all(value is None or 0 <= value <= 1 for row in published.rows for value in row.parts.values())


BROKEN: list[Callable[[dict[str, Any]], None]] = [
    lambda table: table.update(protocol=None),
    lambda table: table.update(rows=[{"model": 1}]),
    lambda table: table.pop("complete"),
    lambda table: table["protocol"].update(temperature="hot"),
]


@pytest.mark.parametrize("change", BROKEN)
def test_a_table_that_is_none_is_left_out(
    runs: Path, library: Library, change: Callable[[dict[str, Any]], None]
) -> None:
    with_published(runs, change)
    published = run_page.run_page(library, "tir").published
    assert published is not None
    assert not published.comparable
    assert "n = 3, not 1,215" in published.verdict, "the benchmark's own table stands there, with what is known"


def test_what_is_published_elsewhere_is_never_called_comparable(pages: dict[str, RunPage]) -> None:
    published = pages["plain"].published
    assert published is not None
    assert not published.comparable
    assert published.source.startswith("MetaphorStar")
    assert "the scorer is recipe, not official" in published.differences
    assert "“question_accuracy” is not published, but group_accuracy" in published.differences
    assert "published: decoding is not published" in published.differences
    assert all(0 <= value <= 1 for row in published.rows for value in row.parts.values() if value is not None)


# -- where the figures come from ------------------------------------------------------------------------------------


def sign(run: Path) -> None:
    """Makes the headline in results.json one that nothing but that file can give."""
    file = run / "results.json"
    results = json.loads(file.read_text())
    results["metrics"]["recipe"]["question_accuracy"]["value"] = SENTINEL
    file.write_text(json.dumps(results))


def change_results(run: Path, **changes: Any) -> None:
    file = run / "results.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def make_older(run: Path) -> None:
    os.utime(run / "results.json", (1, 1))


def mark_it(run: Path) -> None:
    with closing(sqlite3.connect(run / "run.db")) as db:
        (key,) = db.execute("SELECT key FROM samples LIMIT 1").fetchone()
    marks.add_mark(run, key, marks.Mark("strict", "no", "2026-01-01T00:00:00+00:00", 0, 0))


def drop_one(run: Path) -> None:
    with closing(sqlite3.connect(run / "run.db")) as db, db:
        db.execute("DELETE FROM scores WHERE response = 1")
        db.execute("DELETE FROM responses WHERE id = 1")


def other_code(run: Path) -> None:
    with closing(sqlite3.connect(run / "run.db")) as db, db:
        db.execute("UPDATE scorers SET code = 'other'")
    make_older(run)


def without_code(run: Path) -> None:
    change_results(run, scorer_code={})
    make_older(run)


CURRENT: list[tuple[Callable[[Path], None], bool]] = [
    (lambda run: None, True),
    (mark_it, True),
    (make_older, True),
    (drop_one, False),
    (other_code, False),
    (without_code, False),
    (lambda run: change_results(run, metrics={}), False),
    (lambda run: change_results(run, tally=None), False),
    (lambda run: (run / "results.json").write_text("{"), False),  # type: ignore[misc, list-item]
    (lambda run: (run / "results.json").unlink(), False),
]
NAMES = [
    "as it was",
    "marked",
    "older",
    "one gone",
    "other code",
    "code not told",
    "no figures",
    "no tally",
    "none",
    "gone",
]


@pytest.mark.parametrize(("change", "holds"), CURRENT, ids=NAMES)
def test_results_json_holds_as_long_as_the_journal_is_its_own(
    runs: Path, library: Library, change: Callable[[Path], None], holds: bool
) -> None:
    run = runs / "plain"
    sign(run)
    change(run)
    page = run_page.run_page(library, "plain")
    assert page.metric == "question_accuracy"
    assert (page.metrics[0].figures["recipe"].value == SENTINEL) == holds
    assert not page.provisional


def held(run: Path) -> int:
    """Makes a run one that goes on: its status says so, and a process holds it."""
    facts = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(facts | {"status": "running"}))
    descriptor = os.open(run, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


def so_far(page: RunPage) -> MetricRow:
    assert page.provisional
    (row,) = page.metrics
    assert (row.name, page.metric, page.scorer) == (RUNNING_MEAN, RUNNING_MEAN, "recipe")
    return row


def test_a_run_that_goes_on_has_plain_means_so_far(runs: Path, library: Library) -> None:
    descriptor = held(runs / "plain")
    try:
        page = run_page.run_page(library, "plain")
        strict = so_far(page).figures["strict"]
        assert (strict.value, strict.n, strict.failed, strict.interval) == (0.5, 10, 2, "wilson")
        assert "plain mean" in strict.note
        assert (page.row.status, page.resume) == ("running", "")
        drop_one(runs / "plain")
        again = run_page.run_page(library, "plain")
        assert again.row.asked == 11, "the line is that of now"
        assert again.metrics == page.metrics, "the figures are not made anew at once"
    finally:
        os.close(descriptor)
    assert not run_page.run_page(library, "plain").provisional


def test_a_large_run_that_was_never_finished_is_not_read_into_memory(
    runs: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_figures, "MOST_ROWS", 11)
    monkeypatch.setattr("beholder.store.reading.scored_items", None)
    (runs / "plain" / "results.json").unlink()
    so_far(run_page.run_page(library, "plain"))


def test_partial_credit_has_no_interval_of_shares(runs: Path, library: Library) -> None:
    with closing(sqlite3.connect(runs / "plain" / "run.db")) as db, db:
        db.execute("UPDATE scores SET value = 0.25 WHERE value = 1")
    descriptor = held(runs / "plain")
    try:
        strict = so_far(run_page.run_page(library, "plain")).figures["strict"]
        assert (strict.value, strict.low, strict.interval) == (0.125, None, "")
    finally:
        os.close(descriptor)


def test_a_run_without_figures_says_so(runs: Path, library: Library) -> None:
    with closing(sqlite3.connect(runs / "plain" / "run.db")) as db, db:
        db.execute("DELETE FROM scores")
        db.execute("DELETE FROM responses")
    page = run_page.run_page(library, "plain")
    assert (page.metrics, page.bars) == ([], [])
    assert any("No response could be scored" in note for note in page.notes)
    assert page.row.headline is not None, "the list has only the two files"


def test_the_server_s_own_decoding_is_said(tmp_path: Path) -> None:
    data = tfq_data(tmp_path / "data", 2)
    run = constant_run(data, tmp_path / "runs", "<answer>T</answer>", sampling=Sampling())
    with closing(Library(run.parent, cache=tmp_path / "cache")) as library:
        assert facts(run_page.run_page(library, run.name).plan)["decoding"] == "the server's own"
    assert plan_for(data).sampling.temperature == 0


def test_so_far_a_scorer_leads_that_has_judged_something() -> None:
    """TIR-Bench is led by `official`, which needs answers that an extractor has read."""
    nothing, some = {RUNNING_MEAN: Metric(value=None, n=0)}, {RUNNING_MEAN: Metric(value=0.5, n=4)}
    found = benchmark("tir")
    leading = run_figures._leading_so_far
    assert leading(found, {"official": nothing, "strict": some, "lenient": some}) == ("lenient", RUNNING_MEAN)
    assert leading(found, {"official": some, "lenient": some}) == ("official", RUNNING_MEAN)
    assert leading(found, {"official": nothing}) == ("official", RUNNING_MEAN)
