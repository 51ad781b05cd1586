"""What was sent to a model: from the journal, or (a model that gets no request) made again from the run's template."""

from __future__ import annotations

from typing import Any

import msgspec

from beholder.benchmarks.benchmark import Benchmark
from beholder.engine.plan import Plan
from beholder.errors import DataError, UsageError
from beholder.sample import Ask, Message, Sample, TextPart
from beholder.tools.loop import opening
from beholder.tools.settings import Arm, specs_of


class Sent(msgspec.Struct, frozen=True):
    """A message: who speaks, and its text with pictures and tool calls named in it.

    `journaled` says that it stands so in the journal; else it was made again.
    """

    role: str
    text: str
    journaled: bool = True


def sent_messages(request: Any) -> list[Sent]:
    """The messages of a request as the journal holds it; [] of a wire that names them otherwise, or of none at all.

    A journal may be anybody's: what is no message is passed by.
    """
    if not isinstance(request, dict):
        return []
    messages = request.get("messages")
    found = [Sent("system", _text(request["system"]))] if "system" in request else []
    for message in messages if isinstance(messages, list) else []:
        if isinstance(message, dict):
            calls = message.get("tool_calls")
            named = [_call(call) for call in calls] if isinstance(calls, list) else []
            text = "\n".join(filter(None, (_text(message.get("content")), *named)))
            found.append(Sent(str(message.get("role")), text))
    return found


def made_again(sample: Sample, order: tuple[int, ...], plan: Plan, found: Benchmark) -> list[Sent]:
    """What the model was asked first, by the run's template; [] where that cannot be made (a replay, another's prompt).

    Reads nothing but what is given: a run.json may be anybody's, and names files.
    """
    if plan.replay is not None:
        return []
    try:
        ask = Ask(sample=sample, messages=(Message("user", found.prompt(sample, plan.template, order)),), order=order)
        if plan.tools is not None and plan.tools.arm is not Arm.PROVIDER:
            ask = opening(ask, plan.tools, specs_of(plan.tools))
    except (DataError, UsageError, ArithmeticError, AssertionError, LookupError, TypeError, ValueError):
        return []
    return [written(message) for message in ask.messages]


def written(message: Message) -> Sent:
    """A message of ours in words."""
    parts = (part.text if isinstance(part, TextPart) else f"[image {part.index + 1}]\n" for part in message.parts)
    return Sent(message.role, "".join(parts), journaled=False)


def _text(content: Any) -> str:
    """The content of a message: text, or parts of it as the chat wire and Anthropic's name them."""
    if content is None:
        return ""
    if not isinstance(content, list):
        return str(content)
    return "".join(_part(part) for part in content if isinstance(part, dict))


def _part(part: dict[str, Any]) -> str:
    kind = part.get("type")
    if kind == "text":
        return str(part.get("text", ""))
    if kind in ("image_url", "image"):
        place = part.get("image_url") or part.get("source")
        named = (place.get("url") or place.get("data")) if isinstance(place, dict) else place
        return f"[image {named}]\n"
    if kind == "tool_use":
        return f"[calls {part.get('name')} {msgspec.json.encode(part.get('input')).decode()}]\n"
    return _text(part.get("content")) + "\n" if kind == "tool_result" else f"[{kind}]\n"


def _call(call: Any) -> str:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return "[calls a tool]"
    return f"[calls {function.get('name')} {function.get('arguments')}]"
