"""What holds of every family: makers and solvers are there, and solvers know nothing but pixels and the question."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from beholder.benchmarks.tir.tasks import TASKS
from beholder.synth import solvers
from beholder.synth.families import ALIASES, FAMILIES, family, items_of, solver_of

SOLVER_FILES = sorted(Path(solvers.__file__).parent.glob("*.py"))
KNOWN_TO_SOLVERS = (
    "beholder.synth.solvers",
    "beholder.synth.typefaces",
    "beholder.synth.silhouettes",
    "beholder.synth.options",
)


def test_families_are_the_tasks_of_tir_bench():
    assert list(FAMILIES) == list(TASKS)
    assert {name: one.title for name, one in FAMILIES.items()} == {name: one.title for name, one in TASKS.items()}


@pytest.mark.parametrize("task", FAMILIES)
def test_maker_and_solver_have_the_agreed_shape(task):
    assert list(inspect.signature(items_of(task).make).parameters) == ["seed", "level", "sources"]
    solver = solver_of(task)
    for name in ("solve", "glance"):
        if hasattr(solver, name):
            assert list(inspect.signature(getattr(solver, name)).parameters) == ["pictures", "prompt"]


@pytest.mark.parametrize("name", ["proportion", "Low-Light", "ROTATION", "maze"])
def test_names_people_use(name):
    assert family(name).task in FAMILIES
    assert set(ALIASES.values()) <= set(FAMILIES)


@pytest.mark.parametrize("file", SOLVER_FILES, ids=lambda file: file.name)
def test_solvers_see_pixels_and_the_question_only(file):
    for node in ast.walk(ast.parse(file.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            assert not name.startswith("beholder") or name.startswith(KNOWN_TO_SOLVERS), f"{file.name} imports {name}"
            assert name.partition(".")[0] not in {"os", "pathlib", "random", "io"}, f"{file.name} imports {name}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "open"
