"""The options that name an extractor model, and what run.json holds of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from beholder.benchmarks.benchmark import Benchmark
    from beholder.cli.endpoint import StoredExtractor
    from beholder.engine.reader import Extractor
    from beholder.models.endpoint import Endpoint

_PANEL = "Who reads the answers (tir)"
_KINDS = ("openai", "replay", "scripted", "constant")
"""Kinds of model that answer a question in words; the others look at an item's pictures, or guess."""
_OPTION = re.compile(r"(?<![\w-])--(model|base-url|api-key-env)(?![\w-])")
_OF_EXTRACTOR = {"model": "extractor", "base-url": "extractor-base-url", "api-key-env": "extractor-key-env"}
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


def refuse_alone(extractor: str | None, base_url: str | None, key_variable: str | None, prompt: Path | None) -> None:
    """`UsageError` for an option about the extractor where none is named: it would do nothing."""
    from beholder.errors import UsageError

    options = {
        "--extractor-base-url": base_url,
        "--extractor-key-env": key_variable,
        "--extractor-prompt": prompt,
    }
    alone = [option for option, value in options.items() if value is not None]
    if extractor is None and alone:
        raise UsageError(f"{alone[0]} goes with --extractor, which names the model that reads the answers.")


def make_extractor(
    name: str,
    found: Benchmark,
    *,
    base_url: str | None,
    key_variable: str | None,
    prompt: Path | None,
    cache: Path | None,
    max_retries: int = 7,
    concurrency: int = 16,
    timeout: float = 600.0,
    fsync: bool = False,
) -> tuple[Extractor, dict[str, Any]]:
    """The extractor that the options describe, and what run.json keeps of it.

    `UsageError` if the benchmark takes none, or an option cannot be used.
    """
    import msgspec

    from beholder.cli.endpoint import default_base_url, make_endpoint, settings_of
    from beholder.cli.run import read_template
    from beholder.engine.reader import check_extractor
    from beholder.errors import UsageError

    check_extractor(found)
    template = found.extraction_template if prompt is None else read_template(prompt, "--extractor-prompt")
    if "{response}" not in template:
        raise UsageError(f"--extractor-prompt {prompt}: the question to the extractor must hold {{response}}.")
    url = base_url or default_base_url()
    endpoint = None
    if url is not None and _kind(name) == "openai":
        endpoint = make_endpoint(
            base_url=url,
            key_variable=key_variable or "OPENAI_API_KEY",
            headers=[],
            extra_body=None,
            proxy=None,
            ca_file=None,
            max_connections=concurrency,
            timeout=timeout,
            connect_timeout=10.0,
            max_tokens_field="max_tokens",
        )
    made = _made(name, template, found, endpoint, cache, max_retries)
    made = msgspec.structs.replace(made, concurrency=concurrency, fsync=fsync)
    kept = {"model": name, "template": template, "endpoint": None if endpoint is None else settings_of(endpoint)}
    return made, kept


def extractor_again(
    stored: StoredExtractor,
    found: Benchmark,
    *,
    key_variable: str | None,
    cache: Path | None,
    max_retries: int,
    concurrency: int = 16,
    fsync: bool = False,
) -> Extractor:
    """The extractor that a run was begun with. `UsageError` if its address held credentials, which are not kept."""
    import msgspec

    from beholder.cli.endpoint import endpoint_again
    from beholder.errors import UsageError

    endpoint = None
    if stored.endpoint is not None:
        if "***" in stored.endpoint.last_url:
            raise UsageError(
                "The address of the run's extractor held credentials, which are not kept. Name it again: "
                f"beholder rescore RUN --extractor {stored.model} --extractor-base-url URL."
            )
        endpoint = endpoint_again(
            stored.endpoint,
            base_url=None,
            key_variable=key_variable,
            headers=[],
            extra_body=None,
            proxy=None,
            ca_file=None,
            max_connections=concurrency,
        )
    made = _made(stored.model, stored.template, found, endpoint, cache, max_retries)
    return msgspec.structs.replace(made, concurrency=concurrency, fsync=fsync)


async def check(reader: Extractor) -> None:
    """Fails with `UsageError` if the extractor cannot be reached at all."""
    from beholder.errors import UsageError

    try:
        await reader.model.check()
    except UsageError as error:
        raise UsageError(_about_extractor(error)) from None


def _made(
    name: str, template: str, found: Benchmark, endpoint: Endpoint | None, cache: Path | None, max_retries: int
) -> Extractor:
    from beholder.engine.reader import Extractor
    from beholder.engine.retry import RetryPolicy
    from beholder.errors import UsageError
    from beholder.models import KINDS, make_model

    if _kind(name) in KINDS and _kind(name) not in _KINDS:
        raise UsageError(f"--extractor {name} cannot read a text. Name a model, such as openai/NAME.")
    try:
        model = make_model(name, found, seed=0, endpoint=endpoint)
    except UsageError as error:
        raise UsageError(_about_extractor(error)) from None
    return Extractor(model=model, template=template, retries=RetryPolicy(attempts=max_retries + 1), cache=cache)


def _kind(name: str) -> str:
    return name.partition("/")[0]


def _about_extractor(error: Exception) -> str:
    """An error about a model, with the names of the options that the extractor has."""
    return _OPTION.sub(lambda option: f"--{_OF_EXTRACTOR[option[1]]}", str(error))
