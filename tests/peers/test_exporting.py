"""A run as a table: what each format holds, that the JSON lines give the same figures again, and nothing bites."""

from __future__ import annotations

import csv
import io
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet
import pytest

from beholder.benchmarks import benchmark
from beholder.benchmarks.benchmark import LoadOptions, MetricOptions
from beholder.engine.answers import read_plain, score_answers
from beholder.engine.lifecycle import read_result
from beholder.errors import UsageError
from beholder.models.fakes import replay
from beholder.peers import exporting
from beholder.peers.exporting import COLUMNS, FORMATS, LONGEST_CELL, Exported, Wanted, export, safe_cell
from beholder.store import schema
from beholder.store.folder import read_info
from made_runs import answer_by_prompt, number_of, plan_for, run_engine, tfq_data, vl_data
from scripted_server import Reply, Request, ScriptedServer, completion

HOSTILE = '=HYPERLINK("http://x","y")\x1b[2J <answer>T</answer>'


def odd_answers(request: Request) -> Reply:
    """Answers as they come, one that a spreadsheet would run, and one request that fails for good."""
    number = number_of(request)
    if number == 3:
        return Reply(b'{"error": {"message": "no"}}', status=400)
    return Reply(completion(HOSTILE)) if number == 4 else answer_by_prompt(request)


def made_run(tmp_path: Path, name: str = "tfq", **settings: Any) -> tuple[Path, Path]:
    """The data and the folder of a run over eight items."""
    data = tfq_data(tmp_path / "data", 8, images=2) if name == "tfq" else vl_data(tmp_path / "data", 8)
    with ScriptedServer(odd_answers) as server:
        return data, run_engine(plan_for(data, name, **settings), server.url, tmp_path / "runs").folder


def exported(folder: Path, form: str, **wanted: Any) -> tuple[bytes, Exported]:
    out = io.BytesIO()
    done = export(Wanted(folder=folder, **wanted), form, out)
    return out.getvalue(), done


def lines(folder: Path, **wanted: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in exported(folder, "jsonl", **wanted)[0].splitlines()]


def table(folder: Path) -> list[dict[str, str]]:
    text = exported(folder, "csv")[0].decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_row_of_an_answer_and_of_a_failure(tmp_path: Path) -> None:
    _, folder = made_run(tmp_path)
    rows = lines(folder)
    assert [row["index"] for row in rows] == list(range(8))
    row = rows[4]
    assert (row["benchmark"], row["model"], row["vote"], row["epoch"]) == ("tfq", "openai/test-model", 0, 0)
    assert row["question"].endswith("Statement 4: the lamp stands for hope.")
    assert (row["gold"], row["response"], row["finish"]) == ("T", HOSTILE, "stop")
    assert row["scores"]["recipe"] == {
        "value": 1.0,
        "outcome": "scored",
        "extracted": "T",
        "reason": "Read between the first open tag and the first close tag.",
    }
    assert row["latency"] > 0
    assert len(row["images"][0]) == 64
    assert "failure" not in row
    failed = rows[3]
    assert (failed["response"], failed["failure"]["owner"], failed["failure"]["status"]) == (None, "provider", 400)
    assert failed["scores"]["recipe"]["outcome"] == "failed"


@pytest.mark.parametrize(("name", "votes"), [("tfq", None), ("vl-rewardbench", 3)])
def test_exported_lines_give_the_same_figures(tmp_path: Path, name: str, votes: int | None) -> None:
    data, folder = made_run(tmp_path, name, votes=votes)
    file = tmp_path / "answers.jsonl"
    file.write_bytes(exported(folder, "jsonl")[0])
    found, info = benchmark(name), read_info(folder)
    plan = msgspec.convert(info.settings["plan"], type(plan_for(data, name)))
    result = read_result(folder, info, plan, found)
    given = read_plain(file, found, data, LoadOptions())
    items = score_answers(given.answered, found.scorers)
    assert [item.order for item in items] == [item.order for item in result.items]
    outcomes = [{scorer: (score.value, score.outcome) for scorer, score in item.scores.items()} for item in items]
    assert outcomes == [
        {scorer: (score.value, score.outcome) for scorer, score in item.scores.items()} for item in result.items
    ]
    figures = found.metrics(items, MetricOptions(seed=plan.seed, group_sizes=given.group_sizes, votes=plan.votes))
    assert {scorer: {metric: one.value for metric, one in own.items()} for scorer, own in figures.items()} == {
        scorer: {metric: one.value for metric, one in own.items()} for scorer, own in result.metrics.items()
    }


def test_exported_lines_can_be_replayed_failures_and_all(tmp_path: Path) -> None:
    data, folder = made_run(tmp_path, epochs=2)
    file = tmp_path / "answers.jsonl"
    file.write_bytes(exported(folder, "jsonl")[0])
    again = run_engine(
        plan_for(data, epochs=2), "http://localhost:1", tmp_path / "again", make_model=lambda: replay(file)
    ).folder
    kept = ("key", "epoch", "vote", "response", "finish", "failure", "scores")
    assert [{name: row.get(name) for name in kept} for row in lines(again)] == [
        {name: row.get(name) for name in kept} for row in lines(folder)
    ]


def test_one_epoch_only(tmp_path: Path) -> None:
    _, folder = made_run(tmp_path, epochs=2)
    assert exported(folder, "jsonl")[1] == Exported(16)
    assert {row["epoch"] for row in lines(folder, epoch=1)} == {1}


def test_csv_and_parquet_hold_the_same_columns(tmp_path: Path) -> None:
    _, folder = made_run(tmp_path)
    rows = table(folder)
    written = pyarrow.parquet.read_table(io.BytesIO(exported(folder, "parquet")[0]))
    names = [f"{scorer}.{part}" for scorer in benchmark("tfq").scorers for part in exporting._OF_SCORER]
    assert list(rows[0]) == written.column_names == [*COLUMNS, *names]
    assert rows[4]["response"] == '\'=HYPERLINK("http://x","y") <answer>T</answer>'
    parquet = written.to_pylist()
    assert parquet[4]["response"] == HOSTILE
    assert (parquet[4]["recipe.value"], rows[4]["recipe.value"]) == (1.0, "1.0")
    assert (parquet[3]["failure_owner"], rows[3]["failure_owner"], rows[3]["response"]) == ("provider", "provider", "")
    assert [row["index"] for row in parquet] == list(range(8))


def test_what_an_answer_cost(tmp_path: Path) -> None:
    _, folder = made_run(tmp_path)
    usage = '{"prompt_tokens": 9, "cache_read_tokens": 5, "cache_write_tokens": 4, "cost": 0.25}'
    with closing(schema.open_to_write(folder / "run.db")) as db:
        first = "(SELECT key FROM samples ORDER BY position LIMIT 1)"  # answers come in no order
        db.execute(f"UPDATE responses SET record = json_set(record, '$.usage', json(?)) WHERE key = {first}", (usage,))
    names = ("cost", "prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens")
    parquet = pyarrow.parquet.read_table(io.BytesIO(exported(folder, "parquet")[0])).to_pylist()
    for row in (lines(folder)[0], parquet[0]):
        assert [row[name] for name in names] == [0.25, 9, None, 5, 4]
    assert [table(folder)[0][name] for name in names] == ["0.25", "9", "", "5", "4"]


def test_a_count_that_no_column_holds(tmp_path: Path) -> None:
    _, folder = made_run(tmp_path)
    with closing(schema.open_to_write(folder / "run.db")) as db:
        usage = f'{{"prompt_tokens": {2**63}}}'
        db.execute("UPDATE responses SET record = json_set(record, '$.usage', json(?))", (usage,))
    assert lines(folder)[0]["prompt_tokens"] == 2**63
    with pytest.raises(UsageError, match="Parquet cannot hold"):
        exported(folder, "parquet")


def test_a_repetition_that_the_run_does_not_have(tmp_path: Path) -> None:
    _, folder = made_run(tmp_path, epochs=2)
    with pytest.raises(UsageError, match="no repetition 2: the run has 2, numbered from 0"):
        exported(folder, "jsonl", epoch=2)


def test_parquet_of_more_rows_than_one_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "BATCH", 3)
    _, folder = made_run(tmp_path)
    assert pyarrow.parquet.read_table(io.BytesIO(exported(folder, "parquet")[0])).num_rows == 8


# what a run holds, what the CSV holds
CELLS = [
    ("plain", "plain"),
    ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
    ("+1", "'+1"),
    ("-1", "'-1"),
    ("@SUM(1)", "'@SUM(1)"),
    ("＝1+1", "'＝1+1"),
    (" \n=1", "' \n=1"),
    ("\t=1", "'\t=1"),
    ("\r=1", "'\n=1"),
    ("\x00=1", "'=1"),
    ("\u202e=1", "'=1"),
    ("'tis", "''tis"),
    ("\u200b=1", "'\u200b=1"),
    ("\ufeff @x", "'\ufeff @x"),
    ("a=1", "a=1"),
    ("\u200ba=1", "\u200ba=1"),
    ("one\r\ntwo", "one\ntwo"),
    ("", ""),
    (-1.5, -1.5),
    (None, None),
]


@pytest.mark.parametrize(("value", "cell"), CELLS)
def test_cells_are_safe(value: Any, cell: Any) -> None:
    assert safe_cell(value) == cell


def test_a_cell_is_no_longer_than_spreadsheets_take() -> None:
    cell = safe_cell("a" * (LONGEST_CELL + 5))
    assert cell.endswith("[… 5 characters left out; JSON lines hold them …]")
    assert len(cell) < 32_767


def test_pictures_are_copied_by_hash(tmp_path: Path) -> None:
    data, folder = made_run(tmp_path)
    out = tmp_path / "out_images"
    text, done = exported(folder, "jsonl", pictures=out)
    assert done == Exported(8, pictures=2)
    names = {name for line in text.splitlines() for name in json.loads(line)["images"]}
    assert {str(file.relative_to(tmp_path)) for file in out.iterdir()} == names
    assert all(name.endswith(".jpg") for name in names)
    published = {file.read_bytes() for file in (data.parent / "images").iterdir()}
    assert {(tmp_path / name).read_bytes() for name in names} == published


def test_a_run_cannot_choose_which_files_are_copied(tmp_path: Path) -> None:
    _, folder = made_run(tmp_path)
    row = lines(folder)[0]
    secret = tmp_path / "secret.jpg"
    secret.write_bytes(b"secret")
    blob = folder / "blobs" / row["images"][0][:2] / row["images"][0]
    blob.unlink()
    blob.symlink_to(secret)
    out = tmp_path / "out"
    text, done = exported(folder, "jsonl", pictures=out)
    assert (done.pictures, done.missing) == (1, 1)
    assert json.loads(text.splitlines()[0])["images"] == row["images"]
    with closing(schema.open_to_write(folder / "run.db")) as db:
        db.execute("UPDATE samples SET record = replace(record, 'sha256:', ?)", (f"{secret.parent}/",))
    assert {tuple(row["images"]) for row in lines(folder)} == {()}


def test_pictures_are_not_written_through_a_link(tmp_path: Path) -> None:
    _, folder = made_run(tmp_path)
    (tmp_path / "out").symlink_to(tmp_path / "runs")
    with pytest.raises(UsageError, match="is a link"):
        exported(folder, "jsonl", pictures=tmp_path / "out")


def test_an_unknown_format_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=", ".join(FORMATS)):
        export(Wanted(folder=tmp_path), "xml", io.BytesIO())
