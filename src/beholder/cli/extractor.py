"""The options that name an extractor model; see `cli.judges` for what they come to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_PANEL = "Who reads the answers (tir)"
ExtractorName = Annotated[
    str | None,
    typer.Option(
        "--extractor",
        metavar="KIND/NAME",
        help="Model that reads the answer out of each response, as the authors' scorer needs it.",
        rich_help_panel=_PANEL,
    ),
]
ExtractorUrl = Annotated[
    str | None,
    typer.Option(
        "--extractor-base-url",
        metavar="URL",
        help="Where that model is served (default: --base-url, or OPENAI_BASE_URL).",
        rich_help_panel=_PANEL,
    ),
]
ExtractorKey = Annotated[
    str | None,
    typer.Option(
        "--extractor-key-env",
        metavar="NAME",
        help="Environment variable with its API key (default: the model's at the same server, else OPENAI_API_KEY).",
        rich_help_panel=_PANEL,
    ),
]
ExtractorPrompt = Annotated[
    Path | None,
    typer.Option(
        "--extractor-prompt",
        metavar="FILE",
        help="File that replaces our question to the extractor; holds {question} and {response}.",
        rich_help_panel=_PANEL,
    ),
]
