"""What a run has cost, in words."""

from __future__ import annotations

from beholder.report.figures import count, dollars
from beholder.store.spending import Spending


def cost_in_words(spent: Spending) -> list[str]:
    """Nothing where no cost is known; else what it came to, what of it judges cost, and what is not in it.

    >>> from beholder.store.spending import Spent
    >>> cost_in_words(Spending(Spent(1000, 100, 0.25), Spent(10, 1, None, unpriced=1)))
    ['cost $0.25 (1 request without a price is not in it)']
    """
    total = spent.total
    if total.cost is None:
        return []
    more = []
    if spent.judges.cost:
        more.append(f"{dollars(spent.judges.cost)} of it judges")
    if total.unpriced:
        are = "request without a price is" if total.unpriced == 1 else "requests without a price are"
        more.append(f"{count(total.unpriced)} {are} not in it")
    return [f"cost {dollars(total.cost)}" + (f" ({'; '.join(more)})" if more else "")]
