"""What OpenAI's code interpreter did inside one answer, read out of the reply: pure.

Pictures stand in the reply itself (data URLs) or lie as files in the provider's container. Those files are gone within
the hour, so that they are fetched with the answer and kept in its body, under a name of ours. Nothing is ever fetched
from an address that a reply names: an address counts only as the name of a file under the base URL.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec

from beholder.images.header import EXTENSIONS
from beholder.models.address import split_url
from beholder.models.provider_work import ProviderCall, ProviderTurn, ProviderWork
from beholder.models.responses_reply import CODE, Item, decoded, items_of, reasoning_in, said_in, stretches
from beholder.sample import ToolCall
from beholder.trajectory import CallOutcome

MOST_FILES = 16
"""Files that are fetched for one answer."""

_FETCHED = "beholder_fetched"
_MOST_ITEMS = 2_000
_MOST_PICTURES = 32
_LONGEST_TEXT = 100_000
_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_FILE_PATH = re.compile(r"/containers/([A-Za-z0-9_-]{1,128})/files/([A-Za-z0-9_-]{1,128})/content")
_DATA_URL = re.compile(r"data:image/[a-z.+-]{1,40};base64,", re.IGNORECASE)
_TRACEBACK = re.compile(r"^(?:\w+ {2,})?Traceback \(most recent call last\)", re.MULTILINE)
"""As Python prints it, and as notebooks do: behind the name of the error, at the right margin."""
_OUTCOMES = {"completed": CallOutcome.EXECUTED, "failed": CallOutcome.ERROR}


class File(msgspec.Struct, frozen=True):
    """A file in one of the provider's containers, by its ids."""

    container: str
    file: str

    @property
    def place(self) -> str:
        """Its name among the files that were fetched."""
        return f"{self.container}/{self.file}"


_Picture = bytes | File | str
"""A picture's bytes, the file that holds it, or why it is not to be had."""


def files_wanted(reply: bytes, base_url: str) -> list[File]:
    """The files that hold pictures of an answer, each once, at most `MOST_FILES`."""
    pictures = _pictures(items_of(decoded(reply))[:_MOST_ITEMS], base_url)
    files = [one for found in pictures.values() for one in found if isinstance(one, File)]
    return list(dict.fromkeys(files))[:MOST_FILES]


def with_files(reply: bytes, files: Mapping[File, bytes | str]) -> bytes:
    """The reply with the files that were fetched for it; text says why there is none. The rest of it is unchanged."""
    if not files:
        return reply
    told = {
        file.place: {"failed": data} if isinstance(data, str) else {"data": base64.b64encode(data).decode()}
        for file, data in files.items()
    }
    return reply.rstrip().removesuffix(b"}") + b',"' + _FETCHED.encode() + b'":' + msgspec.json.encode(told) + b"}"


def work_in(raw: bytes, base_url: str) -> ProviderWork:
    """The turns of an answer: each is what the model thought and said, and the calls that followed."""
    reply = decoded(raw)
    items = items_of(reply)[:_MOST_ITEMS]
    fetched = reply.get(_FETCHED)
    pictures = _pictures(items, base_url)
    seen: set[bytes] = set()
    turns, place = [], 0
    for part in stretches(items):
        calls = []
        for item in part:
            if item.get("type") == CODE:
                calls.append(_call(item, pictures[place], fetched if isinstance(fetched, dict) else {}, seen))
            place += 1
        turns.append(ProviderTurn(text=said_in(part)[0], reasoning=reasoning_in(part), calls=tuple(calls)))
    return ProviderWork(tuple(turns))


def _call(item: Item, pictures: Sequence[_Picture], fetched: Mapping[str, Any], seen: set[bytes]) -> ProviderCall:
    logs = "\n".join(_outputs(item, "logs", "logs")).rstrip("\n")
    outcome = _OUTCOMES.get(str(item.get("status")), CallOutcome.STOPPED)
    if outcome is CallOutcome.EXECUTED and _TRACEBACK.search(logs):
        outcome = CallOutcome.ERROR  # OUR reading: a program that raised was run, and is called completed
    told = [logs if len(logs) <= _LONGEST_TEXT else f"{logs[:_LONGEST_TEXT]}\n[{len(logs):,} characters in all]"]
    kept: list[bytes] = []
    for one in pictures[:_MOST_PICTURES]:
        found = _had(one, fetched) if isinstance(one, File) else one
        if isinstance(found, str):
            told.append(f"[{found}]")
        elif found not in seen:  # a file that is cited is often one of the pictures that were shown
            seen.add(found)
            kept.append(found)
    if len(pictures) > _MOST_PICTURES:
        told.append(f"[Not kept: {len(pictures) - _MOST_PICTURES} more pictures of this call.]")
    code = item.get("code")
    arguments = json.dumps({"code": code if isinstance(code, str) else ""}, ensure_ascii=False)
    identity = item.get("id")
    return ProviderCall(
        call=ToolCall(identity if isinstance(identity, str) else "", "python", arguments),
        outcome=outcome,
        text="\n".join(filter(None, told)),
        pictures=tuple(kept),
    )


def _had(file: File, fetched: Mapping[str, Any]) -> bytes | str:
    found = fetched.get(file.place)
    if not isinstance(found, dict):
        return f"A picture is missing: at most {MOST_FILES} files are fetched for an answer."
    if not isinstance(found.get("data"), str):
        return f"A picture could not be fetched: {str(found.get('failed'))[:300]}"
    return _unpacked(found["data"])


def _pictures(items: Sequence[Item], base_url: str) -> dict[int, list[_Picture]]:
    """The pictures of each call, by the call's place among the items.

    A file that a message cites belongs to the last call before it in the same container.
    """
    found: dict[int, list[_Picture]] = {}
    last: dict[Any, int] = {}
    for place, item in enumerate(items):
        if item.get("type") == CODE:
            last[str(item.get("container_id"))] = place
            found[place] = [_at(url, base_url) for url in _outputs(item, "image", "url")]
        for cited in _citations(item):
            whose = last.get(str(cited.get("container_id")))
            if whose is not None:
                found[whose].append(_cited(cited))
    return found


def _outputs(item: Item, kind: str, field: str) -> list[str]:
    outputs = item.get("outputs")
    return [
        one[field]
        for one in (outputs if isinstance(outputs, list) else ())
        if isinstance(one, dict) and one.get("type") == kind and isinstance(one.get(field), str)
    ]


def _citations(item: Item) -> list[Item]:
    content = item.get("content") if item.get("type") == "message" else None
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    lists = [part["annotations"] for part in parts if isinstance(part.get("annotations"), list)]
    cited = [one for given in lists for one in given if isinstance(one, dict)]
    return [one for one in cited if one.get("type") == "container_file_citation"]


def _cited(cited: Item) -> File | str:
    container, file, name = (str(cited.get(field, "")) for field in ("container_id", "file_id", "filename"))
    if not (_ID.fullmatch(container) and _ID.fullmatch(file)):
        return "A file is not fetched: its name is none."
    if name.rpartition(".")[2].lower() not in EXTENSIONS:
        return f"The file {name[:100]} is not fetched: it is no picture."
    return File(container, file)


def _at(url: str, base_url: str) -> _Picture:
    """The picture at an address: in it, or the file under the base URL that it names."""
    start = _DATA_URL.match(url)
    if start is not None:
        return _unpacked(url[start.end() :])
    base = split_url(base_url)
    try:
        parts = urlsplit(url)
        same = (parts.scheme, parts.hostname, parts.port) == (base.scheme, base.hostname, base.port)
    except ValueError:
        same = False
    named = _FILE_PATH.fullmatch(parts.path.removeprefix(base.path.rstrip("/"))) if same else None
    if named is None:
        return "A picture is not fetched: it is no file of the provider's container."
    return File(named[1], named[2])


def _unpacked(text: str) -> bytes | str:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return "A picture is missing: its text is no base64."
