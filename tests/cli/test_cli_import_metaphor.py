"""`beholder import metaphor`: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_data import Beholder

from made_sources import two_sources


def folded(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def test_the_example_of_the_page(beholder: Beholder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "m3r-data.md").read_text(encoding="utf-8")
    block = page.partition("test_cli_import_metaphor.py runs this -->")[2].partition("`--images` names")[0]
    command, *shown = folded(block)
    two_sources(tmp_path)
    monkeypatch.chdir(tmp_path)
    said = beholder(*command.removeprefix("$ beholder ").split())
    assert said.code == 1
    assert folded(said.out) == shown


def test_json_says_what_the_report_says(beholder: Beholder, tmp_path: Path) -> None:
    one, other = two_sources(tmp_path)
    out = tmp_path / "out"
    images = ("--images", tmp_path / "a", "--images", tmp_path / "b")
    said = beholder("import", "metaphor", f"multimm={one}", f"emometa={other}", *images, "--out", out, "--json")
    assert said.code == 1
    assert json.loads(said.out) == json.loads((out / "report.json").read_text())
    assert json.loads(said.out)["kept"] == 7


def test_duplicates_alone_are_no_fault(beholder: Beholder, tmp_path: Path) -> None:
    _, other = two_sources(tmp_path)
    sources = (f"EmoMeta={other}", f"emometa={other}")
    said = beholder("import", "metaphor", *sources, "--images", tmp_path / "b", "--out", tmp_path / "out")
    assert said.code == 0
    assert "emometa emo.csv" in said.out  # two files of one source are told apart


def test_what_is_gathered_runs(beholder: Beholder, tmp_path: Path) -> None:
    _, other = two_sources(tmp_path)
    given = (f"emometa={other}", "--images", tmp_path / "b", "--out", tmp_path / "out")
    assert beholder("import", "metaphor", *given).code == 0
    run = ("run", "m3r", "--data", tmp_path / "out" / "records.jsonl", "--model", "constant/no", "--no-cache")
    assert beholder(*run, "--runs-dir", tmp_path / "runs").code == 0


# arguments after `import metaphor` (FOLDER is that of the sources), what the error says
REFUSED = [
    (("multimm",), "write SOURCE=FILE"),
    (("multimm=",), "write SOURCE=FILE"),
    (("multimet=FOLDER/emo.csv",), "There is no source 'multimet'"),
    (("multimm=FOLDER/nowhere.csv",), "there is no such file"),
    (("multimm=FOLDER/emo.csv",), "there is no column 'Pic_id'"),
    (("emometa=FOLDER/emo.csv", "--images", "FOLDER/nowhere"), "the image folder is not there"),
    (("emometa=FOLDER/emo.csv", "--images", "FOLDER/a", "--images", "FOLDER/b"), "one for each of the sources (1)"),
    (("emometa=FOLDER/emo.csv", "--out", "FOLDER"), "is not empty"),
]


@pytest.mark.parametrize(("arguments", "said"), REFUSED)
def test_what_cannot_work_is_refused_and_leaves_nothing(
    beholder: Beholder, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    two_sources(tmp_path / "sources")
    given = [argument.replace("FOLDER", str(tmp_path / "sources")) for argument in arguments]
    out = () if "--out" in arguments else ("--out", tmp_path / "out")
    found = beholder("import", "metaphor", *given, *out)
    assert found.code == 2
    assert said in " ".join(found.err.split())
    assert not (tmp_path / "out").exists()


def test_text_of_the_data_cannot_steer_the_terminal(beholder: Beholder, tmp_path: Path) -> None:
    rows = [{"id": "\x1b[31m[bold]x", "image": "\x1b[2J.png", "text": "x", "metaphor": "\x1b]0;t\x07"}] * 2
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    said = beholder("import", "metaphor", f"m3r={tmp_path / 'a.jsonl'}", "--out", tmp_path / "out")
    assert said.code == 1
    assert "\x1b" not in said.out
    assert "\x07" not in said.out
