"""Small data sets and result files in the public layouts, and a way to call the command line in this process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from beholder.cli import main

TFQ_STATEMENTS = (
    ("The dog sleeps beside the candle.", "T", "dogs/1.png"),
    ("The candle stands for loneliness.", "F", "dogs/1.png"),
    ("Two ships are leaving the harbour.", "T", "ships.jpg"),
    ("The ships suggest a farewell.", "T", "ships.jpg"),
    ("A red umbrella lies on the road.", "F", "rain.png"),
    ("The empty road hints at an ending.", "F", "rain.png"),
)
VLRB_ITEMS = (
    ("RLAIF-V-1", "How many cups are there?", ["Two cups.", "Three cups."], [0, 1]),
    ("RLHF-V-2", "What colour is the car?", ["It is red.", "It is blue."], [0, 1]),
    ("mathverse_3", "What is angle B?", ["40 degrees", "50 degrees"], [1, 0]),
    ("wildvision-battle-4", "Describe the scene.", ["A quiet beach.", "A loud market."], [0, 1]),
)


CONSTANT = "constant/<answer>T</answer>"


class Said(NamedTuple):
    """What one call of the command line left: exit code, standard output, standard error."""

    code: int
    out: str
    err: str

    @property
    def error_lines(self) -> list[str]:
        return self.err.splitlines()


class Beholder:
    """Calls the command line in this process, as `beholder ARGUMENTS` would."""

    def __init__(self, read: Callable[[], tuple[str, str]], patch: Any) -> None:
        self._read = read
        self._patch = patch

    def __call__(self, *arguments: object) -> Said:
        self._patch.setattr(sys, "argv", ["beholder", *map(str, arguments)])
        self._read()
        try:
            main.run()
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 0
        out, err = self._read()
        return Said(code, out, err)

    def json(self, *arguments: object) -> Any:
        """The one JSON object that a `--json` call prints."""
        said = self(*arguments, "--json")
        assert said.code == 0, said.err
        assert said.out.count("\n") == 1
        return json.loads(said.out)


def write_lines(path: Path, rows: Iterable[Any]) -> Path:
    """JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_image(path: Path, colour: tuple[int, int, int] = (200, 40, 40)) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (32, 24), colour).save(path)
    return path


def tfq_rows() -> list[dict[str, Any]]:
    return [
        {"images": [image], "problem": f"<image>{statement}", "answer": answer, "id": f"q{number}"}
        for number, (statement, answer, image) in enumerate(TFQ_STATEMENTS)
    ]


def tfq_data(folder: Path, rows: Sequence[Any] | None = None) -> Path:
    """TFQ-Bench in the public layout: six statements on three images."""
    for number, name in enumerate(dict.fromkeys(image for _, _, image in TFQ_STATEMENTS)):
        write_image(folder / name, (40 * number, 90, 120))
    return write_lines(folder / "tfq.jsonl", tfq_rows() if rows is None else rows)


def vlrb_rows() -> list[dict[str, Any]]:
    return [
        {"id": name, "query": query, "response": answers, "human_ranking": ranking, "image": f"{number}.png"}
        for number, (name, query, answers, ranking) in enumerate(VLRB_ITEMS)
    ]


def vlrb_data(folder: Path, rows: Sequence[Any] | None = None) -> Path:
    """VL-RewardBench in the public layout: four comparisons, one image each."""
    for number in range(len(VLRB_ITEMS)):
        write_image(folder / f"{number}.png", (10, 60 * number, 90))
    return write_lines(folder / "vlrb.jsonl", vlrb_rows() if rows is None else rows)


def tfq_results(path: Path, outputs: Sequence[Any], *, urls: bool = True) -> Path:
    """The authors' result file of TFQ-Bench: one record for each output, the statements in turn."""
    records = []
    for number, output in enumerate(outputs):
        statement, answer, image = TFQ_STATEMENTS[number % len(TFQ_STATEMENTS)]
        record = {"Model_Output": output, "Ground_Truth": answer, "Question_ID": str(number), "Question": statement}
        records.append(record | ({"Image_URL": image} if urls else {}))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def judgement(number: int, text: str | None, swapped: int) -> dict[str, Any]:
    """One line of the authors' result file of VL-RewardBench."""
    name, query, answers, ranking = VLRB_ITEMS[number]
    meta = {"filter_choice": text, "random_number": swapped}
    return {"id": name, "query": query, "response": answers, "ranking": ranking, "meta": meta}


def better(answer: int) -> str:
    return f"Both were read with care. Overall Judgment: Answer {answer} is better."


def tree(folder: Path) -> dict[str, int]:
    """Every file under a folder with its size: what must not change when a command is refused."""
    if not folder.exists():
        return {}
    return {str(path.relative_to(folder)): path.stat().st_size for path in folder.rglob("*") if path.is_file()}


def run(data: Path, *more: object, benchmark: str = "tfq", model: str = CONSTANT) -> list[object]:
    """The arguments of a run that needs no server."""
    return ["run", benchmark, "--model", model, "--data", data, *more]


def check_refused(said: Said, words: tuple[str, ...]) -> None:
    """A refusal is exit code 2 and one line on standard error, which holds all the words."""
    assert said.code == 2, said
    assert said.out == ""
    assert len(said.error_lines) == 1, said.err
    assert said.err.startswith("beholder: ")
    for word in words:
        assert word in said.err, (word, said.err)
