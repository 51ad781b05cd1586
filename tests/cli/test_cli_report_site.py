"""`beholder report --format site` as it is typed: where the folder goes, what is said, what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from cli_data import CONSTANT, Beholder, check_refused, run, tfq_data, tree


@pytest.fixture
def runs(beholder: Beholder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two runs of TFQ-Bench on six statements."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "runs"
    data = tfq_data(tmp_path / "tfq")
    for model in (CONSTANT, "random"):
        assert beholder(*run(data, "--runs-dir", folder, model=model)).code == 0
    return folder


def named(runs: Path) -> list[str]:
    return sorted(path.name for path in runs.iterdir() if "_tfq_" in path.name)


def manifest(site: Path) -> dict[str, dict[str, object]]:
    found = json.loads((site / "data" / "manifest.json").read_text())
    assert isinstance(found, dict)
    return found


def test_the_site_lies_in_the_last_run_unless_told_otherwise(beholder: Beholder, runs: Path, tmp_path: Path) -> None:
    names = named(runs)
    said = beholder("report", *names, "--runs-dir", runs, "--format", "site", "--samples", 4)
    site = runs / names[-1] / "site"
    assert said.code == 0, said.err
    where, how = said.out.splitlines()
    assert where.startswith(f"{site} (")
    assert f"http.server --directory {site}" in how
    assert said.err == "".join(f"{name}: the first 4 of 6 samples are in it (--samples).\n" for name in names)
    assert list(manifest(site)["runs"]) == names
    # Again, with all samples: it takes the place of the first.
    facts = beholder.json("report", *names, "--runs-dir", runs, "--format", "site", "--without-images")
    assert facts["folder"] == str(site)
    assert facts["runs"] == {name: {"samples": 6, "of": 6} for name in names}
    assert facts["files"] == len(tree(site))
    assert beholder("show", names[-1], "--runs-dir", runs).code == 0
    other = tmp_path / "www" / "site"
    assert beholder("report", names[0], "--runs-dir", runs, "--format", "site", "--out", other).code == 0
    assert list(manifest(other)["runs"]) == names[:1]


def test_packed_runs_and_runs_of_the_same_name(beholder: Beholder, runs: Path, tmp_path: Path) -> None:
    name = named(runs)[0]
    packed = tmp_path / "sent.beholder"
    assert beholder("pack", name, "--runs-dir", runs, "--out", packed).code == 0
    shutil.copytree(runs / name, tmp_path / "copies" / name)
    given = [runs / name, tmp_path / "copies" / name, packed]
    facts = beholder.json("report", *given, "--format", "site")
    assert facts["folder"] == str(tmp_path / "sent_site")
    assert list(facts["runs"]) == [name, f"{name} (2)", "sent"]
    pages = [json.loads((tmp_path / "sent_site" / "data" / f"run-{n}" / "run.json").read_text()) for n in range(3)]
    assert [page["row"]["id"] for page in pages] == list(facts["runs"])


def test_what_makes_no_site_is_refused(beholder: Beholder, runs: Path, tmp_path: Path) -> None:
    name = named(runs)[0]
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("x")
    before = tree(tmp_path)
    cases: list[tuple[list[object], tuple[str, ...]]] = [
        ([name, "--embed"], ("--embed is about the page",)),
        ([name, "--out", tmp_path / "full"], ("holds other files",)),
        ([name, "--out", tmp_path / "full" / "thesis.tex"], ("is a file",)),
        (["no-such-run"], ("There is no run 'no-such-run'",)),
        ([name, "--samples", "-1"], ("--samples",)),
    ]
    for arguments, words in cases:
        check_refused(beholder("report", *arguments, "--runs-dir", runs, "--format", "site"), words)
    assert {path: size for path, size in tree(tmp_path).items() if not path.startswith("cache")} == before
