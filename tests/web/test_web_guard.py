"""The server as strangers meet it: real requests on loopback, byte by byte where clients would not send them."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import AUTHOR, KEY, ask, put, unchanged
from running_server import JSON
from served_projects import Served, made, serving

from beholder.annotate.project import Project
from beholder.web import guard
from beholder.web.guard import MOST_BYTES, access_for, in_url, is_loopback, refusal
from beholder.web.serve import server_for


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(made(tmp_path_factory.mktemp("served") / "project")) as running:
        yield running


# -- who asks ------------------------------------------------------------------------------------------------------

FOREIGN_HOSTS = [
    "evil.example",
    "evil.example:{port}",
    "127.0.0.1",
    "127.0.0.1:1",
    "localhost.evil.example:{port}",
    "127.0.0.1:{port}@evil.example",
    "192.168.1.9:{port}",
    "[::2]:{port}",
    "",
]


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
@pytest.mark.parametrize("path", ["/", "/api/project", "/assets/annotate.js"])
def test_a_host_that_we_do_not_know_is_not_answered(served: Served, host: str, path: str) -> None:
    reply = ask(served, path, headers={"Host": host.format(port=served.port)})
    assert reply.status == 403
    assert "--allow-host" in reply.sentence()


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}", "[::1]:{port}"])
def test_the_names_of_this_machine_are_answered(served: Served, host: str) -> None:
    assert ask(served, "/api/project", headers={"Host": host.format(port=served.port)}).status == 200


FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "http://127.0.0.1:{port}.evil.example"},
    {"Origin": "file://"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_decision_that_another_site_sends_is_refused(served: Served, headers: dict[str, str]) -> None:
    sent = {name: value.format(port=served.port) for name, value in headers.items()}
    reply = put(served, {"value": {}, "revision": 0, "action": "skip"}, sent)
    assert reply.status == 403
    assert "Another site" in reply.sentence()
    unchanged(served)


@pytest.mark.parametrize("path", ["/api/queue", "/assets/annotate.js", "/images/" + "0" * 64])
def test_another_site_can_read_nothing_but_may_link_to_the_page(served: Served, path: str) -> None:
    foreign = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert ask(served, path, headers=foreign).status == 403
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert ask(served, path, headers=link).status == 403
    assert ask(served, "/", headers=link).status == 200


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "", "multipart/form-data; boundary=x"]
)
def test_a_form_of_another_page_cannot_be_a_decision(served: Served, kind: str) -> None:
    reply = put(served, {"value": {}, "revision": 0, "action": "skip"}, {"Content-Type": kind})
    assert reply.status == 415
    unchanged(served)


PREFLIGHT = {"Origin": "https://evil.example", "Access-Control-Request-Method": "PUT"}
METHODS = [
    ("HEAD", "/", {}, 200),
    ("HEAD", "/assets/annotate.js", {}, 200),
    ("HEAD", "/api/queue", AUTHOR, 405),
    ("OPTIONS", f"/api/items/{KEY}", PREFLIGHT, 403),
    ("OPTIONS", f"/api/items/{KEY}", {}, 415),
    ("POST", "/", JSON, 405),
    ("DELETE", f"/api/items/{KEY}", JSON, 405),
    ("TRACE", "/", JSON, 405),
    ("FOO", "/", {}, 415),
]


@pytest.mark.parametrize(("method", "path", "headers", "status"), METHODS)
def test_other_methods_do_nothing(served: Served, method: str, path: str, headers: dict[str, str], status: int) -> None:
    reply = ask(served, path, method, headers)
    assert reply.status == status
    assert not [name for name in reply.headers if name.startswith("access-control")]
    if method == "HEAD":
        assert reply.body == b""
    unchanged(served)


# -- the token -----------------------------------------------------------------------------------------------------


def test_a_token_is_asked_for_and_becomes_a_cookie(tmp_path: Path) -> None:
    with serving(made(tmp_path / "project"), token="right-token") as served:
        for path in (
            "/",
            "/api/project",
            "/assets/annotate.js",
            "/?token=wrong",
            "/?token=",
            "/api/project?token=right-token",
        ):
            reply = ask(served, path)
            assert (reply.status, "set-cookie" in reply.headers) == (401, False), path
            assert "token" in reply.sentence()
        reply = ask(served, "/?token=right-token")
        assert reply.status == 200
        cookie = reply.headers["set-cookie"]
        assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
        pair = cookie.partition(";")[0]
        assert ask(served, "/api/project", headers={"Cookie": f"other=1; {pair}"}).status == 200
        assert ask(served, "/api/project", headers={"Cookie": pair.replace("right", "wrong")}).status == 401
        assert ask(served, "/api/project", headers={"Cookie": '"; \x7f=;;'}).status == 401


def test_elsewhere_than_on_loopback_addresses_are_answered_and_names_are_not() -> None:
    access = access_for("0.0.0.0", 8765, names=["lab.example", "[fd00::1]:99"], token="t")
    cookie = {"cookie": f"{access.cookie}=t"}

    def status(host: str) -> int:
        refused = refusal("GET", "/api/project", b"", cookie | {"host": host}, access)
        return 200 if refused is None else refused[0]

    for host in (
        "192.168.1.9:8765",
        "[fe80::1]:8765",
        "lab.example",
        "lab.example:8765",
        "[fd00::1]:99",
        "localhost:8765",
    ):
        assert status(host) == 200, host
    for host in (
        "evil.example",
        "lab.example.evil:8765",
        "lab.example:1",
        "192.168.1.9.evil.example:8765",
        "",
        "[::1",
        "a:b:c",
    ):
        assert status(host) == 403, host


@pytest.mark.parametrize("host", ["127.0.0.2", "::1", "LAB", "10.0.0.7"])
def test_the_address_that_is_listened_at_is_answered(host: str) -> None:
    access = access_for(host, 8765)
    asked = {"host": in_url(host).lower() + ":8765"}
    assert refusal("GET", "/", b"", asked, access) is None


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("localhost", True),
        ("::1", True),
        ("127.9.9.9", True),
        ("0.0.0.0", False),
        ("::", False),
        ("lab", False),
    ],
)
def test_what_is_loopback(host: str, local: bool) -> None:
    assert is_loopback(host) is local


# -- what is asked for ---------------------------------------------------------------------------------------------

NOWHERE = [
    "/assets/../guard.py",
    "/assets/%2e%2e/guard.py",
    "/assets/..%2fguard.py",
    "/assets/%2fetc%2fpasswd",
    "/assets/annotate.html",
    "/assets/annotate.js/",
    "/assets/",
    "/images/../project.db",
    "/images/..%2f..%2fproject.db",
    "/images/" + "a" * 64,
    "/images/" + "A" * 64,
    "/images/" + "a" * 63 + "%0a",
    "/images/" + "a" * 5_000,
    "/project.db",
    "/static/annotate.js",
    "//etc/passwd",
    "/%00",
    "/docs",
    "/openapi.json",
]


@pytest.mark.parametrize("path", NOWHERE, ids=lambda path: path[:40])
def test_no_address_leads_out_of_the_table(served: Served, path: str) -> None:
    reply = ask(served, path, headers=AUTHOR)
    assert reply.status == 404
    assert reply.sentence()


def test_pictures_come_under_the_type_that_their_bytes_show(served: Served) -> None:
    item = served.project.item(KEY, "Ada")
    reply = ask(served, f"/images/{item.image}")
    assert (reply.status, reply.headers["content-type"]) == (200, "image/png")
    assert "immutable" in reply.headers["cache-control"]
    assert reply.body == served.project.picture(item.image)[0]


def test_pages_and_assets_are_sent_again_only_if_they_changed(served: Served) -> None:
    reply = ask(served, "/assets/annotate.css")
    assert reply.headers["content-type"].startswith("text/css")
    again = ask(served, "/assets/annotate.css", headers={"If-None-Match": reply.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    assert ask(served, "/").headers["content-type"].startswith("text/html")


# -- what is sent ----


def raw(served: Served, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", served.port), timeout=20) as connection:
        got = b""
        try:
            connection.sendall(request)
            while part := connection.recv(65_536):
                got += part
        except (ConnectionResetError, BrokenPipeError):
            return got  # the server need not read to the end what it refuses
        return got


def test_a_body_that_is_too_large_is_not_read(served: Served) -> None:
    assert put(served, b"x" * 10, {"Content-Length": str(MOST_BYTES + 1)}).status == 413
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    assert b" 413 " in raw(served, chunked(served) + chunk * (MOST_BYTES // 0x10000 + 2)).partition(b"\r\n")[0]
    unchanged(served)


def chunked(served: Served) -> bytes:
    """The head of a decision whose length is not told."""
    head = f"PUT /api/items/{KEY} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nX-Author: Ada\r\n"
    head += "Content-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head.encode()


WHOLE = b'{"value":{},"revision":0,"action":"skip"}'


def test_a_decision_that_breaks_off_is_not_carried_out(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", served.port), timeout=20) as connection:
        connection.sendall(chunked(served) + f"{len(WHOLE):x}\r\n".encode() + WHOLE + b"\r\n")
    assert ask(served, "/api/project").status == 200
    unchanged(served)
    assert served.said == []


def test_a_body_that_does_not_come_is_not_waited_for(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "SLOWEST", 0.1)
    assert b" 408 " in raw(served, chunked(served) + b"1\r\n{\r\n").partition(b"\r\n")[0]
    unchanged(served)


def test_headers_are_bounded(served: Served) -> None:
    assert server_for(lambda *_: None, access_for("127.0.0.1", served.port)).config.http == "h11"
    head = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nX-Long: {'x' * 200_000}\r\n\r\n"
    assert raw(served, head.encode()).partition(b"\r\n")[0].split()[1:2] in ([b"400"], [])
    assert ask(served, "/").status == 200


def test_a_request_with_two_hosts_or_none_is_not_answered(served: Served) -> None:
    own = f"Host: 127.0.0.1:{served.port}\r\n"
    for hosts in (own + "Host: evil.example\r\n", own + own, ""):
        status = raw(served, f"GET /api/project HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n".encode())
        assert status.partition(b"\r\n")[0].split()[1] in (b"400", b"403")


def test_a_mistake_of_ours_is_told_to_the_terminal_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a secret\x1b[2J of ours")

    monkeypatch.setattr(Project, "queue", broken)
    with serving(made(tmp_path / "project")) as served:
        reply = ask(served, "/api/queue", headers=AUTHOR)
        assert (reply.status, "secret" in reply.sentence()) == (500, False)
    assert served.said == ["A request could not be answered (RuntimeError: a secret of ours)."]
