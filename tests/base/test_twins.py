"""Lessons in two languages: each has its twin, and both say the same with the same numbers.

Enters: the lessons, the front page, the pages of docs/ that have a twin. Leaves: one unittest verdict. That the numbers are true is another
test's matter (lesson numbers); here both pages must have the same ones, backed by the same formulas, and the same
headings, code, pictures, lists and tables."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import messages  # noqa: E402

TWINNED = ("arm", "atomics", "browser", "comparison", "cuda", "editors", "embed", "fast", "glossary", "grading", "grading_ci", "grading_large",
           "grading_moodle", "grading_walls", "install", "mistakes", "ptx", "python", "questions", "step", "troubleshooting", "workshop")  # of docs/


def pairs():
    pages = sorted((ROOT / "chapters").glob("*/README.md")) + [ROOT / "README.md"] + [ROOT / f"docs/{name}.md" for name in TWINNED]
    return [(page, page.with_suffix("").with_suffix(".zh.md")) for page in pages]


def blocks(text):
    """Code between fences, without its comments: those are translated."""
    return [re.sub(r"\s*(//|#).*", "", code) for code in re.findall(r"^```\w*\n(.*?)^```", text, re.S | re.M)]


def prose(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)


def formulas(text):
    """(number, formula), in any order: languages differ in theirs."""
    return sorted((re.sub(r"\s", " ", n), f.strip()) for n, f in
                  re.findall(r"(\d[\d \u00a0\u202f.]*)<!-- ?([=~][^>]*?)-->", text))


def numbers(text):
    """Numbers from 1000 on that the text writes in groups, and percentages."""
    bare = re.sub(r"<!--.*?-->|`[^`]*`", "", prose(text))
    found = re.findall(r"(?<![\d,])\d{1,3}(?:[ \u00a0]\d{3})+(?!\d)|\d+\s%", bare)
    return sorted(re.sub(r"\s", " ", number) for number in found)


def links(text):
    """Where links lead, a twin's place counted as its English page's; the link to the twin itself left out."""
    found = re.findall(r"\]\(([^)\s]+)\)", prose(text))
    return sorted(x for x in (re.sub(r"\.zh\.(md|svg|png)", r".\1", link) for link in found) if x not in ("README.md", "glossary.md"))


def shape(text):
    """What the page is made of, line by line: headings, table rows, items, folds."""
    made = []
    for line in prose(text).splitlines():
        for name, pattern in (("heading", r"(#+) "), ("row", r"\|"), ("item", r"- |\d+\. "), ("fold", r"<details>|</details>"),
                              ("quote", r"> ")):
            if match := re.match(pattern, line):
                made.append(match[0].strip() if name in ("heading", "fold") else name)
    return made


LOOKS = {"code": blocks, "formulas": formulas, "numbers": numbers, "links": links, "shape": shape}
FRONT_PAGE = {"code": blocks, "numbers": numbers}  # the Chinese one points at English pages in its own words


def differences(english, chinese, looks=None):
    """What the twins do not have in common, in words."""
    wrong = []
    for name, of in (looks or LOOKS).items():
        a, b = of(english), of(chinese)
        if a != b:
            only = [x for x in a if x not in b][:3], [x for x in b if x not in a][:3]
            wrong.append(f"{name} differ: {len(a)} here, {len(b)} there; only in English {only[0]}, only in Chinese {only[1]}")
    if not looks and len(re.findall(r"\*\*", english)) != len(re.findall(r"\*\*", chinese)):
        wrong.append("the number of **bold** words differs")
    if other := messages.other_word(chinese):
        wrong.append(f"the twin {other}")
    if not re.search(r"[\u4e00-\u9fff]", chinese):
        wrong.append("the twin is not in Chinese")
    return wrong


class Twins(unittest.TestCase):
    def test_each_page_has_one(self):
        self.assertEqual([str(zh) for _, zh in pairs() if not zh.is_file()], [])
        self.assertGreaterEqual(len(pairs()), 11)

    def test_no_twin_is_alone(self):
        known = {zh for _, zh in pairs()}
        for zh in [*ROOT.glob("chapters/*/*.zh.md"), *ROOT.glob("docs/*.zh.md")]:
            self.assertTrue(zh.with_suffix("").with_suffix(".md").is_file(), f"{zh} has no English page")
            self.assertIn(zh, known, "its English page stands in no list of this test")

    def test_they_say_the_same(self):
        for page, zh in pairs():
            if zh.is_file():
                with self.subTest(zh.relative_to(ROOT)):
                    looks = FRONT_PAGE if page.parent == ROOT else None
                    self.assertEqual(differences(page.read_text(encoding="utf-8"), zh.read_text(encoding="utf-8"), looks), [])

    def test_they_name_each_other(self):
        for page, zh in pairs():
            if zh.is_file():
                self.assertIn(f"]({zh.name})", page.read_text(encoding="utf-8"), page)
                self.assertIn(f"]({page.name})", zh.read_text(encoding="utf-8"), zh)

    def test_pictures_speak_their_language(self):
        for _, zh in pairs():
            if zh.is_file():
                for link in re.findall(r"\]\((\w+\.(?:zh\.)?svg)\)", zh.read_text(encoding="utf-8")):
                    self.assertTrue(link.endswith(".zh.svg") and (zh.parent / link).is_file(), f"{zh}: {link}")
                    words = re.sub(r"<[^>]*>", " ", (zh.parent / link).read_text(encoding="utf-8"))
                    words = re.sub(r"\bblock_x_walks\b|\bk(Rows|Cols)\b", " ", words)  # as in the kernel file
                    known = {"in", "out", "float", "tile", "mod", "swizzle", "TMA", "kSwizzle", "ldmatrix", "trans", "GPU", "warp", "lane"}
                    self.assertEqual(set(re.findall(r"[A-Za-z]{2,}", words)) - known, set(), link)

    def test_the_front_page_has_pictures_for_phones(self):
        """At 390 pixels, of which the code host leaves 358, letters of 13 pixels stay legible: at least 10."""
        for name, twin in (("README.md", ""), ("README.zh.md", ".zh")):
            text = (ROOT / name).read_text(encoding="utf-8")
            self.assertNotRegex(text, r"!\[[^\]]*\]\(docs/", f"{name}: a picture without a narrow one")
            pictures = re.findall(r'<source media="\(max-width: \d+px\)" srcset="([^"]+)">\s*<img alt="[^"]+" src="([^"]+)">', text)
            self.assertEqual(len(pictures), text.count("<picture>"), name)
            for narrow, wide in pictures:
                self.assertRegex(f"{narrow} {wide}", rf"^[^.]+\.\w+{twin}\.(svg|png) [^.]+(\.\d+)?{twin}\.\1$")
                self.assertGreaterEqual(13 * 358 / width_of(ROOT / narrow), 10, narrow)

    def test_hints_are_numbered_alike(self):
        for page, zh in pairs():
            if zh.is_file():
                english = re.findall(r"<summary>Hint (\d+)", page.read_text(encoding="utf-8"))
                chinese = re.findall(r"<summary>提示 (\d+)", zh.read_text(encoding="utf-8"))
                self.assertEqual(english, chinese, zh)


def width_of(picture: pathlib.Path) -> int:
    """In points; a PNG for phones has two pixels a point."""
    if picture.suffix == ".png":
        return int.from_bytes(picture.read_bytes()[16:20], "big") // 2
    return int(re.search(r'width="(\d+)"', picture.read_text(encoding="utf-8"))[1])


class Mutants(unittest.TestCase):
    ENGLISH = ("# Title\n\nIt takes 1 048 576<!-- = 4 * 5 --> sectors, **about** 13 %, see [more](a.md).\n\n```\n"
               "x = 1;  // words\n```\n\n- one\n\n| a |\n|---|\n\n<details>\n</details>\n")
    CHINESE = ENGLISH.replace("It takes", "要").replace("sectors, ", "个扇区，").replace("words", "词")

    def assert_noticed(self, old, new, word):
        self.assertIn(old, self.CHINESE)
        self.assertTrue(any(word in d for d in differences(self.ENGLISH, self.CHINESE.replace(old, new))))

    def test_good(self):
        self.assertEqual(differences(self.ENGLISH, self.CHINESE), [])

    def test_number(self):
        self.assert_noticed("1 048 576", "1 048 567", "numbers")

    def test_formula(self):
        self.assert_noticed("4 * 5", "4 * 6", "formulas")

    def test_formula_lost(self):
        self.assert_noticed("<!-- = 4 * 5 -->", "", "formulas")

    def test_percent(self):
        self.assert_noticed("13 %", "14 %", "numbers")

    def test_code(self):
        self.assert_noticed("x = 1;", "x = 2;", "code")

    def test_heading(self):
        self.assert_noticed("# Title", "## Title", "shape")

    def test_item(self):
        self.assert_noticed("- one\n", "", "shape")

    def test_link(self):
        self.assert_noticed("(a.md)", "(b.md)", "links")

    def test_bold(self):
        self.assert_noticed("**about**", "about", "bold")

    def test_other_word(self):
        self.assert_noticed("个扇区", "个内核", "核函数")

    def test_english_twin(self):
        self.assertIn("the twin is not in Chinese", differences(self.ENGLISH, self.ENGLISH))


if __name__ == "__main__":
    unittest.main()
