"""What a site holds of a run: its page, the columns and rows of its samples, each sample, and their pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import msgspec

from beholder.errors import DataError, UsageError
from beholder.viewer import pictures as run_pictures
from beholder.viewer.library import Library
from beholder.viewer.run_data import Columns
from beholder.viewer.run_page import run_page
from beholder.viewer.sample_data import SamplePage, Shown
from beholder.viewer.sample_page import sample_page
from beholder.web.site_files import Files, Held, request_of

CHUNK = 100
"""Rows of a file."""
_SEARCHED = 20_000
"""Characters of a sample and its answers together that a search looks through."""
MOST_SEARCHED = 50_000_000
"""Of all samples of a run together: a page has them in memory."""
_ENDINGS = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}
_AT_ONCE = 4
"""Pictures that are read and made small at a time."""
_LEFT_OUT = "The pictures are left out of this folder."

T = TypeVar("T")


def write_run(files: Files, library: Library, run: str, folder: str, *, samples: int, pictures: bool) -> dict[str, str]:
    """Writes a run and its first samples. Gives the hashes of their pictures, each with the run that keeps it."""
    page = msgspec.structs.replace(run_page(library, run), resume="")  # the command names a folder of this machine
    files.answer(f"{folder}/run.json", page, request_of("api/run", {"run": run}))
    index = library.index(run, whole=True)
    n = min(samples, index.n)
    files.manifest.runs[run] = Held(folder, n, index.n, CHUNK)
    files.answer(f"{folder}/columns.json", first_of(index.columns(), n), request_of("api/columns", {"run": run}))
    found: dict[str, str] = {}
    for chunk, begin in enumerate(range(0, n, CHUNK)):
        rows = index.rows(range(begin, min(begin + CHUNK, n)))
        found |= {row.picture: run for row in rows.rows if row.picture is not None}
        files.data(f"{folder}/rows-{chunk}.json", rows if pictures else without_pictures(rows))
    keys, texts = [index.key_at(place) for place in range(n)], []
    for place, key in enumerate(keys):
        sample = msgspec.structs.replace(sample_page(library, run, key), may_mark=False)
        texts.append(searched(sample, min(_SEARCHED, MOST_SEARCHED // n)))
        found |= {one.sha256: run for one in shown_in(sample) if one.sha256 is not None}
        files.data(f"{folder}/sample-{place}.json", sample if pictures else without_pictures(sample))
    files.data(f"{folder}/keys.json", keys)
    files.data(f"{folder}/texts.json", texts)
    return found if pictures else {}


def first_of(columns: Columns, n: int) -> Columns:
    """The columns of the first `n` items; in a folder all texts can be searched."""
    return msgspec.structs.replace(
        columns,
        n=n,
        left_out=columns.n - n,
        buckets={scorer: letters[:n] for scorer, letters in columns.buckets.items()},
        category=columns.category[:n],
        difficulty=columns.difficulty[:n],
        flags=columns.flags[:n],
        searchable=True,
    )


def searched(sample: SamplePage, most: int) -> str:
    """The text of a sample that a search looks through, at most so many characters."""
    said = [sample.question, sample.gold, sample.id, *sample.options, *sample.stored]
    said += [answer.text for answer in sample.answers if answer.text]
    return "\n".join(" ".join(text[: 4 * most].split()) for text in said)[:most]


def shown_in(sample: SamplePage) -> Iterator[Shown]:
    """All pictures of a sample: its own, and those of its conversations."""
    yield from sample.pictures
    for answer in sample.answers:
        for turn in answer.talk.turns if answer.talk is not None else ():
            for call in turn.calls:
                yield from filter(None, [call.before, *call.pictures])


def without_pictures(content: Any) -> Any:
    """Rows or a sample with no hash of a picture: they are shown as pictures that are not there."""
    if isinstance(content, msgspec.Struct):
        content = msgspec.to_builtins(content)
    if isinstance(content, list):
        return [without_pictures(one) for one in content]
    if not isinstance(content, dict):
        return content
    gone = {"sha256": None, "sent": _LEFT_OUT} if content.get("sha256") else {}
    gone |= {"picture": None} if "picture" in content else {}
    return {name: without_pictures(value) for name, value in content.items()} | gone


def write_pictures(files: Files, library: Library, found: Mapping[str, str]) -> int:
    """Writes each picture as it was published, and a small one; gives how many could not be read."""

    def read(sha256: str) -> tuple[str, bytes, str, bytes] | None:
        run = found[sha256]
        try:
            data, mime = run_pictures.picture(library, run, sha256)
            return sha256, data, _ENDINGS[mime], run_pictures.small(library, run, sha256)
        except (UsageError, DataError):
            return None  # the page says of a picture that cannot be loaded that it is not there

    unread = 0
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for begin in range(0, len(found), 8 * _AT_ONCE):  # a few at a time, so that few are held
            for made in pool.map(read, list(found)[begin : begin + 8 * _AT_ONCE]):
                if made is None:
                    unread += 1
                    continue
                sha256, data, ending, small = made
                files.manifest.pictures[sha256] = ending
                files.put(f"images/{sha256}.{ending}", data)
                files.put(f"images/{sha256}.small.webp", small)
    return unread
