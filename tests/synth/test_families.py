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
MODULES = {
    *("__future__", "collections", "collections.abc", "functools", "itertools", "math", "re", "typing"),
    *("numpy", "numpy.typing", "cv2"),
    *("beholder.synth.solvers", "beholder.synth.typefaces", "beholder.synth.silhouettes", "beholder.synth.options"),
    *(f"beholder.synth.solvers.{file.stem}" for file in SOLVER_FILES),
}
FROM_PILLOW = {"Image", "ImageDraw", "ImageFilter"}
READERS = {
    *("open", "imread", "imreadmulti", "VideoCapture", "FileStorage", "load", "loadtxt", "genfromtxt", "fromfile"),
    *("fromregex", "memmap", "open_memmap", "DataSource", "truetype", "import_module", "getsource", "get_objects"),
    *("os", "sys", "io", "modules", "builtins", "importlib", "inspect", "gc", "glob", "subprocess", "pathlib", "Path"),
    *("ctypeslib", "npyio", "read_array", "FOLDER", "items", "photographs", "_getframe"),
}
"""Attributes and names that lead to files, or to other modules."""
ESCAPES = {
    *("open", "eval", "exec", "compile", "getattr", "globals", "locals", "vars", "__import__", "__builtins__"),
    *("__loader__", "__spec__", "__file__", "breakpoint", "input"),
}


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


def reach(code: str) -> list[str]:
    """What in a solver's code reaches beyond the pixels and the question. It stops slips and shortcuts; it is no wall
    against somebody who is out to get round it."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name not in MODULES or "beholder" in alias.name]
        elif isinstance(node, ast.ImportFrom):
            names = {alias.name for alias in node.names}
            if node.level > 0:
                found.append(f"relative import of {node.module}")
            elif node.module == "PIL":
                found += names - FROM_PILLOW
            elif node.module not in MODULES:
                found.append(str(node.module))
            found += names & (READERS | {"*"})
        elif isinstance(node, ast.Attribute):
            dunder = node.attr.startswith("__") and node.attr != "__init__"
            found += [node.attr] if node.attr in READERS - {"items"} or dunder else []
        elif isinstance(node, ast.Name) and node.id in ESCAPES:
            found.append(node.id)
    return found


@pytest.mark.parametrize("file", SOLVER_FILES, ids=lambda file: file.name)
def test_solvers_see_pixels_and_the_question_only(file):
    assert reach(file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "code",
    [
        "from ..items import maze",
        "from . import strokes",
        "from ..photographs import shipped_photos",
        "from beholder.synth.items import maze",
        "from beholder.synth import photographs",
        "from beholder.synth.solvers_of_another import x",
        "from beholder.synth.typefaces import Path",
        "from beholder.synth.solvers.maze import *",
        "import beholder.synth.solvers",
        "import importlib",
        "import sys",
        "import gc",
        "import inspect",
        "import glob",
        "import subprocess",
        "import os.path",
        "import random",
        "from typing import sys",
        "import typing\ntyping.sys.modules",
        "from PIL import Image\nImage.open('a.png')",
        "from PIL import ImageFont",
        "from PIL.Image import open",
        "import numpy as np\nnp.fromfile('a')",
        "import numpy as np\nnp.load('a')",
        "import numpy as np\nnp.lib.format.read_array(f)",
        "import cv2\ncv2.imread('a.png')",
        "from cv2 import imread",
        "open('a.png')",
        "read = open",
        "__import__('os')",
        "getattr(object, 'x')",
        "().__class__",
        "(lambda: 0).__globals__",
        "eval('1')",
    ],
)
def test_what_reaches_further_is_noticed(code):
    assert reach(code)


@pytest.mark.parametrize(
    "code",
    [
        "import numpy as np\nnp.linalg.norm(np.ones(3))",
        "import cv2\ncv2.morphologyEx(x, cv2.MORPH_OPEN, k)",
        "from beholder.synth.solvers import GaveUp, Pixels",
        "from beholder.synth.solvers.strokes import inks",
        "from PIL import Image\nImage.new('L', (1, 1))",
        "{}.items()",
    ],
)
def test_plain_vision_is_let_through(code):
    assert reach(code) == []
