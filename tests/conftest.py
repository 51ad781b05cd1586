"""What every test may rely on: no key, address or proxy of the person who runs the tests leaks into them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import made_runs

with contextlib.suppress(ModuleNotFoundError):  # the environment of local models does without
    from hypothesis import HealthCheck, settings

    # How quickly examples are made says how busy the machine is, and nothing about the code.
    settings.register_profile("beholder", suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("beholder")

_FROM_OUTSIDE = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "BEHOLDER_RUNS")
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True, scope="session")
def _clean_environment() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in (*_FROM_OUTSIDE, *_PROXIES, *map(str.upper, _PROXIES)):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture
def tfq(tmp_path: Path) -> Path:
    """A TFQ-Bench file of eight statements about two pictures."""
    return made_runs.tfq_data(tmp_path / "data", 8, images=2)
