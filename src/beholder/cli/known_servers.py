"""The servers that a person has named themselves, each with the variable of the key that it is sent, and the way there.

A folder of runs may be somebody else's (`./runs` of a cloned project). Its run.json must not choose which key goes
where, so a resume sends a key only to a server that this person named with it before: in a command, in a config file of
theirs, or in the environment. The list lies in their home, as that of their own files does.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from beholder.benchmarks import own
from beholder.errors import UsageError
from beholder.models.address import scrub_url
from beholder.models.endpoint import Endpoint
from beholder.models.served import SERVED

THIS_MACHINE = ("localhost", "127.0.0.1", "::1")


def list_file() -> Path:
    """The list: server → the ways in which it was named."""
    return own.list_file().with_name("known-servers.json")


class Way(msgspec.Struct, frozen=True):
    """Where a key goes: the server, the variable that holds the key, and the proxy and authorities on the way there."""

    base_url: str
    key_variable: str
    proxy: str | None = None
    ca_file: str | None = None

    @property
    def _told(self) -> str:
        """Everything but the server, as it stands in the list; a password of the proxy does not."""
        return " ".join([self.key_variable, scrub_url(self.proxy or ""), self.ca_file or ""]).rstrip()

    @property
    def _needs_no_naming(self) -> bool:
        """Whether nothing leaves this machine, or it is a provider's own address and the key that is meant for it."""
        if self.proxy or self.ca_file:
            return False
        if urlsplit(self.base_url).hostname in THIS_MACHINE:
            return True
        return any(
            service.base_url
            and _server(service.base_url) == _server(self.base_url)
            and self.key_variable in (service.key_variable, service.second_key_variable)
            for service in SERVED.values()
        )

    def remember(self) -> None:
        """Notes that the person named all this. Where it cannot be written, they have to name it again."""
        known = _read()
        if self._needs_no_naming or self._told in known.get(_server(self.base_url), []):
            return
        known.setdefault(_server(self.base_url), []).append(self._told)
        with contextlib.suppress(OSError, RuntimeError):  # RuntimeError: there is no home
            own.keep_at_home(list_file(), known)

    def check(self, mend: str) -> None:
        """`UsageError` if a key would go a way that the person never named. `mend` is how they do."""
        if not os.environ.get(self.key_variable, "").strip() or self._needs_no_naming:
            return
        if self._told not in _read().get(_server(self.base_url), []):
            through = f" through {scrub_url(self.proxy)}" if self.proxy else ""
            through += " with authorities of its own" if self.ca_file else ""
            raise UsageError(
                f"run.json would send the key in {self.key_variable[:60]!r} to {scrub_url(self.base_url)}{through}, "
                f"and you have not named that here before. If it is right, {mend}."
            )


def way_of(endpoint: Endpoint) -> Way:
    """The way to an endpoint."""
    ca_file = str(endpoint.ca_file) if endpoint.ca_file else None
    return Way(endpoint.base_url, endpoint.key_variable, endpoint.proxy, ca_file)


def _server(base_url: str) -> str:
    """Scheme, host and port: a key that goes to one path of a server is known to all of it."""
    address = urlsplit(base_url)
    return f"{address.scheme}://{address.netloc.rpartition('@')[2].lower()}"


def _read() -> dict[str, list[str]]:
    """What the list holds; nothing if there is none, or it is damaged: then servers have to be named again."""
    try:
        return msgspec.json.decode(list_file().read_bytes(), type=dict[str, list[str]])
    except (OSError, RuntimeError, msgspec.DecodeError, UnicodeDecodeError):
        return {}
