"""How good and how fast the classical jigsaw solver is on fresh puzzles: one JSON row a size, one for all.

    python benchmarks/solver_rates.py [--items 200] [--seed 90210] [--sizes 3 4 5 6] [--photos DIR]

Times are wall clock, for one item in one process, picture already decoded. `generated_per_second` is for
making the puzzles, PNG included.
"""

from __future__ import annotations

import argparse
import io
import json
import statistics
import time
from pathlib import Path

import numpy as np
from PIL import Image

from beholder.sample import OrderedListTarget
from beholder.synth.jigsaw import SIZES, generate
from beholder.synth.solve_jigsaw import find_size, solve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=200, help="puzzles of each size")
    parser.add_argument("--seed", type=int, default=90210)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--photos", type=Path, default=None)
    options = parser.parse_args()

    every: list[dict[str, float]] = []
    for n in options.sizes:
        rows, speed = measure(options.items, options.seed, n, options.photos)
        print(json.dumps({"size": f"{n}x{n}"} | summary(rows, speed)), flush=True)
        every.extend(rows)
    print(json.dumps({"size": "all"} | summary(every, None)))


def measure(items: int, seed: int, n: int, photos: Path | None) -> tuple[list[dict[str, float]], float]:
    """One row for each puzzle, and how many puzzles were made a second."""
    next(generate(1, seed, (n,), photos))  # decodes nothing twice that is only read once
    begun = time.perf_counter()
    samples = list(generate(items, seed, (n,), photos))
    speed = items / (time.perf_counter() - begun)
    rows = []
    for sample in samples:
        assert isinstance(sample.target, OrderedListTarget)
        picture = np.asarray(Image.open(io.BytesIO(sample.images[0].data or b"")).convert("RGB"))
        begun = time.perf_counter()
        answer = solve(picture, n)
        seconds = time.perf_counter() - begun
        right = sum(a == b for a, b in zip(answer, sample.target.values, strict=True)) / n**2
        rows.append({"right": right, "seconds": seconds, "size_found": float(find_size(picture) == n)})
    return rows, speed


def summary(rows: list[dict[str, float]], speed: float | None) -> dict[str, float | int]:
    seconds = sorted(row["seconds"] for row in rows)
    found: dict[str, float | int] = {
        "items": len(rows),
        "position_accuracy": round(statistics.fmean(row["right"] for row in rows), 4),
        "solved": round(statistics.fmean(row["right"] == 1 for row in rows), 4),
        "size_found": round(statistics.fmean(row["size_found"] for row in rows), 4),
        "ms_mean": round(1000 * statistics.fmean(seconds), 1),
        "ms_p95": round(1000 * seconds[int(0.95 * (len(seconds) - 1))], 1),
    }
    return found if speed is None else found | {"generated_per_second": round(speed, 1)}


if __name__ == "__main__":
    main()
