"""The checks behind `beholder doctor`. Each says what was found, and what to do where something is wrong."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import sys
import tempfile
from importlib import metadata, util
from io import BytesIO
from pathlib import Path
from typing import Literal

import msgspec

import beholder
from beholder.errors import UsageError
from beholder.store.schema import is_network_filesystem

_EXTRAS = {"data": ("pyarrow", "Parquet files")}
_LITTLE_SPACE = 2 << 30
_SHOWN_MODELS = 5


class Check(msgspec.Struct, frozen=True):
    """One finding. `fail` means that runs will not work; `note` is worth knowing."""

    name: str
    state: Literal["ok", "note", "fail"]
    finding: str


def machine_checks(runs_dir: Path, key_variable: str) -> list[Check]:
    """What can be seen without a network."""
    return [
        _python(),
        _packages(),
        *(_extra(name, module, use) for name, (module, use) in _EXTRAS.items()),
        _cores(),
        _disk(runs_dir),
        _file_system(runs_dir),
        _images(),
        _key(key_variable),
        _proxy(),
    ]


async def endpoint_check(base_url: str, key_variable: str) -> Check:
    """What answers at the endpoint. The same look as before a run, less the name of a model."""
    from beholder.models.address import scrub_url
    from beholder.models.endpoint import Endpoint
    from beholder.models.openai import OpenAIModel

    try:
        model = OpenAIModel("openai/check", Endpoint(base_url=base_url, key_variable=key_variable))
        listing = await model.reach()
    except UsageError as error:
        return Check("endpoint", "fail", str(error))
    found = f"{scrub_url(base_url)} answers"
    if listing.ids:
        more = len(listing.ids) - _SHOWN_MODELS
        names = ", ".join(name[:80] for name in listing.ids[:_SHOWN_MODELS])
        return Check("endpoint", "ok", f"{found}; it serves {names}{f' and {more} more' if more > 0 else ''}")
    if listing.status == 200:
        return Check("endpoint", "ok", f"{found}, without naming a model")
    return Check("endpoint", "note", f"{found} HTTP {listing.status} to /models; a run will show if it serves a model")


def _python() -> Check:
    machine = f"{platform.system()} {platform.machine()}"
    found = f"Python {platform.python_version()} on {machine}, Beholder {beholder.__version__}"
    return Check("python", "ok" if sys.version_info >= (3, 11) else "fail", found)


def _packages() -> Check:
    names = ("aiohttp", "msgspec", "numpy", "pillow", "pybase64", "rich", "typer")
    return Check("packages", "ok", ", ".join(f"{name} {metadata.version(name)}" for name in names))


def _extra(name: str, module: str, use: str) -> Check:
    if util.find_spec(module) is not None:
        return Check(f"extra [{name}]", "ok", f"{module} {metadata.version(module)} ({use})")
    return Check(f"extra [{name}]", "note", f"{module} is not installed: no {use}. pip install 'beholder[{name}]'")


def _cores() -> Check:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Check("cores", "ok", f"{usable} usable")


def _disk(runs_dir: Path) -> Check:
    free = shutil.disk_usage(_existing(runs_dir)).free
    state: Literal["ok", "note"] = "ok" if free > _LITTLE_SPACE else "note"
    return Check("disk", state, f"{free / 1e9:.1f} GB free for {runs_dir}")


def _file_system(runs_dir: Path) -> Check:
    folder = _existing(runs_dir)
    if is_network_filesystem(folder):
        return Check("file system", "note", f"{runs_dir} is on a network: rollback journal, one writer (slower)")
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".beholder-check-") as temporary:
            db = sqlite3.connect(Path(temporary) / "check.db")
            mode = db.execute("PRAGMA journal_mode=WAL").fetchone()[0]
            db.close()
    except (OSError, sqlite3.Error) as error:
        return Check("file system", "fail", f"{runs_dir} cannot be written ({error}). Choose another --runs-dir.")
    return Check("file system", "ok", f"SQLite {sqlite3.sqlite_version}, journal mode {mode}")


def _images() -> Check:
    from PIL import Image, features

    broken = []
    for name in ("JPEG", "PNG", "WEBP", "GIF"):
        try:
            Image.new("RGB", (8, 8)).save(BytesIO(), name)
        except (OSError, KeyError):
            broken.append(name)
    if broken:
        return Check("images", "fail", f"Pillow cannot write {', '.join(broken)}. Reinstall pillow.")
    turbo = "libjpeg-turbo" if features.check_feature("libjpeg_turbo") else "libjpeg"
    return Check("images", "ok", f"JPEG ({turbo}), PNG, WebP, GIF")


def _key(variable: str) -> Check:
    given = bool(os.environ.get(variable))
    finding = f"{variable} is set" if given else f"{variable} is not set; fine for servers that ask for no key"
    return Check("API key", "ok" if given else "note", finding)


def _proxy() -> Check:
    from beholder.models.address import scrub_url, usable_proxy

    found: list[str] = []
    state: Literal["ok", "note"] = "ok"
    for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"):
        value = os.environ.get(name)
        try:
            address = usable_proxy(value)
        except UsageError:
            found.append(f"{name} is not an address of an HTTP proxy; write http://HOST:PORT, or unset it")
            state = "note"
        else:
            found += [f"{name}={scrub_url(address)}"] if address else []
    found += [f"{name}={scrub_url(os.environ[name])}" for name in ("NO_PROXY", "no_proxy") if os.environ.get(name)]
    return Check("proxy", state, ", ".join(found) or "none in the environment")


def _existing(folder: Path) -> Path:
    folder = folder.resolve()
    while not folder.exists():
        folder = folder.parent
    return folder
