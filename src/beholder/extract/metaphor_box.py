"""The box of a piece of evidence: four numbers, in whatever way they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from beholder.annotation import Box
from beholder.extract.metaphor_words import slot_words

BOX_NOT_SHARE, BOX_UNREAD, REPAIRED = "box_not_share", "box_unread", "repaired"

_CORNERS = (
    ("x1", "y1", "x2", "y2"),
    ("left", "top", "right", "bottom"),
    ("xmin", "ymin", "xmax", "ymax"),
    ("x_min", "y_min", "x_max", "y_max"),
    ("x0", "y0", "x1", "y1"),
    ("左", "上", "右", "下"),
)
_SIZED = (("x", "y", "width", "height"), ("x", "y", "w", "h"), ("left", "top", "width", "height"))
_NUMBER = re.compile(r"-?[0-9]{1,20}(?:\.[0-9]{1,20})?(?![0-9%])")
_BOX_TEXT = re.compile(
    r"\W{0,4}(?:box\W{1,3}|bbox\W{1,3})?[\[(<{]{0,2}\s{0,3}"
    + r"\s{0,3}[,，;]\s{0,3}".join([f"({_NUMBER.pattern})"] * 4)
    + r"\s{0,3}[\])>}]{0,2}(?:</?box>)?\W{0,3}",
    re.IGNORECASE,
)


def read_box(written: Any) -> tuple[Box | None, tuple[str, ...]]:
    """Left, top, right, bottom as they are written, not rescaled, and flags; None with a flag if that is no one box.

    >>> read_box([0.1, 0.2, 0.5, 0.9]), read_box({"x1": 10, "y1": 20, "x2": 50, "y2": 90})
    (((0.1, 0.2, 0.5, 0.9), ()), ((10.0, 20.0, 50.0, 90.0), ('box_not_share',)))
    """
    if written is None or (isinstance(written, str) and slot_words(written) is None):
        return None, ()
    numbers = list(_numbers(written))
    if len(numbers) != 4 or any(abs(number) > 1e15 for number in numbers):
        return None, (BOX_UNREAD,)
    left, top, right, bottom = (float(number) for number in numbers)
    flags = (REPAIRED,) if isinstance(written, str) else ()
    return (left, top, right, bottom), (*flags, BOX_NOT_SHARE) if max(numbers) > 1 else flags


def _numbers(written: Any) -> Iterator[float]:
    """The numbers of a box, in its order; more or fewer than four if it is none."""
    if isinstance(written, str):
        match = _BOX_TEXT.fullmatch(written) if len(written) < 200 else None
        yield from (float(number) for number in match.groups()) if match else ()
    elif isinstance(written, dict):
        named = {name.strip().lower(): value for name, value in written.items()}
        sized = next((keys for keys in _SIZED if all(key in named for key in keys)), ())
        corners = next((keys for keys in _CORNERS if all(key in named for key in keys)), ())
        values = list(_plain([named[key] for key in corners or sized]))
        if sized and not corners and len(values) == 4:
            values[2:] = [values[0] + values[2], values[1] + values[3]]
        yield from values
    elif isinstance(written, list):
        yield from _plain(written[0] if len(written) == 1 and isinstance(written[0], list) else written)


def _plain(values: list[Any]) -> Iterator[float]:
    """The numbers of a list; nothing if another thing stands in it."""
    made = [float(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else value for value in values]
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in made):
        yield from made
