"""What an experiment found, as HTML: the very tables and sentences that are printed on a terminal, and its figure.

Each kind of experiment has one function that prints its outcome. Here it prints on a console that keeps what it is
given: a table becomes a table, a line in bold a heading, and every text is only text.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from beholder.report.changed_items import Change
from beholder.report.html_runs import text

_QUOTED = re.compile(r"`([^`]{1,200})`")
"""A command or an option, as it is quoted on a terminal."""
_WIDTH = 400
"""Columns of the terminal that printers are made to believe in: nothing has to be squeezed."""
_CLASSES = {"dim": "note", "yellow": "note", "red": "warn"}


class ExperimentPart(NamedTuple):
    """What the page of an experiment has besides that of its arms: `found` is HTML that stands above all else.

    The comparison of each arm with the first is left out of the page then, as it is told above; `tells_turns` says that
    the scores against turns are too. `changes` are the items that were gained and lost.
    """

    found: str
    changes: Sequence[Change] = ()
    tells_turns: bool = False


def experiment_section(
    print_outcome: Callable[[Console], None],
    figure: str = "",
    hidden: Sequence[str] = (),
    listed: Sequence[Change] = (),
) -> str:
    """The outcome as `print_outcome` prints it. `figure` is an SVG of ours, "" if there is none.

    `hidden` are the beginnings of paths that a page must not tell: it may go to other people. The lines that name the
    first few items of `listed` are left out: the page lists them all.
    """
    kept = _Keeper(hidden, [f"{change.name} {word} " for change in listed for word in ("gained", "lost")])
    print_outcome(kept)
    drawn = f'<figure class="chart">{figure}</figure>' if figure else ""
    # The figure stands after the first table: that has its numbers.
    first = next((place + 1 for place, part in enumerate(kept.parts) if part.startswith("<div")), len(kept.parts))
    return "".join([*kept.parts[:first], drawn, *kept.parts[first:]])


class _Keeper(Console):
    """A console that keeps what is printed, as HTML."""

    def __init__(self, hidden: Sequence[str], left_out: Sequence[str]) -> None:
        super().__init__(file=io.StringIO(), width=_WIDTH, highlight=False, markup=False, emoji=False)
        self.parts: list[str] = []
        self._hidden = hidden
        self._left_out = tuple(left_out)

    def print(self, *objects: Any, **options: Any) -> None:
        """Keeps tables and texts; an empty line is none."""
        for one in objects:
            if isinstance(one, Table):
                self.parts.append(self._table(one))
            else:
                words = one if isinstance(one, Text) else Text(str(one))
                if words.style == "dim" and words.plain.startswith(self._left_out):
                    continue
                self.parts.append(self._line(words, str(options.get("style") or words.style)))

    def _line(self, words: Text, style: str) -> str:
        shown = self._text(words.plain)
        if style == "bold" and not words.plain.startswith(" "):
            return f"<h2>{shown}</h2>" if not self.parts else f"<h3>{shown}</h3>"
        if style == "bold":
            return f"<p><b>{shown}</b></p>"
        named = _CLASSES.get(style)
        return f'<p class="{named}">{shown}</p>' if named else f"<p>{shown}</p>"

    def _table(self, table: Table) -> str:
        heads = "".join(self._cell("th", column.header, column.justify) for column in table.columns)
        columns = [list(column.cells) for column in table.columns]
        rows = []
        for cells in zip(*columns, strict=True):
            shown = [self._cell("td", cell, table.columns[place].justify) for place, cell in enumerate(cells)]
            shown[0] = f'<th scope="row">{self._words(cells[0])}</th>'
            rows.append(f"<tr>{''.join(shown)}</tr>")
        return (
            f'<div class="wide" tabindex="0"><table><thead><tr>{heads}</tr></thead>'
            f"<tbody>{''.join(rows)}</tbody></table></div>"
        )

    def _cell(self, tag: str, words: Any, justify: str) -> str:
        scope = ' scope="col"' if tag == "th" else ""
        side = f' class="{"run" if tag == "th" else "text"}"' if justify == "left" else ""
        return f"<{tag}{scope}{side}>{self._words(words)}</{tag}>"

    def _words(self, words: Any) -> str:
        return self._text(words.plain if isinstance(words, Text) else str(words))

    def _text(self, words: str) -> str:
        for path in self._hidden:
            words = words.replace(path, "")
        return _QUOTED.sub(r"<code>\1</code>", text(words))
