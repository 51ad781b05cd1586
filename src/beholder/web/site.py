"""A static folder of runs: the pages of the viewer, with every answer that they ask for in a file.

It can be published by any server of files, at any address, and is read without a network. Its data come from where the
server's come from (`beholder.viewer`); which file answers which request stands in `data/manifest.json`, and what the
folder leaves out the pages say in a sentence (web/src/view/static_source.ts).

    index.html assets/              the pages
    data/manifest.json              request → file
    data/run-0/columns.json …       a run: its page, what its samples are filtered by, rows, samples, texts to search
    data/compare-0.json …           comparisons of all runs and of each pair, and what changed between each pair
    data/board-0.json …             the leaderboard of these runs and published figures
    images/HASH.jpg HASH.small.webp

Only the runs that are named are in it, and no path of this machine but what the name of a model or the message of a
failure holds.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from html import escape
from pathlib import Path

import msgspec

from beholder.errors import DataError, UsageError
from beholder.store.folder import EXPERIMENT
from beholder.viewer.library import Library
from beholder.viewer.run_rows import run_list
from beholder.web.guard import POLICY
from beholder.web.site_answers import write_boards, write_comparisons
from beholder.web.site_files import Files, Held, request_of
from beholder.web.site_folder import MARK, MARKER, replacing
from beholder.web.site_runs import write_pictures, write_run
from beholder.web.static_files import static_files

_ASSETS = (".js", ".css", ".svg")


class Written(msgspec.Struct, frozen=True):
    """A site that was written: how many files and bytes, what it holds of each run, and pictures that could not be
    read."""

    folder: Path
    files: int
    bytes: int
    held: dict[str, Held]
    unread: int


def write_site(
    runs: Mapping[str, Path], out: Path, *, samples: int = 2000, pictures: bool = True, cache: Path | None = None
) -> Written:
    """Writes a site of run folders by name into the folder `out`; the first is what the others are compared with.

    A name is that of the run on its pages, `experiment/arm` for an arm. `samples` of each run are in it, the first
    ones. `out` is replaced in one step if it is a site of ours. `cache` is as in `Library`. `UsageError` if a run
    cannot be read, or `out` holds anything else.
    """
    with replacing(out) as folder, _linked(runs) as linked, closing(Library(linked, cache=cache)) as library:
        there = library.folders()
        if lacking := [run for run in runs if run not in there]:
            raise UsageError(f"{runs[lacking[0]]} is no run, or its name cannot be one.")
        files = Files(folder)
        _write_pages(files)
        _write_list(files, library, list(runs))
        found: dict[str, str] = {}
        for place, run in enumerate(runs):
            found |= write_run(files, library, run, f"run-{place}", samples=samples, pictures=pictures) | found
        write_comparisons(files, library)
        write_boards(files, library)
        unread = write_pictures(files, library, found)
        files.data("manifest.json", files.manifest)
        files.put(MARKER, MARK)
    return Written(out, files.count, files.bytes, files.manifest.runs, unread)


@contextmanager
def _linked(runs: Mapping[str, Path]) -> Iterator[Path]:
    """A folder with links to these runs and to no others: leaderboards and lists are of what is in it.

    An error names a run by its own folder, not by the link.
    """
    links = dict[str, Path]()
    with tempfile.TemporaryDirectory(prefix="beholder-") as temporary:
        for run, folder in runs.items():
            if not all(part and not part.startswith(".") for part in run.split("/")) or run.count("/") > 1:
                raise UsageError(f"{run[:120]!r} cannot be the name of a run on a site.")
            place = Path(temporary, *run.split("/"))
            if "/" in run:
                place.parent.mkdir(exist_ok=True)
                (place.parent / EXPERIMENT).touch()
            place.symlink_to(folder.resolve(), target_is_directory=True)
            links[f"{place}/"] = folder
        try:
            yield Path(temporary)
        except (UsageError, DataError) as error:
            said = str(error)
            for link, folder in links.items():
                said = said.replace(link, f"{folder}/")
            raise UsageError(said) from None


def _write_pages(files: Files) -> None:
    built = static_files()
    page = built["view.html"].body.decode()
    needed = set(re.findall(r'"/assets/([^"]+)"', page))
    for name in sorted(needed):
        files.put(f"assets/{name}", built[name].body)
    files.put("index.html", _as_static(page).encode())


def _as_static(page: str) -> str:
    """The page for a folder: addresses from where it lies, and the policy in the page, for no server is ours."""
    policy = "; ".join(part for part in POLICY.split("; ") if not part.startswith("frame-ancestors"))
    said = (
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}" />\n'
        '    <meta name="referrer" content="no-referrer" />\n'
        '    <meta name="beholder" content="static" />'
    )
    charset = '<meta charset="utf-8" />'
    assert charset in page
    return page.replace(charset, f"{charset}\n    {said}", 1).replace('"/assets/', '"assets/')


def _write_list(files: Files, library: Library, runs: list[str]) -> None:
    listed = run_list(library)
    rows = sorted(listed.runs, key=lambda row: runs.index(row.id))
    files.manifest.order = runs
    static = msgspec.structs.replace(listed, folder="", runs=rows, static=True)
    files.answer("runs.json", static, request_of("api/runs"))
