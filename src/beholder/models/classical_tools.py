"""`classical-tools`: a user of tools that is no language model. It shows that the loop, the tools, the sandbox, the
diagnosis and the experiments work, offline.

Its eyes are those of `static`: a glance at a picture shrunk to `GLANCE` pixels. Whatever is better than that has to
come through tools: it turns, brightens and cuts pictures and glances at the new ones, and it writes programs that
compute and print a result, which it reads in the observation (`beholder.synth.programs`). So if observations are
withheld it answers exactly what `static` answers. It keeps no state: a reply follows from the conversation alone.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from beholder.errors import Owner
from beholder.images.load import load, pixels
from beholder.models.classical import ClassicalModel, solved
from beholder.models.model import Prepared, blob_of
from beholder.sample import Ask, Failure, ImagePart, Message, Response, TextPart, ToolCall, content_digest
from beholder.synth.families import FAMILIES

if TYPE_CHECKING:
    from beholder.synth.programs.plan import Brought, Case, Plan, Step, View

MOST_CALLS = 10
"""No plan needs more."""
_OFFERED = re.compile(r"^Tool (\w{1,64}): ", re.MULTILINE)
_WRITTEN = re.compile(r'<tool_call>\{"name": "(\w{1,64})"')
_RESULT = "Result of "
_FAILED = re.compile(r"Error\b|\bGaveUp\b|\b(?:failed|not run|stopped|cannot be (?:run|used))\b", re.IGNORECASE)


class ClassicalToolsModel(ClassicalModel):
    """The tool-using classical solver as a model. Its work is done in threads."""

    def prepare(self, asks: list[Ask]) -> list[Prepared]:
        images = [load(ref) for ref in asks[0].sample.images]
        blobs = tuple(map(blob_of, images, asks[0].sample.images))
        return [Prepared(ask=ask, request_hash=conversation_hash(self.name, ask), blobs=blobs) for ask in asks]

    async def send(self, prepared: Prepared) -> Response:
        return await asyncio.to_thread(self._reply, prepared)

    def _reply(self, prepared: Prepared) -> Response:
        ask = prepared.ask
        try:
            response = reply(ask)
        except Exception as error:  # noqa: BLE001 - the boundary where a solver's fault is classified, once
            said = f"The {self.name} solver broke on this conversation ({type(error).__name__}). Please report it."
            response = Response(failure=Failure(owner=Owner.US, kind="solver", message=said))
        return msgspec.structs.replace(response, request_hash=prepared.request_hash, order=ask.order)


def conversation_hash(name: str, ask: Ask) -> str:
    """Identifies a whole conversation, with the pictures made in it, to a model that runs in this process."""
    said = msgspec.json.encode((ask.messages, ask.tools, ask.sampling))
    made = [ref.data or str(ref.path) for ref in ask.made]
    return content_digest((name, ask.sample.key, ask.epoch, ask.vote, str(ask.order), said, *made)).hex()


def reply(ask: Ask) -> Response:
    """The next message: a call if tools are offered and there is something left to do, else the answer."""
    task = str(ask.sample.metadata.get("task", ""))
    if task not in FAMILIES:
        return _answered(ask, None)
    from beholder.synth.programs.plan import plan_of

    plan = plan_of(task)
    in_text = any(message.role == "system" for message in ask.messages)
    case, brought = read_conversation(ask)
    if not brought and not case.tools:
        return _answered(ask, None)
    if _may_call(ask, in_text) and len(brought) < MOST_CALLS:
        step = _next(plan, case, brought)
        if step is not None:
            return _calling(step, len(brought), in_text)
    return _answered(ask, _conclusion(plan, task, case, brought))


def _answered(ask: Ask, concluded: str | None) -> Response:
    text = concluded if concluded is not None else solved(ask.sample, at_a_glance=True)
    return Response(text=text, finish="stop")


def _next(plan: Plan, case: Case, brought: Sequence[Brought]) -> Step | None:
    """The plan's next step. After a call that failed: a closer look at the picture, once."""
    from beholder.synth.programs.eyes import closer, parts_across

    failed = [place for place, call in enumerate(brought) if _failed(call)]
    if not failed:
        return plan.next_step(case, brought)
    step = closer(case, case.own[0], parts_across(case.own[0]), len(brought) - failed[0] - 1)
    if step is None or len(failed) > 1:
        return None
    return step._replace(said="That failed. I will look at the picture in parts instead.")


def _conclusion(plan: Plan, task: str, case: Case, brought: Sequence[Brought]) -> str | None:
    from beholder.synth.programs.eyes import closer_look, parts_across

    if any(_failed(call) for call in brought):
        return closer_look(task, case, brought, parts_across(case.own[0]))
    return plan.answer(case, brought) if any(call.views or call.text for call in brought) else None


def _failed(call: Brought) -> bool:
    return not call.views and "result: " not in call.text and _FAILED.search(call.text) is not None


def _may_call(ask: Ask, in_text: bool) -> bool:
    """Whether a call is welcome: in the text protocol, not if the last message asks for the answer."""
    if not in_text:
        return bool(ask.tools)
    last = ask.messages[-1]
    return len(ask.messages) <= 2 or _text(last).startswith(_RESULT)


def _calling(step: Step, done: int, in_text: bool) -> Response:
    call = ToolCall(f"call_{done + 1}", step.tool, json.dumps(step.arguments))
    if not in_text:
        return Response(text=step.said, calls=(call,), finish="tool_calls")
    written = json.dumps({"name": step.tool, "arguments": step.arguments})
    return Response(text=f"{step.said}\n<tool_call>{written}</tool_call>", finish="stop")


def read_conversation(ask: Ask) -> tuple[Case, tuple[Brought, ...]]:
    """What is asked, with the tools that are offered or were called; and what each call brought, in order.

    A picture counts as brought if it differs from the item's own, pixel for pixel.
    """
    from beholder.synth.programs.plan import Brought, Case

    own = [_view(ask, place) for place in range(len(ask.sample.images))]
    tools = {tool.name for tool in ask.tools}
    calls: list[tuple[list[str], list[View]]] = []
    users = [message for message in ask.messages if message.role == "user"]
    for message in ask.messages:
        if message.role == "system":
            tools |= set(_OFFERED.findall(_text(message)))
        elif message.role == "assistant":
            called = [call.name for call in message.calls] or _WRITTEN.findall(_text(message))
            tools |= set(called)
            if called:
                calls.append(([], []))
        elif calls:
            calls[-1][0].append(_text(message))
            places = [part.index for part in message.parts if isinstance(part, ImagePart)]
            shown = [_view(ask, place) for place in places if place >= len(own)]
            calls[-1][1].extend(view for view in shown if not any(_same(view, known) for known in own))
    asked = _text(users[0]) if users else ask.sample.question
    case = Case(ask.sample.question, asked, tuple(own), frozenset(tools))
    return case, tuple(Brought("\n".join(texts), tuple(views)) for texts, views in calls)


def _view(ask: Ask, place: int) -> View:
    from beholder.synth.programs.eyes import at_a_glance
    from beholder.synth.programs.plan import View

    picture = pixels(load(ask.pictures[place]))
    return View(at_a_glance(picture), f"image_{place + 1}", picture.size)


def _same(one: View, other: View) -> bool:
    return one.size == other.size and bool((one.picture == other.picture).all())


def _text(message: Message) -> str:
    return "".join(part.text for part in message.parts if isinstance(part, TextPart))
