"""What `--max-connections auto` comes to against servers with different limits, beside the best fixed number.

    python benchmarks/pace.py            # all servers
    python benchmarks/pace.py slots      # one of them

`steady` takes 100 ms whatever comes; `slots` works on 16 requests at once and lets the rest queue; `refusing` answers
429 above 32 in flight; `uneven` takes between 20 and 500 ms (drawn, seeded) and works on 48 at once. One JSON object
for each way of asking: seconds, answers a second, the most in flight that the server saw, refusals, failures after all
retries, and for `auto` the number it ended with. The server is a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from fast_server import ANSWER, Connection
from made_data import make_images, tfq_plan, write_tfq

HERE = Path(__file__).resolve().parent
SERVERS = {"steady": 3000, "slots": 1500, "refusing": 2000, "uneven": 2000}
"""Server → how many items it is asked about."""
FIXED = (8, 16, 32, 64, 256)
BUSY = b"HTTP/1.1 429 Too Many\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


class Limited(Connection):
    """A connection of a server with a limit; the counts are those of the whole server."""

    kind = "steady"
    slots = asyncio.Semaphore(10_000)
    in_flight = most = refused = 0
    draw = random.Random(0)

    def _answer(self) -> None:
        asyncio.get_running_loop().create_task(self._in_time())

    async def _in_time(self) -> None:
        every = type(self)
        if every.kind == "refusing" and every.in_flight >= 32:
            every.refused += 1
            self._transport.write(BUSY)
            return
        every.in_flight += 1
        every.most = max(every.most, every.in_flight)
        seconds = every.draw.uniform(0.02, 0.5) if every.kind == "uneven" else 0.1
        async with every.slots:
            await asyncio.sleep(seconds)
        every.in_flight -= 1
        if not self._transport.is_closing():
            self._transport.write(ANSWER)


async def serve(kind: str) -> None:
    """Serves until its input ends; then prints what it saw."""
    Limited.kind = kind
    Limited.slots = asyncio.Semaphore({"slots": 16, "uneven": 48}.get(kind, 10_000))
    server = await asyncio.get_running_loop().create_server(lambda: Limited(0.0), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    print(json.dumps({"most": Limited.most, "refused": Limited.refused}), flush=True)


@contextlib.contextmanager
def server(kind: str, seen: dict[str, int]) -> Iterator[str]:
    """The base URL of such a server; `seen` is filled when it ends."""
    command = [sys.executable, str(HERE / "pace.py"), "--serve", kind]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        yield f"http://127.0.0.1:{port}/v1"
        assert process.stdin is not None
        process.stdin.close()
        seen.update(json.loads(process.stdout.readline()))


def ask(data: Path, url: str, runs: Path, concurrency: int | None) -> dict[str, object]:
    """One run; `concurrency` None is `auto`."""
    from beholder.benchmarks import benchmark
    from beholder.engine import lifecycle, run
    from beholder.engine.pace import Pace
    from beholder.engine.watch import Watch
    from beholder.models import make_model
    from beholder.models.endpoint import Endpoint

    found = benchmark("tfq")
    plan = tfq_plan(data)
    pace = Pace() if concurrency is None else None
    at_once = concurrency or Pace().most
    model = make_model("openai/fast", found, seed=0, endpoint=Endpoint(base_url=url, max_connections=at_once))
    watch = Watch(plan.n_asks, 0, "recipe")

    async def timed() -> float:
        folder = lifecycle.begin(plan, model, {}, runs)
        job = run.Job(
            plan=plan, found=found, model=model, folder=folder, skip=set(), cache=None, concurrency=at_once, pace=pace
        )
        started = time.perf_counter()
        await run.execute(job, watch)
        seconds = time.perf_counter() - started
        await model.close()
        return seconds

    seconds = asyncio.run(timed())
    return {
        "at once": "auto" if pace is not None else at_once,
        "seconds": round(seconds, 1),
        "answers/s": round(plan.n_asks / seconds),
        "failed": watch.failed,
        **({"ended with": pace.limit} if pace is not None else {}),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("servers", nargs="*", help=f"which of {', '.join(SERVERS)} (default: all)")
    parser.add_argument("--serve", choices=SERVERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve(options.serve))
        return
    with tempfile.TemporaryDirectory(prefix="beholder-pace-") as place:
        work = Path(place)
        make_images(work / "images", 1, target_bytes=30_000)
        for kind in options.servers or SERVERS:
            (work / kind).mkdir()
            (work / kind / "images").symlink_to(work / "images")
            data = write_tfq(work / kind, SERVERS[kind], "images/000000.jpg")
            for concurrency in (*FIXED, None):
                seen: dict[str, int] = {}
                with server(kind, seen) as url:
                    row = ask(data, url, work / f"runs-{kind}-{concurrency}", concurrency)
                print(json.dumps({"server": kind, **row, **seen}), flush=True)


if __name__ == "__main__":
    main()
