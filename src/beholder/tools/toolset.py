"""The tools of one conversation, put together as the run's settings say."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import PIL.Image

from beholder.sample import ToolSpec
from beholder.tools.settings import ToolSettings, specs_of
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

    async def call(self, name: str, arguments: str, pictures: Sequence[PIL.Image.Image]) -> ToolResult:
        if self._python is not None and name == "python":
            return await self._python.run(arguments, pictures)
        from beholder.tools.visual import call_visual

        return await asyncio.to_thread(call_visual, name, arguments, pictures)

    async def close(self) -> None:
        if self._python is not None:
            await self._python.close()


class PlaceboTools:
    """A control: every call succeeds and brings nothing. Arguments are not looked at, no code is run."""

    def __init__(self, specs: tuple[ToolSpec, ...]) -> None:
        self.specs = specs

    async def call(self, name: str, arguments: str, pictures: Sequence[PIL.Image.Image]) -> ToolResult:
        unchanged = tuple(pictures[:1])
        return ToolResult(text="Done.", pictures=unchanged, outcome=CallOutcome.EXECUTED)

    async def close(self) -> None:
        """Nothing to close."""
