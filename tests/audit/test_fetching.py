"""Bringing a data set here: from a hub that behaves, from one that does not, from a copy; and unpacking its archive."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import shutil
import stat
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from beholder.audit import fetching, hub, unpacking
from beholder.benchmarks.fetched import MANIFEST, read_fetched
from beholder.benchmarks.published import Published, data_set
from beholder.errors import BeholderError, DataError, ProviderError, UsageError
from fake_hub import COMMIT, LATER, FakeHub, archive, serving, tfq_lite, write_all
from made_runs import jpeg
from made_tir import record

SMALL = msgspec.structs.replace(data_set("tfq"), records=20)
TIR = msgspec.structs.replace(data_set("tir"), records=2)
FIRST, SECOND = "data/test-00000-of-00002.parquet", "data/test-00001-of-00002.parquet"
SAID: list[str] = []


def small() -> dict[str, bytes]:
    return tfq_lite(20)


def tir_files(members: dict[str, bytes] | None = None) -> dict[str, bytes]:
    rows = [record(0), record(1)]
    packed = members if members is not None else {f"data/{number}.jpg": jpeg(number) for number in range(2)}
    return {"TIR-Bench.json": json.dumps(rows).encode(), "data.zip": archive(packed)}


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[FakeHub], FakeHub]]:
    """`place(hub)` puts a hub where `huggingface_hub` looks for one."""
    opened = []

    def put(one: FakeHub) -> FakeHub:
        context = serving(one)
        context.__enter__()
        opened.append(context)
        monkeypatch.setenv("HF_ENDPOINT", one.url)
        return one

    monkeypatch.delenv("HF_TOKEN", raising=False)
    yield put
    for context in opened:
        context.__exit__(None, None, None)


def get(folder: Path, published: Published = SMALL, revision: str = "main") -> Any:
    there = fetching.begun(published, folder)
    kept = there.commit if there is not None else ""
    return fetching.fetch(published, fetching.look(published, kept or revision), folder, SAID.append)


def test_a_whole_set_is_brought_checked_and_told(place: Any, tmp_path: Path) -> None:
    at = place(FakeHub(SMALL.repository, small()))
    done = get(tmp_path)
    assert [path for path, _ in at.files_asked()] == [FIRST, SECOND], "the card is not data"
    assert (done.commit, done.records, done.complete, done.licence) == (COMMIT, 20, True, "apache-2.0")
    assert read_fetched(tmp_path) == done
    assert fetching.faults(tmp_path, done) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == [MANIFEST, "data"]
    assert fetching.counted(SMALL, done) == "20 records, as published."
    assert fetching.counted(data_set("tfq"), done) == "20 records; TFQ-Bench-Lite has 492 as published."


def test_a_file_that_was_broken_off_is_gone_on_with(
    place: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 100)  # what of a piece has come is not kept
    at = place(FakeHub(SMALL.repository, small()))
    at.cut = 1000
    with pytest.raises(ProviderError, match="answered 500"):
        get(tmp_path)
    assert not read_fetched(tmp_path).complete  # type: ignore[union-attr]
    at.commits[LATER], at.main = {**small(), FIRST: b"another"}, LATER
    at.cut, at.broken = 0, False
    before = len(at.asked)
    done = get(tmp_path)
    assert at.files_asked()[-2:] == [(FIRST, "bytes=1000-"), (SECOND, "")]
    assert all(COMMIT in path for path, _, _ in at.asked[before:]), "it keeps to the commit that it began with"
    assert fetching.faults(tmp_path, done) == []


def test_what_is_whole_is_not_fetched_again(place: Any, tmp_path: Path) -> None:
    at = place(FakeHub(SMALL.repository, small()))
    get(tmp_path)
    (tmp_path / SECOND).write_bytes(b"spoilt")
    there = read_fetched(tmp_path)
    assert there is not None
    assert fetching.faults(tmp_path, there) == [f"{SECOND} has been changed"]
    (tmp_path / FIRST).rename(tmp_path / "kept")
    assert fetching.faults(tmp_path, there)[0] == f"{FIRST} is missing"
    (tmp_path / "kept").rename(tmp_path / FIRST)
    at.asked.clear()
    assert fetching.faults(tmp_path, get(tmp_path)) == []
    assert [name for name, _ in at.files_asked()] == [SECOND]


@pytest.mark.parametrize("name", [FIRST, "TIR-Bench.json"], ids=["large, by SHA-256", "small, by git's digest"])
def test_wrong_bytes_are_thrown_away(place: Any, tmp_path: Path, name: str) -> None:
    published, files = (SMALL, small()) if name == FIRST else (TIR, tir_files())
    at = place(FakeHub(published.repository, files))
    at.instead[name] = bytes(len(files[name]))
    with pytest.raises(ProviderError, match="not the file that"):
        get(tmp_path, published)
    assert not (tmp_path / name).exists()
    at.instead.clear()
    assert get(tmp_path, published).complete


def test_a_digest_that_is_known_beforehand_counts(place: Any, tmp_path: Path) -> None:
    place(FakeHub(SMALL.repository, small()))
    with pytest.raises(DataError, match="not the file that was published"):
        get(tmp_path, msgspec.structs.replace(SMALL, sha256={FIRST: "0" * 64}))


FAULTS = [
    ("GatedRepo", 0, UsageError, "is gated: accept its terms"),
    ("RepoNotFound", 0, UsageError, "has no data set MING-ZCH/TFQ-Bench-Lite, or it is private"),
    ("RevisionNotFound", 0, UsageError, "has no revision 'main'"),
    ("EntryNotFound", 0, UsageError, "lacks a file"),
    ("", 403, ProviderError, "answered 403. Check HF_TOKEN."),
    ("", 500, ProviderError, "answered 500. The same command goes on"),
]


@pytest.mark.parametrize(("fault", "status", "kind", "words"), FAULTS)
def test_each_failure_of_the_hub_is_one_line(
    place: Any, tmp_path: Path, fault: str, status: int, kind: type[BeholderError], words: str
) -> None:
    at = place(FakeHub(SMALL.repository, small()))
    at.fault, at.status = fault, status
    with pytest.raises(kind) as caught:
        get(tmp_path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_hub_that_is_not_there_and_a_full_disk(tmp_path: Path, place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ProviderError, match="cannot be reached"):
        get(tmp_path / "a")
    place(FakeHub(SMALL.repository, small()))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1, 1, 0))
    with pytest.raises(UsageError, match="only 0 MiB are free"):
        get(tmp_path / "b")
    monkeypatch.undo()


def test_a_disk_that_fills_meanwhile_is_told_as_such(
    place: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place(FakeHub(SMALL.repository, small()))
    from huggingface_hub import file_download

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(file_download, "http_get", full)
    with pytest.raises(OSError, match="No space left"):
        get(tmp_path)


def test_the_token_goes_along(place: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at = place(FakeHub(SMALL.repository, small()))
    monkeypatch.setenv("HF_TOKEN", "hf_abc")
    get(tmp_path)
    assert {bearer for _, _, bearer in at.asked} == {"Bearer hf_abc"}


@pytest.mark.parametrize(
    "name", ["../test-00000-of-00001.parquet", "/test-0.parquet", ".x/test-0.parquet", "a\\test-0.parquet"]
)
def test_a_repository_does_not_choose_where_we_write(place: Any, tmp_path: Path, name: str) -> None:
    place(FakeHub(SMALL.repository, {name: b"x"}))
    with pytest.raises(UsageError, match="no name inside a folder"):
        get(tmp_path / "in")
    assert not (tmp_path / "in").exists()


def test_a_folder_that_holds_something_else_is_left_alone(place: Any, tmp_path: Path) -> None:
    place(FakeHub(SMALL.repository, small()))
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(UsageError, match="holds something else"):
        fetching.begun(SMALL, tmp_path)
    get(tmp_path / "tfq")
    with pytest.raises(UsageError, match="holds the data set tfq"):
        fetching.begun(data_set("tfq-full"), tmp_path / "tfq")


def test_a_copy_is_checked_against_what_was_fetched(place: Any, tmp_path: Path) -> None:
    place(FakeHub(SMALL.repository, small()))
    get(tmp_path / "one")
    done = fetching.copy(SMALL, tmp_path / "one", tmp_path / "two", SAID.append)
    assert (done.commit, done.records, done.complete) == (COMMIT, 20, True)
    (tmp_path / "one" / FIRST).write_bytes(b"PAR1")
    with pytest.raises(DataError, match="SHA-256 is another"):
        fetching.copy(SMALL, tmp_path / "one", tmp_path / "three", SAID.append)


def test_a_copy_of_a_snapshot_keeps_its_commit(tmp_path: Path) -> None:
    source = write_all(tmp_path / "snapshots" / COMMIT, small())
    assert fetching.copy(SMALL, source, tmp_path / "to", SAID.append).commit == COMMIT
    plain = write_all(tmp_path / "mirror", small())
    assert fetching.copy(SMALL, plain, tmp_path / "too", SAID.append).commit == ""
    (plain / SECOND).unlink()
    (plain / FIRST).unlink()
    with pytest.raises(UsageError, match=r"holds no \*test-\*\.parquet"):
        fetching.copy(SMALL, plain, tmp_path / "three", SAID.append)
    with pytest.raises(UsageError, match="no such folder"):
        fetching.copy(SMALL, tmp_path / "nowhere", tmp_path / "four", SAID.append)


@pytest.mark.parametrize("prefix", ["data/", ""], ids=["a folder inside", "pictures at the top"])
def test_pictures_come_out_of_their_archive(place: Any, tmp_path: Path, prefix: str) -> None:
    packed = {f"{prefix}{number}.jpg": jpeg(number) for number in range(2)} | {"__MACOSX/x": b"", ".DS_Store": b""}
    place(FakeHub(TIR.repository, tir_files(packed)))
    done = get(tmp_path, TIR)
    assert (done.records, done.unpacked.files) == (2, 2)
    assert (tmp_path / "data" / "1.jpg").read_bytes() == jpeg(1)
    (tmp_path / "data" / "1.jpg").unlink()
    assert fetching.faults(tmp_path, done) == ["data/ is not what data.zip holds"]


def odd(name: str, kind: int = stat.S_IFREG) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (kind | 0o644) << 16
    return info


BAD_ARCHIVES: list[tuple[str, list[tuple[zipfile.ZipInfo, bytes]], str]] = [
    ("above", [(odd("../out.jpg"), b"x")], "outside its folder"),
    ("root", [(odd("/etc/x"), b"x")], "outside its folder"),
    ("drive", [(odd("C:x"), b"x")], "outside its folder"),
    ("link", [(odd("data/l", stat.S_IFLNK), b"/etc/passwd")], "is no plain file"),
    ("twice", [(odd("data/1.jpg"), b"x"), (odd("1.jpg"), b"y")], "two files of one name"),
    ("file and folder", [(odd("data/a"), b"x"), (odd("data/a/b"), b"y")], "have one name"),
    ("bomb", [(odd("data/0.jpg"), bytes(8 << 20))], "grows beyond all bounds"),
]


@pytest.mark.parametrize(("members", "words"), [row[1:] for row in BAD_ARCHIVES], ids=[row[0] for row in BAD_ARCHIVES])
def test_an_archive_that_is_a_trap_is_refused(
    tmp_path: Path, members: list[tuple[zipfile.ZipInfo, bytes]], words: str
) -> None:
    file = tmp_path / "data.zip"
    with zipfile.ZipFile(file, "w") as opened:
        for info, data in members:
            opened.writestr(info, data, zipfile.ZIP_DEFLATED)
    (tmp_path / "in").mkdir()
    with pytest.raises(DataError, match=words):
        unpacking.unpack(file, tmp_path / "in")
    assert not (tmp_path / "out.jpg").exists()
    file.write_bytes(b"PK not an archive")
    with pytest.raises(DataError, match="cannot be unpacked"):
        unpacking.unpack(file, tmp_path / "in")


def test_a_part_that_is_too_long_is_begun_anew(place: Any, tmp_path: Path) -> None:
    place(FakeHub(SMALL.repository, small()))
    offer = fetching.look(SMALL, "main")
    one = offer.files[0]
    parts = tmp_path / hub.PARTS
    parts.mkdir()
    part = parts / f"{hashlib.sha256(one.name.encode()).hexdigest()[:12]}-{one.sha256[:24]}"
    part.write_bytes(bytes(one.bytes + 5))
    assert hub.download(offer, one, tmp_path) == one.sha256
    assert not part.exists()


def test_two_do_not_write_one_file(place: Any, tmp_path: Path) -> None:
    place(FakeHub(SMALL.repository, small()))
    offer = fetching.look(SMALL, "main")
    one = offer.files[0]
    parts = tmp_path / hub.PARTS
    parts.mkdir()
    part = parts / f"{hashlib.sha256(one.name.encode()).hexdigest()[:12]}-{one.sha256[:24]}"
    with part.open("ab") as other:
        fcntl.flock(other.fileno(), fcntl.LOCK_EX)
        with pytest.raises(UsageError, match="Another command is fetching"):
            hub.download(offer, one, tmp_path)
    assert hub.download(offer, one, tmp_path) == one.sha256
