"""`data fetch` and `data check` as a person calls them, against a hub on loopback."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_data import Beholder, check_refused, run, tfq_data, tfq_rows, tree, vlrb_data, write_lines

from fake_hub import COMMIT, LATER, FakeHub, serving, tfq_lite, write_all


def words_of(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """TFQ-Bench-Lite on a hub of our own."""
    for name in ("HF_TOKEN", "BEHOLDER_DATA"):
        monkeypatch.delenv(name, raising=False)
    with serving(FakeHub("MING-ZCH/TFQ-Bench-Lite", tfq_lite())) as at:
        monkeypatch.setenv("HF_ENDPOINT", at.url)
        yield at


def test_fetch_shows_what_it_is_before_it_comes(beholder: Beholder, hub: FakeHub) -> None:
    said = beholder("data", "fetch", "tfq")
    assert said.code == 2
    assert f"TFQ-Bench-Lite: MING-ZCH/TFQ-Bench-Lite at {COMMIT[:12]}, 2 files, " in said.err
    assert "licence apache-2.0. Into data/tfq." in said.err
    assert "Give --yes to download it." in said.err
    assert hub.files_asked() == []
    assert tree(Path("data")) == {}


@pytest.mark.parametrize(("typed", "code", "came"), [("y\n", 0, 2), ("n\n", 0, 0), ("\n", 0, 0)])
def test_fetch_asks_at_a_terminal(
    beholder: Beholder, hub: FakeHub, monkeypatch: pytest.MonkeyPatch, typed: str, code: int, came: int
) -> None:
    monkeypatch.setattr("beholder.cli.data_fetch._is_terminal", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: typed == "y\n")
    said = beholder("data", "fetch", "tfq")
    assert (said.code, len(hub.files_asked())) == (code, came)
    assert ("Nothing was downloaded." in said.err) is (came == 0)


def test_fetch_then_again_then_with_news(beholder: Beholder, hub: FakeHub) -> None:
    found = beholder.json("data", "fetch", "tfq", "--yes")
    assert (found["folder"], found["new"], found["records"], found["as_published"]) == ("data/tfq", True, 492, True)
    assert {file["name"] for file in found["files"]} == {name for name in tfq_lite(2) if name.endswith("parquet")}
    kept = json.loads(Path("data/tfq/beholder-data.json").read_text())
    assert kept.items() <= found.items()
    hub.asked.clear()
    again = beholder("data", "fetch", "tfq")
    assert again.code == 0
    assert "data/tfq is whole: MING-ZCH/TFQ-Bench-Lite at aaaaaaaaaaaa" in again.err
    assert "492 records, as published." in again.err
    assert hub.files_asked() == []
    hub.commits[LATER] = tfq_lite(490)
    hub.main = LATER
    news = beholder("data", "fetch", "tfq", "--yes")
    assert "The hub has another commit now: bbbbbbbbbbbb." in news.err
    assert hub.files_asked() == [], "a changed upstream is told, not taken"
    words = ("keeps to commit aaaaaaaaaaaa, and --revision main is bbbbbbbbbbbb",)
    check_refused(beholder("data", "fetch", "tfq", "--yes", "--revision", "main"), words)
    other = beholder("data", "fetch", "tfq", "--yes", "--out", "later")
    assert other.code == 1, "two records are missing"
    assert "490 records; TFQ-Bench-Lite has 492 as published." in other.err
    assert beholder("data", "fetch", "tfq", "--yes", "--out", "old", "--revision", COMMIT).code == 0


def test_fetch_mends_what_was_changed(beholder: Beholder, hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEHOLDER_DATA", "shelf")
    assert beholder("data", "fetch", "tfq", "--yes").code == 0
    (file,) = Path("shelf/tfq/data").glob("*00001-of-00002.parquet")
    file.write_bytes(b"")
    said = beholder("data", "fetch", "tfq", "--yes")
    assert said.code == 0
    assert f"{file.relative_to('shelf/tfq')} has been changed; it is fetched again." in said.err
    assert len(hub.files_asked()) == 3


def test_fetch_copies_without_a_hub(beholder: Beholder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    mirror = write_all(tmp_path / "mirror", tfq_lite())
    said = beholder("data", "fetch", "tfq", "--from", mirror)
    assert said.code == 0
    assert "data/tfq is complete: MING-ZCH/TFQ-Bench-Lite, commit not known." in said.err
    check_refused(beholder("data", "fetch", "tfq", "--from", mirror, "--revision", "x"), ("does not go with --from",))


@pytest.mark.parametrize(
    ("fault", "words"),
    [("GatedRepo", "is gated: accept its terms"), ("RepoNotFound", "or it is private"), ("", "cannot be reached")],
)
def test_fetch_says_in_a_line_why_it_cannot(
    beholder: Beholder, hub: FakeHub, monkeypatch: pytest.MonkeyPatch, fault: str, words: str
) -> None:
    hub.fault = fault
    if not fault:
        monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    check_refused(beholder("data", "fetch", "tfq", "--yes"), (words,))
    assert tree(Path("data")) == {}


def test_run_takes_what_was_fetched(beholder: Beholder, hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEHOLDER_DATA", "shelf")
    words = ("none was fetched into shelf/tfq", "--data", "beholder data fetch tfq")
    check_refused(beholder("run", "tfq", "--model", "random"), words)
    hub.status = 500
    assert beholder("data", "fetch", "tfq", "--yes").code == 2
    hub.status, hub.instead = 0, {name: bytes(len(data)) for name, data in hub.commits[COMMIT].items()}
    assert beholder("data", "fetch", "tfq", "--yes").code == 2
    check_refused(beholder("run", "tfq", "--model", "random"), ("shelf/tfq is not complete yet",))
    hub.instead = {}
    assert beholder("data", "fetch", "tfq", "--yes").code == 0
    said = beholder("run", "tfq", "--model", "random", "--limit", 5)
    assert said.code == 0
    assert "Data: shelf/tfq, MING-ZCH/TFQ-Bench-Lite at aaaaaaaaaaaa." in said.err
    assert beholder.json("show", "latest")["items"][4]["index"] == 4
    check_refused(beholder("run", "m3r", "--model", "random"), ("none was fetched", "is not public"))


def test_check_of_what_was_fetched(beholder: Beholder, hub: FakeHub) -> None:
    check_refused(beholder("data", "check", "tfq"), ("none was fetched into data/tfq", "beholder data fetch tfq"))
    assert beholder("data", "fetch", "tfq", "--yes").code == 0
    said = beholder("data", "check", "tfq")
    assert (said.code, said.err) == (0, "")
    words = words_of(said.out)
    assert words.startswith(
        "MING-ZCH/TFQ-Bench-Lite at aaaaaaaaaaaa; every file is as it was fetched. data/tfq: 492 records"
    )
    assert "gold: 246 T, 246 F" in words
    found = beholder.json("data", "check", "data/tfq")
    assert (found["benchmark"], found["path"], found["records"]) == ("tfq", "data/tfq", 492)
    assert found["fetched"] == {"repository": hub.repository, "commit": COMMIT, "faults": []}
    (file,) = Path("data/tfq/data").glob("*00001-of-00002.parquet")
    file.write_bytes(tfq_lite(4)[f"data/{file.name}"])
    said = beholder("data", "check", "tfq")
    assert said.code == 1
    assert f"data/{file.name} has been changed. `beholder data fetch tfq` mends it." in words_of(said.out)
    assert "248 records; TFQ-Bench-Lite has 492 as published." in words_of(said.out)


def test_check_is_what_audit_data_is(beholder: Beholder, tmp_path: Path) -> None:
    data = vlrb_data(tmp_path)
    told = beholder("data", "check", data)
    assert told.code == 0
    assert (
        told == beholder("data", "check", "vl-rewardbench", data) == beholder("audit", "data", "vl-rewardbench", data)
    )


def test_check_called_wrongly(beholder: Beholder, tmp_path: Path) -> None:
    odd = write_lines(tmp_path / "odd.jsonl", [{"a": 1}])
    check_refused(beholder("data", "check", odd), ("not the layout of", f"beholder data check m3r {odd}"))
    check_refused(beholder("data", "check", tmp_path / "no"), ("there is no such file or folder",))
    check_refused(beholder("data", "check", "tqf"), ("There is no benchmark 'tqf'. Did you mean tfq?",))
    data = tfq_data(tmp_path)
    check_refused(beholder("data", "check", data, "--run", "latest"), ("--run goes with --errata",))
    assert beholder(*run(data)).code == 0
    errata = write_lines(tmp_path / "errata.jsonl", [{"record_id": "q1", "gold": "T"}])
    line = ("data", "check", "vl-rewardbench", vlrb_data(tmp_path), "--errata", errata, "--run", "latest")
    check_refused(beholder(*line), ("this is a run of tfq, not of vl-rewardbench",))


def test_errata_show_both_scores_and_leave_the_run_alone(beholder: Beholder, tmp_path: Path) -> None:
    data = tfq_data(tmp_path / "set")
    assert beholder(*run(data)).code == 0  # always T: right on 3 of 6
    before = beholder("show", "latest").out
    lines = [
        {"record_id": "q1", "gold": "T", "why": "it does", "source": "the authors"},
        {"record_id": "q4", "drop": True, "why": "blurred"},
    ]
    errata = write_lines(tmp_path / "errata.jsonl", lines)
    said = beholder("data", "check", "tfq", "--errata", errata, "--run", "latest")
    assert (said.code, said.err) == (0, "")
    words = words_of(said.out)
    assert "The errata change 2 records." in words
    assert "tfq.jsonl, line 2 F T it does the authors" in words
    assert "tfq.jsonl, line 5 F dropped blurred" in words
    assert "Of its items: 1 with another gold, 1 dropped." in words
    found = beholder.json("data", "check", "tfq", "--errata", errata, "--run", "latest")["scores"]
    shown = {
        side: [(found[side]["recipe"][name]["value"], found[side]["recipe"][name]["n"]) for name in
               ("question_accuracy", "group_accuracy")]
        for side in ("published", "corrected")
    }  # fmt: skip
    assert shown == {"published": [(0.5, 6), (1 / 3, 3)], "corrected": [(0.8, 5), (2 / 3, 3)]}
    assert beholder("show", "latest").out == before


def test_a_line_that_is_not_used_decides_nothing(beholder: Beholder, tmp_path: Path) -> None:
    """A line whose id fits two records came first, and its gold was taken for the record that a later line names."""
    rows = [row | {"id": f"q{max(number, 1)}"} for number, row in enumerate(tfq_rows())]
    data = tfq_data(tmp_path / "set", rows)
    assert beholder(*run(data)).code == 0
    key = beholder.json("show", "latest", 1)["sample"]["key"]
    lines = [{"record_id": "q1", "drop": True}, {"key": key, "gold": "T"}]
    said = beholder("data", "check", "tfq", "--errata", write_lines(tmp_path / "e.jsonl", lines), "--run", "latest")
    assert said.code == 1
    words = words_of(said.out)
    assert "Not used: e.jsonl, line 1: 2 records have that id: give the key." in words
    assert "Of its items: 1 with another gold, 0 dropped." in words
    assert "66.7 %" in next(line for line in said.out.splitlines() if line.startswith("recipe"))


@pytest.mark.parametrize("columns", ["60", "100"])
def test_check_fits_the_terminal_and_prints_no_more_than_text(
    beholder: Beholder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.chdir(tmp_path)
    tfq_data(Path())
    hostile = "[red]\x1b[2J\u202e" + "m" * 300
    write_lines(
        Path("e.jsonl"), [{"record_id": "q1", "gold": "T", "why": hostile}, {"record_id": hostile, "drop": True}]
    )
    assert beholder(*run(Path("tfq.jsonl"))).code == 0
    said = beholder("data", "check", "tfq", "tfq.jsonl", "--errata", "e.jsonl", "--run", "latest")
    assert said.code == 1
    assert "\x1b" not in said.out
    assert "\u202e" not in said.out
    assert "[red]" in said.out
    fitting = [line for line in said.out.splitlines() if not line.startswith("runs/")]
    assert max(map(len, fitting)) <= int(columns)
