"""Published tables as data: figures with their source, their date, and what they were measured under.

Each file in `tables/` is one `Table`. Facts only: figures in percent as they are printed, never derived without a word.
"""

from __future__ import annotations

import math
from functools import cache
from importlib import resources
from statistics import NormalDist

import msgspec

from beholder.metrics.intervals import wilson
from beholder.score import Metric

_Z = NormalDist().inv_cdf(0.975)


class Protocol(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the figures were made, as far as it can be held against a run's plan; None: not known, or in no plan.

    `prompt_sha256` is the digest of the prompt's template, `extractor` the model that read the answers, `tools` whether
    the models had tools (single lines may differ: their marks say so).
    """

    prompt_sha256: str | None = None
    votes: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    extractor: str | None = None
    tools: bool | None = None


class Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One model: its figures by our name of the metric, in percent (what is not printed is left out).

    `marks` say what keeps the line apart from its table; `derived` by which sum a figure that is not printed was made;
    `sizes` are denominators other than the table's.
    """

    model: str
    figures: dict[str, float]
    group: str = ""
    marks: tuple[str, ...] = ()
    derived: dict[str, str] = {}
    sizes: dict[str, int] = {}


class Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A published table. `name` is that of its file; `date` the month of publication (YYYY-MM, "" if not known), `read`
    the day on which it was read.

    `scorer` is the one of ours that the figures correspond to, "" if that is not known. `sizes` are the denominators
    (metric → items, or groups of items) as published; where they are not, `assumed` says what is taken for them, which
    is OUR assumption. A metric in `means` is the plain mean of others. `measured` are the ends of sentences about how
    the figures were made.
    """

    name: str = ""
    benchmark: str
    title: str
    source: str
    date: str
    read: str
    scorer: str
    sizes: dict[str, int]
    rows: tuple[Line, ...]
    means: dict[str, tuple[str, ...]] = {}
    assumed: str = ""
    protocol: Protocol = Protocol()
    measured: tuple[str, ...] = ()
    note: str = ""

    @property
    def metrics(self) -> list[str]:
        """Those that any line has a figure of, in the order of `sizes`."""
        return [name for name in self.sizes if any(name in row.figures for row in self.rows)]


@cache
def tables() -> tuple[Table, ...]:
    """All of them, by name. `ValueError` for a file that breaks the rules: that is a fault of ours."""
    files = sorted((resources.files(__package__) / "tables").iterdir(), key=lambda file: file.name)
    return tuple(
        read(file.read_bytes(), file.name.removesuffix(".json")) for file in files if file.name.endswith(".json")
    )


def tables_of(benchmark: str) -> list[Table]:
    """Those of one benchmark."""
    return [table for table in tables() if table.benchmark == benchmark]


def table(name: str) -> Table:
    """One of them by name; `KeyError` if there is none."""
    return {one.name: one for one in tables()}[name]


def read(data: bytes, name: str) -> Table:
    """A table out of its file, checked."""
    try:
        found = msgspec.structs.replace(msgspec.json.decode(data, type=Table), name=name)
    except msgspec.DecodeError as error:
        raise ValueError(f"tables/{name}.json: {error}") from None
    for fault in faults(found):
        raise ValueError(f"tables/{name}.json: {fault}")
    return found


def faults(found: Table) -> list[str]:
    """What is wrong with a table, in words."""
    models = [row.model for row in found.rows]
    said = [f"{model!r} is there twice" for model in dict.fromkeys(models) if models.count(model) > 1]
    said += ["it has no line"] if not models else []
    said += [f"no denominator of {name!r} is above 0" for name, n in found.sizes.items() if n < 1]
    for row in found.rows:
        said += [f"{row.model}: {name!r} has no denominator" for name in row.figures if name not in found.sizes]
        said += [f"{row.model}: {name!r} is not in 0..100" for name, value in row.figures.items() if not _fits(value)]
        said += [f"{row.model}: no figure {name!r} to derive" for name in row.derived if name not in row.figures]
    for name, parts in found.means.items():
        said += [
            f"{name!r} is a mean of {part!r}, which has no denominator" for part in parts if part not in found.sizes
        ]
    return said


def figure_of(found: Table, row: Line, metric: str) -> Metric | None:
    """A published figure with the interval that its denominator gives; None if the line has none.

    No paper gives an interval. This is Wilson's, as if the figure were a share of `n` independent items that are right
    or wrong: OUR assumption, and no narrower for figures with partial credit, whose spread is at most as large. For a
    mean of others it follows from theirs.
    """
    if metric not in row.figures:
        return None
    value, n = round(row.figures[metric] / 100, 8), row.sizes.get(metric, found.sizes[metric])
    error = standard_error(found, row, metric)
    if error is None:
        low, high = wilson(round(value * n), n)
        method = "wilson"
    else:
        low, high, method = max(0.0, value - _Z * error), min(1.0, value + _Z * error), "from its parts"
    return Metric(value=value, n=n, low=low, high=high, interval=method)


def standard_error(found: Table, row: Line, metric: str) -> float | None:
    """That of a mean of other figures, from their shares and denominators; None for any other figure."""
    parts = found.means.get(metric, ())
    if not parts or not all(part in row.figures for part in parts):
        return None
    shares = [(row.figures[part] / 100, found.sizes[part]) for part in parts]
    return math.sqrt(math.fsum(share * (1 - share) / n for share, n in shares)) / len(parts)


def _fits(value: float) -> bool:
    return 0 <= value <= 100
