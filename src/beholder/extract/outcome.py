"""What became of a response: the one place that decides on scored, unparsed, refused, truncated and failed."""

from __future__ import annotations

import re
from typing import Any

from beholder.extract.claims import abstains
from beholder.extract.extraction import Extraction
from beholder.extract.markup import is_blank, plain
from beholder.extract.think import split_thought
from beholder.sample import Response
from beholder.score import Outcome
from beholder.trajectory import Ended

CUT = frozenset(("length", "max_tokens", "max_output_tokens", "model_length", "token_limit"))
"""Finish reasons of servers that say that the limit of tokens cut a text."""
_FILTERED = frozenset(
    (
        "content_filter",
        "content_filtered",
        "safety",
        "refusal",
        "prohibited_content",
        "blocklist",
        "spii",
        "image_safety",
    )
)


_BUDGETS: dict[str, str] = {
    Ended.TURNS: "All turns were used up before an answer.",
    Ended.TOKENS: "All tokens of the conversation were used up before an answer.",
    Ended.SECONDS: "The time for the conversation was over before an answer.",
    Ended.REPEATS: "The model repeated the same tool call instead of answering.",
    Ended.CONTEXT: "The conversation grew longer than the server takes before an answer.",
    Ended.MALFORMED: "The model kept on writing tool calls that cannot be used instead of answering.",
}

_REFUSES = re.compile(
    r"\bi(?: a|')m (?:(?:very|so|really|truly) )?(?:sorry|afraid),? (?:but )?(?:that )?i(?: can(?:'?t"
    r"|not| not)|(?:'m| am) (?:un|not )able to"
    r"|(?:'m| am) not (?:permitted|allowed) to| won't| will not)(?: (?:to|be able to"
    r"|directly))? (?:help|assist|comply|fulfill?|continue"
    r"|discuss|engage|support|process|provide (?:help|assistance|that|this)|do (?:that|this)"
    r"|identify (?:people|persons?|individuals|real"
    r"|who|the (?:person|people|individual))|answer (?:that|this)|respond|analy[sz]e (?:that|this)"
    r"|participate)(?! but\b)"
    r"|\bi(?: can(?:'?t|not| not)|(?:'m| am) (?:un|not )able to| won't| will not| must decline to"
    r"| have to decline to| decline to"
    r"|(?:'m| am) not (?:permitted|allowed) to)(?: be able to)?"
    r" (?:(?:help|assist)(?:(?: you)? with|[.,!])|comply\b|fulfill? (?:this|that|your)|engage (?:with"
    r"|in)\b|discuss this\b"
    r"|identify (?:people|real people|individuals|who)\b|process this (?:image|request)"
    r"|participate)(?! but\b)"
    r"|\bi (?:must|have to) (?:respectfully )?(?:decline|refuse)\b|\bi (?:respectfully )?(?:decline"
    r"|refuse) to\b"
    r"|\b(?:violates?|against|goes against) (?:my|our|the|openai'?s?) (?:content |usage |safety "
    r"|ethical )?(?:policy|policies|guidelines)"
    r"|\A\W*(?:sorry|apologies),? (?:but )?i (?:can't|cannot|can not|am unable to|won't) (?:help|assist"
    r"|do that|comply|answer that)"
    r"|(?:我|暂时)?(?:无法|不能|不便)(?:协助|帮助你|帮助您|提供(?:帮助|协助|此类|相关)|满足(?:你|您|这"
    r"|该)|处理(?:这|该|您|你)|讨论|参与)"
    r"|(?:抱歉|对不起)[,，。! ]{0,2}我?(?:无法|不能|没法)(?:回答|协助|帮助|继续|识别|完成)"
)


def settle(response: Response, found: Extraction[Any]) -> tuple[Outcome, tuple[str, ...], str]:
    """The outcome of one response under one extractor, with flags and a reason in plain words.

    A complete answer that was found is never changed: `scored` with its own flags. Otherwise, in this order:

    - `failed` if there is no answer to read (flags: the kind of failure; reason: its message);
    - `truncated` if the answer stands in a tag that was never closed (flag `unclosed_tag`) and the server cut the text;
    - `refused` if the server's filter stopped the answer, or the text begins with a plain refusal;
    - `truncated` if the server cut the text (`length`, `max_tokens`), or if it is blank or without finish reason
      and as many tokens were made as allowed;
    - `unparsed`.

    Flags added where no answer was found: `empty` (nothing visible), `answer_in_reasoning` (blank text, but a separate
    reasoning channel), `cap_hit` (as many completion tokens as allowed), `abstained` (the text says that there is no
    answer), `budget` (a conversation with tools that ended before an answer). That an option of the item may read like
    an abstention is the extractor's business: `lenient` then finds an answer; where `strict` finds none, the flag says
    what the text says.
    """
    if response.failure is not None:
        return Outcome.FAILED, (response.failure.kind,), response.failure.message
    finish = (response.finish or "").strip().lower().removeprefix("finishreason.")
    if found.value is not None:
        if "unclosed_tag" in found.flags and finish in CUT:
            return Outcome.TRUNCATED, _with_cap(found.flags, response), "The text was cut off inside the answer."
        return Outcome.SCORED, found.flags, found.reason
    text = response.text or ""
    blank = is_blank(text)
    flags = found.flags
    if blank:
        flags = _add(flags, "empty")
        if response.reasoning and not is_blank(response.reasoning):
            flags = _add(flags, "answer_in_reasoning")
    flags = _with_cap(flags, response)
    said = "" if blank else plain(split_thought(text).answer).lower()
    if finish in _FILTERED:
        return Outcome.REFUSED, flags, "The server's content filter stopped the answer."
    if _REFUSES.search(said, 0, 400):
        return Outcome.REFUSED, flags, "The model refuses to answer."
    if finish in CUT:
        return Outcome.TRUNCATED, flags, "The text was cut off at the token limit before an answer."
    if "cap_hit" in flags and (blank or not finish):
        return Outcome.TRUNCATED, flags, "The token limit was used up before an answer."
    if abstains(said):
        flags = _add(flags, "abstained")
    if response.conduct is not None and response.conduct.ended in _BUDGETS:
        return Outcome.UNPARSED, _add(flags, "budget"), _BUDGETS[response.conduct.ended]
    if "answer_in_reasoning" in flags:
        return Outcome.UNPARSED, flags, "The text is empty; only the reasoning channel holds something."
    if blank:
        return Outcome.UNPARSED, flags, "The text is empty."
    return Outcome.UNPARSED, flags, found.reason or "No answer could be read."


def _add(flags: tuple[str, ...], flag: str) -> tuple[str, ...]:
    return flags if flag in flags else (*flags, flag)


def _with_cap(flags: tuple[str, ...], response: Response) -> tuple[str, ...]:
    made, allowed = response.usage.completion_tokens, response.max_tokens
    return _add(flags, "cap_hit") if made is not None and allowed and made >= allowed else flags
