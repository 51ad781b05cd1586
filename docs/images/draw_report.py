"""Draws docs/images/report.png: two views of a report on three baselines, with fresh items of all thirteen tasks.

    python docs/images/draw_report.py

Needs chromium and Playwright. On the left the head of the page, on the right the samples that the baselines differ on.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

HERE = Path(__file__).resolve().parent
BEHOLDER = Path(sys.executable).with_name("beholder")
MODELS = ("random", "static", "classical")
HEIGHT, LEFT, RIGHT, GAP = 900, 716, 472, 12
LARGEST = 250_000


def main() -> None:
    with tempfile.TemporaryDirectory() as work:
        page = make_report(Path(work))
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            head = view(browser, page, LEFT)
            samples = view(browser, page, RIGHT, category="ocr")
            browser.close()
    picture = Image.new("RGB", (LEFT + GAP + RIGHT, HEIGHT), "#dfe2e6")
    picture.paste(head, (0, 0))
    picture.paste(samples, (LEFT + GAP, 0))
    out = HERE / "report.png"
    picture.save(out, optimize=True)
    if out.stat().st_size > LARGEST:  # photographs in view: fewer colours
        picture.quantize(256, dither=Image.Dither.NONE).save(out, optimize=True)
    if out.stat().st_size > LARGEST:
        raise SystemExit(f"{out} has {out.stat().st_size:,} bytes, more than {LARGEST:,}")


def make_report(work: Path) -> Path:
    """A report of the three baselines on eight items of each task."""
    commands = (
        ("synth", "all", "--n", "8", "--seed", "7", "--out", "set"),
        ("run", "tir", "--data", "set", "--no-cache", *(word for model in MODELS for word in ("--model", model))),
    )
    env = {**os.environ, "BEHOLDER_RUNS": "runs"}
    for command in commands:
        subprocess.run([BEHOLDER, *command], check=True, cwd=work, env=env, stdout=subprocess.DEVNULL)
    names = {path.name.rpartition("_")[2]: path.name for path in (work / "runs").iterdir() if path.is_dir()}
    runs = [names[model] for model in MODELS]
    subprocess.run([BEHOLDER, "report", *runs, "--out", "report.html"], check=True, cwd=work, env=env)
    return work / "report.html"


def view(browser: Browser, page: Path, width: int, category: str = "") -> Image.Image:
    """What a window of that width shows: the head of the page, or the samples of a category that the runs differ on."""
    tab = browser.new_page(viewport={"width": width, "height": HEIGHT}, color_scheme="light")
    tab.goto(page.as_uri())
    if category:
        tab.check("#f-differ")
        tab.select_option("#f-category", label=category)
        tab.evaluate("document.getElementById('f-disagree').parentElement.scrollIntoView()")
    tab.wait_for_timeout(500)
    shown = Image.open(io.BytesIO(tab.screenshot())).convert("RGB")
    tab.close()
    return shown


if __name__ == "__main__":
    main()
