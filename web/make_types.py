"""Writes `web/src/view/types.ts`: the records of `beholder.viewer.*_data` in TypeScript; with `-` prints it."""

from __future__ import annotations

import sys
import types
import typing
from pathlib import Path
from typing import Any

import msgspec

from beholder.viewer import compare_data, run_data, sample_data

TARGET = Path(__file__).resolve().parent / "src" / "view" / "types.ts"
_SIMPLE = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}
PAGES = (
    run_data.RunList,
    run_data.RunPage,
    run_data.Columns,
    run_data.Rows,
    run_data.Places,
    run_data.Changes,
    sample_data.SamplePage,
    compare_data.ComparePage,
    compare_data.Leaderboard,
)
_BITS = ("DISAGREE", "USED_TOOL", "BUDGET", "SPLIT", "FAILED", "MARKED", "CALL_FAILED", "STALE")


def made() -> str:
    """The text of the file."""
    found: dict[type, None] = {}
    for page in PAGES:
        _collect(page, found)
    lines = ["// Made by web/make_types.py from beholder.viewer.*_data: change that, and run it again.", ""]
    for struct in sorted(found, key=lambda one: one.__name__):
        lines.append(f"export interface {struct.__name__} {{")
        for field in msgspec.structs.fields(struct):
            left_out = struct.__struct_config__.omit_defaults and not field.required
            lines.append(f"  {field.name}{'?' if left_out else ''}: {_typescript(field.type)};")
        lines += ["}", ""]
    lines.append(f"export const BUCKETS = {_list(run_data.BUCKETS)} as const;")
    lines.append(f'export const LETTERS = "{run_data.LETTERS}";')
    lines += [f"export const {name} = {getattr(run_data, name)};" for name in _BITS]
    return "\n".join(lines) + "\n"


def _collect(kind: Any, found: dict[type, None]) -> None:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if kind not in found:
            found[kind] = None
            for field in msgspec.structs.fields(kind):
                _collect(field.type, found)
        return
    for part in typing.get_args(kind):
        _collect(part, found)


def _typescript(kind: Any) -> str:
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(_typescript(part) for part in parts)
    if origin is typing.Literal:
        return " | ".join(f'"{part}"' for part in parts)
    if origin is list:
        inner = _typescript(parts[0])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if origin is tuple:
        return f"[{', '.join(map(_typescript, parts))}]"
    if origin is dict:
        return f"Record<string, {_typescript(parts[1])}>"
    return str(kind.__name__)


def _list(words: tuple[str, ...]) -> str:
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"


if __name__ == "__main__":
    if sys.argv[1:] == ["-"]:
        sys.stdout.write(made())
    else:
        TARGET.write_text(made())
