"""How long an HTML report of 1,000 samples takes to write, how large it is, and how soon a browser shows it.

    python benchmarks/html_report.py [--samples 1000] [--repeats 5]

Each sample has a JPEG of 1024×768 of its own. Prints one JSON row for each way to hold the large pictures. Browser
times count from the start of the navigation to a file on disk, each in a fresh profile: until the first sample has
been painted, and until the page is idle. They need chromium and Playwright. `cpu` seconds are the writing process's,
all threads together: on a busy machine they say more than the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from harness import run_in_process, server
from made_data import make_images, write_tfq
from playwright.sync_api import sync_playwright

from beholder.benchmarks import benchmark
from beholder.engine import lifecycle
from beholder.report.html_pictures import Images
from beholder.report.html_report import write_html
from beholder.store.folder import read_info

_WATCH = """
window.seen = {};
new MutationObserver((changes, watcher) => {
  if (!document.querySelector(".sample")) return;
  watcher.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.seen.sample = performance.now(); }));
}).observe(document, { childList: true, subtree: true });
addEventListener("load", () => requestIdleCallback(() => { window.seen.idle = performance.now(); }));
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="beholder-bench-") as work:
        run = made_run(Path(work), options.samples)
        for images in Images:
            row = {"large_pictures": images.value, "samples": options.samples}
            row |= written(run, Path(work) / images.value / "report.html", images)
            row |= opened(Path(work) / images.value / "report.html", options.repeats)
            print(json.dumps(row | {"cores": os.cpu_count(), "python": platform.python_version()}), flush=True)


def made_run(work: Path, number: int) -> Path:
    """A run over `number` statements, each about a picture of its own, against a local server."""
    make_images(work / "images", number)
    data = write_tfq(work, number, "images/{index:06d}.jpg")
    with server() as url:
        run_in_process(data, url, work / "runs", concurrency=16)
    return next((work / "runs").glob("*_tfq_*"))


def written(run: Path, page: Path, images: Images) -> dict[str, float]:
    """Seconds to read the run and to write the page, and what was written, in megabytes."""
    info = read_info(run)
    plan = lifecycle.plan_of(info)
    begun, cpu = time.perf_counter(), time.process_time()
    result = lifecycle.read_result(run, info, plan, benchmark(plan.benchmark))
    write_html([result], page, images=images)
    beside = sum(picture.stat().st_size for picture in page.parent.glob("*_images/*"))
    return {
        "write_s": round(time.perf_counter() - begun, 2),
        "write_cpu_s": round(time.process_time() - cpu, 2),
        "page_mb": round(page.stat().st_size / 1e6, 2),
        "beside_mb": round(beside / 1e6, 1),
    }


def opened(page: Path, repeats: int) -> dict[str, object]:
    """Milliseconds until the first sample has been painted and until the page is idle, in Chromium."""
    seen: dict[str, list[float]] = {"sample": [], "idle": []}
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
        for repeat in range(repeats + 1):
            # Watching is ours, not the page's: its content policy would forbid it.
            context = browser.new_context(viewport={"width": 1200, "height": 900}, bypass_csp=True)
            tab = context.new_page()
            tab.add_init_script(_WATCH)
            tab.goto(page.resolve().as_uri(), wait_until="load")
            tab.wait_for_function("window.seen.sample && window.seen.idle", timeout=60_000)
            for name, times in seen.items():
                if repeat:  # the first one warms up the browser and the page cache
                    times.append(float(tab.evaluate(f"window.seen.{name}")))
            context.close()
        browser.close()
    return {
        f"first_{name}_ms" if name == "sample" else f"{name}_ms": {
            "median": round(statistics.median(times)),
            "min": round(min(times)),
            "max": round(max(times)),
        }
        for name, times in seen.items()
    }


if __name__ == "__main__":
    main()
