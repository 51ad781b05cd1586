"""Asks math-verify whether an answer equals a gold, in a process of its own that can be killed.

The authors of TIR-Bench call math-verify on whatever a model wrote. It stops itself by signals, which work in the main
thread of a process only, and a hostile expression can take all memory; so it runs in one warm child process
(`expression_worker`), which gets the texts as lines of JSON, little of our environment, and a bound on its memory.

On a busy two-core machine a comparison took 3 to 15 ms, and the start of the child 1.3 s.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import weakref
from collections import OrderedDict
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from beholder.benchmarks.tir.official import ExpressionCrash, ExpressionTimeout, TooLarge
from beholder.errors import UsageError
from beholder.sample import content_digest

MOST_CHARACTERS = 1_000_000
"""Of an answer or a gold; a longer one is `TooLarge`. math-verify keeps its own time limits up to here."""
LIMIT = 60.0
"""Seconds to wait for one comparison. By its own limits math-verify needs some 15 at most."""
MEMORY = 2 << 30
"""Bytes of address space that the child may have."""
REMEMBERED = 1 << 16
"""Comparisons whose result is kept."""

DECIDING = ("math-verify", "latex2sympy2_extended", "antlr4-python3-runtime", "sympy", "mpmath")
"""The packages whose versions can change a verdict."""

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,14}")
"""Plain whole numbers, which need no child: math-verify compares them as such (a test asks it)."""
_INSTALL = "Install it: pip install 'beholder[tir]'"
_START = 120.0
_GRACE = 10
_WORKER = Path(__file__).with_name("expression_worker.py")
# What an interpreter may need to find its libraries and packages; no key or token is among it.
_PASSED_ON = ("PATH", "PYTHONPATH", "PYTHONHOME", "HOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
# The order of sets and the kind of integers could otherwise differ from machine to machine.
_FIXED = {"PYTHONHASHSEED": "0", "SYMPY_GROUND_TYPES": "python", "MPMATH_NOGMPY": "1"}


def versions() -> dict[str, str]:
    """The versions of the packages that decide verdicts, for a run's record; `UsageError` if one is not installed."""
    try:
        return {name: metadata.version(name) for name in DECIDING}
    except metadata.PackageNotFoundError as error:
        raise _missing(f"{error.name} is not installed") from error


class Expressions:
    """Compares answers with golds. Any thread may ask; one comparison is made at a time.

    The child is started at the first question, and ends with `close`, with the object or with the program. `limit` is
    in seconds, `memory` in bytes.

    >>> with Expressions() as expressions:
    ...     expressions.agree("6/2", "3"), expressions.agree("3 or 4", "3")
    (True, False)
    """

    def __init__(self, *, limit: float = LIMIT, memory: int = MEMORY, remembered: int = REMEMBERED) -> None:
        self._limit = limit
        self._memory = memory
        self._remembered = remembered
        self._results: OrderedDict[bytes, bool | None] = OrderedDict()  # None: it did not end in time
        self._results_lock = threading.Lock()
        self._child: _Child | None = None
        self._child_lock = threading.Lock()

    def agree(self, answer: str, gold: str) -> bool:
        """Whether math-verify holds the answer equal to the gold, as `float(verify(parse(answer), parse(gold))) > 0`.

        Raises `TooLarge` for a text of more than `MOST_CHARACTERS` and for a value of more than ten million digits,
        `ExpressionTimeout` after `limit` seconds, `ExpressionCrash` if the child died twice over this pair, and
        `UsageError` if math-verify is not installed.
        """
        if _WHOLE.fullmatch(answer) and _WHOLE.fullmatch(gold):
            return int(answer) == int(gold)
        if max(len(answer), len(gold)) > MOST_CHARACTERS:
            raise TooLarge(f"The answer has more than {MOST_CHARACTERS:,} characters; it was not compared.")
        pair = content_digest((answer, gold))
        with self._results_lock:
            if pair in self._results:
                self._results.move_to_end(pair)
                known = self._results[pair]
                if known is None:
                    raise _not_in_time(self._limit)
                return known
        try:
            with self._child_lock:
                reply = self._ask({"answer": answer, "gold": gold})
        except ExpressionTimeout:
            self._remember(pair, None)
            raise
        if "too_large" in reply:
            raise TooLarge("The value of the answer has more than ten million digits; it was not compared.")
        agrees = bool(reply["agrees"])
        self._remember(pair, agrees)
        return agrees

    def _remember(self, pair: bytes, agrees: bool | None) -> None:
        with self._results_lock:
            self._results[pair] = agrees
            while len(self._results) > self._remembered:
                self._results.popitem(last=False)

    def close(self) -> None:
        """End the child. A later question starts another."""
        with self._child_lock:
            self._end_child()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, pair: dict[str, str]) -> dict[str, Any]:
        """The child's reply. A child that died is replaced once: it may have died of the pair before."""
        for _ in range(2):
            if self._child is None or not self._child.is_ours():
                self._child = _Child(self._memory, self._limit)
            reply = self._child.ask(pair, self._limit)
            if reply is not None:
                return reply
            self._end_child()
        raise ExpressionCrash("The process that compares expressions died twice over this answer.")

    def _end_child(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


class _Child:
    """One running `expression_worker`, ready for questions."""

    def __init__(self, memory: int, limit: float) -> None:
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ} | _FIXED
        self._process = subprocess.Popen(  # noqa: S603 - our own file, run by our own interpreter
            [sys.executable, "-P", str(_WORKER), str(memory), str(int(limit) + _GRACE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd=os.sep,
            start_new_session=True,  # Ctrl-C is for us; we end the child
        )
        self._owner = os.getpid()
        self.end = weakref.finalize(self, _end, self._process, self._owner)
        first = self._exchange(b"", _START)
        if first is not None and "missing" in first:
            self.end()
            raise _missing(str(first["missing"]))

    def is_ours(self) -> bool:
        """False after a fork: then the pipes belong to the parent."""
        return self._owner == os.getpid()

    def ask(self, pair: dict[str, str], limit: float) -> dict[str, Any] | None:
        """The reply; None if the child is dead."""
        # lone surrogates as they are: escaped, two of them would come out as one character
        line = json.dumps(pair, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        return self._exchange(line, limit) if self.end.alive else None

    def _exchange(self, line: bytes, limit: float) -> dict[str, Any] | None:
        """Write a line and read one; without a reply the child is ended, so that none ever comes late.

        None if the child died, `ExpressionTimeout` if it had to be killed.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        expired = threading.Event()
        watch = threading.Timer(limit, _kill, (self._process, expired))
        watch.daemon = True
        watch.start()
        reply = b""
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
            reply = self._process.stdout.readline()
        except OSError:  # a broken pipe: the child is dead
            reply = b""
        finally:
            watch.cancel()
            if not reply.endswith(b"\n"):
                self.end()
        if expired.is_set() and not reply:
            raise _not_in_time(limit)
        found: dict[str, Any] | None = json.loads(reply) if reply else None
        return found


def _not_in_time(limit: float) -> ExpressionTimeout:
    return ExpressionTimeout(f"The comparison of the answer with the gold took more than {limit:g} seconds.")


def _kill(process: subprocess.Popen[bytes], expired: threading.Event) -> None:
    expired.set()
    process.kill()


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    """Kill the process and let go of its pipes; in a fork of the owner only the latter."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:  # what was not written yet has nobody to go to
                continue
    if owner == os.getpid():
        process.kill()
        process.wait()


def _missing(what: str) -> UsageError:
    return UsageError(f"TIR-Bench's answers are compared by math-verify, which cannot be used: {what}. {_INSTALL}")
