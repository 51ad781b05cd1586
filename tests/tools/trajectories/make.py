"""Makes the example conversations beside this file, all of our own: `python tests/tools/trajectories/make.py`."""

from __future__ import annotations

import json
from pathlib import Path

from PIL import Image, ImageDraw

HERE = Path(__file__).parent
ASK = "<image_clue_0><image></image_clue_0>\n\nYou may write Python.\n\n*user question:*\n"


def code(*lines: str) -> str:
    return "\n".join(["<code>", "```python", *lines, "```", "</code>"])


def result(text: str, *numbers: int) -> str:
    tags = "".join(f"<image_clue_{number}><image></image_clue_{number}>" for number in numbers)
    return f"<interpreter>\nText Result:\n{text}\nImage Result:\n{tags}</interpreter>\n"


def write(name: str, pictures: list[Image.Image], *messages: tuple[str, str]) -> None:
    (HERE / name / "images").mkdir(parents=True, exist_ok=True)
    for number, picture in enumerate(pictures):
        picture.save(HERE / name / "images" / f"image_{number}.png", optimize=True)
    rows = [{"from": role, "value": text} for role, text in messages]
    (HERE / name / "conversations.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def discs(count: int) -> Image.Image:
    picture = Image.new("RGB", (24 * count + 8, 32), "white")
    for number in range(count):
        ImageDraw.Draw(picture).ellipse((24 * number + 6, 8, 24 * number + 22, 24), fill=(40, 90, 200))
    return picture


def main() -> None:
    whole = discs(3)
    write(
        "count-discs",
        [whole, whole.crop((0, 0, 40, 32)).resize((80, 64))],
        ("human", ASK + "How many discs are there?"),
        ("gpt", "I see two discs: \\boxed{2}. I cut them out.\n\n" + code("image_clue_0.crop(9)")),
        ("observation", "<interpreter>Error: cannot unpack non-iterable int object</interpreter>\n"),
        (
            "gpt",
            "Still \\boxed{2}. Again, with a box.\n\n"
            + code("p = image_clue_0.crop((0, 0, 40, 32)).resize((80, 64))", "p.show()", "print(p.size)"),
        ),
        ("observation", result("(80, 64)", 1)),
        ("gpt", "There is a third one behind them.\n\n<answer>\n\\boxed{3}\n</answer>"),
    )
    write(
        "same-picture",
        [discs(1), discs(1)],
        ("human", ASK + "Which colour is the disc?"),
        ("gpt", code("image_clue_0.crop((0, 0, 32, 32)).show()")),
        ("observation", result("None", 1)),
        ("gpt", code("image_clue_0.crop((0, 0, 32, 32)).show()")),
        ("observation", result("None", 1)),
        ("gpt", code("import time", "time.sleep(900)")),
        ("observation", "<interpreter>Error: execution timed out</interpreter>\n"),
        ("gpt", "<answer>\n\\boxed{blue}\n</answer>"),
    )
    write(
        "no-picture",
        [],
        ("human", "What is 17 times 23?"),
        ("gpt", code("print(17 * 23)")),
        ("observation", result("391")),
        ("gpt", "<answer>391</answer>"),
    )


if __name__ == "__main__":
    main()
