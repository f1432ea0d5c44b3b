"""Names are no keys: a row for each way in which platforms' names once lost a grade, from the export to the filled gradebook.

Enters: LAB_PROGRAM, LAB_ROOT. Leaves: for each row whether every person has the points that were handed in, under one identity, and whether
what is not clear is said and decides nothing."""

import csv
import io
import os
import pathlib
import subprocess
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(os.environ["LAB_ROOT"])
LAB = os.environ["LAB_PROGRAM"]
RIGHT = (ROOT / "solutions/05_padding/transpose.cu").read_text()
WRONG = (ROOT / "solutions/05_padding/skeleton.cu").read_text()
LATE = 'time_zone = "Europe/Berlin"\n[late]\ndeadline = 2026-11-20T23:59:00+01:00\npercent_per_day = 20\n'
SHEET = [
    "Identifier",
    "Full name",
    "Email address",
    "ID number",
    "Status",
    "Grade",
    "Maximum grade",
    "Grade can be changed",
    "Last modified (submission)",
    "Last modified (grade)",
    "Feedback comments",
]


def row(number, name, id="", mail="", most="13.00", time="Friday, 20 November 2026, 8:10 PM", status="Submitted for grading -  - "):
    return [f"Participant {number}", name, mail, id, status, "", most, "Yes", time, "-", "<b>old</b>"]


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="lab-platforms-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.out = self.folder / "out"

    def export(self, files, name="download.zip"):
        with zipfile.ZipFile(self.folder / name, "w") as archive:
            for path, text in files.items():
                archive.writestr(path, text)
        return self.folder / name

    def moodle(self, folders, name="download.zip"):
        return self.export({f"{folder}_assignsubmission_file/05_padding.cu": text for folder, text in folders.items()}, name)

    def table(self, name, rows):
        out = io.StringIO()
        csv.writer(out).writerows(rows)
        return self.write(name, out.getvalue())

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return self.folder / name

    def grade(self, *words, code=0, chapters="5"):
        done = subprocess.run(
            [LAB, "--plain", "grade", "run", *map(str, words), "--chapters", chapters, "--no-sandbox", "--format", "csv,feedback", "--out", str(self.out)],
            capture_output=True,
            text=True,
            timeout=200,
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def points(self):
        text = (self.out / "chapters.csv").read_text(encoding="utf-8-sig")
        return {r["student"]: r["points"] for r in csv.DictReader(io.StringIO(text))}

    def book(self, key="Identifier", column="Grade"):
        return {r[key]: r[column] for r in csv.DictReader(io.StringIO((self.out / "gradebook.csv").read_text(encoding="utf-8-sig")))}


class Moodle(Case):
    def both(self, rows, *words, titles=SHEET, code=0):
        sheet = self.table("sheet.csv", [titles, *rows])
        return self.grade(self.folder / "download.zip", "--submitted", sheet, "--gradebook", sheet, *words, code=code)

    def test_names_that_the_zip_writes_otherwise(self):
        names = {
            "O'Hara": "OHara",
            'Kim "Kay" & Co/x': "Kim Kay  Cox",
            "Jean_Luc van_der Aa": "Jean Luc van der Aa",
            "Bo 100%": "Bo 100%",
            "\u0e01" * 60: "\u0e01" * 60,
            "=Sum": "=Sum",
        }
        self.moodle({f"{written}_{n}": RIGHT for n, written in enumerate(names.values(), 11)})
        self.both([row(n, name, f"s{n}") for n, name in enumerate(names, 11)])
        self.assertEqual(set(self.book().values()), {"13"})
        self.assertEqual(len(self.points()), len(names))

    def test_two_of_one_name(self):
        self.moodle({"Bo Li_12": RIGHT, "Bo Li_13": WRONG})
        self.both([row(12, "Bo Li", "s12"), row(13, "Bo Li", "s13")], "--roster", self.write("people.csv", "id,name\ns12,Bo Li\ns13,Bo Li\n"))
        self.assertEqual(self.points(), {"Bo Li (s12)": "13", "Bo Li (s13)": "0"})
        self.assertEqual(self.book(), {"Participant 12": "13", "Participant 13": "0"})

    def test_two_of_one_name_and_nothing_that_says_who(self):
        """Nobody is guessed: the rows of the worksheet decide nothing, the submissions have rows of their own."""
        self.moodle({"Bo Li_12": RIGHT, "Bo Li_13": WRONG})
        said = self.both([row(12, "Bo Li"), row(13, "Bo Li")], "--roster", self.write("people.csv", "id,name\ns12,Bo Li\ns13,Bo Li\n"))
        self.assertIn("may be of several people in the roster", said)
        self.assertEqual(sorted(self.points()), ["Bo Li (s12)", "Bo Li (s13)", "Bo Li_12", "Bo Li_13"])

    def test_extensions_and_decisions_by_any_key(self):
        self.moodle({"Mia OHara_11": RIGHT, "Bo Li_12": RIGHT, "Bo Li_13": RIGHT})
        late = "Sunday, 22 November 2026, 9:05 AM"
        rows = [row(11, "Mia O'Hara", "s11", "mia@x", time=late), row(12, "Bo Li", "s12", time=late), row(13, "Bo Li", "s13", time=late)]
        self.out.mkdir()
        (self.out / "overrides.csv").write_text('mia@x,5,3,\n"Bo Li",5,1,\n')
        given = '[late.extensions]\n"s12" = 2026-11-23T12:00:00+01:00\n"Bo Li" = 2026-11-24T12:00:00+01:00\n'
        said = self.both(rows, "--rubric", self.write("r.toml", LATE + given))
        self.assertEqual(self.points(), {"Mia O'Hara": "3", "Bo Li (s12)": "13", "Bo Li (s13)": "7.8"})
        self.assertIn("may be any of these, of whom none has it", said)
        self.assertIn("who may be any of these, and decides nothing", said)

    def test_anonymous_grading_keeps_extensions_and_says_no_name(self):
        self.moodle({"Mia OHara_11": RIGHT})
        people = self.write("people.csv", "id,name,anonymous id\ns11,Mia O'Hara,owl\n")
        rubric = self.write("r.toml", LATE + "[late.extensions]\n\"Mia O'Hara\" = 2026-11-23T12:00:00+01:00\n")
        rows = [row(11, "Mia O'Hara", "s11", "mia@x", time="Sunday, 22 November 2026, 9:05 AM")]
        said = self.both(rows, "--roster", people, "--anonymous", "--rubric", rubric)
        self.assertEqual(self.points(), {"owl": "13"})
        for name in ("Mia", "mia@x", "s11"):
            self.assertNotIn(name, said)
        self.assertFalse((self.out / "people.json").exists())

    def test_two_weeks_are_one_person(self):
        self.moodle({"Bo Li_12": RIGHT})
        self.both([row(12, "Bo Li", "s1", "bo@x")])
        self.export({"Bo Li_57_assignsubmission_file/06_xor_swizzle.cu": (ROOT / "solutions/06_xor_swizzle/transpose.cu").read_text()}, "week2.zip")
        sheet = self.table("week2.csv", [SHEET, row(57, "Bo Li-Fu", "s1", "bo@x")])  # married since
        self.grade(self.folder / "week2.zip", "--submitted", sheet, "--gradebook", sheet, chapters="6")
        self.assertEqual(len(self.points()), 1)
        self.assertEqual(self.book(), {"Participant 57": "13"}, "the points of this week alone")

    def test_the_maximum_is_the_platforms(self):
        self.moodle({"Bo Li_12": RIGHT, "Cy Ro_13": WRONG})
        for most, expected in (("10.00", "10"), ("100.00", "100"), ("13.00", "13")):
            said = self.both([row(12, "Bo Li", "s12", most=most), row(13, "Cy Ro", "s13", most=most)])
            self.assertEqual(self.book(), {"Participant 12": expected, "Participant 13": "0"})
            self.assertEqual("maximum grade of" in said, expected != "13")
        titles = [t if t != "Maximum grade" else "Scale" for t in SHEET]
        self.assertIn("scale of words", self.both([row(12, "Bo Li", "s12", most="fail,pass")], titles=titles, code=2))

    def test_what_goes_back_is_what_the_importer_needs(self):
        self.moodle({"Bo Li_12": RIGHT})
        self.both([row(12, "Bo Li", "s12")])
        [titles, *_] = csv.reader(io.StringIO((self.out / "gradebook.csv").read_text()))
        self.assertNotIn("Feedback comments", titles)
        self.assertLessEqual({"Identifier", "Grade", "Last modified (grade)"}, set(titles))

    def test_a_page_for_who_handed_in_nothing(self):
        self.moodle({"Bo Li_12": RIGHT})
        self.both([row(12, "Bo Li", "s12"), row(13, "Di_ana O'Fu", "s13", time="-", status="No submission -  - ")])
        with zipfile.ZipFile(self.out / "feedback.zip") as archive:
            names = archive.namelist()
        self.assertEqual([name.split("_")[1] for name in sorted(names)], ["12", "13"])
        self.assertTrue(all(name.count("_") == 4 for name in names), names)

    def test_a_worksheet_of_another_assignment(self):
        self.moodle({"Bo Li_12": RIGHT, "Cy Ro_13": WRONG})
        self.assertIn("another assignment", self.both([row(13, "Bo Li", "s12"), row(12, "Cy Ro", "s13")], code=2))


class Others(Case):
    def test_canvas_knows_a_user_by_number(self):
        place = self.export({"libo_123_456_05_padding.cu": RIGHT, "libo_LATE_124_457_05_padding.cu": WRONG, "rocy_125_text.html": "<p>see mail</p>"})
        book = self.table(
            "book.csv",
            [
                ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Homework 5 (77)", "Current Score"],
                ["    Points Possible", "", "", "", "", "10", "(read only)"],
                ["Li, Bo", "124", "s13", "bo2", "A", "", ""],
                ["Li, Bo", "123", "s12", "bo", "A", "", ""],
                ["Ro, Cy", "125", "s14", "cy", "A", "", ""],
            ],
        )
        self.grade(place, "--gradebook", book)
        self.assertEqual({k: v for k, v in self.book("ID", "Homework 5 (77)").items() if k}, {"123": "10", "124": "0", "125": "0"})
        self.assertEqual(len(self.points()), 3)

    def test_canvas_without_names(self):
        place = self.export({"anon_x1b2c_456_05_padding.cu": RIGHT, "LATE_anon_y9d8e_457_05_padding.cu": WRONG, "smith_jr_9_1_05_padding.cu": RIGHT})
        self.grade(place)
        self.assertEqual(self.points(), {"anon_x1b2c": "13", "anon_y9d8e": "0", "smith_jr": "13"})

    def test_brightspace(self):
        place = self.export(
            {
                "81000-92000 - Bo Li - Nov 19, 2026 810 PM - 05_padding.cu": WRONG,
                "81000-92000 - Bo Li - Nov 20, 2026 810 PM - 05_padding.cu": RIGHT,
                "81001-92000 - Cy - Ro - Nov 20, 2026 1100 AM - 05_padding.cu": RIGHT,
                "index.html": "<html>",
            }
        )
        title = "Homework 5 Points Grade <Numeric MaxPoints:26>"
        book = self.table(
            "book.csv",
            [
                ["OrgDefinedId", "Username", "Last Name", "First Name", title, "Midterm Points Grade", "End-of-Line Indicator"],
                ["#s12", "#bo", "Li", "Bo", "", "7", "#"],
            ],
        )
        self.grade(place, "--gradebook", book)
        self.assertEqual(self.points(), {"Bo Li": "13", "Cy - Ro": "13"})
        self.assertEqual(self.book("Username", title), {"#bo": "26"})
        self.assertNotIn("Midterm", (self.out / "gradebook.csv").read_text())

    def test_blackboard_logins_with_bars(self):
        place = self.export(
            {
                "HW_5_a_b_4_attempt_2026-11-19-22-10-00.txt": "Name: Bo Li (a_b_4)\nAssignment: HW_5\n",
                "HW_5_a_b_4_attempt_2026-11-19-22-10-00_05_padding.cu": WRONG,
                "HW_5_a_b_4_attempt_2026-11-20-22-10-00.txt": "Name: Bo Li (a_b_4)\nAssignment: HW_5\n",
                "HW_5_a_b_4_attempt_2026-11-20-22-10-00_05_padding.cu": RIGHT,
                "HW_5_a_b_5_attempt_2026-11-20-22-10-00.txt": "Name: Cy Ro (a_b_5)\nAssignment: HW_5\n",
                "HW_5_a_b_5_attempt_2026-11-20-22-10-00_05_padding.cu": WRONG,
            }
        )
        title = "Homework 5 [Total Pts: 13 Score] |88"
        book = self.table(
            "book.csv",
            [
                ["Last Name", "First Name", "Username", "Student ID", "Last Access", title],
                ["Li", "Bo", "a_b_4", "s12", "", ""],
                ["Ro", "Cy", "a_b_5", "s13", "", ""],
            ],
        )
        self.grade(place, "--gradebook", book)
        self.assertEqual(self.points(), {"Bo Li (s12)" if "Bo Li (s12)" in self.points() else "Bo Li": "13", "Cy Ro": "0"})
        self.assertEqual(self.book("Username", title), {"a_b_4": "13", "a_b_5": "0"})

    def test_tables_beside_folders_are_no_students(self):
        place = self.export(
            {
                "Homework 5/Li, Bo(bo)/Submission attachment(s)/05_padding.cu": RIGHT,
                "Homework 5/Ro, Cy(cy)/Submission attachment(s)/05_padding.cu": WRONG,
                "Homework 5/grades.csv": "Homework 5,Points\n\nDisplay ID,ID,Last Name,First Name,grade\nbo,s12,Li,Bo,\ncy,s13,Ro,Cy,\n",
            }
        )
        book = self.write("grades.csv", "Homework 5,Points,,,\n,,,,\nDisplay ID,ID,Last Name,First Name,grade\nbo,s12,Li,Bo,\ncy,s13,Ro,Cy,\n")
        self.grade(place, "--gradebook", book)
        self.assertEqual(sorted(self.points().values()), ["0", "13"])
        text = (self.out / "gradebook.csv").read_text()
        self.assertIn("bo,s12,Li,Bo,13", text)
        self.assertIn("cy,s13,Ro,Cy,0", text)

    def test_ilias_folders(self):
        place = self.export({"Week 5/Li_Bo_boli_1234/05_padding.cu": RIGHT, "Week 5/Ro_Cy_cyro_1235/05_padding.cu": WRONG, "Week 5/list.xlsx": "x"})
        self.grade(place, "--roster", self.write("people.csv", "id,name\nboli,Bo Li\ncyro,Cy Ro\n"))
        self.assertEqual(self.points(), {"Bo Li": "13", "Cy Ro": "0"})

    def test_gradescope_says_ids(self):
        place = self.export(
            {
                "submission_1/05_padding.cu": RIGHT,
                "submission_2/05_padding.cu": WRONG,
                "submission_metadata.yml": "submission_1:\n  :submitters:\n  - :name: Bo Li\n    :sid: 's12'\n    :email: bo@x\n"
                "  :created_at: 2026-11-20 10:00:00 Z\n"
                "submission_2:\n  :submitters:\n  - :name: Bo Li\n    :sid: 's13'\n    :email: bo2@x\n  :created_at: 2026-11-20 10:00:00 Z\n",
            }
        )
        self.grade(place, "--roster", self.write("people.csv", "id,name\ns12,Bo Li\ns13,Bo Li\n"))
        self.assertEqual(self.points(), {"Bo Li (s12)": "13", "Bo Li (s13)": "0"})


if __name__ == "__main__":
    unittest.main()
