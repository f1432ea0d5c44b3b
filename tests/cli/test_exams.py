"""The exams of chapters 17 and 18, as a student who wants the points without the work meets them: findings one after the other, a
neighbour's answers, edited files, answers that are handed in again. What was said first decides.

Enters: LAB_PROGRAM, the built program. Leaves: one unittest verdict. Seats are drawn."""
import json
import random
import re
import unittest

from sandbox import Clone
from tests.drawn.draws import seed_of_run

TABLES, PAGES = "17_read_the_profiler", "18_bugs_in_the_wild"
CAUSES = ["kBarrierInBranch", "kIndexOverflow", "kMisalignedAccess", "kMissingBarrier", "kMissingSyncwarp", "kNotOneToOne", "kPaddingNotIndexed",
          "kPaddingOfWrongAxis", "kReadBeforeArrival", "kSwappedBounds", "kUninitialised", "kWrongPitch"]
SEED = seed_of_run("exams")


def findings(text):
    return re.findall(r"FINDING_OF\(bug_\d\) = ([^;]*);", text)


def with_findings(text, said):
    rest = iter(said)
    return re.sub(r"(FINDING_OF\(bug_\d\) = )[^;]*;", lambda m: f"{m[1]}{next(rest)};", text)


class Exam(unittest.TestCase):
    def setUp(self):
        self.clone = Clone()
        self.addCleanup(self.clone.folder.cleanup)
        self.random = random.Random(SEED)

    def check(self, chapter, text, *options):
        file = self.clone.kernel(chapter)
        file.write_text(text)
        return self.clone.json("check", chapter[:2], *options)[1]

    def pages(self, seat, *options):
        return self.clone.lab("tables", "18", "--seat", str(seat), *options)[1]

    def points(self, chapter):
        return json.loads((self.clone.root / ".lab/progress.json").read_text())["chapters"][chapter]["points"]

    def said(self, name, what):
        self.clone.kernel(PAGES).write_text(re.sub(rf"(FINDING_OF\({name}\) = )[^;]*;", rf"\g<1>{what};", self.clone.kernel(PAGES).read_text()))


class Pages(Exam):
    def test_the_file_of_the_first_day_is_seat_0_under_every_key(self):
        self.assertEqual(self.pages(0), self.clone.skeleton(PAGES))
        self.assertEqual(self.pages(0, "--key", "spring"), self.clone.skeleton(PAGES))

    def test_drawn_seats_are_wrong_as_they_come_and_right_as_they_should_become(self):
        for seat in self.random.sample(range(1, 10**6), 3):
            with self.subTest(seat=seat, seed=SEED):
                faulty, solved = self.pages(seat), self.pages(seat, "--solved")
                self.assertTrue(self.check(PAGES, solved)["passed"])
                got = self.check(PAGES, with_findings(faulty, findings(solved)))
                for case in got["cases"]:  # each is wrong, and not by its finding
                    self.assertFalse(case["passed"], case["id"])
                    self.assertNotIn(case["reasons"][0]["code"], {"finding-wrong", "finding-missing", "no-entry"}, case["id"])

    def test_seats_and_keys_have_other_pages(self):
        seats = self.random.sample(range(1, 10**6), 2)
        sheets = [self.pages(seat, "--solved") for seat in seats] + [self.pages(seats[0], "--solved", "--key", "spring")]
        for i, one in enumerate(sheets):
            for other in sheets[:i]:
                alike = sum(a == b for a, b in zip(findings(one), findings(other)))
                self.assertLessEqual(alike, 2, f"seats {seats}, seed {SEED}")

    def test_a_neighbours_answers_and_a_neighbours_seat(self):
        mine, theirs = self.random.sample(range(1, 10**6), 2)
        answers = findings(self.pages(theirs, "--solved"))
        got = self.check(PAGES, with_findings(self.pages(mine), answers))
        self.assertLessEqual(sum(case["reasons"][0]["code"] != "finding-wrong" for case in got["cases"]), 2, f"seed {SEED}")
        # Their number with my pages, and their pages with my number: the kernels of one, the questions of the other.
        solved = self.pages(theirs, "--solved").replace(f"SEAT = {theirs};", f"SEAT = {mine};")
        self.assertLessEqual(sum(case["passed"] for case in self.check(PAGES, solved)["cases"]), 2, f"seed {SEED}")

    def test_what_is_left_over_tells_nothing(self):
        seen = [findings(self.pages(seat, "--solved")) for seat in self.random.sample(range(1, 10**6), 150)]  # nine in ten have the commonest cause
        causes = [[re.search(r"k\w+", finding)[0] for finding in sheet] for sheet in seen]
        self.assertTrue(any(len(set(sheet)) < 8 for sheet in causes))  # repeats
        for cause in ("kSwappedBounds", "kMissingBarrier", "kUninitialised"):
            self.assertTrue(any(cause in sheet for sheet in causes) and any(cause not in sheet for sheet in causes), f"{cause}, seed {SEED}")
        self.assertGreater(len({finding for sheet in seen for finding in sheet}), 50)  # letters and causes

    def test_no_half_of_a_finding_is_confirmed(self):
        seat = self.random.randrange(1, 10**6)
        faulty, solved = self.pages(seat), self.pages(seat, "--solved")
        line, cause = re.search(r"'(.)', .cause = (\w+)", findings(solved)[0]).groups()
        other_line = "a" if line != "a" else "b"
        other_cause = self.random.choice([c for c in CAUSES if c != cause])
        answers = set()
        for said in (f"{{.line = '{line}', .cause = {other_cause}}}", f"{{.line = '{other_line}', .cause = kMisalignedAccess}}",
                     f"{{.line = '{other_line}', .cause = {cause}}}"):
            case = self.check(PAGES, with_findings(faulty, [said] + ["{.line = 0, .cause = kNotSaid}"] * 7))["cases"][0]
            answers.add(json.dumps(case["reasons"]))
        self.assertEqual(len(answers), 1, answers)

    def test_pages_come_into_the_file_and_a_copy_stays(self):
        before = self.clone.kernel(PAGES).read_text()
        code, got = self.clone.json("tables", "18", "--seat", "12", "--sources")
        self.assertEqual(code, 0)
        self.assertEqual(self.clone.kernel(PAGES).read_text(), self.pages(12))
        self.assertEqual((self.clone.root / got["copy"]).read_text(), before)
        self.assertEqual(self.clone.lab("tables", "17", "--solved")[0], 2)


class FirstFindings(Exam):
    def test_a_wrong_first_finding_costs_its_point_and_practice_goes_on(self):
        seat = self.random.randrange(1, 10**6)
        solved = self.pages(seat, "--solved")
        answers = findings(solved)
        wrong = ["{.line = '" + ("z" if "'z'" not in answers[0] else "y") + "', .cause = kMisalignedAccess}", *answers[1:]]
        self.check(PAGES, with_findings(solved, wrong))
        self.assertTrue(self.check(PAGES, solved)["passed"])
        self.assertEqual(self.points(PAGES), 23)
        self.assertIn("2 of 3 points", self.clone.lab("check", "18", "--plain")[1])
        self.clone.lab("reset", "18")  # a new start is no new first finding
        self.check(PAGES, solved)
        self.assertEqual(self.points(PAGES), 23)

    def test_all_tables_tried_one_after_the_other_earn_nothing(self):
        text = self.clone.solution(TABLES)
        wrong = re.sub(r"(FINDING_OF\(table_.\) = )[^;]*;", r"\1{.line = 'a', .cause = kAtomicsOnOneWord};", text)
        got = self.check(TABLES, wrong)
        lost = sum(not case["passed"] for case in got["cases"] if case["id"].startswith("table-"))
        self.assertGreaterEqual(lost, 6)
        got = self.check(TABLES, text)
        self.assertTrue(got["passed"])
        self.assertEqual(self.points(TABLES), sum(case["points"] for case in got["cases"]) - lost)

    def test_under_another_key_nothing_is_said_first(self):
        solved = self.pages(5, "--solved")
        self.check(PAGES, solved, "--key", "spring")
        self.check(PAGES, solved)
        self.assertEqual(self.points(PAGES), 24)


class Graded(Exam):
    """What is handed in to be graded into one folder."""

    def setUp(self):
        super().setUp()
        (self.clone.root / "class/ada").mkdir(parents=True)
        (self.clone.root / "rubric.toml").write_text('key = "autumn"\n' + (self.clone.root / "common/class/grade/rubric.toml").read_text())

    def grade(self, text, chapter=PAGES, *options, out="grades"):
        file = self.clone.root / "class/ada" / (chapter + ".cu")
        if text is None:
            file.unlink()
        else:
            file.write_text(text)
        code, _, err = self.clone.lab("grade", "class", "--chapters", chapter[:2], "--rubric", "rubric.toml", "--out", out, "--no-sandbox", *options)
        self.assertEqual(code, 0, err)
        return json.loads((self.clone.root / out / "records/ada" / (chapter + ".json")).read_text())

    def solved(self, seat=9):
        return self.pages(seat, "--key", "autumn", "--solved")

    def test_the_first_hand_in_decides(self):
        solved = self.solved()
        wrong = with_findings(solved, ["{.line = 'z', .cause = kMisalignedAccess}"] * 2 + findings(solved)[2:])
        self.assertEqual(self.grade(wrong)["points"], 18)
        again = self.grade(solved)
        self.assertEqual((again["points"], again["passed"]), (22, True))
        self.assertIn("first finding", again["cases"][0]["gate"])
        verified = self.clone.lab("grade", "verify", "grades/records/ada/18_bugs_in_the_wild.json")
        self.assertEqual(verified[0], 0, verified)
        # Another seat, another hand-in without a file: what was said first stays.
        self.assertEqual(self.grade(self.solved(10))["points"], 22)
        self.assertEqual(self.grade(None)["points"], 0)
        self.assertEqual(self.grade(solved)["points"], 22)
        self.assertEqual(self.grade(solved, out="elsewhere")["points"], 24)  # a folder that knows nothing of it

    def test_what_was_not_said_may_be_said_later(self):
        solved = self.solved()
        self.grade(with_findings(solved, ["{.line = 0, .cause = kNotSaid}", *findings(solved)[1:]]))
        self.assertEqual(self.grade(solved)["points"], 24)

    def test_the_public_answers_are_no_answers_of_a_class(self):
        self.assertLessEqual(self.grade(self.pages(9, "--solved"))["points"], 6)  # the same seat under the public key
        exam = re.sub("SEAT = 0;", "SEAT = 9;", self.clone.solution(TABLES))
        tables = [case for case in self.grade(exam, TABLES)["cases"] if case["id"].startswith("table-")]
        self.assertLessEqual(sum(case["passed"] for case in tables), 4)


if __name__ == "__main__":
    print(f"seed of this run (exams): {SEED}")
    unittest.main()
