"""How many copies in disguise `lab similar` lists, and how many pairs of people who worked alone: on drawn classes.

Enters: LAB_PROGRAM, LAB_SEED. Leaves: shares by kind and number of changes. `python3 measure.py --classes 10 --csv measured.csv`; docs/grading_large.md has
the table. A class is twenty people, drawn by their habits, and a copy of each; a pair is right when it is a copy and its original."""

import argparse
import collections
import csv
import dataclasses
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import drawn_kernels

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
from drawn.draws import drawn  # noqa: E402

ROOT = HERE.parents[2]
PEOPLE = 20
CHANGES = ("one change", "two changes", "three changes")
ALONE = "people who worked alone"
Pairs = dict[frozenset[str], dict]


def similar(*words: str, compiler: str = "nvrtc", **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([os.environ["LAB_PROGRAM"], "similar", *words, "--chapters", "5", "--compiler", compiler], capture_output=True, text=True,
                          env=dict(os.environ, LAB_ROOT=str(ROOT), **variables), timeout=200)


def compared(texts: dict[str, str], compiler: str = "nvrtc") -> tuple[Pairs, Pairs]:
    """What is listed of these kernels: strong pairs and weaker ones."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            kernel = pathlib.Path(folder, name, "05_padding.cu")
            kernel.parent.mkdir()
            kernel.write_text(text)
        done = similar(folder, "--json", "--most", "100000", compiler=compiler)
    if done.returncode == 3:
        raise OSError(done.stderr)
    assert done.returncode == 0, done.stderr
    chapter = json.loads(done.stdout)["chapters"][0]
    assert chapter["not_compiled"] == 0, "a kernel of the test does not compile"
    strong, weaker = ({frozenset((p["a"], p["b"])): p for p in chapter[which]} for which in ("pairs", "weaker"))
    return strong, weaker


@dataclasses.dataclass
class Found:
    """Pairs, and those that are listed, by what was done to the copy; and pairs that are none."""

    pairs: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    listed: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)

    def add(self, kind: str, pairs: int, listed: int) -> None:
        self.pairs[kind] += pairs
        self.listed[kind] += listed


def of_class(draw: random.Random, found: Found) -> None:
    """Twenty people and a copy of each with one to three changes."""
    people = drawn_kernels.people(draw, PEOPLE)
    copies = [drawn_kernels.disguised(draw, person, 1 + number % 3) for number, person in enumerate(people)]
    texts = {f"p{number}": person.text() for number, person in enumerate(people)} | {f"c{number}": copy.text() for number, (_, copy) in enumerate(copies)}
    strong, weaker = compared(texts)
    listed = set(strong) | set(weaker)
    right = 0
    for number, (kinds, _) in enumerate(copies):
        is_listed = frozenset((f"p{number}", f"c{number}")) in listed
        right += is_listed
        for kind in (*kinds, CHANGES[len(kinds) - 1], "all copies"):
            found.add(kind, 1, is_listed)
    alone = [frozenset(pair) for pair in itertools.combinations((f"p{number}" for number in range(PEOPLE)), 2)]
    found.add(ALONE, len(alone), sum(pair in listed for pair in alone))
    found.add("all pairs that are no copy", PEOPLE * (2 * PEOPLE - 1) - PEOPLE, len(listed) - right)


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--classes", type=int, default=10)
    options.add_argument("--csv", type=pathlib.Path)
    wanted = options.parse_args()
    draw, found = drawn("copies in disguise"), Found()
    for _ in range(wanted.classes):
        of_class(draw, found)
    kinds = [*drawn_kernels.DISGUISES, *CHANGES, "all copies", ALONE, "all pairs that are no copy"]
    rows = [(kind, found.pairs[kind], found.listed[kind]) for kind in kinds]
    for kind, pairs, listed in rows:
        print(f"{kind:26}{pairs:6}{listed:6}{100 * listed / pairs:6.1f} %")
    if wanted.csv:
        with wanted.csv.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows([("pairs of", "pairs", "listed"), *rows])
    return 0


if __name__ == "__main__":
    sys.exit(main())
