"""The list of runs: what a line says, from which file, and when it is made again."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from made_folders import FIGURE, TALLY, info, made, results

from beholder.score import Metric
from beholder.store import schema
from beholder.viewer import run_rows
from beholder.viewer.library import Library
from beholder.viewer.run_data import Cost, Figure, RunRow
from beholder.viewer.run_rows import current_version, run_list, run_row


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with closing(Library(tmp_path / "runs", cache=tmp_path / "cache")) as opened:
        yield opened


def row_of(folder: Path) -> RunRow:
    return run_row(folder.name, folder, "1")


def figure(scorer: str, metric: str, value: float = 0.5) -> Figure:
    return Figure(scorer=scorer, metric=metric, figure=Metric(**{**FIGURE, "value": value}))  # type: ignore[arg-type]


def test_a_line_has_what_the_two_files_say(tmp_path: Path) -> None:
    spent = {"model": {"cost": 0.25, "unpriced": 1}, "judges": {"cost": 0.5, "unpriced": 2}}
    folder = made(tmp_path / "one", info(), results(spending=spent))
    assert row_of(folder) == RunRow(
        id="one",
        version="1",
        benchmark="tfq",
        title="TFQ-Bench",
        model="openai/some-model",
        status="complete",
        created="2026-01-02T03:04:05+00:00",
        headline=figure("recipe", "question"),
        beside=figure("lenient", "question", 0.625),
        items=10,
        planned=20,
        asked=10,
        failed=2,
        cost=Cost(dollars=0.75, unpriced=3),
    )


IMPORTED = {"imported": {"peer": "inspect", "file": "log.eval"}}
TOOLS = {"plan": {"n_samples": 3, "tools": {"arm": "python"}}}
REPLAYED = {"plan": {"n_samples": 3, "replay": {"n_asks": 2}}}
SAID: list[tuple[str, dict[str, Any], dict[str, Any] | None, dict[str, Any]]] = [
    ("no figures yet", info(), None, {"headline": None, "beside": None, "asked": -1, "failed": -1, "cost": None}),
    ("an older results.json", info(), {"metrics": results()["metrics"]}, {"asked": -1, "cost": None}),
    ("imported", info(settings=IMPORTED), None, {"imported": "inspect"}),
    ("tools", info(settings=TOOLS), None, {"tools": "python", "planned": 3}),
    ("a replay", info(settings=REPLAYED), None, {"planned": 2, "items": 3}),
    ("an own benchmark", info(plan={"benchmark": "pets"}), None, {"benchmark": "pets", "title": "pets"}),
    ("incomplete", info(status="incomplete"), None, {"status": "incomplete"}),
    ("free of charge", info(), results(spending={"model": {}, "judges": {}}), {"cost": None}),
]


@pytest.mark.parametrize(("info", "results", "said"), [case[1:] for case in SAID], ids=[case[0] for case in SAID])
def test_what_a_run_is_shows(
    tmp_path: Path, info: dict[str, Any], results: dict[str, Any] | None, said: dict[str, Any]
) -> None:
    row = row_of(made(tmp_path / "one", info, results))
    assert {name: getattr(row, name) for name in said} == said


NOTHING = {**FIGURE, "value": None}
LEADING: list[tuple[str, dict[str, Any], tuple[str, str] | None, str | None]] = [
    ("the headline", results(), ("recipe", "question"), "lenient"),
    ("lenient leads", results(headline=["lenient", "question"]), ("lenient", "question"), None),
    (
        "lenient leads, strict beside",
        results(headline=["lenient", "a"], metrics={"lenient": {"a": FIGURE}, "strict": {"a": FIGURE}}),
        ("lenient", "a"),
        "strict",
    ),
    (
        "another figure of its scorer",
        results(metrics={"lenient": {"question": FIGURE}, "recipe": {"group": FIGURE, "question": NOTHING}}),
        ("recipe", "group"),
        None,
    ),
    ("nothing could be scored", results(metrics={"recipe": {"question": NOTHING}}), None, None),
    ("no figures", results(metrics={}), None, None),
    ("no headline is named", results(headline=None), ("recipe", "question"), "lenient"),
]


@pytest.mark.parametrize(
    ("results", "leads", "beside"), [case[1:] for case in LEADING], ids=[one[0] for one in LEADING]
)
def test_the_figure_that_leads(
    tmp_path: Path, results: dict[str, Any], leads: tuple[str, str] | None, beside: str | None
) -> None:
    row = row_of(made(tmp_path / "one", info(), results))
    assert (None if row.headline is None else (row.headline.scorer, row.headline.metric)) == leads
    assert (None if row.beside is None else row.beside.scorer) == beside


WILD: list[tuple[str, bytes | dict[str, Any], bytes | dict[str, Any] | None, str, str]] = [
    ("no json", b"{", None, "damaged", "one/run.json is damaged"),
    ("deep", b"[" * 100_000, None, "damaged", "one/run.json is damaged"),
    ("a list", b"[]", None, "damaged", "one/run.json is damaged"),
    ("newer", info(format=99), None, "damaged", "newer Beholder"),
    ("a plan of odd type", info(settings={"plan": [1]}), None, "complete", ""),
    ("results that are none", info(), b"\xff", "complete", ""),
    ("results that are deep", info(), b'{"details": ' + b"[" * 100_000, "complete", ""),
    ("counts without end", info(settings={"plan": {"n_samples": 10**30}}), results(tally={**TALLY, "answered": 10**30}),
     "complete", ""),
    ("long names", info(settings={"model": "m" * 10_000}, plan={"benchmark": "b" * 10_000}), None, "complete", ""),
    ("odd types", info(settings={"model": 3, "imported": "x"}, plan={"benchmark": []}), None, "complete", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("info", "results", "status", "message"), [one[1:] for one in WILD], ids=[one[0] for one in WILD]
)
def test_a_run_that_holds_anything_has_a_line(
    tmp_path: Path, info: Any, results: Any, status: str, message: str
) -> None:
    row = row_of(made(tmp_path / "one", info, results))
    assert row.status == status
    assert message in row.message
    assert str(tmp_path) not in row.message
    assert len(row.model) <= 200
    assert len(row.benchmark) <= 200
    assert max(row.items, row.planned, row.asked) < 2**53
    json.dumps(row.planned)


def test_a_pipe_in_the_place_of_results_is_not_waited_for(tmp_path: Path) -> None:
    folder = made(tmp_path / "one", info())
    os.mkfifo(folder / "results.json")
    assert row_of(folder).headline is None


def test_a_run_that_goes_on_tells_how_far_it_is(tmp_path: Path) -> None:
    folder = made(tmp_path / "one", info(status="running"))
    with closing(schema.create(folder / "run.db", fsync=False)) as db:
        db.execute("INSERT INTO responses VALUES (1, 'k', 0, 0, 0, '', '', '', '{}', NULL)")
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        row = row_of(folder)
        assert (row.status, row.asked, row.failed, row.version) == ("running", 1, -1, "1")
    finally:
        os.close(held)
    row = row_of(folder)
    assert (row.status, row.version) == ("stopped", "1-stopped"), "a process that is gone shows, though no file changed"


def test_the_newest_run_is_first_and_arms_name_their_experiment(tmp_path: Path, library: Library) -> None:
    made(tmp_path / "runs" / "old", info(created="2026-01-01T00:00:00+00:00"))
    made(tmp_path / "runs" / "new", info(created="2026-01-03T00:00:00+00:00"))
    made(tmp_path / "runs" / "tools" / "python", info(created="2026-01-02T00:00:00+00:00"))
    (tmp_path / "runs" / "tools" / "experiment.json").write_text("{}")
    listed = run_list(library)
    assert [(row.id, row.experiment) for row in listed.runs] == [("new", ""), ("tools/python", "tools"), ("old", "")]
    assert (listed.folder, listed.static) == ("runs", False)


def test_an_empty_folder_is_an_empty_list(library: Library) -> None:
    assert run_list(library).runs == []


def test_a_line_is_read_again_only_when_its_run_has_changed(
    tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(tmp_path / "runs" / "one", info(), results())
    before = run_list(library).runs[0]
    read: list[Path] = []
    real = run_rows.read_info
    monkeypatch.setattr(run_rows, "read_info", lambda place: read.append(place) or real(place))  # type: ignore[func-returns-value]
    assert run_list(library).runs == [before]
    assert read == []
    (folder / "results.json").write_text(json.dumps(results(headline=["lenient", "question"])))
    (after,) = run_list(library).runs
    assert read == [folder]
    assert after.headline == figure("lenient", "question", 0.625)
    assert after.version == current_version(library, "one") != before.version
