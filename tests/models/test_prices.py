"""What a request costs: by the public list where the address is the provider's, as written by the user, or unknown."""

from __future__ import annotations

import msgspec
import pytest

from beholder.errors import Owner, UsageError
from beholder.models.endpoint import Endpoint
from beholder.models.prices import listed_price, named_price, priced
from beholder.sample import Failure, Response, Usage

NAMED: list[tuple[str, Usage, float | None]] = [
    ("1,10", Usage(prompt_tokens=1_000_000, completion_tokens=100_000), 2.0),
    ("1,10", Usage(prompt_tokens=1_000_000, completion_tokens=100_000, cache_read_tokens=900_000), 2.0),
    ("1,10,0.1", Usage(prompt_tokens=1_000_000, completion_tokens=0, cache_read_tokens=900_000), 0.19),
    ("1,10,0.1", Usage(prompt_tokens=10, completion_tokens=0, cache_read_tokens=1_000_000), 1e-6),
    ("0,0", Usage(prompt_tokens=5, completion_tokens=5), 0.0),
    ("1,10", Usage(prompt_tokens=5), None),
    ("1,10", Usage(), None),
]


@pytest.mark.parametrize(("written", "usage", "cost"), NAMED)
def test_a_price_that_the_user_names(written: str, usage: Usage, cost: float | None) -> None:
    assert named_price(written).of(usage) == (None if cost is None else pytest.approx(cost))


@pytest.mark.parametrize("written", ["", "1", "1,2,3,4", "a,b", "-1,2", "1,nan", "inf,1", "1;2"])
def test_what_is_no_price_is_refused(written: str) -> None:
    with pytest.raises(UsageError, match="is not a price"):
        named_price(written)


LISTED: list[tuple[str, str, bool]] = [
    ("gpt-4o", "https://api.openai.com/v1", True),
    ("gpt-4o", "https://me.openai.azure.com/openai/v1?api-version=1", True),
    ("claude-3-5-sonnet-20241022", "https://api.anthropic.com", True),
    ("gemini-2.5-flash", "https://generativelanguage.googleapis.com", True),
    ("gpt-4o", "http://localhost:8000/v1", False),
    ("gpt-4o", "http://10.0.0.3:8000/v1", False),
    ("no-such-model", "https://api.openai.com/v1", False),
]


@pytest.mark.parametrize(("model", "address", "known"), LISTED)
def test_the_list_knows_a_model_where_its_provider_serves_it(model: str, address: str, known: bool) -> None:
    price = listed_price(model, Endpoint(base_url=address))
    assert (price is not None) is known
    if price is not None:
        small, large = (price.of(Usage(prompt_tokens=n, completion_tokens=n)) for n in (1000, 2000))
        assert small is not None
        assert large == pytest.approx(2 * small)
        assert small > 0
        assert "genai-prices" in price.told


def test_what_came_from_the_providers_cache_is_cheaper() -> None:
    price = listed_price("gpt-4o", Endpoint(base_url="https://api.openai.com/v1"))
    assert price is not None
    plain = price.of(Usage(prompt_tokens=1000, completion_tokens=10))
    cached = price.of(Usage(prompt_tokens=1000, completion_tokens=10, cache_read_tokens=800))
    assert plain is not None
    assert cached is not None
    assert cached < plain


def test_more_from_the_cache_than_went_in_breaks_nothing() -> None:
    price = listed_price("claude-3-5-sonnet-20241022", Endpoint(base_url="https://api.anthropic.com"))
    assert price is not None
    usage = Usage(prompt_tokens=10, completion_tokens=5, cache_read_tokens=8, cache_write_tokens=20)
    assert price.of(usage) == price.of(msgspec.structs.replace(usage, cache_write_tokens=2))


def test_a_response_gets_its_cost_once_and_only_where_it_is_known() -> None:
    price = named_price("1,10")
    counted = Response(text="T", usage=Usage(prompt_tokens=100, completion_tokens=10))
    assert priced(counted, price).usage.cost == pytest.approx(0.0002)
    assert priced(counted, None) is counted
    assert priced(Response(text="T"), price).usage.cost is None
    failed = Response(failure=Failure(owner=Owner.PROVIDER, kind="x", message="y"))
    assert priced(failed, price) is failed
