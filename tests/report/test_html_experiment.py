"""An experiment's findings as HTML: the printed tables and lines, as text, with its figure and without paths."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from html_pages import HOSTILE, TAGS, Parsed
from made_conversations import TALKS, conversations_data
from rich.console import Console
from rich.text import Text
from typer.testing import CliRunner

from beholder.cli.main import app
from beholder.errors import UsageError
from beholder.experiments.rotation import Contrast, RotationOutcome
from beholder.experiments.rotation_record import published_calls
from beholder.experiments.tools import tools_outcome
from beholder.report.changed_items import Change, changes_data, changes_of, changes_section
from beholder.report.html_experiment import experiment_section
from beholder.report.terminal import bare_table, cell, say
from made_experiments import rows


def printed(console: Console) -> None:
    console.print()
    console.print(Text("Experiment: tools", "bold"), soft_wrap=True)
    table = bare_table("arm", "score", "95 %")
    table.add_row(cell("none"), "51.0 %", cell("[33.5, 69.1]", "dim"))
    table.add_row(cell(HOSTILE["image"]), "–", "")
    console.print(table)
    say(console, "  note: a caution about /home/me/runs/exp/none", "yellow")
    console.print(Text("By task", "bold"))
    say(console, "  → a finding", "bold")
    say(console, "It has failed.", "red")
    console.print(f"Folder: {HOSTILE['script']}", soft_wrap=True)
    console.print(Text("visual gained k1, k2, k3 and 9 more", "dim"), soft_wrap=True)
    say(console, "`full` against `<b>`: see `beholder show`")


def test_what_is_printed_becomes_headings_tables_and_lines() -> None:
    section = experiment_section(printed, "<svg><title>scores</title></svg>", ["/home/me/runs/"])
    assert section.startswith("<h2>Experiment: tools</h2><div")
    assert '<th scope="col" class="run">arm</th><th scope="col">score</th>' in section
    assert '<tr><th scope="row">none</th><td>51.0 %</td><td>[33.5, 69.1]</td></tr>' in section
    assert "</table></div><figure" in section, "the figure stands after the table that has its numbers"
    assert '<p class="note">note: a caution about exp/none</p>' in section
    assert "<h3>By task</h3><p><b>→ a finding</b></p>" in section
    assert '<p class="warn">It has failed.</p>' in section
    assert "&lt;img src=x onerror=alert(4)&gt;" in section
    assert "<p>Folder: &lt;script&gt;alert(1)&lt;/script&gt;</p>" in section


def test_what_is_quoted_on_a_terminal_is_code_and_still_only_text() -> None:
    shown = "<code>full</code> against <code>&lt;b&gt;</code>: see <code>beholder show</code>"
    assert shown in experiment_section(printed)


def test_the_first_few_items_are_not_named_where_all_are_listed() -> None:
    assert "visual gained k1" in experiment_section(printed)
    listed = [Change("visual against none", "visual", ["k1"], [])]
    assert "gained k1" not in experiment_section(printed, listed=listed)


SAMPLES = [{"k": key, "i": number} for number, key in enumerate(("k0", "k1", "k2", "k3"))]
CHANGES = [Change("<b> against none", "<b>", ["k3", "k1", "elsewhere-far-away"], ["k0"]), Change("x", "x", [], ["k2"])]


def test_every_item_that_was_gained_or_lost_is_listed_with_a_link_to_its_sample() -> None:
    section = changes_section(CHANGES, SAMPLES)
    assert "<summary>&lt;b&gt; against none: 3 gained, 1 lost</summary>" in section
    assert (
        'gained: items <a href="#item-1">1</a>, <a href="#item-3">3</a>; 1 item not in this page: elsewhere-fa'
        in section
    )
    assert 'lost: item <a href="#item-0">0</a></p>' in section
    assert changes_section([], SAMPLES) == ""


def test_samples_can_be_filtered_by_what_was_gained_and_lost() -> None:
    assert changes_data(CHANGES, SAMPLES) == [
        ["<b> against none: gained", [1, 3]],
        ["<b> against none: lost", [0]],
        ["x: lost", [2]],
    ]


def test_each_kind_of_experiment_tells_what_changed() -> None:
    wrong, right = rows("none", {"a": 0, "b": 1}), rows("visual", {"a": 1, "b": 0})
    outcome = tools_outcome(wrong, [right], None, ["lenient"])
    assert changes_of(outcome) == [Change("visual against none", "visual", ["a"], ["b"])]
    same = tools_outcome(wrong, [rows("visual", {"a": 0, "b": 1})], None, ["lenient"])
    assert changes_of(same) == []
    contrast = Contrast("code − tool, P1", outcome.gains["lenient"][0].comparison, None)
    rotation = RotationOutcome(scorer="lenient", arms=[], contrasts=[contrast], published=published_calls())
    assert changes_of(rotation) == [Change("code − tool, P1", "code − tool, P1", ["a"], ["b"])]


def test_without_a_figure_there_is_none() -> None:
    assert "<figure" not in experiment_section(printed)


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment with two arms, by a model that says B whatever it is asked."""
    folder = tmp_path_factory.mktemp("experiment")
    data = conversations_data(folder / "set", TALKS[:4])
    chosen = ("--model", "constant/B", "--arms", "none,visual", "--no-repeat", "--runs-dir", folder / "runs")
    done = invoked("experiment", "tools", "--data", data, *chosen)
    assert done[0] == 0, done[1]
    (made,) = [path.parent for path in (folder / "runs").glob("*/experiment.json")]
    return made


def invoked(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(map(str, arguments)))
    if isinstance(done.exception, UsageError):  # the entry point makes this of it
        return 2, str(done.exception)
    return done.exit_code, done.output


def test_an_experiment_has_one_page_for_all_its_arms(experiment: Path) -> None:
    code, said = invoked("report", experiment)
    assert code == 0, said
    page = Parsed(experiment / "report.html")
    assert page.data["runs"] == ["none", "visual"], "arms, not models"
    assert [len(sample["r"]) for sample in page.data["samples"]] == [2] * 4
    assert page.text.index("Experiment: tools") < page.text.index("Gain over none") < page.text.index("By category")
    assert "Incomplete" not in page.text
    for twice in ("Against none, item by item", "Score against turns, by task"):
        assert twice not in page.text, "told above already"
    assert {tag for tag, _ in page.tags} <= TAGS | {"h3", "b", "figure", "p", "a", "code"}
    assert str(experiment.parent) not in (experiment / "report.html").read_text()


def test_an_experiment_is_found_by_its_name(experiment: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    code, said = invoked("report", experiment.name, "--runs-dir", experiment.parent, "--out", out)
    assert code == 0, said
    assert "Gain over none" in Parsed(out).text


def test_arms_that_are_missing_are_named(experiment: Path, tmp_path: Path) -> None:
    half = tmp_path / "half"
    (half / "none").mkdir(parents=True)
    (half / "experiment.json").write_bytes((experiment / "experiment.json").read_bytes())
    code, said = invoked("report", half)
    assert code == 2
    assert "No arm of" in said
    for name in ("run.json", "run.db"):
        (half / "none" / name).write_bytes((experiment / "none" / name).read_bytes())
    code, said = invoked("report", half)
    assert code == 0, said
    page = Parsed(half / "report.html")
    assert page.data["runs"] == ["none"]
    assert "Incomplete: visual has not begun." in page.text


REFUSED = {
    "two at once": (lambda folder: [folder, folder], "Give it alone"),
    "with a run": (lambda folder: [folder / "none", folder], "Give it alone"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_experiment_stands_alone(experiment: Path, name: str) -> None:
    arguments, words = REFUSED[name]
    code, said = invoked("report", *arguments(experiment))
    assert code == 2
    assert words in said


def test_an_experiment_of_an_unknown_kind_is_refused(experiment: Path, tmp_path: Path) -> None:
    told = json.loads((experiment / "experiment.json").read_bytes())
    (tmp_path / "experiment.json").write_text(json.dumps(told | {"kind": "dreams"}))
    code, said = invoked("report", tmp_path)
    assert code == 2
    assert "unknown kind" in said
