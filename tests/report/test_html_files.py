"""What a report leaves on the disk, and what a run from elsewhere cannot make it read."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import PIL.Image
import pytest
from html_pages import served_run, statements, tree, true_or_unsure, twelve_statements, written

from beholder.errors import UsageError
from beholder.report import html_report
from beholder.report.html_pictures import Images


@pytest.fixture(scope="module")
def twelve(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of twelve statements about three pictures."""
    return twelve_statements(tmp_path_factory.mktemp("twelve"))


# -- what it leaves on the disk ------------------------------------------------------------------------------------


def test_large_pictures_are_the_runs_own_bytes(twelve: Path, tmp_path: Path) -> None:
    page = written(tmp_path / "my report #1.html", twelve)
    blobs = {blob.read_bytes() for blob in (twelve / "blobs").glob("??/*")}
    assert {file.read_bytes() for file in (tmp_path / "my report #1_images").iterdir()} == blobs
    assert [width for _, width, _, _ in page.data["pictures"]] == [192] * 3
    for _, _, _, large in page.data["pictures"]:
        assert re.fullmatch(r"\./my%20report%20%231_images/beholder-[0-9a-f]{32}\.jpg", large)


def test_embedded_pictures_lie_in_the_page_after_its_script(twelve: Path, tmp_path: Path) -> None:
    page = written(tmp_path / "report.html", twelve, images=Images.EMBEDDED)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert len(page.scripts) == 2 + 3
    assert all(script.startswith("data:image/jpeg;base64,") for script in page.scripts[2:])
    assert [large for _, _, _, large in page.data["pictures"]] == [""] * 3
    bare = written(tmp_path / "report.html", twelve, images=Images.NONE)
    assert bare.data["pictures"] == []
    assert {tuple(sample["p"]) for sample in bare.data["samples"]} == {()}


FOREIGN = (
    "0123456789abcdef0123456789abcdef.jpg",
    "0123456789abcdef0123456789abcdef.png",
    "beholder-notes.txt",
    "beholder-0123456789abcdef0123456789abcdef.jpg.bak",
    ".hidden",
    "deeper/beholder-0123456789abcdef0123456789abcdef.jpg",
)


def test_a_second_report_removes_its_own_old_pictures_and_no_other_file(twelve: Path, tmp_path: Path) -> None:
    out, folder = tmp_path / "report.html", tmp_path / "report_images"
    written(out, twelve)
    old = folder / f"beholder-{'0' * 32}.jpg"
    old.write_bytes(b"of an earlier report")
    for name in FOREIGN:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"somebody else's")
    written(out, twelve)
    assert not old.exists()
    assert len(list(folder.glob("beholder-*.jpg"))) == 3
    written(out, twelve, images=Images.EMBEDDED)
    assert tree(folder) == dict.fromkeys(FOREIGN, b"somebody else's")


def test_the_folder_of_pictures_goes_with_the_last_of_them(twelve: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    written(out, twelve)
    written(out, twelve, images=Images.NONE)
    assert list(tree(tmp_path)) == ["report.html"]


def test_a_picture_that_is_cut_short_is_written_again(twelve: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    written(out, twelve)
    whole = tree(tmp_path)
    cut = next((tmp_path / "report_images").iterdir())
    cut.write_bytes(cut.read_bytes()[:100])
    written(out, twelve)
    assert tree(tmp_path) == whole


def test_a_page_that_cannot_be_written_leaves_the_old_one_whole(
    twelve: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "report.html"
    written(out, twelve)
    (tmp_path / "report_images" / f"beholder-{'0' * 32}.jpg").write_bytes(b"of the old page")
    before = tree(tmp_path)

    def full_disk(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(html_report, "write_atomically", full_disk)
    with pytest.raises(UsageError, match="cannot be written: No space left on device"):
        written(out, twelve, limit=1)
    assert tree(tmp_path) == before


def test_places_where_no_page_can_be_are_refused(twelve: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "linked_images").symlink_to(tmp_path)
    for out in (tmp_path, tmp_path / "file" / "report.html", tmp_path / "linked.html"):
        with pytest.raises(UsageError):
            written(out, twelve)
    assert tree(tmp_path) == {"file": b"x"}


# -- runs from elsewhere -------------------------------------------------------------------------------------------


def test_a_foreign_run_cannot_make_a_report_read_other_files(tmp_path: Path) -> None:
    """Records that point to files of this machine, blobs that are links, pipes, or not what their name says."""
    data = statements(tmp_path, 6)
    folder = served_run(data, tmp_path / "runs", true_or_unsure)
    secret = tmp_path / "images" / "0.jpg"
    digests = {blob.name for blob in (folder / "blobs").glob("??/*")}
    first, second, third = sorted(digests)
    places = [
        str(secret),
        f"file:{secret}",
        f"sha256:../../../{secret.name}",
        f"sha256:{first}",
        f"sha256:{second}",
        f"sha256:{third}",
    ]
    link, pipe, changed = (folder / "blobs" / digest[:2] / digest for digest in (first, second, third))
    target = tmp_path / "target"
    target.write_bytes(link.read_bytes())
    for blob in (link, pipe, changed):
        blob.unlink()
    link.symlink_to(target)
    os.mkfifo(pipe)
    changed.write_bytes(target.read_bytes())
    with closing(sqlite3.connect(folder / "run.db")) as db, db:
        for place, (key, record) in zip(
            places, db.execute("SELECT key, record FROM samples ORDER BY position").fetchall(), strict=True
        ):
            changed_record = json.loads(record)
            changed_record["images"] = [{"name": "x", "path": place}]
            db.execute("UPDATE samples SET record = ? WHERE key = ?", (json.dumps(changed_record), key))
    page = written(tmp_path / "out" / "report.html", folder)
    assert [small for small, *_ in page.data["pictures"] if small] == []
    assert list(tree(tmp_path / "out")) == ["report.html"]
    assert "6 pictures are not here" in page.text


def test_pictures_that_browsers_do_not_show_become_png(tmp_path: Path) -> None:
    data = statements(tmp_path, 3)
    for index, kind in enumerate(("BMP", "TIFF", "PNG")):
        PIL.Image.new("RGB", (400, 300), (index, 9, 9)).save(tmp_path / "images" / f"{index}.jpg", kind)
    folder = served_run(data, tmp_path / "runs", true_or_unsure)
    page = written(tmp_path / "report.html", folder)
    assert all(large.endswith(".png") for _, _, _, large in page.data["pictures"])
    assert {file.read_bytes()[:4] for file in (tmp_path / "report_images").iterdir()} == {b"\x89PNG"}
