"""Figures as people read them: a percentage, its interval, its denominator."""

from __future__ import annotations

from beholder.score import Metric


def percent(value: float | None) -> str:
    """A share as a percentage with one decimal, or a dash.

    >>> percent(0.7123), percent(None)
    ('71.2 %', '–')
    """
    return "–" if value is None else f"{100 * value:.1f} %"


def value_of(metric: Metric) -> str:
    """The value in its unit."""
    if metric.value is None:
        return "–"
    return percent(metric.value) if metric.unit == "share" else f"{metric.value:.3g} {metric.unit}"


def interval_of(metric: Metric) -> str:
    """The 95 % interval, or an empty text.

    >>> interval_of(Metric(value=0.5, n=10, low=0.25, high=0.75))
    '[25.0, 75.0]'
    """
    if metric.low is None or metric.high is None:
        return ""
    scale = 100 if metric.unit == "share" else 1
    return f"[{scale * metric.low:.1f}, {scale * metric.high:.1f}]"


def denominator_of(metric: Metric) -> str:
    """What the value is a mean over, and what is missing from it.

    >>> denominator_of(Metric(value=0.5, n=10, failed=2, worst=0.4, best=0.6))
    'n=10, 2 failed (40.0 to 60.0 % if those were wrong or right)'
    """
    text = f"n={count(metric.n)}"
    if metric.failed:
        bounds = bounds_of(metric)
        text += f", {count(metric.failed)} failed" + (f" ({bounds} if those were wrong or right)" if bounds else "")
    return text


def bounds_of(metric: Metric) -> str:
    """The value if all the failed ones were wrong and if they were all right; empty if none failed.

    >>> bounds_of(Metric(value=0.5, n=10, failed=2, worst=0.4, best=0.6))
    '40.0 to 60.0 %'
    """
    if not metric.failed or metric.worst is None or metric.best is None:
        return ""
    return f"{100 * metric.worst:.1f} to {100 * metric.best:.1f} %"


def duration(seconds: float) -> str:
    """A time span in the largest fitting units.

    >>> duration(4.2), duration(75), duration(7322)
    ('4 s', '1 min 15 s', '2 h 02 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def dollars(amount: float) -> str:
    """An amount in US dollars, to the cent from ten cents on.

    >>> dollars(0), dollars(0.00123), dollars(12.345)
    ('$0', '$0.0012', '$12.35')
    """
    if amount >= 0.1:
        return f"${amount:,.2f}"
    return f"${amount:.2g}" if amount else "$0"


def size_in_words(n_bytes: int) -> str:
    """A size in the fitting unit.

    >>> size_in_words(12_345), size_in_words(219_000_000)
    ('12 kB', '219.0 MB')
    """
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1_000_000 else f"{max(1, round(n_bytes / 1e3))} kB"


def count(number: int) -> str:
    """A count with thousands marks.

    >>> count(1234567)
    '1,234,567'
    """
    return f"{number:,}"


def counted(number: int, noun: str) -> str:
    """A count with its noun.

    >>> counted(1, "record"), counted(1200, "record")
    ('1 record', '1,200 records')
    """
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"
