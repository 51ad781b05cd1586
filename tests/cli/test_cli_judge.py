"""`beholder judge check`: rules, scripts and a served judge, their cards, and what cannot be checked."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_data import Beholder, check_refused

from beholder.benchmarks.m3r.assumptions import assumptions_of, shipped
from beholder.benchmarks.m3r.example import RECORDS, write_example
from beholder.judges.probes import PROBES
from scripted_server import Reply, Request, ScriptedServer, completion

QUESTIONS = [question.id for criterion in assumptions_of(shipped()).criteria for question in criterion.questions]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_example(tmp_path_factory.mktemp("example") / "set")


def verdict(answer: str, quote: str = "") -> str:
    return json.dumps({name: {"answer": answer, "quote": quote, "region": "left"} for name in QUESTIONS})


def by_probe(card: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["probe"]: one for one in card["probes"]}


def test_the_rule_judge_passes_all_but_contradictions_and_the_card_says_how(beholder: Beholder, data: Path) -> None:
    said = beholder("judge", "check", "--data", data, "--judge", "overlap", "--n", "8")
    assert (said.code, said.err) == (0, "")
    for word in ("overlap on 8 items", *PROBES, "7 of 8 probes passed; not: contradiction."):
        assert word in said.out
    first = beholder.json("judge", "check", "--data", data / RECORDS, "--judge", "overlap", "--n", "5", "--seed", "3")
    again = beholder.json("judge", "check", "--data", data, "--judge", "overlap", "--n", "5", "--seed", "3")
    assert first == again
    (card,) = first["judges"]
    assert (card["judge"], card["items"], card["passed"]) == ("overlap", 5, False)
    means = {name: one["mean"] for name, one in by_probe(card).items()}
    assert (
        means["gold"] == 100 > means["contradiction"] == means["no_picture"] > means["other_item"] > means["praise"] - 1
    )


def served(say: Callable[[Request], str]) -> Callable[[Request], Reply]:
    return lambda request: Reply(completion(say(request)))


def test_a_served_judge_sees_the_picture_and_one_that_obeys_the_explanation_fails(
    beholder: Beholder, data: Path, tmp_path: Path
) -> None:
    def gullible(request: Request) -> str:
        told = "full marks" in request.texts or "满分" in request.texts
        return verdict("yes" if told else "partly")

    check = ("judge", "check", "--data", data, "--judge", "openai/judge", "--n", "4", "--runs-dir", tmp_path / "runs")
    with ScriptedServer(served(gullible)) as server:
        found = beholder.json(*check, "--judge-base-url", server.url)
        asked = len(server.requests)
        pictures = [
            part["image_url"]["url"].partition(",")[2]
            for request in server.requests
            for message in request.body["messages"]
            for part in message["content"]
            if part["type"] == "image_url"
        ]
        again = beholder.json(*check, "--judge-base-url", server.url)
        assert len(server.requests) == asked  # all of it is in the cache
    assert again == found
    assert len(pictures) == asked
    published = {base64.b64encode(file.read_bytes()).decode() for file in (data / "images").iterdir()}
    assert set(pictures) <= published
    (card,) = found["judges"]
    probes = by_probe(card)
    assert probes["instruction"]["difference"] == pytest.approx(50)
    assert (probes["instruction"]["passed"], probes["padded"]["passed"], card["passed"]) == (False, True, False)


def test_stages_are_shown_to_a_served_judge_in_another_order(beholder: Beholder, data: Path, tmp_path: Path) -> None:
    def strict_about_order(request: Request) -> str:
        explanation = request.texts.partition("The explanation to be judged:")[2]
        in_order = 0 <= explanation.find("\nMapping: ") < explanation.find("\nSentiment: ")
        return verdict("yes" if in_order else "no")

    with ScriptedServer(served(strict_about_order)) as server:
        found = beholder.json(
            "judge", "check", "--data", data, "--judge", "openai/judge", "--n", "3", "--judge-base-url", server.url,
            "--runs-dir", tmp_path,
        )  # fmt: skip
    assert by_probe(found["judges"][0])["shuffled"]["difference"] == -100


def test_judges_that_fail_are_in_no_figure(beholder: Beholder, data: Path, tmp_path: Path) -> None:
    script = tmp_path / "judge.json"
    replies = [verdict("yes"), "I cannot evaluate this", "[[90]]", "", verdict("partly").replace("partly", "4")]
    script.write_text(json.dumps(replies))
    said = beholder("judge", "check", "--data", data, "--judge", f"scripted/{script}", "--n", "24", "--json")
    assert said.code == 0
    assert "failed on" in said.err
    assert "The judge's reply" in said.err
    gold = by_probe(json.loads(said.out)["judges"][0])["gold"]
    assert (gold["n"], gold["failed"], gold["mean"]) == (5, 19, 100)


def test_without_one_verdict_there_is_no_card_to_go_by(beholder: Beholder, data: Path) -> None:
    said = beholder("judge", "check", "--data", data, "--judge", "constant/I cannot evaluate this", "--n", "3")
    assert said.code == 3
    assert "0 of 0 probes passed" in said.out
    assert "The judge's reply holds no verdict" in said.err


def test_several_judges_have_a_card_each(beholder: Beholder, data: Path, tmp_path: Path) -> None:
    script = tmp_path / "judge.json"
    script.write_text(json.dumps([verdict("yes")]))
    found = beholder.json(
        "judge", "check", "--data", data, "--judge", "overlap", "--judge", f"scripted/{script}", "--n", "4"
    )
    assert [card["judge"] for card in found["judges"]] == ["overlap", f"scripted/{script}"]
    failed = [{name for name, one in by_probe(card).items() if not one["passed"]} for card in found["judges"]]
    assert failed[0] == {"contradiction"}
    assert failed[1] > failed[0]


def test_another_rubric_is_asked(beholder: Beholder, data: Path, tmp_path: Path) -> None:
    other = json.loads(shipped())
    other["criteria"] = other["criteria"][:1]
    file, script = tmp_path / "other.json", tmp_path / "judge.json"
    file.write_text(json.dumps(other))
    asked = [question["id"] for question in other["criteria"][0]["questions"]]
    script.write_text(json.dumps([json.dumps(dict.fromkeys(asked, "partly"))]))
    check = ("judge", "check", "--data", data, "--n", "3", "--assumptions", file)
    found = beholder.json(*check, "--judge", f"scripted/{script}", "--judge", f"overlap/{file}")
    ours = beholder.json("judge", "check", "--data", data, "--n", "3", "--judge", "overlap")
    assert [by_probe(card)["gold"]["mean"] for card in found["judges"]] == [50, 100]
    assert found["judges"][0]["assumptions"] != ours["judges"][0]["assumptions"]


REFUSED: list[tuple[tuple[str, ...], tuple[str, ...]]] = [
    ((), ("--judge",)),
    (("--judge", "nobody"), ("nobody", "overlap")),
    (("--judge", "random"), ("--judge random cannot judge",)),
    (("--judge", "openai/m"), ("--judge-base-url",)),
    (("--judge", "overlap", "--judge", "overlap"), ("given twice",)),
    (("--judge", "overlap/nowhere.json"), ("nowhere.json", "cannot be read")),
    (("--judge", "overlap", "--judge-prompt", "p.txt"), ("is a rule",)),
    (("--judge", "overlap", "--assumptions", "nowhere.json"), ("nowhere.json",)),
    (("--judge-base-url", "http://localhost:1"), ("--judge-base-url goes with --judge",)),
    (("--judge", "overlap", "--n", "1"), ("--n",)),
]


@pytest.mark.parametrize(("options", "words"), REFUSED)
def test_what_cannot_be_checked_is_one_line(
    beholder: Beholder, data: Path, options: tuple[str, ...], words: tuple[str, ...]
) -> None:
    check_refused(beholder("judge", "check", "--data", data, *options), words)


def test_data_without_gold_explanations(beholder: Beholder, data: Path, tmp_path: Path) -> None:
    lines = (data / RECORDS).read_text(encoding="utf-8").splitlines()
    bare = [{name: value for name, value in json.loads(line).items() if name != "explanation"} for line in lines]
    file = tmp_path / "bare.jsonl"
    file.write_text("\n".join(json.dumps(record) for record in [json.loads(lines[0]), *bare[1:]]), encoding="utf-8")
    options = ("judge", "check", "--data", file, "--images", data, "--judge", "overlap")
    check_refused(beholder(*options), ("1 item with a gold explanation", "two at least"))
    check_refused(beholder("judge", "check", "--data", tmp_path / "no.jsonl", "--judge", "overlap"), ("no.jsonl",))


def test_a_refused_key_is_one_line(beholder: Beholder, data: Path, tmp_path: Path) -> None:
    with ScriptedServer(lambda request: Reply(b"{}", status=401)) as server:
        said = beholder(
            "judge", "check", "--data", data, "--judge", "openai/m", "--judge-base-url", server.url, "--n", "2",
            "--runs-dir", tmp_path,
        )  # fmt: skip
    check_refused(said, ("openai/m", "key"))
