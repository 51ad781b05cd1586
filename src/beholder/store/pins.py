"""What a data file was when it was first used: a benchmark that changes under one's feet is found out."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from beholder.errors import UsageError
from beholder.store.folder import write_atomically


def check_pin(runs_dir: Path, data: Path, sha256: str, *, accept: bool) -> None:
    """Remembers the digest of a data path on first use, and refuses another one later unless `accept`.

    The pins lie in `data-pins.json` beside the runs. A damaged pin file is an error too: it must not pass in silence.
    Several runs may start at once: each pins under a lock of the folder, so none undoes another's pin.
    """
    file = runs_dir / "data-pins.json"
    name = str(data.resolve())
    if _refuse_other_data(file, data, name, sha256, accept=accept).get(name) == sha256:
        return
    runs_dir.mkdir(parents=True, exist_ok=True)
    with _alone(runs_dir):
        pins = _refuse_other_data(file, data, name, sha256, accept=accept)
        write_atomically(file, msgspec.json.format(msgspec.json.encode(pins | {name: sha256}), indent=1))


def _refuse_other_data(file: Path, data: Path, name: str, sha256: str, *, accept: bool) -> dict[str, str]:
    """The pins as they stand; `UsageError` if another digest is pinned under the name."""
    pins: dict[str, str] = {}
    if file.is_file():
        try:
            pins = msgspec.json.decode(file.read_bytes(), type=dict[str, str])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{file} is damaged ({error}). Delete it to pin the data anew.") from None
    if pins.get(name, sha256) != sha256 and not accept:
        raise UsageError(
            f"{data} is not the data of earlier runs: its SHA-256 is {sha256[:12]}…, pinned is {pins[name][:12]}…. "
            "If the change is meant, run again with --accept."
        )
    return pins


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Waits until nobody else writes pins in the folder. The lock dies with the process."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
