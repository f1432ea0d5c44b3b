#!/usr/bin/env python3
"""The tour of the simulator can be read in an evening, and leaves no stage out.

Enters: common/sim/README.md. Leaves: exit 1 with a sentence per fault: a file that is not there, too many lines, a file that no entry
names, or a name that no file has."""

import pathlib
import re
import sys
import unittest

SIM = pathlib.Path(__file__).resolve().parents[2] / "common/sim"
STEMS = {p.stem for p in SIM.rglob("*") if p.suffix in (".h", ".cpp", ".inc")}
MOST_LINES = 2000


def files_of_the_evening(text: str) -> list[str]:
    evening = text.split("## An evening")[1].split("\n## ")[0]
    return re.findall(r"\]\(([^)]*)\)", evening)


def unnamed(text: str, stems: set[str]) -> list[str]:
    """Files that the tour neither leads to nor names; `forms_*` stands for several."""
    words = set(re.findall(r"[a-z_]+\*?", text))
    return sorted(stem for stem in stems if stem not in words and not any(w[-1] == "*" and stem.startswith(w[:-1]) for w in words))


def unknown(text: str, stems: set[str]) -> list[str]:
    """Names in the table of folders that no file and no folder has."""
    table = text.split("## Look there")[1].split("\n## ")[0]
    names = re.findall(r"`([a-z_]+_[a-z_]+)(?:\.\w+)?`", table)
    return sorted(set(names) - stems)


def lines_of(names: list[str]) -> int:
    return sum(len((SIM / name).read_text(encoding="utf-8").splitlines()) for name in names)


class Tour(unittest.TestCase):
    text = (SIM / "README.md").read_text(encoding="utf-8")

    def test_evening(self) -> None:
        names = files_of_the_evening(self.text)
        self.assertGreater(len(names), 8)
        self.assertLessEqual(lines_of(names), MOST_LINES, "the evening has become too long: name fewer files, or make one shorter")

    def test_door_and_stages(self) -> None:
        for folder in (p.name for p in SIM.iterdir() if p.is_dir()):
            self.assertIn(f"`{folder}/`", self.text, "a stage that the tour does not name")

    def test_every_file_has_its_place(self) -> None:
        self.assertEqual(unnamed(self.text, STEMS), [], "say in a word what it is for")
        self.assertEqual(unknown(self.text, STEMS), [], "no such file any more")
        self.assertEqual(unnamed(self.text.replace("`race_words`", ""), STEMS), ["race_words"])
        self.assertEqual(unknown(self.text.replace("`race_words`", "`race_sentences`"), STEMS), ["race_sentences"])

    def test_a_long_evening_is_noticed(self) -> None:
        everything = [str(p.relative_to(SIM)) for p in SIM.rglob("*.cpp")]
        self.assertGreater(lines_of(everything), MOST_LINES)


if __name__ == "__main__":
    sys.exit(unittest.main())
