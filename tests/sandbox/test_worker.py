"""What the model's code finds inside, and what of it comes back: text, values, errors, pictures."""

from __future__ import annotations

import msgspec
import PIL.Image
import pytest
from talk import LIMITS, talk

CALLS = [
    # (code, text that comes back, outcome)
    ("print('a')\nprint('b')", "a\nb\n", "ok"),
    ("1 + 1", "2\n", "ok"),
    ("x = 1", "", "ok"),
    ("None", "", "ok"),
    ("x = [1]\nx.append(2)\nx", "[1, 2]\n", "ok"),
    ("for i in range(2):\n    i", "", "ok"),
    ("", "", "ok"),
    ("'ü'", "'ü'\n", "ok"),
    ("import sys\nprint('o')\nprint('e', file=sys.stderr)\nprint('o')", "o\ne\no\n", "ok"),
    ("import os\nprint('a')\nos.write(1, b'b\\n') and None\nprint('c')", "a\nb\nc\n", "ok"),
    (
        "import os\nif os.fork() == 0:\n    print('child')\n    os._exit(0)\nos.wait()\nprint('parent')",
        "child\nparent\n",
        "ok",
    ),
    ("import os\nif os.fork() == 0:\n    print('child')\nelse:\n    os.wait() and None", "child\n", "ok"),
    (
        "def f(n):\n    return 1 / n\n\nf(0)",
        "Traceback (most recent call last):\n  <call 1>, line 4\n    f(0)\n  <call 1>, line 2, in f\n    return 1 / n\n"
        "ZeroDivisionError: division by zero\n",
        "error",
    ),
    (
        "import json\njson.loads('{')",
        "Traceback (most recent call last):\n  <call 1>, line 2\n    json.loads('{')\njson.decoder.JSONDecodeError: "
        "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)\n",
        "error",
    ),
    ("import sys\nsys.stdin.read()", "''\n", "ok"),
    ("if:", '  File "<call 1>", line 1\n    if:\n      ^\nSyntaxError: invalid syntax\n', "error"),
    ("print(__name__)", "__main__\n", "ok"),
    ("import os\nprint(os.getcwd(), os.getpid())", "/tmp 2\n", "ok"),
]


@pytest.mark.parametrize(("code", "text", "outcome"), CALLS)
def test_text_and_values(code: str, text: str, outcome: str) -> None:
    [answer] = talk(code)
    assert (answer.text, answer.outcome, answer.alive) == (text, outcome, True)


def test_variables_last_and_functions_pickle() -> None:
    answers = talk(
        "import pickle\nclass A: pass\nx = 3", "x + 1", "type(pickle.loads(pickle.dumps(A()))).__name__", "_"
    )
    assert [answer.text for answer in answers] == ["", "4\n", "'A'\n", "'A'\n"]


def test_pictures_of_the_conversation_are_open_and_new_ones_are_added() -> None:
    first = PIL.Image.new("RGB", (5, 3), (1, 2, 3))
    grey = PIL.Image.new("L", (2, 2), 9)
    answers = talk(
        "image_1.size, image_1.getpixel((4, 2)), image_2.mode, image_2.getpixel((0, 0))",
        "image_1.rotate(90, expand=True).show()",
        "image_3.size",
        "image_1 = 5",
        "image_1, image_3.size",
        pictures=[first, grey],
    )
    assert answers[0].text == "((5, 3), (1, 2, 3), 'RGB', (9, 9, 9))\n"
    assert answers[1].pictures[0].size == (3, 5)
    assert answers[2].text == "(3, 5)\n"
    assert answers[4].text == "(5, (3, 5))\n"


RED = "from PIL import Image\nred = Image.new('RGB', (6, 4), 'red')\nblue = Image.new('RGB', (5, 5), 'blue')\n"
CV = "import cv2, numpy as np\n"
PLT = "import matplotlib.pyplot as plt\n"
WINDOW = "cv2.namedWindow('w')\ncv2.imshow('w', np.zeros((4, 6, 3), np.uint8))\ncv2.waitKey(0)\ncv2.destroyAllWindows()"
TWO = "for x in (1, 2):\n    plt.figure(figsize=(x, 1), dpi=50)\n    plt.plot([1])\n    plt.show()"
HALF = """\
import io
data = io.BytesIO()
red.save(data, "PNG")
with open("a.png", "wb", 0) as file:
    file.write(data.getvalue()[:40])
    blue.show()
    file.write(data.getvalue()[40:])
"""
SHOWN = [
    # (name, code, sizes of the pictures that come back)
    ("shown", RED + "red.show()\nblue.show('title')", [(6, 4), (5, 5)]),
    ("last value", RED + "red", [(6, 4)]),
    ("saved", RED + "red.save('a.png')\nblue.save('b.jpg')", [(6, 4), (5, 5)]),
    ("shown, then saved", RED + "blue.show()\nred.save('a.png')", [(5, 5), (6, 4)]),
    ("saved, then shown", RED + "red.save('a.png')\nblue.show()", [(6, 4), (5, 5)]),
    ("in turn", RED + "red.save('a.png')\nblue.show()\nred.resize((9, 9)).save('a.png')", [(6, 4), (5, 5), (9, 9)]),
    ("not written yet", RED + HALF, [(5, 5), (6, 4)]),
    ("the same twice", RED + "red.show()\nred.show()\nred.save('a.png')\nred", [(6, 4)]),
    ("saved in a folder", RED + "import os\nos.mkdir('x')\nred.save('x/a.webp')", [(6, 4)]),
    ("no picture", RED + "open('a.txt', 'w').write('x') and None", []),
    ("transparent", "from PIL import Image\nImage.new('RGBA', (3, 3), (0, 0, 0, 0)).show()", [(3, 3)]),
    ("16 bits", "from PIL import Image\nImage.new('I;16', (3, 3), 65535).show()", [(3, 3)]),
    ("palette", "from PIL import Image\nImage.new('P', (3, 3), 1).show()", [(3, 3)]),
    ("OpenCV shown", CV + WINDOW, [(6, 4)]),
    ("OpenCV grey", CV + "cv2.imshow('w', np.ones((4, 6)))", [(6, 4)]),
    ("OpenCV saved", CV + "cv2.imwrite('a.png', np.zeros((4, 6, 3), np.uint8)) and None", [(6, 4)]),
    ("matplotlib shown", PLT + "plt.figure(figsize=(2, 1), dpi=50)\nplt.plot([1, 2])\nplt.show()", [(100, 50)]),
    ("matplotlib saved", PLT + "plt.figure(figsize=(2, 1))\nplt.savefig('a.png', dpi=50)", [(100, 50)]),
    ("matplotlib twice", "import matplotlib\nmatplotlib.use('Agg')\n" + PLT + TWO, [(50, 50), (100, 50)]),
    ("figure shown", PLT + "f, a = plt.subplots(figsize=(2, 1), dpi=50)\na.plot([1])\nf.show()", [(100, 50)]),
    ("figure as last value", "from matplotlib.figure import Figure\nFigure(figsize=(2, 1), dpi=50)", [(100, 50)]),
    ("too wide", "from PIL import Image\nImage.new('RGB', (5000, 10)).show()", [(4096, 8)]),
]


@pytest.mark.parametrize(("code", "sizes"), [row[1:] for row in SHOWN], ids=[row[0] for row in SHOWN])
def test_pictures_come_back_in_order_and_each_once(code: str, sizes: list[tuple[int, int]]) -> None:
    [answer] = talk(code)
    assert answer.outcome == "ok", answer.text
    assert [picture.size for picture in answer.pictures] == sizes
    assert {picture.mode for picture in answer.pictures} <= {"RGB"}


COLOURS = [
    ("from PIL import Image\nImage.new('RGBA', (3, 3), (9, 9, 9, 0)).show()", (255, 255, 255)),
    ("from PIL import Image\nImage.new('I;16', (3, 3), 0x80FF).show()", (128, 128, 128)),
    ("import cv2, numpy as np\ncv2.imshow('w', np.full((3, 3, 3), (255, 0, 0), np.uint8))", (0, 0, 255)),
    ("import cv2, numpy as np\ncv2.imshow('w', np.ones((3, 3)))", (255, 255, 255)),
    ("import cv2, numpy as np\ncv2.imshow('w', np.ones((3, 3), bool))", (255, 255, 255)),
]


@pytest.mark.parametrize(("code", "colour"), COLOURS)
def test_colours_are_those_that_a_window_would_show(code: str, colour: tuple[int, int, int]) -> None:
    [answer] = talk(code)
    assert answer.pictures[0].getpixel((1, 1)) == colour


def test_a_picture_of_an_earlier_call_is_not_shown_again() -> None:
    answers = talk(RED + "red.save('a.png')", "1", "blue.save('a.png')", "import os\nos.listdir('.')")
    assert [[picture.size for picture in answer.pictures] for answer in answers] == [[(6, 4)], [], [(5, 5)], []]


def test_what_an_error_cuts_short_still_shows_its_pictures() -> None:
    [answer] = talk(RED + "red.show()\n1 / 0")
    assert answer.outcome == "error"
    assert [picture.size for picture in answer.pictures] == [(6, 4)]


def test_no_more_pictures_and_pixels_than_a_call_may_show() -> None:
    limits = msgspec.structs.replace(LIMITS, pictures=3, pictures_pixels=100)
    many, large = talk(
        RED + "for i in range(5): Image.new('RGB', (2, 2), (i, 0, 0)).show()",
        "red.show()\nfor i in range(3): Image.new('RGB', (9, 9), (i, 0, 0)).show()",
        limits=limits,
    )
    assert len(many.pictures) == 3
    assert "[2 more pictures were left out: one call can show 3]" in many.text
    assert [picture.size for picture in large.pictures] == [(6, 4)]


def test_the_text_of_a_call_that_is_stopped_is_kept() -> None:
    limits = msgspec.structs.replace(LIMITS, call_seconds=1.0)
    stopped, after = talk("print('so far')\nwhile True: pass", "1", limits=limits)
    assert (stopped.outcome, stopped.text, stopped.alive) == ("time", "so far\n", False)
    assert after.text == "[A new Python process was started; the variables of earlier calls are lost.]\n1\n"


def test_children_end_with_the_call() -> None:
    _, after = talk(
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-I', '-S', '-c', 'import time; time.sleep(99)'])",
        "import os\ntry:\n    os.kill(child.pid, 0)\nexcept ProcessLookupError:\n    print('gone')",
    )
    assert after.text == "gone\n"
