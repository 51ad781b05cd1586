"""The public sources of M3R-Bench's pictures: one file for each, from its own layout to our records.

Each gives the fields that its source has; what a source does not say stays missing. Columns and codes are those of the
public files (docs/m3r-data.md says where they stand). MultiMET has no file here: its READMEs describe columns by
position, and whether its sheets have a header, and which of two columns is the target, is not certain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from beholder.benchmarks.m3r.sources.record import SourceRecord, Unusable
from beholder.errors import UsageError

SOURCES = {
    "multimm": "beholder.benchmarks.m3r.sources.multimm",
    "multicmet": "beholder.benchmarks.m3r.sources.multicmet",
    "emometa": "beholder.benchmarks.m3r.sources.emometa",
    "met-meme": "beholder.benchmarks.m3r.sources.met_meme",
    "m3r": "beholder.benchmarks.m3r.sources.ours",
}


def read_source(name: str, path: Path, images: Path) -> Iterator[SourceRecord | Unusable]:
    """The records of a source's file; pictures are looked for in `images` and are not opened.

    `UsageError` for an unknown source and for a file that is none of its own.
    """
    if name not in SOURCES:
        raise UsageError(f"There is no source {name[:40]!r}. The sources are {', '.join(SOURCES)}.")
    read: Callable[[Path, Path], Iterator[SourceRecord | Unusable]] = import_module(SOURCES[name]).read
    return read(path, images)
