"""The rules of the house: imports respect the floors, names and sizes stay in bounds, nothing heavy at import."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "beholder"

FLOORS = [
    {"__init__", "annotation", "errors", "sample", "score", "seeds", "trajectory"},
    {"images", "extract", "metrics"},
    {"benchmarks", "synth", "models", "sandbox"},
    {"tools", "judges"},
    {"store", "engine"},
    {"report", "audit", "experiments", "annotate", "peers", "viewer"},
    {"web"},
    {"cli", "__main__"},
]
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
PURE = ("extract", "metrics")
IMPURE_MODULES = {
    "os",
    "io",
    "pathlib",
    "socket",
    "time",
    "datetime",
    "random",
    "secrets",
    "subprocess",
    "asyncio",
    "logging",
    "urllib",
    "aiohttp",
    "sqlite3",
    "tempfile",
    "shutil",
    "threading",
}
FILES = sorted(SOURCE.rglob("*.py"))


def room_of(file: Path) -> str:
    first = file.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def imports(file: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno} imports relatively"
            yield node.lineno, node.module or ""
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def test_every_room_is_on_a_floor() -> None:
    assert {room_of(file) for file in FILES} <= set(FLOOR)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_a_file_imports_only_from_its_own_floor_or_below(file: Path) -> None:
    own = FLOOR[room_of(file)]
    for line, name in imports(file):
        parts = name.split(".")
        if parts[0] == "beholder" and len(parts) > 1 and parts[1] in FLOOR:
            assert FLOOR[parts[1]] <= own, f"{file.relative_to(ROOT)}:{line} imports {name} from a floor above"


def is_pure_by_law(file: Path) -> bool:
    in_benchmark = room_of(file) == "benchmarks" and file.name in ("official.py", "score.py")
    return room_of(file) in PURE or in_benchmark


@pytest.mark.parametrize("file", list(filter(is_pure_by_law, FILES)), ids=lambda file: str(file.relative_to(SOURCE)))
def test_scorers_extractors_and_metrics_are_pure(file: Path) -> None:
    reached = {name.split(".")[0] for _, name in imports(file)} & IMPURE_MODULES
    assert not reached, f"{file.relative_to(ROOT)} must be pure but imports {sorted(reached)}"
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not calls & {"open", "print", "input", "eval", "exec"}


def test_no_file_is_longer_than_400_lines() -> None:
    long = [str(file.relative_to(ROOT)) for file in FILES if len(file.read_text().splitlines()) > 400]
    assert long == []


def test_no_two_test_files_have_the_same_name() -> None:
    """pytest imports them by their names alone."""
    names = [file.name for file in (ROOT / "tests").rglob("*.py") if file.name != "conftest.py"]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_no_drawer_for_odds_and_ends() -> None:
    names = {file.stem for file in FILES} | {file.parent.name for file in FILES}
    assert not names & {"utils", "util", "common", "helpers", "helper", "misc", "base", "core"}


def test_no_error_is_swallowed_whole() -> None:
    swallowing = re.compile(r"except( Exception| BaseException)?:\s*(pass|continue|\.\.\.)\s*$", re.MULTILINE)
    assert [str(file) for file in FILES if swallowing.search(file.read_text())] == []


def loaded_by(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after running the code."""
    program = f"{code}\nimport sys\nprint(','.join({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.strip().split(","))


LIGHT = [
    "import beholder",
    "import beholder.benchmarks, beholder.models",
    "import beholder.cli.main",
    "import beholder.sample, beholder.score, beholder.errors, beholder.seeds",
]


@pytest.mark.parametrize("code", LIGHT)
def test_nothing_heavy_at_import(code: str) -> None:
    assert not loaded_by(code) & {"numpy", "torch", "PIL", "aiohttp", "pyarrow", "scipy", "sqlite3"}


def test_every_listed_benchmark_is_there_under_its_name() -> None:
    from beholder.benchmarks import BENCHMARKS, benchmark

    for name in BENCHMARKS:
        found = benchmark(name)
        assert found.name == name
        assert found.headline[0] in found.scorers
        assert (SOURCE / "benchmarks" / name.replace("-", "_") / "CARD.md").is_file()


def test_exported_version_is_the_packages() -> None:
    from importlib import metadata

    import beholder

    assert beholder.__version__ == metadata.version("beholder")


PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    (ROOT / "docs").rglob("*.md")
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_in_the_documentation_leads_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text())
    missing = [target for target in targets if ":" not in target and not (page.parent / target).exists()]
    assert missing == []


FORBIDDEN = re.compile(
    r"/work/|/root/|\bpypi\.org|registry\.npmjs|files\.pythonhosted|--index-url|find-links=", re.IGNORECASE
)


def test_nothing_names_a_machine_path_or_a_registry() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    files = [
        ROOT / name for name in listed if not name.endswith((".jpg", ".png", ".svg")) and name != "tests/test_house.py"
    ]
    found = [str(file.relative_to(ROOT)) for file in files if FORBIDDEN.search(file.read_text(errors="replace"))]
    assert found == []
