"""What requests cost, in US dollars: by the public list of genai-prices, or at prices that the user names.

A cost is worked out when the answer comes and kept with it (`Usage.cost`): what a run has cost does not change when
prices do. Nothing is guessed: a model that the list does not have at that address has no price.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from urllib.parse import urlsplit

import msgspec

from beholder.errors import UsageError
from beholder.models.address import scrub_url
from beholder.models.endpoint import Endpoint
from beholder.sample import Response, Usage

_THIS_MACHINE = ("localhost", "127.0.0.1", "::1", "0.0.0.0")  # noqa: S104 - addresses that are compared, not bound
_MILLION = 1_000_000


class Price(msgspec.Struct, frozen=True):
    """What one model costs: `of` gives dollars for what one request used, None where that cannot be said.

    `told` says in a line where the price is from.
    """

    told: str
    of: Callable[[Usage], float | None]


def priced(response: Response, price: Price | None) -> Response:
    """The response with its cost, where there is a price and the server counted tokens."""
    if price is None or response.failure is not None:
        return response
    cost = price.of(response.usage)
    if cost is None:
        return response
    return msgspec.structs.replace(response, usage=msgspec.structs.replace(response.usage, cost=cost))


def named_price(text: str) -> Price:
    """The price that `IN,OUT` or `IN,OUT,CACHED` names, in dollars for a million tokens. `UsageError` if it is none.

    >>> named_price("2,8,0.5").of(Usage(prompt_tokens=1000, completion_tokens=100, cache_read_tokens=400))
    0.0022
    """
    try:
        rates = [float(part) for part in text.split(",")]
    except ValueError:
        rates = []
    if len(rates) not in (2, 3) or not all(0 <= rate < float("inf") for rate in rates):
        raise UsageError(
            f"--price {text!r} is not a price. Write dollars for a million tokens in and out, such as --price 0.5,1.5 "
            "(and as a third number those of tokens from the provider's cache)."
        )
    into, out, cached = rates[0], rates[1], rates[2] if len(rates) == 3 else rates[0]

    def of(usage: Usage) -> float | None:
        if usage.prompt_tokens is None or usage.completion_tokens is None:
            return None
        read = min(usage.cache_read_tokens or 0, usage.prompt_tokens)
        return ((usage.prompt_tokens - read) * into + read * cached + usage.completion_tokens * out) / _MILLION

    return Price(f"--price {text} (dollars for a million tokens)", of)


def listed_price(model: str, endpoint: Endpoint) -> Price | None:
    """The list's price of a model (without its kind) where it is served; None if the list does not have it there.

    The address decides whose price it is: a model of any name on a server of one's own has none. None also where the
    extra is missing (`lacks_list`).
    """
    if (urlsplit(endpoint.base_url).hostname or "") in _THIS_MACHINE or lacks_list():
        return None
    from genai_prices import Usage as Used
    from genai_prices import __version__, calc_price

    address = scrub_url(endpoint.base_url)  # the list needs the host and the path only

    def of(usage: Usage) -> float | None:
        if usage.prompt_tokens is None or usage.completion_tokens is None:
            return None
        read = min(usage.cache_read_tokens or 0, usage.prompt_tokens)
        used = Used(
            input_tokens=usage.prompt_tokens,
            output_tokens=usage.completion_tokens,
            cache_read_tokens=read,
            cache_write_tokens=min(usage.cache_write_tokens or 0, usage.prompt_tokens - read),
        )
        return float(calc_price(used, model, provider_api_url=address).total_price)

    try:
        found = calc_price(Used(input_tokens=1, output_tokens=1), model, provider_api_url=address)
    except LookupError:
        return None
    return Price(f"genai-prices {__version__}, {found.provider.name} {found.model.name}: {found.model_price}", of)


def lacks_list() -> bool:
    """Whether the list of prices is not installed."""
    return importlib.util.find_spec("genai_prices") is None
