"""Drawn classes: students with kernels, written as each platform exports a class, graded, compared with what was drawn.

Enters: LAB_PROGRAM, LAB_ROOT. Leaves: for each drawn class whether every student has the points of the kernel that was
handed in, under a name that says who it is, and is late exactly when the draw says so. Layouts: Moodle (folders or flat,
file and online text), Canvas, Gradescope, Blackboard, Google Classroom, GitHub Classroom, folders, archives in archives."""
import csv
import io
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from drawn.draws import draws_of_run, seed_of_run  # noqa: E402

ROOT = pathlib.Path(os.environ["LAB_ROOT"])
LAB = os.environ["LAB_PROGRAM"]
DRAWS = 12
FAILED: list[int] = []  # seeds that failed once

RIGHT = (ROOT / "solutions/05_padding/transpose.cu").read_bytes()
SKELETON = (ROOT / "solutions/05_padding/skeleton.cu").read_bytes()
NAMES = ["Ada Lovelace",
         "Zo\u00eb \u00d8rsted", "\u674e\u5c0f\u9f99", "Jean-Luc O'Neil", "Ngu\u1ec5n V\u0103n An", "Mar\u00eda Jos\u00e9 Garc\u00eda L\u00f3pez",
         "\u0418\u0432\u0430\u043d\u043e\u0432 \u0418\u0432\u0430\u043d", "Bo Li", "Bo Li", "van der Berg, Kim", "Paula Padding", "Max 5", "A. B."]
FILES = ["05_padding.cu", "padding.cu", "transpose.cu", "hw_05.cu", "05_padding (1).cu", "kernel_v2.cu", "chapters/05_padding/transpose.cu"]
RUBRIC = """time_zone = "Europe/Berlin"
[late]
deadline = 2027-03-01T23:59:00+01:00
percent_per_day = 20
"""


class Student:
    def __init__(self, draw: random.Random, index: int):
        self.name, self.index = draw.choice(NAMES), index
        self.number = 4000 + 7 * index
        self.login = draw.choice(["user", "ada"]) + (str(index) if draw.random() < 0.5 else "abcdefghijklmnop"[index])
        self.points = draw.choice([13, 13, 0, None])  # None: nothing that could be judged was handed in
        self.file = draw.choice(FILES)
        self.text = draw.random() < 0.3  # an online text, or a note, beside it
        self.packed = draw.random() < 0.3
        self.late = draw.random() < 0.4

    @property
    def time(self) -> tuple[str, str]:
        return ("2027-03-02", "15:00:00") if self.late else ("2027-03-01", "10:00:00")

    def files(self, flat: bool = False) -> list[tuple[str, bytes]]:
        """What was handed in."""
        if self.points is None:
            return [("notes.txt", b"sorry")]
        content = RIGHT if self.points else SKELETON
        name = self.file.rsplit("/", 1)[-1] if flat and not self.packed else self.file
        return [("work.zip", packed([(name, content)]))] if self.packed else [(name, content)]


def packed(entries) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return out.getvalue()


# Each returns the files of the export, and whether the platform says when things were handed in.
def moodle(students, draw):
    flat, end = draw.random() < 0.5, draw.choice(["", "_"])
    entries = []
    for s in students:
        before = f"{s.name}_{s.number}_assignsubmission_"
        for name, content in s.files(flat):
            entries.append((f"{before}file_{name}" if flat else f"{before}file{end}/{name}", content))
        if s.text:
            entries.append((f"{before}onlinetext_onlinetext.html" if flat else f"{before}onlinetext{end}/onlinetext.html", b"<p>see file</p>"))
    sheet = io.StringIO()
    rows = csv.writer(sheet)
    rows.writerow(["Identifier", "Full name", "Grade", "Last modified (submission)"])
    for s in students:
        rows.writerow([f"Participant {s.number}", s.name, "", f"{s.time[0]} {s.time[1]}"])
    return entries, sheet.getvalue()


def canvas(students, draw):
    entries = []
    for s in students:
        key = f"student{'abcdefghijklmnop'[s.index]}"
        for name, content in s.files(flat=True):
            stem, end = name.rsplit(".", 1)
            again = draw.choice(["", "-1"])
            entries.append((f"{key}{'_LATE' if s.late else ''}_{s.number}_{9000 + s.index}_{stem}{again}.{end}", content))
    return entries, None


def gradescope(students, draw):
    around = draw.choice(["", "assignment_77_export/"])
    entries, listed = [], ""
    for s in students:
        listed += (f"submission_{s.number}:\n  :submitters:\n  - :name: {json.dumps(s.name, ensure_ascii=False)}\n    :sid: '{s.index}'\n"
                   f"    :email: {s.login}@example.org\n  :created_at: {s.time[0]} {s.time[1]}.123456000 Z\n  :score: 0.0\n  :status: processed\n"
                   f"  :history:\n  - :created_at: 2027-02-01 10:00:00.000000000 Z\n")
        entries += [(f"{around}submission_{s.number}/{name}", content) for name, content in s.files()]
    return [*entries, (f"{around}submission_metadata.yml", listed.encode())], "in it"


def blackboard(students, draw):
    entries = []
    for s in students:
        before = f"Homework 5_{s.login}_attempt_{s.time[0]}-{s.time[1].replace(':', '-')}"
        entries.append((before + ".txt", b"Name: somebody"))
        entries += [(f"{before}_{name}", content) for name, content in s.files(flat=True)]
    return entries, "in it"


def google(students, draw):
    return [(f"{s.name} {s.index} - {name}", content) for s in students for name, content in s.files(flat=True)], None


def folders(students, draw):
    around = draw.choice(["", "hand-ins/", "class of 2027/week one/"])
    return [(f"{around}{s.login}/{name}", content) for s in students for name, content in s.files()], None


def archives(students, draw):
    return [(f"{s.login}.zip", packed(s.files())) for s in students], None


def github(students, draw):
    return [(f"transpose-submissions/transpose-{s.login}/{name}", content) for s in students
            for name, content in [*s.files(), ("README.md", b"# Transpose")]], None


PLATFORMS = [moodle, canvas, gradescope, blackboard, google, folders, archives, github]


class DrawnClasses(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="lab-classes-")
        cls.rubric = pathlib.Path(cls.folder.name, "rubric.toml")
        cls.rubric.write_text(RUBRIC)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def export(self, seed: int, entries, draw) -> tuple[pathlib.Path, str]:
        """As it was downloaded: a zip, unpacked, or a zip in a folder."""
        how = draw.choice(["zip", "folder", "zip in a folder"])
        base = pathlib.Path(self.folder.name, f"export-{seed}")
        base.mkdir()
        if how == "folder":
            for name, content in entries:
                path = base / "class" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            return base / "class", how
        (base / "download.zip").write_bytes(packed(entries))
        return (base / "download.zip" if how == "zip" else base), how

    def try_class(self, seed: int):
        draw = random.Random(seed)
        platform = draw.choice(PLATFORMS)
        students = [Student(draw, i) for i in range(draw.randint(2, 6))]
        if all(s.points is None for s in students):
            students[0].points = 13
        entries, times = platform(students, draw)
        place, how = self.export(seed, entries, draw)
        what = f"LAB_SEED={seed} (one class): {platform.__name__}, {how}: {[name for name, _ in entries]}"
        self.out = pathlib.Path(self.folder.name, f"out-{seed}")  # of its own: what one folder holds is one class
        words = [LAB, "grade", "run", str(place), "--chapters", "5", "--no-sandbox", "--rubric", str(self.rubric), "--out", str(self.out), "--format", "json"]
        if times not in (None, "in it"):
            sheet = pathlib.Path(self.folder.name, "sheet.csv")
            sheet.write_text(times)
            words += ["--submitted", str(sheet), "--gradebook", str(sheet)]
        ran = subprocess.run(words, capture_output=True, text=True, timeout=200)
        self.assertEqual(ran.returncode, 0, what + ran.stdout + ran.stderr)
        found = json.loads((self.out / "results.json").read_text())["students"]
        self.compare(students, found, platform, times, what + ran.stdout)

    def compare(self, students, found, platform, times, what):
        given = {row["student"]: row["chapters"][0] for row in found}
        judged = {name: row for name, row in given.items() if row["state"] == "judged"}
        expected = [s for s in students if s.points is not None]
        self.assertEqual(len(judged), len(expected), what + str(given))
        for s in expected:
            names = {moodle: f"{s.name}_{s.number}", canvas: f"student{'abcdefghijklmnop'[s.index]}", google: f"{s.name} {s.index}",
                     gradescope: s.name, github: f"transpose-{s.login}"}
            wanted = names.get(platform, s.login)
            row = judged.get(wanted) or judged.get(f"{wanted} (submission_{s.number})")
            self.assertIsNotNone(row, f"{wanted} in {list(judged)}: {what}")
            late = 20 if s.late and times is not None else 0
            self.assertEqual((row["points"], row["late_percent"]), (s.points * (100 - late) / 100, late), f"{s.name}: {what}")
        if platform is moodle:  # what goes back has each grade in the row of its student
            book = csv.DictReader((self.out / "gradebook.csv").read_text().splitlines())
            grades = {row["Identifier"]: row["Grade"] for row in book}
            for s in expected:
                self.assertEqual(float(grades[f"Participant {s.number}"]), s.points * (100 - 20 * s.late) / 100, what)

    def test_what_failed_once(self):
        for seed in FAILED:
            with self.subTest(seed=seed):
                self.try_class(seed)

    def test_drawn_classes(self):
        first = seed_of_run("drawn classes")
        for i in range(1 if os.environ.get("LAB_SEED") else draws_of_run(DRAWS)):
            with self.subTest(seed=first + i):
                self.try_class(first + i)


if __name__ == "__main__":
    unittest.main()
