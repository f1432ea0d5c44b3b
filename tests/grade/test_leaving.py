"""What leaves the machine or reaches a student: feedback pages and the autograder's zip hold what is theirs, and nothing else.

Enters: LAB_PROGRAM, LAB_ROOT. Leaves: for each file that goes out, whether it went to the right people and holds nobody else's data; and
whether a submission of very many files is read in time that grows with their number."""

import contextlib
import csv
import io
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest
import zipfile

ROOT = pathlib.Path(os.environ["LAB_ROOT"])
LAB = os.environ["LAB_PROGRAM"]
RIGHT = (ROOT / "solutions/05_padding/transpose.cu").read_text()
WRONG = (ROOT / "solutions/05_padding/skeleton.cu").read_text()
RUBRIC = 'time_zone = "Europe/Berlin"\n[late]\ndeadline = 2027-03-01T23:59:00+01:00\npercent_per_day = 20\n'


class Class(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="lab-leaving-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.out = self.folder / "out"

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def export(self, folders):
        with zipfile.ZipFile(self.folder / "download.zip", "w") as archive:
            for name, text in folders.items():
                archive.writestr(f"{name}_assignsubmission_file/05_padding.cu", text)
        return self.folder / "download.zip"

    def grade(self, *words):
        done = subprocess.run(
            [LAB, "--plain", "grade", "run", *map(str, words), "--chapters", "5", "--no-sandbox", "--out", str(self.out)],
            capture_output=True,
            text=True,
            timeout=200,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def pages(self):
        with zipfile.ZipFile(self.out / "feedback.zip") as archive:
            return {name: archive.read(name).decode() for name in archive.namelist()}


class Feedback(Class):
    TEAMS = "id,name,group,extension\ns7,Bo Li,Red,2027-03-09T12:00:00+01:00\ns9,Cy Ro,Red,\ns8,Di Fu,Blue,\ns6,Ed Wu,Blue,\n"

    def test_a_team_has_one_page_under_its_own_number(self):
        """Numbers of teams and of people overlap: a page under a person's number would reach another team."""
        place = self.export({"Red_9": RIGHT, "Blue_7": WRONG})
        times = self.write(
            "times.csv",
            "student,time\nRed_9,2027-03-02T15:00:00+01:00\nBlue_7,2027-03-01T10:00:00+01:00\n".replace("student,time", "student,file,time").replace(
                ",2027", ",,2027"
            ),
        )
        self.out.mkdir()
        (self.out / "overrides.csv").write_text('student,chapter,points,comment\n"Ed Wu",5,3,"about Ed alone"\n')
        self.grade(
            place,
            "--roster",
            self.write("people.csv", self.TEAMS),
            "--submitted",
            times,
            "--rubric",
            self.write("r.toml", RUBRIC),
            "--format",
            "csv,feedback",
        )
        pages = self.pages()
        self.assertEqual(sorted(pages), ["Blue_7_assignfeedback_file_feedback.html", "Red_9_assignfeedback_file_feedback.html"])
        red, blue = pages["Red_9_assignfeedback_file_feedback.html"], pages["Blue_7_assignfeedback_file_feedback.html"]
        for page, inside, outside in ((red, ("Bo Li", "Cy Ro"), ("Di Fu", "Ed Wu")), (blue, ("Di Fu", "Ed Wu"), ("Bo Li", "Cy Ro", "about Ed alone"))):
            for name in inside:
                self.assertIn(name, page)
            for name in outside:
                self.assertNotIn(name, page)
        rows = {r["student"]: r["points"] for r in csv.DictReader(io.StringIO((self.out / "chapters.csv").read_text(encoding="utf-8-sig")))}
        self.assertEqual(sorted(rows.values()), ["0", "10.4", "13", "3"], "more time is Bo Li's alone, and so is what was decided for Ed Wu")
        self.assertNotIn("20 %", red, "who of a team was late is not the team's to read")

    def test_a_team_of_today_does_not_read_last_weeks_records(self):
        people = self.write("people.csv", "id,name,group\ns7,Bo Li,Red\ns9,Cy Ro,Red\n")
        self.grade(
            self.export({"Bo Li_7": WRONG, "Cy Ro_9": RIGHT}), "--roster", self.write("alone.csv", "id,name\ns7,Bo Li\ns9,Cy Ro\n"), "--format", "csv"
        )
        with zipfile.ZipFile(self.folder / "week2.zip", "w") as archive:
            archive.writestr("Red_3_assignsubmission_file/06_xor_swizzle.cu", (ROOT / "solutions/06_xor_swizzle/transpose.cu").read_text())
        done = subprocess.run(
            [
                LAB,
                "grade",
                "run",
                str(self.folder / "week2.zip"),
                "--chapters",
                "6",
                "--no-sandbox",
                "--roster",
                str(people),
                "--out",
                str(self.out),
                "--format",
                "csv,feedback",
            ],
            capture_output=True,
            text=True,
            timeout=200,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        [page] = self.pages().values()
        self.assertIn("06_xor_swizzle", page)
        self.assertNotIn("05_padding", page)

    def test_nobody_without_a_number_has_a_page(self):
        self.grade(self.export({"Bo Li_7": RIGHT}), "--roster", self.write("people.csv", "id,name\ns7,Bo Li\ns9,Cy Ro\n"), "--format", "csv,feedback")
        self.assertEqual(list(self.pages()), ["Bo Li_7_assignfeedback_file_feedback.html"])


class WhatIsWhose(Class):
    """Every file of `--out`: who may have it, and that nothing of others is in it. docs/grading_moodle.md has the same table."""

    PEOPLE = {"ada": RIGHT + "// only ada wrote this\n", "bob": WRONG + "// only bob wrote this\n", "cem": "nonsense of cem\n"}
    KEY = "the key of the class"
    OF_ONE = ("students/{}.html", "gradescope/{}.json", "classroom50/{}.json", "records/{}/05_padding.json")  # for that student
    OF_ALL = ("gradebook.csv", "github-annotations.txt", "github-summary.md", "feedback.zip")  # the platform's, the repository's; pages are held above
    STAYS = re.compile(r"index\.html|\w+\.csv|(results|fingerprints|people|times)\.json|junit\.xml|rubric\.toml|(sources|judgements|history)/.*|\.\w[\w.-]*")

    def test_what_goes_out_holds_one_persons_data(self):
        place = self.folder / "class"
        for name, text in self.PEOPLE.items():
            (place / name).mkdir(parents=True)
            (place / name / "05_padding.cu").write_text(text)
        self.out.mkdir()
        (self.out / "overrides.csv").write_text("student,chapter,points,comment\n" + "".join(f"{name},5,,about {name} alone\n" for name in self.PEOPLE))
        book = self.write("book.csv", "Student,ID,Homework 5\n" + "".join(f"{name},{name},\n" for name in self.PEOPLE))
        rubric = self.write("r.toml", f'key = "{self.KEY}"\n')
        formats = "csv,json,html,junit,gradescope,classroom50,github,feedback"
        self.grade(place, "--rubric", rubric, "--gradebook", book, "--gradebook-column", "Homework 5", "--format", formats)
        files = {str(path.relative_to(self.out)): path.read_bytes() for path in self.out.rglob("*") if path.is_file()}
        of_one = {form.format(name): name for form in self.OF_ONE for name in self.PEOPLE}
        self.assertEqual([name for name in files if name not in of_one and name not in self.OF_ALL and not self.STAYS.fullmatch(name)], [],
                         "who may have these files?")
        for file, owner in of_one.items():
            for other in self.PEOPLE.keys() - {owner}:
                self.assertIsNone(re.search(rf"\b{other}\b".encode(), files[file]), f"{other} in {file}")
        holding = {name for name in files if self.KEY.encode() in files[name] and not self.STAYS.fullmatch(name)}
        self.assertEqual(holding, {self.OF_ONE[-1].format(name) for name in self.PEOPLE}, "the key goes out with a record alone")
        with zipfile.ZipFile(self.out / "feedback.zip") as archive:
            for file in archive.namelist():
                for other in self.PEOPLE.keys() - {file.removesuffix(".html")}:
                    self.assertIsNone(re.search(rf"\b{other}\b".encode(), archive.read(file)), f"{other} in {file}")
        for language in ("", ".zh"):
            text = (ROOT / f"docs/grading_moodle{language}.md").read_text(encoding="utf-8")
            for file in (*self.OF_ONE, *self.OF_ALL):
                self.assertIn(f"`{file.format('STUDENT').replace('05_padding', 'CHAPTER')}`", text)


@unittest.skipUnless((ROOT / ".git").exists(), "no git clone")
class AutograderZip(Class):
    SECRET = "nobody else " + "may read this"  # not as one text: this file is packed too

    def test_packs_what_is_committed_by_list(self):
        clone = self.folder / "clone"
        git = ["git", "-c", "safe.directory=*", "-c", "user.name=x", "-c", "user.email=x@example.org"]
        subprocess.run([*git, "clone", "-q", "--shared", str(ROOT), str(clone)], check=True, timeout=200)
        for name in (
            "submissions/ada/05_padding.cu",
            "week1/roster.csv",
            "people.csv",
            "grades-1/records/ada/05_padding.json",
            "key.toml",
            "chapters/05_padding/ada.cu",
            "chapters/05_padding/transpose.cu",  # as the instructor solved it
            "data/class.csv",
            "docs/marks.md",
        ):
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            (clone / name).write_text(self.SECRET)
        subprocess.run([*git, "-C", str(clone), "add", "-f", "people.csv", "submissions", "chapters/05_padding/transpose.cu"], check=True)
        subprocess.run([*git, "-C", str(clone), "commit", "-q", "-m", "students"], check=True)
        rubric = next(p for p in clone.rglob("rubric.toml") if "tests" not in p.parts)
        rubric.write_text(f'key = "{self.SECRET}"\n' + rubric.read_text())
        plain = self.write("plain.toml", '["05_padding"]\nright = { points = 4 }\n')
        done = subprocess.run(
            [LAB, "grade", "zip", str(self.folder / "a.zip"), "--rubric", str(plain)],
            env=dict(os.environ, LAB_ROOT=str(clone)),
            capture_output=True,
            text=True,
            timeout=200,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with zipfile.ZipFile(self.folder / "a.zip") as archive:
            names = set(archive.namelist())
            holding = [name for name in names if self.SECRET.encode() in archive.read(name)]
        self.assertEqual(holding, [])
        listed = subprocess.run(
            [*git, "-C", str(clone), "ls-tree", "-r", "-z", "--name-only", "HEAD~1"], capture_output=True, text=True, check=True
        ).stdout.split("\0")
        left_out = re.compile(r"\.|(solutions|chapters)/[^/]*/transpose\.cu$|tests/(?!chapters/)")
        own = {name for name in listed if name and not left_out.match(name) and not (clone / name).is_symlink()}
        self.assertEqual(names - {"setup.sh", "run_autograder", "gradescope-rubric.toml"}, own, "the list of what is packed fits the project's own files")

    def test_what_is_packed_can_be_built_and_grades(self):
        """Every file that a packed source includes is packed; and the exams, which read more than a kernel, are graded from it."""
        plain = self.write("plain.toml", '["05_padding"]\nright = { points = 4 }\n')
        done = subprocess.run([LAB, "grade", "zip", str(self.folder / "a.zip"), "--rubric", str(plain)], capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        source = self.folder / "source"
        with zipfile.ZipFile(self.folder / "a.zip") as archive:
            archive.extractall(source)
        absent = [(str(file.relative_to(source)), name) for file in source.glob("common/**/*") if file.suffix in (".cpp", ".h", ".cu", ".cuh", ".inc")
                  for name in re.findall(r'^#include "([^"]+)"', file.read_text(errors="replace"), re.M)
                  if (ROOT / name).is_file() and not (source / name).exists()]
        self.assertEqual(absent, [])
        setup = (source / "setup.sh").read_text()
        self.assertRegex(setup, r"apt-get install .*\btzdata\b")
        self.assertNotRegex(setup, r"lab.* (grade rubric|--help|setup)\b", "what lab answers without a program builds none")
        done = subprocess.run(["bash", "-ec", setup.splitlines()[-1].replace("./lab", f"'{LAB}'")], cwd=source,
                              env=dict(os.environ, LAB_ROOT=str(source)), capture_output=True, text=True, timeout=200)
        self.assertIn("1 submission, 1 kernels", done.stdout + done.stderr)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for chapter in ("05_padding", "17_read_the_profiler", "18_bugs_in_the_wild"):
            place = self.folder / "class/ada" / f"{chapter}.cu"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text((ROOT / "solutions" / chapter / "transpose.cu").read_text())
        words = ["--chapters", "5,17,18", "--no-sandbox", "--format", "csv", "--out", str(self.out)]
        done = subprocess.run([LAB, "grade", "run", str(self.folder / "class"), *words],
                              env=dict(os.environ, LAB_ROOT=str(source)), capture_output=True, text=True, timeout=200)
        rows = list(csv.DictReader(io.StringIO((self.out / "chapters.csv").read_text(encoding="utf-8-sig"))))
        self.assertEqual([row["points"] for row in rows], [row["points_possible"] for row in rows], done.stdout + done.stderr)

    def test_says_so_without_git(self):
        bare = self.folder / "unpacked"
        (bare / "common/kernel").mkdir(parents=True)
        (bare / "common/kernel/lab.cuh").write_text("")
        plain = self.write("plain.toml", '["05_padding"]\nright = { points = 4 }\n')
        done = subprocess.run(
            [LAB, "grade", "zip", str(self.folder / "a.zip"), "--rubric", str(plain)],
            env=dict(os.environ, LAB_ROOT=str(bare)),
            capture_output=True,
            text=True,
            timeout=200,
        )
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("it is no clone", done.stderr)


class ManyFiles(Class):
    def seconds(self, files):
        place = self.folder / f"class{files}"
        with zipfile.ZipFile(self.folder / f"{files}.zip", "w") as archive:
            for n in range(files):
                archive.writestr(f"work/part{n % 50}/notes_{n}.txt", "x")
            archive.writestr("work/05_padding.cu", RIGHT)
        place.mkdir()
        (self.folder / f"{files}.zip").rename(place / "ada.zip")
        (place / "bo").mkdir()
        (place / "bo/05_padding.cu").write_text(RIGHT)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        self.grade(place, "--format", "csv")
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def test_time_grows_with_the_number_of_files(self):
        self.seconds(1)  # compiled by now
        few, many = self.seconds(4_000), self.seconds(16_000)
        self.assertLess(many, 4 * few + 1.5, f"{few:.2f} s for 4,000 files, {many:.2f} s for 16,000")

    def test_it_can_be_interrupted_while_it_reads(self):
        place = self.folder / "class"
        for student in range(60):
            for n in range(200):
                path = place / f"s{student}/part{n}/notes.txt"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("x")
        with subprocess.Popen(
            [LAB, "grade", "run", str(place), "--chapters", "5", "--no-sandbox", "--out", str(self.out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as run:
            deadline = time.monotonic() + 60
            while not (self.out / "records").is_dir() and time.monotonic() < deadline:  # reading begins
                time.sleep(0.002)
            run.send_signal(signal.SIGTERM)
            said = run.communicate(timeout=20)[1].decode()
        self.assertIn(run.returncode, (0, 1), said)  # 0: it was done by then
        if run.returncode == 1:
            self.assertIn("Interrupted", said)

    def test_a_signal_ends_reading_at_once(self):
        """In the middle of one submission, too: here of a roster that never comes."""
        (self.folder / "class/ada").mkdir(parents=True)
        for more in ([], ["--slurm", "--dry-run"]):
            with self.subTest(more):
                self.stop_reading(more)

    def stop_reading(self, more):
        roster = self.folder / f"roster{len(more)}.csv"
        os.mkfifo(roster)
        words = [LAB, "grade", "run", str(self.folder / "class"), "--roster", str(roster), "--no-sandbox", "--out", str(self.out), *more]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            writer, deadline = None, time.monotonic() + 60
            while writer is None and time.monotonic() < deadline:
                with contextlib.suppress(OSError):  # it is not read yet
                    writer = os.open(roster, os.O_WRONLY | os.O_NONBLOCK)
                time.sleep(0.005)
            run.send_signal(signal.SIGTERM)
            try:
                said = run.communicate(timeout=60)[1].decode()
            finally:
                run.kill()  # else it waits for the roster for ever, and so does this test
        os.close(writer)
        self.assertEqual(run.returncode, 1, said)
        self.assertIn("Interrupted while submissions were read", said)


if __name__ == "__main__":
    unittest.main()
