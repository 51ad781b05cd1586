"""The server as strangers meet it: real requests on loopback, byte by byte where clients would not send them."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served_projects import NAMES, Served, made, serving

from beholder.annotate.project import Project
from beholder.errors import UsageError
from beholder.web.guard import MOST_BYTES, access_for, is_loopback
from beholder.web.serve import listening, page_address, serve

AUTHOR = {"X-Author": "Ada"}
JSON = {"Content-Type": "application/json"}
KEY = "one-0"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(made(tmp_path_factory.mktemp("served") / "project")) as running:
        yield running


class Reply:
    """What came back; every reply of this server is checked for what must be on each."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()
        policy = self.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert self.headers["x-content-type-options"] == "nosniff"
        assert self.headers["referrer-policy"] == "no-referrer"
        assert "cache-control" in self.headers
        assert "server" not in self.headers
        assert b"Traceback" not in self.body

    def json(self) -> Any:
        assert self.headers["content-type"] == "application/json"
        return json.loads(self.body)

    def sentence(self) -> str:
        told = self.json()["error"]
        assert isinstance(told, str)
        assert "\n" not in told
        return told


def ask(
    served: Served, path: str, method: str = "GET", headers: dict[str, str] | None = None, body: bytes | None = None
) -> Reply:
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=20)
    try:
        connection.request(method, path, body=body, headers=headers or {})
        return Reply(connection.getresponse())
    finally:
        connection.close()


def put(served: Served, content: Any, headers: dict[str, str] | None = None, key: str = KEY) -> Reply:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return ask(served, f"/api/items/{key}", "PUT", AUTHOR | JSON | (headers or {}), body)


def unchanged(served: Served) -> None:
    assert served.project.item(KEY, "Ada").revision == 0
    assert served.project.history(KEY) == ()


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
    assert ask(served, "/", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}).status == 200


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "", "multipart/form-data; boundary=x"]
)
def test_a_form_of_another_page_cannot_be_a_decision(served: Served, kind: str) -> None:
    reply = put(served, {"value": {}, "revision": 0, "action": "skip"}, {"Content-Type": kind})
    assert reply.status == 415
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
    from beholder.web.guard import refusal

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


def test_no_answer_names_a_model(served: Served) -> None:
    for path in ("/", "/api/project", "/api/queue", f"/api/items/{KEY}", "/api/items/two%2F0"):
        reply = ask(served, path, headers=AUTHOR)
        assert reply.status == 200, path
        assert b"secret" not in reply.body
    assert len(NAMES) == len(ask(served, f"/api/items/{KEY}", headers=AUTHOR).json()["proposals"])


def test_votes_are_told_in_words_with_the_places_of_the_proposals(served: Served) -> None:
    item = ask(served, f"/api/items/{KEY}", headers=AUTHOR).json()
    told = {field["name"]: field for field in item["consensus"]["fields"]}
    assert told["metaphor"]["value"] == "yes"
    assert told["pair"]["label"] == "Target → Source"
    assert told["pair"]["value"].lower() == "the market → a balloon"
    for vote in told["metaphor"]["votes"]:
        assert {item["proposals"][place]["value"]["metaphor"] for place in vote["who"]} == {vote["value"]}


# -- what is sent --------------------------------------------------------------------------------------------------

DECIDED = {"value": {}, "revision": 0, "action": "skip"}
BROKEN: list[tuple[Any, int]] = [
    (b"", 400),
    (b"{", 400),
    (b"null", 400),
    (b"[]", 400),
    (b"\xff\xfe", 400),
    (b'{"value": {"note": "\\ud800"}, "revision": 0}', 400),
    (b"[" * 100_000, 400),
    ({"value": {}}, 400),
    ({"value": [], "revision": 0}, 400),
    ({"value": {}, "revision": "0"}, 400),
    (DECIDED | {"revision": 10**30}, 400),
    (DECIDED | {"revision": -1}, 400),
    (DECIDED | {"more": 1}, 400),
    (DECIDED | {"action": "undo"}, 422),
    (DECIDED | {"value": {"unknown": "x"}}, 422),
    (DECIDED | {"value": {"metaphor": "perhaps"}}, 422),
    (DECIDED | {"value": {"metaphor": 1}}, 422),
    (DECIDED | {"value": {"evidence": [{"kind": "visual", "text": "x", "box": [0, 0, 2, 2]}]}}, 422),
    (DECIDED | {"action": "save"}, 422),
    (DECIDED | {"note": "x" * 3_000}, 422),
]


@pytest.mark.parametrize(("content", "status"), BROKEN, ids=lambda part: repr(part)[:50])
def test_what_cannot_be_a_decision_is_told_in_a_sentence(served: Served, content: Any, status: int) -> None:
    reply = put(served, content)
    assert reply.status == status
    assert reply.sentence()
    unchanged(served)


def test_every_fault_of_a_value_is_told(served: Served) -> None:
    reply = put(served, {"value": {"metaphor": "yes"}, "revision": 0})
    assert reply.status == 422
    faults = reply.json()["faults"]
    assert [fault.partition(":")[0] for fault in faults] == ["Target", "Source", "Sentiment"]


def test_an_item_that_is_not_there_is_told(served: Served) -> None:
    for method, path in (
        ("GET", "/api/items/nothing"),
        ("PUT", "/api/items/nothing"),
        ("POST", "/api/items/nothing/undo"),
    ):
        reply = ask(served, path, method, AUTHOR | JSON, b'{"revision": 0, "value": {}}' if method != "GET" else None)
        assert reply.status == 404
        assert "nothing" in reply.sentence()
    assert ask(served, f"/api/items/{KEY}", "DELETE", AUTHOR | JSON).status == 405


@pytest.mark.parametrize("author", ["", "%20", "x" * 200, "%1b%5b2J"])
def test_nobody_decides_without_a_name(served: Served, author: str) -> None:
    reply = put(served, DECIDED, {"X-Author": author})
    assert (reply.status, "name" in reply.sentence()) == (422, True)
    unchanged(served)


def raw(served: Served, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", served.port), timeout=20) as connection:
        connection.sendall(request)
        got = b""
        try:
            while part := connection.recv(65_536):
                got += part
        except ConnectionResetError:
            return got
        return got


def test_a_body_that_is_too_large_is_not_read(served: Served) -> None:
    assert put(served, b"x" * 10, {"Content-Length": str(MOST_BYTES + 1)}).status == 413
    head = f"PUT /api/items/{KEY} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nX-Author: Ada\r\n"
    head += "Content-Type: application/json\r\nConnection: close\r\n"
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    sent = head.encode() + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * (MOST_BYTES // 0x10000 + 2)
    assert b" 413 " in raw(served, sent).partition(b"\r\n")[0]
    unchanged(served)


def test_a_request_with_two_hosts_or_none_is_not_answered(served: Served) -> None:
    own = f"Host: 127.0.0.1:{served.port}\r\n"
    for hosts in (own + "Host: evil.example\r\n", own + own, ""):
        status = raw(served, f"GET /api/project HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n".encode())
        assert status.partition(b"\r\n")[0].split()[1] in (b"400", b"403")


# -- deciding ------------------------------------------------------------------------------------------------------


def test_save_stale_save_and_undo(tmp_path: Path) -> None:
    with serving(made(tmp_path / "project")) as served:
        first = {"value": {"metaphor": "no", "sentiment": "neutral"}, "revision": 0, "note": "clear"}
        reply = put(served, first)
        assert reply.status == 200
        told = reply.json()
        assert (told["item"]["revision"], told["item"]["state"]) == (1, "done")
        assert ask(served, "/api/project").json()["progress"]["done"] == 1
        late = {"value": {"metaphor": "no", "sentiment": "positive"}, "revision": 0}
        reply = put(served, late, {"X-Author": "B%C3%A9la"})
        assert reply.status == 409
        assert reply.json()["item"]["value"] == first["value"]
        assert "Ada" in reply.sentence()
        assert [(row.author, row.action) for row in served.project.history(KEY)] == [
            ("Ada", "save"),
            ("Béla", "refused"),
        ]
        assert served.project.history(KEY)[1].value == late["value"]
        undo = ask(served, f"/api/items/{KEY}/undo", "POST", AUTHOR | JSON, b'{"revision": 0}')
        assert undo.status == 409
        undo = ask(served, f"/api/items/{KEY}/undo", "POST", AUTHOR | JSON, b'{"revision": 1}')
        assert (undo.status, undo.json()["item"]["state"]) == (200, "confirm")
        assert ask(served, f"/api/items/{KEY}/undo", "POST", AUTHOR | JSON, b'{"revision": 2}').status == 422
        assert put(served, first | {"revision": 2}, key="two%2F0").status == 409
        assert put(served, first, key="two%2F0").status == 200
        assert served.said == []


def test_a_mistake_of_ours_is_told_to_the_terminal_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a secret\x1b[2J of ours")

    monkeypatch.setattr(Project, "queue", broken)
    with serving(made(tmp_path / "project")) as served:
        reply = ask(served, "/api/queue", headers=AUTHOR)
        assert (reply.status, "secret" in reply.sentence()) == (500, False)
    assert served.said == ["A request could not be answered (RuntimeError: a secret of ours)."]


# -- starting ------------------------------------------------------------------------------------------------------


def test_addresses_that_cannot_be_used_are_told() -> None:
    with listening("127.0.0.1", 0) as taken, pytest.raises(UsageError, match="--port"):
        listening("127.0.0.1", taken.getsockname()[1])
    for host, port in (("127.0.0.1", 70_000), ("no.such.host.invalid", 0)):
        with pytest.raises(UsageError):
            listening(host, port)


def test_what_is_no_project_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not an annotation project"):
        serve(tmp_path, port=0, say=lambda line: None)


@pytest.mark.parametrize(
    ("host", "token", "address"),
    [
        ("127.0.0.1", "", "http://127.0.0.1:80/"),
        ("::1", "", "http://[::1]:80/"),
        ("lab", "abc", "http://lab:80/?token=abc"),
        ("0.0.0.0", "abc", f"http://{socket.gethostname()}:80/?token=abc"),
    ],
)
def test_the_address_that_is_printed(host: str, token: str, address: str) -> None:
    assert page_address(host, 80, token) == address


SERVE = """
import sys
from pathlib import Path
from beholder.web.serve import serve
serve(Path(sys.argv[1]), port=0, say=lambda line: print(line, flush=True))
"""


def test_the_server_says_where_it_is_and_ends_at_ctrl_c(tmp_path: Path) -> None:
    import signal

    command = [sys.executable, "-c", SERVE, str(made(tmp_path / "project"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.startswith("4 of 4 items are to be done. Open http://127.0.0.1:")
        port = int(first.rstrip("/\n").rpartition(":")[2])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", "/api/project")
        assert connection.getresponse().status == 200
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        connection.close()
    assert (process.returncode, err) == (0, "")
    assert out.endswith("The server has ended.\n")


WITHOUT = """
import sys
sys.modules["fastapi"] = None
from pathlib import Path
from beholder.errors import UsageError
from beholder.web.serve import serve
try:
    serve(Path("."), port=0)
except UsageError as error:
    print(error)
"""


def test_a_missing_extra_is_one_line() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "The pages need FastAPI and uvicorn. Install them: pip install 'beholder[web]'\n"


@pytest.mark.parametrize("code", ["import beholder.web", "import beholder.web.serve, beholder.web.guard"])
def test_nothing_heavy_is_loaded_before_a_page_is_served(code: str) -> None:
    program = f"{code}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert not set(done.stdout.split()) & {"fastapi", "uvicorn", "pydantic", "numpy", "PIL", "sqlite3", "asyncio"}
