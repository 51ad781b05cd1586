"""The routes of the viewer: what they give, what is current, what they refuse, who may ask."""

from __future__ import annotations

import json
import shutil
import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from asking_views import ask, post
from running_server import JSON
from served_views import Viewed, viewing

from beholder.web import view_api
from made_runs import tfq_data
from report.html_pages import constant_run, served_run, true_or_unsure

RUN = "one run"
"""A folder's name may have blanks."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs over the same six statements, and one over others."""
    here = tmp_path_factory.mktemp("made")
    data = tfq_data(here / "data", 6, images=2)
    served_run(data, here / "runs", true_or_unsure).rename(here / "runs" / RUN)
    constant_run(data, here / "runs", "<think>x</think><answer>T</answer>").rename(here / "runs" / "other")
    (here / "secret").write_text("the secret")
    return here


@pytest.fixture(scope="module")
def view(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Viewed]:
    with viewing(made / "runs", tmp_path_factory.mktemp("cache")) as running:
        yield running


@pytest.fixture(scope="module")
def key(made: Path) -> str:
    return first(made, "key")


@pytest.fixture(scope="module")
def sha256(made: Path) -> str:
    """The hash of a picture that the run keeps."""
    path = json.loads(first(made, "record"))["images"][0]["path"]
    return str(path.removeprefix("sha256:"))


def first(made: Path, column: str) -> str:
    with closing(sqlite3.connect(made / "runs" / RUN / "run.db")) as db:
        return str(db.execute(f"SELECT {column} FROM samples ORDER BY position").fetchone()[0])


def asked(view: Viewed, path: str, **parameters: Any) -> Any:
    reply = ask(view, path, parameters)
    assert reply.status == 200, reply.body
    return reply.json()


# -- what they give ------------------------------------------------------------------------------------------------


def test_all_runs_are_listed(view: Viewed) -> None:
    listed = asked(view, "/api/runs")
    assert {row["id"] for row in listed["runs"]} == {RUN, "other"}
    assert listed["folder"] == "runs"


def test_a_run_its_columns_rows_and_samples(view: Viewed, key: str) -> None:
    page = asked(view, "/api/run", run=RUN)
    assert (page["row"]["id"], page["provisional"]) == (RUN, False)
    columns = asked(view, "/api/columns", run=RUN)
    assert (columns["n"], columns["ready"]) == (6, 1)
    rows = asked(view, "/api/rows", run=RUN, places="3,0,99,3")["rows"]
    assert [row["place"] for row in rows] == [3, 0, 3]
    assert rows[1]["key"] == key
    assert asked(view, "/api/rows", run=RUN, places="")["rows"] == []
    assert asked(view, "/api/search", run=RUN, text="statement 4")["places"] == [4]
    sample = asked(view, "/api/sample", run=RUN, key=key)
    assert (sample["key"], sample["place"]) == (key, 0)
    changes = asked(view, "/api/changes", run=RUN, against="other", scorer="strict")
    assert (changes["only_here"], changes["only_there"]) == (0, 0)
    assert changes["gained"] or changes["lost"]


def test_runs_beside_each_other(view: Viewed) -> None:
    page = asked(view, "/api/compare", run=[RUN, "other"], scorer="strict")
    assert [row["id"] for row in page["runs"]] == [RUN, "other"]
    assert page["refused"] == ""
    board = asked(view, "/api/leaderboard", benchmark="tfq")
    assert {RUN, "other"} <= {row["run"] for row in board["rows"]}


def test_pictures_are_kept_by_the_browser(view: Viewed, sha256: str) -> None:
    large = ask(view, f"/images/{sha256}", {"run": RUN})
    assert (large.status, large.headers["content-type"]) == (200, "image/jpeg")
    small = ask(view, f"/images/{sha256}.webp", {"run": RUN})
    assert (small.status, small.headers["content-type"]) == (200, "image/webp")
    assert small.body[8:12] == b"WEBP"
    for reply in (large, small):
        assert reply.headers["cache-control"] == "private, max-age=31536000, immutable"


def test_a_mark_is_made_and_taken_back(made: Path, tmp_path: Path, key: str) -> None:
    shutil.copytree(made / "runs", tmp_path / "runs")
    with viewing(tmp_path / "runs", tmp_path / "cache") as view:
        before = ask(view, "/api/run", {"run": RUN}).headers["etag"]
        said = {"run": RUN, "key": key, "vote": 0, "epoch": 0, "scorer": "strict", "note": "F is meant"}
        (mark,) = post(view, "/api/mark", said).json()["marks"]
        assert (mark["scorer"], mark["note"]) == ("strict", "F is meant")
        assert asked(view, "/api/sample", run=RUN, key=key)["marks"] == [mark]
        page = ask(view, "/api/run", {"run": RUN})
        assert page.headers["etag"] != before
        assert page.json()["provisional"] is False
        gone = post(view, "/api/unmark", {"run": RUN, "key": key, "number": mark["number"]})
        assert gone.json() == {"marks": []}


# -- what is current -----------------------------------------------------------------------------------------------

TAGGED = [
    ("/api/runs", {}),
    ("/api/run", {"run": RUN}),
    ("/api/columns", {"run": RUN}),
    ("/api/rows", {"run": RUN, "places": "0,1"}),
]


@pytest.mark.parametrize(("path", "parameters"), TAGGED, ids=[path for path, _ in TAGGED])
def test_what_the_browser_has_is_not_sent_again(view: Viewed, path: str, parameters: dict[str, str]) -> None:
    once = ask(view, path, parameters)
    assert once.headers["cache-control"] == "private, no-cache"
    again = ask(view, path, parameters, headers={"If-None-Match": once.headers["etag"]})
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", once.headers["etag"])
    assert ask(view, path, parameters, headers={"If-None-Match": '"other"'}).status == 200


def test_other_places_have_another_tag(view: Viewed) -> None:
    tags = {ask(view, "/api/rows", {"run": RUN, "places": places}).headers["etag"] for places in ("0", "1", "0,1")}
    assert len(tags) == 3


# -- what they refuse ----------------------------------------------------------------------------------------------

BY_RUN = ["/api/run", "/api/columns", "/api/rows", "/api/search", "/api/changes", "/api/sample", "/images/" + "0" * 64]
CLIMBING = [
    "..",
    "../secret",
    "../runs/one run",
    "./one run",
    "one run/",
    "one run/../other",
    "/etc",
    "/etc/passwd",
    "..\\secret",
    "one run\0",
    "one run\n",
    "%2e%2e",
    "*",
    "ONE RUN",
    "file:///etc/passwd",
    "\ud800".encode("utf-8", "surrogatepass"),
]


@pytest.mark.parametrize("run", CLIMBING, ids=repr)
def test_a_run_is_looked_up_and_never_a_path(view: Viewed, made: Path, run: str | bytes, key: str) -> None:
    for path in BY_RUN:
        reply = ask(view, path, {"run": run, "key": key, "places": "0", "text": "x", "against": RUN})
        assert reply.status == 404, path
        assert str(made) not in reply.sentence()
    assert ask(view, "/api/changes", {"run": RUN, "against": run}).status == 404
    assert ask(view, "/api/compare", {"run": [RUN, run]}).status == 404


RAW = [
    "/images/..%2f..%2fsecret",
    "/images/%2e%2e/%2e%2e/secret",
    "/images/../../secret",
    "/images//etc/passwd",
    "/images/" + "0" * 63,
    "/images/" + "0" * 64 + ".webp.webp",
    "/images/" + "0" * 64 + ".svg",
    "/images/" + "A" * 64,
    "/images/" + "0" * 64 + "%00",
    "/images/" + "0" * 64 + "%0a",
    "/assets/..%2fview_api.py",
    "/assets/%2e%2e%2fapp.py",
    "/api/../secret",
    "/api/nothing",
    "/..%5csecret",
]


@pytest.mark.parametrize("path", RAW)
def test_no_address_leads_out(view: Viewed, path: str) -> None:
    reply = ask(view, path, {"run": RUN})
    assert reply.status == 404
    assert reply.sentence()
    assert b"secret" not in reply.body.replace(path.encode(), b"")


REFUSED: list[tuple[str, dict[str, Any] | str, str]] = [
    ("/api/run", {}, "run is missing"),
    ("/api/run", "run=a&run=b", "more than once"),
    ("/api/run", {"run": "x" * 601}, "longer than 600"),
    ("/api/rows", {"run": RUN, "places": ",".join(["1"] * 301)}, "At most 300"),
    ("/api/rows", {"run": RUN, "places": "1,-1"}, "whole numbers"),
    ("/api/rows", {"run": RUN, "places": "1,,2"}, "whole numbers"),
    ("/api/rows", {"run": RUN, "places": "1e3"}, "whole numbers"),
    ("/api/rows", {"run": RUN, "places": "\u0663"}, "whole numbers"),
    ("/api/rows", {"run": RUN, "places": "9" * 10}, "whole numbers"),
    ("/api/rows", {"run": RUN, "places": "1" * 40_000}, "longer than"),
    ("/api/search", {"run": RUN, "text": "x" * 201}, "longer than 200"),
    ("/api/sample", {"run": RUN}, "key is missing"),
    ("/api/sample", {"run": RUN, "key": "k" * 1_001}, "longer than 1000"),
    ("/api/sample", {"run": RUN, "key": "nothing"}, ""),
    ("/api/sample", {"run": RUN, "key": "\0' OR 1=1 --"}, ""),
    ("/api/changes", {"run": RUN}, "against is missing"),
    ("/api/changes", {"run": RUN, "against": "other", "scorer": "nobody"}, "nobody"),
    ("/api/compare", {"run": ["other"] * 13}, "At most 12"),
    ("/api/compare", {"run": ["x" * 601]}, "longer than 600"),
    ("/api/compare", {"run": [RUN, "other"], "intersect": "yes"}, "longer than 1"),
    ("/api/leaderboard", {"benchmark": "b" * 301}, "longer than 300"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "parameters", "told"), REFUSED)
def test_parameters_are_bounded(view: Viewed, path: str, parameters: dict[str, Any] | str, told: str) -> None:
    reply = ask(view, path, parameters)
    assert 400 <= reply.status < 500
    assert told in reply.sentence()


def test_a_huge_address_is_refused(view: Viewed) -> None:
    assert 400 <= ask(view, "/api/run", {"run": "x" * 60_000}).status < 500
    assert ask(view, "/api/runs").status == 200


BODIES: list[tuple[str, Any]] = [
    ("/api/mark", b""),
    ("/api/mark", b"{"),
    ("/api/mark", b"[" * 100_000),
    ("/api/mark", []),
    ("/api/mark", {}),
    ("/api/mark", {"run": RUN}),
    ("/api/mark", {"run": RUN, "key": "KEY", "scorer": "strict", "vote": -1}),
    ("/api/mark", {"run": RUN, "key": "KEY", "scorer": "strict", "vote": 10**30}),
    ("/api/mark", {"run": RUN, "key": "KEY", "scorer": "strict", "vote": 0.5}),
    ("/api/mark", {"run": RUN, "key": "KEY", "scorer": "strict", "note": "x" * 2_001}),
    ("/api/mark", {"run": RUN, "key": "KEY", "scorer": "nobody"}),
    ("/api/mark", {"run": RUN, "key": "KEY", "scorer": "strict", "vote": 5}),
    ("/api/mark", {"run": RUN, "key": "nothing", "scorer": "strict"}),
    ("/api/mark", {"run": RUN, "key": "KEY", "scorer": "strict", "path": "/etc"}),
    ("/api/mark", {"run": "../secret", "key": "KEY", "scorer": "strict"}),
    ("/api/unmark", {"run": RUN, "key": "KEY", "number": 0}),
    ("/api/unmark", {"run": RUN, "key": "KEY", "number": 10**30}),
    ("/api/unmark", {"run": RUN, "key": "KEY", "number": 7}),
    ("/api/unmark", {"run": "nothing", "key": "KEY", "number": 1}),
]


@pytest.mark.parametrize(("path", "body"), BODIES, ids=lambda value: str(value)[:60])
def test_a_mark_that_cannot_be_is_refused(view: Viewed, key: str, path: str, body: Any) -> None:
    sent = {name: key if value == "KEY" else value for name, value in body.items()} if isinstance(body, dict) else body
    reply = post(view, path, sent)
    assert 400 <= reply.status < 500
    assert reply.sentence()
    assert asked(view, "/api/sample", run=RUN, key=key)["marks"] == []


# -- who may ask ---------------------------------------------------------------------------------------------------

FOREIGN = [
    ("GET", {"Host": "evil.example"}, 403),
    ("GET", {"Origin": "https://evil.example"}, 403),
    ("GET", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
    ("GET", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 403),
    ("POST", {"Host": "evil.example"} | JSON, 403),
    ("POST", {"Origin": "https://evil.example"} | JSON, 403),
    ("POST", {"Origin": "null"} | JSON, 403),
    ("POST", {"Sec-Fetch-Site": "cross-site"} | JSON, 403),
    ("POST", {"Sec-Fetch-Site": "same-site"} | JSON, 403),
    ("POST", {"Content-Type": "text/plain"}, 415),
    ("POST", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
]


@pytest.mark.parametrize(("method", "headers", "status"), FOREIGN)
@pytest.mark.parametrize("path", ["/api/runs", "/api/live", "/api/mark", "/images/" + "0" * 64])
def test_other_sites_get_and_change_nothing(
    view: Viewed, key: str, path: str, method: str, headers: dict[str, str], status: int
) -> None:
    body = {"run": RUN, "key": key, "scorer": "strict"}
    reply = ask(view, path, {"run": RUN}, method=method, headers=headers, body=body if method == "POST" else None)
    assert reply.status == status
    assert RUN.encode() not in reply.body
    assert asked(view, "/api/sample", run=RUN, key=key)["marks"] == []


METHODS = [("POST", "/api/runs"), ("PUT", "/api/mark"), ("DELETE", "/api/mark"), ("GET", "/api/mark"), ("POST", "/")]


@pytest.mark.parametrize(("method", "path"), METHODS)
def test_other_methods_do_nothing(view: Viewed, method: str, path: str) -> None:
    assert ask(view, path, method=method, headers=JSON).status == 405


def test_a_token_is_asked_for(made: Path, tmp_path: Path) -> None:
    with viewing(made / "runs", tmp_path, token="right") as view:
        for path in ("/api/runs", "/api/live", "/images/" + "0" * 64, "/api/runs?token=right"):
            assert ask(view, path).status == 401
        cookie = ask(view, "/?token=right").headers["set-cookie"].partition(";")[0]
        assert ask(view, "/api/runs", headers={"Cookie": cookie}).status == 200


# -- where there is nothing ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_without_runs_is_an_empty_list(tmp_path: Path, there: bool) -> None:
    runs = tmp_path / "runs"
    if there:
        runs.mkdir()
    with viewing(runs, tmp_path / "cache") as view:
        assert asked(view, "/api/runs")["runs"] == []
        assert asked(view, "/api/leaderboard")["boards"] is not None


def test_links_are_followed_to_runs_only(made: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "to a run").symlink_to(made / "runs" / RUN)
    (runs / "to a folder").symlink_to("/etc")
    (runs / "to itself").symlink_to(runs / "to itself")
    (runs / "to nothing").symlink_to(tmp_path / "nothing")
    with viewing(runs, tmp_path / "cache") as view:
        assert [row["id"] for row in asked(view, "/api/runs")["runs"]] == ["to a run"]
        assert ask(view, "/api/run", {"run": "to a folder"}).status == 404


# -- many at once --------------------------------------------------------------------------------------------------


@contextmanager
def asked_and_left(viewed: Viewed, path: str, parameters: dict[str, Any]) -> Iterator[None]:
    """A page that asks, and goes before it is answered."""
    with socket.create_connection(("127.0.0.1", viewed.port), timeout=20) as page:
        query = urlencode(parameters, doseq=True)
        page.sendall(f"GET {path}?{query} HTTP/1.1\r\nHost: 127.0.0.1:{viewed.port}\r\n\r\n".encode())
        yield


def test_what_nobody_waits_for_any_more_is_not_computed(view: Viewed, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_end = threading.Semaphore(0), threading.Event()
    computed: list[str] = []

    def slowly(library: object, runs: list[str], scorer: str | None, **more: object) -> list[str]:
        computed.append(scorer or "")
        begun.release()
        assert may_end.wait(20)
        return []

    monkeypatch.setattr("beholder.viewer.compare_page.compare_page", slowly)
    most = view_api.AT_ONCE["several runs"]
    with ExitStack() as pages:
        for number in range(most + 30):
            pages.enter_context(asked_and_left(view, "/api/compare", {"run": [RUN, "other"], "scorer": f"{number}"}))
        for _ in range(most):
            assert begun.acquire(timeout=20)
        for path in ("/api/runs", "/api/run", "/api/rows", "/api/search"):
            parameters = {"run": RUN, "places": "0", "text": "statement"}
            assert ask(view, path, parameters).status == 200, "what is little does not wait for what is much"
    may_end.set()
    assert asked(view, "/api/compare", run=[RUN, "other"], scorer="ours") == []
    assert len(computed) < most + 10, "some may begin before the server hears that their page has gone"
    assert computed[-1] == "ours"
