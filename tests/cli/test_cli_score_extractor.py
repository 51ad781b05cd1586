"""`beholder score --extractor`: a model reads the answers of a file that somebody already has."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_data import Beholder, check_refused, tfq_results
from extractor_place import BUSY, GONE, official

from beholder.engine.retry import RetryPolicy
from made_tir import reads_letter, record
from scripted_server import Reply, Request, ScriptedServer

HIDDEN = "s3cret-key"


def answers(path: Path, *responses: str | None, **more: Any) -> Path:
    """The authors' response file: mazes, the right answer is always B."""
    items = {str(at): record(at, model_response=text, **more) for at, text in enumerate(responses)}
    path.write_text(json.dumps(items))
    return path


def at(server: ScriptedServer | str, *more: object) -> list[object]:
    url = server if isinstance(server, str) else server.url
    return ["--extractor", "openai/reader", "--extractor-base-url", url, *more]


def test_the_authors_figure_of_a_file_that_nobody_has_read(beholder: Beholder, tmp_path: Path) -> None:
    file = answers(tmp_path / "r.json", "It is B.", "It is A.", "")
    alone = beholder.json("score", "tir", file)
    assert official(alone) == [None, None, None]
    assert alone["judges"] == {}
    with ScriptedServer(reads_letter) as server:
        found = beholder.json("score", "tir", file, *at(server))
        assert len(server.requests) == 2, "a blank response is not asked about"
        assert all("data:image" not in request.texts for request in server.requests)
        assert official(found) == [1, 0, 0]
        assert found["judges"] == {"openai/reader": 3}
        assert found["headline"] == {"scorer": "official", "metric": "all"}
        again = beholder.json("score", "tir", file, *at(server))
        assert len(server.requests) == 2, "what was read is in the cache"
    assert again == found
    said = beholder("score", "tir", file, "--extractor", "constant/B").out
    assert "Answers read by constant/B (3)" in said


def test_plain_lines_are_read_too(beholder: Beholder, tmp_path: Path) -> None:
    (tmp_path / "TIR-Bench.json").write_text(json.dumps([record(0), record(1)]))
    (tmp_path / "a.jsonl").write_text('{"key": "0", "response": "It is B."}\n{"key": "1", "response": "It is C."}\n')
    with ScriptedServer(reads_letter) as server:
        found = beholder.json("score", "tir", tmp_path / "a.jsonl", "--data", tmp_path / "TIR-Bench.json", *at(server))
    assert official(found) == [1, 0]


@pytest.mark.parametrize("written", ["C", None, 7, ["B"]])
def test_what_the_file_says_was_read_does_not_count_beside_the_extractor(
    beholder: Beholder, tmp_path: Path, written: Any
) -> None:
    file = answers(tmp_path / "r.json", "It is B.", "It is B.", extracted_answer=written)
    with ScriptedServer(reads_letter) as server:
        said = beholder("score", "tir", file, *at(server), "--json")
    assert official(json.loads(said.out)) == [1, 1]
    assert "The file says what was read out of 2 responses; openai/reader reads them again." in said.err


# what fails → the exit code, official values, what is said
FAILING: list[tuple[str, Callable[[Request], Reply], int, list[float | None], str]] = [
    ("for good", lambda request: GONE, 3, [None, None], "The extractor failed on 2 responses."),
    ("for now", lambda request: BUSY, 4, [None, None], "on 2 responses; the same command tries them again."),
]


@pytest.mark.parametrize(("script", "code", "values", "words"), [row[1:] for row in FAILING], ids=["good", "now"])
def test_an_extractor_that_fails_costs_the_authors_figure_alone(
    beholder: Beholder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: Callable[[Request], Reply],
    code: int,
    values: list[float | None],
    words: str,
) -> None:
    monkeypatch.setattr(RetryPolicy, "wait", lambda *arguments: 0.0)
    file = answers(tmp_path / "r.json", "It is B.", "It is A.")
    with ScriptedServer(script) as server:
        said = beholder("score", "tir", file, *at(server), "--json")
    found = json.loads(said.out)
    assert said.code == code
    assert official(found) == values
    assert [item["scores"]["official"]["outcome"] for item in found["items"]] == ["failed", "failed"]
    assert [item["scores"]["lenient"]["value"] for item in found["items"]] == [1, 0]
    assert words in said.err


def test_one_reading_that_fails_for_good_leaves_the_others(beholder: Beholder, tmp_path: Path) -> None:
    file = answers(tmp_path / "r.json", "It is B.", "It is A.")
    with ScriptedServer(lambda request: GONE if "Item 1" in request.texts else reads_letter(request)) as server:
        said = beholder("score", "tir", file, *at(server), "--json")
    assert official(json.loads(said.out)) == [1, None]
    assert said.code == 0
    assert "The extractor failed on 1 response." in said.err


def test_a_server_that_never_works_is_not_asked_for_everything(
    beholder: Beholder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RetryPolicy, "wait", lambda *arguments: 0.0)
    file = answers(tmp_path / "r.json", *["It is B."] * 200)
    with ScriptedServer(lambda request: BUSY) as server:
        said = beholder("score", "tir", file, *at(server), "--json")
        assert len(server.requests) == 64 * RetryPolicy().attempts
    items = json.loads(said.out)["items"]
    assert said.code == 4
    assert {item["scores"]["official"]["outcome"] for item in items} == {"failed"}
    assert "not asked, because all readings before failed" in items[150]["scores"]["official"]["reason"]
    assert "The extractor failed on 200 responses; the same command tries them again." in said.err


def test_a_refused_key_says_what_to_mend(beholder: Beholder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", HIDDEN)
    file = answers(tmp_path / "r.json", "It is B.")
    with ScriptedServer(lambda request: Reply(b"{}", status=401)) as server:
        said = beholder("score", "tir", file, *at(server, "--extractor-key-env", "MY_KEY"))
        assert server.requests[0].headers["authorization"] == f"Bearer {HIDDEN}"
    assert (said.code, said.out) == (2, "")
    assert "The extractor openai/reader refused the key" in said.error_lines[-1]
    assert HIDDEN not in said.err


WRONG: list[tuple[str, list[object], tuple[str, ...]]] = [
    ("no server there", at("http://127.0.0.1:9/v1"), ("No server answers", "--extractor-base-url")),
    ("address alone", ["--extractor-base-url", "http://127.0.0.1:9/v1"], ("goes with --extractor",)),
    ("one that looks", ["--extractor", "classical"], ("--extractor classical cannot read a text",)),
]


@pytest.mark.parametrize(("options", "words"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_an_extractor_that_cannot_be(
    beholder: Beholder, tmp_path: Path, options: list[object], words: tuple[str, ...]
) -> None:
    check_refused(beholder("score", "tir", answers(tmp_path / "r.json", "It is B."), *options), words)


def test_a_benchmark_that_takes_none(beholder: Beholder, tmp_path: Path) -> None:
    file = tfq_results(tmp_path / "r.json", ["<answer>T</answer>"])
    check_refused(beholder("score", "tfq", file, "--extractor", "constant/T"), ("tfq takes no --extractor",))
