"""The look at a server before a run: what its answer means, and what the message says to do."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beholder.errors import UsageError
from beholder.models.endpoint import Endpoint
from beholder.models.listing import Listing, known_names, lacks, read_listing
from beholder.models.openai import OpenAIModel
from scripted_server import Reply, Request, ScriptedServer


def check(name: str = "m", **endpoint: Any) -> None:
    asyncio.run(OpenAIModel(f"openai/{name}", Endpoint(**endpoint)).check())


def listing(*names: Any, **more: Any) -> bytes:
    return json.dumps({"data": [{"id": name} for name in names], **more}).encode()


LISTS: list[tuple[str, str, bytes, bool]] = [
    ("the name itself", "m", listing("a", "m"), True),
    ("another name", "m", listing("a", "b"), False),
    ("the id has an organisation", "qwen-vl", listing("Qwen/qwen-vl"), True),
    ("the name has an organisation", "Qwen/qwen-vl", listing("qwen-vl"), True),
    ("a name that only ends alike", "vl", listing("qwen-vl"), False),
    ("the latest of a name", "llava", listing("llava:latest"), True),
    ("another variant", "llava:7b", listing("llava:13b"), False),
    ("a variant of a listed name", "qwen/vl:free", listing("qwen/vl"), True),
    ("a pattern", "openai/x", listing("openai/*"), True),
    ("an empty list", "m", listing(), True),
    ("a page of a longer list", "m", listing("a", has_more=True), True),
    ("an id that is no text", "m", listing("a", 5), True),
    ("an entry that is no object", "m", b'{"data":["a"]}', True),
    ("a list of another form", "m", b'{"models":[{"name":"a"}]}', True),
    ("a bare list", "m", b'[{"id":"a"}]', True),
    ("not JSON", "m", b"<html>hello</html>", True),
    ("nested without end", "m", b"[" * 100_000, True),
    ("nothing", "m", b"", True),
]


@pytest.mark.parametrize(("name", "body", "accepted"), [row[1:] for row in LISTS], ids=[row[0] for row in LISTS])
def test_a_list_without_the_name_is_refused(name: str, body: bytes, accepted: bool) -> None:
    with ScriptedServer(models=lambda request: Reply(body)) as server:
        if accepted:
            check(name, base_url=server.url)
        else:
            with pytest.raises(UsageError, match="serves no model"):
                check(name, base_url=server.url)


def test_the_nearest_names_and_some_known_ones_are_told() -> None:
    names = [f"other-{number}" for number in range(6)] + ["qwen2.5-vl-7b"]
    with ScriptedServer(models=names) as server, pytest.raises(UsageError) as caught:
        check("qwen2.5-vl-7", base_url=server.url)
    words = str(caught.value)
    assert "no model 'qwen2.5-vl-7'" in words
    assert "Did you mean qwen2.5-vl-7b?" in words
    assert "other-0, other-1, other-2, other-3, other-4 and 2 more. Correct --model." in words


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=100), st.text(max_size=300))
def test_no_list_breaks_the_look(body: bytes, name: str) -> None:
    found = read_listing(200, body)
    lacks(found, name)
    words = known_names(Listing(200, (name, name * 3)), "m")
    assert "\n" not in words


@pytest.mark.parametrize(
    ("key", "url", "words"),
    [
        ("sk-wrong-0123", "{}/v1", ("key is not accepted", "Correct MY_KEY")),
        ("", "{}/v1", ("key is not accepted", "MY_KEY is not set")),
        ("", "me:hush-user@{}/v1", ("key is not accepted", "credentials in --base-url")),
    ],
    ids=["wrong", "none", "in the URL"],
)
@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_told_before_the_run(
    monkeypatch: pytest.MonkeyPatch, key: str, url: str, words: tuple[str, ...], status: int
) -> None:
    monkeypatch.setenv("MY_KEY", key)
    refuse = Reply(b"no", status=status)
    with ScriptedServer(models=lambda request: refuse) as server, pytest.raises(UsageError) as caught:
        check(base_url="http://" + url.format(f"127.0.0.1:{server.port}"), key_variable="MY_KEY")
    for word in words:
        assert word in str(caught.value)
    assert "hush" not in str(caught.value)
    assert "sk-wrong" not in str(caught.value)


def only_under_v1(request: Request) -> Reply:
    return Reply(listing("m")) if request.path.startswith("/v1/") else Reply(b"", status=404)


@pytest.mark.parametrize("ending", ["", "/", "/chat/completions"])
def test_a_base_url_without_v1_is_seen(ending: str) -> None:
    with ScriptedServer(models=only_under_v1) as server:
        with pytest.raises(UsageError, match=r"add /v1 to --base-url"):
            check(base_url=f"http://127.0.0.1:{server.port}{ending}")
        check(base_url=server.url)


@pytest.mark.parametrize("status", [404, 405, 500, 503])
@pytest.mark.parametrize("path", ["", "/v1", "/api"])
def test_a_server_without_a_list_is_taken_as_it_is(status: int, path: str) -> None:
    with ScriptedServer(models=lambda request: Reply(b"what?", status=status)) as server:
        check(base_url=f"http://127.0.0.1:{server.port}{path}")
        assert server.model_lists == (2 if status == 404 and path != "/v1" else 1)


def test_an_endless_list_is_no_reason_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beholder.models.openai._BODY_LIMIT", 1000)
    with ScriptedServer(models=[str(number) for number in range(1000)]) as server:
        check(base_url=server.url)
