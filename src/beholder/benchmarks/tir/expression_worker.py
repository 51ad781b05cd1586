"""The process that runs math-verify: reads pairs of texts, says of each whether they are equal.

    python -P expression_worker.py MEMORY SECONDS

It is run as a file, with nothing of Beholder loaded. It first writes `{"ready": true}`, or `{"missing": "why"}` and
ends. Then for each line `{"answer": "…", "gold": "…"}` on standard input it writes one line: `{"agrees": true}`,
`{"agrees": false}` or `{"too_large": true}`. It ends when its input does. MEMORY bounds its address space, in bytes;
SECONDS the processor time that one pair may take: then the system kills it, even if nobody waits for it any more.

math-verify stops its own work after 5 seconds (for each text, and each comparison) by a signal that only the main
thread of a process can take; here it is the main thread. What it stopped counts as no, as it did for the authors.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import math
import os
import sys
from collections.abc import Callable, Iterator
from typing import IO, Any

MOST_DIGITS = 10_000_000
"""A value with more digits is not worked out: no gold is that large, and math-verify would mostly run out of time."""
_DEEPEST = 200
_LARGEST_POWER = 300.0


def main(memory: int, seconds: int) -> None:
    """Serve until the input ends."""
    replies = _private_output()
    _bound_memory(memory)
    try:
        compare = _comparison()
    except ImportError as error:
        _write(replies, {"missing": str(error)})
        return
    _write(replies, {"ready": True})
    for line in sys.stdin.buffer:
        pair = json.loads(line.decode("utf-8", "surrogatepass"))
        _bound_time(seconds)
        _write(replies, compare(pair["answer"], pair["gold"]))


def _comparison() -> Callable[[str, str], dict[str, bool]]:
    """What says whether an answer equals a gold. Imports math-verify, and uses it once, so that all of it is loaded."""
    math_verify: Any = importlib.import_module("math_verify")

    def compare(answer: str, gold: str) -> dict[str, bool]:
        try:
            said = math_verify.parse(answer)
            if _too_large(said):
                return {"too_large": True}
            return {"agrees": float(math_verify.verify(said, math_verify.parse(gold))) > 0}
        except MemoryError:
            return {"too_large": True}
        except Exception:  # noqa: BLE001 - the authors count every exception of math-verify as no
            return {"agrees": False}

    compare("$\\frac{1}{2}$", "0.5")
    return compare


def _too_large(values: list[Any]) -> bool:
    try:
        return any(digits_of(value) > MOST_DIGITS for value in values)
    except (
        ArithmeticError,
        ValueError,
        RecursionError,
    ):  # at the edges of what a float holds: then math-verify decides
        return False


def digits_of(value: Any, depth: int = 0) -> float:
    """The decimal logarithm of a positive number that is not worked out yet, such as 5^(5^(5^5)); nan if unknown.

    Known are numbers, and powers, factorials and products of what is known, to 200 levels. inf: no float holds it.
    """
    sympy: Any = importlib.import_module("sympy")
    if depth > _DEEPEST:
        return math.nan
    if isinstance(value, sympy.Rational):
        return math.log10(value.p) - math.log10(value.q) if value.p > 0 else math.nan
    if isinstance(value, sympy.Float):
        size = float(value)
        return math.log10(size) if 0 < size < math.inf else math.nan
    if isinstance(value, sympy.Mul):
        return sum(digits_of(part, depth + 1) for part in value.args)
    if isinstance(value, sympy.Pow):
        base, exponent = value.args
        return digits_of(base, depth + 1) * _exponent(exponent, sympy, depth)
    if isinstance(value, sympy.factorial):
        n = _power_of_ten(digits_of(value.args[0], depth + 1))
        return math.lgamma(n + 1) / math.log(10) if n < math.inf else n
    return math.nan


def _exponent(value: Any, sympy: Any, depth: int) -> float:
    """The value of an exponent, which unlike the rest may be negative."""
    if isinstance(value, sympy.Rational) and value.p < 0:
        return -_power_of_ten(digits_of(-value, depth + 1))
    return _power_of_ten(digits_of(value, depth + 1))


def _power_of_ten(exponent: float) -> float:
    return math.inf if exponent > _LARGEST_POWER else 10.0**exponent


def _private_output() -> IO[bytes]:
    """A file for our replies alone; whatever a library prints goes where its warnings go."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return replies


def _write(replies: IO[bytes], reply: dict[str, Any]) -> None:
    replies.write(json.dumps(reply).encode() + b"\n")
    replies.flush()


def _limits() -> Iterator[Any]:
    """The `resource` module, where the system has one."""
    with contextlib.suppress(ImportError):
        import resource

        yield resource


def _bound_memory(size: int) -> None:
    for resource in _limits():
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _bound_time(seconds: int) -> None:
    """End this process if it uses that much processor time from now on."""
    for resource in _limits():
        used = resource.getrusage(resource.RUSAGE_SELF)
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(used.ru_utime + used.ru_stime) + seconds, hard))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
