"""Tool calls written in the text of a message, for models without native tool calls.

A call is a tag: `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, or `<code>` with Python in it. Everything here
is pure, and linear in the length of the text.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Sequence

import msgspec

from beholder.extract.think import visible_stretches
from beholder.sample import ToolCall, ToolSpec
from beholder.trajectory import CallOutcome, Observation

PYTHON = "python"
"""The name of the tool that `<code>` calls, with the arguments `{"code": …}`."""

MOST_CALLS = 128
"""Calls that are read from one message, as from one with native calls; the others are dropped."""

_LONGEST_NAME = 64
_LOOK_BACK = 200
_TAG = re.compile(r"<(?P<close>/)?(?P<kind>tool_call|code)\s{0,4}>", re.IGNORECASE)
_LABEL = r"[^\S\n]{0,9}[A-Za-z0-9_.+-]{0,20}[^\S\n]{0,9}\n|[^\S\n]{0,9}(?:python3?|py3?|json)\b"
_FENCE_OPENS = re.compile(rf"\s*```(?:{_LABEL})?", re.IGNORECASE)
_LATER_FENCE = re.compile(r"^[^\S\n]{0,20}```[^\n`]*\n", re.MULTILINE)
_FENCE_CLOSES = re.compile(r"^[^\S\n]{0,20}```|```[^\S\n]{0,20}(?=\n|\Z)", re.MULTILINE)
_BEGINS_JSON = re.compile(r"\s*(?:```|[\[{])")
_HARMLESS_REST = re.compile(r"[\s\"'`}\]),]*\Z")
_NAME = re.compile(rf"[\"']name[\"']\s{{0,9}}:\s{{0,9}}[\"']([^\"'\\\n]{{1,{_LONGEST_NAME}}})[\"']")
_SPACE = re.compile(r"\s*")
# Raw line breaks in strings are let through (`arguments` mends them and says so); numbers are not looked at.
_DECODER = json.JSONDecoder(strict=False, parse_int=len, parse_float=len)
_OUTCOME_WORDS = {
    CallOutcome.EXECUTED: "",
    CallOutcome.MALFORMED: ", not run: malformed",
    CallOutcome.UNKNOWN_TOOL: ", not run: there is no such tool",
    CallOutcome.ERROR: ", failed",
    CallOutcome.STOPPED: ", stopped at a limit",
    CallOutcome.NOT_RUN: ", not run",
    CallOutcome.BROKEN: ", could not be run (a fault of the tool, not of the call)",
}


class _Block(msgspec.Struct, frozen=True):
    """A tag with what stands in it. `start` and `end` enclose all of it in the text, `body` is what is inside."""

    start: int
    end: int
    kind: str
    body: str
    closed: bool
    begins_line: bool


def instructions(specs: Sequence[ToolSpec]) -> str:
    """What a model without native tool calls has to be told, for the tools in `specs`; empty if there are none."""
    if not specs:
        return ""
    lines = ["You can use tools while you work on the question."]
    for spec in specs:
        schema = json.dumps(spec.parameters, ensure_ascii=False, sort_keys=True)
        lines += ["", f"Tool {spec.name}: {spec.description.strip()}", f"Arguments (JSON Schema): {schema}"]
    lines += [
        "",
        "To call a tool, write one JSON object in a tag, and end your message there:",
        '<tool_call>{"name": "the tool", "arguments": {"argument": "value"}}</tool_call>',
    ]
    if any(spec.name == PYTHON for spec in specs):
        lines += [
            f"Python code for the tool {PYTHON} may also be written as it is:",
            "<code>",
            "```python",
            "print(1 + 1)",
            "```",
            "</code>",
        ]
    lines += [
        "",
        "The result, with any new picture, comes in the next message. You may call tools again after it.",
        "When you know the answer, write it in the form that the question asks for, in a message without any call.",
    ]
    return "\n".join(lines)


def read_calls(text: str, number: int = 1) -> tuple[str, tuple[ToolCall, ...]]:
    """(the text without its calls, the calls in their order). Never raises; linear in the length of the text.

    Ids are `call_N`, counted from `number`. Calls count wherever they stand outside of thinking blocks: in those nobody
    is asked to do anything; they stay in the text. At most `MOST_CALLS` are read. Understood are fences in the tags or
    none, a last tag that is not closed (a stop sequence often eats the closing one), several objects or a list in one
    tag, and `parameters` for `arguments`. `<code>` without a fence has to begin a line, and a tag in quotes or
    backticks is only spoken of. The arguments are the text as it was written; where no JSON object can be read, the
    call has the name that can be made out, or none, and all that is there as its arguments, so that whoever runs it
    says so.

    >>> read_calls('I turn it. <tool_call>{"name": "rotate", "arguments": {"degrees": 90}}</tool_call>')
    ('I turn it.', (ToolCall(id='call_1', name='rotate', arguments='{"degrees": 90}'),))
    """
    calls: list[tuple[str, str]] = []
    left: list[str] = []
    at = 0
    for start, end in visible_stretches(text):
        for block in _blocks(text[start:end]):
            found, length = _code_call(block) if block.kind == "code" else _json_calls(block.body)
            calls += found
            left.append(text[at : start + block.start])
            at = start + (block.end if block.closed else block.end - len(block.body) + length)
    left.append(text[at:])
    numbered = enumerate(calls[:MOST_CALLS], start=number)
    return "".join(left).strip(), tuple(ToolCall(f"call_{place}", *one) for place, one in numbered)


def observation_text(observations: Sequence[Observation]) -> str:
    """How the results of a turn's calls are told in the next user message: a plain block for each, in their order."""
    blocks = []
    for one in observations:
        name = " ".join(one.call.name[:_LONGEST_NAME].split()) or "no tool"
        head = f"Result of {one.call.id} ({name}){_OUTCOME_WORDS[one.outcome]}:"
        blocks.append(f"{head}\n{one.text.strip() or '(no output)'}")
    return "\n\n".join(blocks)


def _blocks(text: str) -> list[_Block]:
    """The tags that are calls, in order. A tag that is not closed ends before the next one that begins a line."""
    found: list[_Block] = []
    opener: re.Match[str] | None = None
    for tag in _TAG.finditer(text):
        if opener is None:
            opener = None if tag["close"] or _is_quoted(text, tag.start()) else tag
        elif tag["close"] and tag["kind"].lower() == opener["kind"].lower():
            found.append(_block(text, opener, tag.start(), tag.end()))
            opener = None
        elif not tag["close"] and (_begins_line(text, tag.start()) or _follows_an_object(text, tag)):
            found.append(_block(text, opener, tag.start(), tag.start()))
            opener = tag
    if opener is not None:
        found.append(_block(text, opener, len(text), len(text)))
    return [block for block in found if _is_call(block)]


def _block(text: str, opener: re.Match[str], body_end: int, end: int) -> _Block:
    return _Block(
        start=opener.start(),
        end=end,
        kind=opener["kind"].lower(),
        body=text[opener.end() : body_end],
        closed=end > body_end,
        begins_line=_begins_line(text, opener.start()),
    )


def _begins_line(text: str, at: int) -> bool:
    before = text[max(0, at - _LOOK_BACK) : at]
    line = before.rpartition("\n")[2]
    return not line.strip() and (len(line) < len(before) or at <= _LOOK_BACK)


def _is_quoted(text: str, at: int) -> bool:
    return at > 0 and text[at - 1] in "\"'`“‘" and text[max(0, at - 3) : at] != "```"


def _follows_an_object(text: str, tag: re.Match[str]) -> bool:
    return tag["kind"].lower() == "tool_call" and text[max(0, tag.start() - 3) : tag.start()].rstrip().endswith("}")


def _is_call(block: _Block) -> bool:
    """Whether a tag is a call and not only spoken of."""
    if block.begins_line:
        return True
    if block.kind == "code":
        return block.body.lstrip().startswith("```")
    return _BEGINS_JSON.match(block.body) is not None or (block.closed and bool(block.body.strip()))


def _code_call(block: _Block) -> tuple[list[tuple[str, str]], int]:
    """The call of the Python tool in a `<code>` tag, and how much of the body it takes up."""
    body = block.body
    pieces, at, end = [], 0, len(body)
    opener = _FENCE_OPENS.match(body)
    while opener is not None:
        closer = _FENCE_CLOSES.search(body, opener.end())
        pieces.append(body[opener.end() : closer.start() if closer else len(body)])
        at = end = closer.end() if closer else len(body)
        # In a tag that was never closed, what follows its first fence is talk.
        opener = _LATER_FENCE.search(body, at) if block.closed and closer else None
    code = "\n".join(_unindented(piece.strip("\r\n")) for piece in pieces or [body])
    return [(PYTHON, json.dumps({"code": code.rstrip()}))], end


def _unindented(code: str) -> str:
    """Code that stood in a list, at the margin; other code stays as it was written, blank lines and all."""
    return textwrap.dedent(code) if code[:1].isspace() else code


def _json_calls(body: str) -> tuple[list[tuple[str, str]], int]:
    """(name, arguments) of each call in a `<tool_call>` tag, and how much of the body they take up."""
    fence = _FENCE_OPENS.match(body)
    at = _skip(body, fence.end() if fence else 0)
    if body.startswith("[", at):
        at = _skip(body, at + 1)
    found: list[tuple[str, str]] = []
    while body.startswith("{", at):
        one, end = _one_call(body, at)
        if one is None:
            break
        found.append(one)
        at = _skip(body, end)
        if body.startswith(",", at):
            at = _skip(body, at + 1)
    if found and not body.startswith("{", at):
        return found, len(body) if _HARMLESS_REST.match(body, at) else at
    rest = body[at:] if found else body
    name = _NAME.search(rest)
    return [*found, (name[1] if name else "", rest.strip())], len(body)


def _one_call(body: str, at: int) -> tuple[tuple[str, str] | None, int]:
    """The call in the object that begins at `at`, None if it is none, and where it ends.

    Only the members of the object are taken apart, so that each keeps the text that the model wrote.
    """
    members: dict[str, str] = {}
    at += 1
    try:
        while not body.startswith("}", at := _skip(body, at)):
            key, at = _DECODER.raw_decode(body, at)
            at = _skip(body, at)
            if not isinstance(key, str) or key in members or not body.startswith(":", at):
                return None, at
            start = _skip(body, at + 1)
            value, at = _DECODER.raw_decode(body, start)
            if key == "name" and not isinstance(value, str):
                return None, at
            members[key] = value if key == "name" else body[start:at]
            at = _skip(body, at)
            if body.startswith(",", at):
                at += 1
            elif not body.startswith("}", at):
                if not _HARMLESS_REST.match(body, at):
                    return None, at
                break  # the last bracket was forgotten
    except (ValueError, RecursionError):
        return None, at
    if not members.get("name"):
        return None, at
    arguments = members.get("arguments", members.get("parameters", "{}"))
    return (members["name"], arguments), min(at + 1, len(body))


def _skip(body: str, at: int) -> int:
    space = _SPACE.match(body, at)
    return space.end() if space else at
