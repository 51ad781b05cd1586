"""The tool `python`: code that the model writes, run in the sandbox, with variables that last for the conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
import PIL.Image

from beholder.sample import ToolSpec
from beholder.sandbox.launch import SandboxBroken
from beholder.sandbox.limits import SandboxLimits
from beholder.sandbox.pool import LOST, SandboxPool
from beholder.sandbox.process import Answer
from beholder.tools.arguments import MalformedArguments, read_arguments, schema_of
from beholder.tools.tool import ToolResult
from beholder.trajectory import CallOutcome


class PythonArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the model gives: one piece of code."""

    code: Annotated[str, msgspec.Meta(min_length=1, description="Python code, any number of lines.")]


def spec_under(limits: SandboxLimits) -> ToolSpec:
    """The tool as the model is told of it, under these limits."""
    return ToolSpec(
        name="python",
        description=(
            "Run Python code. The pictures of this conversation are open as PIL images (RGB): image_1, image_2, and so "
            "on. numpy, PIL, cv2 and matplotlib can be imported. Variables stay for the next call. You get back what "
            "the code prints, the value of its last expression, and every picture that it shows (Image.show, plt.show, "
            "cv2.imshow) or saves as a file in the working folder. There is no network and there are no other files. "
            f"A call may take {limits.call_seconds:g} seconds and show {limits.pictures} pictures."
        ),
        parameters=schema_of(PythonArguments),
    )


class PythonTool:
    """The tool in one conversation. Holds a process of the pool from its first call until it is closed."""

    def __init__(self, pool: SandboxPool) -> None:
        self.spec = spec_under(pool.limits)
        self._pool = pool
        self._conversation = pool.conversation()

    @property
    def waited(self) -> float:
        """Seconds that calls have waited for a process of the pool."""
        return self._conversation.waited

    async def run(self, arguments: str, pictures: Sequence[PIL.Image.Image]) -> ToolResult:
        """Runs one call. Never raises for what the model did; `pictures` are all of the conversation so far."""
        try:
            asked, flags = read_arguments(arguments, PythonArguments)
        except MalformedArguments as error:
            return ToolResult(text=str(error), outcome=CallOutcome.MALFORMED)
        try:
            answer = await self._conversation.call(asked.code, pictures)
        except SandboxBroken as error:
            return ToolResult(text=f"Python cannot be run: {error}.", outcome=CallOutcome.BROKEN)
        return self._told(answer, flags)

    async def close(self) -> None:
        """Ends the process. May be called more than once."""
        await self._conversation.close()

    def _told(self, answer: Answer, flags: tuple[str, ...]) -> ToolResult:
        lines = [answer.text.rstrip("\n")] if answer.text.strip() else []
        if answer.outcome in ("ok", "error"):
            outcome = CallOutcome.EXECUTED if answer.outcome == "ok" else CallOutcome.ERROR
            if not lines and not answer.pictures:
                lines.append("(The code printed nothing and showed no picture.)")
        else:
            outcome = CallOutcome.ERROR if answer.outcome in ("ended", "forged", "stale") else CallOutcome.STOPPED
            lines.append(self._why(answer) + ("" if answer.alive else f" {LOST}"))
        return ToolResult(text="\n".join(lines), pictures=answer.pictures, flags=flags, outcome=outcome)

    def _why(self, answer: Answer) -> str:
        limits = self._pool.limits
        return {
            "time": f"Stopped: the code ran for more than {limits.call_seconds:g} seconds.",
            "memory": f"Stopped: the code needed more memory than the {limits.memory >> 20} MiB that there are.",
            "processes": f"Stopped: the code started more processes and threads than {limits.processes}.",
            "output": f"Stopped: the code printed more than {limits.written_bytes} bytes.",
            "ended": f"The code ended its own Python process ({answer.reason}).",
            "stale": f"The Python process gave no usable answer ({answer.reason}).",
            "forged": f"The Python process gave no usable answer ({answer.reason}).",
        }[answer.outcome]
