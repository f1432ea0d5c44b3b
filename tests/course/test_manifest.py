"""The list of chapters says where each stands on the way, and its lesson says the same.

Enters: chapters/chapters.toml and the lessons. Leaves: one unittest verdict."""

import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import chapters  # noqa: E402
import readme_ladder  # noqa: E402

GOOD = '[01_a]\nidea = "a"\nminutes = 20\nskeleton = { case = "c", code = "d" }\n'


class Manifest(unittest.TestCase):
    def test_every_chapter_has_its_place(self) -> None:
        listed = chapters.read()
        for at, chapter in enumerate(listed):
            with self.subTest(chapter["name"]):
                self.assertGreater(chapter["minutes"], 0)
                self.assertEqual(bool(chapter["needs"]), at > 0, "all but the first need something")

    def test_lessons_say_so(self) -> None:
        for chapter in chapters.read():
            for page in ("README.md", "README.zh.md"):
                lesson = ROOT / "chapters" / chapter["name"] / page
                text = lesson.read_text(encoding="utf-8")
                self.assertEqual(text, readme_ladder.with_place(text, chapter, page), f"{lesson}: run tools/readme_ladder.py")

    def test_only_hopper_chapters_use_its_instructions(self) -> None:
        for chapter in chapters.read():
            kernel = (ROOT / "solutions" / chapter["name"] / "transpose.cu").read_text(encoding="utf-8")
            uses = any(header in kernel for header in ("kernel/tensor.cuh", "kernel/cluster.cuh"))
            self.assertFalse(uses and not chapter["hopper"], f"{chapter['name']} needs hopper = true")

    def test_lessons_ask_what_is_checked(self) -> None:
        """The fields that the skeleton has, the lesson asks for, in both languages, and the checks compare."""
        for chapter in chapters.read():
            name = chapter["name"]
            skeleton = (ROOT / "solutions" / name / "skeleton.cu").read_text(encoding="utf-8")
            block = re.search(r"^PREDICTIONS = \{(.*?)\};", re.sub("//.*", "", skeleton), re.S | re.M)
            fields = re.findall(r"\.(\w+) =", block[1]) if block else []
            checks = (ROOT / f"tests/chapters/test_{name}.cpp").read_text(encoding="utf-8")
            with self.subTest(name):
                self.assertEqual(sorted(re.findall(r"&lab::Predictions::(\w+)", checks)), sorted(fields))
                for page, title in (("README.md", "Predict"), ("README.zh.md", "预测")):
                    lesson = (ROOT / "chapters" / name / page).read_text(encoding="utf-8")
                    section = re.search(rf"^### {title}\n(.*?)^#", lesson, re.S | re.M)
                    self.assertEqual(re.findall(r"^- `(\w+)`[:：] *\S", section[1], re.M) if section else [], fields, page)

    def test_the_workshop_has_them_all(self) -> None:
        text = (ROOT / "docs/workshop.md").read_text(encoding="utf-8")
        term = text[text.index("## A term"):text.index("## The exam")]
        for chapter in chapters.read():
            with self.subTest(chapter["name"]):
                self.assertRegex(term, rf"\b{chapter['name'][:2]}\b")

    def refused(self, text: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "chapters.toml")
            path.write_text(text, encoding="utf-8")
            with self.assertRaises(chapters.ListError) as raised:
                chapters.read(path)
        return str(raised.exception)

    def test_mistakes_are_named(self) -> None:
        later = '[02_b]\nidea = "b"\nskeleton = { case = "c", code = "d" }\n'
        self.assertIn("no earlier chapter", self.refused(GOOD + 'needs = ["02_b"]\n' + later))
        self.assertIn("no earlier chapter", self.refused(GOOD + later + 'needs = ["02_b"]\n'))
        self.assertIn("needs is a list", self.refused(GOOD + 'needs = "x"\n'))
        self.assertIn("minutes is a number", self.refused(GOOD.replace("20", '"long"')))
        self.assertIn("row_bytes is 1 or 16", self.refused(GOOD + "row_bytes = 8\n"))
        self.assertIn("hopper is true or false", self.refused(GOOD + "hopper = 1\n"))
        self.assertIn("what_if is a list of layouts", self.refused(GOOD + 'what_if = ["longer"]\n'))


if __name__ == "__main__":
    unittest.main()
