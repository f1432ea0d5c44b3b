"""What the built-in compiler says of beginners' mistakes: the right line, a caret, and what to write; several in one run; in Chinese too."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import compilers
import snippets

HEAD = ['#include "common/kernel/lab.cuh"', "LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};",
        'extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {']


class Messages(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def said(self, lines):
        source = self.folder / "kernel.cu"
        source.write_text("\n".join([*HEAD, *lines, "}", ""]), encoding="utf-8")
        ok, log = compilers.builtin(source, self.folder / "kernel.ptx")
        return ok, log

    def test_mistakes_of_beginners(self):
        self.assertGreaterEqual(len(snippets.ROWS), 60)
        for lines, line, words in snippets.ROWS:
            with self.subTest(lines=lines):
                ok, log = self.said(lines)
                self.assertEqual(ok, "warning: " in log and "error: " not in log, log)
                blamed = [int(found[1]) for found in re.finditer(r"kernel\.cu:(\d+):\d+: (?:error|warning): .*", log) if words in found[0]]
                self.assertTrue(blamed, log)
                if line:
                    self.assertIn(line + len(HEAD), blamed, log)
                self.assertRegex(log, r"\n *\t*\^\n")

    def test_in_chinese(self):
        """Whole sentences: no English is left beside what is quoted."""
        for lines, _, _ in snippets.ROWS:
            self.said(lines)
            done = subprocess.run([os.environ["LAB_PROGRAM"], "--lang", "zh", "--compiler", "builtin", "ptx", str(self.folder / "kernel.cu")],
                                  capture_output=True, text=True, errors="replace")
            said = re.findall(r"kernel\.cu:\d+:\d+: (?:error|warning): (.*)", done.stdout + done.stderr)
            self.assertEqual(bool(said), done.returncode != 0, done.stdout + done.stderr)  # a warning of a right kernel is not in a list of PTX
            for words in said:
                bare = re.sub(r"'[^']*'|`[^`]*`|<[^>]*>|unsigned \w+", "", words)
                self.assertTrue(re.search(r"[\u4e00-\u9fff]", bare) and not re.search(r"[a-z]{2,} [a-z]{2,}", bare), words)

    def test_several_in_one_run(self):
        ok, log = self.said(["int a = b;", "float* p = 5;", "out[0] = in[0]", "int c = a;", "rows.x = 1;"])
        self.assertFalse(ok)
        self.assertEqual(log.count("error: "), 4, log)  # `a` had a mistake already, so its use has none
        self.assertIn("4 errors", log)

    def test_a_type_of_a_header_is_blamed_where_it_is_asked_for(self):
        ok, log = self.said(["}", '#include "common/kernel/words.cuh"',
                             "template <int N> __device__ void take() {", "using Part = lab::Word<N>;", "Part line[4];", "}",
                             "__global__ void other() { take<32>();"])
        self.assertFalse(ok)
        self.assertRegex(log, rf"kernel.cu:{len(HEAD) + 4}:\d+: error: the struct 'lab::WordOf' is only declared")
        self.assertNotIn("there is no type 'Part'", log)

    def test_what_it_does_not_know_has_an_exit_code_of_its_own(self):
        """`lab check` shows this compiler's words before NVRTC's only where the first mistake is the student's."""
        source = self.folder / "kernel.cu"
        for lines, code in ((["float x = erff(1.0f);"], 3), (["__nv_fast(1);"], 3), (["#include <cuda_fp16.h>"], 3),
                            (["float x = erff(1.0f);", "float* p = 5;"], 3), (["float* p = 5;", "float x = erff(1.0f);"], 1), (["out[0] = b;"], 1)):
            source.write_text("\n".join([*HEAD, *lines, "}", ""]), encoding="utf-8")
            done = subprocess.run(compilers.builtin_words(source, self.folder / "kernel.ptx"), cwd=compilers.ROOT, capture_output=True, text=True)
            self.assertEqual(done.returncode, code, (lines, done.stderr))

    def test_a_long_line_is_cut_around_the_place(self):
        ok, log = self.said(["out[0] = /*" + "ä" * 9000 + "*/ wide /*" + "ä" * 9000 + "*/;"])
        self.assertFalse(ok)
        shown, caret = log.split("\n")[1:3]
        self.assertLess(len(shown), 500)
        self.assertEqual(shown[caret.index("^"):][:4], "wide")

    def test_right_code_says_nothing(self):
        ok, log = self.said(["out[threadIdx.x] = in[threadIdx.x];"])
        self.assertTrue(ok, log)
        self.assertEqual(log, "")


if __name__ == "__main__":
    unittest.main()
