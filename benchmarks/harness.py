"""Measures the engine against a local server and prints one JSON row for each measurement.

    python benchmarks/harness.py throughput   # samples a second, 1,000 JPEGs of 1024×768, 64 at once
    python benchmarks/harness.py wire         # the floor under it: such requests, sent and nothing else
    python benchmarks/harness.py latency      # share of the ideal time at 0.5 s an answer, 256 at once, 4,000 asks
    python benchmarks/harness.py startup      # `beholder --help` and `beholder list`
    python benchmarks/harness.py memory       # peak memory with 157,201 samples planned and half resumed
    python benchmarks/harness.py journal      # bytes of journal for 1,000 short answers
    python benchmarks/harness.py scoring      # seconds to score 14,099 TFQ answers and 6,250 votes
    python benchmarks/harness.py              # all of them

The clock of `throughput` and `latency` runs from the plan read to the last commit, scores included.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from made_data import make_images, tfq_plan, write_tfq, write_tfq_answers, write_votes

HERE = Path(__file__).resolve().parent
BEHOLDER = Path(sys.executable).with_name("beholder")


@contextlib.contextmanager
def server(latency: float = 0.0) -> Iterator[str]:
    """The base URL of a fast server in its own process."""
    command = [sys.executable, str(HERE / "fast_server.py"), "--latency", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.terminate()


def run_in_process(data: Path, base_url: str, runs: Path, concurrency: int) -> tuple[float, int]:
    """One run through the engine; (seconds from plan read to last commit, responses)."""
    from beholder.benchmarks import benchmark
    from beholder.engine import lifecycle, run
    from beholder.engine.watch import Watch
    from beholder.models import make_model
    from beholder.models.endpoint import Endpoint
    from beholder.store.cache import ResponseCache

    found = benchmark("tfq")
    plan = tfq_plan(data)
    endpoint = Endpoint(base_url=base_url, max_connections=concurrency)
    model = make_model("openai/fast", found, seed=0, endpoint=endpoint)

    async def timed() -> float:
        folder = lifecycle.begin(plan, model, {}, runs)
        cache = ResponseCache(runs / ".cache.db")
        job = run.Job(
            plan=plan, found=found, model=model, folder=folder, skip=set(), cache=cache, concurrency=concurrency
        )
        started = time.perf_counter()
        await run.execute(job, Watch(plan.n_asks, 0, "recipe"))
        seconds = time.perf_counter() - started
        cache.close()
        await model.close()
        return seconds

    return asyncio.run(timed()), plan.n_asks


def throughput(work: Path, repeats: int) -> dict[str, object]:
    make_images(work / "images", 1000)
    data = write_tfq(work, 1000, "images/{index:06d}.jpg")
    rates = []
    with server() as url:
        for repeat in range(repeats + 1):
            runs = work / f"runs-{repeat}"
            seconds, number = run_in_process(data, url, runs, concurrency=64)
            shutil.rmtree(runs)
            if repeat:  # the first one warms up the page cache and the imports
                rates.append(number / seconds)
    return {
        "what": "samples/s, 1,000 images of 1024×768, c=64",
        "median": round(statistics.median(rates)),
        "min": round(min(rates)),
        "max": round(max(rates)),
        "repeats": repeats,
    }


def wire(work: Path, repeats: int) -> dict[str, object]:
    """The client alone: one prepared request of 219 kB, sent by 64 workers; no images read, nothing journaled."""
    from beholder.models.endpoint import Endpoint
    from beholder.models.model import Prepared
    from beholder.models.openai import OpenAIModel
    from beholder.sample import Ask, BooleanTarget, Sample

    sample = Sample(key="k", index=0, benchmark="tfq", images=(), parts=(), target=BooleanTarget(True))
    picture = b"A" * 218_600
    request = Prepared(
        ask=Ask(sample=sample, messages=()), request_hash="", chunks=(b'{"x":"' + b"y" * 400, picture, b'"}')
    )

    async def timed(url: str, number: int) -> float:
        model = OpenAIModel("openai/fast", Endpoint(base_url=url, max_connections=64))
        await model.send(request)
        left = iter(range(number))

        async def worker() -> None:
            for _ in left:
                await model.send(request)

        started = time.perf_counter()
        await asyncio.gather(*(worker() for _ in range(64)))
        seconds = time.perf_counter() - started
        await model.close()
        return number / seconds

    with server() as url:
        rates = [asyncio.run(timed(url, 2000)) for _ in range(repeats)]
    return {
        "what": "requests/s of the client alone, 219 kB bodies, c=64",
        "median": round(statistics.median(rates)),
        "min": round(min(rates)),
        "max": round(max(rates)),
        "repeats": repeats,
    }


def scoring(work: Path, repeats: int) -> dict[str, object]:
    """All scorers and all figures over answers that are there already; reading the file is not counted."""
    from beholder.benchmarks import benchmark
    from beholder.benchmarks.benchmark import MetricOptions
    from beholder.engine.answers import score_answers

    row: dict[str, object] = {"what": "seconds for all four scorers, and for the figures with 1,000 resamples"}
    for name, file in (("tfq", write_tfq_answers(work)), ("vl-rewardbench", write_votes(work))):
        found = benchmark(name)
        assert found.read_results is not None
        answered = list(found.read_results(file))
        scored, figured = [], []
        for _ in range(repeats):
            started = time.perf_counter()
            items = score_answers(answered, found.scorers)
            scored.append(time.perf_counter() - started)
            started = time.perf_counter()
            found.metrics(items, MetricOptions())
            figured.append(time.perf_counter() - started)
        row |= {
            f"{name} responses": len(answered),
            f"{name} scoring": round(statistics.median(scored), 2),
            f"{name} figures": round(statistics.median(figured), 2),
        }
    return row


def latency(work: Path, repeats: int) -> dict[str, object]:
    (work / "images").mkdir(parents=True)
    make_images(work / "images" / "one", 1)
    data = write_tfq(work, 4000, "images/one/000000.jpg")
    ideal = math.ceil(4000 / 256) * 0.5
    shares = []
    with server(0.5) as url:
        for repeat in range(repeats):
            runs = work / f"runs-{repeat}"
            seconds, _ = run_in_process(data, url, runs, concurrency=256)
            shutil.rmtree(runs)
            shares.append(ideal / seconds)
    return {
        "what": "share of the ideal ⌈N/C⌉·L, L=500 ms, C=256, N=4,000, 219 kB bodies",
        "median": round(statistics.median(shares), 4),
        "min": round(min(shares), 4),
        "repeats": repeats,
    }


def startup(work: Path, repeats: int) -> dict[str, object]:
    row: dict[str, object] = {"what": "start-up seconds", "repeats": max(5, repeats)}
    for name in ("--help", "list"):
        times = []
        for _ in range(max(5, repeats)):
            started = time.perf_counter()
            subprocess.run([BEHOLDER, name], check=True, capture_output=True, cwd=work)
            times.append(time.perf_counter() - started)
        row[name] = round(statistics.median(times), 3)
    return row


def memory(work: Path, repeats: int) -> dict[str, object]:
    make_images(work / "images", 1, target_bytes=30_000)
    data = write_tfq(work, 157_201, "images/000000.jpg")
    with server() as url:
        options = ["--base-url", url, "--runs-dir", str(work / "runs"), "--no-cache", "--max-connections", "64"]
        command = [BEHOLDER, "run", "tfq", "--model", "openai/fast", "--data", str(data), *options]
        first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        folder = _wait_for_half(work / "runs")
        first.kill()
        first.wait()
        resumed = [BEHOLDER, "resume", str(folder), "--runs-dir", str(work / "runs")]
        started = time.perf_counter()
        subprocess.run(resumed, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {
        "what": "peak MB of any process, 157,201 samples planned, killed half way, resumed",
        "peak_mb": round(peak),
        "resume_seconds": round(time.perf_counter() - started, 1),
    }


def _wait_for_half(runs: Path) -> Path:
    import sqlite3

    while True:
        time.sleep(1.0)
        for folder in runs.glob("*_tfq_*"):
            with contextlib.closing(sqlite3.connect(f"file:{folder / 'run.db'}?mode=ro", uri=True)) as db:
                if db.execute("SELECT count(*) FROM responses").fetchone()[0] >= 157_201 // 2:
                    return folder


def journal(work: Path, repeats: int) -> dict[str, object]:
    make_images(work / "images", 1, target_bytes=30_000)
    data = write_tfq(work, 1000, "images/000000.jpg")
    with server() as url:
        run_in_process(data, url, work / "runs", concurrency=32)
    (folder,) = (work / "runs").glob("*_tfq_*")
    return {
        "what": "journal of 1,000 short answers, without images",
        "run_db_mb": round((folder / "run.db").stat().st_size / 1e6, 2),
        "images_mb": round(sum(blob.stat().st_size for blob in (folder / "blobs").glob("??/*")) / 1e6, 2),
    }


MEASUREMENTS = {
    "throughput": throughput,
    "latency": latency,
    "startup": startup,
    "memory": memory,
    "journal": journal,
    "wire": wire,
    "scoring": scoring,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    # argparse checks even the empty list that it makes when nothing is given
    parser.add_argument("measurements", nargs="*", choices=[*MEASUREMENTS, []], help="which (default: all)")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    for name in options.measurements or MEASUREMENTS:
        with tempfile.TemporaryDirectory(prefix="beholder-bench-") as work:
            row = MEASUREMENTS[name](Path(work), options.repeats)
        row |= {"cores": os.cpu_count(), "python": platform.python_version()}
        print(json.dumps({"measurement": name, **row}, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
