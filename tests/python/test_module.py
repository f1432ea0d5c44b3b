"""The Python module: results as objects, the process that stays, the magics.

Enters: LAB_PROGRAM; numpy and IPython for the parts that use them. Leaves: one unittest verdict; parts whose packages are not here are skipped."""
import array
import contextlib
import importlib.util
import io
import os
import pathlib
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/drawn")]
os.environ["LAB_ROOT"] = str(ROOT)
import draws  # noqa: E402

import transpose_lab as lab  # noqa: E402
from transpose_lab import html, judge, results  # noqa: E402

SOLUTION = (ROOT / "solutions/05_padding/transpose.cu").read_text(encoding="utf-8")
SKELETON = (ROOT / "solutions/05_padding/skeleton.cu").read_text(encoding="utf-8")
SCALE = """extern "C" __global__ void scale(float* y, const float* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
"""


class Module(unittest.TestCase):
    def test_check(self) -> None:
        good, bad = lab.check(5, SOLUTION), lab.check("padding", SKELETON)
        self.assertTrue(good and good.passed)
        self.assertEqual(good.points, good.points_possible)
        self.assertFalse(bad)
        self.assertEqual(bad.findings[0].code, "bank-conflict")
        self.assertTrue(bad.findings[0].remedy and bad.findings[0].line)
        self.assertGreater(bad.counters["shared_load"]["wavefronts"], good.counters["shared_load"]["wavefronts"])
        worst = max(bad.lines, key=lambda line: line.cost - line.ideal)
        self.assertEqual((worst.line, worst.op, worst.unit), (bad.findings[0].line, "shared_load", "wavefronts"))
        self.assertIn("bank", bad._repr_html_())
        self.assertNotIn("\x1b", bad._repr_html_() + str(bad))
        self.assertIn("<iframe", bad.page._repr_html_())

    def test_profile_of_text_and_file(self) -> None:
        text = lab.profile(SKELETON, rows=64, cols=96)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "my kernel.cu")
            file.write_text(SKELETON, encoding="utf-8")
            for named in (file, str(file)):
                self.assertEqual(lab.profile(named, rows=64, cols=96).counters, text.counters)
        self.assertTrue(text.correct)
        self.assertEqual(text.json["rows"], 64)

    def test_errors(self) -> None:
        for code, work in (("bad-request", lambda: lab.check(99, SKELETON)), ("not-a-kernel", lambda: lab.check(5, "\n")),
                           ("does-not-compile", lambda: lab.profile("int x\n")), ("bad-request", lambda: lab.launch(SCALE, 1, 1))):
            with self.assertRaises(lab.LabError) as raised:
                work()
            self.assertEqual(raised.exception.code, code)
        self.assertIn("pad", lab.explain("bank-conflict").lower() + "pad")

    def test_launch_fills_buffers_in_place(self) -> None:
        draw = draws.drawn("buffers of launch")
        for _ in range(draws.draws_of_run(3)):
            n, block = draw.randint(1, 200), draw.choice([1, 7, 32, 64])
            x = array.array("f", [draw.randint(-9, 9) for _ in range(n)])
            y = array.array("f", [0] * n)
            ran = lab.launch(SCALE, -(-n // block), block, y, x, 2.0, n)
            self.assertEqual((list(y), ran.findings, ran.kernel), ([2 * one for one in x], [], "scale"))
        self.assertIn("scale", ran._repr_html_())

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "no numpy")
    def test_elements_of_another_type_have_a_note(self) -> None:
        """numpy's own float has 8 bytes: a float* reads halves of it."""
        import numpy as np
        for kind, notes in (("float32", 0), ("float64", 1), ("int32", 1), ("uint8", 0)):
            with self.subTest(kind):
                ran = lab.launch(SCALE, 1, 8, np.zeros(8, np.float32), np.ones(32, kind), 1.0, 8)
                self.assertEqual((len(ran.notes), str(ran).count(f"note: Argument 2 holds {kind}")), (notes, notes))
                self.assertEqual(ran._repr_html_().count("takes it for <code>const float</code>"), notes)

    def test_a_flood_is_shown_short(self) -> None:
        flood = "".join(f"line {number}\n" for number in range(300_000))
        ran = results.Run([], stdout=flood)
        for shown in (repr(ran), ran._repr_html_()):
            self.assertLess(len(shown), 20_000)
            for words in ("line 0\n", "line 299999", "more lines", "stdout"):
                self.assertIn(words, shown)
        self.assertEqual(str(ran), flood)
        self.assertEqual(repr(results.Run([], stdout="a\nb\n")), "a\nb\n")

    def test_code_in_a_finding_is_code(self) -> None:
        shown = results.findings_list([results.Finding("shared-race", "put `__syncthreads()` there", "a < b, `c`")])
        self.assertIn("<code>__syncthreads()</code>", shown)
        self.assertIn("a &lt; b, <code>c</code>", shown)
        self.assertNotIn("`", shown)

    @unittest.skipUnless(importlib.util.find_spec("numpy"), "no numpy")
    def test_drawn_arrays(self) -> None:
        """Whatever array comes: what the kernel saw and left is what numpy sees, or LabError says why not; numbers arrive as C++ converts them."""
        import numpy as np
        draw = draws.drawn("arrays of launch")
        names = {"float32": "float", "float64": "double", "int32": "int", "uint8": "unsigned char", "int64": "long long"}
        for _ in range(draws.draws_of_run(6)):
            kind, n = draw.choice(list(names)), draw.randint(1, 70)
            source = f"""extern "C" __global__ void add({names[kind]}* y, const {names[kind]}* x, {names[kind]} a, int n) {{
  const int i = threadIdx.x; if (i < n) y[i] = x[i] + a; }}\n"""
            base = np.arange(4 * n, dtype=kind)
            x = {"plain": base[:n].copy(), "column": base.reshape(-1, 4)[:, 1], "reversed": base[:n][::-1], "square": base.reshape(2, 2, n)[0, :1].copy(),
                 "fortran": np.asfortranarray(base[:2 * (n // 2 + 1)].reshape(2, -1)), "objects": np.array([object()] * n)}
            how = draw.choice(list(x))
            given, twice = x[how], how == "plain" and draw.random() < 0.5
            y = given if twice else np.zeros(given.shape, given.dtype)
            number = draw.choice([3, np.int64(3), np.float32(3), 3.0]) if kind.startswith("float") else draw.choice([3, np.int16(3), True])
            with self.subTest(kind=kind, how=how, twice=twice, number=repr(number)):
                wanted = None if how == "objects" else given + np.asarray(number).astype(kind)
                launch = lambda y=y, given=given, number=number, source=source: lab.launch(source, 1, 96, y, given, number, given.size)
                if how == "objects" or not given.flags.c_contiguous:
                    with self.assertRaises(lab.LabError):
                        launch()
                else:
                    self.assertEqual(launch().findings, [])
                    np.testing.assert_array_equal(y, wanted)
        whole = np.zeros(8, np.float32)
        with self.assertRaises(lab.LabError):  # they overlap, and a launch has them apart
            lab.launch(SCALE, 1, 8, whole[:7], whole[1:], 1.0, 7)
        for number in (float("nan"), float("inf"), -float("inf"), np.float32("nan")):
            lab.launch('extern "C" __global__ void put(float* y, float a) { y[0] = a; }\n', 1, 1, whole, number)
            np.testing.assert_array_equal(whole[0], np.float32(number))
        for wrong in ("text", None, {1: 2}, 2 ** 70, 1j):
            with self.assertRaises(lab.LabError):
                lab.launch(SCALE, 1, 8, whole, whole, wrong, 8)

    def test_one_process_stays(self) -> None:
        lab.check(5, SOLUTION)
        process = judge.shared()._process
        best = min(self.seconds(lambda: lab.check(5, SOLUTION)) for _ in range(3))
        self.assertIs(judge.shared()._process, process)
        alone = min(self.seconds(self.check_in_a_new_process) for _ in range(3))
        print(f"a check in the process that stays: {best:.2f} s, in a new one: {alone:.2f} s")

    @staticmethod
    def check_in_a_new_process() -> None:
        one = judge.Judge()
        one.ask(op="check", chapter=5, source=SOLUTION)
        one.close()

    @staticmethod
    def seconds(work) -> float:
        start = time.monotonic()
        work()
        return time.monotonic() - start

    def test_threads_and_a_process_that_is_gone(self) -> None:
        found: list[bool] = []
        threads = [threading.Thread(target=lambda: found.append(lab.check(5, SOLUTION).passed)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [True] * 3)
        process = judge.shared()._process
        assert process is not None
        process.kill()
        process.wait()
        with self.assertRaises(lab.LabError):
            lab.explain("bank-conflict")
        self.assertTrue(lab.explain("bank-conflict"))

    def test_a_program_that_cannot_start(self) -> None:
        with mock.patch.dict(os.environ, LAB_PROGRAM="/bin/false"), self.assertRaises(lab.LabError) as raised:
            judge.Judge().ask(op="explain", code="bank-conflict")
        self.assertEqual(raised.exception.code, "environment")

    def test_html_escapes(self) -> None:
        self.assertEqual(html.plain("\x1b[1ma<b\x1b[0m"), "a<b")
        shown = html.terminal("\x1b[31mif (a < b)\x1b[0m & c")
        self.assertIn("a &lt; b", shown)
        self.assertEqual(shown.count("<span"), shown.count("</span>"))
        self.assertIn("&lt;script&gt;", html.table(["<script>"], [["x"]]))


@unittest.skipUnless(importlib.util.find_spec("IPython"), "no IPython")
class Magics(unittest.TestCase):
    def setUp(self) -> None:
        from IPython.core.interactiveshell import InteractiveShell
        self.shell = InteractiveShell.instance()
        self.shell.run_line_magic("load_ext", "transpose_lab")

    def test_cells(self) -> None:
        self.assertTrue(self.shell.run_cell_magic("lab_check", "5", SOLUTION).passed)
        self.assertEqual(self.shell.run_cell_magic("lab_profile", "--rows 64 --cols 32", SKELETON).json["rows"], 64)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertIsNone(self.shell.run_cell_magic("lab_profile", "", "int x\n"))
        self.assertIn("error", said.getvalue())
        self.assertIn("<svg", self.shell.run_line_magic("lab_picture", "05_padding/one_more_column.svg  # a picture").data)

    def test_python_in_a_process_of_its_own(self) -> None:
        ran = self.shell.run_cell_magic("lab_run", "--python -- 3", "import sys\nprint(int(sys.argv[1]) + 4)\n")
        self.assertEqual((ran.stdout, ran.exit_code, ran.launches), ("7\n", 0, []))


if __name__ == "__main__":
    unittest.main()
