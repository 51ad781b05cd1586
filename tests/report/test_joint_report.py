"""The experiment "joint or alone" as it is printed and drawn."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import msgspec
from rich.console import Console

from beholder.annotation import LABELS, Annotation, written
from beholder.benchmarks.m3r.assumptions import SlotRules
from beholder.experiments.costs import Cost
from beholder.experiments.joint import JOINT, JointArm, JointOutcome, joint_outcome
from beholder.report.joint_report import CAVEAT, joint_figure, print_joint
from beholder.score import Outcome, Score, ScoredItem

GOLD = Annotation(metaphor=True, target="cigarette", source="bomb", sentiment="negative")


def arm(name: str, right: int, *, failed: int = 0) -> JointArm:
    """16 items: the first ones right, the last ones failed."""
    items = []
    for number in range(16):
        said = GOLD if number < right else msgspec.structs.replace(GOLD, target="x", sentiment="neutral")
        score = Score(None, Outcome.FAILED) if number >= 16 - failed else Score(0.0, Outcome.SCORED, written(said))
        items.append(ScoredItem(index=number, key=f"k{number:02}", scores={"lenient": score}, target=written(GOLD)))
    costs = [Cost(item.key, 1, 0, 12_345, 678) for item in items]
    return JointArm(name=name, title=name, items=items, costs=costs)


def outcome(*, failed: int = 0) -> JointOutcome:
    arms = {JOINT: arm(JOINT, 12)} | {label: arm(label, 4, failed=failed) for label in LABELS}
    return msgspec.structs.replace(joint_outcome(arms, "lenient", SlotRules()), title="Experiment: joint · m3r")


def printed(found: JointOutcome) -> str:
    console = Console(file=io.StringIO(), width=80)
    print_joint(console, found)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_tables_fit_a_narrow_terminal_and_say_what_they_are() -> None:
    out = printed(outcome(failed=1))
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    (target,) = [line.split() for line in lines if line.startswith("target ") and "%" in line and "[all]" not in line]
    assert target[:6] == ["target", "75.0", "%", "26.7", "%", "+53.3"]
    assert "note: 4 responses failed and are in no figure" in out
    assert "1 item left out: no answer on one side" in out
    assert any(line.startswith("all four alone") and "49,380" in line for line in lines)
    assert " ".join(CAVEAT.split()) in " ".join(out.split())


def test_what_cannot_be_compared_yet_is_said() -> None:
    out = printed(joint_outcome({JOINT: arm(JOINT, 3)}, "lenient", SlotRules()))
    assert "Nothing can be compared yet" in out
    assert "joint − alone" not in out


def test_the_figure_has_two_bars_for_each_label_and_all_four() -> None:
    drawn = joint_figure(msgspec.structs.replace(outcome(), title="<script>&"))
    root = ET.fromstring(drawn)
    texts = "".join(root.itertext())
    assert all(word in texts for word in (*LABELS, "all four", "joint", "alone", "75.0 %"))
    assert "<script>" not in drawn


def test_a_title_cannot_write_to_the_terminal() -> None:
    assert "\x1b" not in printed(msgspec.structs.replace(outcome(), title="\x1b[31mred"))
