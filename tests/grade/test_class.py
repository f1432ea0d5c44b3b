"""A class of sixty, graded: every oddity that an instructor met, twenty hostile kernels, runs that are cut off.

Enters: LAB_PROGRAM and LAB_ROOT. Leaves: one unittest verdict. expected.tsv has a line for each submission: state, points,
diagnosis, percent for being late, words of its message. Exit 77 where this machine cannot grade."""
import contextlib
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import classroom
import hostile_kernels

PROGRAM = os.environ["LAB_PROGRAM"]
HERE = pathlib.Path(__file__).resolve().parent


def grade(*args, **env):
    full = dict(os.environ, TERM="xterm", LAB_COMPILE_SECONDS="4", **env)
    done = subprocess.run([PROGRAM, "grade", *map(str, args)], capture_output=True, env=full, timeout=550)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def rows(out, name="chapters.csv"):
    with open(pathlib.Path(out, name), newline="", encoding="utf-8-sig") as file:
        return {row["student"].removeprefix("'"): row for row in csv.DictReader(file)}


def expected():
    with open(HERE / "expected.tsv", encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return {student: (state, points, set(codes.split("|")), late, words) for student, state, points, codes, late, words in lines}


class Class(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.students = classroom.make(cls.folder)
        cls.out = cls.folder / "out"
        cls.code, cls.text, cls.errors = grade(cls.students, "--chapters", "5", "--rubric", cls.folder / "rubric.toml", "--out",
                                               cls.out, "--format", "csv,json,html,gradescope,junit")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_every_row(self):
        self.assertEqual((self.code, self.errors), (0, ""), self.text)
        found, wanted = rows(self.out), expected()
        self.assertEqual(set(found), set(wanted))
        self.assertGreaterEqual(len(wanted), 60)
        for student, (state, points, codes, late, words) in wanted.items():
            with self.subTest(student=student):
                row = found[student]
                self.assertEqual((row["state"], row["points"], row["late_percent"]), (state, points, late), row)
                self.assertIn(row["diagnosis"], codes)
                self.assertIn(words, row["message"])

    def test_budgets_decide_and_not_the_clock(self):
        """No hostile kernel of ours needs the processor limit; what a budget ended stands in a record."""
        for name, (_, right) in hostile_kernels.KERNELS.items():
            record = json.loads((self.out / f"records/hostile_{name}/05_padding.json").read_text())
            self.assertNotIn(record["state"], ("stopped", "open"), name)
            if right and right[1]:
                self.assertIn(record["diagnosis"], right[1], name)
        times = json.loads((self.out / "times.json").read_text())
        self.assertAlmostEqual(times["processor_seconds"], sum(k["processor_seconds"] for k in times["kernels"]), places=3)
        self.assertGreater(max(k["work"] for k in times["kernels"]), 270_000_000)

    def test_tables_agree(self):
        grades, chapters = rows(self.out, "grades.csv"), rows(self.out)
        whole = json.loads((self.out / "results.json").read_text())
        self.assertTrue(whole["complete"])
        for student in whole["students"]:
            points = float(chapters[student["student"]]["points"])
            self.assertEqual(float(grades[student["student"]]["points"]), points)
            self.assertEqual(student["points"], points)
            self.assertEqual(grades[student["student"]]["without_verdict"], "0")
            gradescope = json.loads((self.out / f"gradescope/{student['student']}.json").read_text())
            self.assertEqual(gradescope["score"], points)

    def test_who_is_missing_or_twice_is_said(self):
        whole = json.loads((self.out / "results.json").read_text())  # the summary shows ten of them
        lines = self.text + "".join(f"{s['student']}: {problem}\n" for s in whole["students"] for problem in s["problems"])
        for words in ("submitted.csv names absent", "2 entries may be twice's: twice, twice.zip", "a_link: the submission is a link",
                      "renamed: submitted.csv lists hw_5.cu, which is not there", "the rubric gives nobody more time",
                      "twice_listed has a newer hand-in", "does not name", "alone: TWICE_LISTED, twice_listed"):
            self.assertIn(words, lines)
        self.assertNotIn("TWICE_LISTED: submitted.csv lists", lines)  # the rows are another student's

    def test_late_records_can_be_verified(self):
        record = self.out / "records/one_day_late/05_padding.json"
        self.assertEqual(json.loads(record.read_text())["late_percent"], 20)
        code, text, _ = grade("verify", record)
        self.assertEqual((code, text), (0, "one_day_late 05_padding: the same, byte for byte\n"))


# Its first access ends the judging, so no machine is so slow that this one is cut off too.
AT_ONCE = """#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  out[-(1ll << 40)] = in[0];
}
"""


class CutOff(unittest.TestCase):
    """A quick kernel, then so many slow ones that the last is open on every machine when the run is cut off."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        classroom.put(self.folder, "class/a_quick/05_padding.cu", AT_ONCE.encode())
        for i in range(40):
            classroom.put(self.folder, f"class/slow_{i:02}/05_padding.cu", hostile_kernels.slow(20000 + i).encode())
        self.arguments = [PROGRAM, "grade", str(self.folder / "class"), "--chapters", "5", "--out", str(self.folder / "out"), "-j", "1"]

    def cut(self, how):
        run = subprocess.Popen(self.arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 200
        done = False
        while not done:
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(run.poll(), "it ended before it could be cut off")
            time.sleep(0.02)
            with contextlib.suppress(OSError, KeyError):
                # The last of the tables that are asked about is written last.
                whole = json.loads((self.folder / "out/results.json").read_text())
                done = whole["students"][0]["chapters"][0]["verdict"]
        run.send_signal(how)
        return run.communicate(timeout=60), run.returncode

    def check_tables(self):
        out = self.folder / "out"
        chapters, grades = rows(out), rows(out, "grades.csv")
        self.assertEqual((chapters["a_quick"]["state"], chapters["a_quick"]["points"]), ("judged", "0"))
        self.assertEqual((chapters["slow_39"]["state"], chapters["slow_39"]["points"]), ("open", ""))
        self.assertEqual((grades["slow_39"]["05_padding"], grades["slow_39"]["without_verdict"]), ("", "1"))
        whole = json.loads((out / "results.json").read_text())
        self.assertFalse(whole["complete"])
        self.assertEqual([whole["students"][i]["chapters"][0]["verdict"] for i in (0, -1)], [True, False])

    def test_interrupted(self):
        (text, errors), code = self.cut(signal.SIGINT)
        self.assertEqual((code, text), (1, ""))
        self.assertIn("tables say what is open", errors)
        self.assertNotIn("\x1b", errors)  # no terminal: no progress
        self.check_tables()
        self.assertIn("not whole", (self.folder / "out/index.html").read_text())

    def test_killed(self):
        self.cut(signal.SIGKILL)
        self.check_tables()


class ProcessorLimit(unittest.TestCase):
    def test_what_is_no_time(self):
        for word in ("nan", "inf", "-1", "x", "100001"):
            code, out, errors = grade("nowhere", "--cpu-seconds", word)
            self.assertEqual((code, out), (2, ""), word)
            self.assertIn(f"Value {word} not in range 0 to 100000", errors)

    def test_it_is_no_verdict(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_in(pathlib.Path(folder))

    def run_in(self, folder):
        classroom.put(folder, "class/a_quick/05_padding.cu", AT_ONCE.encode())
        classroom.put(folder, "class/b_slow/05_padding.cu", hostile_kernels.slow(20000).encode())
        out = folder / "out"
        arguments = (folder / "class", "--chapters", "5", "--out", out, "-j", "1")
        code, text, _ = grade(*arguments, "--cpu-seconds", "0.2", "--format", "csv,json,gradescope,html,junit")
        self.assertEqual(code, 1)
        self.assertIn("without a verdict\n  b_slow 05_padding: Judging it took more than 0.2 s of processor time", text)
        self.assertEqual(rows(out)["a_quick"]["state"], "judged")
        row = rows(out)["b_slow"]
        self.assertEqual((row["state"], row["points"], row["diagnosis"]), ("stopped", "", "judge-timeout"))
        self.assertEqual(rows(out, "grades.csv")["b_slow"]["05_padding"], "")
        self.assertNotIn("score", json.loads((out / "gradescope/b_slow.json").read_text()))
        self.assertIn("no zeros", (out / "index.html").read_text())
        code, text, _ = grade(*arguments, "--cpu-seconds", "500")  # asked again, it is tried again
        self.assertEqual((code, rows(out)["b_slow"]["diagnosis"]), (0, "budget-exceeded"), text)
        self.assertEqual(rows(out)["b_slow"]["points"], "0")


class Lists(unittest.TestCase):
    def test_mistakes_have_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            classroom.put(folder, "class/ada/05_padding.cu", b"x")
            listed, rubric = pathlib.Path(folder, "list.csv"), pathlib.Path(folder, "rubric.toml")
            for text, words in (("student,file\r\nada,x\r\n", "list.csv:1: these titles are of no list that is known: student, file"),
                                ("student,file,time\nada,x,yesterday\n", 'list.csv:2: "yesterday" is no time'),
                                ("student,file,time\nada,x,2027-03-01T10:00:00\n", "has no offset"),
                                ("student,file,time\nada,x,2027-02-30T10:00:00Z\n", "is no time"), ("", "it is empty")):
                listed.write_text(text)
                code, out, errors = grade(f"{folder}/class", "--submitted", listed, "--out", f"{folder}/out")
                self.assertEqual((code, out), (2, ""), text)
                self.assertIn(words, errors)
            for text, words in (("[late]\n", "has no deadline"), ("[late]\ndeadline = 5\n", "rubric.toml:2: a deadline is"),
                                ("[late]\ndeadline = 2027-03-01T10:00:00\n", "with its offset"),
                                ('[late]\ndeadline = "2027-03-01T10:00:00Z"\npercent_per_day = 101\n', "rubric.toml:3: percent_per_day must be"),
                                ('[late.deadlines]\n"5" = 2027-03-01T10:00:00Z\n', "no chapter"),
                                ("[late]\ndeadline = 2027-03-01T10:00:00Z\nper_day = 1\n", '"per_day" means nothing')):
                rubric.write_text(text)
                code, _, errors = grade("rubric", "--rubric", rubric)
                self.assertEqual(code, 2, text)
                self.assertIn(words, errors)


def what_lacks():
    with tempfile.TemporaryDirectory() as folder:
        classroom.put_zip(pathlib.Path(folder, "x.zip"), [("01.cu", b"x")])
        code, _, err = grade(f"{folder}/x.zip", "--out", f"{folder}/out", "--format", "csv")
        return err if code == 3 else ""


if __name__ == "__main__":
    if what_lacks():
        print("skipped: " + what_lacks())
        sys.exit(77)
    unittest.main(verbosity=1)
