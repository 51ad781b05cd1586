"""Judges: models that are asked what another model's answer is worth. Their replies are kept, never guessed from."""

from __future__ import annotations

from beholder.judges.ask import JudgeReply, ask_judge

__all__ = ["JudgeReply", "ask_judge"]
