"""`demo`: three baselines on fresh items, and what tools are worth on a few of them.

The data of an earlier demo is used again or left alone, never removed.
"""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from cli_data import Beholder
from rich.console import Console

from beholder.cli.demo import first_of_each, fresh_items
from beholder.errors import UsageError
from beholder.experiments.experiment import list_experiments, read
from beholder.synth import generate
from beholder.synth.families import FAMILIES
from beholder.synth.photographs import SHIPPED
from made_runs import plan_for

FEW = ("jigsaw", "maze")


@pytest.fixture
def few_families(monkeypatch: pytest.MonkeyPatch) -> None:
    """A demo of two families, which takes a moment, not one of all thirteen."""
    draws_for = generate.draws_for
    monkeypatch.setattr(generate, "draws_for", lambda names, n, seed, levels=(1,): draws_for(FEW, n, seed, levels))


def make(runs: Path, n: int = 1, photos: Path | None = None) -> Path:
    return fresh_items(runs, n, 7, photos, Console(quiet=True))


def inodes(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_ino for path in sorted(folder.rglob("*")) if path.is_file()}


def runs_in(folder: Path) -> list[Path]:
    return [entry for entry in folder.iterdir() if (entry / "run.json").is_file()]


def check_demo(beholder: Beholder, runs: Path, items: int, tasks: tuple[str, ...]) -> None:
    """Two demos: each makes three runs, one table, two comparisons, a report and an experiment; the second makes no
    data."""
    folder = runs / "demo-tir-1-2026"
    files: dict[str, int] = {}
    for time in (1, 2):
        said = beholder("demo", "--n", 1, "--runs-dir", runs)
        assert said.code == 0, said.err
        assert f"{items} fresh items in {folder}" in said.out
        assert ("Making" in said.out) is (time == 1)
        for words in ("random", "static", "classical", *tasks, "beholder show latest", "make demo MODEL="):
            assert words in said.out
        for words in ("What are tools worth?", "Arm 3 of 3, python-again", "none (static)", "  → python: the "):
            assert words in said.out
        assert f"See them all:   beholder view {runs}" in said.out
        experiments = list_experiments(runs)
        assert len(experiments) == time
        assert {arm.plan.n_samples for arm in read(experiments[-1]).arms} == {min(items, 4 * len(tasks))}
        assert said.out.count(f"B against A, scorer lenient, {items} items") == 2
        (report,) = [line.split(maxsplit=1)[1] for line in said.out.splitlines() if line.startswith("Report:")]
        assert Path(report).stat().st_size > 1000
        assert len(runs_in(runs)) == 3 * time
        files = files or inodes(folder)
        assert inodes(folder) == files
    assert beholder.json("show", "latest", "--runs-dir", runs)["model"] == "classical"


@pytest.mark.slow
@pytest.mark.usefixtures("few_families")
def test_a_demo_runs_twice_on_the_same_files(beholder: Beholder, tmp_path: Path) -> None:
    check_demo(beholder, tmp_path, 2, FEW)


@pytest.mark.usefixtures("few_families")
def test_without_a_sandbox_a_demo_leaves_the_experiment_out(
    beholder: Beholder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(settings: object) -> None:
        raise UsageError("No sandbox runs here.")

    monkeypatch.setattr("beholder.cli.tools_options.check_sandbox", refuse)
    said = beholder("demo", "--n", 1, "--runs-dir", tmp_path)
    assert said.code == 0, said.err
    assert "Left out: No sandbox runs here." in said.out
    assert "Experiment:" not in said.out
    assert list_experiments(tmp_path) == []


@pytest.mark.usefixtures("few_families")
def test_the_experiment_takes_the_first_items_of_each_family(tmp_path: Path) -> None:
    whole = plan_for(make(tmp_path, n=3), "tir")
    chosen = first_of_each(whole, 2)
    assert Counter(sample.category for sample in chosen.samples()) == dict.fromkeys(FEW, 2)
    assert chosen.n_samples == 4
    assert first_of_each(whole, 9).n_samples == whole.n_samples == 6


@pytest.mark.slow
def test_a_demo_of_all_families(beholder: Beholder, tmp_path: Path) -> None:
    check_demo(beholder, tmp_path, len(FAMILIES), tuple(FAMILIES))


@pytest.mark.usefixtures("few_families")
def test_what_is_not_the_data_set_is_refused_and_kept(tmp_path: Path) -> None:
    folder = make(tmp_path)
    picture = next((folder / "data" / "jigsaw").iterdir())
    picture.write_bytes(picture.read_bytes() + b"x")
    files = inodes(folder)
    with pytest.raises(UsageError, match="is there already"):
        make(tmp_path)
    assert inodes(folder) == files


@pytest.mark.usefixtures("few_families")
def test_other_photographs_make_another_folder(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    shipped = sorted(SHIPPED.glob("*.jpg"))
    shutil.copy(shipped[0], photos / "one.jpg")
    first = make(tmp_path, photos=photos)
    assert make(tmp_path, photos=photos) == first
    shutil.copy(shipped[1], photos / "one.jpg")
    second = make(tmp_path, photos=photos)
    assert len({first, second, make(tmp_path)}) == 3
