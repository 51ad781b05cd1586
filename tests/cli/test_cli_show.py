"""`beholder show`, marks, `rescore`, `pack`, `list` and `doctor` on finished runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_data import Beholder, better, tfq_data, tfq_rows, tree, vlrb_data, write_lines

from scripted_server import Reply, ScriptedServer, completion

ANSWER = "<think>A dog.</think> My answer: <answer>T</answer>"


def tfq_run(beholder: Beholder, here: Path, answer: str = ANSWER) -> Path:
    """A TFQ run against a server, so that requests and images are journaled."""
    with ScriptedServer(lambda request: Reply(completion(answer, reasoning_content="I looked."))) as server:
        said = beholder(
            "run",
            "tfq",
            *("--model", "openai/some-model", "--base-url", server.url),
            *("--data", tfq_data(here), "--runs-dir", here / "runs"),
        )
    assert said.code == 0, said.err
    return next(folder for folder in (here / "runs").iterdir() if folder.is_dir())


def vlrb_run(beholder: Beholder, here: Path, model: str = f"constant/{better(1)}") -> Path:
    said = beholder(
        "run",
        "vl-rewardbench",
        *("--model", model, "--data", vlrb_data(here), "--order", "balanced", "--votes", 3),
        *("--runs-dir", here / "runs"),
    )
    assert said.code == 0, said.err
    return max(folder for folder in (here / "runs").iterdir() if folder.is_dir())


def test_an_item_shows_question_gold_span_and_each_verdict_with_its_reason(beholder: Beholder, tmp_path: Path) -> None:
    folder = tfq_run(beholder, tmp_path)
    said = beholder("show", folder, 1)
    assert said.code == 0
    assert "Item 1: tfq.jsonl, line 2" in said.out
    assert "[image 1] The candle stands for loneliness." in said.out
    assert "gold: F" in said.out
    assert "reasoning: I looked." in said.out
    assert "served-model · finish stop" in said.out
    assert "My answer: <answer>⟦T⟧</answer>" in said.out
    verdicts = {line.split()[0]: line for line in said.out.splitlines() if line.startswith("  ")}
    assert set(verdicts) >= {"recipe", "official", "strict", "lenient"}
    assert "0 scored, read 'T' Read from the last answer tag." in verdicts["official"]


def test_an_item_shows_where_its_image_lies_and_what_was_sent(beholder: Beholder, tmp_path: Path) -> None:
    folder = tfq_run(beholder, tmp_path)
    said = beholder("show", folder, 2, "--prompt")
    line = next(line for line in said.out.splitlines() if line.startswith("image 1: ships.jpg → "))
    blob = Path(line.partition(" → ")[2])
    assert blob.read_bytes() == (tmp_path / "ships.jpg").read_bytes()
    assert "sent as 32x24 JPEG" in said.out
    assert "the published bytes" in said.out
    assert "sent as user:" in said.out
    assert f"[image sha256:{blob.name}]" in said.out
    assert "Two ships are leaving the harbour." in said.out.partition("sent as user:")[2]
    assert "sent as user:" not in beholder("show", folder, 2).out, "on demand only"


def test_the_prompt_of_a_fake_is_made_again(beholder: Beholder, tmp_path: Path) -> None:
    folder = vlrb_run(beholder, tmp_path)
    said = beholder("show", folder, 0, "--prompt")
    assert said.out.count("asked as user:") == 3
    assert "Answer 1:\nTwo cups." in said.out
    assert "Answer 1:\nThree cups." in said.out


def test_votes_are_mapped_back_to_the_stored_answers(beholder: Beholder, tmp_path: Path) -> None:
    folder = vlrb_run(beholder, tmp_path)
    item = beholder.json("show", folder, "mathverse_3")
    orders = [tuple(one["response"]["order"]) for one in item["responses"]]
    assert set(orders) == {(0, 1), (1, 0)}
    said = beholder("show", folder, "mathverse_3")
    assert "stored answer 1: 40 degrees" in said.out
    assert "gold: stored answer 2" in said.out
    responses = said.out.split("— response")[1:]
    for order, text in zip(orders, responses, strict=True):
        assert f"Answer 1 is stored answer {order[0] + 1}, Answer 2 is stored answer {order[1] + 1}" in text
        assert f"read '1' = stored answer {order[0] + 1}" in text
    first = sum(order == (0, 1) for order in orders)
    votes = next(line for line in said.out.splitlines() if line.startswith("lenient") and "%" not in line)
    assert votes.split() == ["lenient", str(first), str(3 - first), "0", "0"]


@pytest.mark.parametrize("name", ["3", "q3", "KEY", "KEY-START"])
def test_an_item_by_position_id_or_key(beholder: Beholder, tmp_path: Path, name: str) -> None:
    folder = tfq_run(beholder, tmp_path)
    key = beholder.json("show", folder, "q3")["sample"]["key"]
    wanted = {"KEY": key, "KEY-START": key[:12]}.get(name, name)
    assert beholder.json("show", folder, wanted)["sample"]["record_id"] == "q3"


def test_every_position_can_be_named(beholder: Beholder, tmp_path: Path) -> None:
    """Keys are hex digits: `show RUN 2` must be item 2, not some item whose key begins with 2."""
    rows = [row | {"id": f"r{number}", "problem": f"<image>No {number}."} for number, row in enumerate(tfq_rows() * 8)]
    data = tfq_data(tmp_path, rows)
    said = beholder("run", "tfq", "--model", "random", "--data", data, "--runs-dir", tmp_path / "runs")
    assert said.code == 0, said.err
    for number in range(0, len(rows), 5):
        found = beholder.json("show", "latest", number, "--runs-dir", tmp_path / "runs")
        assert found["sample"]["record_id"] == f"r{number}"


def test_a_key_that_fits_several_items_is_refused_with_their_keys(beholder: Beholder, tmp_path: Path) -> None:
    rows = [row | {"id": "same"} for row in tfq_rows()]
    data = tfq_data(tmp_path, rows)
    beholder("run", "tfq", "--model", "random", "--data", data, "--runs-dir", tmp_path / "runs")
    said = beholder("show", "latest", "same", "--runs-dir", tmp_path / "runs")
    assert said.code == 2
    assert "names several items" in said.err


def test_a_run_shows_what_it_asked_and_its_figures(beholder: Beholder, tmp_path: Path) -> None:
    folder = tfq_run(beholder, tmp_path)
    said = beholder("show", folder)
    assert said.code == 0
    for words in ("openai/some-model at http://127.0.0.1", "SHA-256", "temperature 0.5, top_p 0.9", "complete"):
        assert words in said.out
    assert "headline by recipe" in said.out
    assert "keyword rules" in said.out, "whose categories these are"
    assert str(folder) in said.out


def test_a_mark_is_kept_beside_the_score_and_survives_a_rescore(beholder: Beholder, tmp_path: Path) -> None:
    folder = tfq_run(beholder, tmp_path)
    before = beholder.json("show", folder, 1)
    said = beholder("show", folder, 1, "--mark", "lenient", "--note", "it says T: for a title")
    assert said.code == 0
    assert "lenient is wrong here (vote 0, epoch 0): it says T: for a title" in said.out
    after = beholder.json("show", folder, 1)
    assert after["responses"] == before["responses"], "the score itself stays"
    assert [(mark["scorer"], mark["note"]) for mark in after["marks"]] == [("lenient", "it says T: for a title")]
    rescored = beholder("rescore", folder)
    assert rescored.code == 0, rescored.err
    assert "6 responses again; the model was not asked" in rescored.err
    assert beholder.json("show", folder, 1)["marks"] == after["marks"]
    assert beholder.json("show", folder, 2)["marks"] == []
    shown = beholder("show", folder)
    key = after["sample"]["key"]
    assert f"marked: {key}: lenient is wrong here (vote 0, epoch 0): it says T" in shown.out


def test_what_went_wrong_can_be_labelled(beholder: Beholder, tmp_path: Path) -> None:
    folder = tfq_run(beholder, tmp_path)
    said = beholder("show", folder, 1, "--label", "perception", "--note", "it took the lamp for a moon")
    assert "labelled perception (vote 0, epoch 0): it took the lamp for a moon" in said.out
    for wrong in ("two words", "", "x" * 41):
        refused = beholder("show", folder, 1, "--label", wrong)
        assert refused.code == 2
        assert "one word" in refused.err
    assert "needs an item" in beholder("show", folder, "--label", "perception").err


def test_a_rescore_gives_the_same_figures(beholder: Beholder, tmp_path: Path) -> None:
    folder = vlrb_run(beholder, tmp_path, "random")
    before = beholder.json("show", folder)
    assert beholder.json("rescore", folder) == before


def test_a_packed_run_shows_the_same(beholder: Beholder, tmp_path: Path) -> None:
    folder = tfq_run(beholder, tmp_path)
    beholder("show", folder, 0, "--mark", "strict")
    packed = beholder("pack", folder)
    assert packed.code == 0
    file = folder.with_name(folder.name + ".beholder.zip")
    assert str(file) in packed.out
    assert f"beholder show {file}" in packed.out
    assert beholder.json("show", file, 0) == beholder.json("show", folder, 0)
    of_file, of_folder = beholder.json("show", file), beholder.json("show", folder)
    assert {name: of_file[name] for name in ("items", "metrics")} == {
        name: of_folder[name] for name in ("items", "metrics")
    }
    shown = beholder("show", file, 0)
    assert f"{file}/blobs/" in shown.out
    refused = beholder("show", file, 0, "--mark", "strict")
    assert refused.code == 2
    assert "packed run, which cannot be marked" in refused.err


def test_pack_to_a_place_of_ones_own(beholder: Beholder, tmp_path: Path) -> None:
    folder = tfq_run(beholder, tmp_path)
    before = tree(folder)
    assert beholder("pack", folder, "--out", tmp_path / "mine.zip").code == 0
    assert (tmp_path / "mine.zip").is_file()
    assert tree(folder) == before


def test_list_shows_status_and_headline(beholder: Beholder, tmp_path: Path) -> None:
    empty = beholder("list", "--runs-dir", tmp_path / "runs")
    assert "none yet" in empty.out
    for name in ("tfq", "vl-rewardbench", "tir", "m3r", "openai/NAME", "replay/FILE", "static"):
        assert name in empty.out
    folder = tfq_run(beholder, tmp_path)
    vlrb_run(beholder, tmp_path)
    broken = tmp_path / "runs" / "broken"
    broken.mkdir()
    (broken / "run.json").write_text("{")
    said = beholder("list", "--runs-dir", tmp_path / "runs")
    assert said.code == 0
    line = next(line for line in said.out.splitlines() if folder.name in line)
    assert "complete" in line
    assert "recipe question_accuracy 50.0 %" in line
    assert line.endswith("n=6")
    assert "damaged" in next(line for line in said.out.splitlines() if line.startswith("  broken"))
    found = beholder.json("list", "--runs-dir", tmp_path / "runs")
    assert [(run["benchmark"], run["status"]) for run in found["runs"] if "benchmark" in run] == [
        ("tfq", "complete"),
        ("vl-rewardbench", "complete"),
    ]
    assert set(found["benchmarks"]) == {"tfq", "vl-rewardbench", "tir", "m3r"}


def test_doctor_as_json(beholder: Beholder, tmp_path: Path) -> None:
    checks: list[dict[str, Any]] = beholder.json("doctor", "--runs-dir", tmp_path)
    by_name = {check["name"]: check for check in checks}
    assert {"python", "packages", "disk", "file system", "images", "API key"} <= set(by_name)
    assert {check["state"] for check in checks} <= {"ok", "note"}
    assert by_name["API key"]["state"] == "note"
    plain = beholder("doctor", "--runs-dir", tmp_path)
    assert len(plain.out.splitlines()) == len(checks)


def test_doctor_tries_an_endpoint_and_tells_no_key(
    beholder: Beholder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "s3cret-value")
    with ScriptedServer() as server:
        said = beholder("doctor", "--runs-dir", tmp_path, "--base-url", server.url)
    assert said.code == 0
    assert f"ok    endpoint: {server.url} answers" in said.out
    assert "OPENAI_API_KEY is set" in said.out
    assert "s3cret-value" not in said.out
    gone = beholder("doctor", "--runs-dir", tmp_path, "--base-url", server.url)
    assert gone.code == 1
    assert "FAIL  endpoint: No server answers" in gone.out


def test_synth_makes_its_promises(beholder: Beholder, tmp_path: Path) -> None:
    for name in ("a", "b"):
        asked = ("synth", "jigsaw", "maze", "--out", tmp_path / name, "--n", 1, "--seed", 3, "--difficulty", 2)
        made = beholder(*asked, "--jobs", 1)
        assert made.code == 0, made.err
        assert f"2 items in {tmp_path / name}" in made.out
        assert f"beholder run tir --data {tmp_path / name} --model classical" in made.out
    assert {path.name: path.read_bytes() for path in (tmp_path / "a").rglob("*") if path.is_file()} == {
        path.name: path.read_bytes() for path in (tmp_path / "b").rglob("*") if path.is_file()
    }


def test_results_json_holds_what_show_says(beholder: Beholder, tmp_path: Path) -> None:
    folder = tfq_run(beholder, tmp_path)
    stored = json.loads((folder / "results.json").read_text())
    found = beholder.json("show", folder)
    assert stored["metrics"]["recipe"]["question_accuracy"]["value"] == 0.5
    assert found["metrics"]["recipe"]["question_accuracy"]["value"] == 0.5
    assert stored["complete"] is True


def test_answers_of_a_run_can_be_replayed_by_key(beholder: Beholder, tmp_path: Path) -> None:
    folder = tfq_run(beholder, tmp_path)
    found = [beholder.json("show", folder, number) for number in range(6)]
    answers = write_lines(
        tmp_path / "answers.jsonl",
        [{"key": item["sample"]["key"], "response": item["responses"][0]["response"]["text"]} for item in found],
    )
    scored = beholder.json("score", "tfq", answers, "--data", tmp_path / "tfq.jsonl")
    of_run = beholder.json("show", folder)["metrics"]["official"]
    assert scored["metrics"]["official"]["question_accuracy"] == of_run["question_accuracy"]
