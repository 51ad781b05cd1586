"""Small tables as Markdown and LaTeX: every sign of a name comes out as itself."""

from __future__ import annotations

import doctest
import re

import pytest
from msgspec.structs import replace

from beholder.report import paper_tables, table_formats
from beholder.report.paper_csv import written
from beholder.report.table_formats import Cell, PaperTable, in_latex, in_markdown, latex, markdown

# a text; as LaTeX; as Markdown
NAMES = [
    ("GPT-4o_mini", r"GPT-4o\_mini", r"GPT-4o\_mini"),
    ("50 % & $5 #1", r"50 \% \& \$5 \#1", r"50 % \& \$5 \#1"),
    ("{a}^b~c", r"\{a\}\textasciicircum{}b\textasciitilde{}c", r"\{a\}\^b\~c"),
    (r"\input{x}", r"\textbackslash{}input\{x\}", r"\\input\{x\}"),
    ("a--b '' ,,", "a-{}-b '{}' ,{},", "a--b '' ,,"),
    ("a---b", "a-{}-{}-b", "a---b"),
    ('<b>|"`', r"\textless{}b\textgreater{}\textbar{}''\textasciigrave{}", r'\<b\>\|"\`'),
    ("−1 ≤ –", r"$-$1 $\le$ --", "−1 ≤ –"),
    ("模型 é", "模型 é", "模型 é"),
    ("a\nb\x1b[2Jc\u202ed\0e", "a bcde", "a bcde"),
    ("[x](javascript:alert(1))", "[x](javascript:alert(1))", r"\[x\](javascript:alert(1))"),
    ("https://x www.y a@b", "https://x www.y a@b", r"https\://x www\.y a\@b"),
    ("![i](x)", "![i](x)", r"!\[i\](x)"),
    ("", "", ""),
]


@pytest.mark.parametrize(("text", "tex", "md"), NAMES, ids=range(len(NAMES)))
def test_a_name_stays_a_name(text: str, tex: str, md: str) -> None:
    assert in_latex(text) == tex
    assert in_markdown(text) == md


def test_a_name_is_cut() -> None:
    assert len(in_latex("x" * 5_000)) < 200
    assert in_markdown("x" * 5_000).endswith("…")


TABLE = PaperTable(
    name="a-b",
    title="Title_1",
    heading=["model", "50 %"],
    rows=[[Cell("[a]"), Cell("1.0 [0.5, 1.5]", "*")], [Cell("*b*"), Cell("2.0", "1,2", strong=True)]],
    caption="A caption & more.",
    notes=["first_", "[second]"],
)


def test_a_latex_table_is_whole() -> None:
    text = latex([TABLE, TABLE])
    assert text.count("% Needs") == 1
    for word in ("table", "tabular", "minipage"):
        assert text.count(f"\\begin{{{word}}}") == text.count(f"\\end{{{word}}}") == 2
    assert "\\begin{tabular}{lr}\n\\toprule\nmodel & 50 \\% \\\\\n\\midrule\n" in text
    assert "\n{[}a] & 1.0 [0.5, 1.5]\\textsuperscript{*} \\\\\n" in text
    assert "\n{*}b* & \\textbf{2.0}\\textsuperscript{1,2} \\\\\n" in text
    assert "1. first\\_\\\\\n2. [second]\n" in text
    assert "\\label{tab:a-b}" in text


# signs of the first cell, how many columns more; whether that is shrunk to the page
WIDTHS = [(20, 2, False), (60, 2, True), (20, 16, True)]


@pytest.mark.parametrize(("signs", "more", "wide"), WIDTHS)
def test_a_latex_table_that_no_page_is_wide_enough_for_is_shrunk(signs: int, more: int, wide: bool) -> None:
    rows = [[Cell("x" * signs), *[Cell("50.0")] * more]]
    text = latex([replace(TABLE, heading=["model", *["task"] * more], rows=rows)])
    assert (r"\resizebox{\linewidth}{!}{\begin{tabular}" in text) == wide
    assert ("\\end{tabular}}\n" in text) == wide
    assert ("graphicx" in text) == wide


def test_a_markdown_table_is_whole() -> None:
    assert markdown([TABLE]).splitlines() == [
        "### Title\\_1",
        "",
        "| model | 50 % |",
        "| --- | ---: |",
        "| \\[a\\] | 1.0 \\[0.5, 1.5\\] \\* |",
        "| \\*b\\* | **2.0** 1,2 |",
        "",
        "A caption \\& more.",
        "",
        "1. first\\_",
        "2. \\[second\\]",
    ]


def test_csv_holds_numbers_as_numbers_and_texts_as_texts() -> None:
    rows = [{"a": -0.5, "b": "=1+1"}, {"a": None, "b": 'x,"y"\nz'}, {"b": "'-1"}]
    assert written(rows, ("a", "b")) == 'a,b\r\n-0.5,\'=1+1\r\n,"x,""y""\nz"\r\n,\'\'-1\r\n'


@pytest.mark.parametrize("module", [table_formats, paper_tables])
def test_the_examples_hold(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.failed == 0
    assert result.attempted >= 2


def test_labels_are_plain() -> None:
    assert re.fullmatch(r"[A-Za-z0-9-]{1,60}", paper_tables.label("x/y", "{a}\\b%", "z" * 99))
