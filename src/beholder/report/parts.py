"""What a headline figure is made of: the metrics that are drawn under it, and what they are called there."""

from __future__ import annotations

from collections.abc import Iterable

from beholder.benchmarks.benchmark import Benchmark


def parts_of(headline: str, names: Iterable[str]) -> list[str]:
    """The metrics that the headline is made of: `HEADLINE/…`, else `task/…`, else those with its ending.

    >>> parts_of("overall_all", ["overall_all", "general_all", "macro_all", "overall_decided"])
    ['general_all']
    """
    names = list(names)
    for base in (f"{headline}/", "task/"):
        found = [name for name in names if name.startswith(base) and not name.startswith(f"{base}difficulty ")]
        if found:
            return found
    _, underscore, ending = headline.rpartition("_")
    if not underscore:
        return []
    others = [name for name in names if name.endswith(f"_{ending}") and "/" not in name]
    return [name for name in others if name not in (headline, f"macro_{ending}")]


def part_label(headline: str, name: str) -> str:
    """A part without what all parts have in common.

    >>> part_label("overall_all", "general_all"), part_label("all", "task/maze")
    ('general', 'maze')
    """
    base, slash, part = name.partition("/")
    return part if slash else base.removesuffix("_" + headline.rpartition("_")[2])


def drawn(found: Benchmark, headline: str, names: Iterable[str]) -> tuple[list[str], str]:
    """The metrics that a page draws, and the chart's title: the parts, else what the benchmark has drawn."""
    names = list(names)
    parts = parts_of(headline, names)
    if parts:
        return parts, "By category"
    return [name for name in found.charted if name in names], "Figures beside the headline"
