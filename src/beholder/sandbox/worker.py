"""Inside the sandbox: the process that runs the model's code, call after call, in one set of variables.

    python -I -S -c START        (`launch.START`; the sources come in by standard input)

It answers on what was its standard output; all that the code prints, by whatever way, goes to standard error. The host
sends a line of JSON, `{"id", "code", "pictures": how many}`, and after it, for each picture, a line
`[name, width, height]` and its RGB bytes. It gets back a line `{"id", "outcome", "pictures": [bytes, …]}` and after it
the PNGs. `outcome` is `ok`, `error`, or the limit that the code ran into (`memory`, `processes`).

The code shares this process: whatever is written here, the host believes nothing of it (`reply`).
"""

from __future__ import annotations

import ast
import builtins
import errno
import io
import json
import linecache
import os
import signal
import sys
import traceback
import types
from typing import IO, Any

_FIRST_ONES = (1, 2)
"""What a worker's number is in a process namespace of its own. On a machine, these are no ordinary processes."""
_LONGEST_MESSAGE = 4_000
_MOST_FRAMES = 12
_LONGEST_LINE = 300
_BUILTINS = vars(builtins)
_BUILTINS_KEPT = dict(_BUILTINS)
"""Put back after each call: code that replaces `print` or `open` would break the next one, and this file."""


def main(setup: dict[str, Any]) -> None:
    """Serve until the input ends."""
    requests = os.fdopen(os.dup(0), "rb")
    replies, text, own = os.dup(1), os.dup(2), os.getpid()
    alone = setup["alone"] and own in _FIRST_ONES  # or the signal to all others would go to all of this machine's
    _attach(text)
    import numpy  # noqa: F401 - so that it is there when the code imports it

    from beholder.sandbox.worker_pictures import Gallery, show_into

    gallery = Gallery(setup["folder"], setup["limits"])
    show_into(gallery)
    notebook = _Notebook(gallery)
    _write(replies, json.dumps({"ready": sys.version.split()[0]}).encode() + b"\n")
    _load_opencv()
    while line := requests.readline():
        request = json.loads(line)
        _attach(text)
        notebook.add_pictures(requests, request["pictures"])
        outcome = notebook.run(request["code"])
        if os.getpid() != own:  # the code has forked, and this is the child
            _flush()
            os._exit(0)
        if alone:
            _end_other_processes()
        made, notes, outcome = _pictures(gallery, outcome)
        for note in notes:
            print(note)
        _flush()
        head = {"id": request["id"], "outcome": outcome, "pictures": [len(picture) for picture in made]}
        _write(replies, json.dumps(head).encode() + b"\n" + b"".join(made))
    os._exit(0)


class _Notebook:
    """The variables of a conversation, and the running of code in them."""

    def __init__(self, gallery: Any) -> None:
        module = types.ModuleType("__main__")
        module.__dict__["__builtins__"] = builtins
        sys.modules["__main__"] = module
        self._variables = module.__dict__
        self._gallery = gallery
        self._calls = 0

    def add_pictures(self, source: IO[bytes], number: int) -> None:
        """Reads the pictures that the host has announced, each into a variable of its name."""
        import PIL.Image

        for _ in range(number):
            name, width, height = json.loads(source.readline())
            pixels = source.read(width * height * 3)
            self._variables[name] = PIL.Image.frombytes("RGB", (width, height), pixels)

    def run(self, code: str) -> str:
        """Runs the code, shows the value of a last expression, prints what it raised. Returns the outcome."""
        self._calls += 1
        name = f"<call {self._calls}>"
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        try:
            tree = ast.parse(code, name)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, name, "exec"), self._variables)  # noqa: S102 - what this process is for
            if isinstance(last, ast.Expr):
                self._show(eval(compile(ast.Expression(last.value), name, "eval"), self._variables))  # noqa: S307
        except BaseException as error:  # noqa: BLE001 - the model's code may raise anything, SystemExit too
            outcome = _limit_behind(error)
            _BUILTINS.update(_BUILTINS_KEPT)
            _print_error(error)
            return outcome
        finally:
            _BUILTINS.update(_BUILTINS_KEPT)
        return "ok"

    def _show(self, value: Any) -> None:
        import PIL.Image

        from beholder.sandbox.worker_pictures import add_figure, is_figure

        if value is None:
            return
        self._variables["_"] = value
        if isinstance(value, PIL.Image.Image):
            self._gallery.show(value)
        elif is_figure(value):
            add_figure(self._gallery, value)
        else:
            print(repr(value))


def _pictures(gallery: Any, outcome: str) -> tuple[list[bytes], list[str], str]:
    """What the gallery holds; if even that fails, the model is told so in place of its pictures."""
    try:
        made, notes = gallery.collect()
    except BaseException as error:  # noqa: BLE001 - as in `_Notebook.run`
        _print_error(error)
        return [], [], _limit_behind(error)
    return made, notes, outcome


def _limit_behind(error: BaseException) -> str:
    """Which limit of the sandbox an exception stands for, or `error`."""
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return "memory"
    if isinstance(error, BlockingIOError) or (isinstance(error, RuntimeError) and "start new thread" in str(error)):
        return "processes"
    return "error"


def _print_error(error: BaseException) -> None:
    """The exception with the lines of the model's own code that led to it, on standard error."""
    try:
        lines = _frames(error)
        message = "".join(traceback.format_exception_only(type(error), error))
    except BaseException as second:  # noqa: BLE001 - an exception of the model's making may raise when it is looked at
        lines, message = [], f"{type(error).__name__} (and {type(second).__name__} while it was printed)\n"
    if len(message) > _LONGEST_MESSAGE:
        half = _LONGEST_MESSAGE // 2
        message = f"{message[:half]} […] {message[-half:]}"
    _flush()
    print("".join(lines) + message, file=sys.stderr, end="" if message.endswith("\n") else "\n")


def _frames(error: BaseException) -> list[str]:
    frames = []
    step = error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if code.co_filename.startswith("<call "):
            where = f", in {code.co_name}" if code.co_name != "<module>" else ""
            source = linecache.getline(code.co_filename, step.tb_lineno).strip()[:_LONGEST_LINE]
            frames.append(f"  {code.co_filename}, line {step.tb_lineno}{where}\n    {source}\n")
            if len(frames) > 2 * _MOST_FRAMES:
                del frames[_MOST_FRAMES]
        step = step.tb_next
    if not frames:
        return []
    if len(frames) > _MOST_FRAMES:
        half = _MOST_FRAMES // 2
        frames = [*frames[:half], "  …\n", *frames[-half:]]
    return ["Traceback (most recent call last):\n", *frames]


def _attach(text: int) -> None:
    """Standard input is empty, standard output and error go to the host, whatever the last call did to them."""
    empty = os.open(os.devnull, os.O_RDWR)
    os.dup2(empty, 0)
    os.dup2(text, 1)
    os.dup2(text, 2)
    if empty > 2:
        os.close(empty)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding="utf-8")
    sys.stdout = _printer(1)
    sys.stderr = _printer(2)


def _printer(number: int) -> io.TextIOWrapper:
    stream = io.BufferedWriter(io.FileIO(number, "wb", closefd=False))
    return io.TextIOWrapper(stream, encoding="utf-8", errors="backslashreplace", line_buffering=True)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # closed or replaced by the code
            continue


def _end_other_processes() -> None:
    """What the code has started ends with the call. Only ever called in a process namespace of our own."""
    try:
        os.kill(-1, signal.SIGKILL)
        while os.waitpid(-1, 0):
            pass
    except (ChildProcessError, ProcessLookupError):
        return


def _load_opencv() -> None:
    """After the host was told that we are ready: then it is there at the first use, and no start waits for it.

    Not in a thread: OpenCV imports itself a second time from within, and who imports it meanwhile gets half of it.
    """
    try:
        import cv2
    except ImportError:
        return
    cv2.setNumThreads(1)


def _write(target: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]
