"""What beginners write, what the check reports, and that following its advice fixes it.

Enters: LAB_PROGRAM, the built program; mistakes.toml. Leaves: one unittest verdict. Each mistake is checked as a student's own file: the
first line of the message, the words that name the fix (in the message or in the hint that fits), and the same file once it is fixed:
the case that failed then passes, and the chapter as a whole."""
import collections
import pathlib
import re
import sys
import tomllib
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "cli"), str(HERE)]
import mistakes  # noqa: E402

from sandbox import SOURCE, Clone  # noqa: E402

DOCS = {"en": SOURCE / "docs/mistakes.md", "zh": SOURCE / "docs/mistakes.zh.md"}
CHAPTERS = {name[:2]: chapter for name, chapter in tomllib.loads((SOURCE / "chapters/chapters.toml").read_text(encoding="utf-8")).items()}


def joined(text):
    return " ".join(text.split())


class Desk:
    """One clone, and what was checked in it: equal texts are judged once."""

    def __init__(self, clone):
        self.clone, self.known = clone, {}

    def check(self, chapter, text):
        if (chapter, text) not in self.known:
            file = next(self.clone.root.glob(f"chapters/{chapter:02}_*/transpose.cu"))
            file.write_text(text, encoding="utf-8")
            code, got = self.clone.json("check", str(chapter), "--device", "sim")
            self.known[chapter, text] = code, got
        return self.known[chapter, text]

    def compiles(self, chapter):
        """False where a chapter needs Hopper's instructions, and no compiler here knows them."""
        return not CHAPTERS[chapter].get("hopper") or self.clone.lab("check", chapter, "--solution", "--device", "sim")[0] != 3

    def hint(self, chapter):
        return "\n".join(hint["text"] for hint in self.clone.json("hint", str(chapter))[1]["hints"])


def first_failure(got):
    return next((case for case in got["cases"] if not case["passed"]), None)


class Mistakes(unittest.TestCase):
    def test_every_word_leads_to_the_mend(self):
        rows = mistakes.load()
        self.assertGreaterEqual(len(rows), 40)
        of_chapter = collections.Counter(row["id"][:2] for row in rows)
        self.assertEqual(set(of_chapter), set(CHAPTERS))
        self.assertGreaterEqual(min(of_chapter.values()), 2)
        with Clone() as clone:
            desk = Desk(clone)
            skipped = {chapter for chapter in CHAPTERS if not desk.compiles(chapter)}
            for row in rows:
                if row["id"][:2] in skipped:
                    continue
                with self.subTest(mistake=row["id"]):
                    self.one(desk, row)

    def one(self, desk, row):
        chapter = int(row["id"][:2])
        code, got = desk.check(chapter, mistakes.wrong_text(row))
        self.assertEqual(code, 1)
        failed = first_failure(got)
        message = failed["reasons"][0]["message"]
        self.assertEqual(re.sub("0x[0-9a-f]+", "0x…", message.split("\n")[0]), row["first"])  # addresses are the host's matter
        said = joined(message + "\n" + desk.hint(chapter))
        self.assertIn(joined(row["names"]), said)
        _, fixed = desk.check(chapter, mistakes.fixed_text(row))
        passed = {case["id"]: case["passed"] for case in fixed["cases"]}
        self.assertTrue(passed[failed["id"]], first_failure(fixed))
        self.assertTrue(fixed["passed"], first_failure(fixed))

    def test_a_mend_that_does_not_mend_is_found(self):
        row = dict(next(row for row in mistakes.load() if row["id"] == "04-not-turned"))
        row["fix"] = [["tile[x][threadIdx.x]", "tile[y0][threadIdx.x]"]]
        with Clone() as clone, self.assertRaises(AssertionError):
            self.one(Desk(clone), row)

    def test_the_pages_are_made_from_the_table(self):
        for language, page in DOCS.items():
            self.assertEqual(page.read_text(encoding="utf-8"), mistakes.page(language), "run tests/mistakes/mistakes.py")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
