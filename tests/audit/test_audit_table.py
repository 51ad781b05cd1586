"""Published tables, recomputed: which overall figures follow, which cells cannot be, and what no table is."""

from __future__ import annotations

from pathlib import Path

import pytest

from beholder.audit.table import TIR, VL_REWARDBENCH, Audit, Claim, Impossible, Row, audit_table, is_possible
from beholder.errors import DataError, UsageError

TIR_HEADER = (
    "group,model,All,Color,Proportion,OCR,Symbolic,Maze,Math,WordSearch,LowLight,Instrument,SpotDiff,Jigsaw,"
    "VisualSearch,Rotation"
)
GUESS = "baseline,Random Guess,13.5,28.0,6.7,,14.0,13.3,15.8,0.0,4.0,8.8,22.6,5.8,22.5,16.0"
LLAVA = "open,Llava-Next-72B,11.2,20.0,15.8,3.3,8.0,10.8,15.0,0.0,10.0,11.3,16.3,0.0,23.3,12.0"
O3 = "proprietary,o3,26.9,36.0,34.2,8.3,34.0,29.2,24.2,4.0,28.0,17.5,37.2,10.8,47.5,33.3"
DEEPEYES = "tool,DeepEyes,17.3,22.0,6.7,41.7,19.9,16.7,20.0,1.0,16.0,3.8,19.9,3.9,50.8,12.0"
O3_TU = "tool,o3-TU,46.0,55.0,31.7,53.3,66.0,42.5,50.0,64.0,42.0,21.3,41.0,16.4,57.5,77.3"
VL_HEADER = "group,model,General,Hallucination,Reasoning,OverallAccuracy,MacroAverageAccuracy"


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def audited(tmp_path: Path, *lines: str) -> Audit:
    return audit_table(write(tmp_path / "t.csv", *lines))


def only(audit: Audit) -> Row:
    (row,) = audit.rows
    return row


# TIR-Bench ---------------------------------------------------------------------------------------------------------

# line, follows, micro, macro, the means it agrees with
TIR_ROWS: list[tuple[str, bool, float, float, tuple[str, ...]]] = [
    (O3, True, 26.93, 26.48, ("micro",)),
    (O3_TU, True, 45.98, 47.54, ("micro",)),
    (LLAVA, False, 11.79, 11.22, ("macro",)),
    (DEEPEYES, False, 17.75, 18.03, ()),
    (GUESS, True, 13.47, 13.12, ("micro",)),
]


@pytest.mark.parametrize(("line", "follows", "micro", "macro", "agrees"), TIR_ROWS, ids=lambda value: str(value)[:24])
def test_rows_of_tir_bench(
    tmp_path: Path, line: str, follows: bool, micro: float, macro: float, agrees: tuple[str, ...]
) -> None:
    audit = audited(tmp_path, TIR_HEADER, line)
    assert audit.layout is TIR
    assert audit.unread == ("group",)
    row = only(audit)
    assert row.model == line.split(",")[1]
    (claim,) = row.claims
    assert claim.column == "All"
    assert claim.mean == "micro"
    assert claim.claimed == float(line.split(",")[2])
    assert (claim.follows, claim.agrees_with) == (follows, agrees)
    assert (round(claim.micro, 2), round(claim.macro, 2)) == (micro, macro)
    assert (row in audit.odd) is (not follows)


def test_random_guess_follows_only_without_ocr(tmp_path: Path) -> None:
    row = only(audited(tmp_path, TIR_HEADER, GUESS))
    assert row.missing == ("OCR",)
    assert "OCR left out (counted as 0 the micro mean would be 12.80)" in row.claims[0].reason
    with_zero = only(audited(tmp_path, TIR_HEADER, GUESS.replace("6.7,,", "6.7,0.0,")))
    assert with_zero.missing == ()
    assert not with_zero.claims[0].follows
    assert round(with_zero.claims[0].micro, 2) == 12.80


def test_deepeyes_symbolic_cannot_be(tmp_path: Path) -> None:
    row = only(audited(tmp_path, TIR_HEADER, DEEPEYES))
    assert row.impossible == (Impossible("Symbolic", 19.9, 50, (18.0, 20.0), would_follow=10.0),)
    mended = only(audited(tmp_path, TIR_HEADER, DEEPEYES.replace("41.7,19.9", "41.7,10.0")))
    assert mended.claims[0].follows
    assert mended.impossible == ()


def test_tasks_with_partial_credit_may_have_any_value(tmp_path: Path) -> None:
    header = TIR_HEADER.split(",")
    line = O3.split(",")
    for column, impossible in (("SpotDiff", False), ("Jigsaw", False), ("Maze", True), ("Rotation", True)):
        odd = [*line]
        odd[header.index(column)] = "37.9"
        row = only(audited(tmp_path, TIR_HEADER, ",".join(odd)))
        assert [one.column for one in row.impossible] == ([column] if impossible else []), column


def test_a_cell_that_cannot_be_mends_nothing_where_the_claim_follows(tmp_path: Path) -> None:
    row = only(audited(tmp_path, TIR_HEADER, O3.replace(",34.0,", ",34.1,")))
    assert row.claims[0].follows
    assert row.impossible == (Impossible("Symbolic", 34.1, 50, (34.0, 36.0), would_follow=None),)


NAMES = [
    TIR_HEADER,
    TIR_HEADER.replace("LowLight", "contrast").replace("Proportion", "refcoco").replace("Rotation", "rotation_game"),
    TIR_HEADER.replace("SpotDiff", "Spot the Difference").replace("WordSearch", "word search"),
    TIR_HEADER.upper(),
    TIR_HEADER.replace("All", " all "),
    "\ufeff" + TIR_HEADER,
]


@pytest.mark.parametrize("header", NAMES, ids=range(len(NAMES)))
def test_columns_are_known_by_several_names(tmp_path: Path, header: str) -> None:
    assert only(audited(tmp_path, header, O3)).claims[0].follows


def test_columns_may_stand_anywhere_and_the_name_too(tmp_path: Path) -> None:
    cells = dict(zip(TIR_HEADER.split(","), O3.split(","), strict=True))
    turned = list(reversed(cells))
    audit = audited(tmp_path, ",".join([*turned, "note"]), ",".join([*(cells[name] for name in turned), "x"]))
    assert only(audit).model == "o3"
    assert only(audit).claims[0].follows
    assert audit.unread == ("group", "note")


# VL-RewardBench ----------------------------------------------------------------------------------------------------


def claims(row: Row) -> dict[str, Claim]:
    return {claim.column: claim for claim in row.claims}


def test_rows_of_vl_rewardbench(tmp_path: Path) -> None:
    """The macro mean follows; the overall one does not, for the authors leave undecided items out of both."""
    audit = audited(
        tmp_path,
        VL_HEADER,
        "open,LLaVA-OneVision-7B-ov,32.2,20.1,57.1,29.6,36.5",
        "proprietary,GPT-4o (2024-08-06),49.1,67.6,70.5,65.8,62.4",
    )
    assert audit.layout is VL_REWARDBENCH
    llava, gpt = audit.rows
    assert claims(llava)["MacroAverageAccuracy"].follows
    assert claims(llava)["MacroAverageAccuracy"].mean == "macro"
    assert not claims(llava)["OverallAccuracy"].follows
    assert round(claims(llava)["OverallAccuracy"].micro, 2) == 31.28
    assert "it can be true if items were dropped" in claims(llava)["OverallAccuracy"].reason
    assert claims(gpt)["MacroAverageAccuracy"].follows
    assert [one.column for one in gpt.impossible] == ["General", "Reasoning"]
    assert all(one.would_follow is None for one in gpt.impossible), "with items dropped its size is not known"


def test_t33_a_claim_that_no_full_counts_give(tmp_path: Path) -> None:
    row = only(audited(tmp_path, "Model,General,Hallucination,Reasoning,Overall", "x,81.5,94.2,60.4,76.3"))
    (claim,) = row.claims
    assert not claim.follows
    assert claim.agrees_with == ()
    assert (round(claim.micro, 1), round(claim.macro, 1)) == (83.7, 78.7)
    assert "does not follow from full counts" in claim.reason
    assert "it can be true if items were dropped" in claim.reason


def test_a_table_with_one_of_the_two_overall_columns(tmp_path: Path) -> None:
    (claim,) = only(
        audited(tmp_path, "model,General,Hallucination,Reasoning,MacroAverage", "x,28.3,27.1,59.1,38.2")
    ).claims
    assert (claim.column, claim.mean, claim.follows) == ("MacroAverageAccuracy", "macro", True)


def test_a_claim_beyond_all_groups(tmp_path: Path) -> None:
    (claim,) = only(audited(tmp_path, "model,General,Hallucination,Reasoning,Overall", "x,10,20,30,40")).claims
    assert "no weights can give it" in claim.reason


# cells -------------------------------------------------------------------------------------------------------------

# right or wrong, of n, printed with decimals
POSSIBLE: list[tuple[float, int, int, bool]] = [
    (19.9, 50, 1, False),
    (20.0, 50, 1, True),
    (10.0, 50, 1, True),
    (33.3, 120, 1, True),
    (33.2, 120, 1, False),
    (33.0, 120, 1, False),
    (33.0, 120, 0, True),
    (34.0, 50, 0, True),
    (35.0, 50, 0, False),
    (0.0, 7, 1, True),
    (100.0, 7, 1, True),
    (99.9, 7, 1, False),
    (12.5, 8, 1, True),
    (6.25, 16, 2, True),
    (6.3, 16, 1, True),
    (6.2, 16, 1, True),
    (41.94, 100, 2, False),
    (50.0, 1, 1, False),
    (73.33, 120, 2, True),
    (73.28, 120, 2, False),
]


@pytest.mark.parametrize(("value", "n", "decimals", "possible"), POSSIBLE)
def test_a_share_of_n_items(value: float, n: int, decimals: int, possible: bool) -> None:
    assert is_possible(value, n, decimals) is possible


@pytest.mark.parametrize("n", [7, 50, 60, 75, 80, 100, 120, 1250])
def test_every_share_that_can_be_is_possible(n: int) -> None:
    for decimals in (0, 1, 2):
        assert all(is_possible(round(100 * right / n, decimals), n, decimals) for right in range(n + 1))


def test_decimals_are_those_of_the_table(tmp_path: Path) -> None:
    """A table of whole percentages: 33 is 40 of 120."""
    counts = write(tmp_path / "c.csv", "a,120", "b,50")
    whole = audit_table(write(tmp_path / "t.csv", "model,a,b,All", "x,33,34,33.3"), counts=counts)
    assert only(whole).impossible == ()
    one = audit_table(write(tmp_path / "t.csv", "model,a,b,All", "x,33,34,33.3", "y,33.3,34.0,33.5"), counts=counts)
    assert [(row.model, cell.column) for row in one.rows for cell in row.impossible] == [("x", "a")]
    two = audit_table(write(tmp_path / "t.csv", "model,a,b,All", "x,33.33,34,33.5"), counts=counts)
    assert only(two).impossible == ()


@pytest.mark.parametrize("blank", ["", " ", "-", "–", "—", "n/a", "NA", "nan", "None", "null", "/"])
def test_missing_cells_are_left_out_and_named(tmp_path: Path, blank: str) -> None:
    row = only(audited(tmp_path, TIR_HEADER, GUESS.replace("6.7,,", f"6.7,{blank},")))
    assert row.missing == ("OCR",)
    assert row.claims[0].follows


@pytest.mark.parametrize("written", ["36.0%", "36 %", " 36.0 ", "+36", "3.6e1"])
def test_forms_of_a_figure(tmp_path: Path, written: str) -> None:
    assert only(audited(tmp_path, TIR_HEADER, O3.replace("36.0", written))).claims[0].follows


def test_a_row_without_a_claim_has_none(tmp_path: Path) -> None:
    row = only(audited(tmp_path, TIR_HEADER, O3.replace("26.9", "")))
    assert row.claims == ()
    assert row.missing == ()


def test_a_short_line_lacks_its_last_cells_and_a_quoted_name_may_hold_commas(tmp_path: Path) -> None:
    row = only(audited(tmp_path, TIR_HEADER, O3.rpartition(",")[0].replace("o3", '"o3, with ""tools"""')))
    assert row.model == 'o3, with "tools"'
    assert row.missing == ("Rotation",)


# tables of one's own -----------------------------------------------------------------------------------------------


def own(tmp_path: Path, table: tuple[str, ...], counts: tuple[str, ...], overall: str | None = None) -> Audit:
    return audit_table(write(tmp_path / "t.csv", *table), counts=write(tmp_path / "c.csv", *counts), overall=overall)


def test_a_table_of_ones_own(tmp_path: Path) -> None:
    table = ("Method,easy,hard,note,Average", "A,90.0,10.0,x,70.0", "B,90.0,10.0,x,50.0", "C,90.0,10.0,x,60.0")
    audit = own(tmp_path, table, ("column,n", "easy,30", "hard,10"))
    assert [row.model for row in audit.rows] == ["A", "B", "C"]
    assert [row.claims[0].follows for row in audit.rows] == [True, False, False]
    assert [row.claims[0].agrees_with for row in audit.rows] == [("micro",), ("macro",), ()]
    assert audit.unread == ("note",)
    assert audit.layout.overall == {"Average": "micro"}


def test_counts_may_name_columns_with_partial_credit_and_overall_any_column(tmp_path: Path) -> None:
    table = ("Method,easy,hard,Total,All", "A,90.1,10.0,70.075,1")
    exact = own(tmp_path, table, ("easy, 30", "hard, 10"), "Total")
    assert [one.column for one in only(exact).impossible] == ["easy"]
    partial = own(tmp_path, table, ("easy,30, Partial ", "hard,10,"), "Total")
    assert only(partial).impossible == ()
    assert only(partial).claims[0].follows
    assert own(tmp_path, table, ("easy,30", "hard,10")).layout.overall == {"All": "micro"}


def test_a_known_table_may_get_other_sizes(tmp_path: Path) -> None:
    """Somebody who dropped the mazes, say, gives the sizes that are left."""
    names = [name for name in TIR.columns if name != "Maze"]
    counts = tuple(f"{name},{TIR.columns[name].n}" for name in names)
    (row,) = own(tmp_path, (TIR_HEADER, O3), counts).rows
    assert round(row.claims[0].micro, 2) == 26.68


def test_the_tolerance(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", TIR_HEADER, DEEPEYES, O3)
    for tolerance, follows in (
        (0.0, (False, False)),
        (0.1, (False, True)),
        (0.46, (True, True)),
        (100.0, (True, True)),
    ):
        audit = audit_table(table, tolerance=tolerance)
        assert tuple(row.claims[0].follows for row in audit.rows) == follows
        assert audit.tolerance == tolerance


# what no table is --------------------------------------------------------------------------------------------------

USAGE: list[tuple[str, str, str]] = [
    ("empty", "", "is empty"),
    ("blank lines", "\n ,\n", "is empty"),
    ("a header alone", TIR_HEADER, "has a header and no rows"),
    ("another table", "model,TFQ,MCQ\nx,1,2", "are of no table that is known (model, TFQ, MCQ)"),
    ("a column is missing", TIR_HEADER.replace(",Maze", "") + "\n" + O3, "no table that is known"),
    ("no claim", TIR_HEADER.replace("All,", "") + "\n" + O3, "--counts"),
    ("a column twice", TIR_HEADER + ",maze\n" + O3 + ",1", "two columns are called Maze"),
    ("an open quote", TIR_HEADER + '\n"' + O3, "is not CSV"),
    ("a quote in a cell", TIR_HEADER + '\n"a"b' + O3, "is not CSV"),
    ("a cell without end", TIR_HEADER + "\n" + "x" * 200_000, "is not CSV"),
    ("a header without end", "x," * 50_000 + "\n1", "no table that is known"),
    ("a null byte", "model\x00\nx", "t.csv"),
]


@pytest.mark.parametrize(("text", "words"), [row[1:] for row in USAGE], ids=[row[0] for row in USAGE])
def test_what_is_no_table_is_said_in_one_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        audited(tmp_path, text)
    message = str(caught.value)
    assert words in message
    assert "\n" not in message
    assert len(message) < 700


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.csv cannot be read"):
        audit_table(tmp_path / "gone.csv")
    with pytest.raises(UsageError, match="cannot be read"):
        audit_table(tmp_path)
    (tmp_path / "latin.csv").write_bytes(TIR_HEADER.encode() + b"\n\xe9")
    with pytest.raises(UsageError, match=r"is not UTF-8 text \(byte \d+\)"):
        audit_table(tmp_path / "latin.csv")
    (tmp_path / "huge.csv").write_bytes(b"\n" * ((4 << 20) + 1))
    with pytest.raises(UsageError, match="larger than 4 MiB"):
        audit_table(tmp_path / "huge.csv")


CELLS: list[tuple[str, str, str]] = [
    ("a word", O3.replace("36.0", "many"), "'many' in column 'Color'"),
    ("above 100", O3.replace("36.0", "100.1"), "'100.1' in column 'Color'"),
    ("below 0", O3.replace("36.0", "-1"), "'-1' in column 'Color'"),
    ("infinite", O3.replace("36.0", "inf"), "'inf' in column 'Color'"),
    ("the claim", O3.replace("26.9", "1215"), "'1215' in column 'All'"),
    ("a comma for the point", O3.replace("36.0", "36,0"), "17 cells, the header has 16"),
    ("no figure at all", "tool,x", "all of its figures are missing"),
]


@pytest.mark.parametrize(("line", "words"), [row[1:] for row in CELLS], ids=[row[0] for row in CELLS])
def test_a_cell_that_is_no_figure_is_named_with_its_line(tmp_path: Path, line: str, words: str) -> None:
    with pytest.raises(DataError) as caught:
        audited(tmp_path, TIR_HEADER, "", O3, line)
    assert str(caught.value).startswith("t.csv, line 4: ")
    assert words in str(caught.value)


COUNTS: list[tuple[str, tuple[str, ...], str | None, str]] = [
    ("no column of the table", ("column,n",), None, "names no column of the table"),
    ("a column that is not there", ("a,5", "Mazze,5"), None, "c.csv, line 2: the table has no column 'Mazze'"),
    ("a wrong name first", ("Mazze,5", "a,5"), None, "no column 'Mazze'"),
    ("no number", ("a,many",), None, "'many' is no number of items"),
    ("nothing", ("a",), None, "'' is no number of items"),
    ("none", ("a,0",), None, "'0' is no number"),
    ("less than none", ("a,-5",), None, "'-5' is no number"),
    ("a share", ("a,1.5",), None, "'1.5' is no number"),
    ("digits of another script", ("a,５",), None, "is no number"),
    ("far too many", ("a," + "9" * 5000,), None, "is no number"),
    ("no overall column", ("a,5",), "b", "--overall: the table has no column 'b'"),
]


@pytest.mark.parametrize(("counts", "overall", "words"), [row[1:] for row in COUNTS], ids=[row[0] for row in COUNTS])
def test_counts_that_do_not_fit(tmp_path: Path, counts: tuple[str, ...], overall: str | None, words: str) -> None:
    with pytest.raises((DataError, UsageError)) as caught:
        own(tmp_path, ("model,a,All", "x,1,1"), counts, overall)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_table_without_any_overall_column_needs_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no column 'All'"):
        own(tmp_path, ("model,a", "x,1"), ("a,5",))
    with pytest.raises(UsageError, match="give the sizes of the others with --counts"):
        audit_table(write(tmp_path / "t.csv", TIR_HEADER, O3), overall="All")


@pytest.mark.parametrize("tolerance", [float("nan"), -0.1, 101.0, float("inf")])
def test_a_tolerance_that_is_none(tmp_path: Path, tolerance: float) -> None:
    with pytest.raises(UsageError, match="--tolerance must be 0 to 100"):
        audit_table(write(tmp_path / "t.csv", TIR_HEADER, O3), tolerance=tolerance)
