"""Which picture a call of the Python tool is about, read off its code.

The code is parsed and never run. A picture is used where its name (`image_1`) is read, or a name that earlier code gave
to what was made of it: a variable, a function. Assigning to a name, or defining a function, is no use. Where no name
tells, a text that is the name of a picture does (`globals()["image_1"]`). OUR assumption: the first use tells what
the call is about; what names hold is followed from statement to statement, not through branches, attributes or
arguments.
"""

from __future__ import annotations

import ast
import re

from beholder.sample import ToolCall
from beholder.tools.operations import tree_of

_IMAGE = re.compile(r"image_([1-9]\d{0,8})\Z")
_ANYWHERE = re.compile(r"\bimage_([1-9]\d{0,8})\b")
_LONGEST_READ = 400_000
_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class PicturesInCode:
    """Reads the calls of one conversation in their order: variables last from one to the next."""

    def __init__(self) -> None:
        self._made_of: dict[str, int] = {}

    def used_first(self, call: ToolCall, known: int) -> int | None:
        """The number of the picture that the call uses first, of the `known` ones that are there; None if it uses none.

        Where the code cannot be parsed, the first picture that is named anywhere in it.
        """
        tree = tree_of(call)
        if tree is None:
            named = (int(found[1]) for found in _ANYWHERE.finditer(call.arguments[:_LONGEST_READ]))
            return next((number for number in named if number <= known), None)
        first, quoted = None, None
        for statement in tree.body:
            used = self._used(statement, known)
            if isinstance(statement, _DEFINES):
                self._note(statement.name, used)
                continue
            first = first if first is not None else used
            quoted = quoted if quoted is not None else _quoted(statement, known)
            for name in _assigned(statement):
                self._note(name, used)
        return first if first is not None else quoted

    def _used(self, statement: ast.stmt, known: int) -> int | None:
        read = [node for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
        for node in sorted(read, key=lambda node: (node.lineno, node.col_offset)):
            found = _IMAGE.match(node.id)
            if found is not None and int(found[1]) <= known:
                return int(found[1])
            if node.id in self._made_of:
                return self._made_of[node.id]
        return None

    def _note(self, name: str, made_of: int | None) -> None:
        if made_of is None:
            self._made_of.pop(name, None)
        else:
            self._made_of[name] = made_of


def _quoted(statement: ast.stmt, known: int) -> int | None:
    values = [node.value for node in ast.walk(statement) if isinstance(node, ast.Constant)]
    named = [found for text in values if isinstance(text, str) and (found := _IMAGE.match(text))]
    return next((int(found[1]) for found in named if int(found[1]) <= known), None)


def _assigned(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
