"""Ctrl-C and SIGTERM while a run folder is being written."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Takes the signals for as long as it is entered, so that none can tear a folder in the middle of a phase.

    While the engine asks, `tell` is what an interrupt does there (drain first, then drop). In all other phases, the
    first interrupt is only noted, for they end by themselves within moments; the second one ends the process as usual.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self.tell: Callable[[], None] | None = None
        self._say = say
        self._noted = False
        self._taken: list[int] = []

    def __enter__(self) -> Interrupts:
        self._loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            # Not in the main thread, or on a system without them: then signals do what they always do.
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                self._loop.add_signal_handler(number, self._received)
                self._taken.append(number)
        return self

    def __exit__(self, *exc_info: object) -> None:
        for number in self._taken:
            self._loop.remove_signal_handler(number)
        self._taken.clear()

    def _received(self) -> None:
        if self.tell is not None:
            self.tell()
        elif not self._noted:
            self._noted = True
            self._say("Writing what is there; this takes moments. Press Ctrl-C again to stop at once.")
        else:
            self.__exit__()
            signal.raise_signal(signal.SIGINT)
