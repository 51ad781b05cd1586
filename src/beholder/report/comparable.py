"""Whether figures may stand beside published ones as their like: what differs from how those were made."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from beholder.engine.plan import Plan
from beholder.report.figures import count
from beholder.score import Metric
from beholder.tools.settings import Arm

_NOT_EXTRACTED = "ocr"


def differences(
    plan: Plan | None,
    judges: Mapping[str, int],
    published: Mapping[str, Any],
    figures: Mapping[str, Metric],
    scorer: str,
) -> list[str]:
    """What differs from the protocol of the published figures, each as the end of a sentence; empty if nothing does.

    `plan` is the run's, None for answers from a file, which says neither how the model was asked nor who read the
    answers. `judges` names who did. `published` is the table as a benchmark's details hold it; `figures` are one's own
    under `scorer`.
    """
    protocol = published["protocol"]
    found = ["how the model was asked is not known from the file"] if plan is None else _asked(plan, protocol)
    if any(task != _NOT_EXTRACTED for task in published["complete"]):
        if plan is None and not judges:
            found.append("who read the answers is not known from the file")
        others = [name for name in judges if not is_extractor(name, protocol["extractor"])]
        if others:
            found.append(f"the answers were read by {' and '.join(others)}, not by {protocol['extractor']}")
    if scorer != protocol["scorer"]:
        found.append(f"the scorer is {scorer}, not {protocol['scorer']}")
    return found + _denominators(published, figures)


def verdict(found: list[str]) -> str:
    """One sentence that says whether figures are comparable, or why not.

    >>> verdict(["the scorer is strict, not official"])
    'Not comparable: the scorer is strict, not official.'
    """
    if found:
        return f"Not comparable: {'; '.join(found)}."
    return "Comparable with the published figures, as far as the extractor was asked as the authors ask theirs."


def _asked(plan: Plan, protocol: Mapping[str, Any]) -> list[str]:
    found = []
    if hashlib.sha256(plan.template.encode("utf-8", "surrogatepass")).hexdigest() != protocol["prompt_sha256"]:
        found.append("the prompt is not the item's question alone")
    sampling = plan.sampling
    if sampling.temperature != protocol["temperature"]:
        found.append(f"the temperature is {_number(sampling.temperature)}, not {protocol['temperature']:g}")
    if sampling.max_tokens != protocol["max_tokens"]:
        limit = "the server's own limit of" if sampling.max_tokens is None else f"at most {count(sampling.max_tokens)}"
        found.append(f"answers had {limit} tokens, not {count(protocol['max_tokens'])}")
    if plan.votes != 1:
        found.append(f"each item was asked {plan.votes} times")
    if plan.tools is not None:
        whose = "tools of its provider" if plan.tools.arm is Arm.PROVIDER else f"our tools ({plan.tools.arm.value})"
        found.append(f"the model had {whose}, which no published row had")
    if plan.replay is not None:
        found.append("the conversations of another run were replayed")
    return found


def _denominators(published: Mapping[str, Any], figures: Mapping[str, Metric]) -> list[str]:
    """Tasks that lack items, and responses that are in no mean because they failed."""
    found = []
    if published["partial"]:
        found.append(f"other numbers of items in {', '.join(published['partial'])}")
    failed = sum(own.failed for task in published["complete"] if (own := figures.get(f"task/{task}")) is not None)
    if failed:
        found.append(f"{count(failed)} failed response{'s are' if failed > 1 else ' is'} left out")
    return found


def is_extractor(name: str, extractor: str) -> bool:
    """Whether a model's name (`openai/gpt-4o-2024-08-06`) is that of an extractor, or of a dated version of it."""
    own, wanted = name.rpartition("/")[2].lower(), extractor.lower()
    return own == wanted or own.startswith(f"{wanted}-20")


def _number(value: float | None) -> str:
    return "the server's own" if value is None else f"{value:g}"
