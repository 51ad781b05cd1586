"""Judges are paid for out of the same purse: their cost is kept, and they stop when it is used up."""

from __future__ import annotations

from pathlib import Path

import pytest

from beholder.engine.budget import Limits
from beholder.engine.run import Ending
from beholder.models.prices import named_price
from made_metaphors import carry_out, judge_at, rates, run_m3r, said
from scripted_server import ScriptedServer

EACH = (10 * 1 + 3 * 10) / 1_000_000
"""Dollars of one verdict of the scripted server: 10 tokens in, 3 out."""


def test_a_budget_stops_judges_and_a_higher_one_goes_on(tmp_path: Path) -> None:
    with ScriptedServer(rates()) as server:
        judge = judge_at(server, price=named_price("1,10"), concurrency=2)
        first, plan, answers = run_m3r(tmp_path, [said(n) for n in range(12)], judge, limits=Limits(cost=5.5 * EACH))
        assert first.ending is Ending.BUDGET
        assert "higher limit" in first.message
        assert first.unjudged
        assert first.spending.judges.cost == pytest.approx(5 * EACH)
        assert first.spending.model.cost is None
        again = judge_at(server, price=named_price("1,10"), concurrency=2)
        second = carry_out(first.folder, plan, answers, again, limits=Limits(cost=1.0))
    assert second.complete
    assert len(server.requests) == 12, "no verdict was asked for twice"
    assert second.spending.judges.cost == pytest.approx(12 * EACH)
    assert second.spending.judges.prompt_tokens == 120
