"""The instructor's desk: a roster with groups, seats and extensions, grades that go back, anonymous grading, weeks, decisions by hand.

Enters: LAB_PROGRAM, LAB_ROOT. Leaves: for drawn classes whether each person of the roster has the points that were drawn, whatever the layout of
the export, who of a group handed in, and when; and one test for each further promise of docs/grading.md."""
import csv
import io
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from drawn.draws import draws_of_run, seed_of_run  # noqa: E402

ROOT = pathlib.Path(os.environ["LAB_ROOT"])
LAB = os.environ["LAB_PROGRAM"]
DRAWS = 6
FAILED: list[int] = []  # seeds that failed once

RIGHT = (ROOT / "solutions/05_padding/transpose.cu").read_text()
SKELETON = (ROOT / "solutions/05_padding/skeleton.cu").read_text()
SIX = (ROOT / "solutions/06_xor_swizzle/transpose.cu").read_text()
EXAM = (ROOT / "solutions/17_read_the_profiler/transpose.cu").read_text()
RUBRIC = """time_zone = "Europe/Berlin"
[late]
deadline = 2027-03-01T23:59:00+01:00
percent_per_day = 20
"""
NAMES = ["Ada Lovelace", "Zo\u00eb \u00d8rsted", "\u674e\u5c0f\u9f99", "Jean-Luc O'Neil", "Mar\u00eda Jos\u00e9 Garc\u00eda", "Bo Li",
         "van der Berg, Kim", "Paula Padding", "\u0418\u0432\u0430\u043d\u043e\u0432 \u0418\u0432\u0430\u043d", "Grace Hopper"]


def packed(entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return out.getvalue()


class Person:
    def __init__(self, draw, index, name):
        self.name, self.index, self.number = name, index, 4000 + 7 * index
        self.id = f"s{1000 + index}"
        self.anonymous = f"anon-{draw.randint(100, 999)}{index}"
        self.group = draw.choice(["", "", "Team Red", "Team Blue"])
        self.more_time = draw.random() < 0.3
        self.kernel, self.late = None, False  # what was handed in for this person


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="lab-desk-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.out = self.folder / "out"

    def grade(self, *words, code=0):
        done = subprocess.run([LAB, "--plain", "grade", "run", *map(str, words), "--no-sandbox", "--out", str(self.out)], capture_output=True, text=True,
                              timeout=200)
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def hand_in(self, files, where="class"):
        for name, text in files.items():
            path = self.folder / where / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return self.folder / where

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def rows(self):
        return {(r["student"], r["chapter"][:2]): r for r in csv.DictReader((self.out / "chapters.csv").read_text(encoding="utf-8-sig").splitlines())}


class DrawnRosters(Case):
    def roster(self, people, draw):
        columns = ["id", "name", "group", "extension", "anonymous id", "tutorial"]
        draw.shuffle(columns)
        cells = {"id": lambda p: p.id, "name": lambda p: p.name, "group": lambda p: p.group, "anonymous id": lambda p: p.anonymous,
                 "extension": lambda p: "2027-03-09 12:00" if p.more_time else "", "tutorial": lambda p: "Monday"}
        out = io.StringIO()
        table = csv.writer(out, delimiter=draw.choice(",;"))
        table.writerow([draw.choice([c, c.title(), c.upper()]) for c in columns])
        for p in draw.sample(people, len(people)):
            table.writerow([cells[c](p) for c in columns])
        return self.write("roster.csv", draw.choice(["", "\ufeff"]) + out.getvalue())

    def try_class(self, seed):
        draw = random.Random(seed)
        people = [Person(draw, i, name) for i, name in enumerate(draw.sample(NAMES, draw.randint(3, 7)))]
        layout = draw.choice(["moodle", "gradescope", "github", "by id", "by name"])
        by_group = draw.random() < 0.5
        entries, sheet = [], ["Identifier,Full name,Email address,Status,Grade,Last modified (submission)"]
        listed, metadata = io.StringIO(), ""
        table = csv.writer(listed)
        table.writerow(["student", "file", "time"])
        done = set()
        for p in people:
            members = [q for q in people if p.group and q.group == p.group] or [p]
            if draw.random() < 0.25 or p.group in done:
                continue
            done |= {p.group} - {""}
            kernel, late = draw.choice([RIGHT, SKELETON]), draw.random() < 0.4
            for q in members:
                q.kernel, q.late = kernel, late
            called = {"moodle": f"{p.name}_{p.number}", "gradescope": f"submission_{p.number}", "github": f"transpose-{p.id}", "by id": p.id,
                      "by name": p.name}[layout]
            if p.group and by_group and layout.startswith("by"):
                called = p.group
            entries.append((called + ("_assignsubmission_file_" if layout == "moodle" else "") + "/05_padding.cu", kernel))
            table.writerow([called, "", "2027-03-02T15:00:00+01:00" if late else "2027-03-01T10:00:00+01:00"])
            names = "".join(f"  - :name: {json.dumps(q.name, ensure_ascii=False)}\n    :sid: '{q.index}'\n" for q in (members if by_group else [p]))
            metadata += f"{called}:\n  :submitters:\n{names}  :created_at: {'2027-03-02 14:00:00' if late else '2027-03-01 09:00:00'}.123 Z\n"
        if not entries:
            return
        for p in people:  # Moodle says of each member of a team that he has handed in
            when = "Tuesday, 2 March 2027, 3:00 PM" if p.late else "Monday, 1 March 2027, 10:00 AM"
            sheet.append(f'Participant {p.number},"{p.name}",,' + (f'Submitted,-,"{when}"' if p.kernel else "No submission,-,-"))
        if layout == "gradescope":
            entries.append(("submission_metadata.yml", metadata))
        anonymous, by_sheet = draw.random() < 0.4, layout == "moodle" and draw.random() < 0.5
        self.write("submitted.csv", listed.getvalue())
        place = self.folder / "class"
        for name, text in entries:
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text)
        words = [place, "--chapters", "5", "--roster", self.roster(people, draw), "--rubric", self.write("rubric.toml", RUBRIC),
                 "--format", "csv,json,html,feedback", "--gradebook", self.write("sheet.csv", "\n".join(sheet) + "\n")]
        if layout != "gradescope":
            words += ["--submitted", self.folder / ("sheet.csv" if by_sheet else "submitted.csv")]
        said = self.grade(*words, *(["--anonymous"] if anonymous else []))
        what = f"LAB_SEED={seed} (one class), {layout}, anonymous {anonymous}, times of the sheet {by_sheet}: {[e[0] for e in entries]}\n{said}"
        book = {r["Full name"]: r["Grade"] for r in csv.DictReader((self.out / "gradebook.csv").read_text().splitlines())}
        rows = self.rows()
        self.assertEqual(len(rows), len(people), what)
        for p in people:
            points = {RIGHT: 13, SKELETON: 0, None: 0}[p.kernel]
            late = p.late and not p.more_time
            expected = points * (80 if late else 100) / 100
            names = [p.anonymous] if anonymous else [p.name, p.id, f"{p.name}_{p.number}", f"transpose-{p.id}"]
            row = next((rows[name, "05"] for name in names if (name, "05") in rows), None)
            self.assertIsNotNone(row, f"{p.name}: {list(rows)}: {what}")
            self.assertEqual((row["state"], float(row["points"])), ("judged" if p.kernel else "missing", expected), f"{p.name}: {what}")
            self.assertEqual(book[p.name] if p.kernel is None else float(book[p.name]), "-" if p.kernel is None else expected,
                f"{p.name} in the gradebook: {what}")
        if anonymous:
            for file in self.out.rglob("*"):
                if file.is_file() and file.name != "gradebook.csv" and "sources" not in file.parts:
                    text = str(file.relative_to(self.out)) + ("" if file.suffix == ".zip" else file.read_text(errors="replace"))
                    self.assertEqual([p.name for p in people if p.name in text], [], f"{file}: {what}")
        judged = [path for path in sorted(self.out.glob("records/*/05_padding.json")) if json.loads(path.read_text())["state"] == "judged"]
        done = subprocess.run([LAB, "grade", "verify", str(judged[0])], capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, f"{done.stdout}{done.stderr}{what}")
        if layout == "moodle":
            names = zipfile.ZipFile(self.out / "feedback.zip").namelist()
            for name, _ in entries:
                self.assertIn(name.split("_assign")[0] + "_assignfeedback_file_feedback.html", names, what)

    def test_drawn_rosters(self):
        first = seed_of_run("drawn rosters")
        seeds = FAILED + [first + i for i in range(1 if os.environ.get("LAB_SEED") else draws_of_run(DRAWS))]
        for seed in seeds:
            with self.subTest(seed=seed):
                self.setUp()
                self.try_class(seed)


class Desk(Case):
    def test_a_neighbours_seat_is_refused(self):
        place = self.hand_in({"ada/17.cu": EXAM, "bob/17.cu": EXAM})
        roster = self.write("roster.csv", "id,seat\nada,0\nbob,7\n")
        self.grade(place, "--chapters", "17", "--roster", roster)
        rows = self.rows()
        self.assertEqual(rows["ada", "17"]["state"], "judged")
        self.assertGreater(float(rows["ada", "17"]["points"]), 0)
        self.assertEqual((rows["bob", "17"]["diagnosis"], rows["bob", "17"]["points"]), ("another-seat", "0"))
        done = subprocess.run([LAB, "grade", "verify", str(self.out / "records/bob/17_read_the_profiler.json")], capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_compiling_is_counted_behind_walls(self):
        """What bubblewrap held counts too, although bubblewrap ends first."""
        place = self.hand_in({"ada/05.cu": RIGHT + f"// {time.time_ns()}\n__device__ int n{time.time_ns()} = 1;\n"})
        done = subprocess.run([LAB, "grade", "run", str(place), "--chapters", "5", "--out", str(self.out)], capture_output=True, text=True, timeout=200)
        if done.returncode == 3:
            self.skipTest(done.stderr)
        times = json.loads((self.out / "times.json").read_text())
        self.assertGreater(times["compile_seconds"], 0.01, times)
        self.assertGreaterEqual(times["processor_seconds"] + 0.01, times["compile_seconds"] + times["simulate_seconds"], times)

    def test_mistakes_in_a_roster_are_listed(self):
        place = self.hand_in({"ada/05.cu": RIGHT})
        roster = self.write("roster.csv", "id,name,seat,extension\nada,,x,\nada,,4,soon\n,,,\nbob,,4,\n")
        said = self.grade(place, "--chapters", "5", "--roster", roster, code=2)
        for words in (":2: \"x\" is no number of a seat", ":3: the extension \"soon\"", ":3: the id ada stands here twice", ":5: the seat 4 stands here twice"):
            self.assertIn(words, said)
        self.assertFalse(self.out.exists())
        self.assertIn("--roster", self.grade(place, "--chapters", "5", "--anonymous", code=2))
        said = self.grade(place, "--chapters", "5", "--anonymous", "--roster", self.write("r2.csv", "id,anonymous id\nbob,7\n"), code=2)
        self.assertIn("ada", said)

    def test_decisions_by_hand_stay(self):
        place = self.hand_in({"ada/05.cu": SKELETON, "bob/05.cu": RIGHT})
        self.grade(place, "--chapters", "5")
        (self.out / "overrides.csv").write_text("student,chapter,points,comment\nada,5,7.5,\"explained it, in person\"\nbob,05_padding,,well done\n")
        for _ in range(2):  # and once more
            said = self.grade(place, "--chapters", "5", "--format", "csv,html,gradescope")
            rows = self.rows()
            self.assertEqual((rows["ada", "05"]["points"], rows["ada", "05"]["judged_points"], rows["ada", "05"]["comment"]), ("7.5", "0",
                "explained it, in person"))
            self.assertEqual((rows["bob", "05"]["points"], rows["bob", "05"]["comment"]), ("13", "well done"))
        self.assertIn("explained it, in person", (self.out / "students/ada.html").read_text())
        self.assertIn("set by hand; judged: 0", json.loads((self.out / "gradescope/ada.json").read_text())["output"])
        (self.out / "overrides.csv").write_text("ada,5,many,\nada,99,3,\n")
        said = self.grade(place, "--chapters", "5", code=2)
        self.assertIn("overrides.csv:1:", said)
        self.assertIn("overrides.csv:2:", said)

    def test_weights_and_bonus(self):
        place = self.hand_in({"ada/05.cu": RIGHT, "ada/06.cu": SIX})
        rubric = self.write("rubric.toml", '["05_padding"]\nweight = 2\n["06_xor_swizzle"]\nbonus = true\n')
        self.grade(place, "--chapters", "5,6", "--rubric", rubric, "--format", "json,csv,html")
        ada = json.loads((self.out / "results.json").read_text())["students"][0]
        five, six = ada["chapters"]
        self.assertEqual(ada["points_possible"], five["points_possible"])
        self.assertEqual(ada["points"], five["points"] + six["points"])
        self.assertTrue(six["bonus"])
        plain = json.loads(subprocess.run([LAB, "list", "--json"], capture_output=True, text=True, timeout=60).stdout)
        self.assertIsNotNone(plain)
        self.assertEqual(five["points"] % 2, 0)
        done = subprocess.run([LAB, "grade", "verify", str(self.out / "records/ada/05_padding.json")], capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.grade(place, "--chapters", "5", "--rubric", self.write("bad.toml", '["05_padding"]\nbonus = 3\nweight = "x"\n'), code=2)

    def test_the_lowest_is_dropped(self):
        """Of three chapters the one with the least of its points; a bonus never, nor the last one that is left."""
        place = self.hand_in({"ada/05.cu": RIGHT, "bob/06.cu": SIX})
        rubric = self.write("rubric.toml", 'drop_lowest = 1\n["04_shared_tile"]\nbonus = true\n')
        self.grade(place, "--chapters", "4,5,6", "--rubric", rubric, "--format", "json,html")
        for student, kept, lost in zip(json.loads((self.out / "results.json").read_text())["students"], (1, 2), (2, 1)):
            chapters = student["chapters"]
            self.assertEqual([c["dropped"] for c in chapters], [i == lost for i in range(3)])
            self.assertEqual((student["points"], student["points_possible"]), (chapters[kept]["points"], chapters[kept]["points_possible"]))
        self.assertEqual((self.out / "index.html").read_text().count("does not count"), 2)
        self.grade(place, "--chapters", "5", "--rubric", self.write("bad.toml", "drop_lowest = -1\n"), code=2)

    def test_reports_are_no_submissions(self):
        """Wherever --out lies, a second run says of each student what the first one said, and counts nobody more."""
        draw = random.Random(seed_of_run("out"))
        for out in draw.sample(["class/grades", "class/out/deep", "out", "class/2027 week 1", "class/.hidden"], 3):
            with self.subTest(out=out), tempfile.TemporaryDirectory(prefix="lab-out-") as folder:
                self.folder = pathlib.Path(folder)
                self.out = self.folder / out
                place = self.hand_in({"ada/05_padding.cu": RIGHT, "bo/05_padding.cu": SKELETON})
                self.grade(place, "--chapters", 5)
                first = self.rows()
                self.assertEqual({who for who, _ in first}, {"ada", "bo"})
                self.grade(place, "--chapters", 5)
                self.assertEqual({key: row["points"] for key, row in self.rows().items()}, {key: row["points"] for key, row in first.items()})

    def test_reports_beside_an_export(self):
        """The download of a platform alone in a folder is read as an export, with reports beside it too."""
        place = self.folder / "class"
        place.mkdir()
        names = [f"{who}_{4000 + k}_assignsubmission_file_" for k, who in enumerate(("Ada Lovelace", "Bo Li"))]
        (place / "download.zip").write_bytes(packed([(f"{names[0]}/05_padding.cu", RIGHT), (f"{names[1]}/05_padding.cu", SKELETON)]))
        self.out = place / "grades"
        self.grade(place, "--chapters", 5)
        first = self.rows()
        self.assertEqual(len(first), 2)
        self.grade(place, "--chapters", 5)
        self.assertEqual(self.rows(), first)

    def test_reports_take_no_other_files_place(self):
        """--out is a folder where something lies already: nothing of it changes, and no folder is half written."""
        place = self.hand_in({"ada/05_padding.cu": RIGHT, "bo/05_padding.cu": SKELETON})
        for name in ("grades.csv", "index.html", "rubric.toml", "gradebook.csv", "results.json"):
            with self.subTest(file=name):
                self.out = self.folder / f"with {name}"
                theirs = self.hand_in({name: "mine\n"}, self.out.name) / name
                self.assertIn(f"holds {name}, which no grading run wrote", self.grade(place, "--chapters", 5, code=2))
                self.assertEqual([(file.name, file.read_text()) for file in self.out.iterdir()], [(theirs.name, "mine\n")])
        self.out = place
        self.assertIn("the submissions lie there", self.grade(place, "--chapters", 5, code=2))
        self.assertEqual(sorted(entry.name for entry in place.iterdir()), ["ada", "bo"])
        self.out = self.folder / "with overrides"
        self.hand_in({"overrides.csv": "", "plan.txt": "mine\n"}, self.out.name)
        self.grade(place, "--chapters", 5)
        self.assertEqual((self.out / "plan.txt").read_text(), "mine\n")

    def test_weeks_come_together(self):
        one = self.hand_in({"ada/05.cu": RIGHT, "bob/05.cu": SKELETON}, "week1")
        two = self.hand_in({"ada/06.cu": SIX, "cem/06.cu": SIX}, "week2")
        self.grade(one, "--chapters", "5", "--format", "csv,json,html,junit")
        said = self.grade(two, "--chapters", "6")
        rows = self.rows()
        self.assertEqual({k: r["run"] for k, r in rows.items()},
                         {("ada", "05"): "earlier", ("ada", "06"): "this", ("bob", "05"): "earlier", ("cem", "06"): "this"})
        self.assertIn("not written anew by this one: junit.xml", said)
        self.assertIn("05_padding", (self.out / "students/ada.html").read_text())
        table = list(csv.DictReader((self.out / "grades.csv").read_text(encoding="utf-8-sig").splitlines()))
        self.assertEqual([r["05_padding"] + "|" + r["06_xor_swizzle"] for r in table if r["student"] == "bob"], ["0|"])
        # A decision about week 1 counts while week 2 is graded, and is gone with its row.
        for points, row in (("9", "bob,5,9,spoke to me\n"), ("0", "")):
            (self.out / "overrides.csv").write_text("student,chapter,points,comment\n" + row)
            self.assertNotIn("overrides.csv", self.grade(two, "--chapters", "6"))
            self.assertEqual(self.rows()["bob", "05"]["points"], points)
        # Both weeks at once: one person is one row.
        self.out = self.folder / "both"
        self.grade(one, two, "--chapters", "5,6")
        rows = self.rows()
        self.assertEqual(sorted({student for student, _ in rows}), ["ada", "bob", "cem"])
        self.assertEqual((rows["ada", "05"]["points"], rows["ada", "06"]["state"]), ("13", "judged"))

    def test_an_appeal_at_home(self):
        """The record and the own kernel, under another name and without the rubric, come to the same."""
        place = self.hand_in({"ada/05_padding.cu": SKELETON.replace("[kTile][kTile]", "[kTile][kTile + 2]")})
        rubric = self.write("rubric.toml", RUBRIC + '["05_padding"]\nconflict-free = { points = 6, start = 32 }\n')
        self.grade(place, "--chapters", "5", "--rubric", rubric, "--submitted", self.write("s.csv", "student,file,time\nada,,2027-03-02T15:00:00+01:00\n"))
        home = self.folder / "home"
        home.mkdir()
        (home / "05_padding.json").write_bytes((self.out / "records/ada/05_padding.json").read_bytes())
        (home / "mine.cu").write_bytes((place / "ada/05_padding.cu").read_bytes())
        words = [LAB, "grade", "verify", str(home / "05_padding.json"), str(home / "mine.cu")]
        done = subprocess.run(words, capture_output=True, text=True, timeout=200)
        self.assertEqual((done.returncode, done.stdout), (0, "ada 05_padding: the same, byte for byte\n"), done.stderr)
        (home / "05_padding.json").write_text((home / "05_padding.json").read_text().replace("2027-03-02T15", "2027-03-01T15"))
        self.assertEqual(subprocess.run(words, capture_output=True, text=True, timeout=200).returncode, 1)


if __name__ == "__main__":
    unittest.main()
