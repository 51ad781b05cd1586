"""Defaults of options from config files: which files there are, what each may say, and what holds for a command.

    [defaults]                     # of every command that has the option
    runs_dir = "runs"
    [run]                          # of one command; [experiment.tools] of one below a group
    model = ["openai/qwen2.5-vl-7b"]
    max_connections = 32

The command line counts before the environment (`BEHOLDER_RUN_MAX_CONNECTIONS`), that before the file of the working
folder (or the one named by `--config`), that before the user's own, that before what is built in. A key cannot be given
in a file, nor anything that may hold one. The file of the working folder may be somebody else's: it may set harmless
options only, and its paths stay in its folder (design note 020).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from beholder.cli.own import leaves
from beholder.errors import UsageError

FILE = "beholder.toml"
SHARED = (
    "runs_dir",
    "max_connections",
    "max_retries",
    "timeout",
    "connect_timeout",
    "cache",
    "fsync",
    "all_metrics",
    "json",
)
"""What `[defaults]` may hold: options that mean the same wherever they are."""
SECRET = ("header", "token")
"""Options that may hold a secret: they are in no file."""
NEVER = (*SECRET, "own", "help", "version", "config")
PATHS = ("data", "images", "categories", "ids", "runs_dir")
MODELS = ("model", "plain_model", "judge", "slot_judge", "extractor", "annotator")
HARMLESS = (
    *SHARED, *PATHS, *MODELS, "limit", "where", "task", "language", "votes", "order", "epochs", "temperature", "top_p",
    "max_tokens", "seed", "max_tokens_field", "image_policy", "stream", "tools", "tool_protocol", "tool_images",
    "max_turns", "max_tool_tokens", "max_seconds", "max_repeats", "max_pictures", "max_cost", "max_tokens_total", "ocr",
    "probe", "placebo", "keep_apart", "scorer", "intersect", "resamples", "samples", "embed", "without_images",
)  # fmt: skip
"""What the file of the working folder may say: nothing that sends a key or data elsewhere, runs code or chooses what is
overwritten. Whatever is not here has to be in the user's own file, or in one that is named by `--config`."""
_URLS = ("base_url", "proxy")


class Layer(NamedTuple):
    """One config file: what it says, and whether it was merely found in the working folder."""

    file: Path
    tables: dict[str, Any]
    found: bool = False


class Setting(NamedTuple):
    """What a file says of one option of a command: `name` as it is written there, `param` as the parser knows it."""

    command: str
    name: str
    param: str
    value: Any
    file: Path


def layers(named: Path | None) -> list[Layer]:
    """The config files that hold, the weaker first. `UsageError` for one that cannot be read, or is named and gone."""
    home = os.environ.get("XDG_CONFIG_HOME", "")
    config = Path(home) if os.path.isabs(home) else Path(os.path.expanduser("~/.config"))
    files = [Layer(config / "beholder" / "config.toml", {}), Layer(named or Path(FILE), {}, found=named is None)]
    return [one._replace(tables=_read(one.file)) for one in files if one.file is named or one.file.is_file()]


def defaults_for(name: str, command: Any, named: Path | None) -> dict[str, Any]:
    """The defaults of a command as its parser takes them (`default_map`). `UsageError` names file, key and mend."""
    found = layers(named)
    defaults: dict[str, Any] = {}
    for layer in found:
        for one in settings_of(layer, name, command):
            place = defaults
            for group in one.command.split("."):
                place = place.setdefault(group, {})
            place[one.param] = one.value
    return defaults


def settings_of(layer: Layer, name: str, command: Any) -> Iterator[Setting]:
    """What one file says of a command, or of the commands of a group."""
    _check_tables(layer)
    for leaf in leaves(command):
        path = name if leaf is command else f"{name}.{leaf.name}"
        options = options_of(leaf)
        shared = {key: value for key, value in layer.tables.get("defaults", {}).items() if _plain(key) in options}
        own = _table(layer, path)
        for key, value in {**shared, **own}.items():
            option = options.get(_plain(key))
            if option is None:
                raise _unknown(layer.file, f"[{path}]", key, options)
            yield Setting(path, _plain(key), option.name, _checked(layer, path, key, option, value), layer.file)


def options_of(command: Any) -> dict[str, Any]:
    """The options of a command by the names that a file calls them."""
    found: dict[str, Any] = {}
    for param in command.params:
        long = [text for text in param.opts if text.startswith("--")]
        if long:
            found[_plain(long[0][2:])] = param
    return found


def name_variables(name: str, command: Any) -> None:
    """Gives every option an environment variable: `BEHOLDER_`, the command, the option. The help does not name them."""
    for leaf in leaves(command):
        path = name if leaf is command else f"{name}_{leaf.name}"
        for option, param in options_of(leaf).items():
            if not param.envvar and option != "help":
                param.envvar = _plain(f"BEHOLDER_{path}_{option}").upper()
                param.show_envvar = False


def where_from(error: Any) -> str:
    """That the value which an error of the parser is about stands in a config file."""
    param, ctx = getattr(error, "param", None), getattr(error, "ctx", None)
    source = ctx.get_parameter_source(param.name) if param is not None and ctx is not None else None
    return " (from a config file: `beholder config show` says which)" if source and source.name == "DEFAULT_MAP" else ""


def _plain(key: str) -> str:
    return key.replace("-", "_")


def _read(file: Path) -> dict[str, Any]:
    import tomllib

    try:
        with file.open("rb") as source:
            return tomllib.load(source)
    except OSError as error:
        raise UsageError(f"{file} cannot be read ({error.strerror or error}). Check --config.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{file} is not TOML ({error}). Mend it.") from None


def _check_tables(layer: Layer) -> None:
    """The names of the tables and of shared options: those of other commands are looked at when they are called."""
    from beholder.cli.main import COMMANDS

    for name, table in layer.tables.items():
        if name != "defaults" and name not in COMMANDS:
            raise _unknown(layer.file, "the tables", name, ("defaults", *COMMANDS))
        if not isinstance(table, dict):
            raise UsageError(f"{layer.file}: {name} is no table. Write [{name}] on a line of its own.")
    for key in layer.tables.get("defaults", {}):
        if _plain(key) not in SHARED:
            raise _unknown(layer.file, "[defaults]", key, SHARED)


def _table(layer: Layer, path: str) -> dict[str, Any]:
    """The table of a command, without those of the commands below it."""
    group, _, leaf = path.partition(".")
    table = layer.tables.get(group, {})
    if not leaf:
        return dict(table)
    below = table.get(leaf, {})
    if not isinstance(below, dict):
        raise UsageError(f"{layer.file}: {path} is no table. Write [{path}] on a line of its own.")
    return below


def _unknown(file: Path, place: str, key: str, known: Any) -> UsageError:
    import difflib

    near = difflib.get_close_matches(_plain(key), list(known), n=2, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"Known: {', '.join(known)}."
    return UsageError(f"{file}: there is no {key[:60]!r} in {place}. {hint}")


def _checked(layer: Layer, path: str, key: str, option: Any, value: Any) -> Any:
    """The value as the option's parser takes it. `UsageError` if a file, or this file, may not say that."""
    name, file = _plain(key), layer.file
    if name in NEVER:
        why = "may hold a secret" if name in SECRET else "is for the command line alone"
        raise UsageError(f"{file}: {name} of [{path}] {why}. Give --{name.replace('_', '-')} on the command line.")
    values = value if isinstance(value, list) else [value]
    flag = bool(getattr(option, "is_flag", False))
    if any(isinstance(one, bool) is not flag or not isinstance(one, str | int | float) for one in values):
        kind = "true or false" if flag else "text or a number"
        raise UsageError(f"{file}: {name} of [{path}] must be {kind}.")
    if isinstance(value, list) and not option.multiple:
        raise UsageError(f"{file}: {name} of [{path}] takes one value, not a list.")
    for one in values:
        _check_secrets(file, path, name, str(one))
    if layer.found:
        _check_harmless(file, path, name, values)
    return values if option.multiple else value


def _check_secrets(file: Path, path: str, name: str, text: str) -> None:
    from beholder.models.address import scrub, scrub_url

    hidden = False
    if name.endswith(_URLS):
        hidden = scrub_url(text) != text
    elif name == "extra_body":
        import msgspec

        try:
            body = msgspec.json.decode(text)
        except msgspec.DecodeError:
            return  # the option itself says so
        hidden = isinstance(body, dict) and scrub(body) != body
    if hidden:
        raise UsageError(f"{file}: {name} of [{path}] holds a secret. Name an environment variable with api_key_env.")


def _check_harmless(file: Path, path: str, name: str, values: list[Any]) -> None:
    """What a file that was merely found may not say: it may have come with somebody else's folder."""
    yours = f"put it into your own config file, or name this one: --config {file}"
    if name not in HARMLESS:
        raise UsageError(
            f"{file} lies in the working folder and may not set {name} of [{path}]. If it is yours, {yours}."
        )
    for one in map(str, values):
        if name in PATHS and not Path(one).resolve().is_relative_to(Path.cwd()):
            raise UsageError(
                f"{file} lies in the working folder, and {name} of [{path}] leaves it. {yours.capitalize()}."
            )
        if name in MODELS and not _is_no_file(one):
            raise UsageError(
                f"{file} lies in the working folder and may not choose {one[:60]!r} as {name} of [{path}]: that is a "
                f"file. If it is yours, {yours}."
            )


def _is_no_file(model: str) -> bool:
    """Whether a model is served somewhere, or answers without a file."""
    from beholder.models.served import service_of

    kind = model.partition("/")[0]
    return service_of(model) is not None or kind in ("random", "constant", "classical", "static", "classical-tools")
