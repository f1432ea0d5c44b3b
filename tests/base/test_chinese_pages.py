"""Pages that `lab` writes, asked for in Chinese: no English sentence is left in them.

Enters: LAB_PROGRAM, the built program. Leaves: one unittest verdict; without a kernel compiler it is skipped. Checked are the pages of
`grade`, `similar`, `bench` and `show`, as a reader sees them: kernels and commands keep their own words."""
import html.parser
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["LAB_PROGRAM"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
CHINESE = re.compile(r"[\u4e00-\u9fff]")


class Words(html.parser.HTMLParser):
    """What is read on a page: its text and its titles, without kernels, commands, styles and programs."""

    UNSEEN = {"pre", "code", "style", "script"}

    def __init__(self, page):
        super().__init__()
        self.said, self.unseen = [], 0
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.unseen += tag in self.UNSEEN
        self.said += [value for name, value in attrs if name in ("title", "alt", "aria-label") and value]

    def handle_endtag(self, tag):
        self.unseen -= tag in self.UNSEEN

    def handle_data(self, data):
        if not self.unseen and data.strip():
            self.said.append(data.strip())


def english_in(page):
    """Three English words in a row, or one alone that stands for itself as a heading does; names of chapters and files are none."""
    said = [re.sub(r"`[^`]*`|\S*[_/.\d]\S*", " ", words) for words in Words(page).said]
    return [words for words in said if re.search(r"\b[A-Za-z]?[a-z']+ [a-z']+ [a-z']+\b", words)]


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        texts = {"ada": "solutions/05_padding/transpose.cu", "bob": "solutions/05_padding/skeleton.cu",
                 "cem": "tests/mutants/course/05_two_columns.cu", "dan": "solutions/06_xor_swizzle/transpose.cu"}
        for student, place in texts.items():
            kernel = cls.folder / "class" / student / "05_padding.cu"
            kernel.parent.mkdir(parents=True)
            kernel.write_text((ROOT / place).read_text(encoding="utf-8"), encoding="utf-8")
        (cls.folder / "class/eve").mkdir()  # who handed in nothing

    def lab(self, *words):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, cwd=self.folder, timeout=300,
                              env=dict(os.environ, LAB_LANG="zh", LAB_ROOT=str(ROOT), TERM="dumb"))
        if done.returncode == 3:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def assert_chinese(self, *places):
        self.assertTrue(places)
        for place in places:
            page = place.read_text(encoding="utf-8")
            with self.subTest(place.name):
                self.assertRegex(page, CHINESE)
                self.assertEqual(english_in(page), [])
                if place.suffix == ".html":
                    self.assertIn('lang="zh-CN"', page)

    def test_grade(self):
        self.lab("grade", "run", "class", "--chapters", "5,6", "--out", "grades", "--format", "html", "--no-sandbox")
        pages = [self.folder / "grades/index.html", *sorted((self.folder / "grades/students").glob("*.html"))]
        self.assertEqual(len(pages), 6)
        self.assert_chinese(*pages)

    def test_similar(self):
        said = self.lab("grade", "similar", "class", "--chapters", "5", "--page", "similar.html", "--no-sandbox", "--least", "1")
        self.assertEqual(english_in(said), [])
        self.assert_chinese(self.folder / "similar.html")

    def test_bench(self):
        self.lab("bench", "--chapters", "4,5", "--device", "sim", "--sizes", "256", "--html", "bench.html", "--svg", "bench.svg")
        self.assert_chinese(self.folder / "bench.html", self.folder / "bench.svg")


class Seen(unittest.TestCase):
    def test_english_is_seen(self):
        self.assertEqual(len(english_in("<h1>Similar kernels</h1><p>No pair stands out.</p>")), 1)
        self.assertEqual(len(english_in("<p title='no kernel was found'>–</p>")), 1)
        self.assertEqual(english_in("<p>没有突出的一对。<code>./lab check 5 to see it</code> chapters/05_padding/transpose.cu</p>"), [])


if __name__ == "__main__":
    unittest.main()
