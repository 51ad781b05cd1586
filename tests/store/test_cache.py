"""Answers kept across runs: only the very same request, only real answers, and never a reason to stop."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from beholder.errors import Owner, UsageError
from beholder.sample import Failure, Response, Usage
from beholder.store import cache as cache_module
from beholder.store import schema
from beholder.store.cache import ResponseCache
from made_runs import plan_for, run_engine, stored, tfq_data
from scripted_server import Reply, ScriptedServer


def answer(request: str, text: str = "T", **facts: object) -> Response:
    return Response(text=text, request_hash=request, **facts)


TEXTS = ["T", "", "two\nlines \x00 and a NUL", "答案：B", "half a pair \ud83d", "x" * 100_000]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_what_is_put_is_found_again_and_marked(tmp_path: Path, text: str) -> None:
    whole = answer(
        "h1",
        text,
        reasoning=text,
        finish="length",
        usage=Usage(1, 2, 3),
        raw=b"\x00\xff",
        images=({"sha256": "x", "flags": []},),
        latency=0.25,
        attempts=3,
        order=(1, 0),
    )
    with closing(ResponseCache(tmp_path / "new" / "cache.db")) as cache:
        cache.put([answer("h0"), whole])
        assert cache.get("h2") is None
        found = cache.get("h1")
    assert found is not None
    assert found.cached
    assert not whole.cached
    assert {**as_dict(found), "cached": False} == as_dict(whole)


def as_dict(response: Response) -> dict[str, object]:
    return {name: getattr(response, name) for name in response.__struct_fields__}


def test_the_first_answer_to_a_request_stays(tmp_path: Path) -> None:
    with closing(ResponseCache(tmp_path / "cache.db")) as cache:
        cache.put([answer("h", "first")])
        cache.put([answer("h", "second")])
        found = cache.get("h")
    assert found is not None
    assert found.text == "first"


def test_failures_and_cached_answers_are_not_put(tmp_path: Path) -> None:
    failure = Failure(owner=Owner.PROVIDER, kind="http_500", message="x")
    with closing(ResponseCache(tmp_path / "cache.db")) as cache:
        cache.put([Response(failure=failure, request_hash="h1"), answer("h2", cached=True)])
        assert (cache.get("h1"), cache.get("h2")) == (None, None)


DAMAGE = ["x'00'", "zeroblob(100)", "'text'", "NULL", "5", "x'789c030000000001'", "x'789c4b040000620062'"]


@pytest.mark.parametrize("value", DAMAGE)
def test_a_damaged_row_is_a_miss(tmp_path: Path, value: str) -> None:
    with closing(ResponseCache(tmp_path / "cache.db")) as cache:
        cache.put([answer("h")])
        with closing(sqlite3.connect(tmp_path / "cache.db")) as db:
            db.execute(f"UPDATE answers SET response = {value}")
            db.commit()
        assert cache.get("h") is None


@pytest.mark.parametrize("content", [b"not a database, but long enough to be one", b"SQLite format 3\0" + b"\xff" * 99])
def test_a_file_that_is_no_cache_is_told_with_the_mend(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "cache.db"
    file.write_bytes(content)
    with pytest.raises(UsageError, match=r"cache\.db cannot be used .*Delete it"):
        ResponseCache(file)
    assert file.read_bytes() == content


def test_a_place_where_no_cache_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="--no-cache"):
        ResponseCache(tmp_path / "file" / "cache.db")


def test_a_cache_damaged_while_it_is_open_is_a_miss(tmp_path: Path) -> None:
    with closing(ResponseCache(tmp_path / "cache.db")) as cache:
        cache.put([answer(f"h{number}", "x" * 3000) for number in range(200)])
    with (tmp_path / "cache.db").open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * 200_000)
    with closing(ResponseCache(tmp_path / "cache.db")) as cache:
        assert None in {cache.get(f"h{number}") for number in range(200)}


def test_a_cache_that_cannot_be_written_is_given_up_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What costs money is the answers; the cache only saves them a second time."""
    plan = plan_for(tfq_data(tmp_path, 3))

    def full(*arguments: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with ScriptedServer() as server:
        with monkeypatch.context() as patch:
            patch.setattr(cache_module, "insert_rows", full)
            done = run_engine(plan, server.url, tmp_path / "runs", cache=tmp_path / "cache.db", concurrency=1)
        assert len(server.requests) == 3
    assert done.result.complete
    assert len(stored(done.folder)) == 3
    assert [line for line in done.said if "cache.db" in line and "goes on without it" in line]


def test_threads_read_while_one_writes(tmp_path: Path) -> None:
    missing: list[str] = []
    with closing(ResponseCache(tmp_path / "cache.db")) as cache:
        cache.put([answer("old")])

        def read() -> None:
            for _ in range(100):
                if cache.get("old") is None:
                    missing.append("old")

        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        for number in range(50):
            cache.put([answer(f"h{number}")])
        for thread in threads:
            thread.join()
        assert all(cache.get(f"h{number}") is not None for number in range(50))
    assert missing == []


WRITER = """
import sys
from pathlib import Path
from beholder.sample import Response
from beholder.store.cache import ResponseCache
cache = ResponseCache(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for number in range(100):
    cache.put([Response(text=sys.argv[2], request_hash=f"h{number + int(sys.argv[3])}")])
cache.close()
"""


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    file = tmp_path / "cache.db"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(file), name, offset],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name, offset in (("a", "0"), ("b", "50"))
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.communicate("go\n", timeout=60)
        assert writer.returncode == 0
    with closing(ResponseCache(file)) as cache:
        texts = [found.text for number in range(150) if (found := cache.get(f"h{number}")) is not None]
    assert len(texts) == 150
    assert set(texts[:50]) == {"a"}
    assert set(texts[100:]) == {"b"}


def test_on_a_network_file_system_the_cache_uses_no_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "is_network_filesystem", lambda folder: True)
    with closing(ResponseCache(tmp_path / "cache.db")), closing(sqlite3.connect(tmp_path / "cache.db")) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_an_answer_cut_inside_an_emoji_goes_through_the_whole_engine(tmp_path: Path) -> None:
    plan = plan_for(tfq_data(tmp_path, 3))
    body = b'{"choices": [{"message": {"content": "<answer>T</answer> \\ud83d"}, "finish_reason": "stop"}]}'
    with ScriptedServer(lambda request: Reply(body)) as server:
        first = run_engine(plan, server.url, tmp_path / "runs", cache=tmp_path / "cache.db")
        second = run_engine(plan, server.url, tmp_path / "runs", cache=tmp_path / "cache.db")
        assert len(server.requests) == 3
    assert first.result.complete
    assert second.result.items == first.result.items
    assert [one.response.text for one in stored(second.folder)] == ["<answer>T</answer> \\ud83d"] * 3


def test_a_closed_cache_gives_and_keeps_nothing(tmp_path: Path) -> None:
    """A thread whose task was cancelled may come late; a connection closed under its hands ended the process."""
    cache = ResponseCache(tmp_path / "cache.db")
    cache.put([Response(text="T", request_hash="one")])
    cache.close()
    assert cache.get("one") is None
    cache.put([Response(text="F", request_hash="two")])
    again = ResponseCache(tmp_path / "cache.db")
    assert again.get("one") is not None
    assert again.get("two") is None
    again.close()
