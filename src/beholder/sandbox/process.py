"""One worker process: start it, put a call to it, end it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Sequence
from functools import cache
from importlib import resources
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import PIL.Image

from beholder.sandbox.launch import Backend, Launch, SandboxBroken
from beholder.sandbox.limits import SandboxLimits
from beholder.sandbox.pipes import Closed, Pipes, Text, WrittenTooMuch
from beholder.sandbox.reply import LONGEST_HEAD, Forged, Stale, read_head, read_pictures

_SOURCES = ("worker_setup", "worker_pictures", "worker")
_OWN_PROCESSES = 3
"""In the control group while nothing of the model's is left: two of bubblewrap, and the worker."""
_TO_END = 5.0
_LOOKS = 40
_slots: set[int] = set()
"""Numbers of the workers that there are, whatever pool they belong to; free again when all is cleared up."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What one call brought.

    `outcome` is `ok`, `error` (the code raised), `ended` (it ended its own process), `forged` (what came back is
    no reply of ours), `stale` (it replies to an earlier call), or the limit it ran into: `time`, `memory`, `processes`,
    `output`. `alive`: the process and its variables are still there. `reason` says more of `ended`, `forged`, `stale`.
    """

    outcome: str
    text: str = ""
    pictures: tuple[PIL.Image.Image, ...] = ()
    alive: bool = True
    reason: str = ""


class Worker:
    """A started process. Made by `start`; `call` it, `end` it."""

    def __init__(
        self, slot: int, launch: Launch, limits: SandboxLimits, pipes: Pipes, process: subprocess.Popen[bytes]
    ) -> None:
        self.slot = slot
        self.launch = launch
        self.limits = limits
        self.pid: int | None = None
        self.pictures_given = 0
        self._pipes = pipes
        self._process = process
        self._first: int | None = None  # handles: numbers could be given to other processes
        self._handle: int | None = None
        self._ending: asyncio.Future[None] | None = None

    @classmethod
    async def start(cls, backend: Backend, limits: SandboxLimits) -> Worker:
        """A worker that is ready for calls. Raises `SandboxBroken`, with what bubblewrap or Python said."""
        with contextlib.ExitStack() as undone:
            try:
                slot = _take_slot()
                undone.callback(_slots.discard, slot)
                pipes = Pipes()
                undone.callback(pipes.close)
                undone.callback(pipes.started)
                launch = backend.launch(slot, limits, pipes.worker_info)
                undone.callback(launch.clear_up)
                # In the thread that runs the loop: bubblewrap ends when the thread that has started it does.
                process = subprocess.Popen(  # noqa: ASYNC220, S603 - returns at once; no shell but our own
                    launch.command,
                    stdin=pipes.worker_in,
                    stdout=pipes.worker_out,
                    stderr=pipes.worker_err,
                    pass_fds=(pipes.worker_info,),
                    start_new_session=True,
                    env=launch.environment,
                    cwd=launch.folder,
                )
            except OSError as error:
                raise SandboxBroken(f"the sandbox does not start ({error})") from error
            undone.pop_all()
        pipes.started()
        worker = cls(slot, launch, limits, pipes, process)
        try:
            await worker._make_ready()
        except BaseException:
            await worker.end()
            raise
        return worker

    async def _make_ready(self) -> None:
        text = Text(2_000, self.limits.written_bytes)
        told = json.dumps([_sources(), self.launch.setup]).encode() + b"\n"
        try:
            with self._pipes.watched(text):
                async with asyncio.timeout(self.limits.start_seconds):
                    await self._pipes.send(told)
                    line = await self._pipes.line(LONGEST_HEAD)
        except TimeoutError as error:
            raise SandboxBroken(f"the sandbox was not ready within {self.limits.start_seconds:g} s") from error
        except (Closed, WrittenTooMuch, ValueError) as error:
            said = await self._last_words(text)
            raise SandboxBroken(f"the sandbox does not start ({said})") from error
        if b'"ready"' not in line:
            raise SandboxBroken("the sandbox does not start (it says something else than that it is ready)")
        if self.launch.uid is not None:
            first = _first_process(self._pipes.info)
            self.pid = _only_child(first)
            self._first, self._handle = os.pidfd_open(first), os.pidfd_open(self.pid)
            wrong = rights_left(self.pid, self.launch.uid, filtered=bool(self.launch.setup["seccomp"]))
            if wrong:
                raise SandboxBroken(f"the sandbox keeps rights that it must not have ({wrong})")
            if self.launch.group is not None:
                self.launch.group.hold(self.pid)

    async def _last_words(self, text: Text) -> str:
        """What was said on the way to an end that came too early."""
        await self._until_ended()
        with contextlib.suppress(WrittenTooMuch):
            self._pipes.settle(text)
        return " ".join(text.shown().split())[-300:] or f"exit status {self._status()}"

    async def _until_ended(self) -> None:
        """Waits a moment for a process that has closed its pipe: most often it has ended."""
        for _ in range(100):
            if self._status() is not None:
                return
            await asyncio.sleep(0.002)

    @property
    def alive(self) -> bool:
        """Whether it still runs, as far as can be seen without asking it."""
        return self._ending is None and self._status() is None

    def _status(self) -> int | None:
        """The exit status as `subprocess` gives it, None while it runs.

        Only looked at: until `end`, the number stays its own, and with it the group that its children are in.
        """
        if self._process.returncode is not None or not hasattr(os, "waitid"):
            return self._process.poll()
        found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is None:
            return None
        return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status

    async def call(self, code: str, pictures: Sequence[PIL.Image.Image]) -> Answer:
        """Runs code. `pictures` are all of the conversation; those it has not had yet are handed over first.

        Whatever happens inside comes back as an `Answer`; one that is not `alive` has ended the process.
        """
        text = Text(self.limits.output_chars, self.limits.written_bytes)
        try:
            with self._pipes.watched(text):
                try:
                    answer = await self._exchange(code, pictures, text)
                except TimeoutError:
                    answer = Answer(outcome="time", alive=False)
                except WrittenTooMuch:
                    answer = Answer(outcome="output", alive=False)
                except Stale as error:
                    answer = Answer(outcome="stale", alive=False, reason=str(error))
                except (Forged, ValueError) as error:
                    answer = Answer(outcome="forged", alive=False, reason=str(error))
                except Closed:
                    answer = await self._after_end()
        except BaseException:  # cancelled: nobody waits for this call any more
            self._begin_to_end()
            raise
        if not answer.alive:
            await self.end()
        return msgspec.structs.replace(answer, text=text.shown())

    async def _exchange(self, code: str, pictures: Sequence[PIL.Image.Image], text: Text) -> Answer:
        """Raises TimeoutError, `WrittenTooMuch`, `Forged`, `Stale`, ValueError, `Closed`."""
        self._go_on()
        if not self._pipes.discard():
            raise Stale("there was a reply before the call")
        name = secrets.token_hex(16)
        new = len(pictures) - self.pictures_given
        request = json.dumps({"id": name, "code": code, "pictures": new}).encode() + b"\n"
        async with asyncio.timeout(self.limits.call_seconds) as limit:
            await self._pipes.send(request)
            for place in range(self.pictures_given, len(pictures)):
                await self._hand_over(pictures, place, limit)
            head = read_head(await self._pipes.line(LONGEST_HEAD), name, self.limits)
            encoded = [await self._pipes.exactly(size) for size in head.pictures]
        self._pipes.settle(text)
        await self._stop()
        self.pictures_given = len(pictures)
        decoded = await asyncio.to_thread(read_pictures, encoded, self.limits) if encoded else ()
        return Answer(outcome=head.outcome, pictures=decoded)

    async def _hand_over(self, pictures: Sequence[PIL.Image.Image], place: int, limit: asyncio.Timeout) -> None:
        """Sends one picture. Looking at it may decode it: not in the loop, and not in the time of the call."""
        began = time.monotonic()
        width, height, pixels = await asyncio.to_thread(_rgb_bytes, pictures, place)
        if (until := limit.when()) is not None:
            limit.reschedule(until + time.monotonic() - began)
        title = json.dumps([f"image_{place + 1}", width, height]).encode() + b"\n"
        await self._pipes.send(title)
        await self._pipes.send(pixels)

    def _go_on(self) -> None:
        if self.launch.group is not None:
            self.launch.group.freeze(False)
        if self._handle is not None:
            _signal(self._handle, signal.SIGCONT)

    async def _stop(self) -> None:
        """Until the next call nothing runs, where it can be reached from here. Raises `Forged`, see `_check_rest`."""
        if self._handle is not None:
            _signal(self._handle, signal.SIGSTOP)
        await self._check_rest()
        if self.launch.group is not None:
            self.launch.group.freeze(True)

    async def _check_rest(self) -> None:
        """Raises `Forged` where the reply was followed by more, or processes are left that the worker ends itself."""
        if not self._pipes.discard():
            raise Forged("more came after the reply")
        group = self.launch.group
        for _ in range(_LOOKS):  # those that were killed just now take a moment to go
            if group is None or group.processes() <= _OWN_PROCESSES:
                return
            await asyncio.sleep(0.005)
        raise Forged("processes went on after the reply")

    async def _after_end(self) -> Answer:
        """The process has ended in the middle of a call, or closed its pipe: why?"""
        await self._until_ended()
        group = self.launch.group
        if group is not None and group.ran_out_of_memory():
            return Answer(outcome="memory", alive=False)
        code = self._status()
        if code is None:
            return Answer(outcome="forged", alive=False, reason="it closed its pipe")
        return Answer(outcome="ended", alive=False, reason=_how_it_ended(code))

    async def end(self) -> None:
        """Ends the process and all that it has started, and frees what it held. May be called more than once.

        Whoever is cancelled while he waits here does not stop it: it goes on in a thread of its own, to its end.
        """
        await asyncio.shield(self._begin_to_end())

    def _begin_to_end(self) -> asyncio.Future[None]:
        if self._ending is None:
            self._kill()
            self._pipes.close()
            self._ending = asyncio.get_running_loop().run_in_executor(None, self._clean_up)
        return self._ending

    def _clean_up(self) -> None:
        self._wait()
        for handle in (self._first, self._handle):
            if handle is not None:
                os.close(handle)
        self._first = self._handle = None
        self.launch.clear_up()
        _slots.discard(self.slot)

    def _kill(self) -> None:
        """The first process of a namespace takes all others with it; bubblewrap sees to its remains, and ends."""
        if self._first is not None:
            _signal(self._first, signal.SIGKILL)
        else:
            self._kill_started()

    def _wait(self) -> None:
        try:
            self._process.wait(_TO_END)
        except subprocess.TimeoutExpired:
            self._kill_started()
            with contextlib.suppress(subprocess.TimeoutExpired):  # caught in the kernel: it ends when that lets it go
                self._process.wait(_TO_END)

    def _kill_started(self) -> None:
        """The process that we have started, and what is still in its group, even where it has ended itself."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if self._process.returncode is None:  # else the number may be another's by now
                os.killpg(self._process.pid, signal.SIGKILL)


def rights_left(pid: int, uid: int, *, filtered: bool) -> str:
    """What a worker has that it must not have, in words; empty if nothing. As the kernel tells it, from outside."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError as error:
        return f"nothing can be said of it: {error}"
    status = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
    wrong = []
    if status["Uid"] != [str(uid)] * 4:
        wrong.append(f"user {status['Uid'][1]}")
    if any(int(status[name][0], 16) for name in ("CapPrm", "CapEff", "CapAmb", "CapInh")):
        wrong.append("capabilities")
    if status["NoNewPrivs"] != ["1"]:
        wrong.append("new privileges")
    if filtered and status["Seccomp"] != ["2"]:
        wrong.append("all system calls")
    return ", ".join(wrong)


@cache
def _sources() -> dict[str, str]:
    folder = resources.files("beholder.sandbox")
    return {f"beholder.sandbox.{name}": folder.joinpath(f"{name}.py").read_text("utf-8") for name in _SOURCES}


def _rgb_bytes(pictures: Sequence[PIL.Image.Image], place: int) -> tuple[int, int, bytes]:
    """(width, height, pixels) of one picture. No other one is held decoded meanwhile."""
    picture = pictures[place]
    return picture.width, picture.height, (picture if picture.mode == "RGB" else picture.convert("RGB")).tobytes()


def _take_slot() -> int:
    """The lowest number that no worker of this process has: its user is numbered by it."""
    slot = next(number for number in count() if number not in _slots)
    _slots.add(slot)
    return slot


def _signal(handle: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(handle, number)


def _first_process(info: int) -> int:
    """The first process of the sandbox, by what bubblewrap wrote before the worker became ready."""
    os.set_blocking(info, False)
    try:
        told: dict[str, Any] = json.loads(os.read(info, 4096))
        return int(told["child-pid"])
    except (OSError, ValueError, KeyError) as error:
        raise SandboxBroken("bubblewrap does not say what it has started") from error


def _only_child(parent: int) -> int:
    """The worker: the one process that the sandbox's first one has started. No code of a model's has run yet."""
    try:
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    except OSError:  # a kernel that does not list them
        children = [path.name for path in Path("/proc").glob("[0-9]*") if _parent_of(path) == str(parent)]
    if len(children) != 1:
        raise SandboxBroken("the worker cannot be found among the processes")
    return int(children[0])


def _parent_of(process: Path) -> str:
    try:
        status = (process / "status").read_text()
    except OSError:
        return ""
    return status.partition("\nPPid:")[2].partition("\n")[0].strip()


def _how_it_ended(code: int) -> str:
    """bubblewrap passes on the exit status of what it ran; a signal as 128 and its number."""
    number = -code if code < 0 else code - 128
    if number in set(signal.Signals):
        return f"by the signal {signal.Signals(number).name}"
    return f"with exit status {code}"
