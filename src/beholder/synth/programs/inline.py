"""Turns functions of the solvers into one script that needs nothing of this package.

`script("jigsaw.arrange")` gives the source of that function, of all functions, classes and constants that it needs, and
the imports of other packages: what a model would write that knew how. Comments and docstrings stay, type annotations
are left out. The same sources give the same text.
"""

from __future__ import annotations

import ast
import builtins
import importlib.util
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

SOLVERS = "beholder.synth.solvers"


class Source(NamedTuple):
    """A module taken apart: the text of each top-level definition by its names, in order, and what it imports.

    `needs` are the names that each definition uses when it runs; `imports` says for a name where it comes from
    (module, name there; an empty name for a module as a whole).
    """

    texts: dict[str, str]
    needs: dict[str, frozenset[str]]
    imports: dict[str, tuple[str, str]]


@lru_cache(maxsize=64)
def script(*entries: str, without: frozenset[str] = frozenset()) -> str:
    """The source of the entries (`module.function`, in `synth/solvers`) and of all that they need.

    The names in `without` are left out: the program that the script becomes part of has its own.
    `ValueError` if an entry does not exist, or two modules mean different things by one name.
    """
    imports: set[str] = set()
    wanted: dict[tuple[str, str], None] = {}
    for entry in entries:
        module, _, name = entry.rpartition(".")
        _collect(f"{SOLVERS}.{module}", name, without, wanted, imports)
    pieces: dict[str, str] = {}
    for module in _in_order(dict.fromkeys(module for module, _ in wanted)):
        source = _source(module)
        for name, text in source.texts.items():
            if (module, name) in wanted and text not in pieces.values():
                if name in pieces:
                    raise ValueError(f"{name} means two things in one script: choose fewer entries")
                pieces[name] = text
    return re.sub("\n{4,}", "\n\n\n", "\n".join([*sorted(imports), "", *pieces.values()]))


def _collect(
    module: str, name: str, without: frozenset[str], wanted: dict[tuple[str, str], None], imports: set[str]
) -> None:
    if (module, name) in wanted:
        return
    source = _source(module)
    if name not in source.texts:
        raise ValueError(f"there is no {name} in {module}")
    wanted[module, name] = None
    for needed in sorted(source.needs[name]):
        if needed in without:
            continue
        if needed in source.texts:
            _collect(module, needed, without, wanted, imports)
        elif needed in source.imports:
            origin, there = source.imports[needed]
            if origin.startswith("beholder."):
                _collect(origin, there, without, wanted, imports)
            else:
                imports.add(_import_line(origin, there, needed))


def _import_line(origin: str, there: str, name: str) -> str:
    if not there:
        return f"import {origin}" if origin == name else f"import {origin} as {name}"
    return f"from {origin} import {there}" + (f" as {name}" if there != name else "")


def _in_order(modules: Iterable[str]) -> list[str]:
    """The modules, those that others import first."""
    done: list[str] = []

    def visit(module: str) -> None:
        for origin, _ in _source(module).imports.values():
            if origin in remaining and origin != module:
                visit(origin)
        if module not in done:
            done.append(module)

    remaining = list(modules)
    for module in remaining:
        visit(module)
    return done


@lru_cache(maxsize=64)
def _source(module: str) -> Source:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ValueError(f"there is no module {module}")
    lines = Path(spec.origin).read_bytes().splitlines(keepends=True)
    texts: dict[str, str] = {}
    needs: dict[str, frozenset[str]] = {}
    imports: dict[str, tuple[str, str]] = {}
    for node in ast.parse(b"".join(lines)).body:
        if isinstance(node, ast.Import):
            imports |= {alias.asname or alias.name: (alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imports |= {alias.asname or alias.name: (node.module or "", alias.name) for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign):
            names = list(_defined(node))
            # All names of one assignment share its text, kept under the first.
            for name in names:
                texts[name] = _without_annotations(node, lines)
                needs[name] = frozenset(_used(node)) - {name} - set(dir(builtins))
    return Source(texts, needs, imports)


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            yield from (part.id for part in ast.walk(target) if isinstance(part, ast.Name))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id


def _annotations(node: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """Each annotation under a node, and whether a class needs that there be one."""
    fields: set[int] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.ClassDef):
            fields |= {id(field) for field in part.body}
        if isinstance(part, ast.arg) and part.annotation is not None:
            yield part.annotation, False
        elif isinstance(part, ast.FunctionDef) and part.returns is not None:
            yield part.returns, False
        elif isinstance(part, ast.AnnAssign):
            yield part.annotation, id(part) in fields


def _used(node: ast.stmt) -> Iterator[str]:
    """The names that a definition uses, those in annotations left out."""
    left_out = {id(name) for annotation, _ in _annotations(node) for name in ast.walk(annotation)}
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and id(part) not in left_out:
            yield part.id


def _without_annotations(node: ast.stmt, lines: list[bytes]) -> str:
    """The definition's source with its decorators and without its annotations; a class keeps `object` for each."""
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    text = b"".join(lines)
    begin, end = starts[first - 1], starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
    cuts: dict[int, tuple[int, bytes]] = {}
    for annotation, needed in _annotations(node):
        left = starts[annotation.lineno - 1] + annotation.col_offset
        right = starts[(annotation.end_lineno or 0) - 1] + (annotation.end_col_offset or 0)
        if needed:
            cuts.setdefault(left, (right, b"object"))
            continue
        # What leads up to it: `: ` of an argument, ` -> ` of a function.
        before = text[:left].rstrip()
        arrow = before.endswith(b"->")
        before = before[: -2 if arrow else -1].rstrip()
        if len(before) not in cuts:
            cuts[len(before)] = (right, b"")
    pieces, at = [], begin
    for left, (right, instead) in sorted(cuts.items()):
        if left >= at:
            pieces += [text[at:left], instead]
            at = right
    pieces.append(text[at:end])
    blank = "\n" if isinstance(node, ast.FunctionDef | ast.ClassDef) else ""
    return f"{blank}{b''.join(pieces).decode()}\n{blank}"
