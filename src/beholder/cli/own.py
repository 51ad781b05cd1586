"""The user's own files on the command line: the one place where a file becomes one that is run (design note 020).

A benchmark (`BENCHMARK`) or a model (`KIND/NAME`) that is a Python file counts as named by the person only where it was
typed, or stands in an environment variable of theirs. A config file names none, nor does a run folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.main

RUNS = ("RUN", "RUN…", "EXPERIMENT")
BENCHMARK, MODEL = "BENCHMARK", "KIND/NAME"
_BY_THE_PERSON = ("COMMANDLINE", "ENVIRONMENT", "PROMPT")


def know_own_files(command: Any) -> None:
    """Has a command, and those below it, take the user's own files where it takes a benchmark, a model or a run."""
    for one in leaves(command):
        named = {param.metavar for param in one.params}
        for param in one.params:
            if param.metavar == BENCHMARK:
                param.callback = _then(_benchmark, param.callback)
            elif param.metavar == MODEL:
                param.callback = _then(_models, param.callback)
        if named & {BENCHMARK, *RUNS} and all(param.name != "own" for param in one.params):
            one.params.append(_own_option())


def leaves(command: Any) -> Iterator[Any]:
    """A command, or the commands below a group."""
    below = getattr(command, "commands", None)
    if below is None:
        yield command
        return
    for one in below.values():
        yield from leaves(one)


def _then(first: Callable[..., Any], second: Callable[..., Any] | None) -> Callable[..., Any]:
    def both(ctx: Any, param: Any, value: Any) -> Any:
        value = first(ctx, param, value)
        return value if second is None else second(ctx, param, value)

    return both


def _typed(ctx: Any, param: Any) -> bool:
    """Whether the person at the keyboard gave it; while the shell completes a line, nobody has."""
    source = ctx.get_parameter_source(param.name)
    return not ctx.resilient_parsing and source is not None and source.name in _BY_THE_PERSON


def _benchmark(ctx: Any, param: Any, value: Any) -> Any:
    """The name of a benchmark; of a file that holds one, the name that it has there."""
    if not isinstance(value, str) or ".py" not in value or not _typed(ctx, param):
        return value
    from beholder.benchmarks.own import give_benchmarks
    from beholder.errors import UsageError

    found = give_benchmarks(value)
    if len(found) > 1:
        names = ", ".join(one.name for one in found)
        raise UsageError(f"{value} holds {len(found)} benchmarks ({names}). Write {value}:VARIABLE for one of them.")
    return found[0].name


def _models(ctx: Any, param: Any, value: Any) -> Any:
    """The same names; a file among them is run, if it was typed."""
    for name in value if isinstance(value, list | tuple) else [value]:
        if isinstance(name, str) and ".py" in name and _typed(ctx, param):
            from beholder.benchmarks.own import give, reference
            from beholder.models import KINDS

            told = reference(name)
            if told is not None and name.partition("/")[0] not in KINDS:
                give(told.file, told.rest)
    return value


def _files(ctx: Any, param: Any, value: Any) -> Any:
    for file in value or () if _typed(ctx, param) else ():
        from beholder.benchmarks.own import take

        take(Path(file))
    return value


def _own_option() -> Any:
    """`--own FILE`, made by typer as those of the commands are."""

    def declared(
        own: Annotated[
            list[Path] | None,
            typer.Option(
                "--own",
                metavar="FILE",
                is_eager=True,
                expose_value=False,
                show_default=False,
                help="Your own Python file with the benchmark or model of a run, where it has changed; repeatable.",
            ),
        ] = None,
    ) -> None: ...

    one = typer.Typer(add_completion=False)
    one.command()(declared)
    option = next(param for param in typer.main.get_command(one).params if param.name == "own")
    option.callback = _files
    return option
