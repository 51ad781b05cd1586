"""`beholder completion`: a script that has the shell complete commands, options, benchmarks, models and runs."""

from __future__ import annotations

from typing import Annotated

import typer


def completion(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Print a script that has the shell complete names.

    bash: `eval "$(beholder completion bash)"` in ~/.bashrc. zsh: the same with zsh in ~/.zshrc, after compinit. fish:
    `beholder completion fish > ~/.config/fish/completions/beholder.fish`.
    """
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    from beholder.cli.completing import SHELLS, VARIABLE
    from beholder.errors import UsageError

    if shell not in SHELLS:
        raise UsageError(f"There is no script for {shell[:40]!r}. Choose {', '.join(SHELLS)}.")
    typer.echo(get_completion_script(prog_name="beholder", complete_var=VARIABLE, shell=shell))
