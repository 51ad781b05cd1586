"""The three prompts of experiment 3: P1 the question only, P2 with a hint, P3 asking for each option to be tried.

The paper's own sentences are not public to us; these are OURS. A file of the user's replaces them.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from beholder.errors import UsageError

PROMPTS = ("P1", "P2", "P3")
INTERFACES = {"rotate": "the predefined rotate tool", "python": "code that the model writes"}
"""Name of the tool arm → what it is; the name is also that of the tool."""
MEANINGS = {"P1": "question only", "P2": "hint", "P3": "try each option"}

TEMPLATES: dict[str, dict[str, str]] = {
    "rotate": {
        "P1": "{question}",
        "P2": "{question}\n\nHint: you can turn the picture with the tool `rotate` and look at the result before you "
        "answer.",
        "P3": "{question}\n\nTurn the picture with the tool `rotate` by the angle of each option, one call for each "
        "and as many calls as you need. Compare the pictures that you get, and only then answer.",
    },
    "python": {
        "P1": "{question}",
        "P2": "{question}\n\nHint: you can write Python code that turns the picture, and look at the result before "
        "you answer.",
        "P3": "{question}\n\nWrite Python code that turns the picture by the angle of each option, with as many calls "
        "as you need. Compare the pictures that you get, and only then answer.",
    },
}
"""Interface → prompt → template. The extra sentences are ours."""


class _Own(msgspec.Struct, forbid_unknown_fields=True):
    P1: str | dict[str, str] | None = None
    P2: str | dict[str, str] | None = None
    P3: str | dict[str, str] | None = None


def read_prompts(file: Path | None) -> dict[str, dict[str, str]]:
    """The templates, with those of the user's file in place of ours.

    The file is a JSON object: `P1`, `P2`, `P3`, each a template with `{question}`, or an object with one for each
    interface (`rotate`, `python`). What it leaves out stays ours. `UsageError` for anything else.
    """
    if file is None:
        return TEMPLATES
    try:
        own = msgspec.json.decode(file.read_bytes(), type=_Own)
    except OSError as error:
        raise UsageError(f"--prompts {file} cannot be read ({error.strerror or error}).") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(
            f'--prompts {file} cannot be used ({error}). Write {{"P2": "{{question}} …"}}, or an object with one '
            "template for each of rotate and python."
        ) from None
    templates = {interface: dict(ours) for interface, ours in TEMPLATES.items()}
    for prompt in PROMPTS:
        given = getattr(own, prompt)
        if given is None:
            continue
        by_interface = given if isinstance(given, dict) else dict.fromkeys(INTERFACES, given)
        for interface, template in by_interface.items():
            if interface not in INTERFACES:
                raise UsageError(f"--prompts {file}: there is no interface {interface[:40]!r}. Give rotate or python.")
            if "{question}" not in template:
                raise UsageError(f"--prompts {file}: {prompt} for {interface} does not hold {{question}}.")
            templates[interface][prompt] = template
    return templates
