"""Small tables as Markdown and LaTeX: whatever a name holds, it stays a name."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from beholder.report.plain_text import plain

LONGEST_CELL = 120
LONGEST_WORDS = 4_000
WIDE = 70
"""Signs of a line, two of them between columns, that a column of text 345 pt wide has no room for."""
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>#|~^$&@]|:(?=//)|(?<=www)\.", re.IGNORECASE)
_LATEX = {
    "\0": "{}",
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",  # OT1, LaTeX's own encoding, has no straight one
    "`": r"\textasciigrave{}",
    "−": "$-$",
    "–": "--",
    "≤": r"$\le$",
    "…": r"\ldots{}",
}
"""What LaTeX would not print as it is, and signs of our own."""
_JOINS = re.compile(r"([-',])(?=\1)")
"""What LaTeX makes one sign of with its like (`--`)."""
_NEEDS = "% Needs \\usepackage{booktabs}"
_NEEDS_TO_SHRINK = "% Needs \\usepackage{booktabs, graphicx}"
_NOT_ASCII = "% Holds more than ASCII: compile it with LuaLaTeX or XeLaTeX, and a font that has it."


class Cell(msgspec.Struct, frozen=True):
    """What stands in a table: a text, with a mark after it that a caption explains ("*"), perhaps bold."""

    text: str
    mark: str = ""
    strong: bool = False


class PaperTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table for a paper. The first `texts` columns are text, the others figures. `name` is for its label: letters,
    digits and hyphens; `notes` are sentences under it."""

    name: str
    title: str
    heading: list[str]
    rows: list[list[Cell]]
    caption: str
    texts: int = 1
    notes: Sequence[str] = ()


def markdown(tables: Sequence[PaperTable]) -> str:
    """The tables one after the other, each under its title."""
    return "\n".join(_markdown_table(table) for table in tables)


def latex(tables: Sequence[PaperTable]) -> str:
    """The tables one after the other, with booktabs' rules; those that are `WIDE` shrunk to the width of the text."""
    body = "\n".join(_latex_table(table) for table in tables)
    needs = _NEEDS_TO_SHRINK if any(map(_is_wide, tables)) else _NEEDS
    return "\n".join([needs, *([] if body.isascii() else [_NOT_ASCII]), body])


def in_markdown(text: str, limit: int = LONGEST_CELL) -> str:
    """A text that Markdown shows as it is, in a cell of a table too.

    >>> in_markdown("a|b_c <i> https://x")
    'a\\\\|b\\\\_c \\\\<i\\\\> https\\\\://x'
    """
    return _MARKDOWN.sub(lambda found: f"\\{found[0]}", plain(text, one_line=True, limit=limit))


def in_latex(text: str, limit: int = LONGEST_CELL) -> str:
    """A text that LaTeX prints as it is.

    >>> in_latex("50%_of {x} & #1 \\\\end")
    '50\\\\%\\\\_of \\\\{x\\\\} \\\\& \\\\#1 \\\\textbackslash{}end'
    """
    shown = _JOINS.sub(r"\1\0", plain(text, one_line=True, limit=limit))
    return "".join(_LATEX.get(char, char) for char in shown)


def _markdown_table(table: PaperTable) -> str:
    lines = [
        f"### {in_markdown(table.title)}",
        "",
        _markdown_row([in_markdown(name) for name in table.heading]),
        _markdown_row(["---" if place < table.texts else "---:" for place in range(len(table.heading))]),
        *(_markdown_row([_markdown_cell(cell) for cell in row]) for row in table.rows),
        "",
        in_markdown(table.caption, LONGEST_WORDS),
    ]
    notes = [f"{number}. {in_markdown(note, LONGEST_WORDS)}" for number, note in enumerate(table.notes, 1)]
    return "\n".join([*lines, *(["", *notes] if notes else []), ""])


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(cell: Cell) -> str:
    text = in_markdown(cell.text)
    text = f"**{text}**" if cell.strong and text else text
    return f"{text} {in_markdown(cell.mark)}" if cell.mark else text


def _latex_table(table: PaperTable) -> str:
    columns = "l" * table.texts + "r" * (len(table.heading) - table.texts)
    before, after = (r"\resizebox{\linewidth}{!}{", "}") if _is_wide(table) else ("", "")
    lines = [
        r"\begin{table}[t]",
        r"\centering",
        rf"\caption{{{in_latex(table.caption, LONGEST_WORDS)}}}",
        rf"\label{{tab:{table.name}}}",
        rf"{before}\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _latex_row([in_latex(name) for name in table.heading]),
        r"\midrule",
        *(_latex_row([_latex_cell(cell) for cell in row]) for row in table.rows),
        r"\bottomrule",
        rf"\end{{tabular}}{after}",
    ]
    if table.notes:
        notes = [rf"{number}. {in_latex(note, LONGEST_WORDS)}" for number, note in enumerate(table.notes, 1)]
        lines += ["", r"\smallskip", r"\begin{minipage}{\linewidth}\footnotesize", "\\\\\n".join(notes)]
        lines += [r"\end{minipage}"]
    return "\n".join([*lines, r"\end{table}", ""])


def _is_wide(table: PaperTable) -> bool:
    texts = [table.heading, *([cell.text + cell.mark for cell in row] for row in table.rows)]
    return sum(2 + max(map(len, column)) for column in zip(*texts, strict=True)) > WIDE


def _latex_row(cells: Sequence[str]) -> str:
    # After the line break that ends a row these would be read as its options.
    guarded = [f"{{{cell[0]}}}{cell[1:]}" if cell[:1] in ("[", "*") else cell for cell in cells]
    return f"{' & '.join(guarded)} \\\\"


def _latex_cell(cell: Cell) -> str:
    text = in_latex(cell.text)
    text = rf"\textbf{{{text}}}" if cell.strong and text else text
    return rf"{text}\textsuperscript{{{in_latex(cell.mark)}}}" if cell.mark else text
