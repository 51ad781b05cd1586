"""Python files of the user's own: which of them may be run, and the benchmarks that they hold (design note 020).

A file is run if the person at the keyboard names it (`give`), or named it before and it has not changed since: then it
is in the list in their home, with its path and SHA-256. What a run folder says never leads to a file: it gives a name,
which is looked up among those. Installed packages are found by their entry points.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import sys
import traceback
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from beholder.benchmarks.benchmark import Benchmark
from beholder.errors import UsageError

ENTRY_POINTS = "beholder.benchmarks"
_REFERENCE = re.compile(r"(.+?\.py)(?::([A-Za-z_]\w{0,99}))?(?:/(.*))?", re.DOTALL)
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_LARGEST_FILE = 4 << 20


class Reference(msgspec.Struct, frozen=True):
    """What `path/to/file.py:NAME/REST` says; `name` and `rest` are "" where they are left out."""

    file: Path
    name: str = ""
    rest: str = ""


class OwnFile(msgspec.Struct, frozen=True):
    """A file that has been run: where it is, what it was, and what it defines."""

    path: Path
    sha256: str
    module: ModuleType


class Remembered(msgspec.Struct):
    """The list in the user's home: path → SHA-256 of what was run, benchmark → the reference that gave it, and path →
    what its classes were given after a slash.
    """

    files: dict[str, str] = {}
    benchmarks: dict[str, str] = {}
    arguments: dict[str, list[str]] = {}


_run: dict[Path, OwnFile] = {}
_given: set[Path] = set()
"""Those of them that the person named in this command, for whatever they are asked for."""
_benchmarks: dict[str, Benchmark] = {}


def reference(text: str) -> Reference | None:
    """What a text says if it names a Python file; None if it does not (`openai/NAME`, `tfq`)."""
    found = _REFERENCE.fullmatch(text)
    return Reference(Path(found[1]), found[2] or "", found[3] or "") if found else None


def forget() -> None:
    """Forgets what this process was given: a command begins with nothing but what it is told."""
    _run.clear()
    _given.clear()
    _benchmarks.clear()


def list_file() -> Path:
    """The list of the files that this user has named: under `$XDG_STATE_HOME`, usually `~/.local/state`."""
    home = os.environ.get("XDG_STATE_HOME", "")
    state = Path(home) if os.path.isabs(home) else Path.home() / ".local" / "state"
    return state / "beholder" / "own-files.json"


def remembered() -> Remembered:
    """What the list holds. `UsageError` if it is damaged."""
    try:
        return msgspec.json.decode(list_file().read_bytes(), type=Remembered)
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        return Remembered()
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{list_file()} is damaged ({error}). Delete it, and name your files again.") from None


def give(file: Path, argument: str = "") -> OwnFile:
    """Runs a file that the person at the keyboard names, and remembers it, with what its class is to be given.
    `UsageError` says where it is wrong.
    """
    path = file.resolve()
    own = _run.get(path) or _run_file(path, _read(path))
    _given.add(path)
    known = remembered()
    known.files[str(path)] = own.sha256
    given = known.arguments.setdefault(str(path), [])
    if argument and argument not in given:
        given.append(argument)
    _remember(known)
    return own


def trusted(file: Path, argument: str = "") -> OwnFile:
    """The file, if the person named it in this command, or before and it is as it was. Any other is not run, nor is one
    that was named before run with an `argument` that the person never gave it.

    One that was named in this command is found by its name alone if there is nothing at its path.
    """
    path = file.resolve()
    if path in _given:
        return _run[path]
    same = [given for given in _given if given.name == path.name]
    if len(same) == 1 and not path.exists():
        return _run[same[0]]
    known = remembered()
    digest = known.files.get(str(path))
    if digest is None:
        raise UsageError(
            f"{file} is a Python file that you have not named yourself, so it is not run. If it is yours, or you have "
            f"read it, name it with --own {file}."
        )
    if not path.exists():
        raise UsageError(f"{path} is gone. Name the file where it is now: --own {path.name}.")
    if argument and argument not in known.arguments.get(str(path), []):
        raise UsageError(
            f"You have not given {argument[:60]!r} to a class of {path} yourself, so it is not. If it is right, "
            f"name the file with --own {path}."
        )
    if path in _run:
        return _run[path]
    data = _read(path)
    if hashlib.sha256(data).hexdigest() != digest:
        raise UsageError(f"{path} has changed since you named it, so it is not run. Name it again with --own {path}.")
    return _run_file(path, data)


def give_benchmarks(text: str) -> list[Benchmark]:
    """The benchmarks of a file that the person names (`file.py`, `file.py:NAME`), known by their names from now on."""
    told = reference(text)
    if told is None or told.rest:
        raise UsageError(f"{text} names no benchmark. Write path/to/file.py, or path/to/file.py:NAME.")
    own = give(told.file)
    found = _benchmarks_in(own, told.name)
    known = remembered()
    for name, one in found.items():
        _benchmarks[one.name] = one
        known.benchmarks[one.name] = f"{own.path}:{name}"
    _remember(known)
    return list(found.values())


def take(file: Path) -> None:
    """A file that the person names for what it holds, benchmarks or models: all of it is known from now on."""
    own = give(file)
    if any(isinstance(value, Benchmark) for value in vars(own.module).values()):
        give_benchmarks(str(file))


def find(name: str) -> Benchmark | None:
    """The benchmark of that name among those that were given, are remembered, or are installed; None of any other."""
    if name in _benchmarks:
        return _benchmarks[name]
    if not _NAME.fullmatch(name):
        return None
    told = reference(remembered().benchmarks.get(name, ""))
    found = None
    if told is not None:
        found = _benchmarks_in(trusted(told.file), told.name)[told.name]
        if found.name != name:
            raise UsageError(f"{told.file} holds no benchmark {name!r} any more. Name it again with --own {told.file}.")
    else:
        found = _installed(name)
    if found is not None:
        _benchmarks[name] = found
    return found


def listed() -> dict[str, str]:
    """Own benchmark → where it comes from, for `beholder list`. Nothing is run or loaded."""
    places = {name: text.rpartition(":")[0] for name, text in remembered().benchmarks.items()}
    installed = {entry.name: f"{entry.value}, installed" for entry in metadata.entry_points(group=ENTRY_POINTS)}
    return installed | places


def installed_code(entry: metadata.EntryPoint) -> str:
    """A hash of what an entry point's code is: the version of its package, and the file of its module."""
    module = sys.modules.get(entry.module)
    file = getattr(module, "__file__", None)
    digest = hashlib.sha256(f"{entry.dist.name}=={entry.dist.version}\0".encode() if entry.dist is not None else b"")
    if file is not None:
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()


def installed_entry(group: str, name: str) -> metadata.EntryPoint | None:
    """The entry point of that name. `UsageError` if several packages have one: which is meant must not be guessed."""
    entries = list(metadata.entry_points(group=group, name=name))
    if len({entry.value for entry in entries}) > 1:
        packages = ", ".join(sorted(entry.dist.name if entry.dist is not None else entry.value for entry in entries))
        raise UsageError(f"{name!r} of {group} is in several installed packages ({packages}). Uninstall all but one.")
    return entries[0] if entries else None


def _installed(name: str) -> Benchmark | None:
    entry = installed_entry(ENTRY_POINTS, name)
    if entry is None:
        return None
    found = entry.load()
    if not isinstance(found, Benchmark) or found.name != name:
        raise UsageError(f"The entry point {entry.value} of {ENTRY_POINTS} is no benchmark named {name!r}.")
    return msgspec.structs.replace(found, code=installed_code(entry))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror or error}). Check the path.") from None
    if len(data) > _LARGEST_FILE:
        raise UsageError(f"{path} has more than {_LARGEST_FILE >> 20} MB. Put the data into a file of its own.")
    return data


def _run_file(path: Path, data: bytes) -> OwnFile:
    """Runs these bytes: those that were hashed, whatever the file holds by now. Its folder is not made importable."""
    digest = hashlib.sha256(data).hexdigest()
    module = ModuleType(f"beholder_own_{digest[:16]}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look themselves up there
    try:
        exec(compile(data, str(path), "exec"), module.__dict__)  # noqa: S102 - the person named it: see the module
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the boundary where a fault of the user's file is told
        raise UsageError(f"{path}{_line_of(error, path)} cannot be run: {_told(error)}") from None
    own = OwnFile(path, digest, module)
    _run[path] = own
    return own


def _line_of(error: BaseException, path: Path) -> str:
    """The line of the file at which an error arose."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f", line {error.lineno}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f", line {lines[-1]}" if lines else ""


def _told(error: BaseException) -> str:
    words = " ".join(str(error).split())
    if isinstance(error, SyntaxError):
        words = str(error.msg)  # the place has been told
    if isinstance(error, ModuleNotFoundError):
        words += ". Install it: what lies beside the file cannot be imported"
    return f"{type(error).__name__}: {words[:200]}" if words else type(error).__name__


def _benchmarks_in(own: OwnFile, name: str) -> dict[str, Benchmark]:
    """The variables of a file that hold its benchmarks: all, or the one of that name."""
    from beholder.benchmarks import BENCHMARKS

    there = {key: value for key, value in vars(own.module).items() if isinstance(value, Benchmark)}
    mine = {key: value for key, value in there.items() if value.name not in BENCHMARKS}
    if not name:  # a second variable of the same benchmark is no other one
        first = {id(value): key for key, value in reversed(mine.items())}
        mine = {key: value for key, value in mine.items() if first[id(value)] == key}
    if name and name not in mine:
        known = f" It has {', '.join(mine)}." if mine else ""
        raise UsageError(f"{own.path} holds no benchmark {name!r} of its own.{known}")
    if not mine:
        clash = f" {next(iter(there.values())).name!r} is a name of ours: choose another." if there else ""
        raise UsageError(f"{own.path} holds no benchmark: no variable is made by own_benchmark(…).{clash}")
    chosen = {name: mine[name]} if name else mine
    for one in chosen.values():
        if not _NAME.fullmatch(one.name):
            raise UsageError(f"{own.path}: {one.name!r} cannot name a benchmark. Use a-z, 0-9 and -, at most 40.")
    return {key: msgspec.structs.replace(one, code=own.sha256) for key, one in chosen.items()}


def _remember(known: Remembered) -> None:
    """Writes the list. Where that is not possible, the files have to be named each time."""
    with contextlib.suppress(OSError, RuntimeError):
        keep_at_home(list_file(), known)


def keep_at_home(file: Path, content: Any) -> None:
    """Writes a list of what the person has named, as JSON that nobody else may read, in one step."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    temporary.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=1))
    temporary.chmod(0o600)
    temporary.replace(file)
