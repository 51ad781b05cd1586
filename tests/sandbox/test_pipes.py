"""What the host reads and writes: bounded, and never waiting where a worker keeps silent."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable

import pytest

from beholder.sandbox.pipes import Closed, Pipes, Text, WrittenTooMuch

TEXTS = [
    # (pieces, what is shown of them in 8 characters)
    ([b""], ""),
    ([b"12345678"], "12345678"),
    ([b"1234", b"5678"], "12345678"),
    ([b"1234567890"], "123456\n[… 2 bytes left out …]\n90"),
    ([b"1"] * 9, "111111\n[… 1 bytes left out …]\n11"),
    ([b"123456", b"x" * 1_000_000, b"89"], "123456\n[… 1000000 bytes left out …]\n89"),
    ([b"\xff\xfe"], "\ufffd\ufffd"),
    (["ü".encode()[:1], "ü".encode()[1:]], "ü"),
]


@pytest.mark.parametrize(("pieces", "shown"), TEXTS)
def test_the_beginning_and_the_end_of_a_text_are_kept(pieces: list[bytes], shown: str) -> None:
    text = Text(chars=8, most=2_000_000)
    for piece in pieces:
        text.add(piece)
    assert text.shown() == shown


def test_a_text_that_goes_on_for_ever_is_stopped() -> None:
    text = Text(chars=8, most=100)
    for _ in range(10):
        text.add(b"0123456789")
    with pytest.raises(WrittenTooMuch):
        text.add(b"0")


def test_who_writes_byte_by_byte_is_not_read_byte_by_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beholder.sandbox.pipes._REST", 0.2)

    async def exchange(pipes: Pipes, text: Text) -> tuple[int, int, bytes]:
        reply = asyncio.create_task(pipes.exactly(40))
        for _ in range(40):
            os.write(pipes.worker_err, b"x")
            os.write(pipes.worker_out, b"y")
            await asyncio.sleep(0.001)
        return text.size, len(pipes._ahead), await reply

    seen, ahead, reply = with_pipes(exchange)
    assert 1 <= seen < 40
    assert ahead == 0
    assert reply == b"y" * 40


def test_who_waits_for_pipes_that_are_closed_is_told_so() -> None:
    async def exchange(pipes: Pipes, _: Text) -> list[str]:
        waiting = [asyncio.create_task(pipes.line(10)), asyncio.create_task(pipes.send(bytes(1 << 20)))]
        await asyncio.sleep(0.02)
        pipes.close()
        return [type(error).__name__ for error in await asyncio.gather(*waiting, return_exceptions=True)]

    assert with_pipes(exchange) == ["Closed", "Closed"]


def with_pipes(exchange: Callable[[Pipes, Text], Awaitable[object]]) -> object:
    """Runs an exchange with pipes whose other ends are ours."""

    async def run() -> object:
        pipes = Pipes()
        text = Text(chars=100, most=1000)
        try:
            with pipes.watched(text):
                async with asyncio.timeout(5):
                    return await exchange(pipes, text)
        finally:
            pipes.started()
            pipes.close()

    return asyncio.run(run())


def test_lines_and_bytes_are_read_whatever_pieces_they_come_in() -> None:
    async def exchange(pipes: Pipes, _: Text) -> tuple[bytes, bytes]:
        os.write(pipes.worker_out, b"he")
        loop = asyncio.get_running_loop()
        loop.call_later(0.01, os.write, pipes.worker_out, b"ad\n12")
        loop.call_later(0.02, os.write, pipes.worker_out, b"3456")
        return await pipes.line(10), await pipes.exactly(6)

    assert with_pipes(exchange) == (b"head", b"123456")


@pytest.mark.parametrize("data", [b"x" * 11, b"x" * 11 + b"\n", b"x" * 60_000])
def test_a_line_that_is_too_long_is_refused(data: bytes) -> None:
    async def exchange(pipes: Pipes, _: Text) -> None:
        os.write(pipes.worker_out, data)
        with pytest.raises(ValueError, match="more than 10 bytes"):
            await pipes.line(10)

    with_pipes(exchange)


def test_an_end_that_is_closed_is_noticed() -> None:
    async def exchange(pipes: Pipes, _: Text) -> None:
        spare = os.dup(pipes.worker_err)
        pipes.started()
        with pytest.raises(Closed):
            await pipes.line(10)
        with pytest.raises(Closed):
            await pipes.send(b"x")
        pipes.worker_in, pipes.worker_out, pipes.worker_err = os.dup(spare), os.dup(spare), spare

    with_pipes(exchange)


def test_text_that_was_printed_before_a_reply_is_there_with_it() -> None:
    async def exchange(pipes: Pipes, text: Text) -> str:
        os.write(pipes.worker_err, b"printed")
        os.write(pipes.worker_out, b"reply\n")
        await pipes.line(10)
        pipes.settle(text)
        return text.shown()

    assert with_pipes(exchange) == "printed"


def test_too_much_text_ends_the_wait_for_a_reply() -> None:
    async def exchange(pipes: Pipes, _: Text) -> None:
        os.write(pipes.worker_err, b"x" * 2000)
        with pytest.raises(WrittenTooMuch):
            await pipes.line(10)

    with_pipes(exchange)


def test_a_worker_that_does_not_read_does_not_stop_the_loop() -> None:
    async def exchange(pipes: Pipes, _: Text) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await pipes.send(bytes(1 << 20))

    with_pipes(exchange)


def test_what_came_between_two_exchanges_is_thrown_away_and_a_reply_is_noticed() -> None:
    async def exchange(pipes: Pipes, text: Text) -> tuple[bool, bool, str]:
        os.write(pipes.worker_err, b"late")
        quiet = pipes.discard()
        os.write(pipes.worker_out, b"{}\n")
        return quiet, pipes.discard(), text.shown()

    assert with_pipes(exchange) == (True, False, "")
