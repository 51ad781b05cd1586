"""One file of a run, there and back; and files from elsewhere, which may be anything."""

from __future__ import annotations

import io
import random
import stat
import struct
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.errors import UsageError
from beholder.store import pack as packing
from beholder.store import reading, schema
from beholder.store.folder import read_info
from beholder.store.pack import pack, unpack
from made_runs import answer_by_prompt, committed, plan_for, run_engine, stored, tfq_data
from scripted_server import ScriptedServer

HASH = "ab" * 32
BLOB = f"blobs/ab/{HASH}"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("packed")
    with ScriptedServer(answer_by_prompt) as server:
        return run_engine(plan_for(tfq_data(place, 6, images=2)), server.url, place / "runs").folder


@pytest.fixture(scope="module")
def packed(run: Path) -> bytes:
    target = run.parent / "run.zip"
    assert pack(run, target) == (target.stat().st_size, 0)
    return target.read_bytes()


def test_there_and_back(run: Path, packed: bytes, tmp_path: Path) -> None:
    (tmp_path / "run.zip").write_bytes(packed)
    back = unpack(tmp_path / "run.zip", tmp_path / "back")
    for name in ("run.json", "results.json"):
        assert (back / name).read_bytes() == (run / name).read_bytes()
    blobs = {file.relative_to(run): file.read_bytes() for file in run.glob("blobs/??/*")}
    assert {file.relative_to(back): file.read_bytes() for file in back.glob("blobs/??/*")} == blobs
    assert len(blobs) == 2
    assert read_info(back) == read_info(run)
    assert stored(back) == stored(run)
    with closing(schema.open_to_read(back / "run.db")) as db, closing(schema.open_to_read(run / "run.db")) as other:
        assert reading.scored_items(db) == reading.scored_items(other)


def test_only_what_belongs_is_packed(run: Path, tmp_path: Path) -> None:
    strays = [run / "notes.txt", run / ".run.json.99", run / "blobs" / "zz", run / "blobs" / "ab" / f".{HASH}.1"]
    for stray in strays:
        stray.parent.mkdir(exist_ok=True)
        stray.write_text("stray")
    pack(run, tmp_path / "run.zip")
    for stray in strays:
        stray.unlink()
    names = zipfile.ZipFile(tmp_path / "run.zip").namelist()
    assert sorted(name for name in names if not name.startswith("blobs/")) == ["results.json", "run.db", "run.json"]
    assert len(names) == 5
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.zip"]


def test_a_picture_that_changed_since_is_left_out_and_counted(packed: bytes, tmp_path: Path) -> None:
    (tmp_path / "run.zip").write_bytes(packed)
    back = unpack(tmp_path / "run.zip", tmp_path / "back")
    changed, kept = sorted(back.glob("blobs/??/*"))
    changed.write_bytes(b"another picture")
    size, left_out = pack(back, tmp_path / "again.zip")
    assert left_out == 1
    assert size == (tmp_path / "again.zip").stat().st_size
    names = zipfile.ZipFile(tmp_path / "again.zip").namelist()
    assert [name for name in names if name.startswith("blobs/")] == [str(kept.relative_to(back))]


def test_a_run_that_is_being_written_packs_to_what_is_committed(run: Path, packed: bytes, tmp_path: Path) -> None:
    (tmp_path / "run.zip").write_bytes(packed)
    live = unpack(tmp_path / "run.zip", tmp_path / "live")
    with closing(schema.open_to_write(live / "run.db")) as db:
        db.execute("DELETE FROM responses WHERE id > 4")
        db.execute("BEGIN IMMEDIATE")
        db.execute("DELETE FROM responses")
        pack(live, tmp_path / "again.zip")
        db.execute("ROLLBACK")
    again = unpack(tmp_path / "again.zip", tmp_path / "again")
    assert len(committed(again / "run.db")) == 4


@pytest.mark.parametrize("target", ["missing-folder/run.zip", "a-folder"])
def test_a_target_that_cannot_be_written(run: Path, tmp_path: Path, target: str) -> None:
    (tmp_path / "a-folder").mkdir()
    with pytest.raises(UsageError, match="cannot be written"):
        pack(run, tmp_path / target)
    assert [entry.name for entry in tmp_path.rglob("*")] == ["a-folder"]


def archive(*members: tuple[str | zipfile.ZipInfo, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as made:
        for name, data in members:
            made.writestr(name, data)
    return buffer.getvalue()


WHOLE = (("run.json", b"{}"), ("run.db", b""))


def link(name: str, target: bytes) -> tuple[zipfile.ZipInfo, bytes]:
    entry = zipfile.ZipInfo(name)
    entry.create_system = 3
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry, target


def patched(data: bytes, name: str, flag_bits: int = 0, size: int | None = None) -> bytes:
    """The archive with other flags, or another claimed size, in both headers of one member."""
    changed = bytearray(data)
    for signature, flags_at, size_at in ((b"PK\x03\x04", 6, 22), (b"PK\x01\x02", 8, 24)):
        start = data.index(signature)
        while name.encode() not in data[start : start + 46 + len(name)]:
            start = data.index(signature, start + 1)
        if flag_bits:
            struct.pack_into("<H", changed, start + flags_at, flag_bits)
        if size is not None:
            struct.pack_into("<I", changed, start + size_at, size)
    return bytes(changed)


HOSTILE: list[tuple[str, Callable[[], bytes]]] = [
    ("climbs out", lambda: archive(*WHOLE, ("../evil", b"x"))),
    ("climbs out of the blobs", lambda: archive(*WHOLE, ("blobs/../../evil", b"x"))),
    ("absolute", lambda: archive(*WHOLE, ("/tmp/evil", b"x"))),
    ("a Windows path", lambda: archive(*WHOLE, ("C:\\evil", b"x"))),
    ("another file", lambda: archive(*WHOLE, ("evil.py", b"x"))),
    ("a folder entry", lambda: archive(*WHOLE, ("blobs/", b""))),
    ("a blob that is no hash", lambda: archive(*WHOLE, ("blobs/ab/evil", b"x"))),
    ("a blob with a line end", lambda: archive(*WHOLE, (BLOB + "\n", b"x"))),
    ("a link beside the run", lambda: archive(*WHOLE, link("blobs/ab", b"/etc"))),
    ("upper case", lambda: archive(*WHOLE, ("RUN.JSON", b"{}"))),
    ("no database", lambda: archive(WHOLE[0])),
    ("nothing", lambda: archive()),
    ("encrypted", lambda: patched(archive(*WHOLE), "run.json", flag_bits=1)),
    ("no archive", lambda: b"PK\x03\x04 not an archive"),
    ("empty", lambda: b""),
    ("too large in all", lambda: archive(*WHOLE, (BLOB, b"x"))),
    ("a size that lies", lambda: patched(archive(*WHOLE, (BLOB, b"x" * 1000)), BLOB, size=10)),
]


@pytest.mark.parametrize("make", [row[1] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_hostile_archives_are_refused(
    make: Callable[[], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if "too large" in request.node.name:
        monkeypatch.setattr(packing, "_UNPACKED_LIMIT", 2)
    (tmp_path / "x.zip").write_bytes(make())
    with pytest.raises(UsageError, match=r"x\.zip") as caught:
        unpack(tmp_path / "x.zip", tmp_path / "inner" / "out")
    assert "\n" not in str(caught.value)
    outside = {entry for entry in tmp_path.rglob("*") if not entry.is_relative_to(tmp_path / "inner")}
    assert outside == {tmp_path / "x.zip"}


def test_a_link_in_place_of_a_file_becomes_its_text(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(archive(link("run.json", b"/etc/passwd"), WHOLE[1]))
    out = unpack(tmp_path / "x.zip", tmp_path / "out")
    assert not (out / "run.json").is_symlink()
    assert (out / "run.json").read_bytes() == b"/etc/passwd"
    with pytest.raises(UsageError, match="damaged"):
        read_info(out)


def test_a_claim_of_terabytes_writes_nothing(tmp_path: Path) -> None:
    members = [(f"blobs/ab/{number:064x}", b"x") for number in range(40)]
    data = archive(*WHOLE, *members, compression=zipfile.ZIP_STORED)
    for name, _ in members:
        data = patched(data, name, size=0xFFFFFFF0)
    (tmp_path / "x.zip").write_bytes(data)
    with pytest.raises(UsageError, match="too many for its own size"):
        unpack(tmp_path / "x.zip", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32))
def test_cut_or_changed_archives_never_raise_anything_else(
    packed: bytes, tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    rng = random.Random(seed)
    data = bytearray(packed)
    if seed % 2:
        del data[rng.randrange(len(data)) :]
    for _ in range(rng.randrange(4)):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    place = tmp_path_factory.mktemp("cut")
    (place / "x.zip").write_bytes(data)
    try:
        unpack(place / "x.zip", place / "out")
    except UsageError:
        return
    assert (place / "out" / "run.json").is_file()


def test_an_archive_that_grows_a_hundredfold_or_holds_a_file_twice_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("run.json", "{}")
        archive.writestr("run.db", bytes(64 << 20))
    with pytest.raises(UsageError, match="too many for its own size"):
        unpack(tmp_path / "bomb.zip", tmp_path / "out")
    with zipfile.ZipFile(tmp_path / "twice.zip", "w") as archive:
        archive.writestr("run.json", "{}")
        archive.writestr("run.db", "one")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("run.db", "two")
    with pytest.raises(UsageError, match="twice"):
        unpack(tmp_path / "twice.zip", tmp_path / "out")
    assert not (tmp_path / "out").exists()
