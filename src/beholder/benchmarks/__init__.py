"""The benchmarks, by name. A plain table of import paths, so that listing them loads none of them."""

from __future__ import annotations

import difflib
import importlib

from beholder.benchmarks.benchmark import Benchmark
from beholder.errors import UsageError

BENCHMARKS: dict[str, tuple[str, str]] = {
    "tfq": ("beholder.benchmarks.tfq", "TFQ-Bench: true/false statements about what an image implies"),
    "vl-rewardbench": (
        "beholder.benchmarks.vl_rewardbench",
        "VL-RewardBench: the model as a judge of two answers, K votes with shuffled order",
    ),
    "tir": (
        "beholder.benchmarks.tir",
        "TIR-Bench: thirteen tasks that ask for thinking with images, on its own data or fresh items",
    ),
    "m3r": (
        "beholder.benchmarks.m3r",
        "M3R-Bench: metaphors in picture and text, with target, source, sentiment and the evidence for them",
    ),
}
"""Name → (module that holds `BENCHMARK`, one line for `beholder list`)."""


def benchmark(name: str) -> Benchmark:
    """The benchmark of that name, one of ours or of the user's own; `UsageError` suggests the nearest names.

    A name is never taken for a file: those are named on the command line (`benchmarks.own`).
    """
    if name not in BENCHMARKS:
        from beholder.benchmarks import own

        mine = own.find(name)
        if mine is not None:
            return mine
        near = difflib.get_close_matches(name.lower().replace("_", "-"), BENCHMARKS, n=3, cutoff=0.4)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        known = ", ".join((*BENCHMARKS, *own.listed()))
        raise UsageError(f"There is no benchmark {name[:60]!r}.{hint} Known: {known}, and your own by path/to/file.py.")
    found = importlib.import_module(BENCHMARKS[name][0]).BENCHMARK
    assert isinstance(found, Benchmark)
    return found
