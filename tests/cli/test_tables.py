"""The exam of chapter 17: tables that are counted again, answers that are not read by accident, kernels that come after them.

Enters: LAB_PROGRAM, the built program. Leaves: one unittest verdict."""
import json
import re
import unittest

from sandbox import SOURCE, Clone

CHAPTER = "17_read_the_profiler"
TABLES = [f"table_{letter}" for letter in "abcdefgh"]
KERNELS = ["turn_1", "turn_2", "turn_3", "turn_4", "turn_5", "sum", "histogram", "stencil"]


def with_findings(text, cause="kLoadedAgain", of=TABLES):
    for table in of:
        text = re.sub(rf"(FINDING_OF\({table}\) = ){{.*}};", rf"\g<1>{{.line = 'a', .cause = {cause}}};", text)
    return text


class Tables(unittest.TestCase):
    def setUp(self):
        self.clone = Clone()
        self.addCleanup(self.clone.folder.cleanup)
        self.file = self.clone.kernel(CHAPTER)

    def tables(self, *options):
        code, got = self.clone.json("tables", "17", *options)
        self.assertEqual(code, 0)
        return got

    def shapes(self, *options):
        return [(t["rows"], t["cols"], t["metrics"]) for t in self.tables(*options)["tables"]]

    def test_the_page_is_what_is_counted(self):
        code, out, err = self.clone.lab("tables", "17", "--seat", "0", "--plain")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, (SOURCE / "chapters" / CHAPTER / "tables.txt").read_text(encoding="utf-8"),
                         "chapters/17_read_the_profiler/tables.txt is not what `lab tables 17 --seat 0 --plain` prints")

    def test_seats_and_keys_have_other_tables(self):
        mine = self.shapes()
        self.assertEqual(mine, self.shapes("--seat", "0"))
        self.assertNotEqual(mine, self.shapes("--seat", "1"))
        self.assertNotEqual(mine, self.shapes("--key", "spring"))
        self.file.write_text(self.file.read_text().replace("SEAT = 0;", "SEAT = 7;"))
        self.assertEqual(self.shapes(), self.shapes("--seat", "7"))
        self.assertEqual(self.tables()["seat"], 7)

    def test_no_two_tables_are_alike_and_no_kernel_is_named(self):
        for seat in ("0", "1", "2"):
            got = self.tables("--seat", seat)["tables"]
            self.assertEqual([t["table"] for t in got], ["healthy", *TABLES])
            self.assertEqual(len({json.dumps(t["metrics"]) for t in got}), 9)
        for page in [*(self.clone.root / "chapters" / CHAPTER).iterdir()]:
            text = page.read_text(encoding="utf-8")
            self.assertNotRegex(text, r"turn_\d|table_\w.*(kStrided|kIdle|kLocal|kMis|kLoaded|kGlobal|kNothing)", page.name)

    def test_kernels_come_after_the_findings(self):
        before = self.file.read_text()
        code, got = self.clone.json("tables", "17", "--sources")
        self.assertEqual((code, got["missing"], got["copy"]), (1, TABLES, ""))
        self.assertEqual(self.file.read_text(), before)
        self.file.write_text(with_findings(before, of=TABLES[:7]))
        code, out, err = self.clone.lab("tables", "17", "--sources")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("FINDING_OF(table_h)", err)
        self.file.write_text(with_findings(before))
        code, got = self.clone.json("tables", "17", "--sources")
        self.assertEqual((code, got["missing"]), (0, []))
        self.assertTrue(self.file.read_text().startswith(with_findings(before)))
        self.assertEqual((self.clone.root / got["copy"]).read_text(), with_findings(before))
        first = json.loads((self.clone.root / ".lab/progress.json").read_text())["chapters"][CHAPTER]["first_findings"]
        self.assertEqual(set(first), {"0/" + table.replace("_", "-") for table in TABLES})
        cases = {case["id"]: case for case in self.clone.json("check", "17")[1]["cases"]}
        for kernel in KERNELS:  # as they came: each is right, and wastes what its table shows, or its table's finding is wrong
            code = cases[kernel.replace("_", "-")]["reasons"][0]["code"]
            self.assertIn(code, {"uncoalesced", "bank-conflict", "other-path", "too-many-requests", "repeated-access", "finding-wrong"}, kernel)
        self.assertEqual(self.clone.lab("tables", "17", "--sources")[0], 2)  # they are there already

    def test_kernels_alone_earn_nothing_before_the_findings(self):
        text = self.clone.solution(CHAPTER)
        self.file.write_text(with_findings(text, "kNotSaid", TABLES[-1:]))
        code, got = self.clone.json("check", "17")
        self.assertEqual(code, 1)
        self.assertEqual({case["id"] for case in got["cases"] if case["passed"]}, {f"table-{letter}" for letter in "abcdefg"})

    def test_answers_of_another_seat_are_answers_to_other_tables(self):
        self.file.write_text(self.clone.solution(CHAPTER))
        self.assertEqual(self.clone.lab("check", "17")[0], 0)
        code, got = self.clone.json("check", "17", "--key", "spring")
        self.assertEqual(code, 1)
        wrong = [case["id"] for case in got["cases"] if not case["passed"] and case["id"].startswith("table-")]
        self.assertGreaterEqual(len(wrong), 4)  # and fixes count with the finding of their own table alone


if __name__ == "__main__":
    unittest.main()
