"""docker and podman: the command that is written. No engine runs here; a stand-in takes the engine's place once."""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path

import pytest
from talk import talk

from beholder.errors import UsageError
from beholder.sandbox import engines
from beholder.sandbox.backends import backend
from beholder.sandbox.engines import Engine
from beholder.sandbox.launch import START
from beholder.sandbox.limits import SandboxLimits

STAND_IN = """\
#!/bin/sh
# Runs what comes after the image, here and now, as the engine would in a container.
[ "$1" = rm ] && { echo "$3" > "$(dirname "$0")/removed"; exit 0; }
while [ "$1" != --entrypoint ]; do shift; done
shift 3
exec PYTHON "$@"
"""


@pytest.fixture
def engine_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a `docker` and a `podman` in it, first in the search path."""
    for name in engines.ENGINES:
        program = tmp_path / name
        program.write_text(STAND_IN.replace("PYTHON", sys.executable))
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


@pytest.mark.parametrize("name", engines.ENGINES)
def test_the_command(name: str, engine_here: Path) -> None:
    limits = SandboxLimits(memory=123_000_000, processes=17, cores=0.5, tmp_bytes=1_000_000)
    launch = Engine(name, "registry:5000/me/science:1.2").launch(3, limits, info=99)
    command = list(launch.command)
    assert command[:3] == [str(engine_here / name), "run", "--rm"]
    options = dict(itertools.pairwise(command))
    expected = {
        "--network": "none",
        "--user": "65534:65534",
        "--cap-drop": "ALL",
        "--security-opt": "no-new-privileges",
        "--memory": "123000000",
        "--memory-swap": "123000000",
        "--pids-limit": "17",
        "--cpus": "0.5",
        "--ipc": "none",
        "--pull": "never",
        "--tmpfs": "/tmp:rw,noexec,nosuid,nodev,mode=1777,size=1000000",
        "--entrypoint": "python3",
    }
    assert {option: options[option] for option in expected} == expected
    assert "--read-only" in command
    assert "--interactive" in command
    assert not {"--volume", "-v", "--mount", "--privileged"} & set(command)
    assert command[-4:] == ["registry:5000/me/science:1.2", "-I", "-c", START]
    assert launch.stop == (str(engine_here / name), "rm", "--force", options["--name"])
    assert launch.setup["seccomp"]
    assert "RLIMIT_NPROC" not in launch.setup["rlimits"]  # --pids-limit bounds each container by itself
    assert options.get("--image-volume") == ("ignore" if name == "podman" else None)


def test_the_key_of_a_provider_does_not_reach_the_engine(engine_here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "s3cret")
    launch = Engine("docker", "image").launch(0, SandboxLimits(), info=9)
    assert "OPENAI_API_KEY" not in launch.environment
    assert "s3cret" not in str(launch)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("docker", "needs the name of an image"),
        ("docker:", "needs the name of an image"),
        ("docker:--privileged", "needs the name of an image"),
        ("docker:a b", "needs the name of an image"),
        ("podman:-v/:/host", "needs the name of an image"),
    ],
)
def test_what_is_no_image_is_refused(written: str, said: str, engine_here: Path) -> None:
    with pytest.raises(UsageError, match=said):
        backend(written)


def test_an_engine_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match=r"there is no podman here. Mend: install podman and name an image"):
        backend("podman:image")


def test_an_engine_without_its_service(engine_here: Path) -> None:
    (engine_here / "docker").write_text("#!/bin/sh\necho Cannot connect to the Docker daemon >&2\nexit 125\n")
    with pytest.raises(UsageError, match=r"Cannot connect to the Docker daemon\). Mend: start the Docker service"):
        talk("1", sandbox=backend("docker:image"))


def test_the_worker_goes_in_by_the_engines_standard_input(engine_here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_TMP", str(engine_here))  # the stand-in has no /tmp of its own
    answers = talk("print('in')\n6 * 7", sandbox=backend("docker:image"))
    assert [answer.text for answer in answers] == ["in\n42\n"]
    assert (engine_here / "removed").read_text().startswith("beholder-")
