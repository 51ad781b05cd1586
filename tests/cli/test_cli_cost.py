"""What a run costs, where it stops, and what --dry-run says of it: the real command against a real server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_data import Beholder

from beholder.report.costs import cost_in_words
from beholder.sample import Response, Usage
from beholder.store.spending import Spending, Spent
from made_runs import tfq_data
from scripted_server import Reply, ScriptedServer, completion

ITEMS = 60
EACH = (10 * 1 + 3 * 10) / 1_000_000
"""Dollars of one answer of the scripted server (10 tokens in, 3 out) at --price 1,10."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tfq_data(tmp_path, ITEMS)


def run(beholder: Beholder, server: ScriptedServer, data: Path, *more: object) -> tuple[int, dict[str, Any]]:
    said = beholder(
        "run", "tfq", "--data", data, "--model", "openai/x", "--base-url", server.url, "--max-connections", 4,
        "--json", *more,
    )  # fmt: skip
    return said.code, json.loads(said.out) if said.out else {"error": said.err}


def test_a_run_knows_what_it_cost(beholder: Beholder, data: Path) -> None:
    with ScriptedServer(lambda request: Reply()) as server:
        code, told = run(beholder, server, data, "--price", "1,10")
        again, cached = run(beholder, server, data, "--price", "1,10")
    assert (code, again) == (0, 0)
    assert told["spending"]["model"]["cost"] == pytest.approx(ITEMS * EACH)
    assert told["spending"]["model"]["unpriced"] == 0
    assert cached["spending"]["model"] == {"prompt_tokens": 0, "completion_tokens": 0, "cost": None, "unpriced": 0}
    shown = beholder("show", told["folder"]).out
    assert f"cost ${ITEMS * EACH:.2g}" in shown
    assert "--price 1,10" in shown


@pytest.mark.parametrize(
    ("limit", "most"), [(("--max-cost", "0.001", "--price", "1,10"), 25), (("--max-tokens-total", "260"), 20)]
)
def test_a_budget_stops_a_run_and_a_higher_one_goes_on(
    beholder: Beholder, data: Path, limit: tuple[str, ...], most: int
) -> None:
    with ScriptedServer(lambda request: Reply()) as server:
        code, told = run(beholder, server, data, *limit)
        asked = len(server.requests)
        assert code == 4
        assert told["ending"] == "budget"
        assert "The budget is used up" in told["message"]
        assert most - 4 <= told["tally"]["answered"] <= most
        same = beholder("resume", told["folder"], "--json")
        assert json.loads(same.out)["ending"] == "budget"
        assert len(server.requests) - asked <= 4
        raised = beholder("resume", told["folder"], limit[0], "5000", "--json")
    assert raised.code == 0
    assert json.loads(raised.out)["tally"]["answered"] == ITEMS
    questions = [request.texts for request in server.requests if request.path.endswith("completions")]
    assert len(questions) == len(set(questions)) == ITEMS  # nothing was asked twice


def test_a_budget_in_dollars_needs_a_price(beholder: Beholder, data: Path) -> None:
    with ScriptedServer(lambda request: Reply()) as server:
        code, told = run(beholder, server, data, "--max-cost", "1")
        assert code == 2
        assert "the price of openai/x is not known" in told["error"]
        assert not [request for request in server.requests if request.path.endswith("completions")]


def test_a_server_that_counts_no_tokens_stops_a_run_with_a_budget(beholder: Beholder, data: Path) -> None:
    body = json.loads(completion("T"))
    del body["usage"]
    with ScriptedServer(lambda request: Reply(json.dumps(body).encode())) as server:
        code, told = run(beholder, server, data, "--max-cost", "1", "--price", "1,10")
        assert (code, told["ending"]) == (4, "budget")
        assert "so --max-cost cannot be kept" in told["message"]
        assert told["tally"]["answered"] <= 8
        freed = beholder("resume", told["folder"], "--max-cost", "inf", "--json")
    assert json.loads(freed.out)["tally"]["answered"] == ITEMS


def test_a_resume_may_name_the_price_that_its_limit_needs(beholder: Beholder, data: Path) -> None:
    with ScriptedServer(lambda request: Reply()) as server:
        _, told = run(beholder, server, data, "--max-tokens-total", "100")
        refused = beholder("resume", told["folder"], "--max-cost", "1", "--max-tokens-total", "5000")
        assert (refused.code, "Give --price IN,OUT" in refused.err) == (2, True)
        limits = ("--max-cost", "1", "--max-tokens-total", "5000")
        done = beholder("resume", told["folder"], *limits, "--price", "1,10", "--json")
    assert json.loads(done.out)["spending"]["model"]["cost"] > 0
    settings = json.loads((Path(told["folder"]) / "run.json").read_text())["settings"]
    assert (settings["budget"]["price"], settings["price"][:12]) == ("1,10", "--price 1,10")


def test_the_price_in_a_folder_of_somebody_else_is_none(beholder: Beholder, data: Path, tmp_path: Path) -> None:
    with ScriptedServer(lambda request: Reply()) as server:
        _, told = run(beholder, server, data, "--max-cost", "0.0005", "--price", "1,10")
        theirs = Path(told["folder"]).rename(tmp_path / "theirs")
        info = json.loads((theirs / "run.json").read_text())
        info["settings"]["budget"]["price"] = "0,0"
        (theirs / "run.json").write_text(json.dumps(info))
        said = beholder("resume", theirs, "--max-cost", "1")
    assert (said.code, "the price of openai/x is not known" in said.err) == (2, True)


@pytest.mark.parametrize(("more", "kept"), [((), True), (("--no-cache",), False)])
def test_a_dry_run_says_whether_its_answers_are_kept(
    more: tuple[str, ...], kept: bool, beholder: Beholder, data: Path
) -> None:
    with ScriptedServer(lambda request: Reply()) as server:
        _, told = run(beholder, server, data, "--dry-run", *more)
    assert told["estimates"][0]["kept"] is kept


def test_a_dry_run_asks_a_few_and_keeps_their_answers(beholder: Beholder, data: Path) -> None:
    with ScriptedServer(lambda request: Reply()) as server:
        code, told = run(beholder, server, data, "--price", "1,10", "--dry-run")
        (found,) = told["estimates"]
        assert code == 0
        assert len([one for one in server.requests if one.path.endswith("completions")]) == found["asked"] == 20
        assert found["prompt_tokens"] == {"total": 10.0 * ITEMS, "give_or_take": 0.0}
        assert found["cost"]["total"] == pytest.approx(ITEMS * EACH)
        assert not [place for place in Path("runs").iterdir() if place.is_dir()]
        _, whole = run(beholder, server, data, "--price", "1,10")
    assert whole["tally"]["cached"] == 20
    assert whole["spending"]["model"]["cost"] == pytest.approx((ITEMS - 20) * EACH)


def test_a_dry_run_in_words(beholder: Beholder, data: Path) -> None:
    with ScriptedServer(lambda request: Reply()) as server:
        said = beholder("run", "tfq", "--data", data, "--model", "openai/x", "--base-url", server.url, "--dry-run")
    assert said.code == 0
    assert "Estimate for openai/x, 60 items, from 20:" in said.out
    assert "not known: give --price" in said.out


def test_the_spread_of_an_estimate_shrinks_to_nothing_where_all_were_asked() -> None:
    from beholder.cli.dry_run import estimate
    from beholder.engine.plan import Plan
    from beholder.sample import Sampling

    plan = Plan(
        benchmark="tfq", data="", data_sha256="", template="", sampling=Sampling(), votes=1, epochs=1, order="random",
        seed=0, n_samples=4,
    )  # fmt: skip
    answered = [(f"k{n}", Response(text="T", usage=Usage(prompt_tokens=10 * n), latency=2.0)) for n in range(4)]
    whole = estimate(plan, "m", answered, None, 2)
    assert whole.prompt_tokens is not None
    assert (whole.prompt_tokens.total, whole.prompt_tokens.give_or_take) == (60, 0)
    assert (whole.cost, whole.seconds) == (None, 4.0)
    half = estimate(plan, "m", answered[:2], None, 64)
    assert half.prompt_tokens is not None
    assert half.prompt_tokens.total == 20
    assert half.prompt_tokens.give_or_take == pytest.approx(2 * 50**0.5 / 2**0.5 * 0.5**0.5 * 4)


def test_what_judges_cost_is_told() -> None:
    spent = Spending(Spent(1000, 100, 1.5), Spent(10, 1, 0.5))
    assert spent.total == Spent(1010, 101, 2.0, 0)
    assert cost_in_words(spent) == ["cost $2.00 ($0.50 of it judges)"]
    assert cost_in_words(Spending(Spent(5, 5, None, 1), Spent())) == []
