"""The endpoint's options: what reaches run.json and the screen, where a resume may send a key, and what doctor says."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_data import Beholder, Said, check_refused, tfq_data, tree

from scripted_server import Reply, Request, ScriptedServer

KEY = "sk-very-secret-0123456789"
BROKEN = Reply(b"oops", status=500)


@pytest.fixture(autouse=True)
def _key(beholder: Beholder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


def evaluate(beholder: Beholder, here: Path, url: str, *more: object, code: int = 0) -> Path:
    """Runs TFQ-Bench (six items) at a server; returns the run folder."""
    data = here / "tfq.jsonl"
    if not data.exists():
        tfq_data(here)
    reach = ("--model", "openai/m", "--base-url", url, "--max-retries", 0, *more)
    said = beholder("run", "tfq", "--data", data, "--runs-dir", here / "runs", *reach)
    assert said.code == code, said.err
    return max(folder for folder in (here / "runs").iterdir() if folder.is_dir())


def half_done(beholder: Beholder, here: Path, server: ScriptedServer, *more: object) -> Path:
    """A run of which half is missing; the server answers everything from now on."""
    server.script = lambda request: Reply() if request.number % 2 else BROKEN
    folder = evaluate(beholder, here, server.url, *more, code=4)
    server.script = lambda request: Reply()
    server.requests.clear()
    server.listed.clear()
    return folder


def resume(beholder: Beholder, folder: Path, *more: object) -> Said:
    return beholder("resume", folder, "--runs-dir", folder.parent, *more)


def settings_in(folder: Path) -> dict[str, Any]:
    settings: dict[str, Any] = json.loads((folder / "run.json").read_text())["settings"]
    return settings


def change_settings(folder: Path, change: Any) -> None:
    info = json.loads((folder / "run.json").read_text())
    change(info["settings"])
    (folder / "run.json").write_text(json.dumps(info))


FORMS = ["me:hush-pw@127.0.0.1:{}", "http://me:hush-pw@127.0.0.1:{}", "hush-pw@127.0.0.1:{}"]


@pytest.mark.parametrize("form", FORMS)
def test_no_form_of_a_proxy_shows_its_password(
    beholder: Beholder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: ScriptedServer, form: str
) -> None:
    proxy = form.format(server.port)
    told = f"http://***@127.0.0.1:{server.port}"
    folder = evaluate(beholder, tmp_path, "http://model.invalid/v1", "--proxy", proxy)
    assert settings_in(folder)["endpoint"]["proxy"] == told
    assert b"hush" not in b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())

    for name in ("HTTP_PROXY", "HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, proxy)
    said = beholder("doctor", "--base-url", "http://model.invalid/v1")
    assert f"HTTPS_PROXY={told}" in said.out
    assert "hush" not in said.out + said.err

    server.models = lambda request: Reply(b"who?", status=407)
    said = beholder("doctor", "--base-url", "http://model.invalid/v1")
    assert f"FAIL  endpoint: The proxy {told} does not let requests through" in said.out
    assert "hush" not in said.out + said.err
    refused = beholder(
        "run", "tfq", "-m", "openai/m", "--base-url", "http://model.invalid/v1", "-d", tmp_path / "tfq.jsonl"
    )
    check_refused(refused, ("The proxy", told))
    assert "hush" not in refused.err


def test_doctor_names_a_proxy_that_cannot_be_used(beholder: Beholder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "socks5://me:hush@host:1")
    monkeypatch.setenv("NO_PROXY", "localhost,127.0.0.1")
    said = beholder("doctor")
    assert "note  proxy: HTTPS_PROXY is not an address of an HTTP proxy" in said.out
    assert "NO_PROXY=localhost,127.0.0.1" in said.out
    assert "hush" not in said.out


def only_under_v1(request: Request) -> Reply:
    return Reply(b'{"data":[{"id":"m"}]}') if request.path.startswith("/v1/") else Reply(b"", status=404)


ANSWERS: list[tuple[str, Any, str, int, str]] = [
    ("names", ["some-model", "other"], "/v1", 0, "answers; it serves some-model, other"),
    ("no names", [], "/v1", 0, "answers, without naming a model"),
    ("no list", lambda request: Reply(b"", status=404), "/v1", 0, "answers HTTP 404 to /models"),
    ("a refused key", lambda request: Reply(b"", status=401), "/v1", 1, "Correct OPENAI_API_KEY"),
    ("no v1", only_under_v1, "", 1, "add /v1 to --base-url"),
]


@pytest.mark.parametrize(
    ("models", "path", "code", "words"), [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS]
)
def test_doctor_says_what_answers(
    beholder: Beholder, server: ScriptedServer, models: Any, path: str, code: int, words: str
) -> None:
    server.models = models
    said = beholder("doctor", "--base-url", server.url.removesuffix("/v1") + path)
    assert said.code == code
    (line,) = (line for line in said.out.splitlines() if " endpoint: " in line)
    assert words in line


def test_a_misspelt_model_is_refused_before_a_folder_is_made(
    beholder: Beholder, tmp_path: Path, server: ScriptedServer
) -> None:
    server.models = ["mm", "other"]
    refused = beholder(
        "run", "tfq", "-m", "openai/m", "--base-url", server.url, "-d", tfq_data(tmp_path), "--runs-dir", "r"
    )
    check_refused(refused, ("no model 'm'", "mm", "--model"))
    assert not Path("r").exists()


def test_another_header_value_is_not_answered_from_the_cache(
    beholder: Beholder, tmp_path: Path, server: ScriptedServer
) -> None:
    for value, asked in (("A", 6), ("A", 6), ("B", 12)):
        evaluate(beholder, tmp_path, server.url, "--header", f"X-Variant: {value}")
        assert len(server.requests) == asked


def test_a_resume_says_whom_it_asks(beholder: Beholder, tmp_path: Path, server: ScriptedServer) -> None:
    folder = half_done(beholder, tmp_path, server)
    said = resume(beholder, folder)
    assert said.code == 0, said.err
    assert said.error_lines[0] == f"Asking {server.url} with the key in OPENAI_API_KEY"
    assert len(server.requests) == 3


def test_a_resume_may_take_another_key(
    beholder: Beholder, tmp_path: Path, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = half_done(beholder, tmp_path, server)
    monkeypatch.setenv("OTHER_KEY", "sk-other-0123")
    said = resume(beholder, folder, "--api-key-env", "OTHER_KEY")
    assert said.code == 0, said.err
    assert {request.headers["authorization"] for request in server.requests} == {"Bearer sk-other-0123"}
    assert "with the key in OTHER_KEY" in said.err


def test_a_foreign_run_does_not_choose_where_the_key_goes(
    beholder: Beholder, tmp_path: Path, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = half_done(beholder, tmp_path, server)
    change_settings(folder, lambda found: found["endpoint"].update(base_urls=["http://models.example/v1"]))
    before = tree(folder)
    told = ("outside --runs-dir", "http://models.example/v1", "--base-url", str(folder.parent))
    check_refused(beholder("resume", folder), told)
    linked = Path("runs") / "theirs"
    linked.parent.mkdir()
    linked.symlink_to(folder)
    check_refused(beholder("resume", "theirs"), ("outside --runs-dir", "--base-url"))

    monkeypatch.setenv("MY_OTHER_SECRET", "sk-other-0123")
    change_settings(folder, lambda found: found["endpoint"].update(key_variable="MY_OTHER_SECRET"))
    refused = beholder("resume", folder, "--base-url", server.url)
    check_refused(refused, ("'MY_OTHER_SECRET'", "--api-key-env"))
    assert server.requests == []
    assert server.listed == []
    assert tree(folder).keys() == before.keys()

    with ScriptedServer() as spy:
        change_settings(folder, lambda found: found["endpoint"].update(proxy=f"http://127.0.0.1:{spy.port}"))
        said = beholder("resume", folder, "--base-url", server.url, "--api-key-env", "OPENAI_API_KEY")
        assert said.code == 0, said.err
        assert spy.model_lists == 0
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}


@pytest.mark.parametrize("with_key", [True, False])
def test_a_foreign_run_goes_on_where_no_key_leaves_this_machine(
    beholder: Beholder, tmp_path: Path, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch, with_key: bool
) -> None:
    """The run asked a server on this machine; the folder is named by its path alone, as the hint to resume does."""
    folder = half_done(beholder, tmp_path, server)
    if not with_key:
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    said = beholder("resume", folder)
    assert said.code == 0, said.err
    assert len(server.requests) == 3


def test_a_foreign_run_that_needs_no_endpoint_is_resumed(beholder: Beholder, tmp_path: Path) -> None:
    made = beholder(
        *("run", "tfq", "-m", "random", "-d", tfq_data(tmp_path), "--runs-dir", tmp_path / "runs"),
        *("--base-url", "http://127.0.0.1:9/v1"),
    )
    assert made.code == 0, made.err
    (folder,) = (folder for folder in (tmp_path / "runs").iterdir() if folder.is_dir())
    assert beholder("resume", folder).code == 0


def test_a_server_that_has_moved_is_asked_from_then_on(
    beholder: Beholder, tmp_path: Path, server: ScriptedServer
) -> None:
    folder = half_done(beholder, tmp_path, server)
    first = server.url
    with ScriptedServer(lambda request: Reply() if request.number else BROKEN) as moved:
        said = resume(beholder, folder, "--base-url", moved.url, "--max-retries", 0)
        assert said.code == 4, said.err
        assert f"Answers from now on come from {moved.url}." in said.err
        assert settings_in(folder)["endpoint"]["base_urls"] == [first, moved.url]
        assert settings_in(folder)["endpoint"]["base_url"] == first
        again = resume(beholder, folder)
        assert again.code == 0, again.err
        assert "Answers from now on" not in again.err
        assert len(moved.requests) == 4
    assert server.requests == []
    assert settings_in(folder)["endpoint"]["base_urls"] == [first, moved.url]


def test_a_moved_server_with_another_model_is_still_refused(
    beholder: Beholder, tmp_path: Path, server: ScriptedServer
) -> None:
    folder = half_done(beholder, tmp_path, server)
    change_settings(folder, lambda found: found.update(model="openai/n"))
    with ScriptedServer() as moved:
        check_refused(resume(beholder, folder, "--base-url", moved.url), ("another plan", "model.model: m"))
        assert moved.model_lists == 0
    assert "base_urls" not in settings_in(folder)["endpoint"]


def test_a_complete_run_contacts_nobody(beholder: Beholder, tmp_path: Path, server: ScriptedServer) -> None:
    folder = evaluate(beholder, tmp_path, server.url, "--header", "X-Team: eyes")
    server.listed.clear()
    server.requests.clear()
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*") if path.is_file()}
    said = beholder("resume", folder)
    assert said.code == 0, said.err
    assert said.err == f"Nothing to do: {folder} holds every answer.\n"
    assert "6 answered, 0 failed" in said.out
    assert server.requests == []
    assert server.listed == []
    after = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*") if path.is_file()}
    assert after == before


def test_a_complete_run_killed_before_its_figures_gets_them_without_a_server(
    beholder: Beholder, tmp_path: Path, server: ScriptedServer
) -> None:
    folder = evaluate(beholder, tmp_path, server.url)
    (folder / "results.json").unlink()
    info = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(info | {"status": "running"}))
    server.listed.clear()
    assert resume(beholder, folder).code == 0
    assert server.listed == []
    assert json.loads((folder / "results.json").read_text())["complete"]
    assert json.loads((folder / "run.json").read_text())["status"] == "complete"


def test_settings_that_are_not_there_have_their_defaults(
    beholder: Beholder, tmp_path: Path, server: ScriptedServer
) -> None:
    folder = half_done(beholder, tmp_path, server)
    kept = {"base_url": server.url}

    def reduce(found: dict[str, Any]) -> None:
        for name in ("max_retries", "max_connections", "cache"):
            del found[name]
        found["endpoint"] = kept

    change_settings(folder, reduce)
    said = resume(beholder, folder)
    assert said.code == 0, said.err
    assert "6 answered, 0 failed" in said.out


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"max_retries": "many"}, ("run.json", "max_retries")),
        ({"max_retries": -2}, ("run.json", "max_retries")),
        ({"max_connections": 0}, ("run.json", "max_connections")),
        ({"endpoint": {"base_url": 5}}, ("run.json", "base_url")),
        ({"endpoint": {"timeout": "long"}}, ("run.json", "timeout")),
        ({"endpoint": {}}, ("names no endpoint", "--base-url")),
        ({"endpoint": None}, ("names no endpoint", "--base-url")),
        ({"model": 5}, ("run.json", "model")),
    ],
    ids=str,
)
def test_settings_that_cannot_be_read_are_named(
    beholder: Beholder, tmp_path: Path, server: ScriptedServer, change: dict[str, Any], words: tuple[str, ...]
) -> None:
    folder = half_done(beholder, tmp_path, server)
    change_settings(folder, lambda found: found.update(change))
    before = tree(folder)
    check_refused(resume(beholder, folder), words)
    assert tree(folder) == before
    assert server.listed == []


def test_a_copied_run_is_foreign_only_outside_the_runs_folder(
    beholder: Beholder, tmp_path: Path, server: ScriptedServer
) -> None:
    folder = half_done(beholder, tmp_path, server)
    change_settings(folder, lambda found: found["endpoint"].update(base_urls=["http://models.example/v1", server.url]))
    copy = tmp_path / "elsewhere" / "run"
    shutil.copytree(folder, copy)
    change_settings(copy, lambda found: found["endpoint"].update(base_urls=["http://models.example/v1"]))
    check_refused(beholder("resume", copy, "--runs-dir", folder.parent), ("outside --runs-dir",))
    change_settings(copy, lambda found: found["endpoint"].update(base_urls=[server.url]))
    assert beholder("resume", copy, "--runs-dir", copy.parent).code == 0


def test_an_image_policy_is_kept_by_the_server_s_limits_and_by_a_resume(
    beholder: Beholder, tmp_path: Path, server: ScriptedServer
) -> None:
    """A picture of 10×400 goes out padded under qwen-vl, one of 4000×10 fails, and a resume keeps the policy."""
    from PIL import Image

    records = []
    for number, size in enumerate([(10, 400), (4000, 10), (64, 64)]):
        Image.new("RGB", size, (200, 30, 30)).save(tmp_path / f"{number}.png")
        records.append({"images": [f"{number}.png"], "problem": f"<image>Statement {number}.", "answer": "T"})
    data = tmp_path / "odd.jsonl"
    data.write_text("".join(json.dumps(record) + "\n" for record in records))
    runs = tmp_path / "odd-runs"
    said = beholder(
        *("run", "tfq", "-m", "openai/m", "--base-url", server.url, "-d", data, "--runs-dir", runs),
        *("--image-policy", "qwen-vl", "--no-cache"),
    )
    assert said.code == 0, said.err
    assert len(server.requests) == 2
    assert "max_aspect" in said.out
    (folder,) = (folder for folder in runs.iterdir() if folder.is_dir())
    settings = json.loads((folder / "run.json").read_text())["settings"]
    assert settings["endpoint"]["image_policy"] == "qwen-vl"
    again = beholder("resume", folder)
    assert again.code == 0, again.err
    assert len(server.requests) == 2  # the one that fails is looked at again, and still asks nothing
    check_refused(
        beholder("run", "tfq", "-m", "openai/m", "--base-url", server.url, "-d", data, "--image-policy", "qwen"),
        ("--image-policy 'qwen'", "qwen-vl"),
    )
