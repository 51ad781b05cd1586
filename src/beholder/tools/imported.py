"""Trajectories of other projects: a folder with `conversations.json` and its pictures in `images/`.

The file holds one conversation, a list of `{"from": …, "value": …}`: first the question (`human`), then messages of the
model (`gpt`) and what its calls brought (`observation`). Calls are written as the text protocol reads them (`<code>`,
`<tool_call>`). An observation is

    <interpreter>
    Text Result:
    what was printed, or None
    Image Result:
    <image_clue_1><image></image_clue_1></interpreter>

or `<interpreter>Error: …</interpreter>`. `<image_clue_1>` is the file `images/image_1.png` (or another picture of that
number), counted from 0; those of the question come first. Names of files are made from these numbers only. What a
record leaves open is not guessed: such a record is refused with the file and the message named.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import msgspec

from beholder.errors import DataError, UsageError
from beholder.extract.declared import declared
from beholder.extract.option_text import fold
from beholder.extract.think import split_thought
from beholder.images.load import load, pixels
from beholder.sample import ImageRef, ToolCall
from beholder.tools.text_protocol import read_calls
from beholder.trajectory import NO_NEW_EVIDENCE, CallOutcome, Ended, Observation, Trajectory, Turn

FILE = "conversations.json"
LARGEST_FILE = 64 * 1024 * 1024
MOST_MESSAGES = 10_000
MOST_IMAGES = 1_000
"""Pictures of one conversation; each is decoded once, to see whether it is new."""

_ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp")
_IMAGE = re.compile(r"<image_clue_(\d+)>\s*(?:<image>\s*)?(?:</image>\s*)?</image_clue_\1>")
_TEXT, _PICTURES = "Text Result:", "Image Result:"
_QUESTION = "*user question:*"
_LAST_LINE = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit)(?::|\Z)")
_TRACEBACK = re.compile(r"^Traceback \(most recent call last\):", re.MULTILINE)
_STOPPED = re.compile(r"timed? ?out|time limit", re.IGNORECASE)


class ImportedImage(msgspec.Struct, frozen=True):
    """A picture of a conversation: its file as found, the SHA-256 of its bytes, its size in pixels as seen."""

    name: str
    path: str
    sha256: str
    width: int
    height: int

    @property
    def ref(self) -> ImageRef:
        """The picture as a sample would hold it."""
        return ImageRef(name=self.name, path=self.path)


class ImportedRun(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation.

    `name` is its folder, `question` what was asked (without the instructions that stand before `*user question:*`),
    `images` are the pictures of the question and `made` those that calls brought, each once, in order.
    """

    name: str
    question: str
    images: tuple[ImportedImage, ...]
    made: tuple[ImportedImage, ...]
    trajectory: Trajectory


class _Message(msgspec.Struct, frozen=True):
    where: str
    role: str
    text: str


def find_runs(path: Path) -> list[Path]:
    """The conversation files at `path`: the file itself, or all that lie in this folder and below, in order of name.

    `UsageError` if there is none.
    """
    if path.is_file():
        return [path]
    found = sorted(file for file in path.rglob(FILE) if file.is_file()) if path.is_dir() else []
    if not found:
        raise UsageError(f"{path}: there is no {FILE} in this folder or below it. Give a folder that holds one.")
    return found


def read_run(file: Path, name: str = "") -> ImportedRun:
    """The conversation in `file`, with its pictures read and checked. `DataError` if it cannot be used."""
    first, *rest = _messages(file)
    if first.role != "human":
        raise DataError(f"the first message is from {first.role[:40]!r}, not from human", where=first.where)
    pictures = _Pictures(file.parent / "images")
    asked = tuple(pictures.get(number, first.where) for number in _image_numbers(first.text))
    turns: list[Turn] = []
    n_calls = 0
    for message, observed in _turns(rest):
        said, calls = read_calls(message.text, n_calls + 1)
        n_calls += len(calls)
        observations = tuple(_observation(call, told, pictures) for call, told in _paired(message, calls, observed))
        turns.append(Turn(text=message.text, said=said, observations=observations))
    answered = bool(turns) and not turns[-1].observations
    before, mark, question = first.text.partition(_QUESTION)
    return ImportedRun(
        name=name or file.parent.name,
        question=_IMAGE.sub("", question if mark else before).strip(),
        images=asked,
        made=tuple(image for image in pictures.in_order if image not in asked),
        trajectory=Trajectory(tuple(turns), Ended.ANSWERED if answered else None),
    )


def stated_answer(text: str) -> str | None:
    r"""The answer that a message puts into a tag or a box, folded for comparing; None if it does neither.

    >>> stated_answer("So:\n<answer>\n\\boxed{'Two rings.'}\n</answer>"), stated_answer("There are two.")
    ('two rings', None)
    """
    answer = split_thought(text).answer
    given = [region for region in declared(answer) if region.kind in ("tag", "box")]
    return (fold(answer[given[-1].start : given[-1].end].strip(" \n'\"")) or None) if given else None


class _Pictures:
    """The pictures of one conversation by number, each read once, and what has been seen of them so far."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._found: dict[int, ImportedImage] = {}
        self._content: dict[int, bytes] = {}

    @property
    def in_order(self) -> list[ImportedImage]:
        return list(self._found.values())

    def get(self, number: int, where: str) -> ImportedImage:
        if number not in self._found:
            if len(self._found) >= MOST_IMAGES:
                raise DataError(f"there are more than {MOST_IMAGES} pictures", where=where)
            self._found[number], self._content[number] = self._read(number, where)
        return self._found[number]

    def brings_new(self, numbers: list[int], where: str) -> bool:
        """Reads the pictures; whether one of them differs, pixel for pixel, from all that were there before."""
        before = set(self._content.values())
        for number in numbers:
            self.get(number, where)
        return any(self._content[number] not in before for number in numbers)

    def _read(self, number: int, where: str) -> tuple[ImportedImage, bytes]:
        names = [f"image_{number}{ending}" for ending in _ENDINGS]
        name = next((name for name in names if (self._folder / name).exists()), None)
        if name is None:
            raise DataError(f"there is no picture images/{names[0]}", where=where, mend="Add the file.")
        path = str(self._folder / name)
        try:
            image = load(ImageRef(name=name, path=path))
            picture = pixels(image)
        except DataError as error:
            raise DataError(f"images/{name}: {error.message}", where=where, mend=error.mend) from error
        content = hashlib.sha256(f"{picture.size}".encode() + picture.tobytes()).digest()
        return ImportedImage(name, path, image.sha256, image.width, image.height), content


def _messages(file: Path) -> list[_Message]:
    try:
        if not file.is_file():
            raise DataError("this is not a regular file", where=str(file))
        if file.stat().st_size > LARGEST_FILE:
            raise DataError(f"it is larger than {LARGEST_FILE >> 20} MiB", where=str(file))
        found = msgspec.json.decode(file.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except OSError as error:
        raise DataError(f"it cannot be read ({error.strerror})", where=str(file)) from error
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise DataError(f"it is not JSON ({error})", where=str(file)) from error
    if not isinstance(found, list) or not found:
        raise DataError("it is not a list of messages", where=str(file))
    if len(found) > MOST_MESSAGES:
        raise DataError(f"it has more than {MOST_MESSAGES} messages", where=str(file))
    messages = []
    for number, one in enumerate(found, start=1):
        where = f"{file}, message {number}"
        role, text = (one.get("from"), one.get("value")) if isinstance(one, dict) else (None, None)
        if not isinstance(role, str) or not isinstance(text, str):
            raise DataError('a message must be an object with the texts "from" and "value"', where=where)
        messages.append(_Message(where, role, text))
    return messages


def _turns(messages: list[_Message]) -> Iterator[tuple[_Message, list[_Message]]]:
    """Each message of the model with the observations that follow it."""
    current: tuple[_Message, list[_Message]] | None = None
    for message in messages:
        if message.role == "gpt":
            if current is not None:
                yield current
            current = message, []
        elif message.role != "observation":
            raise DataError(f"a message from {message.role[:40]!r} cannot stand here", where=message.where)
        elif current is None:
            raise DataError("an observation stands before the first message of the model", where=message.where)
        else:
            current[1].append(message)
    if current is not None:
        yield current


def _paired(
    message: _Message, calls: tuple[ToolCall, ...], observed: list[_Message]
) -> list[tuple[ToolCall, _Message | None]]:
    """Each call with what it brought; all with None where the record has nothing after them."""
    if observed and len(observed) != len(calls):
        raise DataError(
            f"the message makes {len(calls)} calls and {len(observed)} observations follow: "
            "which belongs to which is not on record",
            where=message.where,
        )
    return list(zip_longest(calls, observed)) if observed else [(call, None) for call in calls]


def _observation(call: ToolCall, told: _Message | None, pictures: _Pictures) -> Observation:
    if told is None:
        return Observation(call, CallOutcome.NOT_RUN)
    content = told.text.strip().removeprefix("<interpreter>").removesuffix("</interpreter>").strip()
    framed = content.startswith((_TEXT, _PICTURES))
    printed, mark, shown = content.rpartition(_PICTURES) if framed else (content, "", "")
    if framed and not mark:
        printed, shown = shown, ""
    if _IMAGE.sub("", shown).strip():
        raise DataError(f"after {_PICTURES!r} stands something that is no picture", where=told.where)
    text = printed.strip().removeprefix(_TEXT).strip()
    numbers = _image_numbers(shown, told.where)
    new = pictures.brings_new(numbers, told.where)
    return Observation(
        call,
        _outcome(text, framed),
        "" if framed and text == "None" else text,
        tuple(pictures.get(number, told.where).sha256 for number in numbers),
        () if new or not numbers else (NO_NEW_EVIDENCE,),
    )


def _outcome(text: str, framed: bool) -> CallOutcome:
    """What became of a call, read off its text.

    A failure is what is told in place of results (`Error: …`), or results that end as Python ends with an exception.
    """
    last = text.rpartition("\n")[2].strip()
    failed = (
        _TRACEBACK.search(text) is not None
        or _LAST_LINE.match(last) is not None
        or (not framed and text.startswith("Error"))
    )
    if not failed:
        return CallOutcome.EXECUTED
    return CallOutcome.STOPPED if _STOPPED.search(text) else CallOutcome.ERROR


def _image_numbers(text: str, where: str = "") -> list[int]:
    """The numbers of the pictures in a text, each once."""
    digits = dict.fromkeys(match[1] for match in _IMAGE.finditer(text))
    if too_long := next((one for one in digits if len(one) > 4), None):
        raise DataError(f"image_clue_{too_long[:20]} is no picture of a conversation", where=where)
    return list(dict.fromkeys(map(int, digits)))
