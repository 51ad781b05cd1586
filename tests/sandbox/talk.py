"""Conversations for tests: code in, answers out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import PIL.Image

from beholder.sandbox.backends import backend
from beholder.sandbox.launch import Backend
from beholder.sandbox.limits import SandboxLimits
from beholder.sandbox.pool import SandboxPool
from beholder.sandbox.process import Answer

LIMITS = SandboxLimits(memory=384 << 20, call_seconds=20.0)


def talk(
    *codes: str,
    pictures: Sequence[PIL.Image.Image] = (),
    limits: SandboxLimits = LIMITS,
    sandbox: Backend | None = None,
    pause: float = 0.0,
) -> list[Answer]:
    """The answers to calls in one conversation, with a pause (seconds) after each.

    The pictures that a call brings are there in the next ones.
    """

    async def run() -> list[Answer]:
        answers = []
        known = pictures
        async with SandboxPool(sandbox or backend(), limits, spares=0) as pool:
            conversation = pool.conversation()
            for code in codes:
                answer = await conversation.call(code, known)
                known = [*known, *answer.pictures] if answer.pictures else known
                answers.append(answer)
                await asyncio.sleep(pause)
            await conversation.close()
        return answers

    return asyncio.run(run())
