"""Which benchmark a data set belongs to, by the columns of its first record."""

from __future__ import annotations

from pathlib import Path

from beholder.benchmarks.fetched import read_fetched
from beholder.benchmarks.records import read_records
from beholder.benchmarks.tir.data import RECORDS
from beholder.errors import UsageError

_COLUMNS = {
    "tfq": ({"problem", "answer"},),
    "vl-rewardbench": ({"query", "response", "human_ranking"},),
    "tir": ({"task", "prompt", "answer", "image_1"}, {"category", "prompt", "answer", "image_1"}),
}


def recognise(path: Path) -> str:
    """The name of the benchmark whose layout the data has. `UsageError` says which names to give where none fits."""
    told = read_fetched(path) if path.is_dir() else None
    if told is not None:
        return told.benchmark
    source = path / RECORDS if (path / RECORDS).is_file() else path
    columns = set(next(read_records(source)).value)
    for name, layouts in _COLUMNS.items():
        if any(layout <= columns for layout in layouts):
            return name
    raise UsageError(
        f"{path}: this is not the layout of {', '.join(_COLUMNS)}. Name the benchmark before the path, such as "
        f"`beholder data check m3r {path}`."
    )
