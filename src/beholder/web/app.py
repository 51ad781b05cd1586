"""The application: JSON routes, the built pages, and one plain sentence for whatever goes wrong.

Pages and their scripts and styles come from a table that is made once from the package's own `static/` folder: no
address ever becomes a path.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.responses import Response

from beholder.report.as_json import dump
from beholder.web.guard import MISTAKE
from beholder.web.static_files import Static, static_files

_KNOWN = {404: "There is nothing at this address.", 405: "This address does not take such a request."}


def make_app(page: str, routers: Sequence[APIRouter]) -> FastAPI:
    """An application that shows the page of that name at `/`, its assets under `/assets/`, and what the routers add.

    It has no checks of who asks: serve it through `guard.guarded`.
    """
    files = static_files()
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    for router in routers:
        app.include_router(router)

    async def index(request: Request) -> Response:
        return _given_out(files[f"{page}.html"], request)

    async def asset(request: Request) -> Response:
        found = files.get(request.path_params["name"])
        if found is None or found.mime.startswith("text/html"):
            raise HTTPException(404)
        return _given_out(found, request)

    app.add_api_route("/", index, methods=["GET", "HEAD"], response_model=None)
    app.add_api_route("/assets/{name}", asset, methods=["GET", "HEAD"], response_model=None)
    app.add_exception_handler(HTTPException, _say_error)
    app.add_exception_handler(404, _say_error)
    app.add_exception_handler(405, _say_error)
    app.add_exception_handler(Exception, _say_mistake)
    return app


def as_json(content: Any, status: int = 200) -> Response:
    """An answer in JSON, of anything that msgspec can write; halves of characters and huge numbers go as they are."""
    try:
        written = msgspec.json.encode(content)
    except (UnicodeEncodeError, OverflowError):
        written = dump(content).encode()
    return Response(written, status_code=status, media_type="application/json")


def as_error(sentence: str, status: int, **more: Any) -> Response:
    """An error: one plain sentence, and what else the page needs to know."""
    return as_json({"error": sentence, **more}, status)


def _given_out(file: Static, request: Request) -> Response:
    """Always asked for again, and sent again only if it has changed: an upgrade shows at once."""
    headers = {"cache-control": "no-cache", "etag": file.tag}
    if request.headers.get("if-none-match") == file.tag:
        return Response(status_code=304, headers=headers)
    return Response(file.body, media_type=file.mime, headers=headers)


async def _say_error(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 500)
    return as_error(_KNOWN.get(status, "The request could not be carried out."), status)


async def _say_mistake(request: Request, error: Exception) -> Response:
    """The guard tells the terminal what it was."""
    return as_error(MISTAKE, 500)
