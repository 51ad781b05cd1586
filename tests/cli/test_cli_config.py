"""Config files and environment variables: what they may say, which counts, and what a foreign one may not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli_data import CONSTANT, Beholder, Said, tfq_data
from test_cli_json import commands

from beholder.cli import settings


@pytest.fixture
def home(beholder: Beholder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own config file, which is not there yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    file = tmp_path / "config" / "beholder" / "config.toml"
    file.parent.mkdir(parents=True)
    return file


def here(text: str) -> None:
    Path("beholder.toml").write_text(text)


def settings_of(beholder: Beholder, *line: object) -> Any:
    """What run.json of a new run holds besides its plan."""
    said = beholder("run", "tfq", *line, "--json")
    assert said.code == 0, said.err
    return json.loads((Path(json.loads(said.out)["folder"]) / "run.json").read_text())["settings"]


def test_the_nearer_source_counts(beholder: Beholder, home: Path, tmp_path: Path, monkeypatch: Any) -> None:
    data = tfq_data(tmp_path)
    line = ("--data", data, "--model", CONSTANT)
    tried = lambda: settings_of(beholder, *line)["max_retries"]  # noqa: E731
    assert tried() == 7
    home.write_text("[defaults]\nmax_retries = 6\n")
    assert tried() == 6
    home.write_text("[defaults]\nmax_retries = 6\n[run]\nmax-retries = 5\n")
    assert tried() == 5, "the command's own table counts before the shared one"
    here("[defaults]\nmax_retries = 4\n")
    assert tried() == 4, "the working folder's before the user's"
    monkeypatch.setenv("BEHOLDER_RUN_MAX_RETRIES", "3")
    assert tried() == 3
    assert settings_of(beholder, *line, "--max-retries", 2)["max_retries"] == 2
    other = tmp_path / "other.toml"
    other.write_text('[run]\nmax_retries = 1\nbase_url = "http://127.0.0.1:1/v1"\n')
    monkeypatch.delenv("BEHOLDER_RUN_MAX_RETRIES")
    said = beholder("--config", other, "run", "tfq", *line, "--json")
    assert json.loads(Path(json.loads(said.out)["folder"], "run.json").read_text())["settings"]["max_retries"] == 1


def test_all_kinds_of_value_are_taken(beholder: Beholder, home: Path, tmp_path: Path) -> None:
    data = tfq_data(tmp_path)
    home.write_text(
        f'[run]\ndata = "{data}"\nmodel = ["{CONSTANT}", "random"]\ncache = false\ntemperature = 0.5\nlimit = 2\n'
        'runs_dir = "elsewhere"\njson = true\n'
    )
    said = beholder("run", "tfq")
    assert said.code == 0, said.err
    first = json.loads(said.out)["runs"][0]
    kept = json.loads((Path(first["folder"]) / "run.json").read_text())
    assert first["folder"].startswith("elsewhere/")
    assert (kept["settings"]["cache"], kept["plan"]["sampling"]["temperature"]) == (False, 0.5)
    home.write_text(f'[run]\ndata = "{data}"\nmodel = "random"\n')
    assert settings_of(beholder)["model"] == "random", "one value where there may be several"


def test_a_table_of_a_command_below_a_group(beholder: Beholder, home: Path) -> None:
    home.write_text('[experiment.tools]\nn = "x"\n')
    assert "there is no 'n' in [experiment.tools]" in beholder("experiment", "tools", "--model", "x").err
    home.write_text('[audit.data]\nimages = "no-such-folder"\n')
    assert beholder("audit", "data", "tfq", "x").code == 2


WRONG = [
    ("[run]\nmax_conections = 3\n", "there is no 'max_conections' in [run]. Did you mean max_connections"),
    ("[rum]\nlimit = 3\n", "there is no 'rum' in the tables. Did you mean run"),
    ("[defaults]\nrun_dir = 'x'\n", "there is no 'run_dir' in [defaults]. Did you mean runs_dir"),
    ("[defaults]\nmodel = 'x'\n", "there is no 'model' in [defaults]"),
    ("run = 3\n", "run is no table. Write [run]"),
    ("[run\n", "is not TOML"),
    ("[run]\nlimit = [1, 2]\n", "limit of [run] takes one value"),
    ("[run]\nlimit = true\n", "limit of [run] must be text or a number"),
    ("[run]\ncache = 'no'\n", "cache of [run] must be true or false"),
    ("[run]\nlimit = 1979-05-27\n", "limit of [run] must be text or a number"),
    ("[run]\nlimit = 0\n", "from a config file"),
    ("[run]\nheader = 'Authorization: Bearer x'\n", "header of [run] may hold a secret"),
    ("[run]\nbase_url = 'http://me:pw@host/v1'\n", "base_url of [run] holds a secret"),
    ("[run]\nproxy = 'http://me:pw@host/'\n", "proxy of [run] holds a secret"),
    ('[run]\nextra_body = \'{"api_key": "sk-1"}\'\n', "extra_body of [run] holds a secret"),
    ("[run]\nown = 'x.py'\n", "own of [run] is for the command line alone"),
]


@pytest.mark.parametrize(("text", "words"), WRONG, ids=[words for _, words in WRONG])
def test_what_cannot_be_is_told_with_its_file(text: str, words: str, beholder: Beholder, home: Path) -> None:
    home.write_text(text)
    said = beholder("run", "tfq", "--data", "x", "--model", "random")
    assert (said.code, len(said.error_lines)) == (2, 1)
    assert words in said.err
    assert "sk-1" not in said.err
    assert "pw" not in said.err
    assert beholder("run", "--help").code == 0, "help is there all the same"


FOREIGN = [
    ("run", "base_url = 'http://evil.example/v1'", "may not set base_url"),
    ("run", "api_key_env = 'AWS_SECRET_ACCESS_KEY'", "may not set api_key_env"),
    ("run", "proxy = 'http://evil.example'", "may not set proxy"),
    ("run", "ca_file = 'evil.pem'", "may not set ca_file"),
    ("run", "extra_body = '{}'", "may not set extra_body"),
    ("run", "header = 'X: y'", "may hold a secret"),
    ("run", "judge_base_url = 'http://evil.example/v1'", "may not set judge_base_url"),
    ("run", "extractor_key_env = 'AWS'", "may not set extractor_key_env"),
    ("run", "sandbox = 'none'", "may not set sandbox"),
    ("run", "model = 'evil.py:Mine'", "may not choose 'evil.py:Mine'"),
    ("run", "model = ['random', 'transformers/evil']", "may not choose 'transformers/evil'"),
    ("run", "judge = 'embedding/evil'", "may not choose 'embedding/evil'"),
    ("run", "prompt = 'secret'", "may not set prompt"),
    ("run", "data = '/etc/passwd'", "leaves it"),
    ("run", "runs_dir = '../elsewhere'", "leaves it"),
    ("resume", "base_url = 'http://evil.example/v1'", "may not set base_url"),
    ("report", "out = '/tmp/x.html'", "may not set out"),
]


@pytest.mark.parametrize(("command", "line", "words"), FOREIGN, ids=[line for _, line, _ in FOREIGN])
def test_a_file_that_was_merely_found_sends_nothing_elsewhere(
    command: str, line: str, words: str, beholder: Beholder, home: Path
) -> None:
    def tried(*before: str) -> Said:
        rest = ("tfq", "--data", "x", "--model", "random") if command == "run" else ("latest",)
        return beholder(*before, command, *rest)

    here(f"[{command}]\n{line}\n")
    said = tried()
    assert (said.code, len(said.error_lines)) == (2, 1)
    assert "beholder.toml" in said.err
    assert words in said.err
    if "secret" not in words:
        assert "may not" not in tried("--config", "beholder.toml").err, "who names the file vouches for it"


def test_no_new_option_is_harmless_by_itself() -> None:
    """Every option that says where a key, data or output goes, or what is run, has to be named by the person."""
    telling = (
        "url",
        "key",
        "header",
        "proxy",
        "ca_file",
        "body",
        "sandbox",
        "out",
        "own",
        "token",
        "host",
        "port",
        "yes",
    )
    assert [name for name in settings.HARMLESS if any(word in name.split("_") for word in telling)] == []


def test_shared_and_harmless_options_are_there() -> None:
    counted: dict[str, int] = {}
    for _, command in commands():
        for name in settings.options_of(command):
            counted[name] = counted.get(name, 0) + 1
    assert [name for name in settings.SHARED if counted.get(name, 0) < 2] == []
    later = {"stream", "max_cost", "max_tokens_total"}
    assert [name for name in settings.HARMLESS if name not in counted and name not in later] == []


def test_config_show_says_what_holds_and_where_from(beholder: Beholder, home: Path, monkeypatch: Any) -> None:
    assert beholder("config", "show").out.startswith("Nothing: ")
    home.write_text('[run]\nmodel = "random"\nbase_url = "http://localhost:8000/v1"\n')
    here("[defaults]\nmax_retries = 3\n")
    monkeypatch.setenv("BEHOLDER_RUN_LIMIT", "4")
    monkeypatch.setenv("BEHOLDER_RUN_HEADER", "Authorization:Bearer-sk-1")
    monkeypatch.setenv("BEHOLDER_RUNS", "my-runs")
    found = beholder.json("config", "show")
    rows = {(row["command"], row["option"]): (row["value"], row["from"]) for row in found["settings"]}
    assert found["files"] == [str(home), "beholder.toml"]
    assert rows["run", "model"] == (["random"], str(home))
    assert rows["run", "base_url"] == ("http://localhost:8000/v1", str(home))
    assert rows["experiment.tools", "max_retries"] == (3, "beholder.toml")
    assert rows["run", "limit"] == ("4", "BEHOLDER_RUN_LIMIT")
    assert rows["show", "runs_dir"] == ("my-runs", "BEHOLDER_RUNS")
    said = beholder("config", "show")
    assert "sk-1" not in said.out
    assert re.search(rf"^run +model +random  \({re.escape(str(home))}\)$", said.out, re.MULTILINE)
    here("[synth]\nphotoz = 'x'\n")
    assert "there is no 'photoz' in [synth]. Did you mean photos" in beholder("config", "show").err


def test_every_option_has_a_variable_and_help_does_not_drown_in_them(beholder: Beholder, monkeypatch: Any) -> None:
    monkeypatch.setenv("BEHOLDER_EXPERIMENT_TOOLS_MAX_CONNECTIONS", "x")
    assert "'x'" in beholder("experiment", "tools", "--model", "random", "--data", "x").err
    monkeypatch.setenv("BEHOLDER_LIST_JSON", "1")
    assert json.loads(beholder("list").out)["runs"] == []
    out = beholder("run", "--help").out
    assert "BEHOLDER_RUNS" in out
    assert "BEHOLDER_RUN_" not in out


def test_a_named_file_that_is_not_there_is_an_error(beholder: Beholder) -> None:
    said = beholder("--config", "none.toml", "list")
    assert (said.code, "none.toml cannot be read" in said.err) == (2, True)
