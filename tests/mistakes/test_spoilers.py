"""No text of this or a later chapter's answer before a pass, but where the text says so at its top.

Enters: LAB_PROGRAM, the built program; the pages, pictures and headers that a student meets. Leaves: one unittest verdict. What an answer
is comes from the solutions: each line of code that no skeleton has is the answer of the first chapter whose solution has it. A few
short ideas are listed by hand. A page that must hold answers says so in its first lines; a lesson may speak of its own chapter and of
earlier ones."""
import html
import pathlib
import re
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "cli")]
from sandbox import SOURCE, Clone  # noqa: E402

CHAPTERS = sorted(path.parent.name for path in SOURCE.glob("solutions/*/transpose.cu"))
LEAST = 24  # characters of a line without blanks: shorter ones are everybody's
# Ideas that are shorter than a line, by chapter.
IDEAS = {"05": ["kTile+1", "[32][33]"], "06": ["x^y", "^threadIdx", "^row", "^y]"], "07": ["rows_per_line=", "chunk_elems+"], "08": ["row/4"]}
PAGES = ["*.md", "docs/**/*.md", "docs/**/*.svg", "chapters/*/*.md", "chapters/*/*.svg", "common/kernel/*", "common/sim/README.md",
         "examples/**/*.md", "examples/**/*.cu"]
# Where an answer is given, and is said to be: checked below.
SAYS_SO = re.compile(r"\b(shows?|holds?|is)\b[^.\n]*\banswers?\b|有答案|的答案")


def code(text):
    """Without blanks and comments: as two people may lay out one line."""
    return re.sub(r"\s+", "", re.sub(r"//.*", "", text))


def answers():
    """Lines that are an answer, by chapter."""
    known = {code(line) for path in SOURCE.glob("solutions/*/skeleton.cu") for line in path.read_text().split("\n")}
    found = {}
    for chapter in CHAPTERS:
        lines = [code(line) for line in (SOURCE / f"solutions/{chapter}/transpose.cu").read_text().split("\n")]
        found[chapter] = [line for line in lines if len(line) >= LEAST and line not in known and line[0] not in ".#"]
        known.update(lines)
        found[chapter] += IDEAS.get(chapter[:2], [])
    return found


ANSWERS = answers()


def given_away(text, since=""):
    """Answers of chapters from `since` on that stand in the text."""
    flat = re.sub(r"\s+", "", html.unescape(text))
    return [(chapter, line) for chapter in CHAPTERS if chapter >= since for line in ANSWERS[chapter] if line in flat]


def says_so(path, text):
    """At its top; a picture where the README above it does."""
    if path.suffix == ".svg":
        text = next(above / "README.md" for above in path.parents if (above / "README.md").is_file()).read_text()
    return SAYS_SO.search("\n".join(text.split("\n")[:8])) is not None


class Spoilers(unittest.TestCase):
    def test_pages(self):
        seen = 0
        for path in sorted({path for pattern in PAGES for path in SOURCE.glob(pattern) if path.is_file()}):
            text = path.read_text(errors="replace")
            own = path.parent.name if path.parent.name in CHAPTERS else None
            later = CHAPTERS[CHAPTERS.index(own) + 1] if own and own != CHAPTERS[-1] else ""
            if own == CHAPTERS[-1]:
                continue
            seen += 1
            found = given_away(text, later)
            if found and (own or not says_so(path, text)):
                self.fail(f"{path.relative_to(SOURCE)} gives away {found[:3]}; say so in its first lines, or leave it out")
        self.assertGreater(seen, 60)

    def test_the_first_check_of_a_skeleton(self):
        with Clone() as clone:
            for chapter in CHAPTERS:
                number = str(int(chapter[:2]))
                text = clone.lab("check", number, "--device", "sim")[1]
                said = "\n".join(line for line in text.split("\n") if ".cu:" not in line)  # the student's own line is his
                self.assertEqual(given_away(said, chapter), [], chapter)

    def test_commands_that_are_asked_before_any_chapter(self):
        with Clone() as clone:
            names = re.findall(r"^  (\w[\w-]*)", clone.lab("--help")[1], re.M)
            self.assertGreater(len(names), 15)
            for words in ([], ["list"], ["tour", "--help"], ["--help-all"], ["inspect", "swizzle", "--help"], *([name, "--help"] for name in names)):
                with self.subTest(words=words):
                    self.assertEqual(given_away(clone.lab(*words)[1]), [])

    def test_what_would_be_found(self):
        self.assertEqual([chapter for chapter, _ in given_away("__shared__ float tile[kTile][kTile + 1];")], ["05_padding"])
        self.assertEqual({chapter for chapter, _ in given_away("<text>tile[y][threadIdx.x ^ y]</text>")}, {"06_xor_swizzle"})
        self.assertTrue(given_away((SOURCE / "solutions/09_any_matrix/transpose.cu").read_text(), "09"))
        self.assertFalse(says_so(pathlib.Path("x.md"), "# A page\n\nof something else\n"))
        self.assertGreater(sum(len(lines) > 0 for lines in ANSWERS.values()), 12)
        self.assertFalse(says_so(SOURCE / "README.md", (SOURCE / "README.md").read_text()))


if __name__ == "__main__":
    unittest.main()
