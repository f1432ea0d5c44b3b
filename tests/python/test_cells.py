"""Cells of a notebook, drawn: right ones and wrong ones in any order, some interrupted; each right one has its own answer, and nothing is left behind.

Enters: LAB_PROGRAM; IPython; a seed, printed (LAB_SEED repeats it). Leaves: one unittest verdict."""
import contextlib
import importlib.util
import io
import os
import pathlib
import random
import signal
import sys
import tempfile
import threading
import time
import unittest

if not importlib.util.find_spec("IPython"):
    raise SystemExit(77)
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/drawn")]
os.environ["LAB_ROOT"] = str(ROOT)
os.environ["LAB_LANG"] = "en"
import draws  # noqa: E402

from transpose_lab import LabError, judge  # noqa: E402

SOLUTION = (ROOT / "solutions/05_padding/transpose.cu").read_text(encoding="utf-8")
SKELETON = (ROOT / "solutions/05_padding/skeleton.cu").read_text(encoding="utf-8")
ENDLESS = SOLUTION.replace("__syncthreads();", 'for (long i = 0; i < 1L << 40; ++i) asm volatile(""); __syncthreads();')
SLEEPS = "import subprocess, sys\nsubprocess.run(['sleep', '77'])\n"
SLOW = "template <int N> struct A { static const long v = A<N - 1>::v + N; };\ntemplate <> struct A<0> { static const long v = 0; };\n" \
    "#include <thrust/sort.h>\nint main() { for (volatile long i = 0; i < 1L << 40; i = i + 1) {} return A<800>::v; }\n"
RIGHT = {
    "solution": (f"%%lab_check 5\n{SOLUTION}", lambda value: value.passed),
    "by name": (f"%%lab_check padding --page\n{SOLUTION}", lambda value: value.passed and "<iframe" in value.page._repr_html_()),
    "skeleton": (f"%%lab_check 05\n{SKELETON}", lambda value: not value.passed and value.findings[0].code == "bank-conflict"),
    "profile": (f"%%lab_profile --rows 64 --cols 32\n{SKELETON}", lambda value: value.json["rows"] == 64 and value.correct),
    "python": ("%%lab_run --python -- a 'b c'\nimport sys\nprint(sys.argv[1:])\n", lambda value: value.stdout == "['a', 'b c']\n"),
    "python that fails": ("%%lab_run --python\nraise SystemExit(3)\n", lambda value: value.exit_code == 3),
    "no magic": ("1 + 1", lambda value: value == 2),
}
WRONG = {
    "no chapter": f"%%lab_check\n{SOLUTION}", "no such chapter": f"%%lab_check 99\n{SOLUTION}", "words": f"%%lab_check 5 6\n{SOLUTION}",
    "no kernel": "%%lab_check 5\n\n", "no cell": "%%lab_check 5", "syntax": f"%%lab_check 5\n{SOLUTION[:-40]}", "prose": "%%lab_profile\nhello\n",
    "rows": f"%%lab_profile --rows many\n{SKELETON}", "no rows": f"%%lab_profile --rows 0\n{SKELETON}", "huge": f"%%lab_profile --rows 9000000000\n{SKELETON}",
    "block": f"%%lab_profile --block 32y8\n{SKELETON}", "entry": f"%%lab_profile --entry nothing\n{SKELETON}", "option": "%%lab_run --no-such\nint main() {}\n",
    "quote": "%%lab_run \"\nint main() {}\n", "quote behind": "%%lab_run --python -- '\nprint()\n", "picture": "%lab_picture no/such.svg",
    "outside": "%lab_picture ../README.md", "no picture": "%lab_picture", "gpu": "%lab_gpu voodoo2", "cell words": "%%lab_cell now\n1\n",
    "nul": f"%%lab_check 5\n\0{SOLUTION}", "surrogate": f"%%lab_check 5\n// \udc80\n{SOLUTION[:-40]}",
}
# What stops them is the interrupt alone, long before their own limits.
INTERRUPTED = {"endless": f"%%lab_check 5\n{ENDLESS}", "sleeps": f"%%lab_run --python\n{SLEEPS}", "compiles": f"%%lab_run\n{SLOW}"}


def children(of: int) -> set[int]:
    """Every process below this one."""
    below: dict[int, list[int]] = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
            below.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, left = set(), [of]
    while left:
        for child in below.get(left.pop(), []):
            found.add(child)
            left.append(child)
    return found


def sleepers() -> list[str]:
    """The program of SLEEPS, wherever it hangs in the tree by now."""
    found = []
    for command in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if command.read_bytes() == b"sleep\x0077\x00":
                found.append(command.parent.name)
    return found


class Cells(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.shell = InteractiveShell.instance()
        cls.shell.run_line_magic("load_ext", "transpose_lab")

    def cell(self, text: str):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            done = self.shell.run_cell(text)
        return done, done.error_in_exec or done.error_before_exec, said.getvalue()

    def test_a_page_comes_with_one_card(self) -> None:
        from IPython.utils.capture import capture_output
        with capture_output() as shown:
            done = self.shell.run_cell(f"%%lab_check 5 --page\n{SKELETON}")
        self.assertEqual(shown.outputs, [])  # nothing but the cell's value, which the notebook shows once
        self.assertEqual([done.result._repr_html_().count(words) for words in ("not yet", "<iframe")], [1, 1])
        done.result.below = None
        self.assertNotIn("<iframe", done.result._repr_html_())

    def test_drawn_cells(self) -> None:
        draw = draws.drawn("cells of a notebook")
        before = set(sleepers())
        with tempfile.TemporaryDirectory() as folder:
            os.environ["TMPDIR"] = tempfile.tempdir = folder
            for _ in range(draws.draws_of_run(12)):
                self.one(draw)
            judge.shared().close()
            self.assertEqual(os.listdir(folder), [])
        tempfile.tempdir = None
        del os.environ["TMPDIR"]
        self.assertEqual(set(sleepers()) - before, set())

    def one(self, draw: random.Random) -> None:
        kind = draw.choice(["right", "right", "wrong", "wrong", "interrupted"])
        name = draw.choice(list({"right": RIGHT, "wrong": WRONG, "interrupted": INTERRUPTED}[kind]))
        with self.subTest(kind=kind, name=name):
            if kind == "right":
                text, holds = RIGHT[name]
                done, error, said = self.cell(text)
                self.assertIsNone(error, said)
                self.assertTrue(holds(done.result), said)
            elif kind == "wrong":
                done, error, said = self.cell(WRONG[name])
                self.assertIn(type(error), (type(None), UsageError, LabError), said)
                self.assertTrue(said.strip())
                self.assertNotIn("\n  File ", said if error is None else "")
                self.assertFalse(done.result, said)  # a card of what does not compile is one that did not pass
            else:
                self.interrupt(INTERRUPTED[name], draw.choice([0.05, 0.2, 0.6]))

    def interrupt(self, text: str, after: float) -> None:
        self.cell("1")
        timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
        start = time.monotonic()
        timer.start()
        done = None
        try:
            done, error, said = self.cell(text)
            timer.join()
            self.assertIs(type(error), KeyboardInterrupt, said)
        except KeyboardInterrupt:  # it had ended by itself: of an endless kernel the judge says so
            self.assertTrue(done is not None and done.result is not None and not done.result.passed)
        self.assertLess(time.monotonic() - start, after + 8)
        self.assertLessEqual(len(children(os.getpid())), 2)  # the judge, and a compiler of it that ends


if __name__ == "__main__":
    unittest.main()
