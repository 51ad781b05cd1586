"""Where the CPU time of one sample goes: by thread during a run, and for the same work done alone in one thread.

    python benchmarks/threads.py

Prints one JSON object; microseconds for each sample, by the threads' own clocks.
"""

from __future__ import annotations

import json
import shutil
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import run_in_process, server
from made_data import make_images, write_tfq

from beholder.engine import run
from beholder.engine.feed import Feeder
from beholder.engine.scoring import score_with, scorer_code
from beholder.store.journal import Entry, Journal

SAMPLES = 1000


def clocked(spent: Counter[str], name: str, work: Callable[..., Any]) -> Callable[..., Any]:
    """The work, with the thread time it takes added under a name."""

    def timed(*arguments: Any, **options: Any) -> Any:
        begun = time.thread_time()
        try:
            return work(*arguments, **options)
        finally:
            spent[name] += time.thread_time() - begun

    return timed


def during_a_run(work: Path, data: Path, repeats: int) -> dict[str, int]:
    """Thread times of whole runs against the fast server; the first one warms up."""
    spent: Counter[str] = Counter()
    Feeder._feed = clocked(spent, "feeders", Feeder._feed)  # type: ignore[method-assign]
    Journal._write_all = clocked(spent, "journal", Journal._write_all)  # type: ignore[method-assign]
    Journal._score_all = clocked(spent, "scorer", Journal._score_all)  # type: ignore[method-assign]
    execute = run.execute

    async def executed(*arguments: Any) -> Any:
        begun = time.thread_time()
        result = await execute(*arguments)
        spent["event loop"] += time.thread_time() - begun
        return result

    run.execute = executed
    seen: list[Counter[str]] = []
    with server() as url:
        for _ in range(repeats + 1):
            spent.clear()
            run_in_process(data, url, work / "runs", concurrency=64)
            shutil.rmtree(work / "runs")
            seen.append(Counter(spent))
    names = ("feeders", "event loop", "journal", "scorer")
    return {name: round(statistics.median(times[name] for times in seen[1:]) / SAMPLES * 1e6) for name in names}


def alone(work: Path, data: Path) -> dict[str, int]:
    """The feeders', the journal's and the scorer's work, one after the other, nobody else running."""
    from beholder.benchmarks import benchmark
    from beholder.engine.plan import make_plan
    from beholder.engine.selection import Selection
    from beholder.models.endpoint import Endpoint
    from beholder.models.openai import OpenAIModel
    from beholder.sample import Response, Sampling
    from beholder.store import schema
    from beholder.store.cache import ResponseCache
    from beholder.store.folder import Blobs

    found = benchmark("tfq")
    options: dict[str, Any] = {"images": None, "categories": None, "template": None, "votes": None, "epochs": 1}
    plan = make_plan(found, data, sampling=Sampling(), order="random", seed=0, selection=Selection(), **options)
    model = OpenAIModel("openai/fast", Endpoint(base_url="http://127.0.0.1:9/v1"))
    folder = work / "alone"
    (folder / "blobs").mkdir(parents=True)
    schema.close_for_good(schema.create(folder / "run.db", fsync=False))
    cache = ResponseCache(work / "alone.db")
    blobs, spent, entries = Blobs(folder), Counter[str](), []
    begun = time.thread_time()
    for sample in plan.samples():
        (prepared,) = model.prepare(plan.asks(sample, set()))
        for blob in prepared.blobs:
            blobs.keep(blob.sha256, blob.data, blob.path)
        cache.get(prepared.request_hash)
        response = Response(text="<think>x</think><answer>T</answer>", request_hash=prepared.request_hash, raw=b"{}")
        entries.append(Entry(sample, 0, 0, response, prepared.record, (prepared.blobs[0].sha256,)))
    spent["feeders"] = time.thread_time() - begun
    score = clocked(spent, "scorer", score_with(found.scorers))
    scored = [(number, entry, score(entry.sample, entry.response)) for number, entry in enumerate(entries, start=1)]
    journal = Journal(folder, scorer_code(found), score, cache=cache)
    write = clocked(spent, "journal", journal._write)
    for start in range(0, SAMPLES, 100):
        write(entries[start : start + 100], [], [])
        write([], [], scored[start : start + 100])
    schema.close_for_good(journal._db)
    cache.close()
    return {name: round(seconds / SAMPLES * 1e6) for name, seconds in spent.items()}


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="beholder-bench-") as name:
        work = Path(name)
        make_images(work / "images", SAMPLES)
        data = write_tfq(work, SAMPLES, "images/{index:06d}.jpg")
        print(json.dumps({"alone": alone(work, data), "during a run": during_a_run(work, data, repeats=5)}))


if __name__ == "__main__":
    main()
