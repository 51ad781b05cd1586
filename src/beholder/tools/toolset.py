"""The tools of one conversation, put together as the run's settings say."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import PIL.Image

from beholder.errors import DataError
from beholder.sample import ToolSpec
from beholder.tools.settings import ToolSettings, specs_of
from beholder.tools.text_protocol import PYTHON
from beholder.tools.tool import ToolResult, Toolset
from beholder.trajectory import CallOutcome

if TYPE_CHECKING:
    from beholder.sandbox.pool import SandboxPool
    from beholder.tools.python_tool import PythonTool


def open_toolset(settings: ToolSettings, pool: SandboxPool | None) -> Toolset:
    """A set of tools for one conversation. `pool` gives sandboxes to those that need one."""
    specs = specs_of(settings)
    if settings.placebo:
        return PlaceboTools(specs)
    python = None
    if settings.needs_sandbox:
        from beholder.tools.python_tool import PythonTool

        assert pool is not None, "tools that run code need a pool of sandboxes"
        python = PythonTool(pool)
    return RealTools(specs, python)


class RealTools:
    """The visual tools, run in threads, and the Python tool."""

    def __init__(self, specs: tuple[ToolSpec, ...], python: PythonTool | None) -> None:
        self.specs = specs
        self._python = python

    @property
    def waited(self) -> float:
        return self._python.waited if self._python is not None else 0.0

    async def call(self, name: str, arguments: str, pictures: Sequence[PIL.Image.Image]) -> ToolResult:
        try:
            if self._python is not None and name == PYTHON:
                return await self._python.run(arguments, pictures)
            from beholder.tools.visual import call_visual

            return await asyncio.to_thread(call_visual, name, arguments, pictures)
        except DataError:  # a picture of the sample, not of the tool
            raise
        except Exception as error:  # noqa: BLE001 - the boundary where a tool's fault is classified, once
            told = f"The tool {name} broke ({type(error).__name__}). That is no fault of yours; go on without it."
            return ToolResult(text=told, outcome=CallOutcome.BROKEN)

    async def close(self) -> None:
        if self._python is not None:
            await self._python.close()


class PlaceboTools:
    """A control: every call succeeds and brings nothing. Arguments are not looked at, no code is run."""

    waited = 0.0

    def __init__(self, specs: tuple[ToolSpec, ...]) -> None:
        self.specs = specs

    async def call(self, name: str, arguments: str, pictures: Sequence[PIL.Image.Image]) -> ToolResult:
        unchanged = tuple(pictures[:1])
        return ToolResult(text="Done.", pictures=unchanged, outcome=CallOutcome.EXECUTED)

    async def close(self) -> None:
        """Nothing to close."""
