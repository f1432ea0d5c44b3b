"""Programs drawn at random write the same on the simulator, compiled by NVRTC and by the built-in compiler; files as students write them
are accepted by both."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import changed
import compilers
import corners
import drawn
import habits
import maths
import students
from tests.drawn.draws import draws_of_run

import classes

COUNT = 16  # a long run: LAB_DRAWS=625 for 10,000
VALUES = 20  # of each kind, for each of 128 threads
# What failed once: jumps out of loops that end early; a product with 1; `auto` and a copy; a move from a float whose type was an integer's.
# What a jump passes by, shared where the ways meet again.
KEPT = [10, 19, 24, 52, 54, 57, 950013, 105553720]
KEPT_CORNERS = [950007, 950010, 2697547809, 1660630585, 932022676, 2080487325]
KEPT_CHANGED = [1528680510]  # a lambda that captures nothing names variables


LIBRARY = compilers.nvrtc_library()


class Drawn(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def test_programs_write_the_same(self):
        texts = {f"drawn_{seed}": drawn.kernel(seed) for seed in compilers.seeds(COUNT, KEPT)}
        texts |= {f"corners_{seed}": corners.kernel(seed) for seed in compilers.seeds(COUNT, KEPT_CORNERS)}
        self.write_the_same(texts)

    def test_classes_captures_and_packs_write_the_same(self):
        self.write_the_same(classes.texts())

    def test_functions_of_the_library_have_the_same_bits(self):
        self.write_the_same(maths.texts(draws_of_run(VALUES)))

    def write_the_same(self, texts):
        pairs = []
        for name, (nvrtc_ok, said), (ok, message) in compilers.both(LIBRARY, self.folder, texts):
            self.assertTrue(nvrtc_ok, f"{name}: a program that NVRTC refuses: {said[:600]}")
            self.assertTrue(ok, f"{name}: {message[:600]}")
            pairs += [f"{self.folder}/{name}.nvrtc.ptx", f"{self.folder}/{name}.builtin.ptx"]
            self.takes_it(pairs[-1])
        done = subprocess.run([os.environ["CUCC_PAIRS"], *pairs], capture_output=True, text=True)
        print(done.stdout.splitlines()[-1])
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])

    def takes_it(self, ptx):
        """ptxas, where there is one: a register of another kind in a move is a fault that no simulator sees."""
        if assembler := shutil.which("ptxas"):
            done = subprocess.run([assembler, "-arch=sm_90", "-o", ptx + ".cubin", ptx], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, f"{ptx}: {done.stdout}{done.stderr}")

    def test_a_difference_is_seen(self):
        texts = {"as_is": drawn.kernel(1), "changed": drawn.kernel(1).replace("acc = 1,", "acc = 2,")}
        compilers.both(LIBRARY, self.folder, texts)
        pair = [f"{self.folder}/as_is.nvrtc.ptx", f"{self.folder}/changed.builtin.ptx"]
        done = subprocess.run([os.environ["CUCC_PAIRS"], *pair], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout)

    def test_what_nvrtc_refuses_is_refused(self):
        texts = {f"changed_{seed}": changed.kernel(seed) for seed in compilers.seeds(COUNT, KEPT_CHANGED)}
        for name, (nvrtc_ok, said), (ok, _) in compilers.both(LIBRARY, self.folder, texts):
            self.assertFalse(ok and not nvrtc_ok, f"{name}: NVRTC says {said[:600]}")

    def test_habits_are_accepted(self):
        for name, (nvrtc_ok, said), (ok, message) in compilers.both(LIBRARY, self.folder, habits.texts()):
            self.assertTrue(nvrtc_ok, f"{name}: {said[:600]}")
            self.assertTrue(ok, f"{name}: {message[:600]}")

    def test_students_files_are_accepted(self):
        texts = {f"student_{seed}": students.kernel(seed) for seed in compilers.seeds(COUNT, [])}
        accepted = refused = 0
        for name, (nvrtc_ok, _), (ok, message) in compilers.both(LIBRARY, self.folder, texts):
            if not nvrtc_ok:  # a name twice in one block: a student's mistake, which both must find
                self.assertFalse(ok, f"{name}: NVRTC refuses it and the built-in compiler does not")
            elif ok:
                accepted += 1
            else:
                refused += 1
                print(f"{name}: {message[:400]}")
        self.assertGreaterEqual(accepted, .97 * (accepted + refused))


if __name__ == "__main__":
    if not LIBRARY:
        print("skipped: there is no NVRTC here. Run: ./lab setup")
        sys.exit(77)
    unittest.main()
