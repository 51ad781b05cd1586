"""Any text as SQLite can hold it."""

from __future__ import annotations

import msgspec


def storable(text: str | None) -> str | None:
    """SQLite holds UTF-8: a lone surrogate is written as its escaped form (`\\udc80`)."""
    if text is None or text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def json_text(value: object) -> str:
    """JSON as text, not bytes: SQLite's JSON functions read only text. Lone surrogates as in `storable`."""
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        return msgspec.json.encode(_without_surrogates(msgspec.to_builtins(value))).decode()


def _without_surrogates(value: object) -> object:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(key): _without_surrogates(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(inner) for inner in value]
    return value
