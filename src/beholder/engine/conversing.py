"""One sample with tools: the loop's partners are the model, the cache, the run's pictures and its journal."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import msgspec

from beholder.engine.feed import Ready
from beholder.errors import DataError, Owner
from beholder.models.model import Model, Prepared
from beholder.sample import Ask, Failure, Response
from beholder.store.cache import ResponseCache
from beholder.store.folder import Blobs
from beholder.store.journal import Journal
from beholder.store.turns import Place, TurnEntry
from beholder.tools.loop import UNSENDABLE, Partners, converse
from beholder.tools.settings import ToolSettings
from beholder.tools.toolset import open_toolset
from beholder.trajectory import Turn

if TYPE_CHECKING:
    from beholder.sandbox.pool import SandboxPool


class Conversing(msgspec.Struct, frozen=True):
    """What all conversations of a run share.

    `send` asks the model, with retries. `attempts` numbers the next attempt at a place that was begun before.
    """

    model: Model
    settings: ToolSettings
    send: Callable[[Prepared], Awaitable[Response]]
    cache: ResponseCache | None
    blobs: Blobs
    journal: Journal
    sandboxes: SandboxPool | None
    attempts: dict[Place, int]

    async def hold(self, item: Ready) -> tuple[Response, bytes]:
        """The response that a conversation leads to, and its last request as it is journaled."""
        first = item.prepared.ask
        place = (first.sample.key, first.epoch, first.vote)
        attempt = self.attempts.get(place, 0)
        last = item.prepared

        async def speak(ask: Ask, aside: bool) -> Response:
            nonlocal last
            if ask is first:
                return item.response or await self.send(item.prepared)
            try:
                (prepared,) = await asyncio.to_thread(self.model.prepare, [ask])
            except DataError as error:  # the sample's own pictures could be sent, so it is one that a tool made
                return Response(failure=Failure(owner=Owner.US, kind=UNSENDABLE, message=str(error)))
            if not aside:
                last = prepared
            if self.cache is not None:
                found = await asyncio.to_thread(self.cache.get, prepared.request_hash)
                if found is not None:
                    return found
            return await self.send(prepared)

        async def keep_picture(sha256: str, png: bytes) -> None:
            await asyncio.to_thread(self.blobs.keep, sha256, png)

        body: bytes | None = None

        def keep_turn(number: int, turn: Turn, responses: tuple[Response, ...]) -> None:
            nonlocal body
            if responses and responses[0].request_hash == turn.request_hash:  # the turn's own, not a probe's
                body = responses[0].raw
            self.journal.put_turn(TurnEntry(*place, attempt, number, turn, body, responses))

        partners = Partners(speak, keep_picture, keep_turn)
        toolset = open_toolset(self.settings, self.sandboxes)
        response = await converse(first, toolset, self.settings, partners, attempt=attempt)
        return msgspec.structs.replace(response, order=first.order, request_hash=last.request_hash), last.record
