"""The child of `Expressions` with a math-verify of our making: nothing that it does can stop, fool or outlive us."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from beholder.benchmarks.tir import expressions
from beholder.benchmarks.tir.expressions import MOST_CHARACTERS, Expressions, versions
from beholder.benchmarks.tir.official import ExpressionCrash, ExpressionTimeout, TooLarge
from beholder.errors import UsageError

Made = Callable[..., Expressions]


@pytest.fixture
def with_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    """Makes `Expressions` whose child imports this text as math-verify."""
    made: list[Expressions] = []

    def make(library: str, **options: int) -> Expressions:
        (tmp_path / "math_verify.py").write_text(textwrap.dedent(library))
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        made.append(Expressions(**options))
        return made[-1]

    yield make
    for one in made:
        one.close()


SAME = """
    def parse(text):
        return [text]
    def verify(answer, gold):
        return answer == gold
"""


def test_a_missing_library_is_one_line_with_the_command_to_install_it(
    with_library: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match=r"No module named 'math_verify'.*pip install 'beholder\[tir\]'"):
        with_library("raise ImportError(\"No module named 'math_verify'\")").agree("3.", "3.")
    monkeypatch.setattr(expressions, "DECIDING", ("no-such-package-at-all",))
    with pytest.raises(UsageError, match=r"no-such-package-at-all.*pip install 'beholder\[tir\]'"):
        versions()


def test_what_the_library_prints_does_not_reach_us(with_library: Made) -> None:
    noisy = with_library("""
        import os, sys
        def parse(text):
            print('{"agrees": true}', flush=True)
            os.write(1, b'{"agrees": true}\\n')
            print("warning", file=sys.stderr)
            return [text]
        def verify(answer, gold):
            return False
    """)
    assert [noisy.agree(f"{number}.", "3") for number in range(5)] == [False] * 5


def test_every_exception_of_the_library_is_a_no(with_library: Made) -> None:
    raising = with_library("""
        def parse(text):
            if text == "deep":
                return parse(text)
            raise ValueError(text)
        def verify(answer, gold):
            return True
    """)
    assert [raising.agree("3.", "3."), raising.agree("deep", "3")] == [False, False]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps to the bound")
def test_memory_is_bounded(with_library: Made) -> None:
    greedy = with_library("""
        def parse(text):
            return [bytearray(4 << 30) if text == "greedy" else text]
        def verify(answer, gold):
            return True
    """)
    with pytest.raises(TooLarge):
        greedy.agree("greedy", "3")
    assert greedy.agree("3.", "3.")


def test_any_number_of_threads_get_their_own_answers(with_library: Made) -> None:
    same = with_library(SAME)
    pairs = [(str(number % 17), str(number % 13)) for number in range(400)]
    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(lambda pair: same.agree(*pair), pairs)) == [a == b for a, b in pairs]


def test_text_goes_over_whole(with_library: Made) -> None:
    codes = with_library("""
        def parse(text):
            return text
        def verify(answer, gold):
            return str(list(map(ord, answer))) == gold
    """)
    for text in ("\ud800\udc00", "\U00010000", "a\nb\r\n\x00", '{"gold": "x"}', "é中\u2028\u0085"):
        assert codes.agree(text, str(list(map(ord, text)))), text


def test_the_longest_text_goes_over(with_library: Made) -> None:
    assert with_library(SAME).agree("x" * MOST_CHARACTERS, "x" * MOST_CHARACTERS)


ONCE = """
    asked = []
    def parse(text):
        return [text]
    def verify(answer, gold):
        asked.append(answer)
        return asked.count(answer) == 1
"""


def test_a_result_is_kept(with_library: Made) -> None:
    once = with_library(ONCE)
    assert [once.agree(answer, "3") for answer in ("a", "b", "a", "b")] == [True] * 4


def test_the_oldest_results_are_let_go(with_library: Made) -> None:
    once = with_library(ONCE, remembered=2)
    assert [once.agree(answer, "3") for answer in "abacab"] == [True, True, True, True, True, False]


def test_an_answer_that_takes_too_long_is_a_timeout_and_the_next_one_is_compared(with_library: Made) -> None:
    slow = with_library(
        """
        import time
        def parse(text):
            return [text]
        def verify(answer, gold):
            time.sleep(600 if answer == ["slow"] else 0)
            return answer == gold
        """,
        limit=1,
    )
    assert slow.agree("3.", "3.")
    for _ in range(2):
        with pytest.raises(ExpressionTimeout, match="more than 1 seconds"):
            slow.agree("slow", "3")
    assert slow.agree("4.", "4.")


def test_an_interrupted_question_leaves_no_late_reply(with_library: Made) -> None:
    late = with_library("""
        import time
        def parse(text):
            return [text]
        def verify(answer, gold):
            time.sleep(60 if answer == ["late"] else 0)
            return answer == ["late"]
    """)
    assert not late.agree("3.", "3.")

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(KeyboardInterrupt):
            late.agree("late", "3")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert [late.agree(str(number), "4") for number in range(3)] == [False] * 3


DIES = """
    import os, pathlib
    here = pathlib.Path(__file__).parent
    def parse(text):
        if text == "deadly" or (text == "once" and not (here / "died").exists()):
            (here / "died").touch()
            with (here / "deaths").open("a") as deaths:
                deaths.write("x")
            os._exit(1)
        return [text]
    def verify(answer, gold):
        return answer == gold
"""


def test_a_child_that_dies_is_replaced_once(with_library: Made, tmp_path: Path) -> None:
    frail = with_library(DIES)
    assert frail.agree("once", "once")
    with pytest.raises(ExpressionCrash):
        frail.agree("deadly", "3")
    assert (tmp_path / "deaths").read_text() == "xxx"
    assert frail.agree("4.", "4.")


def test_a_child_that_cannot_start_is_a_crash(with_library: Made) -> None:
    with pytest.raises(ExpressionCrash):
        with_library("import os; os._exit(1)").agree("3.", "3.")


REPORTS = """
    import json, os, pathlib, sys
    (pathlib.Path(__file__).parent / "child").write_text(
        json.dumps([os.getpid(), os.getcwd(), sorted(os.environ), os.getpgid(0), [name for name in sys.modules]])
    )
    def parse(text):
        return [text]
    def verify(answer, gold):
        return answer == gold
"""


def read_child(folder: Path) -> tuple[int, str, list[str], int, list[str]]:
    import json

    pid, place, names, group, modules = json.loads((folder / "child").read_text())
    return pid, place, names, group, modules


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_child_gets_none_of_our_secrets(
    with_library: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("MY_TOKEN", "secret")
    assert with_library(REPORTS).agree("3.", "3.")
    pid, place, names, group, modules = read_child(tmp_path)
    assert not {"OPENAI_API_KEY", "MY_TOKEN"} & set(names)
    assert {"PYTHONHASHSEED", "PYTHONPATH"} <= set(names)
    assert (place, group) == ("/", pid)
    assert not {"beholder", "numpy"} & set(modules)


def test_the_child_is_started_late_and_ends_with_close(with_library: Made, tmp_path: Path) -> None:
    asking = with_library(REPORTS)
    assert not (tmp_path / "child").exists()
    asking.agree("3.", "3.")
    first = read_child(tmp_path)[0]
    assert is_running(first)
    asking.close()
    assert not is_running(first)
    assert asking.agree("4.", "4.")
    assert read_child(tmp_path)[0] != first


def test_the_child_ends_with_the_object_and_with_the_program(with_library: Made, tmp_path: Path) -> None:
    with_library(REPORTS)
    dropped = Expressions()
    dropped.agree("3.", "3.")
    pid = read_child(tmp_path)[0]
    del dropped
    assert not is_running(pid)

    program = (
        "from beholder.benchmarks.tir.expressions import Expressions; kept = Expressions(); kept.agree('3.', '3.')"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60, env={**os.environ, **our_path(tmp_path)})
    assert read_child(tmp_path)[0] != pid
    assert not is_running(read_child(tmp_path)[0])


def our_path(*more: Path) -> dict[str, str]:
    source = Path(expressions.__file__).parents[3]
    return {"PYTHONPATH": os.pathsep.join(map(str, (*more, source)))}


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_of_ours_starts_its_own_child(with_library: Made, tmp_path: Path) -> None:
    same = with_library(REPORTS)
    same.agree("3.", "3.")
    first = read_child(tmp_path)[0]
    program = f"""
import os
from beholder.benchmarks.tir.expressions import Expressions
same = Expressions()
same.agree("3.", "3.")
pid = os.fork()
if pid == 0:
    right = same.agree("4.", "4.") and not same.agree("4.", "5.")
    same.close()
    os._exit(0 if right else 1)
assert os.waitpid(pid, 0)[1] == 0
assert same.agree("5.", "5.")
assert {first} != os.getpid()
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60, env={**os.environ, **our_path(tmp_path)})


def test_kept_results_do_not_wait_for_a_comparison_in_another_thread(with_library: Made, tmp_path: Path) -> None:
    slow = with_library("""
        import pathlib, time
        go = pathlib.Path(__file__).parent / "go"
        def parse(text):
            return [text]
        def verify(answer, gold):
            while answer == ["slow"] and not go.exists():
                time.sleep(0.01)
            return answer == gold
    """)
    assert slow.agree("3.", "3.")
    waiting = threading.Thread(target=slow.agree, args=("slow", "3"))
    waiting.start()
    time.sleep(0.2)
    assert slow.agree("3.", "3.")
    assert waiting.is_alive()
    (tmp_path / "go").touch()
    waiting.join()
