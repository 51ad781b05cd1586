"""A run folder: named safely, made at once, written by one, found again; its images once each, by hash only."""

from __future__ import annotations

import datetime
import hashlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.errors import UsageError
from beholder.store import folder as folders
from beholder.store import schema
from beholder.store.folder import Blobs, RunInfo, create_run, find_run, list_runs, locked, new_folder_name, read_info
from beholder.store.pins import check_pin

NOON = datetime.datetime(2026, 12, 1, 12, 30, 5, tzinfo=datetime.UTC)


def info(**facts: Any) -> RunInfo:
    base = {"format": 1, "plan": {"a": 1}, "plan_hash": "x", "settings": {}, "environment": {}, "created": "now"}
    return RunInfo(**base | facts)


NAMES = [
    ("openai/gpt-4o", "gpt-4o"),
    ("openai/org/model-7b", "model-7b"),
    ("random", "random"),
    ("openai/../../etc/passwd", "passwd"),
    ("openai/..", "model"),
    ("openai/.hidden", "hidden"),
    ("openai/a b\tc\nd", "a-b-c-d"),
    ("openai/rm -rf $(HOME);`x`", "rm--rf-HOME-x"),
    ("openai/模型", "model"),
    ("openai/", "openai"),
    ("constant/\x00\x1b[31m", "31m"),
    ("openai/" + "x" * 500, "x" * 60),
    ("openai/-flag", "flag"),
    ("openai/a\\b:c", "a-b-c"),
    ("", "model"),
]


@pytest.mark.parametrize(("model", "last"), NAMES, ids=range(len(NAMES)))
def test_folder_names(model: str, last: str) -> None:
    assert new_folder_name("tfq", model, NOON) == f"2026-12-01T12-30-05_tfq_{last}"


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(codec=None), max_size=80))
def test_no_model_name_makes_an_unsafe_folder_name(model: str) -> None:
    name = new_folder_name("vl-rewardbench", model, NOON)
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
    assert name.startswith("2026-12-01T12-30-05_vl-rewardbench_")
    assert len(name) < 120


def test_names_sort_by_time() -> None:
    later = NOON + datetime.timedelta(seconds=1)
    assert new_folder_name("tfq", "openai/z", NOON) < new_folder_name("tfq", "openai/a", later)


def test_a_new_run_is_whole_and_the_same_name_gets_a_number(tmp_path: Path) -> None:
    made = [create_run(tmp_path / "deep" / "runs", "run", info(), fsync=False) for _ in range(3)]
    assert [folder.name for folder in made] == ["run", "run-2", "run-3"]
    for folder in made:
        assert sorted(entry.name for entry in folder.iterdir()) == ["blobs", "run.db", "run.json"]
        assert read_info(folder) == info()
        schema.open_to_write(folder / "run.db").close()
    assert list_runs(tmp_path / "deep" / "runs") == made
    assert sorted(entry.name for entry in (tmp_path / "deep" / "runs").iterdir()) == ["run", "run-2", "run-3"]


@pytest.mark.parametrize("step", ["write_info", "mkdir", "create", "rename"])
def test_nothing_half_written_is_left(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    target = {"write_info": folders, "mkdir": Path, "create": schema, "rename": Path}[step]
    (tmp_path / "runs").mkdir()
    with monkeypatch.context() as patch:
        if step == "mkdir":
            whole = Path.mkdir
            patch.setattr(Path, "mkdir", lambda path, *a, **o: full() if path.name == "blobs" else whole(path, *a, **o))
        else:
            patch.setattr(target, step, full)
        with pytest.raises(UsageError, match="No space left on device"):
            create_run(tmp_path / "runs", "run", info(), fsync=False)
    assert list_runs(tmp_path / "runs") == []
    left = [entry for entry in (tmp_path / "runs").rglob("*") if entry.name != "run"]
    assert left == []


def test_a_place_where_no_folder_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="--runs-dir"):
        create_run(tmp_path / "file", "run", info(), fsync=False)


def test_many_processes_may_claim_the_same_name(tmp_path: Path) -> None:
    made: list[Path] = []
    threads = [
        threading.Thread(target=lambda: made.append(create_run(tmp_path, "run", info(), fsync=False))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 6
    assert all(read_info(folder) == info() for folder in made)


HOLDER = """
import sys
from pathlib import Path
from beholder.store.folder import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_second_process_is_refused_until_the_first_is_gone(tmp_path: Path) -> None:
    folder = create_run(tmp_path, "run", info(), fsync=False)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(UsageError, match="another process"), locked(folder):
        raise AssertionError("two writers")
    holder.kill()
    holder.communicate()
    with locked(folder):
        pass
    with locked(folder):
        pass


INFOS = [
    (b"", "damaged"),
    (b"{", "damaged"),
    (b"[]", "damaged"),
    (b"\xff\xfe", "damaged"),
    (b'{"format": 1}', "damaged"),
    (b'{"format":"x","plan":{},"plan_hash":"","settings":{},"environment":{},"created":""}', "damaged"),
    (b'{"format":99,"plan":{},"plan_hash":"","settings":{},"environment":{},"created":""}', "newer Beholder"),
    (b"[" * 100_000, "damaged"),
]


@pytest.mark.parametrize(("content", "words"), INFOS, ids=range(len(INFOS)))
def test_a_run_json_that_cannot_be_used(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(UsageError, match=words) as caught:
        read_info(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a run folder"):
        read_info(tmp_path)


def test_finding_runs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no runs yet"):
        find_run("latest", tmp_path / "nowhere")
    for number, name in enumerate(("2026-01-02", "2026-01-01", "2026-01-03")):
        folder = create_run(tmp_path, name, info(), fsync=False)
        os.utime(folder / "blobs", ns=(number, number))
    (tmp_path / "notes").mkdir()
    assert [folder.name for folder in list_runs(tmp_path)] == ["2026-01-02", "2026-01-01", "2026-01-03"]
    assert find_run("latest", tmp_path).name == "2026-01-03"
    assert find_run("2026-01-01", tmp_path).name == "2026-01-01"
    assert find_run(str(tmp_path / "2026-01-02"), Path("elsewhere")).name == "2026-01-02"
    with pytest.raises(UsageError, match=r"no run 'x'.*2026-01-03"):
        find_run("x", tmp_path)


def test_info_is_replaced_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders.write_info(tmp_path, info(status="running"))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", lambda *arguments: (_ for _ in ()).throw(OSError(5, "killed here")))
        with pytest.raises(OSError, match="killed here"):
            folders.write_info(tmp_path, info(status="complete"))
    assert read_info(tmp_path).status == "running"
    assert [entry.name for entry in tmp_path.iterdir() if not entry.name.startswith(".")] == ["run.json"]


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_an_image_is_kept_once(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    blobs = Blobs(tmp_path)
    blobs.keep(digest(b"a"), b"a")
    path = blobs.path(digest(b"a"))
    first = path.stat()
    blobs.keep(digest(b"a"), b"a")
    Blobs(tmp_path).keep(digest(b"a"), b"a")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (first.st_ino, first.st_mtime_ns)
    assert path.read_bytes() == b"a"
    assert path == tmp_path / "blobs" / digest(b"a")[:2] / digest(b"a")


def test_threads_may_keep_the_same_image(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    contents = [bytes([number]) * 50_000 for number in range(8)]

    def keep_all() -> None:
        for content in contents:
            blobs.keep(digest(content), content)

    threads = [threading.Thread(target=keep_all) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    files = [file for file in (tmp_path / "blobs").rglob("*") if file.is_file()]
    assert sorted(file.name for file in files) == sorted(map(digest, contents))
    assert all(digest(file.read_bytes()) == file.name for file in files)


def test_a_picture_on_disk_is_kept_without_a_copy(tmp_path: Path) -> None:
    source = tmp_path / "picture.jpg"
    source.write_bytes(b"a")
    (tmp_path / "alias.jpg").symlink_to(source)
    (tmp_path / "run").mkdir()
    (tmp_path / "other").mkdir()
    Blobs(tmp_path / "run").keep(digest(b"a"), b"a", str(source))
    Blobs(tmp_path / "other").keep(digest(b"a"), b"a", str(tmp_path / "alias.jpg"))
    for name in ("run", "other"):
        blob = Blobs(tmp_path / name).path(digest(b"a"))
        assert blob.stat().st_ino == source.stat().st_ino
        assert not blob.is_symlink()
    source.unlink()
    assert Blobs(tmp_path / "run").read(digest(b"a")) == b"a"


def test_where_no_link_can_be_made_the_bytes_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    source = tmp_path / "picture.jpg"
    source.write_bytes(b"a")
    monkeypatch.setattr(os, "link", refused)
    Blobs(tmp_path).keep(digest(b"a"), b"a", str(source))
    Blobs(tmp_path).keep(digest(b"b"), b"b", str(tmp_path / "gone.jpg"))
    assert Blobs(tmp_path).path(digest(b"a")).stat().st_ino != source.stat().st_ino
    assert [Blobs(tmp_path).read(digest(data)) for data in (b"a", b"b")] == [b"a", b"b"]


def test_a_blob_that_is_not_what_it_was_is_not_given_out(tmp_path: Path) -> None:
    source = tmp_path / "picture.jpg"
    source.write_bytes(b"a")
    blobs = Blobs(tmp_path)
    blobs.keep(digest(b"a"), b"a", str(source))
    with source.open("r+b") as file:
        file.write(b"b")
    assert blobs.read(digest(b"a")) is None
    assert blobs.read(digest(b"never kept")) is None


def test_a_kill_in_mid_write_leaves_only_a_hidden_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            Blobs(tmp_path).keep(digest(b"a"), b"a")
    (left,) = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert left.name.startswith(".")
    Blobs(tmp_path).keep(digest(b"a"), b"a")
    assert Blobs(tmp_path).path(digest(b"a")).read_bytes() == b"a"


SHORT = "a" * 63
NO_HASHES = [
    "",
    "..",
    "../" * 20 + "etc",
    SHORT,
    SHORT + "aa",
    "A" * 64,
    "g" * 64,
    f"{SHORT}/",
    f"{SHORT}\n",
    f"/{SHORT}",
]


@pytest.mark.parametrize("name", NO_HASHES, ids=range(len(NO_HASHES)))
def test_only_a_hash_can_name_a_blob(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not a SHA-256"):
        Blobs(tmp_path).keep(name, b"x")
    assert list(tmp_path.rglob("*")) == []


def test_t59_data_that_changed_is_one_error_until_it_is_accepted(tmp_path: Path) -> None:
    runs, data = tmp_path / "runs", tmp_path / "data.jsonl"
    check_pin(runs, data, "a" * 64, accept=False)
    check_pin(runs, data, "a" * 64, accept=False)
    check_pin(runs, tmp_path / "other.jsonl", "b" * 64, accept=False)
    for _ in range(2):
        with pytest.raises(UsageError, match=r"data\.jsonl is not the data of earlier runs.*--accept"):
            check_pin(runs, data, "c" * 64, accept=False)
    check_pin(runs, data, "c" * 64, accept=True)
    check_pin(runs, data, "c" * 64, accept=False)
    with pytest.raises(UsageError):
        check_pin(runs, data, "a" * 64, accept=False)
    pins = msgspec.json.decode((runs / "data-pins.json").read_bytes())
    assert pins == {str(data.resolve()): "c" * 64, str((tmp_path / "other.jsonl").resolve()): "b" * 64}


def test_the_same_data_by_another_path_has_the_same_pin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_pin(tmp_path, Path("data.jsonl"), "a" * 64, accept=False)
    with pytest.raises(UsageError):
        check_pin(tmp_path, tmp_path / "x" / ".." / "data.jsonl", "b" * 64, accept=False)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"a": 5}', b"\xff"])
def test_a_damaged_pin_file_does_not_pass_in_silence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "data-pins.json").write_bytes(content)
    with pytest.raises(UsageError, match=r"data-pins\.json is damaged"):
        check_pin(tmp_path, tmp_path / "d", "a" * 64, accept=True)


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    folders.write_atomically(pipe, b"whole")
    reader.join(10)
    assert read == [b"whole"]
    assert pipe.is_fifo()
    assert [one.name for one in tmp_path.iterdir()] == ["pipe"]
