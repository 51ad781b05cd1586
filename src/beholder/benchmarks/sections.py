"""Prompt templates with a section for each language: a line `[en]` alone begins the English one."""

from __future__ import annotations

import re

from beholder.errors import UsageError

_HEADING = re.compile(r"^\[([a-z]{2,3})\][ \t\r]*$", re.MULTILINE)


def sections(template: str) -> dict[str, str]:
    """Language → its text, in their order; empty for a template without sections.

    `UsageError` if a language comes twice, or if there are words before the first section: nobody would be asked them.

    >>> sections("[en]\\nIs it?\\n[zh]\\n是吗?\\n")
    {'en': 'Is it?', 'zh': '是吗?'}
    """
    before, *pieces = _HEADING.split(template)
    if not pieces:
        return {}
    if before.strip():
        raise UsageError(f"The prompt has words before its section [{pieces[0]}]. Put them into a section.")
    found: dict[str, str] = {}
    for language, text in zip(pieces[::2], pieces[1::2], strict=True):
        if language in found:
            raise UsageError(f"The prompt has two sections [{language}]. Leave one of them out.")
        found[language] = text.strip("\r\n")
    return found


def section_of(template: str, language: str) -> str:
    """What is asked in a language: its section, else the first one; the whole of a template without sections."""
    found = sections(template)
    return found.get(language, next(iter(found.values()))) if found else template
