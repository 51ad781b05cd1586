"""The judges that options name (an extractor is one of them): how they are made, and what run.json holds of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from beholder.models.served import SERVED

if TYPE_CHECKING:
    from beholder.benchmarks.benchmark import Benchmark, JudgeTask
    from beholder.cli.endpoint import StoredJudge
    from beholder.engine.judge import Judge
    from beholder.models.endpoint import Endpoint

_PANEL = "Who judges (m3r)"
_KINDS = (*SERVED, "transformers", "vllm", "replay", "scripted", "constant")
"""Kinds of model that answer a question in words; the others look at an item's pictures, or guess."""
_OPTION = re.compile(r"(?<![\w-])--(model|base-url|api-key-env)(?![\w-])")

OPTIONS = {"extraction": "--extractor", "rubric": "--judge", "slots": "--slot-judge"}
"""Purpose of a judge task → the option that names who is asked. `OPTION-base-url`, … go with it."""
_NOUNS = {"extraction": "extractor"}
_USES = {
    "--extractor": "its answers are read without a model",
    "--judge": "it has no explanations to be judged",
    "--slot-judge": "it has no targets and sources to be judged",
}


def _option(name: str, metavar: str, text: str) -> Any:
    return typer.Option(name, metavar=metavar, help=text, rich_help_panel=_PANEL)


JudgeNames = Annotated[
    list[str] | None,
    _option(
        "--judge", "KIND/NAME", "Who judges explanations by the rubric: a model, or `overlap`, a rule; repeatable."
    ),
]
JudgeUrl = Annotated[
    list[str] | None,
    _option(
        "--judge-base-url",
        "URL",
        "Where these models are served: one URL, or one for each (default: --base-url, or OPENAI_BASE_URL).",
    ),
]
JudgeKey = Annotated[
    list[str] | None,
    _option(
        "--judge-key-env",
        "NAME",
        "Environment variable with their API key: one, or one for each (default: the model's at the same server, "
        "else OPENAI_API_KEY).",
    ),
]
JudgePrompt = Annotated[Path | None, _option("--judge-prompt", "FILE", "File that replaces our question to them.")]
SlotJudgeNames = Annotated[
    list[str] | None,
    _option(
        "--slot-judge",
        "KIND/NAME",
        "Who says if target and source mean the same as the gold: a model, or `embedding/FOLDER`; repeatable.",
    ),
]
SlotJudgeUrl = Annotated[
    list[str] | None, _option("--slot-judge-base-url", "URL", "Where those are served: one URL, or one for each.")
]
SlotJudgeKey = Annotated[
    list[str] | None,
    _option("--slot-judge-key-env", "NAME", "Environment variable with the API key of those: one, or one for each."),
]
SlotJudgePrompt = Annotated[
    Path | None, _option("--slot-judge-prompt", "FILE", "File that replaces our question to those.")
]


class Named(msgspec.Struct, frozen=True, kw_only=True):
    """What the options say of the judges of one purpose; at least one is named.

    `base_urls` and `key_variables` are one for all that are served, or one for each of these in turn.
    """

    purpose: str
    names: tuple[str, ...]
    base_urls: tuple[str, ...] = ()
    key_variables: tuple[str, ...] = ()
    prompt: Path | None = None


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """How judges are asked. `base_url` and `key_variable` are the model's own, where there is one, and `kind` its kind
    where that is a served one."""

    cache: Path | None
    base_url: str | None = None
    key_variable: str | None = None
    kind: str | None = None
    max_retries: int = 7
    concurrency: int = 16
    timeout: float = 600.0
    fsync: bool = False


def named_judges(options: Mapping[str, Any]) -> list[Named]:
    """The judges that the options of a command name, from the options' values by parameter.

    `UsageError` for an option about a judge where none is named (it would do nothing), and for a judge named twice.
    """
    from beholder.errors import UsageError

    named = []
    for purpose, option in OPTIONS.items():
        parameter = option[2:].replace("-", "_")
        names = _several(options.get(parameter))
        about = {what: options.get(f"{parameter}_{what}") for what in ("base_url", "key_env", "prompt")}
        alone = [f"{option}-{what.replace('_', '-')}" for what, given in about.items() if given]
        if alone and not names:
            does = "reads the answers" if purpose == "extraction" else "judges"
            raise UsageError(f"{alone[0]} goes with {option}, which names the model that {does}.")
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise UsageError(f"{option} {twice[0]} is given twice. Name each judge once.")
        if names:
            one = Named(
                purpose=purpose,
                names=names,
                base_urls=_several(about["base_url"]),
                key_variables=_several(about["key_env"]),
                prompt=about["prompt"],
            )
            named.append(one)
    return named


def make_judges(named: Sequence[Named], found: Benchmark, way: Way) -> tuple[tuple[Judge, ...], dict[str, Any]]:
    """The judges that the options describe, and what run.json keeps of them.

    `UsageError` if the benchmark takes none, or an option cannot be used.
    """
    from beholder.cli.endpoint import settings_of

    judges: list[Judge] = []
    kept: dict[str, Any] = {}
    for one in named:
        task = _task(found, one.purpose)
        template = _template(one, task)
        endpoints = _endpoints(one, way)
        for name in one.names:
            endpoint = endpoints.get(name)
            judge = _made(task, name, template, found, endpoint, way)
            judges.append(judge)
            row = {
                "model": name,
                "template": judge.template,
                "endpoint": None if endpoint is None else settings_of(endpoint),
            }
            if one.purpose == "extraction":
                kept["extractor"] = row
            else:
                kept.setdefault("judges", []).append({"purpose": one.purpose, **row})
    return tuple(judges), kept


def in_place_of(stored: dict[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
    """What run.json keeps when other judges are named: those of a purpose that is not named stay."""
    rows = kept.get("judges", [])
    purposes = {row["purpose"] for row in rows}
    old = stored.get("judges")
    stay = [row for row in old if row.get("purpose") not in purposes] if isinstance(old, list) else []
    return {**kept, "judges": [*stay, *rows]} if rows else kept


def judges_again(
    stored: Sequence[StoredJudge], found: Benchmark, keys: Mapping[str, Sequence[str]], way: Way
) -> tuple[Judge, ...]:
    """The judges that a run was begun with. `keys` gives the variables of a purpose's keys, where others are given: one
    for all that are served, or one for each.

    `UsageError` if an address held credentials, which are not kept.
    """
    from beholder.cli.endpoint import endpoint_again

    given = {purpose: iter(_keys_again(stored, purpose, names)) for purpose, names in keys.items()}
    judges = []
    for one in stored:
        task = _task(found, one.purpose)
        endpoint = None
        if one.endpoint is not None:
            endpoint = endpoint_again(
                one.endpoint,
                base_url=None,
                key_variable=next(given[one.purpose]),
                headers=[],
                extra_body=None,
                proxy=None,
                ca_file=None,
                max_connections=way.concurrency,
                mend="name the judge again with `beholder rescore`",
            )
        judges.append(_made(task, one.model, one.template, found, endpoint, way))
    return tuple(judges)


def _keys_again(stored: Sequence[StoredJudge], purpose: str, names: Sequence[str]) -> list[str | None]:
    """The variable of the key of each served judge of a purpose; None for the one that it was."""
    from beholder.cli.endpoint import check_keys, for_each
    from beholder.errors import UsageError

    option = OPTIONS[purpose]
    urls = []
    for one in stored:
        if one.purpose == purpose and one.endpoint is not None:
            if "***" in one.endpoint.last_url:
                raise UsageError(
                    f"The address of the run's {_noun(purpose)} held credentials, which are not kept. Name it "
                    f"again: beholder rescore RUN {option} {one.model} {option}-base-url URL."
                )
            urls.append(one.endpoint.last_url)
    check_keys(f"{option}-key-env", names, urls)
    return for_each(f"{option}-key-env", names, len(urls), "judges that are served")


async def check(judges: Sequence[Judge]) -> None:
    """Fails with `UsageError` if one of the judges cannot be reached at all."""
    from beholder.errors import UsageError

    for judge in judges:
        if judge.model is None:
            continue
        try:
            await judge.model.check()
        except UsageError as error:
            raise UsageError(_about(error, OPTIONS[judge.task.purpose])) from None


async def close(judges: Sequence[Judge]) -> None:
    """Gives back the connections of all judges."""
    for judge in judges:
        await judge.close()


def _task(found: Benchmark, purpose: str) -> JudgeTask:
    from beholder.engine.judge import task_of
    from beholder.errors import UsageError

    task = task_of(found, purpose) if purpose in OPTIONS else None
    if task is None:
        option = OPTIONS.get(purpose, "such judge")
        raise UsageError(f"{found.name} takes no {option}: {_USES.get(option, 'it has no task for one')}.")
    return task


def _template(one: Named, task: JudgeTask) -> str:
    """The question to the judges: the task's own, or the user's, each section of which must hold the placeholders."""
    from beholder.benchmarks.sections import sections
    from beholder.cli.run import read_template
    from beholder.errors import UsageError

    if one.prompt is None:
        return task.template
    option, noun = OPTIONS[one.purpose], _noun(one.purpose)
    if all(_kind(name) in task.local for name in one.names):
        raise UsageError(f"{option}-prompt goes with a model: {one.names[0]} is a rule, which is asked nothing.")
    template = read_template(one.prompt, f"{option}-prompt")
    texts = sections(template).values() if sections(task.template) else ()
    for text in texts or (template,):
        lacking = [word for word in task.placeholders if word not in text]
        if lacking:
            raise UsageError(f"{option}-prompt {one.prompt}: the question to the {noun} must hold {lacking[0]}.")
    return template


def _endpoints(one: Named, way: Way) -> dict[str, Endpoint]:
    """Where those of the judges are asked that are served, by name; none where no address is known."""
    from beholder.cli.endpoint import check_keys, for_each, make_endpoint
    from beholder.cli.known_servers import way_of
    from beholder.errors import UsageError

    option = OPTIONS[one.purpose]
    served = [name for name in one.names if _kind(name) in SERVED]
    if one.base_urls and not served:
        raise UsageError(f"{option}-base-url goes with a served model, such as {option} openai/NAME.")
    own = for_each(f"{option}-base-url", one.base_urls, len(served), "judges that are served")
    keys = for_each(f"{option}-key-env", one.key_variables, len(served), "judges that are served")
    check_keys(f"{option}-key-env", one.key_variables, own)
    endpoints = {}
    for name, base_url, key in zip(served, own, keys, strict=True):
        service = SERVED[_kind(name)]
        # The model's own server is another judge's only where it is of the same service; its key goes nowhere else.
        shared = base_url is None and way.kind in (None, _kind(name))
        url = base_url or (way.base_url if shared else None) or service.address()
        if url is None:
            continue
        of_the_model = way.key_variable if shared else None
        endpoints[name] = make_endpoint(
            base_url=url,
            key_variable=key or of_the_model or service.key_at_hand,
            headers=[],
            extra_body=None,
            proxy=None,
            ca_file=None,
            max_connections=way.concurrency,
            timeout=way.timeout,
            connect_timeout=10.0,
            max_tokens_field="max_tokens",
            image_policy=service.policy,
        )
        way_of(endpoints[name]).remember()
    return endpoints


def _made(task: JudgeTask, name: str, template: str, found: Benchmark, endpoint: Endpoint | None, way: Way) -> Judge:
    from beholder.cli.cost_options import price_of
    from beholder.engine.judge import Judge, rule_of
    from beholder.engine.retry import RetryPolicy
    from beholder.errors import UsageError
    from beholder.models import KINDS, make_model

    option = OPTIONS[task.purpose]
    rule = rule_of(task, name, found.assumptions)
    if rule is not None:
        return Judge(
            task=task,
            name=name,
            rule=rule,
            assumptions=found.assumptions,
            concurrency=way.concurrency,
            fsync=way.fsync,
        )
    if _kind(name) in KINDS and _kind(name) not in _KINDS:
        does = "read a text" if task.purpose == "extraction" else "judge"
        raise UsageError(f"{option} {name} cannot {does}. Name a model, such as openai/NAME.")
    try:
        model = make_model(name, found, seed=0, endpoint=endpoint)
    except UsageError as error:
        local = f" Without a model: {', '.join(task.local)}." if task.local and _kind(name) not in KINDS else ""
        raise UsageError(_about(error, option) + local) from None
    return Judge(
        task=task,
        name=name,
        model=model,
        template=template,
        retries=RetryPolicy(attempts=way.max_retries + 1),
        concurrency=way.concurrency,
        cache=way.cache,
        price=price_of(name, endpoint, None),
        fsync=way.fsync,
    )


def _several(value: str | Sequence[str] | None) -> tuple[str, ...]:
    """The values of an option, whether or not it can be repeated."""
    return (value,) if isinstance(value, str) else tuple(value or ())


def _kind(name: str) -> str:
    return name.partition("/")[0]


def _noun(purpose: str) -> str:
    return _NOUNS.get(purpose, "judge")


def _about(error: Exception, option: str) -> str:
    """An error about a model, with the names of the options that a judge has."""
    own = {"model": option, "base-url": f"{option}-base-url", "api-key-env": f"{option}-key-env"}
    return _OPTION.sub(lambda found: own[found[1]], str(error))
