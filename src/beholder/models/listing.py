"""Reading a server's list of models, and what its answer says about the name that was asked for: pure."""

from __future__ import annotations

import difflib
from typing import Any

import msgspec

_SHOWN = 5
_LONGEST = 80


class Listing(msgspec.Struct, frozen=True):
    """What answered when the models were asked for: the HTTP status, and the ids where it gave a list of them.

    `ids` is empty unless the answer is a well-formed and whole list.
    """

    status: int
    ids: tuple[str, ...] = ()


def read_listing(status: int, body: bytes) -> Listing:
    """The list in an answer to `/models`, `{"data": [{"id": …}, …]}`; anything else is an empty one."""
    if status != 200:
        return Listing(status)
    try:
        answer = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Listing(status)
    entries: Any = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(entries, list) or answer.get("has_more"):
        return Listing(status)
    ids = [entry.get("id") if isinstance(entry, dict) else None for entry in entries]
    known = tuple(name for name in ids if isinstance(name, str) and name)
    return Listing(status, known if len(known) == len(ids) else ())


def lacks(listing: Listing, name: str) -> bool:
    """Whether a list of models rules a name out.

    Not if an id is the name with an organisation before it or the other way round, the name's `:latest`, the name
    without its `:variant`, or a pattern (`openai/*`).
    """
    return bool(listing.ids) and not any(
        one == name
        or one.endswith("/" + name)
        or name.endswith("/" + one)
        or one == name + ":latest"
        or name.startswith(one + ":")
        or "*" in one
        for one in listing.ids
    )


def known_names(listing: Listing, name: str) -> str:
    """The ids nearest to a name, and up to 5 that are known, in words.

    >>> known_names(Listing(200, ("qwen2.5-vl-7b", "other")), "qwen2.5-vl")
    'Did you mean qwen2.5-vl-7b? It serves qwen2.5-vl-7b, other.'
    """
    # The comparison is quadratic in the length of an id and the list is the server's: both are bounded.
    short = [one for one in listing.ids[:1000] if len(one) <= _LONGEST]
    near = difflib.get_close_matches(name[:_LONGEST], short, n=2, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    more = len(listing.ids) - _SHOWN
    return f"{hint}It serves {', '.join(map(_told, listing.ids[:_SHOWN]))}{f' and {more} more' if more > 0 else ''}."


def _told(one: str) -> str:
    words = " ".join(one.split())
    return words if len(words) <= _LONGEST else words[:_LONGEST] + "…"
