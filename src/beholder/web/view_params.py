"""What the viewer is asked for, out of addresses and bodies: everything bounded, nothing a path."""

from __future__ import annotations

from typing import Annotated, TypeVar

import msgspec
from fastapi import Request

from beholder.errors import UsageError
from beholder.report.several_runs import MOST_RUNS

MOST_PLACES = 300
LONGEST_NAME = 300
"""Characters of a scorer's or a metric's name."""
LONGEST_RUN = 600
"""Of a run's: two names of folders and what is between them."""
LONGEST_KEY = 1_000
LONGEST_TEXT = 200
_LONGEST_PLACE = 9
"""Digits: more items than any run has."""

T = TypeVar("T")
_Name = Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)]
_Run = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_RUN)]
_Key = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_KEY)]
_Repetition = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
_Row = Annotated[int, msgspec.Meta(ge=1, le=2**62)]
_Note = Annotated[str, msgspec.Meta(max_length=2_000)]


class Marked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a mark: `scorer` is wrong about a response."""

    run: _Run
    key: _Key
    scorer: _Name
    vote: _Repetition = 0
    epoch: _Repetition = 0
    note: _Note = ""


class Unmarked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body that takes a mark back; `number` is that of the mark."""

    run: _Run
    key: _Key
    number: _Row


def one(request: Request, name: str, *, most: int = LONGEST_NAME, needed: bool = False) -> str:
    """The parameter of that name, "" if it is left out. `UsageError` if it comes twice, is too long, or is `needed`."""
    given = request.query_params.getlist(name)
    if len(given) > 1:
        raise UsageError(f"The parameter {name} is there more than once.")
    value = given[0] if given else ""
    if len(value) > most:
        raise UsageError(f"The parameter {name} is longer than {most} characters.")
    if needed and not value:
        raise UsageError(f"The parameter {name} is missing.")
    return value


def runs(request: Request) -> list[str]:
    """The runs that are to be compared, in the order given."""
    given = request.query_params.getlist("run")
    if len(given) > MOST_RUNS:
        raise UsageError(f"At most {MOST_RUNS} runs can be compared at once.")
    if any(len(run) > LONGEST_RUN for run in given):
        raise UsageError(f"The parameter run is longer than {LONGEST_RUN} characters.")
    return given


def places(request: Request) -> list[int]:
    """Places of items, such as `3,4,9`."""
    most = MOST_PLACES * (_LONGEST_PLACE + 1)
    written = one(request, "places", most=most)
    given = written.split(",") if written else []
    if len(given) > MOST_PLACES:
        raise UsageError(f"At most {MOST_PLACES} items can be asked for at once.")
    if not all(place.isascii() and place.isdecimal() and len(place) <= _LONGEST_PLACE for place in given):
        raise UsageError("The parameter places must be whole numbers with commas between them.")
    return [int(place) for place in given]


def body(written: bytes, kind: type[T]) -> T:
    """The body of a request."""
    try:
        return msgspec.json.decode(written, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise UsageError(f"The request cannot be read ({error}).") from None
