"""Bad input gets one clear line that names the file, the record and the mend, exit code 2, and nothing half-written."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_data import (
    Beholder,
    better,
    check_refused,
    judgement,
    run,
    tfq_data,
    tfq_results,
    tfq_rows,
    tree,
    vlrb_data,
    vlrb_rows,
    write_image,
    write_lines,
)

from beholder.synth.dataset import LAYOUT, MANIFEST


def tfq_with(change: dict[str, Any], row: int = 2) -> Callable[[Path], Path]:
    """TFQ data in which one record has other values; a value of `...` removes the column."""

    def make(here: Path) -> Path:
        rows = tfq_rows()
        rows[row] = {name: value for name, value in (rows[row] | change).items() if value is not ...}
        return tfq_data(here, rows)

    return make


def vlrb_with(change: dict[str, Any]) -> Callable[[Path], Path]:
    def make(here: Path) -> Path:
        rows = vlrb_rows()
        rows[1] = {name: value for name, value in (rows[1] | change).items() if value is not ...}
        return vlrb_data(here, rows)

    return make


def text_file(name: str, content: str | bytes) -> Callable[[Path], Path]:
    def make(here: Path) -> Path:
        path = here / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def folder_with(*names: str) -> Callable[[Path], Path]:
    def make(here: Path) -> Path:
        folder = here / "folder"
        folder.mkdir()
        for name in names:
            (folder / name).write_text('{"problem": "x"}\n')
        return folder

    return make


def missing(name: str) -> Callable[[Path], Path]:
    return lambda here: here / name


LINE_3 = "tfq.jsonl, line 3"
DATA_ROWS: list[tuple[str, str, Callable[[Path], Path], tuple[str, ...]]] = [
    ("missing column answer", "tfq", tfq_with({"answer": ...}), (LINE_3, "no column 'answer'", "problem")),
    ("missing column problem", "tfq", tfq_with({"problem": ...}), (LINE_3, "no column 'problem'")),
    ("empty gold", "tfq", tfq_with({"answer": ""}), (LINE_3, "must be T or F", "Write T or F")),
    ("null gold", "tfq", tfq_with({"answer": None}), (LINE_3, "must be T or F but is null", "Write T or F")),
    ("gold outside the options", "tfq", tfq_with({"answer": "maybe"}), (LINE_3, "'maybe'", "Write T or F")),
    ("gold of another type", "tfq", tfq_with({"answer": True}), (LINE_3, "true/false", "Write T or F")),
    ("no image in the record", "tfq", tfq_with({"images": []}), (LINE_3, "no image", "add the image")),
    ("image outside the folder", "tfq", tfq_with({"images": ["../../etc/passwd"]}), (LINE_3, "leaves the image")),
    ("image is an address", "tfq", tfq_with({"images": ["https://a.b/c.png"]}), (LINE_3, "Download the images")),
    ("empty statement", "tfq", tfq_with({"problem": "<image> "}), (LINE_3, "statement is empty", "Remove")),
    ("malformed line", "tfq", text_file("a.jsonl", '{"problem": \n'), ("a.jsonl, line 1", "not valid JSON", ".jsonl")),
    (
        "malformed list",
        "tfq",
        text_file("a.json", f"[{json.dumps(tfq_rows()[0])}, {{"),
        ("a.json, record 2", "Mend or remove"),
    ),
    ("record is no object", "tfq", text_file("a.json", "[1]"), ("a.json, record 1", "must be an object")),
    ("empty file", "tfq", text_file("a.jsonl", ""), ("a.jsonl", "no records", "right file")),
    ("empty list file", "tfq", text_file("a.json", ""), ("a.json", "empty", "right file")),
    ("file is binary", "tfq", text_file("a.jsonl", b"\xff\xfe\x00{"), ("a.jsonl", "UTF-16", "UTF-8")),
    ("file is no Parquet", "tfq", text_file("a.parquet", "PAR?"), ("a.parquet", "cannot be read", "again")),
    ("missing file", "tfq", missing("nowhere.jsonl"), ("nowhere.jsonl", "no such file")),
    ("unknown ending", "tfq", text_file("a.txt", "x"), ("a.txt", "Known endings", ".jsonl")),
    ("folder without data", "tfq", folder_with("readme.md"), ("folder", "no data file")),
    ("folder with two data sets", "tfq", folder_with("a.jsonl", "b.jsonl"), ("folder", "2 data sets", "one file")),
    ("one response", "vl-rewardbench", vlrb_with({"response": ["a"]}), ("vlrb.jsonl, line 2", "exactly two", "Put")),
    ("no id", "vl-rewardbench", vlrb_with({"id": None}), ("vlrb.jsonl, line 2", "'id'", "put the published id")),
    ("no ranking", "vl-rewardbench", vlrb_with({"human_ranking": ...}), ("vlrb.jsonl, line 2", "[0, 1]", "rank of")),
    ("ranking tie", "vl-rewardbench", vlrb_with({"human_ranking": [0, 0]}), ("vlrb.jsonl, line 2", "[0, 0]", "rank")),
]


@pytest.mark.parametrize(
    ("benchmark", "make", "words"), [row[1:] for row in DATA_ROWS], ids=[row[0].replace(" ", "-") for row in DATA_ROWS]
)
def test_broken_data_is_named_before_a_run_begins(
    beholder: Beholder, tmp_path: Path, benchmark: str, make: Callable[[Path], Path], words: tuple[str, ...]
) -> None:
    runs = tmp_path / "runs"
    said = beholder(*run(make(tmp_path), "--runs-dir", runs, benchmark=benchmark))
    check_refused(said, words)
    assert tree(runs) == {}


def good(here: Path, *more: object, **kind: str) -> list[object]:
    return run(tfq_data(here), "--runs-dir", here / "runs", *more, **kind)


def with_file(name: str, content: str, *before: object) -> Callable[[Path], list[object]]:
    def make(here: Path) -> list[object]:
        (here / name).write_text(content)
        return good(here, *before, here / name)

    return make


def of_manifest(here: Path, task: str) -> list[object]:
    """Makes a set again whose one item is of that task."""
    item = {"id": 0, "task": task, "seed": 1, "level": 1, "files": {}, "certificate": {}}
    made = {"layout": LAYOUT, "beholder": "0", "pillow": "0", "records": "", "sources": {}, "items": [item]}
    (here / MANIFEST).write_text(json.dumps(made))
    return ["synth", here / MANIFEST, "--out", here / "o"]


OPTION_ROWS: list[tuple[str, Callable[[Path], list[object]], tuple[str, ...]]] = [
    ("unknown benchmark", lambda h: good(h, benchmark="tqf"), ("'tqf'", "Did you mean tfq", "vl-rewardbench")),
    ("unknown benchmark underscore", lambda h: good(h, benchmark="vl_rewardbench"), ("mean vl-rewardbench",)),
    ("unknown model kind", lambda h: good(h, model="opnai/x"), ("'opnai'", "Did you mean openai", "--model")),
    ("bare model name", lambda h: good(h, model="gpt-5"), ("openai/NAME",)),
    ("model without a name", lambda h: good(h, model="openai/"), ("incomplete", "openai/NAME")),
    ("no base url", lambda h: good(h, model="openai/m"), ("--base-url", "http://localhost:8000/v1")),
    ("base url without scheme", lambda h: good(h, "--base-url", "localhost:1", model="openai/m"), ("--base-url",)),
    ("replay of nothing", lambda h: good(h, model=f"replay/{h}/none.jsonl"), ("none.jsonl", "cannot be read")),
    ("bad where", lambda h: good(h, "--where", "category"), ("--where 'category'", "field=value")),
    ("where leaves nothing", lambda h: good(h, "--where", "category=none"), ("No item", "Widen")),
    ("limit zero", lambda h: good(h, "--limit", "0"), ("'--limit'", "beholder run --help")),
    ("limit is no number", lambda h: good(h, "--limit", "few"), ("'--limit'", "beholder run --help")),
    ("header without colon", lambda h: good(h, "--base-url", "http://x/v1", "--header", "X"), ("'Name: value'",)),
    ("extra body", lambda h: good(h, "--base-url", "http://x/v1", "--extra-body", "{"), ("--extra-body", "top_k")),
    ("extra body list", lambda h: good(h, "--base-url", "http://x/v1", "--extra-body", "[]"), ("JSON object",)),
    ("unknown order", lambda h: good(h, "--order", "sorted"), ("--order 'sorted'", "random or balanced")),
    ("no ids in the file", with_file("ids.txt", "# none\n", "--ids"), ("ids.txt", "names no items", "each line")),
    ("ids file is missing", lambda h: good(h, "--ids", h / "no.txt"), ("no.txt", "cannot be read")),
    ("ids of other data", with_file("ids.txt", "zzz\n", "--ids"), ("--ids", "zzz")),
    ("prompt file is missing", lambda h: good(h, "--prompt", h / "no.txt"), ("--prompt", "no.txt")),
    ("wrong template", with_file("prompt.txt", "Is it true?", "--prompt"), ("template", "{")),
    ("CA file is missing", lambda h: good(h, "--base-url", "http://x", "--ca-file", h / "ca"), ("--ca-file", "ca")),
    ("categories of other data", with_file("c.json", '{"zzz": "a"}', "--categories"), ("c.json", "'zzz'")),
    ("categories are no map", with_file("c.json", "[1]", "--categories"), ("c.json", "JSON object")),
    ("image folder is missing", lambda h: good(h, "--images", h / "no"), ("no", "image folder")),
    ("no model", lambda h: ["run", "tfq", "--data", tfq_data(h)], ("'--model'", "beholder run --help")),
    ("no data", lambda h: ["run", "tfq", "--model", "random"], ("--data", "beholder data fetch tfq")),
    ("unknown option", lambda h: good(h, "--temprature", "1"), ("--temprature", "beholder run --help")),
    ("unknown command", lambda h: ["scroe", "tfq"], ("'scroe'", "Did you mean score", "doctor")),
    ("show nothing", lambda h: ["show", "latest", "--runs-dir", h / "none"], ("none", "no runs yet")),
    ("show of an unknown run", lambda h: ["show", "x", "--runs-dir", h], ("no run 'x'",)),
    ("resume of no run", lambda h: ["resume", h], ("There is no run",)),
    ("rescore of no run", lambda h: ["rescore", h], ("There is no run",)),
    ("pack of no run", lambda h: ["pack", "x", "--runs-dir", h], ("no run 'x'",)),
    ("unknown family", lambda h: ["synth", "sudoku", "--out", h / "o"], ("'sudoku'", "jigsaw", "all")),
    (
        "mask images without masks",
        lambda h: ["synth", "refcoco", "--out", h / "o", "--mask-images", h],
        ("--mask-images", "give --masks"),
    ),
    ("masks for other families", lambda h: ["synth", "MAZE", "--out", h / "o", "--masks", h], ("--masks", "refcoco")),
    ("manifest of an unknown task", lambda h: of_manifest(h, "..os"), ("manifest.json, item 0", "no task '..os'")),
    ("photos folder is empty", lambda h: ["synth", "jigsaw", "--out", h / "o", "--photos", h], ("photo",)),
    ("difficulty out of range", lambda h: ["synth", "jigsaw", "--out", h / "o", "--difficulty", "9"], ("1 to 5", "9")),
]


@pytest.mark.parametrize(
    ("make", "words"), [row[1:] for row in OPTION_ROWS], ids=[row[0].replace(" ", "-") for row in OPTION_ROWS]
)
def test_a_wrong_option_is_named_and_nothing_is_written(
    beholder: Beholder, tmp_path: Path, make: Callable[[Path], list[object]], words: tuple[str, ...]
) -> None:
    arguments = make(tmp_path)
    before = tree(tmp_path)
    check_refused(beholder(*arguments), words)
    assert tree(tmp_path) == before


def score(benchmark: str, *more: object) -> list[object]:
    return ["score", benchmark, *more]


def plain(here: Path, *rows: dict[str, Any]) -> Path:
    return write_lines(here / "answers.jsonl", rows)


def vlrb_results(here: Path, **change: Any) -> Path:
    rows = [judgement(0, better(1), 0), judgement(1, better(1), 0) | change]
    return write_lines(here / "results.jsonl", rows)


A, B = {"key": "q0", "response": "T"}, {"key": "q1", "response": "F"}
SCORE_ROWS: list[tuple[str, Callable[[Path], list[object]], tuple[str, ...]]] = [
    ("no such file", lambda h: score("tfq", h / "no.json"), ("no.json", "no such file")),
    ("plain without data", lambda h: score("tfq", plain(h, A)), ("answers.jsonl", "--data", "gold")),
    (
        "duplicates in plain lines",
        lambda h: score("tfq", plain(h, A, B, A), "--data", tfq_data(h)),
        ("answers.jsonl, line 1", "answers.jsonl, line 3", "'q0'", "number the votes"),
    ),
    (
        "plain key that the data lacks",
        lambda h: score("tfq", plain(h, {"key": "zz", "response": "T"}), "--data", tfq_data(h)),
        ("answers.jsonl, line 1", "'zz'", "--data"),
    ),
    (
        "plain line without key",
        lambda h: score("tfq", plain(h, A, {"response": "T"}), "--data", tfq_data(h)),
        ("answers.jsonl, line 2", "`key`", "Each line"),
    ),
    (
        "plain response is no text",
        lambda h: score("tfq", plain(h, A, {"key": "q1", "response": [1]}), "--data", tfq_data(h)),
        ("answers.jsonl, line 2", "`response` is not text", "Each line"),
    ),
    (
        "plain vote is no number",
        lambda h: score("tfq", plain(h, A, B | {"vote": "first"}), "--data", tfq_data(h)),
        ("answers.jsonl, line 2", "`vote`", "whole number"),
    ),
    (
        "plain order of three",
        lambda h: score(
            "vl-rewardbench",
            plain(h, {"key": "RLHF-V-2", "response": "x", "order": [0, 1, 2]}),
            "--data",
            vlrb_data(h),
        ),
        ("answers.jsonl, line 1", "`order`", "stored index"),
    ),
    (
        "result file of the other benchmark",
        lambda h: score("vl-rewardbench", tfq_results(h / "r.json", ["<answer>T</answer>"])),
        ("r.json, record 1", "'id'"),
    ),
    (
        "result file of the other benchmark, reversed",
        lambda h: score("tfq", vlrb_results(h)),
        ("results.jsonl, line 1", "'Model_Output'", "result file of TFQ-Bench"),
    ),
    (
        "result without gold",
        lambda h: score("tfq", write_lines(h / "r.json", [{"Model_Output": "T", "Ground_Truth": ""}])),
        ("r.json, line 1", "must be T or F", "Write T or F"),
    ),
    ("no votes recorded", lambda h: score("vl-rewardbench", vlrb_results(h, meta=None)), ("line 2", "inference.py")),
    (
        "no random number",
        lambda h: score("vl-rewardbench", vlrb_results(h, meta={"filter_choice": "x"})),
        ("results.jsonl, line 2", "random_number", "mapped back"),
    ),
    ("no ranking", lambda h: score("vl-rewardbench", vlrb_results(h, ranking=None)), ("line 2", "[0, 1]")),
    (
        "the results of another benchmark",
        lambda h: score("tir", tfq_results(h / "r.json", ["x"])),
        ("r.json, record 1", "'model_response'", "TIR-Bench"),
    ),
]


@pytest.mark.parametrize(
    ("make", "words"), [row[1:] for row in SCORE_ROWS], ids=[row[0].replace(" ", "-") for row in SCORE_ROWS]
)
@pytest.mark.parametrize("as_json", [False, True], ids=["table", "json"])
def test_a_broken_answer_file_is_named(
    beholder: Beholder, tmp_path: Path, make: Callable[[Path], list[object]], words: tuple[str, ...], as_json: bool
) -> None:
    check_refused(beholder(*make(tmp_path), *(["--json"] if as_json else [])), words)


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.mark.parametrize("data", ["no/such/data.jsonl", "tfq.jsonl"])
def test_an_unreachable_server_is_found_before_the_data_is_read(beholder: Beholder, tmp_path: Path, data: str) -> None:
    tfq_data(tmp_path)
    url = f"http://127.0.0.1:{closed_port()}/v1"
    started = time.monotonic()
    said = beholder(
        *run(tmp_path / data, "--base-url", url, "--runs-dir", tmp_path / "runs", model="openai/some-model")
    )
    assert time.monotonic() - started < 10
    check_refused(said, ("No server answers", url, "--base-url"))
    assert tree(tmp_path / "runs") == {}


def test_a_host_that_does_not_exist_is_an_unreachable_server(beholder: Beholder, tmp_path: Path) -> None:
    said = beholder(*run(tfq_data(tmp_path), "--base-url", "http://no-such-host.invalid/v1", model="openai/m"))
    check_refused(said, ("No server answers at http://no-such-host.invalid/v1",))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_runs_folder_that_cannot_be_written(beholder: Beholder, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir(mode=0o500)
    check_refused(beholder(*run(tfq_data(tmp_path), "--runs-dir", runs)), ("--runs-dir",))


def test_a_runs_folder_that_is_a_file(beholder: Beholder, tmp_path: Path) -> None:
    runs = write_image(tmp_path / "runs.png")
    check_refused(beholder(*run(tfq_data(tmp_path), "--runs-dir", runs)), ("runs.png",))


def test_parquet_without_pyarrow_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "data.parquet").write_bytes(b"PAR1")
    program = (
        "import sys\n"
        "class Blocked:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'pyarrow': raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Blocked())\n"
        "from beholder.cli.main import run\n"
        "run()\n"
    )
    arguments = ["run", "tfq", "--model", "random", "--data", "data.parquet"]
    done = subprocess.run([sys.executable, "-c", program, *arguments], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "data.parquet" in done.stderr
    assert "pip install 'beholder[data]'" in done.stderr
    assert tree(tmp_path / "runs") == {}
