"""Draws docs/images/demo.svg from a real `beholder demo`: one puzzle on the left, what the terminal said on the right.

python docs/images/draw_demo.py
"""

from __future__ import annotations

import base64
import html
import io
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).resolve().parent
LINE, SIZE, WIDTH = 17, 12.5, 1180
PUZZLE = "00001.png"


def main() -> None:
    with tempfile.TemporaryDirectory() as work:
        command = [Path(sys.executable).with_name("beholder"), "demo", "--n", "60", "--runs-dir", "runs"]
        env = {"COLUMNS": "96", "PATH": ""}
        shown = subprocess.run(command, capture_output=True, text=True, check=True, cwd=work, env=env).stdout
        picture = Image.open(Path(work) / "runs" / "demo-jigsaw-60-2026" / "data" / "jigsaw" / PUZZLE).convert("RGB")
        buffer = io.BytesIO()
        picture.resize((340, 340), Image.Resampling.LANCZOS).save(buffer, "JPEG", quality=85)
    start = shown.index("B against A")
    lines = [line.rstrip() for line in shown[start:].split("Look closer")[0].splitlines()]
    lines = ["$ make demo", "", *lines]
    height = max(400, 40 + LINE * len(lines))
    text = "".join(
        f'<text x="400" y="{38 + LINE * row}" xml:space="preserve">{html.escape(line)}</text>'
        for row, line in enumerate(lines)
    )
    encoded = base64.b64encode(buffer.getvalue()).decode()
    (HERE / "demo.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'aria-label="A jigsaw puzzle cut from a photograph, and two baselines compared on sixty of them">'
        f'<rect width="{WIDTH}" height="{height}" rx="10" fill="#15181e"/>'
        f'<image x="28" y="28" width="340" height="340" href="data:image/jpeg;base64,{encoded}"/>'
        f'<g font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="{SIZE}" '
        f'fill="#d8dee9">{text}</g></svg>\n'
    )


if __name__ == "__main__":
    main()
