"""Runs that cannot be opened, continued, marked, packed or compared: one line says which and why; nothing changes."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest
from cli_data import Beholder, check_refused, run, tfq_data, tfq_rows, tree, vlrb_data, write_lines

from beholder.errors import DataError


def finished_run(beholder: Beholder, here: Path) -> tuple[Path, Path]:
    data, runs = tfq_data(here), here / "runs"
    assert beholder(*run(data, "--runs-dir", runs)).code == 0
    return data, next(folder for folder in runs.iterdir() if folder.is_dir())


def test_a_run_of_other_data_is_not_resumed(beholder: Beholder, tmp_path: Path) -> None:
    data, folder = finished_run(beholder, tmp_path)
    write_lines(data, tfq_rows()[:5])
    before = tree(folder)
    check_refused(beholder("resume", folder), ("another plan", "data_sha256", "Start a new run"))
    assert tree(folder) == before


def test_a_run_of_another_format_is_not_opened(beholder: Beholder, tmp_path: Path) -> None:
    _, folder = finished_run(beholder, tmp_path)
    info = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(info | {"format": 99}))
    for command in ("show", "resume", "rescore"):
        check_refused(beholder(command, folder), ("newer Beholder", "format 99", "Upgrade"))


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff\xfe", b"", b'{"format": 1}'], ids=repr)
def test_a_damaged_run_json_is_named(beholder: Beholder, tmp_path: Path, content: bytes) -> None:
    _, folder = finished_run(beholder, tmp_path)
    (folder / "run.json").write_bytes(content)
    before = tree(folder)
    for command in ("show", "resume", "rescore"):
        check_refused(beholder(command, folder), (str(folder / "run.json"), "damaged"))
    listed = beholder("list", "--runs-dir", tmp_path / "runs")
    assert listed.code == 0
    assert "damaged" in listed.out
    assert tree(folder) == before


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0" + b"\0" * 100, b"not a database at all"], ids=len)
def test_a_damaged_database_is_named(beholder: Beholder, tmp_path: Path, content: bytes) -> None:
    _, folder = finished_run(beholder, tmp_path)
    (folder / "run.db").write_bytes(content)
    for command in ("show", "resume", "rescore", "pack"):
        check_refused(beholder(command, folder), ("run.db",))


def test_data_that_changed_since_it_was_pinned(beholder: Beholder, tmp_path: Path) -> None:
    data, _ = finished_run(beholder, tmp_path)
    runs = tmp_path / "runs"
    write_lines(data, tfq_rows()[:5])
    before = tree(runs)
    check_refused(beholder(*run(data, "--runs-dir", runs)), ("tfq.jsonl", "SHA-256", "--accept"))
    assert tree(runs) == before
    accepted = beholder(*run(data, "--runs-dir", runs, "--accept"))
    assert accepted.code == 0, accepted.err
    assert beholder(*run(data, "--runs-dir", runs)).code == 0, "the new pin holds without --accept"


def test_a_damaged_pin_file_is_named(beholder: Beholder, tmp_path: Path) -> None:
    data, _ = finished_run(beholder, tmp_path)
    (tmp_path / "runs" / "data-pins.json").write_text("{")
    check_refused(beholder(*run(data, "--runs-dir", tmp_path / "runs")), ("data-pins.json", "Delete it"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("latest", "zzzz"), ("no answered item 'zzzz'", "Answered items are")),
        (("latest", "0", "--mark", "guess"), ("'guess'", "recipe, official, strict, lenient")),
        (("latest", "--mark", "strict"), ("--mark needs an item", "ITEM")),
        (("latest", "0", "--mark", "strict", "--vote", "4"), ("vote 4",)),
        (("latest", "9" * 5000), ("no answered item",)),
    ],
    ids=["no-such-item", "unknown-scorer", "mark-without-item", "mark-of-no-vote", "endless-number"],
)
def test_show_refuses_what_it_cannot_do(
    beholder: Beholder, tmp_path: Path, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    _, folder = finished_run(beholder, tmp_path)
    before = tree(folder)
    check_refused(beholder("show", *arguments, "--runs-dir", tmp_path / "runs"), words)
    assert tree(folder) == before


def test_compare_refuses_runs_of_two_benchmarks(beholder: Beholder, tmp_path: Path) -> None:
    _, first = finished_run(beholder, tmp_path)
    made = beholder(
        *run(vlrb_data(tmp_path / "v"), "--runs-dir", tmp_path / "other", benchmark="vl-rewardbench", model="random")
    )
    assert made.code == 0
    second = next(folder for folder in (tmp_path / "other").iterdir() if folder.is_dir())
    check_refused(beholder("compare", first, second), ("tfq", "vl-rewardbench", "one benchmark"))
    check_refused(beholder("compare", first, first, "--scorer", "x"), ("--scorer", "'x'", "recipe"))


def test_a_packed_file_that_is_none_is_named(beholder: Beholder, tmp_path: Path) -> None:
    fake = tmp_path / "x.beholder.zip"
    fake.write_bytes(b"PK no")
    check_refused(beholder("show", fake), ("x.beholder.zip", "packed run"))


@pytest.mark.parametrize("out", ["no/folder/x.zip", "."], ids=["missing-folder", "is-a-folder"])
def test_pack_to_an_impossible_place(beholder: Beholder, tmp_path: Path, out: str) -> None:
    _, folder = finished_run(beholder, tmp_path)
    check_refused(beholder("pack", folder, "--out", tmp_path / out), ("--out",))


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "runs/x.db"), 2, ("runs/x.db: No space left", "free space")),
        (PermissionError(errno.EACCES, "Permission denied", "runs"), 2, ("runs: Permission denied", "permissions")),
        (DataError("it is odd\nvery odd", where="a.json, record 1", mend="Mend it."), 2, ("record 1: it is odd very",)),
        (KeyboardInterrupt(), 130, ()),
    ],
    ids=["disk-full", "no-permission", "data", "ctrl-c"],
)
def test_what_goes_wrong_inside_a_command_is_one_line(
    beholder: Beholder, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, words: tuple[str, ...]
) -> None:
    def fail(runs_dir: Path) -> None:
        raise error

    monkeypatch.setattr("beholder.report.run_list.run_rows", fail)
    said = beholder("list")
    assert said.code == code
    if code == 2:
        check_refused(said, words)
    else:
        assert "Traceback" not in said.err
