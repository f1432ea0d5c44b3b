"""`lab similar` on a small class: a copy in disguise, honest work, the skeleton, the solution, and something broken.

Enters: LAB_PROGRAM. Leaves: one unittest verdict; 77 when compilers cannot be walled in, or there is no clang."""
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import drawn_kernels
import ordinary
import thirty

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from drawn.draws import drawn, draws_of_run  # noqa: E402

PROGRAM = os.environ["LAB_PROGRAM"]
ROOT = pathlib.Path(__file__).resolve().parents[3]
SOLUTION = (ROOT / "solutions" / "05_padding" / "transpose.cu").read_text()

# Works, in a way of its own: odd loops and odd names that no one else would think of.
OWN = """#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {16, 16}, .tile = {32, 32}, .block_x_walks = kCols};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float corner[32][35];
  const int left = blockIdx.x * 32, top = blockIdx.y * 32;
  for (int part = 3; part >= 0; --part) {
    const int y = top + (part & 1) * 16 + threadIdx.y, x = left + (part >> 1) * 16 + threadIdx.x;
    if (y < rows && x < cols) corner[y - top][x - left] = in[size_t(y) * cols + x] * 1.0f + 0.0f;
  }
  __syncthreads();
  for (int part = 0; part < 4; ++part) {
    const int y = (part >> 1) * 16 + threadIdx.x, x = (part & 1) * 16 + threadIdx.y;
    if (top + y < rows && left + x < cols) out[size_t(left + x) * rows + top + y] = corner[y][x];
  }
}
"""


def disguised(text):
    """The same program: names, comments and layout changed."""
    for old, new in (("corner", "buf"), ("part", "k"), ("left", "colBase"), ("top", "rowBase")):
        text = re.sub(r"\b%s\b" % old, new, text)
    lines = text.replace("const int", "const  int").splitlines()
    return "// my own work\n" + "\n\n".join(lines).replace("LAUNCH_SHAPE", "// shape\nLAUNCH_SHAPE") + "\n"


def similar(*args, compiler="clang", **env):
    return subprocess.run([PROGRAM, "similar", *args, "--chapters", "5", "--compiler", compiler], capture_output=True, text=True,
                          env=dict(os.environ, LAB_ROOT=str(ROOT), **env), timeout=200)


class Similar(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.temporary.name)
        other = (ROOT / "tests" / "mutants" / "course" / "05_two_columns.cu").read_text()
        texts = {"ada": OWN, "bob": disguised(OWN), "cem": SOLUTION, "dan": SOLUTION + "// <script>alert(1)</script>\n",
                 "eve": (ROOT / "solutions" / "05_padding" / "skeleton.cu").read_text(), "fay": "nonsense\n", "gus": other,
                 "<img src=x onerror=alert(1)>": OWN}
        for student, text in texts.items():
            kernel = cls.root / "class" / student / "05_padding.cu"
            kernel.parent.mkdir(parents=True)
            kernel.write_text(text)
        done = similar(str(cls.root / "class"), "--json", "--page", str(cls.root / "similar.html"))
        assert done.returncode == 0, done.stderr
        cls.answer = json.loads(done.stdout)
        cls.pairs = cls.answer["chapters"][0]["pairs"]

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def pair(self, a, b):
        return next((p for p in self.pairs if {p["a"], p["b"]} == {a, b}), None)

    def test_the_disguised_copy_stands_first(self):
        pair = self.pair("ada", "bob")
        self.assertFalse(pair["same_text"])
        self.assertTrue(pair["same_instructions"])
        self.assertEqual(pair["beyond_solutions"], 1)
        first = [p for p in self.pairs if "cem" not in (p["a"], p["b"])][:3]
        self.assertIn(pair, first)
        self.assertTrue(self.pairs[0]["same_text"])

    def test_shared_lines_are_those_of_the_files(self):
        part = self.pair("ada", "bob")["parts"][0]
        lines = len(OWN.splitlines())
        self.assertTrue(1 <= part["a"][0] <= part["a"][1] <= lines)
        self.assertGreater(part["b"][1], part["a"][1])  # the disguise has more lines

    def test_what_everybody_has_is_no_sign(self):
        self.assertEqual([p for p in self.pairs if "eve" in (p["a"], p["b"])], [])
        self.assertEqual(self.answer["chapters"][0]["not_compiled"], 1)
        self.assertEqual(sorted(self.answer["chapters"][0]["like_solution"]), ["cem", "dan"])
        self.assertEqual(self.pair("cem", "dan")["beyond_solutions"], 0)
        self.assertLess((self.pair("ada", "gus") or {"beyond_solutions": 0})["beyond_solutions"], 0.6)

    def test_words_and_page(self):
        done = similar(str(self.root / "class"), "--plain")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Small correct kernels converge", done.stdout)
        page = (self.root / "similar.html").read_text()
        self.assertIn("Small correct kernels converge", page)
        self.assertNotIn("<script", page)
        self.assertNotIn("<img", page)
        self.assertIn("&lt;script&gt;", page)
        self.assertIn('class="shared"', page)

    def test_bad_input(self):
        self.assertEqual(similar(str(self.root / "nowhere")).returncode, 2)
        self.assertEqual(similar(str(self.root / "class"), LAB_BWRAP="").returncode, 3)
        self.assertEqual(similar(str(self.root / "class"), "--no-sandbox", LAB_BWRAP="").returncode, 0)


class Thirty(unittest.TestCase):
    """Thirty kernels that were not copied, and eight copies of one. The table of docs/grading_large.md is what is found here."""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**thirty.THIRTY, "original": thirty.ORIGINAL, **thirty.COPIES, **thirty.DISGUISES}.items():
                kernel = pathlib.Path(folder, name, "05_padding.cu")
                kernel.parent.mkdir()
                kernel.write_text(text)
            done = similar(folder, "--json", "--most", "1000", compiler="nvrtc")
        if done.returncode == 3:
            raise unittest.SkipTest(done.stderr)
        assert done.returncode == 0, done.stderr
        cls.pairs = {frozenset((p["a"], p["b"])): p for p in json.loads(done.stdout)["chapters"][0]["pairs"]}

    def test_every_copy_does_what_its_original_does(self):
        family = ["original", *thirty.COPIES]
        for pair in itertools.combinations(family, 2):
            self.assertEqual(self.pairs[frozenset(pair)]["does_beyond_solutions"], 1, pair)
        for pair in self.pairs:
            self.assertNotEqual(len(pair & {*family, *thirty.DISGUISES}), 1, pair)  # no original is taken for a copy

    def test_independent_work_stays_apart(self):
        pairs = [pair for names, pair in self.pairs.items() if names <= set(thirty.THIRTY)]
        self.assertEqual([p for p in pairs if p["does_beyond_solutions"] >= 0.9], [])
        for language, words in (("", f"{len(pairs)} of the 435 pairs"), (".zh", f"435 对中有 {len(pairs)} 对")):
            self.assertTrue(words in (ROOT / f"docs/grading_large{language}.md").read_text(), f"docs/grading_large{language}.md should say: {words}")

    def test_further_disguises(self):
        found = [self.pairs[pair] for name in thirty.DISGUISES if (pair := frozenset((name, "original"))) in self.pairs]
        same = [pair for pair in found if pair["does"] >= 0.9]
        for language, words in (("", f"Of {len(thirty.DISGUISES)} further disguises"), ("", f"{len(found)} are\nlisted, {len(same)} of them as doing the same"),
                                (".zh", f"另外 {len(thirty.DISGUISES)} 种伪装"), (".zh", f"列出了 {len(found)} 种，其中 {len(same)} 种算作做同样的事")):
            self.assertTrue(words in (ROOT / f"docs/grading_large{language}.md").read_text(), f"docs/grading_large{language}.md should say: {words}")

    def test_the_table_of_the_docs(self):
        rows = [f"| `{name}` | {100 * self.pairs[frozenset((name, 'original'))]['shared']:.0f} % "
                f"| {100 * self.pairs[frozenset((name, 'original'))]['does']:.0f} % |" for name in thirty.COPIES]
        for language in ("", ".zh"):
            text = (ROOT / f"docs/grading_large{language}.md").read_text()
            self.assertEqual([row for row in rows if row not in text], [])


def compared(texts, compiler="nvrtc"):
    """What is listed of these kernels: pairs → entry, strong ones and weaker ones."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            kernel = pathlib.Path(folder, name, "05_padding.cu")
            kernel.parent.mkdir()
            kernel.write_text(text)
        done = similar(folder, "--json", "--most", "100000", compiler=compiler)
    if done.returncode == 3:
        raise unittest.SkipTest(done.stderr)
    assert done.returncode == 0, done.stderr
    chapter = json.loads(done.stdout)["chapters"][0]
    assert chapter["not_compiled"] == 0, "a kernel of the test does not compile"
    return [{frozenset((p["a"], p["b"])): p for p in chapter[which]} for which in ("pairs", "weaker")]


class OrdinaryTile(unittest.TestCase):
    """Where every right kernel does the same, how it is written decides. docs/grading_large.md has the figures."""

    def test_ten_copies_and_120_honest_pairs(self):
        strong, weaker = compared({**ordinary.HONEST, "original": ordinary.ORIGINAL, **ordinary.COPIES})
        found = [name for name in ordinary.COPIES if frozenset((name, "original")) in strong | weaker]
        honest = [pair for pair in strong | weaker if pair <= set(ordinary.HONEST)]
        self.assertLessEqual(len(honest), 1, honest)
        for language, words in (("", f"{len(found)} of the ten copies"), ("", f"{len(honest)} of the 120 honest pairs"),
                                (".zh", f"十份抄件中的 {len(found)} 份"), (".zh", f"120 对诚实的里有 {len(honest)} 对")):
            self.assertTrue(words in (ROOT / f"docs/grading_large{language}.md").read_text(), f"grading_large{language}.md should say: {words}; found {found}")

    def test_drawn_copies(self):
        draw = drawn("copies in disguise on an ordinary tile")
        found = copies = honest = pairs = 0
        for _ in range(draws_of_run(1)):
            people = drawn_kernels.people(draw, 16)
            changed = dict(drawn_kernels.disguised(draw, people[0]) for _ in range(12))
            strong, weaker = compared({**{f"h{i}": drawn_kernels.text_of(g) for i, g in enumerate(people)},
                                       **{f"copy {kind}": drawn_kernels.text_of(g) for kind, g in changed.items()}})
            copies += len(changed)
            found += sum(frozenset((f"copy {kind}", "h0")) in strong | weaker for kind in changed)
            pairs += 120
            honest += sum(all(name.startswith("h") for name in pair) for pair in weaker)
        print(f"copies: {found} of {copies}; honest pairs in the weaker list: {honest} of {pairs}")
        self.assertGreaterEqual(found, 0.6 * copies)
        self.assertLessEqual(honest, 0.1 * pairs)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "ann.cu").write_text(SOLUTION)
        pathlib.Path(folder, "bob.cu").write_text(SOLUTION)
        tried = similar(folder)
    if tried.returncode == 3:
        print("skipped: " + tried.stderr)
        sys.exit(77)
    unittest.main()
