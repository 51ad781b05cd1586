"""The shipped fakes: no network, no weights, honest names. They let users test their own work offline.

`replay/FILE` gives back recorded answers; `scripted/FILE` plays a fixed list; `random` guesses blindly in the asked
format; `constant/TEXT` always says the same. None of them ever looks at the gold.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from beholder.errors import DataError, Owner, UsageError
from beholder.images.load import load
from beholder.models.capabilities import EVERYTHING
from beholder.models.model import Blob, Prepared, blob_of
from beholder.sample import Ask, Failure, Response, Sample, content_digest
from beholder.seeds import rng_for


class Fake:
    """A model that answers from the ask alone, at once. `answer` must be deterministic.

    `shown` says that the answers stand for those of a model that saw the pictures: a run keeps copies of them then, as
    far as they can be had, so that reports can show them.
    """

    remote = False
    capabilities = EVERYTHING

    def __init__(
        self, name: str, facts: dict[str, Any], answer: Callable[[Ask], Response], *, shown: bool = False
    ) -> None:
        self.name = name
        self._facts = facts
        self._answer = answer
        self._shown = shown

    def identity(self) -> dict[str, Any]:
        return {"wire": "fake", "model": self.name, **self._facts}

    def prepare(self, asks: list[Ask]) -> list[Prepared]:
        blobs = _copies(asks[0].sample) if self._shown else ()
        return [Prepared(ask=ask, request_hash=local_request_hash(self.name, ask), blobs=blobs) for ask in asks]

    async def check(self) -> None:
        """A fake is always there."""

    async def send(self, prepared: Prepared) -> Response:
        return self.reply(prepared)

    def reply(self, prepared: Prepared) -> Response:
        """The whole response."""
        ask = prepared.ask
        response = self._answer(ask)
        return msgspec.structs.replace(
            response,
            order=ask.order,
            max_tokens=ask.sampling.max_tokens,
            request_hash=prepared.request_hash,
        )

    async def close(self) -> None:
        """Nothing to close."""


def _copies(sample: Sample) -> tuple[Blob, ...]:
    """The sample's pictures, all of them or none: answers that are there already do not fail for want of a picture."""
    try:
        return tuple(blob_of(load(ref), ref) for ref in sample.images)
    except DataError:
        return ()


def local_request_hash(name: str, ask: Ask) -> str:
    """Identifies an ask to a model that runs in this process."""
    return content_digest((name, ask.sample.key, ask.epoch, ask.vote, str(ask.order))).hex()


def random_guesser(guess: Callable[[Sample, random.Random], str], run_seed: int) -> Fake:
    """`random`: the benchmark's own blind guess, drawn anew for each vote from a named seed. The floor of any table."""

    def answer(ask: Ask) -> Response:
        rng = rng_for(run_seed, ask.sample.key, ask.epoch, ask.vote, "random model")
        return Response(text=guess(ask.sample, rng), finish="stop")

    return Fake("random", {"seed": run_seed}, answer)


def constant(text: str) -> Fake:
    """`constant/TEXT`: says TEXT to everything; shows what a position or format habit alone is worth."""
    return Fake(f"constant/{text}", {}, lambda ask: Response(text=text, finish="stop"))


class RecordedAnswer(msgspec.Struct, frozen=True):
    """One line of our plain JSONL: `key` (or `index`), `response`, optional `vote`, `epoch`, `reasoning`, `finish`, and
    `failure` where there was no answer."""

    response: str | None
    key: str | None = None
    index: int | None = None
    vote: int = 0
    epoch: int = 0
    reasoning: str | None = None
    finish: str | None = None
    failure: Failure | None = None


def replay(file: Path) -> Fake:
    """`replay/FILE`: answers recorded as JSON lines, found by key (or index), vote and epoch."""
    recorded: dict[tuple[str | int, int, int], tuple[int, RecordedAnswer]] = {}
    for line, answer in _recorded_answers(file):
        name = answer.key if answer.key is not None else answer.index
        if name is None:
            raise UsageError(f"{file}, line {line}: neither `key` nor `index`. Give each answer one of them.")
        place = (name, answer.vote, answer.epoch)
        if place in recorded:
            raise UsageError(
                f"{file}: lines {recorded[place][0]} and {line} both answer key {name!r}, vote {answer.vote}. "
                "Remove one, or number the votes."
            )
        recorded[place] = (line, answer)

    def answer_from_file(ask: Ask) -> Response:
        for name in (ask.sample.key, ask.sample.record_id, ask.sample.index):
            found = recorded.get((name, ask.vote, ask.epoch))
            if found is not None:
                answer = found[1]
                return Response(
                    text=answer.response, reasoning=answer.reasoning, finish=answer.finish, failure=answer.failure
                )
        message = f"{file} holds no answer for key {ask.sample.key}, vote {ask.vote}, epoch {ask.epoch}."
        return Response(failure=Failure(owner=Owner.DATA, kind="not_recorded", message=message))

    return Fake(f"replay/{file}", {"sha256": _digest(file)}, answer_from_file, shown=True)


def _recorded_answers(file: Path) -> Iterator[tuple[int, RecordedAnswer]]:
    for line, text in _lines(file):
        try:
            yield line, _decode(text, RecordedAnswer)
        except _BROKEN as error:
            raise UsageError(
                f"{file}, line {line}: {error}. Each line is an object with `key` and `response`."
            ) from None


class ScriptedAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of a script: what to say, or the failure to report."""

    text: str | None = None
    reasoning: str | None = None
    finish: str | None = "stop"
    error: str | None = None


def scripted(file: Path) -> Fake:
    """`scripted/FILE`: a JSON list (or JSON lines) of answers, strings or objects.

    The item at position i takes entry i modulo the length of the script, its vote v the entry v further on; so the
    order in which items are asked does not matter.
    """
    script = _script(file)

    def answer_from_script(ask: Ask) -> Response:
        entry = script[(ask.sample.index + ask.vote + ask.epoch) % len(script)]
        if entry.error is not None:
            return Response(failure=Failure(owner=Owner.PROVIDER, kind="scripted", message=entry.error))
        return Response(text=entry.text, reasoning=entry.reasoning, finish=entry.finish)

    return Fake(f"scripted/{file}", {"sha256": _digest(file)}, answer_from_script, shown=True)


def _script(file: Path) -> list[ScriptedAnswer]:
    mend = "A script is a JSON list of strings or of objects with `text`, `reasoning`, `finish`, `error`."
    data = _read(file)
    place = str(file)
    entries: list[str | ScriptedAnswer] = []
    try:
        if data.lstrip().startswith(b"["):
            entries = _decode(data, list[str | ScriptedAnswer])
        else:
            for line, text in _lines(file):
                place = f"{file}, line {line}"
                entries.append(_decode(text, str | ScriptedAnswer))
    except _BROKEN as error:
        raise UsageError(f"{place}: {error}. {mend}") from None
    if not entries:
        raise UsageError(f"{file} is empty. {mend}")
    return [ScriptedAnswer(text=entry) if isinstance(entry, str) else entry for entry in entries]


_BROKEN = (msgspec.DecodeError, ValueError, RecursionError)


def _decode(text: bytes, kind: Any) -> Any:
    """JSON as `kind`; what msgspec refuses and other programs write (half a surrogate pair) is read all the same."""
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError):
        return msgspec.convert(json.loads(text), kind)


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(_read(file).splitlines(), start=1):
        if line.strip():
            yield number, line


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read ({error.strerror}). Check the path after the slash.") from None


def _digest(file: Path) -> str:
    return hashlib.sha256(_read(file)).hexdigest()[:16]
