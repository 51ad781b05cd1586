"""Models of the user's own: one class with `answer`, in a file that they named (`benchmarks.own`) or installed.

    class Mine:
        def answer(self, question: Question) -> str: ...

`async def answer` is called for as many questions at once as `--max-connections` says; a plain one in threads, one at a
time unless the class says `at_once = N`. It gives the text of the answer, or a whole `Response`. What it raises becomes
the item's failure (owner: provider), and the run goes on. Answers are not cached: what such a model says may change
with files that nobody sees here, such as its weights.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from beholder.benchmarks import own as own_files
from beholder.errors import DataError, ProviderError, UsageError
from beholder.images.load import Image, load, pixels
from beholder.models.capabilities import Capabilities
from beholder.models.model import Prepared, blob_of
from beholder.sample import Ask, ImagePart, Message, Response, Sampling

if TYPE_CHECKING:
    import PIL.Image

ENTRY_POINTS = "beholder.models"
_LONGEST_MESSAGE = 300


class Said(msgspec.Struct, frozen=True):
    """One message: `role` is system, user, assistant or tool; `parts` are texts and the bytes of pictures, in order."""

    role: str
    parts: tuple[str | bytes, ...]


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What a model of the user's own is asked. It holds no gold.

    `messages` is the whole conversation, one message unless tools are used. `sampling` says how to decode, None: as the
    model likes. `key`, `vote` and `epoch` say which item it is and which repetition, for seeds.
    """

    messages: tuple[Said, ...]
    sampling: Sampling
    key: str
    vote: int = 0
    epoch: int = 0

    @property
    def text(self) -> str:
        """All text, without the pictures."""
        return "\n".join("".join(part for part in one.parts if isinstance(part, str)) for one in self.messages)

    @property
    def images(self) -> tuple[bytes, ...]:
        """The pictures as they were published, in the order in which they are shown."""
        return tuple(part for one in self.messages for part in one.parts if isinstance(part, bytes))

    def pictures(self) -> list[PIL.Image.Image]:
        """The same pictures decoded: upright, RGB."""
        from beholder.sample import ImageRef

        return [pixels(load(ImageRef(name=f"picture {place}", data=data))) for place, data in enumerate(self.images)]


class OwnModel:
    """A class of the user's, as the engine wants a model."""

    remote = False
    capabilities = Capabilities()

    def __init__(self, name: str, kind: str, rest: str, code: str, made: Any) -> None:
        self.name = name
        self._identity = {"wire": "own", "model": f"{kind}/{rest}" if rest else kind, "code": code}
        self._made = made
        self._answer: Callable[[Question], Any] = made.answer
        self._asynchronous = inspect.iscoroutinefunction(made.answer)
        at_once = getattr(made, "at_once", 1)
        if isinstance(at_once, bool) or not isinstance(at_once, int) or at_once < 1:
            raise UsageError(f"{name}: at_once is {at_once!r}. Give the class a whole number from 1.")
        self._places = asyncio.Semaphore(at_once)

    def identity(self) -> dict[str, Any]:
        return dict(self._identity)

    def prepare(self, asks: list[Ask]) -> list[Prepared]:
        """Loads the pictures once for all asks of a sample."""
        pictures = asks[0].pictures
        parts = [part for ask in asks for message in ask.messages for part in message.parts]
        shown = {part.index for part in parts if isinstance(part, ImagePart)}
        images = {place: load(pictures[place]) for place in sorted(shown | set(range(len(asks[0].sample.images))))}
        blobs = tuple(blob_of(image, pictures[place]) for place, image in images.items())
        records = tuple({"sha256": image.sha256, "format": image.format} for image in images.values())
        prepared = []
        for ask in asks:
            record = self._record(ask, images)
            digest = hashlib.blake2b(msgspec.json.encode(self._identity), digest_size=16)
            digest.update(b"\0" + record + b"\0%d\0%d" % (ask.epoch, ask.vote))
            prepared.append(
                Prepared(
                    ask=ask,
                    request_hash=digest.hexdigest(),
                    chunks=tuple(images[place].data if place in images else b"" for place in range(len(pictures))),
                    record=record,
                    images=records,
                    blobs=blobs,
                )
            )
        return prepared

    def _record(self, ask: Ask, images: dict[int, Image]) -> bytes:
        """The question as it is journaled: pictures by their hashes."""
        told = [
            {"role": one.role, "parts": [_part(part, lambda i: f"sha256:{images[i].sha256}") for part in one.parts]}
            for one in ask.messages
        ]
        sampling = msgspec.to_builtins(ask.sampling)
        return msgspec.json.encode({"model": self._identity["model"], "messages": told, "sampling": sampling})

    async def check(self) -> None:
        """It was made when it was named: it is there."""

    async def send(self, prepared: Prepared) -> Response:
        ask = prepared.ask
        question = Question(
            messages=tuple(_said(message, prepared.chunks) for message in ask.messages),
            sampling=ask.sampling,
            key=ask.sample.key,
            vote=ask.vote,
            epoch=ask.epoch,
        )
        started = time.monotonic()
        try:
            if self._asynchronous:
                said = await self._answer(question)
            else:
                async with self._places:
                    started = time.monotonic()
                    said = await _in_a_thread(self._answer, question)
        except (ProviderError, DataError):
            raise  # the class knows what went wrong
        except Exception as error:  # noqa: BLE001 - the boundary where a fault of the user's class is told
            retryable = isinstance(error, TimeoutError | ConnectionError)
            raise ProviderError(self._told(error), kind="own_model", retryable=retryable) from None
        response = said if isinstance(said, Response) else Response(text=said, finish="stop")
        text: Any = response.text
        if text is not None and not isinstance(text, str):
            what = type(text).__name__
            raise ProviderError(f"{self.name} gave {what} where text was expected.", kind="own_model")
        return msgspec.structs.replace(
            response,
            latency=time.monotonic() - started,
            order=ask.order,
            max_tokens=ask.sampling.max_tokens,
            request_hash=prepared.request_hash,
            images=prepared.images,
        )

    def _told(self, error: Exception) -> str:
        """An error of the user's code: its place, its name and its words, bounded."""
        frame = traceback.extract_tb(error.__traceback__)[-1]
        words = " ".join(str(error).split())[:_LONGEST_MESSAGE]
        return f"{self.name} broke at {Path(frame.filename).name}:{frame.lineno}: {type(error).__name__}: {words}"

    async def close(self) -> None:
        """Calls the class's own `close`, if it has one."""
        close = getattr(self._made, "close", None)
        if close is not None:
            done = close()
            if inspect.isawaitable(done):
                await done


def own_model(name: str) -> OwnModel | None:
    """The model that `path/to/file.py:Class[/REST]`, or an installed `NAME[/REST]`, says; None of any other name.

    A file must have been named by the person at the keyboard. `UsageError` if there is no such class, or it cannot be
    made: with what follows the slash as its only argument, without arguments where nothing follows.
    """
    told = own_files.reference(name)
    if told is not None:
        own = own_files.trusted(told.file, told.rest)
        found = _class_in(own, told.name)
        return _make(name, f"{own.path.name}:{found.__name__}", told.rest, own.sha256, found)
    kind, _, rest = name.partition("/")
    entry = own_files.installed_entry(ENTRY_POINTS, kind)
    return None if entry is None else _make(name, kind, rest, own_files.installed_code(entry), entry.load())


def _class_in(own: own_files.OwnFile, name: str) -> Any:
    classes = {
        key: value
        for key, value in vars(own.module).items()
        if inspect.isclass(value) and value.__module__ == own.module.__name__ and hasattr(value, "answer")
    }
    if name in classes:
        return classes[name]
    if not name and len(classes) == 1:
        return next(iter(classes.values()))
    which = f"It has {', '.join(classes)}." if classes else "It has no class with a method `answer`."
    raise UsageError(f"{own.path} has no model {name!r}. {which} Write --model {own.path.name}:Class.")


def _make(name: str, kind: str, rest: str, code: str, found: Any) -> OwnModel:
    try:
        made = found(rest) if rest else found()
    except Exception as error:  # noqa: BLE001 - the boundary where a fault of the user's class is told
        words = " ".join(str(error).split())[:_LONGEST_MESSAGE]
        raise UsageError(f"--model {name} cannot be made: {type(error).__name__}: {words}") from None
    if not callable(getattr(made, "answer", None)):
        raise UsageError(f"--model {name}: {type(made).__name__} has no method `answer`.")
    return OwnModel(name, kind, rest, code, made)


def _part(part: Any, picture: Callable[[int], Any]) -> Any:
    return picture(part.index) if isinstance(part, ImagePart) else part.text


def _said(message: Message, pictures: tuple[bytes, ...]) -> Said:
    return Said(message.role, tuple(_part(part, lambda place: pictures[place]) for part in message.parts))


async def _in_a_thread(answer: Callable[[Question], Any], question: Question) -> Any:
    """Calls a plain function in a thread that does not keep the process alive: Ctrl-C need not wait for it."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if not done.done():
            done.set_result(value) if error is None else done.set_exception(error)

    def work() -> None:
        value, failed = None, None
        try:
            value = answer(question)
        except BaseException as error:  # noqa: BLE001 - handed over to whoever waits
            plain = isinstance(error, Exception) and not isinstance(error, StopIteration)  # a future cannot hold that
            failed = error if plain else RuntimeError(f"{type(error).__name__}: {error}")
        try:
            loop.call_soon_threadsafe(settle, value, failed)
        except RuntimeError:  # the run has ended
            return

    threading.Thread(target=work, name="own model", daemon=True).start()
    return await done
