"""Recomputes a published table: does each overall figure follow from the columns printed beside it and their sizes?

Figures are percentages. A cell that is missing is left out of the mean, with its weight, and named. A cell is
impossible if no number of right answers out of its n rounds to it; where answers get partial credit any value is
possible.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from beholder.benchmarks.tir.tasks import TASKS
from beholder.benchmarks.vl_rewardbench.data import PUBLISHED_SIZES
from beholder.errors import DataError, UsageError
from beholder.metrics.table import follows_from

TOLERANCE = 0.10
"""Percentage points: half a unit of the last printed decimal in the columns, and half in the claim."""
_LARGEST = 4 << 20
_MISSING = frozenset({"", "-", "–", "—", "n/a", "na", "nan", "none", "null", "/"})
_NAMES = ("model", "method", "name", "system")
_MOST_DECIMALS = 6


class Column(msgspec.Struct, frozen=True):
    """A column that an overall figure is made of: how many items it counts, and if each is simply right or wrong."""

    n: int
    binary: bool = True


class Layout(msgspec.Struct, frozen=True):
    """Which columns a table has: those that are averaged, and those that claim an average, with the mean they claim.

    `overall` maps a column to `micro` (weighted by size) or `macro` (each column alike). `drops` says that the authors
    leave undecided items out, so that a column may count fewer items than its size.
    """

    title: str
    columns: dict[str, Column]
    overall: dict[str, str]
    drops: bool = False


class Impossible(msgspec.Struct, frozen=True):
    """A cell that no count of right answers gives. `nearest` are the two that come closest.

    `would_follow` is the value of this cell, among those that are possible, with which the claim would follow; None if
    there is none.
    """

    column: str
    value: float
    n: int
    nearest: tuple[float, float]
    would_follow: float | None = None


class Claim(msgspec.Struct, frozen=True):
    """One claimed overall figure and the means that the other columns give.

    `follows` says if it agrees with the mean that it claims to be (`mean`); `agrees_with` names every mean that it
    agrees with.
    """

    column: str
    mean: str
    claimed: float
    micro: float
    macro: float
    follows: bool
    agrees_with: tuple[str, ...]
    reason: str


class Row(msgspec.Struct, frozen=True):
    """One line of the table: its claims, the cells that are missing, and those that cannot be."""

    line: int
    model: str
    claims: tuple[Claim, ...]
    missing: tuple[str, ...]
    impossible: tuple[Impossible, ...]


class Audit(msgspec.Struct, frozen=True):
    """What became of a table. `unread` are columns of the file that were not used."""

    layout: Layout
    rows: tuple[Row, ...]
    unread: tuple[str, ...]
    tolerance: float

    @property
    def odd(self) -> list[Row]:
        """The rows in which something does not fit: a claim is not the mean that it should be, or a cell cannot be."""
        return [row for row in self.rows if row.impossible or not all(claim.follows for claim in row.claims)]


TIR = Layout(
    "TIR-Bench",
    {
        name: Column(TASKS[task].n, TASKS[task].binary)
        for name, task in {
            "Color": "color",
            "Proportion": "refcoco",
            "OCR": "ocr",
            "Symbolic": "symbolic",
            "Maze": "maze",
            "Math": "math",
            "WordSearch": "word_search",
            "LowLight": "contrast",
            "Instrument": "instrument",
            "SpotDiff": "spot_difference",
            "Jigsaw": "jigsaw",
            "VisualSearch": "visual_search",
            "Rotation": "rotation_game",
        }.items()
    },
    {"All": "micro"},
)
VL_REWARDBENCH = Layout(
    "VL-RewardBench",
    {name.capitalize(): Column(n) for name, n in PUBLISHED_SIZES.items()},
    {"OverallAccuracy": "micro", "MacroAverageAccuracy": "macro"},
    drops=True,
)
_ALIASES = {
    "contrast": "lowlight",
    "spotdifference": "spotdiff",
    "spotthedifference": "spotdiff",
    "refcoco": "proportion",
    "rotationgame": "rotation",
    "overall": "overallaccuracy",
    "macro": "macroaverageaccuracy",
    "macroaverage": "macroaverageaccuracy",
}


def audit_table(
    path: Path, *, counts: Path | None = None, overall: str | None = None, tolerance: float = TOLERANCE
) -> Audit:
    """Checks the table at `path` (CSV with a header line).

    Its columns tell what table it is (TIR-Bench, VL-RewardBench); for another one `counts` (CSV: column, n, and
    optionally `partial` in a third field) gives the sizes and `overall` the column that claims the mean, whose own size
    counts for nothing. `UsageError` if the file cannot be used, `DataError` for a cell that is no figure.
    """
    if not 0 <= tolerance <= 100:
        raise UsageError("--tolerance must be 0 to 100 percentage points.")
    if overall is not None and counts is None:
        raise UsageError("--overall names a column of a table of your own; give the sizes of the others with --counts.")
    lines = _read(path)
    header = [name.strip() for name in lines[0][1]]
    layout = _known(header) if counts is None else _own(counts, overall, header)
    if layout is None:
        raise UsageError(
            f"{path}: these columns are of no table that is known ({', '.join(header)[:200]}). "
            "Give the sizes of its columns with --counts, and the column with the overall figure with --overall."
        )
    if len(lines) == 1:
        raise UsageError(f"{path} has a header and no rows.")
    places = _places(header, layout, path)
    name_at = next((header.index(name) for name in header if name.lower() in _NAMES), 0)
    used = {*places.values(), name_at}
    cells = [_cells(f"{path.name}, line {number}", line, header, places) for number, line in lines[1:]]
    checks = _Checks(layout, tolerance, _decimals(cells, layout))
    rows = tuple(
        _row(number, line[name_at].strip() if name_at < len(line) else "", own, checks, f"{path.name}, line {number}")
        for (number, line), own in zip(lines[1:], cells, strict=True)
    )
    return Audit(layout, rows, tuple(name for at, name in enumerate(header) if at not in used), tolerance)


def is_possible(value: float, n: int, decimals: int = 1) -> bool:
    """Whether some number of right answers out of n rounds to a percentage with that many decimals.

    >>> is_possible(19.9, 50), is_possible(20.0, 50), is_possible(33.3, 120), is_possible(33, 120, 0)
    (False, True, True, True)
    """
    half = 0.5 * 10**-decimals + 1e-9
    return any(abs(100 * right / n - value) <= half for right in _around(value, n))


def _around(value: float, n: int) -> tuple[int, int]:
    below = min(max(math.floor(value * n / 100), 0), n)
    return below, min(below + 1, n)


class _Checks(msgspec.Struct, frozen=True):
    """What every row of a table is checked against; `decimals` is how many its figures are printed with."""

    layout: Layout
    tolerance: float
    decimals: int


def _cells(where: str, line: Sequence[str], header: Sequence[str], places: Mapping[str, int]) -> dict[str, str]:
    """A line's cells by column. A line with more cells than columns has one that was parted at a comma."""
    if any(cell.strip() for cell in line[len(header) :]):
        raise DataError(
            f"it has {len(line)} cells, the header has {len(header)}", where=where, mend="Quote cells with commas."
        )
    return {name: line[at].strip() if at < len(line) else "" for name, at in places.items()}


def _decimals(rows: Sequence[Mapping[str, str]], layout: Layout) -> int:
    """The most decimals that a figure of the averaged columns is printed with."""
    printed = (
        text.rstrip("% ").partition(".")[2] for row in rows for name, text in row.items() if name in layout.columns
    )
    return min(max((len(part) for part in printed if part.isdecimal()), default=0), _MOST_DECIMALS)


def _row(number: int, model: str, texts: Mapping[str, str], checks: _Checks, where: str) -> Row:
    layout = checks.layout
    cells = {name: _figure(text, name, where) for name, text in texts.items()}
    groups = {name: value for name in layout.columns if (value := cells.get(name)) is not None}
    missing = tuple(name for name in layout.columns if cells.get(name) is None)
    if not groups:
        raise DataError("all of its figures are missing", where=where, mend="Remove the line.")
    claims = tuple(
        _claim(name, value, groups, checks, missing)
        for name in layout.overall
        if (value := cells.get(name)) is not None
    )
    impossible = tuple(
        _impossible(name, value, groups, checks, claims)
        for name, value in groups.items()
        if layout.columns[name].binary and not is_possible(value, layout.columns[name].n, checks.decimals)
    )
    return Row(number, model, claims, missing, impossible)


def _claim(column: str, claimed: float, groups: Mapping[str, float], checks: _Checks, missing: Sequence[str]) -> Claim:
    layout = checks.layout
    sizes = [layout.columns[name].n for name in groups]
    check = follows_from(sizes, list(groups.values()), claimed, checks.tolerance)
    reason = check.reason
    if missing:
        every = sum(one.n for one in layout.columns.values())
        with_zeros = check.micro * sum(sizes) / every
        reason += f"; {', '.join(missing)} left out (counted as 0 the micro mean would be {with_zeros:.2f})"
    mean = layout.overall[column]
    return Claim(column, mean, claimed, check.micro, check.macro, mean in check.follows, check.follows, reason)


def _impossible(
    name: str, value: float, groups: Mapping[str, float], checks: _Checks, claims: Sequence[Claim]
) -> Impossible:
    layout = checks.layout
    n, decimals = layout.columns[name].n, max(checks.decimals, 1)
    below, above = _around(value, n)
    mend = None
    if claims and not claims[0].follows and not layout.drops:
        total = sum(layout.columns[other].n for other in groups)
        rest = math.fsum(layout.columns[other].n * groups[other] for other in groups if other != name)
        right = min(max(round((claims[0].claimed * total - rest) / 100), 0), n)
        if abs((rest + 100 * right) / total - claims[0].claimed) <= checks.tolerance + 1e-9:
            mend = round(100 * right / n, decimals)
    return Impossible(name, value, n, (round(100 * below / n, decimals), round(100 * above / n, decimals)), mend)


def _figure(text: str, column: str, where: str) -> float | None:
    plain = text.strip().rstrip("%").strip()
    if plain.lower() in _MISSING:
        return None
    try:
        value = float(plain)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 100:
        raise DataError(
            f"{text[:40]!r} in column {column!r} is no percentage",
            where=where,
            mend="Write 0 to 100, or leave it empty.",
        )
    return value


def _plainly(name: str) -> str:
    folded = "".join(char for char in name.lower() if char.isalnum())
    return _ALIASES.get(folded, folded)


def _known(header: Sequence[str]) -> Layout | None:
    there = {_plainly(name) for name in header}
    for layout in (TIR, VL_REWARDBENCH):
        claims = {_plainly(name) for name in layout.overall}
        if {_plainly(name) for name in layout.columns} <= there and claims & there:
            return layout
    return None


def _places(header: Sequence[str], layout: Layout, path: Path) -> dict[str, int]:
    at = {_plainly(name): place for place, name in enumerate(header)}
    names = (*layout.columns, *layout.overall)
    for name in names:
        if sum(_plainly(other) == _plainly(name) for other in header) > 1:
            raise UsageError(f"{path}: two columns are called {name}. Remove one of them.")
    return {name: at[_plainly(name)] for name in names if _plainly(name) in at}


def _own(counts: Path, overall: str | None, header: Sequence[str]) -> Layout:
    columns: dict[str, Column] = {}
    for number, line in _read(counts):
        name, size = line[0].strip(), line[1].strip() if len(line) > 1 else ""
        where, counted = f"{counts.name}, line {number}", size.isascii() and size.isdecimal()
        if name not in header:
            if not counted and not columns:
                continue  # a heading
            raise DataError(f"the table has no column {name[:40]!r}", where=where, mend="Write its name as the table.")
        if not (counted and len(size) < 10 and int(size) > 0):
            raise DataError(f"{size[:20]!r} is no number of items", where=where, mend="Write column, n.")
        columns[name] = Column(int(size), not (len(line) > 2 and line[2].strip().lower() == "partial"))
    chosen = overall or next((name for name in header if name.lower() in ("all", "overall", "average", "avg")), None)
    if chosen is None or chosen not in header:
        raise UsageError(f"--overall: the table has no column {overall or 'All'!r}. It has {', '.join(header)[:200]}.")
    columns.pop(chosen, None)  # a claim is not part of the mean that it claims
    if not columns:
        raise UsageError(f"{counts}: it names no column of the table to be averaged ({', '.join(header)[:200]}).")
    return Layout("the table", columns, {chosen: "micro"})


def _read(path: Path) -> list[tuple[int, list[str]]]:
    """The lines that hold anything, with their numbers."""
    try:
        if path.stat().st_size > _LARGEST:
            raise UsageError(f"{path} is larger than {_LARGEST >> 20} MiB: this is no table.")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text (byte {error.start}).") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from error
    try:
        reader = csv.reader(io.StringIO(text), strict=True)
        lines = [(reader.line_num, line) for line in reader if any(cell.strip() for cell in line)]
    except csv.Error as error:
        raise UsageError(f"{path} is not CSV ({error}).") from error
    if not lines:
        raise UsageError(f"{path} is empty.")
    return lines
