"""The kinds of model that are served somewhere: whose key is sent, and where they are where nobody says."""

from __future__ import annotations

import os

import msgspec


class Service(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of served model.

    `key_variable` is the environment variable of its key, `url_variable` that of its address, as the provider's own
    tools read them; `base_url` is the provider's own address, "" where there is none. `policy` names the limits that
    its pictures must keep (`images.wire.POLICIES`). `second_key_variable` is read where the first one is not set.
    """

    key_variable: str
    url_variable: str
    base_url: str = ""
    policy: str = "openai-compatible"
    second_key_variable: str = ""

    @property
    def key_at_hand(self) -> str:
        """The environment variable whose key is sent where nobody names one."""
        second = self.second_key_variable
        return second if os.environ.get(second) and not os.environ.get(self.key_variable) else self.key_variable

    def address(self) -> str | None:
        """Where it is asked if no address is given."""
        return os.environ.get(self.url_variable) or self.base_url or None


SERVED: dict[str, Service] = {
    "openai": Service(key_variable="OPENAI_API_KEY", url_variable="OPENAI_BASE_URL"),
    "openai-responses": Service(
        key_variable="OPENAI_API_KEY", url_variable="OPENAI_BASE_URL", base_url="https://api.openai.com/v1"
    ),
    "anthropic": Service(
        key_variable="ANTHROPIC_API_KEY",
        url_variable="ANTHROPIC_BASE_URL",
        base_url="https://api.anthropic.com",
        policy="anthropic",
    ),
    "google": Service(
        key_variable="GEMINI_API_KEY",
        url_variable="GOOGLE_GEMINI_BASE_URL",
        base_url="https://generativelanguage.googleapis.com",
        policy="google",
        second_key_variable="GOOGLE_API_KEY",
    ),
}
"""Kind → how it is reached."""


def key_variables() -> set[str]:
    """The environment variables that a key is sent from where nobody names one."""
    named = {name for one in SERVED.values() for name in (one.key_variable, one.second_key_variable)}
    return named - {""}


CHAT = SERVED["openai"]


def service_of(model: str) -> Service | None:
    """The service of a model by its name (`openai/NAME`); None of one that runs here."""
    return SERVED.get(model.partition("/")[0])
