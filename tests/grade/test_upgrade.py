"""A course is upgraded in the middle of a term: the rubric, the class and the records of the version before.

Enters: LAB_PROGRAM; tests/grade/upgrade (a class, its rubric, its hand-ins, and in records.tar.gz the records that the version of November 2026 wrote
about it, with clang 14).
Leaves: whether today's version comes to the same points and verdicts, record by record. A difference that is meant stands in DIFFERS with its reason, and
`lab grade verify` has to name it. 77 without clang."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

LAB = os.environ["LAB_PROGRAM"]
HERE = pathlib.Path(__file__).resolve().parent / "upgrade"
# "student/chapter" → why today's verdict is another one
DIFFERS = {"eve/17_read_the_profiler.json": "other kernels stand behind the tables, and a finding names the row that proves it",
           **dict.fromkeys(("ada/05_padding.json", "ada/06_xor_swizzle.json", "bob/05_padding.json"),
                           "05 and 06 ask for the wavefronts of other tiles, where both answers were 1")}
# The same points; wrong predictions are compared with another count (05), and have no figures of their own any more (02).
OTHER_REASONS = {"cem/05_padding.json", "bob/02_coalescing.json"}
DECIDES = ("student", "chapter", "state", "untouched", "key", "passed", "points", "points_possible", "diagnosis", "file", "submitted", "late_percent")


def lab(*words):
    return subprocess.run([LAB, "--plain", "--compiler", "clang", *map(str, words)], capture_output=True, text=True, timeout=250)


class Upgrade(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="lab-upgrade-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        shutil.copytree(HERE, cls.folder / "term")
        for before in (cls.folder / "before", cls.folder / "term"):
            shutil.unpack_archive(HERE / "records.tar.gz", before)
        cls.out = cls.folder / "term/out"
        done = lab("grade", "run", cls.folder / "term/class", "--rubric", cls.folder / "term/rubric.toml", "--chapters", "1,2,5,6,17",
            "--no-sandbox", "--out", cls.out)
        if done.returncode == 3:
            print(done.stderr)
            sys.exit(77)
        assert done.returncode == 0, done.stdout + done.stderr
        cls.said = done.stdout
        written = cls.folder / "before/out/records"
        cls.records = {str(path.relative_to(written)): json.loads(path.read_text()) for path in sorted(written.rglob("*.json"))}

    def test_points_are_the_same(self):
        self.assertGreater(len(self.records), 20)
        for name, before in self.records.items():
            now = json.loads((self.out / "records" / name).read_text())
            same = {key: before.get(key) for key in DECIDES} == {key: now.get(key) for key in DECIDES} and \
                [(c["id"], c["passed"], c["points"], c["credit"]) for c in before["cases"]] == [(c["id"], c["passed"], c["points"],
                    c["credit"]) for c in now["cases"]]
            self.assertNotEqual(same, name in DIFFERS, f"{name}: {before} {now}")

    def test_a_rerun_says_whose_points_changed(self):
        lines = [line for line in self.said.splitlines() if "points before" in line]
        self.assertEqual(len(lines), sum(self.records[name]["points"] != json.loads((self.out / "records" / name).read_text())["points"] for name in DIFFERS))

    def test_verify_says_what_differs_and_why(self):
        """The old record, beside its sources and rubric, judged by today's version."""
        old = self.folder / "old"
        shutil.copytree(self.folder / "before/out", old / "out")
        shutil.copy2(HERE / "rubric.toml", old / "out/rubric.toml")
        (old / "out/sources").mkdir(exist_ok=True)
        for source in (self.out / "sources").iterdir():
            shutil.copy2(source, old / "out/sources" / source.name)
        for name, before in self.records.items():
            if not before["hashes"]["submission"] or name.startswith("dan/"):  # what a compiler says is its own
                continue
            with self.subTest(name=name):
                done = lab("grade", "verify", old / "out/records" / name)
                self.assertIn(done.returncode, (0, 1), done.stderr)
                if done.returncode == 0:
                    continue
                self.assertIn("differs", done.stdout)
                # Each tool that differs is named with what it changes, and the verdict is said to be the same.
                if name not in DIFFERS:  # then cases stand there, whatever made them
                    self.assertIn("another version" if "simulator" in done.stdout or "checks" in done.stdout else "differs", done.stdout)
                the_same = name not in DIFFERS and name not in OTHER_REASONS
                self.assertEqual("The verdict is the same; it was reached with other tools." in done.stdout, the_same, done.stdout)


if __name__ == "__main__":
    unittest.main()
