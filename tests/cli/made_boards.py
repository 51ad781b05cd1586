"""Runs whose models have names that no table likes, and what a reader of LaTeX and Markdown makes of a text."""

from __future__ import annotations

import re
from pathlib import Path

from beholder.models.fakes import Fake
from beholder.sample import Ask, Response
from made_runs import plan_for, run_engine, tfq_data

HOSTILE = r"[50%_of] #1 & {x} $y$ ~z^2 \end{tabular}|a|`b`<script>*c* -- ''"
FORMULA = '=HYPERLINK("x","y")'
CHINESE = "模型-7B"
ITEMS = 24
COMMANDS = {
    *("usepackage", "begin", "end", "centering", "caption", "label", "toprule", "midrule", "bottomrule", "textbf"),
    *("textsuperscript", "textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater", "textbar"),
    *("textasciigrave", "smallskip", "linewidth", "resizebox", "footnotesize", "le", "ldots"),
}


def tfq_runs(place: Path) -> Path:
    """A folder of three runs over the same 24 statements, right on 23, 12 and 8 of them."""
    data = plan_for(tfq_data(place / "data", ITEMS, images=ITEMS))
    for name, right in ((HOSTILE, 23), (FORMULA, 12), (CHINESE, 8)):
        run_engine(data, "", place / "runs", make_model=lambda name=name, right=right: answering(name, right))  # type: ignore[misc]
    return place / "runs"


def answering(name: str, right: int) -> Fake:
    """A model that is right on the first statements."""

    def answer(ask: Ask) -> Response:
        number = ask.sample.index
        return Response(text=f"<answer>{'TF'[(number + (number >= right)) % 2]}</answer>", finish="stop")

    return Fake(name, {}, answer)


def check_latex(text: str, tables: int) -> None:
    """Braces and environments balance, every row has its columns, nothing in a name is a command."""
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    bare = body.replace(r"\\", "\n")
    assert set(re.findall(r"\\([A-Za-z]+)", bare)) <= COMMANDS
    signs = re.sub(r"\\[{}$&#%_]", "", bare)
    depth = 0
    for char in signs:
        depth += (char == "{") - (char == "}")
        assert depth >= 0
    assert depth == 0
    assert signs.count("$") % 2 == 0
    assert not set("#%~^") & set(signs)
    assert "_" not in signs
    opened: list[str] = []
    for word, name in re.findall(r"\\(begin|end)\{(\w+)\}", body):
        if word == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert not opened
    found = re.findall(r"\\begin\{tabular\}\{([lr]+)\}\n(.*?)\\end\{tabular\}", body, re.DOTALL)
    assert len(found) == tables
    for columns, inside in found:
        rows = [line for line in inside.splitlines() if not re.fullmatch(r"\\\w+rule", line)]
        assert len(rows) > 1
        for row in rows:
            assert row.endswith(r" \\")
            assert not row.startswith(("[", "*"))
            assert len(re.findall(r"(?<!\\)&", row)) == len(columns) - 1, row


def check_markdown(text: str, tables: int) -> None:
    """Every row has as many cells as its heading, and nothing in a name is markup."""
    blocks = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert len(blocks) == tables
    for block in blocks:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1
    assert not re.search(r"(?<!\\)[<`$]", text)
    assert not re.search(r"(?<!\\)\[", text)
