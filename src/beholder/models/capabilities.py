"""What a wire or a local model can do, declared by each and looked at before the first request."""

from __future__ import annotations

import msgspec

from beholder.errors import UsageError


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What may be sent. What a server behind a common wire really does is its own affair; this is what the wire takes.

    `tools`: calls of its own (without them only `--tool-protocol text` goes). `pictures_in_tool_messages`: a tool's
    answer may hold pictures; others get them in a user's message after it. `most_pictures` in one request, 0: no
    limit known. `system_role`: a system message is taken as such. `seed`, `logprobs`: there is such a setting.
    `longest_side`: the picture limit in pixels, 0: none known. `provider_tools`: the provider runs code of the model
    itself (`--tools provider`).
    """

    tools: bool = False
    pictures_in_tool_messages: bool = False
    most_pictures: int = 0
    system_role: bool = True
    seed: bool = False
    logprobs: bool = False
    longest_side: int = 0
    provider_tools: bool = False


EVERYTHING = Capabilities(tools=True, pictures_in_tool_messages=True, seed=True)
"""Of what answers without a wire: whatever it is asked with, it passes by what it does not use."""


class Needs(msgspec.Struct, frozen=True, kw_only=True):
    """What a plan asks of a model. `pictures` is the most that one item has; those of tools come on top."""

    tools: bool = False
    provider_tools: bool = False
    system_role: bool = False
    seed: bool = False
    pictures: int = 0


def check_needs(name: str, can: Capabilities, needs: Needs) -> list[str]:
    """Sentences about what will not be done as asked; `UsageError` if the plan cannot be carried out at all."""
    if needs.tools and not can.tools:
        raise UsageError(f"{name} takes no tool calls. Use --tool-protocol text, or leave --tools out.")
    if needs.provider_tools and not can.provider_tools:
        raise UsageError(f"{name} has no tools of its provider. --tools provider goes with openai-responses/NAME.")
    if needs.system_role and not can.system_role:
        raise UsageError(f"{name} takes no system message, which --tool-protocol text needs. Choose another model.")
    if can.most_pictures and needs.pictures > can.most_pictures:
        raise UsageError(
            f"{name} takes {can.most_pictures} pictures in a request, and an item of the data has {needs.pictures}. "
            "Leave such items out (--ids), or choose another model."
        )
    if needs.seed and not can.seed:
        return [f"{name} takes no seed: --seed decides what is drawn here, not how it decodes."]
    return []
