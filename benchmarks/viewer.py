"""How quick `beholder view` is on a large run, and how much memory its server takes.

    python benchmarks/viewer.py [--samples 157201] [--pictures 2000] [--runs FOLDER]

Makes two runs of TFQ-Bench with as many statements, about 2,000 small pictures, by the product's own journal; with
`--runs` in that folder, where the next call finds them again. Then starts `beholder view` with an empty cache folder
and asks it as a browser does, over loopback. Prints a table: the time until the whole answer is there, its size, and
the most memory that the server has held so far. `cold` is the first request of its kind to a server without an index;
`meanwhile` while the index is made; the others are the median of nine.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import platform
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from made_data import tfq_plan

BEHOLDER = Path(sys.executable).with_name("beholder")
TALK = (
    "the picture shows a small boat with a red sail under heavy clouds near an old harbour wall where two men in dark "
    "coats wait beside crates of oranges and one of them points at a lamp which stands for hope in a cold season while "
    "the other looks away toward the empty street as if the poster behind him promised nothing but another winter"
)
SEARCHES = ("harbour", "Statement 15720", "red sail", "ora", "<answer>T", "of", "nowhere at all", "船")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=157_201)
    parser.add_argument("--pictures", type=int, default=2_000)
    parser.add_argument("--runs", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="beholder-bench-") as work:
        runs = options.runs or Path(work) / "runs"
        for number in range(2):
            if not (runs / f"run-{number}").is_dir():
                began = time.perf_counter()
                make_run(runs, f"run-{number}", options.samples, options.pictures, seed=number)
                print(f"made run-{number} in {time.perf_counter() - began:.0f} s", flush=True)
        measure(runs, Path(work) / "cache")
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}")


def make_run(runs: Path, name: str, samples: int, pictures: int, *, seed: int) -> None:
    """A finished run: samples stream from the data file into the journal, and are scored there."""
    from beholder.benchmarks import benchmark
    from beholder.engine import lifecycle
    from beholder.engine.scoring import score_with, scorer_code
    from beholder.models import make_model
    from beholder.models.endpoint import Endpoint
    from beholder.sample import Response, Usage
    from beholder.store.folder import Blobs, read_info
    from beholder.store.journal import Entry, Journal

    data, found, rng = made_data(runs.parent / "data", samples, pictures), benchmark("tfq"), random.Random(seed)
    plan = tfq_plan(data)
    folder = lifecycle.begin(
        plan, make_model("random", found, seed=0, endpoint=Endpoint(base_url="")), {}, runs, name=name
    )
    blobs, hashes = Blobs(folder), {}
    with Journal(folder, scorer_code(found), score_with(found.scorers)) as journal:
        for sample in plan.samples():
            path = sample.images[0].path or ""
            if path not in hashes:
                hashes[path] = kept(blobs, Path(path))
            response = Response(
                text=f"<think>{talk(rng, 45)}</think>\n<answer>{rng.choice('TTFFF?')}</answer>",
                finish="stop",
                usage=Usage(prompt_tokens=rng.randrange(300, 900), completion_tokens=rng.randrange(40, 200)),
                latency=rng.expovariate(1.0),
            )
            journal.put(Entry(sample, 0, 0, response, images=(hashes[path],)))
            journal.catch_up(2_000)
    lifecycle.finish(folder, read_info(folder), plan, found)


def made_data(folder: Path, samples: int, pictures: int) -> Path:
    """The statements, in the layout of TFQ-Bench."""
    import numpy as np
    from PIL import Image

    file = folder / f"tfq-{samples}.jsonl"
    if file.exists():
        return file
    rng, noise = random.Random(0), np.random.default_rng(0)
    (folder / "images").mkdir(parents=True, exist_ok=True)
    for number in range(pictures):
        coarse = noise.integers(0, 256, (6, 8, 3), dtype=np.uint8)
        Image.fromarray(coarse).resize((480, 360)).save(folder / "images" / f"{number}.jpg")
    with file.open("w") as sink:
        for number in range(samples):
            record = {
                "images": [f"images/{number * pictures // samples}.jpg"],
                "problem": f"<image>Statement {number}: {talk(rng, 18)}.",
                "answer": rng.choice("TF"),
                "category": f"kind {rng.randrange(12)}",
                "difficulty": rng.choice(("easy", "medium", "hard")),
            }
            sink.write(json.dumps(record) + "\n")
    return file


def kept(blobs: object, path: Path) -> str:
    """Puts a picture into the run; returns its hash."""
    import hashlib

    data = path.read_bytes()
    sha256 = hashlib.sha256(data).hexdigest()
    blobs.keep(sha256, data, str(path))  # type: ignore[attr-defined]
    return sha256


def talk(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(TALK.split(), k=words))


def measure(runs: Path, cache: Path) -> None:
    """Asks a fresh server, and prints what it takes."""
    with served(runs, cache) as (process, ask):
        row("nothing asked yet", "", 0, memory(process))
        row("runs, cold", *ask("/api/runs"), memory(process))
        row("run page, cold", *ask("/api/run?run=run-0"), memory(process))
        began = time.perf_counter()
        row("columns, cold", *ask("/api/columns?run=run-0"), memory(process))
        row("rows, cold", *ask(f"/api/rows?run=run-0&places={places(range(40))}"), memory(process))
        meanwhile: dict[str, list[float]] = {"columns": [], "rows": [], "runs": []}
        while (columns := json.loads(ask.body("/api/columns?run=run-0")))["ready"] < 1:
            meanwhile["columns"].append(ask("/api/columns?run=run-0")[0])
            meanwhile["rows"].append(ask(f"/api/rows?run=run-0&places={places(range(40))}")[0])
            meanwhile["runs"].append(ask("/api/runs")[0])
            time.sleep(0.5)
        row("the whole index (s)", time.perf_counter() - began, 0, memory(process))
        for name, times in meanwhile.items():
            row(f"{name}, meanwhile (worst)", max(times, default=0.0), 0, memory(process))
        repeated(process, ask, columns["n"])
    size = sum(file.stat().st_size for file in cache.rglob("*.index"))
    print(
        f"indexes of both runs: {size / 1e6:.0f} MB; run.db: {(runs / 'run-0' / 'run.db').stat().st_size / 1e6:.0f} MB"
    )
    with served(runs, cache) as (process, ask):
        row("columns, new server", *ask("/api/columns?run=run-0"), memory(process))
        row("run page, new server", *ask("/api/run?run=run-0"), memory(process))


def repeated(process: subprocess.Popen[str], ask: Ask, n: int) -> None:
    """What a reader does once the index is there."""
    rng = random.Random(0)
    median(process, ask, "columns", ["/api/columns?run=run-0"] * 9)
    some = [places(rng.sample(range(n), 60)) for _ in range(9)]
    median(process, ask, "rows, 60 anywhere", [f"/api/rows?run=run-0&places={asked}" for asked in some])
    for text in SEARCHES:
        median(process, ask, f"search {text!r}", [f"/api/search?run=run-0&text={quote(text)}"] * 9)
    while json.loads(ask.body("/api/columns?run=run-1"))["ready"] < 1:
        time.sleep(0.5)
    median(process, ask, "changes", ["/api/changes?run=run-0&against=run-1&scorer=recipe"] * 9)
    median(process, ask, "run page", ["/api/run?run=run-0"] * 9)
    median(process, ask, "comparison", ["/api/compare?run=run-0&run=run-1"] * 3)
    row("leaderboard, cold", *ask("/api/leaderboard"), memory(process))
    median(process, ask, "leaderboard", ["/api/leaderboard"] * 9)
    rows = json.loads(ask.body(f"/api/rows?run=run-0&places={places(range(0, n, max(1, n // 200)))}"))["rows"]
    keys = [quote(one["key"]) for one in rows[:9]]
    median(process, ask, "sample", [f"/api/sample?run=run-0&key={key}" for key in keys])
    shown = sorted({one["picture"] for one in rows})[:60]
    median(process, ask, "small picture, new", [f"/images/{sha256}.webp?run=run-0" for sha256 in shown])


def median(process: subprocess.Popen[str], ask: Ask, name: str, addresses: list[str]) -> None:
    answers = [ask(address) for address in addresses]
    row(name, statistics.median(took for took, _ in answers), answers[-1][1], memory(process))


class Ask:
    """Asks a server: seconds until the whole answer is there, and its bytes."""

    def __init__(self, port: int) -> None:
        self._port = port

    def __call__(self, address: str) -> tuple[float, int]:
        began = time.perf_counter()
        body = self.body(address)
        return time.perf_counter() - began, len(body)

    def body(self, address: str) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=300)
        connection.request("GET", address)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status != 200:
            raise SystemExit(f"{address}: {answer.status} {body[:300]!r}")
        return body


@contextmanager
def served(runs: Path, cache: Path) -> Iterator[tuple[subprocess.Popen[str], Ask]]:
    """A server of its own, and a way to ask it."""
    command = [str(BEHOLDER), "view", str(runs), "--port", "0"]
    environment = os.environ | {"XDG_CACHE_HOME": str(cache), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if port := re.search(r"http://[^/]*:(\d+)", line):
                    yield process, Ask(int(port[1]))
                    return
            raise SystemExit("The server has not begun.")
        finally:
            process.terminate()


def memory(process: subprocess.Popen[str]) -> float:
    """The most memory that the process has held so far, in MB."""
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def places(numbers: object) -> str:
    return ",".join(map(str, numbers))  # type: ignore[call-overload]


def row(name: str, seconds: float | str, size: int, peak: float) -> None:
    took = seconds if isinstance(seconds, str) else f"{seconds:.1f} s" if "(s)" in name else f"{1000 * seconds:.0f} ms"
    print(f"{name:32} {took:>10} {size / 1000:>10.1f} kB {peak:>8.0f} MB", flush=True)


if __name__ == "__main__":
    main()
