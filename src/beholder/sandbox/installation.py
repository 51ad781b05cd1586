"""What the sandbox shows of this Python: the interpreter, its standard library, and four packages with what they need.

Not shown is all else that is installed beside them: Beholder's own solvers would answer the questions. Of the system,
the folders of shared libraries are shown as they are, with all that lies in them (on Debian some programs, too). Python
has another path inside than here; but files of its own, such as `sysconfig` and compiled modules, tell that one.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from functools import cache
from importlib import metadata
from pathlib import Path

import msgspec

PACKAGES = (
    "numpy",
    "pillow",
    "opencv-python-headless",
    "opencv-python",
    "opencv-contrib-python-headless",
    "matplotlib",
)
"""The distributions that are shown, where they are installed; of OpenCV there is one of several."""

PACKAGES_INSIDE = "/packages"
_PYTHON_INSIDE = "/python"
_SYSTEM_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/nix/store", "/gnu/store")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class Installation(msgspec.Struct, frozen=True):
    """How to show and start this Python.

    `shown` are (path here, path inside), read-only; `links` are (target, path inside) of symbolic links; `hidden` are
    folders inside that must look empty. `program` is the interpreter inside, `environment` what it needs to start.
    """

    shown: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...]
    hidden: tuple[str, ...]
    program: str
    environment: dict[str, str]


@cache
def installation() -> Installation:
    """The Python that runs now."""
    links = [(os.readlink(path), path) for path in _SYSTEM_LIBRARIES if os.path.islink(path)]
    shown = [(path, path) for path in _library_folders()]
    program = os.path.realpath(sys.executable)
    environment = {}
    base = os.path.realpath(sys.base_prefix)
    if base == "/usr":
        own = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), program}
        shown += [(path, path) for path in sorted(own)]
    else:
        libraries = os.path.join(base, "lib")
        shown += [(libraries, f"{_PYTHON_INSIDE}/lib"), (program, f"{_PYTHON_INSIDE}/bin/{os.path.basename(program)}")]
        program = f"{_PYTHON_INSIDE}/bin/{os.path.basename(program)}"
        environment["LD_LIBRARY_PATH"] = f"{_PYTHON_INSIDE}/lib"
    hidden = [_inside(path, base) for path in _package_folders(base)]
    shown += [(path, f"{PACKAGES_INSIDE}/{os.path.basename(path)}") for path in package_paths()]
    return Installation(
        shown=tuple(shown),
        links=tuple(links),
        hidden=tuple(path for path in hidden if path),
        program=program,
        environment=environment,
    )


@cache
def package_paths() -> tuple[str, ...]:
    """The folders and modules of `PACKAGES` and of what they need, as absolute paths, sorted."""
    paths: set[str] = set()
    wanted, seen = list(PACKAGES), set[str]()
    while wanted:
        name = wanted.pop()
        if name in seen:
            continue
        seen.add(name)
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        for need in found.requires or ():
            if "extra ==" not in need and (match := _NAME.match(need)):
                wanted.append(re.sub(r"[-_.]+", "-", match[0]).lower())
        for file in found.files or ():
            top = file.parts[0]
            if top not in ("..", "__pycache__") and not top.endswith(".pth"):
                paths.add(os.path.realpath(str(found.locate_file(top))))
    return tuple(sorted(path for path in paths if os.path.exists(path)))


def _library_folders() -> list[str]:
    """Where the system's shared libraries are: on Debian and its kin a folder of /usr/lib, elsewhere all of it."""
    folders = []
    for root in _SYSTEM_LIBRARIES:
        if os.path.isdir(root) and not os.path.islink(root):
            folders += sorted(map(str, Path(root).glob("*-linux-*"))) or [root]
    return folders


def _package_folders(base: str) -> list[str]:
    """Where other packages of this interpreter lie, below what is shown."""
    version = f"python{sysconfig.get_python_version()}"
    places = [Path(base, "lib", folder) for folder in (f"{version}/site-packages", f"{version}/dist-packages")]
    places += [Path(path) for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    places += [Path(root, "python3", "dist-packages") for root in ("/usr/lib", "/usr/lib64")]
    return sorted({os.path.realpath(place) for place in places if place.is_dir()})


def _inside(path: str, base: str) -> str:
    """The path inside of a folder that is shown as part of Python or the system's libraries; empty if it is not."""
    libraries = os.path.join(base, "lib")
    if base != "/usr" and path.startswith(libraries + "/"):
        return f"{_PYTHON_INSIDE}/lib{path.removeprefix(libraries)}"
    return path if path.startswith(tuple(f"{root}/" for root in _SYSTEM_LIBRARIES)) else ""
