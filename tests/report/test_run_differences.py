"""In what two runs differ, in words: their tools by the settings that differ, not as a lump."""

from __future__ import annotations

from typing import Any

import pytest

from beholder.report.run_differences import plan_differences


def plan(**tools: Any) -> dict[str, Any]:
    """A plan's identity with these tools."""
    budget = {"turns": 20, "tokens": None, **tools.pop("budget", {})}
    settings = {"arm": "visual", "protocol": "native", "budget": budget, "told_sha256": "ab" * 32, **tools}
    return {"n_samples": 3, "tools": settings}


TOLD = "what the model is told of its tools, sha256"
CASES: list[tuple[str, dict[str, Any], dict[str, Any], list[str]]] = [
    ("nothing", plan(), plan(), []),
    ("tools or none", {"n_samples": 3}, plan(), ["tools: none in A, visual in B"]),
    (
        "other tools, which are told otherwise",
        plan(),
        plan(arm="python", told_sha256="cd" * 32),
        ["tools: visual in A, python in B"],
    ),
    (
        "other tools and another budget",
        plan(),
        plan(arm="python", budget={"turns": 5}),
        ["tools: visual in A, python in B", "budget of turns: 20 in A, 5 in B"],
    ),
    ("a limit where there was none", plan(), plan(budget={"tokens": 9}), ["budget of tokens: no limit in A, 9 in B"]),
    (
        "the text protocol",
        plan(),
        plan(protocol="text", told_sha256="cd" * 32),
        ["way of calling tools: native in A, text in B", f"{TOLD}: abababababab… in A, cdcdcdcdcdcd… in B"],
    ),
    ("a probe", plan(probe=False), plan(probe=True), ["probe: False in A, True in B"]),
    ("a plan of another make", {"n_samples": 3, "tools": []}, plan(budget={}), ["tools: none in A, visual in B"]),
]


@pytest.mark.parametrize(("name", "a", "b", "words"), CASES, ids=[row[0] for row in CASES])
def test_tools_differ_by_their_settings(name: str, a: dict[str, Any], b: dict[str, Any], words: list[str]) -> None:
    assert sorted(plan_differences(a, b)) == sorted(words)
