"""How good and how fast the classical baselines are on fresh items, and how fast items are made.

    python benchmarks/solver_rates.py [TASK …] [--items 200] [--levels 3] [--seed 90210] [--photos DIR]

One JSON row a family and level: the mean value under `strict` (the share that is right; places for jigsaw, overlap for
spot the difference) of `classical` and `static`, and of a blind guess. Times are processor time in one process: other
work on the machine does not count. `make_ms` includes the encoding of the pictures; `solve_ms` their decoding.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from pathlib import Path

from beholder.benchmarks import benchmark
from beholder.benchmarks.benchmark import LoadOptions
from beholder.models.classical import solved
from beholder.sample import Response, Sample
from beholder.synth.dataset import write_dataset
from beholder.synth.families import FAMILIES, family
from beholder.synth.generate import SourcePaths, draws_for, make_item


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", default=list(FAMILIES))
    parser.add_argument("--items", type=int, default=200, help="items of each family and level")
    parser.add_argument("--levels", type=int, nargs="+", default=[3])
    parser.add_argument("--seed", type=int, default=90210)
    parser.add_argument("--photos", type=Path, default=None)
    options = parser.parse_args()

    for task in dict.fromkeys(family(name).task for name in options.tasks):
        for level in options.levels:
            row = measure(task, level, options.items, options.seed, SourcePaths(options.photos))
            print(json.dumps({"task": task, "level": level, "items": options.items} | row), flush=True)


def measure(task: str, level: int, items: int, seed: int, paths: SourcePaths) -> dict[str, float]:
    """The row of one family at one level."""
    draws = draws_for([task], items, seed, (level,))
    sources = paths.read()
    make_item(draws[0], sources)  # what is only loaded once
    making = []
    for draw in draws[: min(items, 40)]:
        begun = time.process_time()
        make_item(draw, sources)
        making.append(time.process_time() - begun)
    with tempfile.TemporaryDirectory() as work:
        folder = write_dataset(draws, Path(work) / "set", paths)
        samples = list(benchmark("tir").load(folder, LoadOptions()))
        rng = random.Random(seed)
        guess = benchmark("tir").guess
        values: dict[str, list[float]] = {"classical": [], "static": [], "random": []}
        solving = []
        for sample in samples:
            begun = time.process_time()
            values["classical"].append(value(sample, solved(sample)))
            solving.append(time.process_time() - begun)
            values["static"].append(value(sample, solved(sample, at_a_glance=True)))
            values["random"].append(value(sample, guess(sample, rng)))
    return {
        **{name: round(statistics.fmean(own), 3) for name, own in values.items()},
        "make_ms": round(1000 * statistics.median(making), 1),
        "solve_ms": round(1000 * statistics.fmean(solving), 1),
        "solve_ms_p95": round(1000 * sorted(solving)[int(0.95 * (len(solving) - 1))], 1),
    }


def value(sample: Sample, said: str) -> float:
    """What `strict` gives an answer."""
    score = benchmark("tir").scorers["strict"](sample, Response(text=said, finish="stop"))
    return score.value or 0.0


if __name__ == "__main__":
    main()
