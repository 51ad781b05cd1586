"""`--where` and `--ids`: unknown fields, byte order marks, and pins that several runs write at once."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cli_data import Beholder, check_refused, run, tfq_data, tfq_rows

from beholder.engine.selection import Selection, parse_condition
from beholder.errors import UsageError
from beholder.sample import BooleanTarget, Sample
from beholder.store.pins import check_pin


def sample(number: int, **metadata: object) -> Sample:
    return Sample(
        key=f"k{number}",
        index=number,
        benchmark="x",
        images=(),
        parts=(),
        target=BooleanTarget(True),
        metadata=metadata,
    )


@pytest.mark.parametrize("condition", ["categry!=x", "categry=x"])
@pytest.mark.parametrize("more", [(), ("--limit", 1)], ids=["all", "limit"])
def test_an_unknown_field_is_refused_with_the_nearest_and_the_known(
    beholder: Beholder, tmp_path: Path, condition: str, more: tuple[object, ...]
) -> None:
    said = beholder(*run(tfq_data(tmp_path), "--where", condition, "--runs-dir", tmp_path / "runs", *more))
    check_refused(said, ("--where", "'categry'", "Did you mean category", "difficulty, group, split, record_id"))


def test_a_name_in_the_metadata_is_a_field_though_not_every_item_has_it() -> None:
    samples = [sample(0), sample(1, photo="a"), sample(2, photo="b")]
    chosen = Selection(where=(parse_condition("photo!=a"),), limit=1).choose(samples)
    assert [one.index for one in chosen] == [0], "the field comes after the limit is reached"
    chosen = Selection(where=(parse_condition("photo=b"),)).choose(samples)
    assert [one.index for one in chosen] == [2]
    with pytest.raises(UsageError, match=r"'foto'\. Did you mean photo\?"):
        list(Selection(where=(parse_condition("foto!=a"),)).choose(samples))


def test_the_data_is_not_read_beyond_the_limit() -> None:
    samples = iter([sample(number, photo="a") for number in range(5)])
    chosen = Selection(where=(parse_condition("photo=a"), parse_condition("split!=x")), limit=2).choose(samples)
    assert len(list(chosen)) == 2
    assert len(list(samples)) == 3


def test_a_list_of_ids_may_begin_with_a_byte_order_mark(beholder: Beholder, tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_bytes("\ufeffq4\r\nq5\r\n".encode())
    data = tfq_data(tmp_path, tfq_rows())
    found = beholder.json(*run(data, "--ids", tmp_path / "ids.txt", "--runs-dir", tmp_path / "runs"))
    assert len(found["items"]) == 2


def test_runs_that_start_at_once_lose_no_pin(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda number: check_pin(tmp_path, tmp_path / f"{number}", "0" * 64, accept=False), range(64)))
    assert len(json.loads((tmp_path / "data-pins.json").read_text())) == 64
