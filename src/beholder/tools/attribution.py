"""Where a wrong answer with tools comes from: perception, tool use or reasoning, if the record supports one of them.

OUR assumption, all of it: the paper attributes errors by hand and gives no rules. Ours ask for evidence in the record,
and where there is none the answer is None, "not attributable". They are tried in this order:

None        the answer is right, or it is not known whether it is; the conversation broke off (a failed request, an
            abandoned attempt); a tool of ours was broken; no tool was called.
tool_use    calls were made and none ran to its end; or the conversation was ended for malformed or repeated calls; or
            no call that ran brought anything new (flag `useless_calls`); or pictures were turned only the wrong way
            round (flag `wrong_direction`).
reasoning   the right answer was there: a probe or a message after a call gave it, or a call printed it, and the final
            answer is another, or none.
perception  every call ran and brought a picture that had not been there, no call was repeated, the answer is known
            after each turn with calls, and it was wrong each time: what was looked for was shown and not seen.
None        everything else.

A picture may be new and still not show what matters, so `perception` is the weakest of the three.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import msgspec

from beholder.tools.diagnosis import Diagnosis
from beholder.trajectory import CallOutcome, Ended, Trajectory


class Attribution(StrEnum):
    """To what a wrong answer is put down."""

    PERCEPTION = "perception"
    TOOL_USE = "tool_use"
    REASONING = "reasoning"


def attributed(
    diagnosis: Diagnosis,
    trajectory: Trajectory,
    *,
    final_right: bool | None,
    is_right: Callable[[str], bool] | None = None,
    tells_right: Callable[[str], bool] | None = None,
) -> Diagnosis:
    """The diagnosis with `attribution` and `why` set, by the rules of this module.

    `final_right` is whether the final answer is right, None if nobody knows. `is_right` judges an answer as the
    diagnosis has it (`Diagnosis.answers`), `tells_right` whether the text that a call printed tells the right answer;
    without them the rules that need them do not apply.
    """
    found, why = (
        _no_case(diagnosis, final_right)
        or _tool_use(diagnosis)
        or _reasoning(diagnosis, trajectory, is_right, tells_right)
        or _perception(diagnosis, is_right)
        or (None, "not attributable: the record does not tell")
    )
    return msgspec.structs.replace(diagnosis, attribution=found.value if found else None, why=why)


_Finding = tuple[Attribution | None, str]


def _no_case(diagnosis: Diagnosis, final_right: bool | None) -> _Finding | None:
    if final_right is None:
        return None, "it is not known whether the answer is right"
    if final_right:
        return None, "the answer is right"
    if diagnosis.ended in (None, Ended.FAILED):
        return None, "not attributable: the conversation broke off"
    if any(call.outcome == CallOutcome.BROKEN for call in diagnosis.calls):
        return None, "not attributable: a tool was broken, which is not the model's doing"
    if not diagnosis.calls:
        return None, "not attributable: no tool was called"
    return None


def _tool_use(diagnosis: Diagnosis) -> _Finding | None:
    if "nothing_executed" in diagnosis.flags:
        return Attribution.TOOL_USE, "calls were made and none ran to its end"
    if diagnosis.ended == Ended.MALFORMED:
        return Attribution.TOOL_USE, "malformed calls ended the conversation"
    if diagnosis.ended == Ended.REPEATS:
        return Attribution.TOOL_USE, "repeated calls ended the conversation"
    if "useless_calls" in diagnosis.flags:
        return Attribution.TOOL_USE, "no call that ran brought anything new"
    if "wrong_direction" in diagnosis.flags:
        return Attribution.TOOL_USE, "pictures were turned only the wrong way round"
    return None


def _reasoning(
    diagnosis: Diagnosis,
    trajectory: Trajectory,
    is_right: Callable[[str], bool] | None,
    tells_right: Callable[[str], bool] | None,
) -> _Finding | None:
    final = diagnosis.answers[-1] if diagnosis.ended == Ended.ANSWERED else None
    earlier = [answer for answer in diagnosis.answers if answer != final]
    if is_right and any(is_right(answer) for answer in earlier if answer is not None):
        return Attribution.REASONING, "the right answer was given after a call, and not kept"
    printed = [one.text for one in trajectory.observations if one.outcome == CallOutcome.EXECUTED]
    if tells_right and any(map(tells_right, printed)):
        return Attribution.REASONING, "a call printed the right answer, and the final one is another"
    return None


def _perception(diagnosis: Diagnosis, is_right: Callable[[str], bool] | None) -> _Finding | None:
    if is_right is None:
        return None
    new_each_time = all(call.executed and call.image_differs and not call.repeated for call in diagnosis.calls)
    answers = [diagnosis.answers[call.turn - 1] for call in diagnosis.calls]
    if new_each_time and all(answer is not None and not is_right(answer) for answer in answers):
        return Attribution.PERCEPTION, "each call brought a new picture, and the answer after it was wrong each time"
    return None
