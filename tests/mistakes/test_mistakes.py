"""What beginners write, what the check reports, and that following its advice fixes it.

Enters: LAB_PROGRAM, the built program; mistakes.toml. Leaves: one unittest verdict. Each mistake is checked as a student's own file: the
first line of the message, the words that name the fix (in the message or in the hint that fits), and the same file once it is fixed:
the case that failed then passes, and the chapter as a whole. Each run draws rows, at least one of every chapter; LAB_SEED repeats a
run, LAB_DRAWS=10 takes every row."""
import collections
import pathlib
import sys
import tomllib
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "cli"), str(HERE)]
import mistakes  # noqa: E402
from drawn import draws  # noqa: E402

from sandbox import SOURCE, Clone  # noqa: E402

DRAWN = 60  # rows a run, besides one of each chapter
DOCS = SOURCE / "docs"
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


def drawn(rows):
    draw = draws.drawn("mistakes")
    taken = {draw.choice([row["id"] for row in rows if row["id"][:2] == chapter]) for chapter in sorted(CHAPTERS)}
    taken |= {row["id"] for row in draw.sample(rows, min(draws.draws_of_run(DRAWN), len(rows)))}
    return [row for row in rows if row["id"] in taken]


class Mistakes(unittest.TestCase):
    def test_every_message_leads_to_the_fix(self):
        rows = mistakes.load()
        of_chapter = collections.Counter(row["id"][:2] for row in rows)
        self.assertEqual(set(of_chapter), set(CHAPTERS))
        self.assertGreaterEqual(min(of_chapter.values()), 10)
        self.assertEqual(len({(row["id"][:2], mistakes.wrong_text(row)) for row in rows}), len(rows), "one mistake stands here twice")
        with Clone() as clone:
            desk = Desk(clone)
            skipped = {chapter for chapter in CHAPTERS if not desk.compiles(chapter)}
            for row in drawn(rows):
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
        self.assertEqual(mistakes.kind(message.split("\n")[0]), mistakes.kind(row["first"]))
        said = joined(message + "\n" + desk.hint(chapter))
        self.assertIn(joined(row["names"]), said)
        _, fixed = desk.check(chapter, mistakes.fixed_text(row))
        passed = {case["id"]: case["passed"] for case in fixed["cases"]}
        self.assertTrue(passed[failed["id"]], first_failure(fixed))
        self.assertTrue(fixed["passed"], first_failure(fixed))

    def test_a_fix_that_fixes_nothing_is_found(self):
        row = dict(next(row for row in mistakes.load() if row["id"] == "04-not-turned"))
        row["fix"] = [["tile[x][threadIdx.x]", "tile[y0][threadIdx.x]"]]
        with Clone() as clone, self.assertRaises(AssertionError):
            self.one(Desk(clone), row)

    def test_what_is_drawn_is_not_compared_and_all_else_is(self):
        drawn = [("shape 1×32: thread (1,0) writes `counts[7]` at line 80", "shape 1×31: thread (0,0) writes `counts[91]` at line 80"),
                 ("shape 1×2: 3300894794 was added to out(0)", "shape 2×2, rows of `in` 8 apart: 12 was added to out(0)"),
                 ("written so far: `tile[0]`, `tile[1]`, …, `tile[7]`.", "written so far: `tile[0]`–`tile[12]`."),
                 ("FINDING_OF(table_a): it is something else.", "FINDING_OF(table_f): it is something else.")]
        own = [("shape 1×2: `a[7]` at line 80", "shape 1×2: `a[7]` at line 81"), ("32 sectors per request, 4 would do", "32 sectors per request, 8 would do"),
               ("out(0,1) was never written", "out(0,1) holds zero"), ("16 wavefronts per request", "32 wavefronts per request")]
        for one, other in drawn:
            self.assertEqual(mistakes.kind(one), mistakes.kind(other))
        for one, other in own:
            self.assertNotEqual(mistakes.kind(one), mistakes.kind(other))

    def test_the_pages_are_made_from_the_table(self):
        made = mistakes.pages("en") | mistakes.pages("zh")
        for name, text in made.items():
            self.assertEqual((DOCS / name).read_text(encoding="utf-8"), text, "run tests/mistakes/mistakes.py")
        self.assertEqual({path.relative_to(DOCS).as_posix() for path in DOCS.glob("mistakes/*")} - set(made), set(), "a page of no chapter")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
