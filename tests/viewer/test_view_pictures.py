"""Pictures of a run: the published bytes by their hash, small ones from the cache, nothing that is not the run's."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import PIL.Image
import pytest

from beholder.errors import BeholderError, DataError, UsageError
from beholder.viewer import pictures
from beholder.viewer.library import Library
from made_runs import jpeg
from viewer.made_folders import info, made

DATA = jpeg(1)
SHA = hashlib.sha256(DATA).hexdigest()
SECRET = b"a secret of this machine"
SECRET_SHA = hashlib.sha256(SECRET).hexdigest()


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = made(tmp_path / "runs" / "run", info())
    put(folder, DATA)
    return folder


@pytest.fixture
def library(tmp_path: Path, run: Path) -> Iterator[Library]:
    with closing(Library(tmp_path / "runs", cache=tmp_path / "cache")) as opened:
        yield opened


def put(run: Path, data: bytes, name: str = "") -> str:
    """Puts bytes among a run's blobs, under their hash or another name."""
    sha256 = name or hashlib.sha256(data).hexdigest()
    place = run / "blobs" / sha256[:2] / sha256
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    return sha256


def drawn(kind: str, size: tuple[int, int] = (640, 480)) -> bytes:
    buffer = io.BytesIO()
    PIL.Image.new("RGB", size, "steelblue").save(buffer, kind)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF"])
def test_what_browsers_show_goes_out_byte_for_byte(run: Path, library: Library, kind: str) -> None:
    data = drawn(kind)
    assert pictures.picture(library, "run", put(run, data)) == (data, f"image/{kind.lower()}")


@pytest.mark.parametrize("kind", ["BMP", "TIFF"])
def test_others_go_out_as_png(run: Path, library: Library, kind: str) -> None:
    data, mime = pictures.picture(library, "run", put(run, drawn(kind)))
    with PIL.Image.open(io.BytesIO(data)) as opened:
        assert (mime, opened.format, opened.size) == ("image/png", "PNG", (640, 480))


def test_a_small_one_is_made_once_and_kept_by_the_hash(run: Path, library: Library) -> None:
    sha256 = put(run, drawn("PNG", (1000, 500)))
    first = pictures.small(library, "run", sha256)
    with PIL.Image.open(io.BytesIO(first)) as opened:
        assert (opened.format, opened.size) == ("WEBP", (256, 128))
    kept = library.cache / "thumbs" / sha256[:2] / f"{sha256}.webp"
    assert kept.read_bytes() == first
    kept.write_bytes(b"as it is in the cache")
    assert pictures.small(library, "run", sha256) == b"as it is in the cache"
    assert [file.name for file in kept.parent.iterdir()] == [kept.name]


def test_a_run_gets_no_small_picture_of_another(run: Path, library: Library) -> None:
    pictures.small(library, "run", SHA)
    made(run.parent / "other", info())
    with pytest.raises(UsageError, match="keeps no such picture"):
        pictures.small(library, "other", SHA)


def test_many_may_ask_for_the_same_at_once(run: Path, library: Library) -> None:
    with ThreadPoolExecutor(8) as threads:
        found = set(threads.map(lambda _: pictures.small(library, "run", SHA), range(40)))
    assert len(found) == 1


def test_a_cache_that_cannot_be_written_costs_time_only(run: Path, library: Library) -> None:
    (library.cache / "thumbs").write_text("in the way")
    assert pictures.small(library, "run", SHA) == pictures.small(library, "run", SHA)


def link(place: Path) -> None:
    place.symlink_to(place.parents[3] / "secret")


NOT_FILES: dict[str, Callable[[Path], object]] = {
    "link": link,
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "nothing": lambda place: None,
}


@pytest.mark.parametrize("kind", NOT_FILES)
def test_what_is_no_ordinary_file_is_not_there(run: Path, library: Library, kind: str) -> None:
    """The secret has the very hash that its name says: only the link gives it away."""
    (run.parents[1] / "secret").write_bytes(SECRET)
    place = run / "blobs" / SECRET_SHA[:2] / SECRET_SHA
    place.parent.mkdir()
    NOT_FILES[kind](place)
    for ask in (pictures.picture, pictures.small):
        with pytest.raises(UsageError, match="keeps no such picture"):
            ask(library, "run", SECRET_SHA)
    assert not pictures.is_kept(run, SECRET_SHA)


@pytest.mark.parametrize("level", ["blobs", f"blobs/{SHA[:2]}"])
def test_a_folder_that_is_a_link_is_not_followed(run: Path, library: Library, level: str) -> None:
    outside = shutil.move(run / level, run.parents[1] / "outside")
    (run / level).symlink_to(outside)
    with pytest.raises(UsageError, match="keeps no such picture"):
        pictures.picture(library, "run", SHA)


NAMES = ["", "run.db", "../run.json", "..", SHA.upper(), SHA[:-1], f"{SHA}\n", f"{SHA}0", "../" * 21 + "x", "\0" * 64]


@pytest.mark.parametrize("name", NAMES)
def test_only_a_hash_names_a_picture(run: Path, library: Library, name: str) -> None:
    for ask in (pictures.picture, pictures.small):
        with pytest.raises(UsageError, match="keeps no such picture"):
            ask(library, "run", name)


CONTENTS = {
    "text": b"no picture",
    "empty": b"",
    "svg": b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    "cut": DATA[:20],
    "html": b"<html><script>alert(1)</script>",
}


@pytest.mark.parametrize("kind", CONTENTS)
def test_what_is_no_picture_is_not_given_out(run: Path, library: Library, kind: str) -> None:
    sha256 = put(run, CONTENTS[kind])
    for ask in (pictures.picture, pictures.small):
        with pytest.raises(DataError):
            ask(library, "run", sha256)
    with pytest.raises(DataError):
        pictures.size_of(run, sha256)


def test_a_picture_that_is_no_longer_what_it_was_is_refused(run: Path, library: Library) -> None:
    put(run, jpeg(2), SHA)
    for ask in (pictures.picture, pictures.small):
        with pytest.raises(UsageError, match="no longer what it was"):
            ask(library, "run", SHA)


def test_a_file_larger_than_pictures_are_is_not_read(run: Path, library: Library) -> None:
    with (run / "blobs" / SHA[:2] / SHA).open("wb") as file:
        file.truncate(65 << 20)
    with pytest.raises(UsageError, match="keeps no such picture"):
        pictures.picture(library, "run", SHA)


def test_a_picture_too_large_to_decode_is_refused_before_it_is(run: Path, library: Library) -> None:
    header = bytearray(drawn("BMP", (8, 8)))
    header[18:26] = (60_000).to_bytes(4, "little") * 2
    for ask in (pictures.picture, pictures.small):
        with pytest.raises(BeholderError):
            ask(library, "run", put(run, bytes(header)))


def test_what_nobody_used_is_swept_and_then_the_oldest(run: Path, library: Library) -> None:
    thumbs = library.cache / "thumbs" / "ab"
    thumbs.mkdir(parents=True)
    now = time.time()
    for days in range(40):
        file = thumbs / f"{days:02}.webp"
        file.write_bytes(b"x" * 100)
        os.utime(file, (now - 86_400 * days,) * 2)
    pictures.sweep_small(library.cache / "thumbs")
    assert len(list(thumbs.iterdir())) == 30
    pictures.sweep_small(library.cache / "thumbs", most=1_000)
    assert sorted(file.name for file in thumbs.iterdir()) == [f"{days:02}.webp" for days in range(8)]


def test_one_that_is_looked_at_is_in_use(run: Path, library: Library) -> None:
    pictures.small(library, "run", SHA)
    kept = library.cache / "thumbs" / SHA[:2] / f"{SHA}.webp"
    os.utime(kept, (0, 0))
    pictures.small(library, "run", SHA)
    assert time.time() - kept.stat().st_mtime < 60
