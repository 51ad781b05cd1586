"""The options about money and tokens: what a run may spend, and what its model costs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

if TYPE_CHECKING:
    from beholder.engine.budget import Limits
    from beholder.engine.judge import Judge
    from beholder.models.endpoint import Endpoint
    from beholder.models.model import Model
    from beholder.models.prices import Price

_PANEL = "What it may cost"

MaxCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        metavar="USD",
        min=0,
        help="Stop when the run has cost so much, judges included; a higher limit goes on, `inf` is none.",
        rich_help_panel=_PANEL,
    ),
]
MaxTokensTotal = Annotated[
    int | None,
    typer.Option(
        "--max-tokens-total",
        metavar="N",
        min=1,
        help="Stop when the run has used so many tokens, in and out together.",
        rich_help_panel=_PANEL,
    ),
]
PriceText = Annotated[
    str | None,
    typer.Option(
        "--price",
        metavar="IN,OUT",
        help="Dollars for a million tokens of --model, where the list of genai-prices lacks it.",
        rich_help_panel=_PANEL,
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Ask about 20 items only, and say what all would take and cost. The answers are kept in the cache.",
        rich_help_panel=_PANEL,
    ),
]


class StoredBudget(msgspec.Struct, frozen=True, kw_only=True):
    """What run.json holds of these options."""

    max_cost: Annotated[float, msgspec.Meta(ge=0)] | None = None
    max_tokens: Annotated[int, msgspec.Meta(ge=1)] | None = None
    price: str | None = None

    def limits(self) -> Limits:
        """What the run may spend."""
        from beholder.engine.budget import Limits

        return Limits(cost=None if self.max_cost == math.inf else self.max_cost, tokens=self.max_tokens)

    def again(self, max_cost: float | None, max_tokens: int | None) -> StoredBudget:
        """The same, but for what is said now."""
        return msgspec.structs.replace(
            self,
            max_cost=max_cost if max_cost is not None else self.max_cost,
            max_tokens=max_tokens if max_tokens is not None else self.max_tokens,
        )

    def kept(self) -> dict[str, object]:
        """What is added to run.json; nothing where no option was given."""
        return {"budget": msgspec.to_builtins(self)} if self != StoredBudget() else {}


def price_of(name: str, endpoint: Endpoint | None, written: str | None) -> Price | None:
    """What a model costs: as it is written, else by the list; None where neither says."""
    from beholder.models.prices import listed_price, named_price

    if written is not None:
        return named_price(written)
    return listed_price(name.partition("/")[2], endpoint) if endpoint is not None else None


def check_prices(
    budget: StoredBudget, models: Sequence[Model], prices: Mapping[str, Price | None], judges: Sequence[Judge]
) -> None:
    """`UsageError` if a limit in dollars cannot be kept, because a price is not known."""
    from beholder.errors import UsageError
    from beholder.models.prices import lacks_list
    from beholder.models.served import service_of

    if budget.limits().cost is None:
        return
    unknown = [one.name for one in models if service_of(one.name) is not None and prices.get(one.name) is None]
    if unknown:
        list_it = ", or install the list: pip install 'beholder[prices]'" if lacks_list() else ""
        raise UsageError(
            f"--max-cost cannot be kept: the price of {unknown[0]} is not known. Give --price IN,OUT (dollars for a "
            f"million tokens){list_it}, or use --max-tokens-total."
        )
    for judge in judges:
        if service_of(judge.name) is not None and judge.price is None:
            raise UsageError(
                f"--max-cost cannot be kept: the price of the {judge.told} is not known. Use --max-tokens-total."
            )
