"""Draws docs/images/view-*.png: the pages of the viewer on runs of the demo's kind, with nothing made up.

    python docs/images/draw_view.py

Needs chromium and Playwright. It makes the runs anew (about a minute) in a temporary folder.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import sync_playwright

HERE = Path(__file__).resolve().parent
BEHOLDER = Path(sys.executable).with_name("beholder")
LARGEST = 170_000
SCRIPTS = "scripted/m3r/scripts"


def main() -> None:
    with tempfile.TemporaryDirectory() as work, served(Path(work)) as address, sync_playwright() as play:
        runs = make_runs(Path(work))
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1180, "height": 760}, color_scheme="light")

        def show(name: str, page: str, height: int = 760, **params: Any) -> None:
            tab.set_viewport_size({"width": 1180, "height": height})
            tab.goto(f"{address}#/{page}?{urlencode(params, doseq=True)}")
            tab.wait_for_load_state("networkidle")
            tab.wait_for_timeout(500)
            keep(tab.screenshot(), name)

        arm = next(run for run in runs if run.endswith("/python"))
        static, classical, metaphors = (
            next(run for run in runs if run.endswith(end)) for end in ("tir_static", "tir_classical", "m3r_model.json")
        )
        show("runs", "")
        show("run", "run", run=static)
        show("samples", "samples", run=static, scorer="lenient", outcome="wrong")
        refcoco = {"run": arm, "category": "refcoco"}
        tab.goto(f"{address}#/samples?{urlencode(refcoco)}")
        tab.locator("[data-place]").first.click()
        tab.wait_for_selector(".sample-said")
        show("sample", "sample", height=1180, **refcoco, key=key_in(tab.url))
        tab.goto(f"{address}#/samples?{urlencode({'run': metaphors})}")
        tab.locator("[data-place]").first.click()
        tab.wait_for_selector(".sample-said")
        show("metaphor", "sample", height=1080, run=metaphors, key=key_in(tab.url))
        show("compare", "compare", height=940, run=[static, classical])
        show("leaderboard", "leaderboard", height=820, benchmark="tir")
        browser.close()


def make_runs(work: Path) -> list[str]:
    """The demo's runs on four items of each family, and an example of M3R-Bench that a rule judges."""
    judge = ("--judge", f"{SCRIPTS}/judge.json")
    for command in (
        ("demo", "--n", "4"),
        ("example", "m3r", "--out", "m3r"),
        ("run", "m3r", "--data", "m3r", "--model", f"{SCRIPTS}/model.json", *judge),
    ):
        subprocess.run([BEHOLDER, *command], check=True, cwd=work, env=environment(), stdout=subprocess.DEVNULL)
    found = [path.parent.relative_to(work / "runs").as_posix() for path in (work / "runs").glob("**/run.json")]
    return sorted(found)


@contextmanager
def served(work: Path) -> Iterator[str]:
    """`beholder view` over the runs folder; gives its address."""
    server = subprocess.Popen(
        [BEHOLDER, "view", "--port", "0"], cwd=work, env=environment(work), stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    try:
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found is not None
        yield found[0]
    finally:
        server.terminate()
        server.wait(timeout=20)


def environment(work: Path | None = None) -> dict[str, str]:
    cache = {} if work is None else {"XDG_CACHE_HOME": str(work / "cache")}
    return {**os.environ, "BEHOLDER_RUNS": "runs", "PYTHONUNBUFFERED": "1", "COLUMNS": "200", **cache}


def key_in(address: str) -> str:
    found = re.search(r"key=([0-9a-f-]+)", address)
    assert found is not None
    return found[1]


def keep(png: bytes, name: str) -> None:
    """A picture of at most 256 colours, for a page on which several stand."""
    out = HERE / f"view-{name}.png"
    shown = Image.open(io.BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    shown.save(out, optimize=True)
    if out.stat().st_size > LARGEST:
        raise SystemExit(f"{out} has {out.stat().st_size:,} bytes, more than {LARGEST:,}")


if __name__ == "__main__":
    main()
