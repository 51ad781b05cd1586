"""How long the sandbox takes to start and to answer, and what its workers hold.

    python benchmarks/sandbox.py [--starts 20] [--calls 500] [--workers 4]

Prints one JSON object: medians and 95th percentiles in milliseconds, memory in MB. A cold start is from nothing to a
worker that is ready for code; a warm call runs `1 + 1`. Memory is counted as the kernel shares it out between processes
(PSS).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from pathlib import Path

import PIL.Image

from beholder.sandbox.backends import backend
from beholder.sandbox.limits import SandboxLimits
from beholder.sandbox.pool import SandboxPool
from beholder.sandbox.process import Worker

LIMITS = SandboxLimits()


async def starts(number: int) -> list[float]:
    """Cold starts, one after the other, in seconds."""
    sandbox = backend()
    taken = []
    for _ in range(number):
        begun = time.perf_counter()
        worker = await Worker.start(sandbox, LIMITS)
        taken.append(time.perf_counter() - begun)
        await worker.end()
    return taken


async def calls(number: int) -> tuple[dict[str, list[float]], float]:
    """Calls to one warm worker, in seconds; and the first call of a conversation where a spare is ready."""
    sandbox = backend()
    code = {
        "warm_call": "1 + 1",
        "picture_shown": "image_1.crop((0, 0, 256, 256)).show()",
    }
    picture = PIL.Image.new("RGB", (1024, 768), "white")
    taken: dict[str, list[float]] = {name: [] for name in code}
    async with SandboxPool(sandbox, LIMITS, concurrency=1, spares=1) as pool:
        await asyncio.sleep(0.5)  # OpenCV is loaded in the background
        conversation = pool.conversation()
        begun = time.perf_counter()
        await conversation.call("1 + 1", ())
        first = time.perf_counter() - begun
        for name, text in code.items():
            for _ in range(number):
                begun = time.perf_counter()
                answer = await conversation.call(text, (picture,))
                taken[name].append(time.perf_counter() - begun)
                assert answer.outcome == "ok", answer
        await conversation.close()
    return taken, first


async def memory(workers: int) -> list[float]:
    """What each of several workers holds once OpenCV and matplotlib are loaded, in MB."""
    async with SandboxPool(backend(), LIMITS, concurrency=workers, spares=workers) as pool:
        conversations = [pool.conversation() for _ in range(workers)]
        for conversation in conversations:
            await conversation.call("import cv2, matplotlib.pyplot", ())
        held = [proportional(pid) for pid in pool.pids]
        await asyncio.gather(*(conversation.close() for conversation in conversations))
    return held


def proportional(pid: int) -> float:
    """The memory of a process in MB, pages shared with others counted in part."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def summed(seconds: list[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    high = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return {"median_ms": round(statistics.median(ordered) * 1e3, 2), "p95_ms": round(high * 1e3, 2)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--calls", type=int, default=500)
    parser.add_argument("--workers", type=int, default=4)
    asked = parser.parse_args()
    taken, first = asyncio.run(calls(asked.calls))
    held = asyncio.run(memory(asked.workers))
    result = {
        "cold_start": summed(asyncio.run(starts(asked.starts))),
        "first_call_with_spare_ms": round(first * 1e3, 2),
        **{name: summed(seconds) for name, seconds in taken.items()},
        "worker_pss_mb": [round(size, 1) for size in held],
        "pool_pss_mb": round(sum(held), 1),
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
