"""The built front end that is shipped: small, asking nobody else, and what its source gives when it is built anew."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
WEB = ROOT / "web"
STATIC = ROOT / "src" / "beholder" / "web" / "static"
NODE = shutil.which("node")
built = pytest.mark.skipif(
    NODE is None or not (WEB / "node_modules").is_dir(), reason="needs Node.js, and `npm ci` in web/"
)


def test_the_bundle_is_small_and_asks_nobody_else() -> None:
    files = {file.name: file.read_text() for file in STATIC.iterdir()}
    pages = {f"{name}.{kind}" for name in ("annotate", "view") for kind in ("html", "js", "css")}
    assert set(files) == pages | {"shared.js", "shared.css", "icon.svg"}
    assert sum(map(len, files.values())) < 300_000
    for name, text in files.items():
        addresses = set(re.findall(r"(?:https?:)?//[a-z0-9-]+\.[a-z.]+[^\s\"'`)]*", text))
        assert {found for found in addresses if "www.w3.org/" not in found} == set(), name
        assert "sourceMappingURL" not in text, name
    for page in ("annotate", "view"):
        linked = re.findall(r'(?:src|href)="([^"]+)"', files[f"{page}.html"])
        own = [f"/assets/{name}.{kind}" for name in (page, "shared") for kind in ("css", "js")]
        assert sorted(linked) == sorted([*own, "/assets/icon.svg"])
        assert not re.search(r"<style|style=|<script>|\son\w+=", files[f"{page}.html"])


def test_the_types_of_the_pages_are_those_of_the_server() -> None:
    done = subprocess.run(
        [sys.executable, "web/make_types.py", "-"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == (WEB / "src" / "view" / "types.ts").read_text(), "run `python web/make_types.py`"


def test_the_lock_file_holds_hashes_and_no_addresses() -> None:
    lock = (WEB / "package-lock.json").read_text()
    assert '"resolved"' not in lock
    assert lock.count('"integrity": "sha512-') > 20


def run(*command: str) -> None:
    done = subprocess.run([str(NODE), *command], cwd=WEB, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


@built
@pytest.mark.slow
def test_the_bundle_is_what_its_source_gives(tmp_path: Path) -> None:
    run("node_modules/vite/bin/vite.js", "build", "--outDir", str(tmp_path / "static"), "--emptyOutDir")
    fresh = {file.name: file.read_bytes() for file in (tmp_path / "static").iterdir()}
    assert fresh == {file.name: file.read_bytes() for file in STATIC.iterdir()}, "run `npm run build` in web/"


@built
@pytest.mark.slow
def test_types_and_tests_of_the_front_end() -> None:
    run("node_modules/typescript/bin/tsc", "--noEmit")
    run("node_modules/vitest/vitest.mjs", "run")
