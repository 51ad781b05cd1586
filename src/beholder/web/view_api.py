"""The routes of the viewer: run folders as JSON, marks into them, and their pictures.

    GET  /api/runs                                   all runs
    GET  /api/run?run=                               the page of a run
    GET  /api/columns?run=                           what its items can be filtered by
    GET  /api/rows?run=&places=3,4,9                 items for the list (at most 300)
    GET  /api/search?run=&text=                      where a text is found
    GET  /api/changes?run=&against=&scorer=          what is better or worse than in another run
    GET  /api/sample?run=&key=                       everything about one item
    POST /api/mark     {run, key, vote, epoch, scorer, note}
    POST /api/unmark   {run, key, number}
    GET  /api/compare?run=A&run=B&scorer=&intersect=1
    GET  /api/leaderboard?benchmark=&scorer=&metric=
    GET  /api/live                                   server-sent events: what changes (`live`)
    GET  /images/SHA256?run=                         a picture; /images/SHA256.webp?run= a small one

Names are parameters, never parts of an address, and are looked up, never joined to a path. What cannot be shown is one
plain sentence with 404 or 422. Everything that reads a run does so in a thread.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
import sqlite3
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from beholder.errors import DataError, UsageError
from beholder.report.plain_text import plain
from beholder.viewer.library import Library
from beholder.viewer.run_page import run_page
from beholder.viewer.run_rows import current_version, run_list
from beholder.web import view_params as asked
from beholder.web.app import as_error, as_json
from beholder.web.live import Live

AT_ONCE = {"several runs": 1, "a run": 1, "indexes": 4, "pictures": 8, "little": 24}
"""How many requests of a kind are carried out at a time. The others wait without a thread, so that no number of
searches keeps a page from its rows; and two comparisons of large runs at once are no quicker than one after the other,
but hold twice as much."""
_IMAGE = re.compile(r"([0-9a-f]{64})(\.webp)?\Z")
_FOREVER = {"cache-control": "private, max-age=31536000, immutable"}
_THIS_SERVER = secrets.token_hex(4)
"""In every tag: after an upgrade nothing that an older server has said is taken for current."""

Answer = Callable[[Library, Request, bytes], Response]


class NotThere(UsageError):
    """There is no such run."""


def router(library: Library) -> APIRouter:
    """The routes over one library. It stays open until the server has ended."""
    routes = APIRouter()
    turns, live = {kind: asyncio.Semaphore(most) for kind, most in AT_ONCE.items()}, Live(library)

    def in_thread(answer: Answer, turn: asyncio.Semaphore) -> Callable[[Request], Any]:
        async def route(request: Request) -> Response:
            body = await request.body()
            async with turn:
                if request.method == "GET" and await request.is_disconnected():
                    return Response(status_code=503)  # who asked has gone on: nobody reads it
                return await run_in_threadpool(_told_plainly, answer, library, request, body)

        return route

    for path, method, answer, kind in [
        ("/api/runs", "GET", _runs, "little"),
        ("/api/run", "GET", _run, "a run"),
        ("/api/columns", "GET", _columns, "indexes"),
        ("/api/rows", "GET", _rows, "little"),
        ("/api/search", "GET", _search, "indexes"),
        ("/api/changes", "GET", _changes, "several runs"),
        ("/api/sample", "GET", _sample, "little"),
        ("/api/mark", "POST", _mark, "little"),
        ("/api/unmark", "POST", _unmark, "little"),
        ("/api/compare", "GET", _compare, "several runs"),
        ("/api/leaderboard", "GET", _leaderboard, "several runs"),
        ("/images/{name}", "GET", _picture, "pictures"),
    ]:
        routes.add_api_route(path, in_thread(answer, turns[kind]), methods=[method], response_model=None)
    routes.add_api_route("/api/live", live.answer, methods=["GET"], response_model=None)
    return routes


def _told_plainly(answer: Answer, library: Library, request: Request, body: bytes) -> Response:
    """The answer, or in one sentence why there is none: a run may come from a stranger and hold anything."""
    try:
        return answer(library, request, body)
    except NotThere as error:
        return as_error(_sentence(library, error), 404)
    except (UsageError, DataError) as error:
        return as_error(_sentence(library, error), 422)
    except (sqlite3.Error, OSError) as error:
        reason = getattr(error, "strerror", None) or error
        return as_error(f"The run cannot be read ({plain(str(reason), one_line=True, limit=200)}).", 422)


def _sentence(library: Library, error: Exception) -> str:
    """What went wrong, without what it tells of this machine."""
    return plain(library.without_paths(str(error)), one_line=True, limit=1_000)


def _runs(library: Library, request: Request, body: bytes) -> Response:
    listed = run_list(library)
    return _unless_known(request, (row.version for row in listed.runs), lambda: listed)


def _run(library: Library, request: Request, body: bytes) -> Response:
    run = _named(library, request)
    return _unless_known(request, [current_version(library, run)], lambda: run_page(library, run))


def _columns(library: Library, request: Request, body: bytes) -> Response:
    index = library.index(_named(library, request))
    return _unless_known(request, [index.version, str(index.ready)], index.columns)


def _rows(library: Library, request: Request, body: bytes) -> Response:
    index, places = library.index(_named(library, request)), asked.places(request)
    return _unless_known(request, [index.version, str(index.ready), str(places)], lambda: index.rows(places))


def _search(library: Library, request: Request, body: bytes) -> Response:
    index = library.index(_named(library, request))
    return as_json(index.search(asked.one(request, "text", most=asked.LONGEST_TEXT)))


def _changes(library: Library, request: Request, body: bytes) -> Response:
    index = library.index(_named(library, request))
    other = library.index(_named(library, request, "against"))
    return as_json(index.changes(other, asked.one(request, "scorer")))


def _sample(library: Library, request: Request, body: bytes) -> Response:
    from beholder.viewer.sample_page import sample_page

    key = asked.one(request, "key", most=asked.LONGEST_KEY, needed=True)
    return as_json(sample_page(library, _named(library, request), key))


def _mark(library: Library, request: Request, body: bytes) -> Response:
    from beholder.viewer.marking import mark

    said = asked.body(body, asked.Marked)
    run = _there(library, said.run)
    return as_json({"marks": mark(library, run, said.key, said.vote, said.epoch, said.scorer, said.note)})


def _unmark(library: Library, request: Request, body: bytes) -> Response:
    from beholder.viewer.marking import unmark

    said = asked.body(body, asked.Unmarked)
    return as_json({"marks": unmark(library, _there(library, said.run), said.key, said.number)})


def _compare(library: Library, request: Request, body: bytes) -> Response:
    runs = [_there(library, run) for run in asked.runs(request)]
    scorer, intersect = asked.one(request, "scorer") or None, asked.one(request, "intersect", most=1) == "1"
    from beholder.viewer.compare_page import compare_page

    return as_json(compare_page(library, runs, scorer=scorer, intersect=intersect))


def _leaderboard(library: Library, request: Request, body: bytes) -> Response:
    from beholder.viewer.leaderboard import leaderboard

    wanted = {name: asked.one(request, name) for name in ("benchmark", "scorer", "metric")}
    return as_json(leaderboard(library, **wanted))


def _picture(library: Library, request: Request, body: bytes) -> Response:
    """A picture by its hash, which never changes, so that the browser may keep it."""
    from beholder.viewer import pictures

    run, found = _named(library, request), _IMAGE.match(request.path_params["name"])
    if found is None:
        raise NotThere("A picture is named by the 64 hexadecimal digits of its SHA-256.")
    sha256, small = found.groups()
    try:
        data, mime = (
            (pictures.small(library, run, sha256), "image/webp") if small else pictures.picture(library, run, sha256)
        )
    except (UsageError, DataError) as error:
        raise NotThere(str(error)) from None
    return Response(data, media_type=mime, headers=_FOREVER)


def _named(library: Library, request: Request, name: str = "run") -> str:
    """The run that a request is about."""
    return _there(library, asked.one(request, name, most=asked.LONGEST_RUN, needed=True))


def _there(library: Library, run: str) -> str:
    try:
        library.folder(run)
    except UsageError as error:
        raise NotThere(str(error)) from None
    return run


def _unless_known(request: Request, said: Iterable[str], make: Callable[[], Any]) -> Response:
    """What `make` gives, with a tag of what it hangs on; 304 if the browser has it already."""
    digest = hashlib.sha256(msgspec.json.encode([_THIS_SERVER, *said])).hexdigest()[:24]
    headers = {"cache-control": "private, no-cache", "etag": f'"{digest}"'}
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    answer = as_json(make())
    answer.headers.update(headers)
    return answer
