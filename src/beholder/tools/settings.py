"""What a run lets a model do besides answering: which tools, told how, within which budgets."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec

from beholder.sample import ToolSpec

_Count = Annotated[int, msgspec.Meta(ge=1, le=10_000)]
_Tokens = Annotated[int, msgspec.Meta(ge=1, le=1 << 40)]


class Arm(StrEnum):
    """Which tools are offered: the predefined visual ones, Python, both, or the turning of pictures alone.

    `PROVIDER` offers none of ours: the provider runs what the model writes itself, and tells of it in its answer.
    """

    VISUAL = "visual"
    PYTHON = "python"
    BOTH = "both"
    ROTATE = "rotate"
    PROVIDER = "provider"


class Protocol(StrEnum):
    """How calls are written: as the wire's own tool calls, or in the text."""

    NATIVE = "native"
    TEXT = "text"


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """Where a conversation ends even without an answer. None: no limit.

    `turns` counts the model's messages, `tokens` those that it wrote (as the server counts them; a server that does not
    count is not limited), `seconds` the time since the question, looked at between turns and calls; waiting for a free
    sandbox does not count. `repeats` is how often the very same call is run; a later turn that asks for it again ends
    the conversation. `malformed` is how many turns in a row may hold nothing but unusable calls. `calls` are run in one
    turn at most, the others are told so. `pictures` is how many pictures that tools made are shown at most: the oldest
    are taken out of the request first.
    """

    turns: _Count = 20
    tokens: _Tokens | None = None
    seconds: Annotated[float, msgspec.Meta(gt=0)] | None = 1800.0
    repeats: _Count = 5
    malformed: _Count = 4
    calls: _Count = 16
    pictures: _Count | None = None


class ToolSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The tools of a run; part of its plan's identity.

    `ocr` adds a tool that reads text to the visual ones; some benchmarks test just that. `probe` asks the model for its
    answer so far after each new picture, out of band. `placebo` lets every call succeed and bring nothing: the text
    says it is done, the picture is the unchanged first one. `sandbox` is where Python runs (see `beholder.sandbox`).
    """

    arm: Arm
    protocol: Protocol = Protocol.NATIVE
    budget: Budget = Budget()
    ocr: bool = False
    probe: bool = False
    placebo: bool = False
    sandbox: str = "bwrap"

    @property
    def needs_sandbox(self) -> bool:
        """Whether code that the model writes is run."""
        return self.arm in (Arm.PYTHON, Arm.BOTH) and not self.placebo


def specs_of(settings: ToolSettings) -> tuple[ToolSpec, ...]:
    """The tools as the model is told of them. `UsageError` where an extra is missing that one of them needs."""
    from beholder.tools.visual import VISUAL_TOOLS, visual_specs

    if settings.arm is Arm.ROTATE:
        return (VISUAL_TOOLS["rotate"].spec,)
    specs: list[ToolSpec] = []
    if settings.arm in (Arm.VISUAL, Arm.BOTH):
        specs += visual_specs(ocr=settings.ocr)
    if settings.arm in (Arm.PYTHON, Arm.BOTH):
        from beholder.sandbox.limits import SandboxLimits
        from beholder.tools.python_tool import spec_under

        specs.append(spec_under(SandboxLimits()))
    return tuple(specs)
