"""The options that say what is asked, how the model decodes and how it is reached, and what they come to.

`beholder run` and the experiments share them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from beholder.benchmarks.benchmark import Benchmark
    from beholder.cli.judges import Named
    from beholder.engine.budget import Limits
    from beholder.engine.judge import Judge
    from beholder.engine.lifecycle import EngineOptions
    from beholder.engine.selection import Selection
    from beholder.models.endpoint import Endpoint
    from beholder.models.prices import Price
    from beholder.sample import Sampling

_WHAT = "What to ask"
_HOW = "How the model decodes"
_WHERE = "How to reach the model"

DataPath = Annotated[
    Path,
    typer.Option("--data", "-d", metavar="PATH", help="The data: a Parquet, JSON or JSONL file, or its folder."),
]
FetchedOrPath = Annotated[
    Path | None,
    typer.Option(
        "--data",
        "-d",
        metavar="PATH",
        help="The data: a Parquet, JSON or JSONL file, or its folder (default: what `data fetch` brought).",
    ),
]
Images = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Folder that image names are relative to (default: beside the data).",
        rich_help_panel=_WHAT,
    ),
]
Limit = Annotated[int | None, typer.Option(metavar="N", min=1, help="Only the first N items.", rich_help_panel=_WHAT)]
Where = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FIELD=VALUE",
        help="Only items where a field has a value (or !=VALUE), such as category=general; repeatable.",
        rich_help_panel=_WHAT,
    ),
]
Ids = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Only items whose key or record id is a line of FILE.", rich_help_panel=_WHAT),
]
Prompt = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="File that replaces our prompt template.", rich_help_panel=_WHAT),
]
Temperature = Annotated[
    str | None,
    typer.Option(metavar="T", help="Sampling temperature; `default`: not sent.", rich_help_panel=_HOW),
]
TopP = Annotated[
    str | None, typer.Option(metavar="P", help="Nucleus sampling; `default`: not sent.", rich_help_panel=_HOW)
]
MaxTokens = Annotated[
    str | None,
    typer.Option(metavar="N", help="Longest answer, in tokens; `default`: not sent.", rich_help_panel=_HOW),
]
Seed = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Seed of every random choice; also sent to the server, one for each vote.",
        rich_help_panel=_HOW,
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Such as http://localhost:8000/v1 (or OPENAI_BASE_URL).", rich_help_panel=_WHERE),
]
KeyVariable = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Environment variable that holds the API key (default: OPENAI_API_KEY, or the provider's own).",
        rich_help_panel=_WHERE,
    ),
]
Proxy = Annotated[
    str | None,
    typer.Option(metavar="URL", help="HTTP proxy (default: the usual environment variables).", rich_help_panel=_WHERE),
]
CaFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="PEM file of certificates to trust.", rich_help_panel=_WHERE),
]
Timeout = Annotated[
    float,
    typer.Option(metavar="S", min=0.1, help="Seconds to wait for an answer to begin.", rich_help_panel=_WHERE),
]
ConnectTimeout = Annotated[
    float, typer.Option(metavar="S", min=0.1, help="Seconds to wait for a connection.", rich_help_panel=_WHERE)
]
Stream = Annotated[
    bool,
    typer.Option(
        "--stream",
        help="Have answers sent in pieces as they are made; --timeout then bounds the wait for each piece.",
        rich_help_panel=_WHERE,
    ),
]
MaxTokensField = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Name of the token limit on the wire (some servers: max_completion_tokens).",
        rich_help_panel=_WHERE,
    ),
]
ImagePolicy = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Limits that images must keep: openai-compatible (none), anthropic, google or qwen-vl "
        "(default: the provider's own).",
        rich_help_panel=_WHERE,
    ),
]
UseCache = Annotated[bool, typer.Option("--cache/--no-cache", help="Reuse answers given to the very same request.")]
Accept = Annotated[bool, typer.Option("--accept", help="Accept that the data file has changed since the last run.")]


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """What those options say of the server, of decoding and of retries: one for all runs that a command makes."""

    base_url: str | None
    api_key_env: str | None
    header: list[str] | None
    extra_body: str | None
    proxy: str | None
    ca_file: Path | None
    max_connections: int
    max_retries: int
    timeout: float
    connect_timeout: float
    max_tokens_field: str
    image_policy: str | None
    tool_images: str
    temperature: str | None
    top_p: str | None
    max_tokens: str | None
    seed: int | None
    cache: bool
    fsync: bool
    stream: bool

    @property
    def run_seed(self) -> int:
        """The seed of everything that is drawn here."""
        return self.seed if self.seed is not None else 0

    def endpoint(self, model: str) -> Endpoint | None:
        """Where a model is served; None if it is not, or no address is known. `UsageError` names a wrong option."""
        from beholder.cli.endpoint import make_endpoint
        from beholder.cli.known_servers import way_of
        from beholder.cli.tools_options import takes_pictures_with_tools
        from beholder.engine.pace import MOST
        from beholder.models.served import CHAT, service_of

        service = service_of(model)
        url = self.base_url or (service or CHAT).address()
        if url is None:
            return None
        made = make_endpoint(  # also for a model that is not served: a wrong option is told of all the same
            base_url=url,
            key_variable=self.api_key_env or (service or CHAT).key_at_hand,
            headers=self.header or [],
            extra_body=self.extra_body,
            proxy=self.proxy,
            ca_file=self.ca_file,
            max_connections=self.max_connections or MOST,
            timeout=self.timeout,
            connect_timeout=self.connect_timeout,
            max_tokens_field=self.max_tokens_field,
            image_policy=self.image_policy or (service or CHAT).policy,
            pictures_in_tool_messages=takes_pictures_with_tools(self.tool_images),
            stream=self.stream,
        )
        if service is None:
            return None
        way_of(made).remember()
        return made

    def sampling(self, found: Benchmark) -> Sampling:
        """How the model is asked to decode; the benchmark's own way where nothing is said."""
        from beholder.cli.options import decoding_number
        from beholder.sample import Sampling

        usual = found.sampling
        return Sampling(
            temperature=decoding_number("--temperature", self.temperature, usual.temperature, low=0),
            top_p=decoding_number("--top-p", self.top_p, usual.top_p, low=0, high=1),
            max_tokens=decoding_number("--max-tokens", self.max_tokens, usual.max_tokens, low=1, whole=True),
            seed=self.seed,
        )

    def settings(self, endpoint: Endpoint | None) -> dict[str, Any]:
        """What run.json keeps so that a resume can ask in the same way (see `cli.endpoint.StoredSettings`)."""
        from beholder.cli.endpoint import settings_of

        kept: dict[str, Any] = {
            "max_retries": self.max_retries,
            "max_connections": self.max_connections or "auto",
            "cache": self.cache,
        }
        return kept if endpoint is None else kept | {"endpoint": settings_of(endpoint)}

    def cache_file(self, runs_dir: Path) -> Path | None:
        """The response cache of a folder of runs, None if it is not to be used."""
        return runs_dir / ".cache.db" if self.cache else None

    def judges(
        self, found: Benchmark, runs_dir: Path, named: Sequence[Named], models: Sequence[str]
    ) -> tuple[tuple[Judge, ...], dict[str, Any]]:
        """The judges that are named, and what run.json keeps of them. `models` are those that they judge."""
        from beholder.cli.judges import Way, make_judges
        from beholder.engine.pace import USUAL
        from beholder.models.served import service_of

        kinds = {name.partition("/")[0] for name in models if service_of(name) is not None}
        way = Way(
            cache=self.cache_file(runs_dir),
            base_url=self.base_url,
            key_variable=self.api_key_env,
            kind=next(iter(kinds)) if len(kinds) == 1 else None,
            max_retries=self.max_retries,
            concurrency=self.max_connections or USUAL,
            timeout=self.timeout,
            fsync=self.fsync,
        )
        return make_judges(named, found, way)

    def engine_options(
        self,
        runs_dir: Path,
        judges: tuple[Judge, ...] = (),
        prices: dict[str, Price | None] | None = None,
        limits: Limits | None = None,
    ) -> EngineOptions:
        """How a run is carried out; `prices` are those of the models by name, `limits` what it may spend."""
        from beholder.engine.budget import UNLIMITED
        from beholder.engine.lifecycle import EngineOptions
        from beholder.engine.retry import RetryPolicy

        return EngineOptions(
            concurrency=self.max_connections,
            retries=RetryPolicy(attempts=self.max_retries + 1),
            cache=self.cache_file(runs_dir),
            fsync=self.fsync,
            judges=judges,
            prices={name: price for name, price in (prices or {}).items() if price is not None},
            limits=limits or UNLIMITED,
        )


def data_of(given: Path | None, benchmark: str, console: Console) -> Path:
    """What --data names, or what was fetched for the benchmark, which is said. `UsageError` if there is neither."""
    from beholder.benchmarks.fetched import fetched_data
    from beholder.report.plain_text import plain

    if given is not None:
        return given
    folder, there = fetched_data(benchmark)
    console.print(plain(f"Data: {folder}, {there.origin}.", one_line=True), style="dim", soft_wrap=True)
    return folder


def selection_of(limit: int | None, where: list[str] | None, ids: Path | None) -> Selection:
    """Which items --limit, --where and --ids leave."""
    from beholder.engine.selection import Selection, parse_condition, read_ids

    return Selection(
        limit=limit,
        where=tuple(parse_condition(text) for text in where or []),
        ids=read_ids(ids) if ids is not None else (),
    )
