"""Whom the server answers: a wall around the application, so that no route can forget a check.

A page that is open in the same browser can send requests to any port of this machine, and a name of its own can be made
to point here (DNS rebinding). So: only hosts that we know, no request that another site began, a token wherever
the server can be reached from elsewhere, and bodies of a bounded size. Every answer carries a policy by which a page
can load and ask for nothing but what this server gives out.
"""

from __future__ import annotations

import ipaddress
import json
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BYTES = 4 * 1024 * 1024
"""Of a body: more than the largest form, filled in to its bounds and escaped, needs."""
SLOWEST = 30.0
"""Seconds within which a body must be there."""
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
PLACES = frozenset({"api", "images", "assets"})
"""First parts of the addresses that are no page."""

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
"""On every answer. `cache-control: no-store` is added where a route says nothing else."""


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """Who may ask. `hosts` are the values of `Host` that are answered, in lower case, with a port where there is one.

    `any_address` also answers a host that is a bare IP address: no name can be made to point here by that. `token`
    is asked for if it is not empty; `cookie` is the name of the cookie that carries it.
    """

    hosts: frozenset[str]
    any_address: bool = False
    token: str = ""
    cookie: str = "beholder"


def is_loopback(host: str) -> bool:
    """Whether an address to bind to can be reached from this machine only."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def in_url(host: str) -> str:
    """A host as it stands in an address: IPv6 in brackets."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def without_port(name: str) -> str:
    """The host of a name that may have a port.

    >>> without_port("lab:80"), without_port("::1"), without_port("[::1]:80")
    ('lab', '[::1]', '[::1]')
    """
    host = _as_host(name)
    return host.rpartition(":")[0] if _has_port(host) else host


def access_for(host: str, port: int, *, names: Iterable[str] = (), token: str = "") -> Access:
    """Who may ask a server that is bound to `host` and `port`; `names` are further hosts, with or without a port.

    A name without a port is answered on our port and on the usual one, as it is behind a proxy.
    """
    hosts = {f"{name}:{port}" for name in (*LOOPBACK_NAMES, in_url(host).lower())}
    for name in names:
        named = _as_host(name)
        hosts |= {named} if _has_port(named) else {named, f"{named}:{port}"}
    return Access(hosts=frozenset(hosts), any_address=not is_loopback(host), token=token, cookie=f"beholder-{port}")


def guarded(application: Application, access: Access, say: Callable[[str], None]) -> Application:
    """The application behind the wall. `say` gets one line about each fault of ours."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await application(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # a WebSocket: nothing here speaks it, and the server closes it
        headers = _headers(scope)
        more: list[tuple[bytes, bytes]] = []
        started = False

        async def send_with_ours(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message = {**message, "headers": _with_ours([*message.get("headers", ()), *more])}
            await send(message)

        refused = refusal(scope["method"], scope["path"], scope["query_string"], headers, access)
        if refused is not None:
            await _refuse(send_with_ours, *refused)
            return
        body = await _read(receive)
        if body is None:
            return  # who asked is gone: half a request is not carried out
        if not isinstance(body, bytes):
            await _refuse(send_with_ours, *body)
            return
        if _token_in_address(scope["path"], scope["query_string"], access):
            cookie = f"{access.cookie}={access.token}; Path=/; HttpOnly; SameSite=Strict"
            more.append((b"set-cookie", cookie.encode()))
        try:
            await application(scope, _again(body, receive), send_with_ours)
        except Exception as error:  # noqa: BLE001 - the last one who can answer; a traceback would tell a stranger too much
            say(f"A request could not be answered ({type(error).__name__}: {error}).")
            if not started:
                await _refuse(send_with_ours, 500, MISTAKE)

    return answer


def refusal(method: str, path: str, query: bytes, headers: dict[str, str], access: Access) -> tuple[int, str] | None:
    """Status and sentence of a request that is not answered; None for one that is.

    `headers` by lower-case names. A header that is given twice must have been joined by a comma, which fits no host.
    """
    host = headers.get("host", "").lower()
    if not _is_known(host, access):
        return 403, "This server does not answer to that host name. Start it with --allow-host NAME to permit it."
    if not _is_from_here(method, path, host, headers):
        return 403, "Another site sent this request, so it was not carried out."
    if not _is_let_in(path, query, headers, access):
        return 401, "Open the address with the token that the server printed when it started."
    length = headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > 18 or int(length) > MOST_BYTES:
        return 413, _TOO_LARGE
    is_json = headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"
    if method not in ("GET", "HEAD") and not is_json:
        return 415, "Send JSON, with the content type application/json."
    return None


MISTAKE = "The server made a mistake; its terminal says which."
_TOO_SLOW = f"The request was not complete within {SLOWEST:.0f} seconds, so it was not carried out."
_TOO_LARGE = f"The request is larger than {MOST_BYTES // 1024 // 1024} MiB, so it was not read."


def _is_known(host: str, access: Access) -> bool:
    if host in access.hosts:
        return True
    if not access.any_address:
        return False
    try:
        ipaddress.ip_address(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False
    return True


def _is_from_here(method: str, path: str, host: str, headers: dict[str, str]) -> bool:
    """Whether our own page, the address bar or a program sent the request; a link from elsewhere may open a page."""
    origin, site = headers.get("origin"), headers.get("sec-fetch-site", "same-origin")
    if origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}"):
        return False
    if method not in ("GET", "HEAD"):
        return site == "same-origin"
    return site in ("same-origin", "none") or (headers.get("sec-fetch-mode") == "navigate" and is_page(path))


def _is_let_in(path: str, query: bytes, headers: dict[str, str], access: Access) -> bool:
    """The page brings the token in its address; from then on every request has it in a cookie."""
    if not access.token or _token_in_address(path, query, access):
        return True
    return _same(_cookie(headers.get("cookie", ""), access.cookie), access.token)


def _token_in_address(path: str, query: bytes, access: Access) -> bool:
    """Whether a page is opened with the right token. It gets the cookie with the page itself and not by a redirect,
    which a browser that came by a link from elsewhere would follow without the cookie."""
    if not access.token or not is_page(path):
        return False
    return any(_same(given, access.token) for given in parse_qs(query.decode("latin-1")).get("token", []))


def _same(given: str, token: str) -> bool:
    return secrets.compare_digest(given.encode(errors="replace"), token.encode())


def is_page(path: str) -> bool:
    """Whether an address is one that a person opens."""
    return path.strip("/").partition("/")[0] not in PLACES


def _cookie(header: str, name: str) -> str:
    try:
        found = SimpleCookie(header).get(name)
    except CookieError:
        return ""
    return found.value if found else ""


def _as_host(name: str) -> str:
    """A name that a person gave, as `Host` has it."""
    lowered = name.strip().lower()
    return in_url(lowered) if lowered.count(":") > 1 else lowered


def _has_port(host: str) -> bool:
    return host.rpartition(":")[2].isdecimal() and not host.endswith("]")


def _headers(scope: Scope) -> dict[str, str]:
    found: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        found[name] = f"{found[name]},{value}" if name in found else value
    return found


def _with_ours(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    kept = [(name, value) for name, value in headers if name.decode("latin-1").lower() not in HEADERS]
    kept += [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    if all(name.lower() != b"cache-control" for name, _ in kept):
        kept.append((b"cache-control", b"no-store"))
    return kept


async def _read(receive: Receive) -> bytes | tuple[int, str] | None:
    """The whole body, which is small, whatever its headers said. Status and sentence if it is too large or too slow,
    None if the connection ended before it."""
    import asyncio  # here, so that a command that serves nothing does not load it

    body = bytearray()
    try:
        async with asyncio.timeout(SLOWEST):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                body += message.get("body", b"")
                if len(body) > MOST_BYTES:
                    return 413, _TOO_LARGE
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        return 408, _TOO_SLOW


def _again(body: bytes, receive: Receive) -> Receive:
    """Gives out a body that was read already, and after it what else the connection says."""
    given = False

    async def receive_again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again


async def _refuse(send: Send, status: int, sentence: str) -> None:
    body = json.dumps({"error": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status in (408, 413):
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
