"""Applying a benchmark's scorers to responses, and knowing by which code it was done."""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Callable, Mapping
from importlib import metadata, resources
from pathlib import Path

from beholder.benchmarks.benchmark import Benchmark
from beholder.errors import Owner
from beholder.sample import Response, Sample
from beholder.score import Outcome, Score, Scorer


def score_with(scorers: Mapping[str, Scorer]) -> Callable[[Sample, Response], dict[str, Score]]:
    """A function that gives every scorer's verdict on one response.

    A scorer that raises is our fault, not the model's: its score is `failed` with owner `us` and says where it broke.
    """

    def score_all(sample: Sample, response: Response) -> dict[str, Score]:
        return {name: _guarded(scorer, sample, response) for name, scorer in scorers.items()}

    return score_all


def _guarded(scorer: Scorer, sample: Sample, response: Response) -> Score:
    try:
        return scorer(sample, response)
    except Exception as error:  # noqa: BLE001 - the boundary where a scorer's fault is classified, once
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(frame.filename).name}:{frame.lineno}"
        reason = (
            f"The scorer broke at {place}: {type(error).__name__}. Please report it; `beholder rescore` mends the run."
        )
        return Score(None, Outcome.FAILED, flags=("scorer_error",), reason=reason, owner=Owner.US)


def scorer_code(found: Benchmark) -> dict[str, str]:
    """Scorer name → a hash of what decides its scores: benchmark, `extract`, packages, assumptions."""
    digest = hashlib.blake2b(digest_size=8)
    digest.update(found.code.encode())  # a benchmark of the user's own: its file
    digest.update(resources.files("beholder").joinpath("annotation.py").read_bytes())  # the rules of the structure
    folder = resources.files("beholder.benchmarks")
    own = [folder / "simple.py"] if found.code else list((folder / found.name.replace("-", "_")).iterdir())
    for files in (own, list(resources.files("beholder.extract").iterdir())):
        for file in sorted(files, key=lambda entry: entry.name):
            if file.name.endswith(".py"):
                digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    for name in found.deciding_packages:
        digest.update(f"{name}=={metadata.version(name)}\0".encode())
    digest.update(found.assumptions.encode("utf-8", "surrogatepass"))
    return dict.fromkeys(found.scorers, digest.hexdigest())
