"""A folder of runs does not choose which key goes where: only ways that the person named before are gone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_data import Beholder, check_refused, tfq_data

from beholder.cli.known_servers import Way, list_file
from beholder.errors import UsageError
from scripted_server import Reply, ScriptedServer

FAR = "https://models.example/v1"


@pytest.fixture(autouse=True)
def _keys(beholder: Beholder, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "CLOUD_SECRET"):
        monkeypatch.setenv(name, "sk-0123456789")


FREE = [
    Way("http://127.0.0.1:8000/v1", "CLOUD_SECRET"),
    Way("http://localhost:8000/v1", "OPENAI_API_KEY"),
    Way("https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    Way("https://api.openai.com/v1", "OPENAI_API_KEY"),
    Way(FAR, "NOT_SET"),
]
ASKED = [
    Way(FAR, "OPENAI_API_KEY"),
    Way("https://api.openai.com/v1", "CLOUD_SECRET"),
    Way("http://api.openai.com/v1", "OPENAI_API_KEY"),
    Way("https://api.openai.com.evil.example/v1", "OPENAI_API_KEY"),
    Way("https://api.openai.com@evil.example/v1", "OPENAI_API_KEY"),
    Way("https://api.openai.com/v1", "OPENAI_API_KEY", proxy="http://evil.example:8080"),
    Way("https://api.openai.com/v1", "OPENAI_API_KEY", ca_file="theirs.pem"),
    Way("http://localhost:8000/v1", "OPENAI_API_KEY", proxy="http://evil.example:8080"),
]


@pytest.mark.parametrize("way", FREE)
def test_what_needs_no_naming(way: Way) -> None:
    way.check("never said")
    way.remember()
    assert not list_file().exists() or way.key_variable == "NOT_SET"


@pytest.mark.parametrize("way", ASKED)
def test_what_was_not_named_is_refused_until_it_is(way: Way) -> None:
    with pytest.raises(UsageError, match=r"key in '\w+' to .*If it is right, say so\."):
        way.check("say so")
    way.remember()
    way.remember()
    way.check("say so")
    assert list_file().stat().st_mode & 0o777 == 0o600
    assert [len(ways) for ways in json.loads(list_file().read_text()).values()] == [1]


def test_one_way_does_not_open_another() -> None:
    Way(FAR, "OPENAI_API_KEY").remember()
    for other in (
        Way(FAR, "CLOUD_SECRET"),
        Way("https://models.example:444/v1", "OPENAI_API_KEY"),
        Way(FAR, "OPENAI_API_KEY", proxy="http://evil.example"),
    ):
        with pytest.raises(UsageError):
            other.check("say so")
    Way("https://models.example/another/path", "OPENAI_API_KEY").check("never said")


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"a": 1}', b"\xff"])
def test_a_damaged_list_knows_nothing_and_is_written_anew(damage: bytes) -> None:
    list_file().parent.mkdir(parents=True, exist_ok=True)
    list_file().write_bytes(damage)
    way = Way(FAR, "OPENAI_API_KEY")
    with pytest.raises(UsageError):
        way.check("say so")
    way.remember()
    way.check("never said")


def changed(folder: Path, **endpoint: Any) -> None:
    info = json.loads((folder / "run.json").read_text())
    info["settings"]["endpoint"].update(endpoint)
    (folder / "run.json").write_text(json.dumps(info))


def test_a_folder_of_runs_that_came_from_elsewhere_gets_no_key(beholder: Beholder, tmp_path: Path) -> None:
    broken = Reply(b"oops", status=500)
    with ScriptedServer(lambda request: Reply() if request.number % 2 else broken) as server:
        said = beholder(
            *("run", "tfq", "-m", "openai/m", "--base-url", server.url, "--max-retries", 0),
            *("--data", tfq_data(tmp_path), "--runs-dir", "runs"),
        )
        assert said.code == 4, said.err
        (folder,) = (one for one in Path("runs").iterdir() if one.is_dir())
        for endpoint, told in [
            ({"base_urls": [FAR]}, ("'OPENAI_API_KEY'", FAR, "--base-url")),
            ({"base_urls": [FAR], "key_variable": "CLOUD_SECRET"}, ("'CLOUD_SECRET'", "--base-url", "--api-key-env")),
            ({"base_urls": [], "proxy": "http://evil.example:1"}, ("through http://evil.example:1", "--proxy")),
        ]:
            changed(folder, **endpoint)
            check_refused(beholder("resume", "latest", "--runs-dir", "runs"), told)
