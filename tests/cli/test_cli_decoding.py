"""What `run` sends of the decoding options, and what it says when a server refuses one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_data import Beholder, Said, check_refused, run, tfq_data

from scripted_server import Reply, Request, Script, ScriptedServer


def evaluate(beholder: Beholder, here: Path, script: Script, *more: object) -> Said:
    with ScriptedServer(script) as server:
        return beholder(
            "run",
            "tfq",
            *("--model", "openai/m", "--base-url", server.url, "--data", tfq_data(here), "--runs-dir", here / "runs"),
            *more,
        )


def sent(beholder: Beholder, here: Path, *more: object) -> Request:
    """The one request of a run of one item."""
    requests: list[Request] = []

    def script(request: Request) -> Reply:
        requests.append(request)
        return Reply()

    said = evaluate(beholder, here, script, "--limit", 1, *more)
    assert said.code == 0, said.err
    (request,) = requests
    return request


def test_default_is_not_sent(beholder: Beholder, tmp_path: Path) -> None:
    options = ("--temperature", "default", "--top-p", "Default", "--max-tokens", "default")
    body = sent(beholder, tmp_path, *options).body
    assert not {"temperature", "top_p", "max_tokens"} & set(body)
    (info,) = (tmp_path / "runs").glob("*/run.json")
    sampling = json.loads(info.read_text())["plan"]["sampling"]
    assert [sampling.get(name) for name in ("temperature", "top_p", "max_tokens")] == [None, None, None]


def test_what_is_not_given_is_the_benchmarks_own(beholder: Beholder, tmp_path: Path) -> None:
    body = sent(beholder, tmp_path, "--max-tokens", "9").body
    assert (body["temperature"], body["top_p"], body["max_tokens"]) == (0.5, 0.9, 9)


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--temperature", "warm", ("'warm'", "at least 0")),
        ("--temperature", "-1", ("'-1'", "at least 0")),
        ("--temperature", "nan", ("'nan'",)),
        ("--temperature", "inf", ("'inf'",)),
        ("--temperature", "", ("''",)),
        ("--top-p", "1.5", ("'1.5'", "from 0 to 1")),
        ("--max-tokens", "0", ("'0'", "whole number", "at least 1")),
        ("--max-tokens", "2.5", ("'2.5'", "whole number")),
        ("--max-tokens", "9" * 5000, ("'999",)),
    ],
)
def test_nonsense_is_refused_in_one_line(
    beholder: Beholder, tmp_path: Path, option: str, value: str, words: tuple[str, ...]
) -> None:
    said = beholder(*run(tfq_data(tmp_path), "--runs-dir", tmp_path / "runs", option, value))
    check_refused(said, (option, "default", *words))
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("message", "hint"),
    [
        ("Unsupported value: 'temperature' does not support 0.5", "--temperature default"),
        ("top_p is not supported with this model", "--top-p default"),
        ("`temperature` is deprecated for this model.", "--temperature default"),
        ("temperature and top_p cannot both be specified.", "--top-p default"),
        ("Use 'max_completion_tokens' instead of 'max_tokens'", "--max-tokens-field max_completion_tokens"),
        ("Use 'max_completion_tokens' instead.", "--max-tokens-field max_completion_tokens"),
    ],
)
def test_a_server_that_refuses_an_option_is_told_from_its_message(
    beholder: Beholder, tmp_path: Path, message: str, hint: str
) -> None:
    refused = Reply(json.dumps({"error": {"message": message}}).encode(), status=400)
    said = evaluate(beholder, tmp_path, lambda request: refused)
    assert said.code == 3
    assert [line for line in said.out.splitlines() if "Start a new run with" in line and hint in line]


def test_there_is_no_such_hint_when_some_were_answered_or_the_message_is_another(
    beholder: Beholder, tmp_path: Path
) -> None:
    some = Reply(b'{"error": {"message": "temperature"}}', status=400)
    said = evaluate(beholder, tmp_path, lambda request: some if request.number else Reply(), "--max-connections", 1)
    assert "temperature default" not in said.out
    other = Reply(b'{"error": {"message": "image too large"}}', status=400)
    assert "Start a new run" not in evaluate(beholder, tmp_path, lambda request: other).out
