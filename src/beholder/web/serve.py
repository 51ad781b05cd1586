"""Serving an annotation project, or the viewer, to the browsers of this machine, or with a token to others."""

from __future__ import annotations

import re
import secrets
import socket
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from beholder.errors import UsageError
from beholder.report.plain_text import plain
from beholder.web.guard import access_for, guarded, in_url, is_loopback, without_port

if TYPE_CHECKING:
    import uvicorn
    from fastapi import APIRouter

    from beholder.web.guard import Access, Application, Receive, Scope, Send

PORT, VIEW_PORT = 8765, 8766
"""Of annotation projects, and of the viewer: both can be open at once."""
_TOKEN = re.compile(r"[A-Za-z0-9._~-]+")
"""What stands in an address and in a cookie as it is."""
_ENDS = "Ctrl-C ends the server."
_ENDS_PROJECT = "Ctrl-C ends the server; every decision is saved when it is made."
MISSING = "The pages need FastAPI and uvicorn. Install them: pip install 'beholder[web]'"


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """Where a server is to be reached.

    `port` 0 takes a free one. `allow_hosts` are further names under which it may be asked for, as behind a proxy. Only
    this machine can reach the default `host`; any other, and any other name, needs a `token`, which is made if none is
    given.
    """

    host: str = "127.0.0.1"
    port: int
    token: str | None = None
    allow_hosts: Sequence[str] = ()
    open_browser: bool = False


def serve(
    project_folder: Path,
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    token: str | None = None,
    allow_hosts: Sequence[str] = (),
    open_browser: bool = False,
    say: Callable[[str], None] = print,
) -> None:
    """Serves the annotation page of a project until Ctrl-C; the address is said first.

    Where and to whom: see `Address`. Raises `UsageError` if the folder is no project, the address or token cannot be
    used, or the extra `[web]` is not installed.
    """
    wanted = Address(host=host, port=port, token=token, allow_hosts=allow_hosts, open_browser=open_browser)
    _check(wanted)
    from beholder.annotate.project import Project
    from beholder.web.annotate_api import router

    with Project.open(project_folder) as project:
        waiting = project.progress()
        said = f"{waiting['items'] - waiting['done']} of {waiting['items']} items are to be done."
        _serve("annotate", router(project), wanted, said, say, may="read and decide", ends=_ENDS_PROJECT)


def serve_view(
    runs_dir: Path, wanted: Address, *, page: str = "", told: str = "", say: Callable[[str], None] = print
) -> None:
    """Serves the viewer over a folder of runs until Ctrl-C; the address is said first.

    `page` is what is opened (`#/run?run=ID`; "" for the list of runs), `told` what the line with the address begins
    with. Raises `UsageError` as `serve` does.
    """
    _check(wanted)
    from beholder.viewer.library import Library
    from beholder.web.view_api import router

    with closing(Library(runs_dir)) as library:
        if library.note:
            say(library.note)
        _serve("view", router(library), wanted, told, say, may="read and mark", page=page)


def _check(wanted: Address) -> None:
    """`UsageError` for what cannot be used, said before anything is opened."""
    if wanted.token and not _TOKEN.fullmatch(wanted.token):
        raise UsageError("The token must consist of letters A to Z, digits and - . _ ~ only. Choose another --token.")
    try:
        import fastapi
        import uvicorn
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("beholder"):
            raise
        raise UsageError(MISSING) from None
    del fastapi, uvicorn


def _serve(
    name: str,
    routes: APIRouter,
    wanted: Address,
    told: str,
    say: Callable[[str], None],
    *,
    may: str,
    page: str = "",
    ends: str = _ENDS,
) -> None:
    """Serves the page of that name with its routes. `may` says what whoever has the address can do."""
    from beholder.web.app import make_app

    with listening(wanted.host, wanted.port) as listener:
        taken = listener.getsockname()[1]
        others = not all(map(is_loopback, [wanted.host, *map(without_port, wanted.allow_hosts)]))
        chosen = wanted.token or (secrets.token_urlsafe(24) if others else "")
        access = access_for(wanted.host, taken, names=_names(wanted.host, wanted.allow_hosts), token=chosen)
        address = page_address(wanted.host, taken, chosen) + page
        say(f"{told} Open {address}".strip())
        if others:
            say(f"Who has this address can {may}. It is not encrypted: use it in a network that you trust.")
        say(ends)
        if wanted.open_browser:
            import webbrowser

            webbrowser.open(address)
        run(make_app(name, [routes]), access, listener, say)
    say("The server has ended.")


def run(app: Application, access: Access, listener: socket.socket, say: Callable[[str], None]) -> None:
    """Answers on a listening socket until Ctrl-C or SIGTERM."""
    try:
        server_for(app, access, say).run(sockets=[listener])
    except KeyboardInterrupt:
        return  # uvicorn has closed all connections, and raises what interrupted it once more


def server_for(app: Application, access: Access, say: Callable[[str], None] = print) -> uvicorn.Server:
    """A server of the application behind the guard."""
    import uvicorn

    def say_plainly(line: str) -> None:
        say(plain(line, one_line=True, limit=500))

    async def with_word_of_the_end(scope: Scope, receive: Receive, send: Send) -> None:
        """Lets whatever answers for long (`request.state.is_ending()`) know that the server is about to end."""
        scope.setdefault("state", {})["is_ending"] = lambda: server.should_exit
        await app(scope, receive, send)

    config = uvicorn.Config(
        guarded(with_word_of_the_end, access, say_plainly),
        http="h11",  # also where a faster parser is installed, which would not bound the headers
        lifespan="off",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=3,
        h11_max_incomplete_event_size=64 * 1024,
    )
    server = uvicorn.Server(config)
    return server


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens; `UsageError` if the address is taken, or is none of this machine."""
    if not 0 <= port <= 65_535:
        raise UsageError(f"There is no port {port}; choose one from 1 to 65535, or 0 for any that is free.")
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"The server cannot use {in_url(host)}:{port} ({reason}). Choose another --port.") from None


def page_address(host: str, port: int, token: str) -> str:
    """What a person opens: with the token where one is asked for."""
    name = socket.gethostname() if _is_any(host) else host
    return f"http://{in_url(name)}:{port}/" + (f"?token={token}" if token else "")


def _names(host: str, allow_hosts: Sequence[str]) -> list[str]:
    return [*allow_hosts, socket.gethostname()] if _is_any(host) else list(allow_hosts)


def _is_any(host: str) -> bool:
    """Whether the server is bound to all addresses of the machine, so that its name must stand in the address."""
    return host.strip("[]") in ("0.0.0.0", "::", "")  # noqa: S104 - compared, not bound
