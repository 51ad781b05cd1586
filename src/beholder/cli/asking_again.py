"""The options by which a run or an experiment that was begun is asked on, and what they come to.

What is not given is as it was. What run.json or experiment.json of somebody else's folder says must not choose where a
key goes: a folder outside `--runs-dir` is refused, or its address has to be given.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from beholder.cli.options import connections

if TYPE_CHECKING:
    from beholder.benchmarks.benchmark import Benchmark
    from beholder.cli.cost_options import StoredBudget
    from beholder.cli.endpoint import StoredEndpoint, StoredSettings
    from beholder.engine.judge import Judge
    from beholder.engine.lifecycle import EngineOptions
    from beholder.models.endpoint import Endpoint

UrlAgain = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Where the same model is served now (default: where it was asked last)."),
]
KeyAgain = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Environment variable that holds the API key (default: the one it was)."),
]
ProxyAgain = Annotated[str | None, typer.Option(metavar="URL", help="Another HTTP proxy.")]
CaFileAgain = Annotated[
    Path | None, typer.Option(metavar="FILE", help="PEM file of certificates to trust (default: the one it was).")
]
ConnectionsAgain = Annotated[
    int | None,
    typer.Option(
        metavar="N|auto", parser=connections, help="Requests in flight at once, or `auto` (default: as before)."
    ),
]
RetriesAgain = Annotated[int | None, typer.Option(metavar="N", min=0, max=100, help="Retries of a request.")]


class AskingAgain(msgspec.Struct, frozen=True, kw_only=True):
    """What those options say. `folder` is the run or experiment that is gone on with, `home` the folder of runs that it
    lies in, `file` the name of what it says of itself."""

    folder: Path
    home: Path
    runs_dir: Path
    file: str = "run.json"
    base_url: str | None
    api_key_env: str | None
    header: list[str] | None
    extra_body: str | None
    proxy: str | None
    ca_file: Path | None
    max_connections: int | None
    max_retries: int | None
    extractor_key_env: str | None
    judge_key_env: list[str] | None = None
    slot_judge_key_env: list[str] | None = None
    max_cost: float | None = None
    max_tokens_total: int | None = None
    price_text: str | None = None
    fsync: bool

    @property
    def is_own(self) -> bool:
        """Whether the folder lies where the person at the keyboard keeps runs."""
        return self.folder.resolve().is_relative_to(self.runs_dir.resolve())

    def endpoint(self, stored: StoredEndpoint, base_url: str | None = None) -> Endpoint:
        """Where the model is asked; `base_url` stands in where `--base-url` is not given."""
        from beholder.cli.endpoint import endpoint_again, of_a_foreign_run
        from beholder.engine.pace import AUTO, MOST

        if not self.is_own:
            stored = of_a_foreign_run(stored, self.folder, self.runs_dir, self.base_url, self.api_key_env)
        return endpoint_again(
            stored,
            base_url=self.base_url or base_url,
            key_variable=self.api_key_env,
            headers=self.header or [],
            extra_body=self.extra_body,
            proxy=self.proxy,
            ca_file=self.ca_file,
            max_connections=MOST if self.max_connections == AUTO else self.max_connections,
        )

    def budget(self, settings: StoredSettings) -> StoredBudget:
        """What may be spent in all: as is said now, else as it was when it began."""
        return settings.budget.again(self.max_cost, self.max_tokens_total)

    def price(self, settings: StoredSettings) -> str | None:
        """The price that a person named: now, or when it began; what somebody else's folder names is none."""
        return self.price_text or (settings.budget.price if self.is_own else None)

    def engine_options(
        self, settings: StoredSettings, found: Benchmark, cache: Path | None, endpoint: Endpoint | None = None
    ) -> EngineOptions:
        """How it is carried out, with the judges that it was begun with; `cache` is the response cache, if any, and
        `endpoint` where its model is."""
        from beholder.cli.cost_options import price_of
        from beholder.engine.lifecycle import EngineOptions
        from beholder.engine.retry import RetryPolicy

        retries = self.retries(settings)
        price = price_of(settings.model, endpoint, self.price(settings))
        return EngineOptions(
            concurrency=self.connections(settings),
            retries=RetryPolicy(attempts=retries + 1),
            cache=cache,
            fsync=self.fsync,
            judges=self._judges(settings, found, cache, retries),
            prices={settings.model: price} if price is not None else {},
            limits=self.budget(settings).limits(),
        )

    def connections(self, settings: StoredSettings) -> int:
        """Requests in flight at once, or AUTO."""
        return self.max_connections if self.max_connections is not None else settings.connections

    def retries(self, settings: StoredSettings) -> int:
        """Retries of a request."""
        return self.max_retries if self.max_retries is not None else settings.max_retries

    def _judges(
        self, settings: StoredSettings, found: Benchmark, cache: Path | None, retries: int
    ) -> tuple[Judge, ...]:
        from beholder.cli.judges import Way, judges_again
        from beholder.engine.pace import USUAL
        from beholder.errors import UsageError

        if not settings.all_judges:
            return ()
        if not self.is_own:
            what = "a model to read the answers" if settings.extractor is not None else "judges"
            raise UsageError(
                f"{self.folder} lies outside --runs-dir {self.runs_dir}, and its {self.file} names {what}. "
                f"If it is yours, say so with --runs-dir {self.home}."
            )
        keys = {
            "extraction": [self.extractor_key_env] if self.extractor_key_env is not None else [],
            "rubric": self.judge_key_env or [],
            "slots": self.slot_judge_key_env or [],
        }
        concurrency = self.connections(settings) or USUAL
        way = Way(cache=cache, max_retries=retries, concurrency=concurrency, fsync=self.fsync)
        return judges_again(settings.all_judges, found, keys, way)
