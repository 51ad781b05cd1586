"""Serving an annotation project to the browsers of this machine, or with a token to others."""

from __future__ import annotations

import re
import secrets
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from beholder.errors import UsageError
from beholder.report.plain_text import plain
from beholder.web.guard import access_for, guarded, in_url, is_loopback, without_port

if TYPE_CHECKING:
    import uvicorn

    from beholder.web.guard import Access, Application

PORT = 8765
_TOKEN = re.compile(r"[A-Za-z0-9._~-]+")
"""What stands in an address and in a cookie as it is."""
MISSING = "The pages need FastAPI and uvicorn. Install them: pip install 'beholder[web]'"


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

    `port` 0 takes a free one. `allow_hosts` are further names under which the server may be asked for, as behind a
    proxy. Only this machine can reach the default `host`; any other, and any other name, needs a token, which is made
    if none is given. Raises `UsageError` if the folder is no project, the address or token cannot be used, or the
    extra `[web]` is not installed.
    """
    if token and not _TOKEN.fullmatch(token):
        raise UsageError("The token must consist of letters A to Z, digits and - . _ ~ only. Choose another --token.")
    try:
        import uvicorn  # noqa: F401 - so that it is said before the project is opened

        from beholder.web.annotate_api import router
        from beholder.web.app import make_app
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("beholder"):
            raise
        raise UsageError(MISSING) from None
    from beholder.annotate.project import Project

    with Project.open(project_folder) as project, listening(host, port) as listener:
        taken = listener.getsockname()[1]
        others = not all(map(is_loopback, [host, *map(without_port, allow_hosts)]))
        chosen = token or (secrets.token_urlsafe(24) if others else "")
        access = access_for(host, taken, names=_names(host, allow_hosts), token=chosen)
        address = page_address(host, taken, chosen)
        waiting = project.progress()
        say(f"{waiting['items'] - waiting['done']} of {waiting['items']} items are to be done. Open {address}")
        if others:
            say("Who has this address can read and decide. It is not encrypted: use it in a network that you trust.")
        say("Ctrl-C ends the server; every decision is saved when it is made.")
        if open_browser:
            import webbrowser

            webbrowser.open(address)
        run(make_app("annotate", [router(project)]), access, listener, say)
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

    config = uvicorn.Config(
        guarded(app, access, say_plainly),
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
    return uvicorn.Server(config)


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
