"""From options to an endpoint, and from an endpoint to what run.json may hold of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec

from beholder.cli.cost_options import StoredBudget
from beholder.cli.known_servers import THIS_MACHINE, Way
from beholder.engine.pace import AUTO
from beholder.errors import UsageError
from beholder.images.wire import OPENAI_COMPATIBLE, POLICIES
from beholder.models.address import scrub, scrub_url, split_url, usable_proxy
from beholder.models.credentials import brings_credentials
from beholder.models.endpoint import Endpoint
from beholder.models.local import LocalOptions
from beholder.models.served import key_variables, service_of

_Count = Annotated[int, msgspec.Meta(ge=1, le=4096)]
_Seconds = Annotated[float, msgspec.Meta(gt=0)]


class StoredEndpoint(msgspec.Struct, frozen=True, kw_only=True):
    """What run.json holds of an endpoint, with the defaults of `beholder run` for what it does not hold.

    `base_url` is the one the run began with, which its plan names; `base_urls` all that were asked, in turn.
    """

    base_url: str = ""
    base_urls: tuple[str, ...] = ()
    key_variable: str = "OPENAI_API_KEY"
    header_names: tuple[str, ...] = ()
    extra_body: dict[str, Any] = {}
    proxy: str | None = None
    ca_file: str | None = None
    max_connections: _Count = 64
    timeout: _Seconds = 600.0
    connect_timeout: _Seconds = 10.0
    max_tokens_field: str = "max_tokens"
    image_policy: str = OPENAI_COMPATIBLE.name
    pictures_in_tool_messages: bool = False
    stream: bool = False

    @property
    def last_url(self) -> str:
        """The base URL that was asked last."""
        return self.base_urls[-1] if self.base_urls else self.base_url


class StoredJudge(msgspec.Struct, frozen=True, kw_only=True):
    """What run.json holds of a judge: of the model that reads answers, or of another one."""

    purpose: str = "extraction"
    model: str
    template: str
    endpoint: StoredEndpoint | None = None


class StoredSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What run.json holds besides the plan, with the defaults of `beholder run` for what it does not hold."""

    model: str
    max_retries: Annotated[int, msgspec.Meta(ge=0, le=100)] = 7
    max_connections: _Count | Literal["auto"] = 64
    cache: bool = True
    endpoint: StoredEndpoint | None = None
    local: LocalOptions = LocalOptions()
    extractor: StoredJudge | None = None
    judges: tuple[StoredJudge, ...] = ()
    budget: StoredBudget = StoredBudget()

    @property
    def connections(self) -> int:
        """Requests in flight at once, or AUTO."""
        return AUTO if self.max_connections == "auto" else self.max_connections

    @property
    def all_judges(self) -> tuple[StoredJudge, ...]:
        """The extractor, if there is one, and the other judges."""
        return ((self.extractor,) if self.extractor is not None else ()) + self.judges

    @property
    def needs_endpoint(self) -> bool:
        """Whether the run's model is behind an endpoint."""
        return service_of(self.model) is not None


def stored_settings(settings: dict[str, Any], run: Path) -> StoredSettings:
    """The settings of a run; `UsageError` if they are not what a Beholder writes."""
    try:
        return msgspec.convert(settings, StoredSettings)
    except msgspec.ValidationError as error:
        raise UsageError(
            f"{run / 'run.json'} holds settings that cannot be read ({error}). Start a new run, or mend the file."
        ) from None


def make_endpoint(
    *,
    base_url: str,
    key_variable: str,
    headers: list[str],
    extra_body: str | None,
    proxy: str | None,
    ca_file: Path | None,
    max_connections: int,
    timeout: float,
    connect_timeout: float,
    max_tokens_field: str,
    image_policy: str = OPENAI_COMPATIBLE.name,
    pictures_in_tool_messages: bool = False,
    stream: bool = False,
) -> Endpoint:
    """The endpoint that the options describe. `UsageError` names the option that cannot be read."""
    if ca_file is not None and not ca_file.is_file():
        raise UsageError(f"--ca-file {ca_file} does not exist.")
    if image_policy not in POLICIES:
        raise UsageError(f"--image-policy {image_policy!r} is not known. Choose {', '.join(POLICIES)}.")
    return Endpoint(
        base_url=base_url,
        key_variable=key_variable,
        headers=dict(map(_header, headers)),
        extra_body=_json_object(extra_body) if extra_body else {},
        proxy=usable_proxy(proxy),
        ca_file=ca_file,
        max_connections=max_connections,
        first_byte=timeout,
        total=timeout * 2,
        connect=connect_timeout,
        max_tokens_field=max_tokens_field,
        policy=POLICIES[image_policy],
        pictures_in_tool_messages=pictures_in_tool_messages,
        stream=stream,
    )


def settings_of(endpoint: Endpoint) -> dict[str, Any]:
    """What run.json keeps so that a resume can reach the same endpoint: everything but secrets."""
    return {
        "base_url": scrub_url(endpoint.base_url),
        "key_variable": endpoint.key_variable,
        "header_names": sorted(endpoint.headers),
        "extra_body": scrub(endpoint.extra_body),
        "proxy": scrub_url(usable_proxy(endpoint.proxy) or "") or None,
        "ca_file": str(endpoint.ca_file) if endpoint.ca_file else None,
        "max_connections": endpoint.max_connections,
        "timeout": endpoint.first_byte,
        "connect_timeout": endpoint.connect,
        "max_tokens_field": endpoint.max_tokens_field,
        "image_policy": endpoint.policy.name,
        "pictures_in_tool_messages": endpoint.pictures_in_tool_messages,
        "stream": endpoint.stream,
    }


def endpoint_again(
    stored: StoredEndpoint,
    *,
    base_url: str | None,
    key_variable: str | None,
    headers: list[str],
    extra_body: str | None,
    proxy: str | None,
    ca_file: Path | None,
    max_connections: int | None,
    mend: str = "",
) -> Endpoint:
    """The endpoint of a run to be resumed. What was scrubbed from run.json has to be given again; it is named.

    A server is sent a key only if the person named the two together, now or before; `mend` is how that is done where
    the options of a resume cannot.
    """
    url = base_url or stored.last_url
    if not url:
        raise UsageError("run.json names no endpoint. Give --base-url, such as http://localhost:8000/v1.")
    for option, value, given in (("--base-url", url, base_url), ("--proxy", stored.proxy or "", proxy)):
        if given is None and "***" in value:
            raise UsageError(f"The run's {option} held credentials, which are not kept. Give {option} again.")
    missing = [name for name in stored.header_names if name not in dict(map(_header, headers))]
    if missing:
        raise UsageError(
            f"The run sent the header {missing[0]}, whose value is not kept. Give --header '{missing[0]}: …' again."
        )
    way = Way(url, key_variable or stored.key_variable, proxy or stored.proxy, str(ca_file or stored.ca_file or ""))
    named = {
        "--base-url": base_url,
        "--api-key-env": key_variable or way.key_variable in key_variables(),
        "--proxy": proxy or not stored.proxy,
        "--ca-file": ca_file or not stored.ca_file,
    }
    lacking = [option for option, given in named.items() if not given]
    if lacking:
        way.check(mend or f"give {' and '.join(lacking)}")
    else:
        way.remember()
    body = stored.extra_body
    if extra_body is None and "***" in str(body):
        raise UsageError("The run's --extra-body held a secret, which is not kept. Give --extra-body again.")
    return make_endpoint(
        base_url=url,
        key_variable=way.key_variable,
        headers=headers,
        extra_body=extra_body if extra_body is not None else msgspec.json.encode(body).decode() if body else None,
        proxy=proxy or stored.proxy,
        ca_file=ca_file or (Path(stored.ca_file) if stored.ca_file else None),
        max_connections=max_connections or stored.max_connections,
        timeout=stored.timeout,
        connect_timeout=stored.connect_timeout,
        max_tokens_field=stored.max_tokens_field,
        image_policy=stored.image_policy,
        pictures_in_tool_messages=stored.pictures_in_tool_messages,
        stream=stored.stream,
    )


def of_a_foreign_run(
    stored: StoredEndpoint, folder: Path, runs_dir: Path, base_url: str | None, key_variable: str | None
) -> StoredEndpoint:
    """What is taken over from a run that does not lie under `runs_dir`: nothing that says where a key goes.

    The run.json of somebody else's folder must not choose which key is sent, where, or through what. `UsageError` if
    the person at the keyboard did not choose. Where no key would leave this machine there is nothing to choose.
    """
    key_is_set = bool(os.environ.get(key_variable or stored.key_variable, "").strip())
    if base_url is None and (not key_is_set or urlsplit(stored.last_url).hostname in THIS_MACHINE):
        return msgspec.structs.replace(stored, proxy=None, ca_file=None)
    yours = f"If the run is yours, say so with --runs-dir {folder.resolve().parent}; if not, give"
    if base_url is None:
        told = scrub_url(stored.last_url)
        raise UsageError(
            f"{folder} lies outside --runs-dir {runs_dir}, and its run.json would send your key to {told}. "
            f"{yours} --base-url."
        )
    if key_variable is None and stored.key_variable not in key_variables():
        raise UsageError(
            f"{folder} lies outside --runs-dir {runs_dir}, and its run.json would send the key in "
            f"{stored.key_variable!r}. {yours} --api-key-env."
        )
    return msgspec.structs.replace(stored, proxy=None, ca_file=None)


def asking(endpoint: Endpoint) -> str:
    """Whom a resume asks, with which key and through what, in one line without secrets."""
    variable = endpoint.key_variable
    key = f"the key in {variable}" if os.environ.get(variable, "").strip() else f"no key ({variable} is not set)"
    if "@" in endpoint.base_url.partition("?")[0] or brings_credentials(endpoint.headers):
        key = "the credentials given"
    way = f", through the proxy {scrub_url(endpoint.proxy)}" if endpoint.proxy else ""
    return f"Asking {scrub_url(endpoint.base_url)} with {key}{way}"


def for_each(option: str, given: Sequence[str], number: int, whom: str) -> list[str | None]:
    """What a repeatable option says of each of so many models: given once it is about all, else about each in turn."""
    if len(given) not in (0, 1, number):
        raise UsageError(f"{option} is given {len(given)} times for {number} {whom}. Give it once, or for each.")
    return [*given] if len(given) == number else [given[0] if given else None] * number


def check_keys(option: str, given: Sequence[str], urls: Sequence[str | None]) -> None:
    """Refuses one named key for several servers: each would get that of another one. `option` is the key's."""
    servers = n_servers(urls)
    if len(given) == 1 and servers > 1:
        raise UsageError(
            f"{option} {given[0]} is given once for {servers} servers; a key goes to one. Give {option} for each."
        )


def n_servers(urls: Sequence[str | None]) -> int:
    """How many servers the URLs name; those that are not given name one."""
    return len({split_url(url).netloc.rpartition("@")[2].lower() if url else "" for url in urls})


def check_one_server(models: Sequence[str], base_url: str | None, key_variable: str | None) -> None:
    """Refuses one address, or one named key, for models of several services: one would get what is another's."""
    kinds = sorted({name.partition("/")[0] for name in models if service_of(name) is not None})
    if len(kinds) > 1:
        for option, given in (("--base-url", base_url), ("--api-key-env", key_variable)):
            if given:
                raise UsageError(f"{option} goes to one service, not to {' and '.join(kinds)}. Run them one by one.")


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip() or any(char in text for char in "\r\n\0"):
        raise UsageError(f"--header {name!r} is not a header. Write --header 'Name: value'.")
    return name.strip(), value.strip()


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise UsageError(f"--extra-body is not JSON ({error}). Write --extra-body '{{\"top_k\": 1}}'.") from None
    if not isinstance(value, dict):
        raise UsageError("--extra-body must be a JSON object, such as '{\"top_k\": 1}'.")
    return value
