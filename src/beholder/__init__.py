"""Beholder measures whether a vision-language model reasons from what it sees.

The door is small on purpose: `import beholder` loads nothing heavy. What a file with a benchmark or a model of one's
own needs is here (`from beholder import own_benchmark, Question`), and comes when it is asked for. The vocabulary is in
`beholder.sample`, `beholder.score` and `beholder.errors`; a benchmark is fetched by name with
`beholder.benchmarks.benchmark("tfq")`.
"""

from typing import Any

__version__ = "0.1.0"

_DOOR = {
    "Benchmark": "beholder.benchmarks.benchmark",
    "Item": "beholder.benchmarks.own_items",
    "own_benchmark": "beholder.benchmarks.simple",
    "Question": "beholder.models.own",
    "Response": "beholder.sample",
    "Sample": "beholder.sample",
    "Outcome": "beholder.score",
    "Score": "beholder.score",
}
"""Name → the module that it comes from."""


def __getattr__(name: str) -> Any:
    """What is asked for by name, loaded now."""
    if name not in _DOOR:
        raise AttributeError(f"module 'beholder' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_DOOR[name]), name)
