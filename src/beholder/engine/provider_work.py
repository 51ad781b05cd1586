"""One sample whose tools the provider ran itself: what the answer tells of them becomes a trajectory like any other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import msgspec

from beholder.engine.feed import Ready
from beholder.errors import DataError
from beholder.images.load import Limits, load, pixels
from beholder.models.model import Prepared
from beholder.models.provider_work import ProviderCall, TellsOfItsWork
from beholder.sample import Conduct, ImageRef, Response
from beholder.store.folder import Blobs
from beholder.store.journal import Journal
from beholder.store.turns import Place, TurnEntry
from beholder.tools.arguments import canonical_arguments
from beholder.tools.pictures import Added, ConversationPictures
from beholder.trajectory import NO_NEW_EVIDENCE, REPEATED, Ended, Observation, Turn

_LIMITS = Limits(max_bytes=16 << 20, max_pixels=24_000_000, max_frames=100)
"""What a picture of the provider's may be. It comes from code that a model wrote."""


class Recounting(msgspec.Struct, frozen=True):
    """What all answers of a run share whose provider runs code.

    `send` asks the model, with retries. `attempts` numbers the next attempt at a place that was begun before.
    """

    model: TellsOfItsWork
    send: Callable[[Prepared], Awaitable[Response]]
    blobs: Blobs
    journal: Journal
    attempts: dict[Place, int]

    async def hold(self, item: Ready) -> tuple[Response, bytes]:
        """The response, with its turns handed to the journal before it; and its request as it is journaled."""
        response = item.response or await self.send(item.prepared)
        ask = item.prepared.ask
        place = (ask.sample.key, ask.epoch, ask.vote)
        attempt = self.attempts.get(place, 0)
        turns, kept = await asyncio.to_thread(self._turns, item, response)
        for one in kept:
            await asyncio.to_thread(self.blobs.keep, one.sha256, one.png)
        last = len(turns) - 1
        for number, turn in enumerate(turns):
            # The body, and the answer as the cache keeps it, stand with the last turn: they are there once.
            whole = (response.raw, (response,)) if number == last else (None, ())
            self.journal.put_turn(TurnEntry(*place, attempt, number, turn, *whole))
        conduct = Conduct(
            attempt=attempt,
            turns=len(turns),
            calls=sum(len(turn.observations) for turn in turns),
            ended=_ended(response, turns).value,
            seconds=round(response.latency or 0.0, 3),
        )
        answer = msgspec.structs.replace(response, raw=None, calls=(), native="", conduct=conduct)
        return answer, item.prepared.record

    def _turns(self, item: Ready, response: Response) -> tuple[list[Turn], list[Added]]:
        """The turns of an answer, and the pictures to be kept. What the request cost stands with the last turn."""
        if response.failure is not None:
            return [], []
        work = self.model.turns_of(response.raw or b"")
        told = _Told(ConversationPictures(item.prepared.ask.sample.images))
        turns = [
            Turn(
                text=one.text,
                said=one.text or "",
                reasoning=one.reasoning,
                observations=tuple(told.observations(one.calls)),
                served_model=response.served_model,
                request_hash=item.prepared.request_hash,
                cached=response.cached,
            )
            for one in work.turns
        ]
        turns[-1] = msgspec.structs.replace(
            turns[-1],
            finish=response.finish,
            usage=response.usage,
            latency=response.latency,
            attempts=response.attempts,
        )
        return turns, told.kept


class _Told:
    """Turns what the provider tells of calls into observations. `kept` are the pictures found so far."""

    def __init__(self, pictures: ConversationPictures) -> None:
        self._pictures = pictures
        self._made: set[tuple[str, str]] = set()
        self.kept: list[Added] = []

    def observations(self, calls: tuple[ProviderCall, ...]) -> Iterator[Observation]:
        for one in calls:
            same = one.call.name, canonical_arguments(one.call.arguments)
            flags = [REPEATED] if same in self._made else []
            self._made.add(same)
            lines = [one.text] if one.text else []
            images: list[str] = []
            new = False
            for number, data in enumerate(one.pictures, start=1):
                try:
                    added, differs = self._added(data, f"picture {number} of the call")
                except DataError as error:
                    lines.append(f"[A picture is not kept: {error}]")
                    continue
                if added is None:
                    lines.append("[A picture is not kept: there are as many as there may be.]")
                    continue
                new = new or differs
                images.append(added.sha256)
                self.kept.append(added)
            if images and not new:
                flags.append(NO_NEW_EVIDENCE)
            yield Observation(one.call, one.outcome, "\n".join(lines), tuple(images), tuple(flags))

    def _added(self, data: bytes, name: str) -> tuple[Added | None, bool]:
        """The picture, re-encoded as PNG, and whether it differs from all before; None if there is no room."""
        if not self._pictures.has_room():
            return None, False
        (added,), differs = self._pictures.add([pixels(load(ImageRef(name=name, data=data), _LIMITS))])
        return added, differs


def _ended(response: Response, turns: list[Turn]) -> Ended:
    """Whether the model came to an answer. A limit that was reached before it said anything more is a budget."""
    if response.failure is not None:
        return Ended.FAILED
    cut_short = response.finish == "length" and bool(turns[-1].observations)
    return Ended.TOKENS if cut_short else Ended.ANSWERED
