"""The predefined visual tools: pure functions on pictures, by the names that a model calls them by.

`VISUAL_TOOLS` is the table, `visual_specs` is what a model is told of it, and `call_visual` runs one call (the slowest
take a second: run them in a thread). The descriptions are prompts. Results are deterministic, bounded
(`visual_bounds`), and say with numbers what was done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import msgspec
from PIL.Image import Image

from beholder.errors import UsageError
from beholder.sample import ToolSpec
from beholder.tools import reading, visual_geometry, visual_layout, visual_marks, visual_measure, visual_tone
from beholder.tools.arguments import MalformedArguments, read_arguments, schema_of
from beholder.tools.boxes import Refused
from beholder.tools.tool import ToolResult
from beholder.trajectory import CallOutcome


class VisualTool(msgspec.Struct, frozen=True):
    """One tool. `run(arguments, pictures)` raises `Refused` for a call that cannot be carried out.

    `needs` is the module that it imports and `extra` the extra of Beholder that brings it; empty for most.
    """

    spec: ToolSpec
    arguments: type[msgspec.Struct]
    run: Callable[[Any, Sequence[Image]], ToolResult]
    needs: str = ""
    extra: str = ""

    @property
    def missing(self) -> str:
        """One line with the install command if the tool cannot run here, else empty."""
        if not self.needs or find_spec(self.needs) is not None:
            return ""
        return f"The tool {self.spec.name} needs {self.needs}: pip install 'beholder[{self.extra}]'."


def _tool(
    run: Callable[[Any, Sequence[Image]], ToolResult],
    arguments: type[msgspec.Struct],
    description: str,
    needs: str = "",
    extra: str = "",
) -> VisualTool:
    spec = ToolSpec(name=run.__name__, description=description, parameters=schema_of(arguments))
    return VisualTool(spec, arguments, run, needs, extra)


_USUAL = (
    _tool(
        visual_geometry.crop,
        visual_geometry.Crop,
        "Cut a box out of a picture and, with zoom, enlarge it. Use it to look closely at a small part.",
    ),
    _tool(
        visual_geometry.rotate,
        visual_geometry.Rotate,
        "Rotate a whole picture by an angle, clockwise or counterclockwise. The result is larger: no corner is lost.",
    ),
    _tool(
        visual_geometry.flip,
        visual_geometry.Flip,
        "Mirror a picture: swap left and right, or top and bottom.",
    ),
    _tool(
        visual_geometry.resize,
        visual_geometry.Resize,
        "Scale a whole picture to a width or a height (the other side follows), to both, or by a factor.",
    ),
    _tool(
        visual_tone.adjust,
        visual_tone.Adjust,
        "Change brightness, contrast and gamma. Use it on pictures that are too dark, too bright or too flat.",
    ),
    _tool(
        visual_tone.equalize,
        visual_tone.Equalize,
        "Equalize the histogram of a picture: spread its brightness over the whole range to bring out faint things.",
    ),
    _tool(
        visual_tone.threshold,
        visual_tone.Threshold,
        "Turn a picture into black and white: white where it is brighter than a level. Tells the share of white.",
    ),
    _tool(
        visual_tone.edges,
        visual_tone.Edges,
        "Find the edges in a picture (Canny), drawn white on black.",
        "cv2",
        "tools",
    ),
    _tool(
        visual_tone.color_mask,
        visual_tone.ColorMask,
        "Find the pixels of a colour: a mask (white where found), how many they are, their share, and where they lie.",
    ),
    _tool(
        visual_measure.read_pixels,
        visual_measure.ReadPixels,
        f"Read the exact colours of up to {visual_measure.MOST_POINTS} single pixels. Gives text, no picture.",
    ),
    _tool(
        visual_measure.measure,
        visual_measure.Measure,
        "Measure the length between two points, or the angle at the second of three points. Gives text, no picture.",
    ),
    _tool(
        visual_layout.split_grid,
        visual_layout.SplitGrid,
        "Cut a picture into rows and columns of equal tiles; each tile becomes a picture of its own, at most 16.",
    ),
    _tool(
        visual_layout.arrange_tiles,
        visual_layout.ArrangeTiles,
        "Cut one picture into rows and columns of tiles and put them together in another order; "
        "or, with images, put several pictures side by side in a grid.",
    ),
    _tool(
        visual_measure.difference,
        visual_measure.Difference,
        "Compare two pictures of the same size pixel by pixel: shows where they differ and tells how much.",
    ),
    _tool(
        visual_marks.draw,
        visual_marks.Draw,
        "Draw lines and the outlines of boxes on a copy of a picture, to check positions, directions and alignment.",
    ),
)

VISUAL_TOOLS: dict[str, VisualTool] = {tool.spec.name: tool for tool in _USUAL}
"""The tools that every model gets, in the order in which it is told of them."""

OCR = _tool(
    reading.ocr,
    reading.Ocr,
    "Read the text in a picture or in a box of it: each line with its box and a confidence from 0 to 1. "
    "Gives text, no picture.",
    "rapidocr",
    "ocr",
)
"""Reading text is a skill that some benchmarks test, so that this tool has to be asked for."""

_EVERY = VISUAL_TOOLS | {OCR.spec.name: OCR}


def visual_specs(*, ocr: bool = False) -> tuple[ToolSpec, ...]:
    """The tools as a model is told of them, the same on every machine. Raises `UsageError` if an extra is missing."""
    tools = (*VISUAL_TOOLS.values(), OCR) if ocr else tuple(VISUAL_TOOLS.values())
    if missing := [tool.missing for tool in tools if tool.missing]:
        raise UsageError(missing[0])
    return tuple(tool.spec for tool in tools)


def call_visual(name: str, arguments: str, pictures: Sequence[Image]) -> ToolResult:
    """Runs one call. `arguments` is JSON text as the model wrote it; `pictures` are RGB, `image_1` first.

    Whatever the model did comes back as a result: `unknown_tool`, `malformed` arguments, or an `error` that says why. A
    tool whose extra is not installed is `broken`; `visual_specs` tells of that before a run begins.
    """
    tool = _EVERY.get(name)
    if tool is None:
        known = ", ".join(VISUAL_TOOLS)
        return ToolResult(text=f"There is no tool {name[:40]!r}. Tools: {known}.", outcome=CallOutcome.UNKNOWN_TOOL)
    try:
        asked, flags = read_arguments(arguments, tool.arguments)
    except MalformedArguments as error:
        return ToolResult(text=str(error), outcome=CallOutcome.MALFORMED)
    if tool.missing:
        return ToolResult(text=tool.missing, flags=flags, outcome=CallOutcome.BROKEN)
    try:
        result = tool.run(asked, pictures)
    except Refused as refused:
        return ToolResult(text=str(refused), flags=flags + refused.flags, outcome=CallOutcome.ERROR)
    return msgspec.structs.replace(result, flags=flags + result.flags)
