"""The whole course at once: the solutions as a clone has them, and as loose files, get full points in every chapter.

Enters: the built lab (LAB_PROGRAM), solutions/. Leaves: one unittest verdict."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["LAB_PROGRAM"]


class WholeCourse(unittest.TestCase):
    def graded(self, place) -> dict:
        """What `lab grade` says of one student, whose kernels lie where `place` puts the one of a chapter."""
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            for solution in sorted((ROOT / "solutions").glob("*/transpose.cu")):
                kernel = work / "class" / "ada" / place(solution.parent.name)
                kernel.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(solution, kernel)
            done = subprocess.run([PROGRAM, "grade", str(work / "class"), "--out", str(work / "out"), "--no-sandbox"], capture_output=True, text=True,
                                  env={**os.environ, "LAB_ROOT": str(ROOT)})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return json.loads((work / "out/results.json").read_text(encoding="utf-8"))

    def test_full_points_in_every_chapter(self):
        chapters = sorted(path.parent.name for path in (ROOT / "solutions").glob("*/transpose.cu"))
        for place in (lambda chapter: f"chapters/{chapter}/transpose.cu", lambda chapter: f"{chapter}.cu"):
            student, = self.graded(place)["students"]
            with self.subTest(place(chapters[0])):
                self.assertEqual(student["problems"], [])
                self.assertEqual([chapter["chapter"] for chapter in student["chapters"]], chapters)
                for chapter in student["chapters"]:
                    self.assertEqual(chapter["points"], chapter["points_possible"], chapter["chapter"])


if __name__ == "__main__":
    unittest.main()
