#!/usr/bin/env python3
"""The tour of the simulator can be read in an evening, and leaves no stage out.

Enters: common/sim/README.md. Leaves: exit 1 with a sentence per fault: a file that is not there, too many lines, a folder that nobody
names."""

import pathlib
import re
import sys
import unittest

SIM = pathlib.Path(__file__).resolve().parents[2] / "common/sim"
MOST_LINES = 2000


def files_of_the_evening(text: str) -> list[str]:
    evening = text.split("## An evening")[1].split("\n## ")[0]
    return re.findall(r"^\| \[[^\]]*\]\(([^)]*)\)", evening, re.M)


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

    def test_a_long_evening_is_noticed(self) -> None:
        everything = [str(p.relative_to(SIM)) for p in SIM.rglob("*.cpp")]
        self.assertGreater(lines_of(everything), MOST_LINES)


if __name__ == "__main__":
    sys.exit(unittest.main())
