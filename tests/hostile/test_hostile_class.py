"""A class in which everybody but two is hostile: `lab grade` must judge all of them, for the reasons in table.tsv, and
the two keep every point.

Enters: LAB_PROGRAM. Leaves: one unittest verdict; 77 when `lab grade` cannot wall compilers in on this machine."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from test_hostile import HERE, PROGRAM, ROOT, SECRETS, make, rows

GOOD = ("aa_good", "zz_good")
# What the reader of a submission leaves out comes to the same: there is no kernel.
NOT_READ = {"made_link", "made_link_to_solution", "made_pipe", "made_folder", "made_odd_name"}

# Right transposes as far as they go: what they earn, any kernel earns.
RIGHT_IN_PART = {"shape_huge_grid", "predictions_written"}


def hand_in(folder, name):
    """One student, named like the trick."""
    student = folder / name
    student.mkdir()
    path = make(name, student)
    if student not in path.parents:
        kernel = student / "chapters" / "01_naive" / "transpose.cu"
        kernel.parent.mkdir(parents=True)
        kernel.write_bytes(path.read_bytes())
        (kernel.parent / "neighbour.h").write_bytes((HERE / "files" / "neighbour.h").read_bytes())
    elif path.name == "transpose.cu":
        path.parent.rename(student / "01_naive")
        (student / "chapters").mkdir()
        (student / "01_naive").rename(student / "chapters" / "01_naive")


class HostileClass(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        submissions = cls.root / "class"
        submissions.mkdir()
        for name, *_ in rows():
            hand_in(submissions, name)
        for name in GOOD:
            kernel = submissions / name / "chapters" / "01_naive" / "transpose.cu"
            kernel.parent.mkdir(parents=True)
            kernel.write_bytes((ROOT / "solutions" / "01_naive" / "transpose.cu").read_bytes())
        cls.done = cls.grade(submissions)

    @classmethod
    def grade(cls, submissions):
        env = dict(os.environ, LAB_ROOT=str(ROOT), LAB_CACHE_DIR=str(cls.root / "cache"), LAB_COMPILE_SECONDS="4", TERM="xterm")
        return subprocess.run(
            [PROGRAM, "grade", str(submissions), "--chapters", "1", "--compiler", "clang", "--out", str(cls.root / "out")],
            capture_output=True, env=env, timeout=900, cwd=cls.root)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def record(self, student):
        return json.loads((self.root / "out" / "records" / student / "01_naive.json").read_text())

    def test_the_run_came_to_its_end(self):
        self.assertEqual(self.done.returncode, 0, self.done.stdout[-2000:] + self.done.stderr[-2000:])

    def test_the_others_keep_every_point(self):
        for student in GOOD:
            record = self.record(student)
            self.assertTrue(record["passed"])
            self.assertEqual(record["points"], record["points_possible"])

    def test_each_gets_its_diagnosis(self):
        for name, _, codes, _words in rows():
            with self.subTest(name):
                record = self.record(name)
                self.assertFalse(record["passed"])
                self.assertIn(record["diagnosis"], codes + (["no-kernel"] if name in NOT_READ else []))
                if name not in RIGHT_IN_PART:
                    self.assertEqual(record["points"], 0)
                self.assertLess(record["points"], record["points_possible"])

    def test_nothing_leaks_and_nothing_is_left(self):
        for path in (self.root / "out" / "records").rglob("*.json"):
            text = path.read_text("utf-8")
            for secret in (*SECRETS, str(self.root), str(ROOT)):
                self.assertNotIn(secret, text, path)
        for said in (self.done.stdout, self.done.stderr):
            text = said.decode("utf-8", "strict")
            self.assertEqual([c for c in text if c < " " and c not in "\n\t"], [])
        self.assertEqual([p for p in self.root.rglob("*") if p.name in ("HOSTILE_RAN", "verdict.json")], [])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as empty:
        (pathlib.Path(empty) / "01.cu").write_text("\n")
        tried = subprocess.run([PROGRAM, "grade", empty, "--one", "--chapters", "1", "--compiler", "clang", "--out", empty + "/out"],
                               capture_output=True, env=dict(os.environ, LAB_ROOT=str(ROOT)))
    if tried.returncode == 3:
        print("skipped: " + tried.stderr.decode())
        sys.exit(77)
    unittest.main()
