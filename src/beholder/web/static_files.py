"""The built front end, as it lies in the package: pages, scripts and styles by their names."""

from __future__ import annotations

import hashlib
from importlib import resources

import msgspec

_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}


class Static(msgspec.Struct, frozen=True):
    """A file of the front end: its bytes, type, and what tells one version from another."""

    body: bytes
    mime: str
    tag: str


def static_files() -> dict[str, Static]:
    """The built front end by file name: `annotate.html`, `annotate.js`, …"""
    found = {}
    for file in resources.files(__package__).joinpath("static").iterdir():
        mime = _TYPES.get(file.name.rpartition(".")[2])
        if mime is not None and file.is_file():
            body = file.read_bytes()
            found[file.name] = Static(body, mime, f'"{hashlib.sha256(body).hexdigest()[:16]}"')
    return found
