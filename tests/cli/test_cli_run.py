"""`beholder run` and `resume` against a server: exit codes, what is printed, and how a run goes on."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli_data import Beholder, Said, better, tfq_data, tfq_rows, vlrb_data, write_image, write_lines

from scripted_server import Reply, Request, Script, ScriptedServer, completion

PERCENT = re.compile(r"\d\s*%|accuracy")
REFUSED = Reply(b'{"error": {"message": "image too large"}}', status=400)


def evaluate(beholder: Beholder, here: Path, script: Script, *more: object) -> Said:
    """Runs TFQ-Bench (six items) against a scripted server."""
    data = here / "tfq.jsonl"
    if not data.exists():
        tfq_data(here)
    with ScriptedServer(script) as server:
        return beholder(
            "run",
            "tfq",
            *("--model", "openai/some-model", "--base-url", server.url, "--data", data),
            *("--runs-dir", here / "runs", *more),
        )


def evaluate_again(beholder: Beholder, folder: Path, asked: int = 2) -> Said:
    """Resumes a run while its server is there again, at the same address; only what is missing is asked."""
    url = json.loads((folder / "run.json").read_text())["settings"]["endpoint"]["base_url"]
    server = ScriptedServer(lambda request: Reply())
    server.port = int(url.removesuffix("/v1").rpartition(":")[2])
    with server:
        said = beholder("resume", folder, "--runs-dir", folder.parent)
    assert len(server.requests) == asked
    return said


def only_run(here: Path) -> Path:
    return next(folder for folder in (here / "runs").iterdir() if folder.is_dir())


def test_all_answered_is_exit_code_0(beholder: Beholder, tmp_path: Path) -> None:
    said = evaluate(beholder, tmp_path, lambda request: Reply())
    assert said.code == 0
    assert "headline by recipe" in said.out
    assert "6 answered, 0 failed; 60 tokens in, 18 out" in said.out
    assert "Incomplete" not in said.out
    assert "6/6" in said.err


def test_400_to_everything_is_exit_code_3_and_no_percentage_anywhere(beholder: Beholder, tmp_path: Path) -> None:
    said = evaluate(beholder, tmp_path, lambda request: REFUSED)
    assert said.code == 3
    assert not PERCENT.search(said.out + said.err)
    assert "No response could be scored" in said.out
    assert "6 failed (owner provider, " in said.out
    assert "image too large" in said.out
    shown = beholder("show", only_run(tmp_path))
    assert not PERCENT.search(shown.out)
    listed = beholder("list", "--runs-dir", tmp_path / "runs")
    assert "nothing could be scored" in listed.out
    assert not PERCENT.search(listed.out)


def test_400_to_one_item_fails_that_item(beholder: Beholder, tmp_path: Path) -> None:
    said = evaluate(
        beholder, tmp_path, lambda request: REFUSED if "umbrella" in request.texts else Reply(completion("Answer: T"))
    )
    assert said.code == 0, "asking again would not help: the run is complete"
    lenient = next(line for line in said.out.splitlines() if line.startswith("  lenient"))
    assert lenient.split()[:3] == ["lenient", "60.0", "%"]
    assert lenient.endswith("n=5, 1 failed (50.0 to 66.7 % if those were wrong or right)")
    assert "1 failed (owner provider, " in said.out


def test_a_refused_key_is_exit_code_4_with_the_way_on(beholder: Beholder, tmp_path: Path) -> None:
    refused = Reply(b'{"error": "bad key"}', status=401)
    said = evaluate(
        beholder, tmp_path, lambda request: Reply() if request.number < 2 else refused, "--max-connections", 1
    )
    assert said.code == 4
    assert "refused the API key" in said.out
    assert f"Continue with: beholder resume {only_run(tmp_path)}" in said.out
    assert "4 of 6 responses are missing" in said.out


def test_failures_that_may_pass_are_exit_code_4_and_resume_mends_them(beholder: Beholder, tmp_path: Path) -> None:
    broken = Reply(b"oops", status=500)
    said = evaluate(beholder, tmp_path, lambda request: Reply() if request.number % 2 else broken, "--max-retries", 0)
    assert said.code == 4
    folder = only_run(tmp_path)
    hint = f"Continue with: beholder resume {folder}"
    assert hint in said.out
    assert "3 of 6 responses are missing" in said.out
    resumed = evaluate_again(beholder, folder, asked=3)
    assert resumed.code == 0, resumed.err
    assert "6 answered, 0 failed" in resumed.out


@pytest.mark.parametrize("content", [None, b"", b"<html>no image</html>"], ids=["missing", "empty", "html"])
def test_an_image_that_cannot_be_used_fails_its_item_only(
    beholder: Beholder, tmp_path: Path, content: bytes | None
) -> None:
    tfq_data(tmp_path)
    image = tmp_path / "rain.png"
    image.unlink()
    if content is not None:
        image.write_bytes(content)
    said = evaluate(beholder, tmp_path, lambda request: Reply(completion("<think>x</think><answer>T</answer>")))
    assert said.code == 0, "everything that can be asked has been answered"
    assert f"try those again with: beholder resume {only_run(tmp_path)}" in said.out
    assert "2 failed (owner data, image)" in said.out
    assert "rain.png" in said.out
    assert "n=4, 2 failed" in said.out
    folder = only_run(tmp_path)
    found = beholder("show", folder, "--json")
    items = json.loads(found.out)["items"]
    assert [item["scores"]["lenient"]["outcome"] for item in items] == ["scored"] * 4 + ["failed"] * 2
    assert {item["scores"]["lenient"].get("owner") for item in items[4:]} == {"data"}
    shown = beholder("show", folder, 4)
    assert "failed (owner data, image)" in shown.out
    write_image(image)
    resumed = evaluate_again(beholder, folder)
    assert "6 answered, 0 failed" in resumed.out


def test_several_models_make_several_runs(beholder: Beholder, tmp_path: Path) -> None:
    said = beholder(
        "run",
        "tfq",
        *("--model", "random", "--model", "constant/<answer>T</answer>", "--data", tfq_data(tmp_path)),
        *("--runs-dir", tmp_path / "runs", "--json"),
    )
    runs = json.loads(said.out)["runs"]
    assert [run["model"] for run in runs] == ["random", "constant/<answer>T</answer>"]
    assert all(run["complete"] and Path(run["folder"]).is_dir() for run in runs)


def test_what_is_sent_is_what_was_asked_for(
    beholder: Beholder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "s3cret-value")
    requests: list[Request] = []

    def script(request: Request) -> Reply:
        requests.append(request)
        return Reply()

    said = evaluate(
        beholder,
        tmp_path,
        script,
        *("--limit", 1, "--temperature", 0, "--top-p", 1, "--max-tokens", 7, "--seed", 3),
        *("--api-key-env", "MY_KEY", "--header", "X-Team: eyes", "--extra-body", '{"top_k": 1}'),
    )
    assert said.code == 0, said.err
    (request,) = requests
    body = request.body
    assert (body["temperature"], body["top_p"], body["max_tokens"], body["top_k"]) == (0, 1, 7, 1)
    assert isinstance(body["seed"], int)
    assert request.headers["authorization"] == "Bearer s3cret-value"
    assert request.headers["x-team"] == "eyes"
    stored = b"".join(path.read_bytes() for path in (tmp_path / "runs").rglob("*") if path.is_file())
    assert b"s3cret-value" not in stored
    assert b"eyes" not in stored, "values of headers may be secrets"


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        (["--limit", "2"], ["q0", "q1"]),
        (["--where", "category=implication"], ["q1", "q3", "q5"]),
        (["--where", "category!=implication", "--limit", "1"], ["q0"]),
        (["--ids", "ids.txt"], ["q4", "q5"]),
    ],
    ids=["limit", "where", "where-not", "ids"],
)
def test_a_selection_of_items(beholder: Beholder, tmp_path: Path, options: list[str], ids: list[str]) -> None:
    rows = [row | {"category": "implication" if number % 2 else "other"} for number, row in enumerate(tfq_rows())]
    data = tfq_data(tmp_path, rows)
    Path("ids.txt").write_text("# the rainy ones\nq5\nq4\n")
    said = beholder(
        "run", "tfq", "--model", "random", "--data", data, "--runs-dir", tmp_path / "runs", *options, "--json"
    )
    assert said.code == 0, said.err
    keys = [item["key"] for item in json.loads(said.out)["items"]]
    shown = [beholder.json("show", only_run(tmp_path), key)["sample"]["record_id"] for key in keys]
    assert shown == ids


def test_balanced_order_leaves_a_judge_of_habit_at_its_votes(beholder: Beholder, tmp_path: Path) -> None:
    said = beholder(
        "run",
        "vl-rewardbench",
        *("--model", f"constant/{better(1)}", "--data", vlrb_data(tmp_path), "--order", "balanced", "--votes", 4),
        *("--runs-dir", tmp_path / "runs", "--json"),
    )
    found = json.loads(said.out)
    assert len(found["items"]) == 16
    assert found["metrics"]["lenient"]["vote_accuracy"]["value"] == 0.5
    assert found["metrics"]["lenient"]["position_first_share"]["value"] == 1.0
    assert found["metrics"]["lenient"]["overall_all"]["value"] == 0.0, "two against two is no majority"
    assert "not comparable with published ones" in said.err


def test_epochs_tell_the_models_own_noise(beholder: Beholder, tmp_path: Path) -> None:
    said = beholder(
        "run", "tfq", "--model", "random", "--data", tfq_data(tmp_path), "--epochs", 3, "--runs-dir", tmp_path / "runs"
    )
    assert "over 3 epochs: variance between items" in said.out
    assert "18 answered" in said.out


def values(found: Any) -> list[Any]:
    return [[item["key"], {name: score["value"] for name, score in item["scores"].items()}] for item in found["items"]]


def test_replayed_answers_score_like_the_file_they_are_from(beholder: Beholder, tmp_path: Path) -> None:
    answers = write_lines(
        tmp_path / "answers.jsonl",
        [{"key": f"q{number}", "response": f"<answer>{'TF'[number % 2]}</answer>"} for number in range(6)],
    )
    data = tfq_data(tmp_path)
    scored = beholder.json("score", "tfq", answers, "--data", data)
    run = beholder.json("run", "tfq", "--model", f"replay/{answers}", "--data", data, "--runs-dir", tmp_path / "runs")
    assert run["metrics"] == scored["metrics"]
    # A run names items by content; the scored file's own names stand in its place.
    assert [verdicts for _, verdicts in values(run)] == [verdicts for _, verdicts in values(scored)]
    assert [key for key, _ in values(scored)] == [f"q{number}" for number in range(6)]
