#!/usr/bin/env python3
"""Writes a class of submissions, for measuring `lab grade`.

Enters: a folder to fill, the number of students, the chapters, how many of ten kernels are different from all others. Leaves: one folder per student
with flat files: solutions, skeletons and mistakes of the course. A different kernel has a constant of its own in its code, so that its PTX differs
too. Of the others every second has a comment of its own: another text, the same PTX."""
import argparse
import pathlib
import random

ROOT = pathlib.Path(__file__).resolve().parent.parent


def choices(chapter):
    """Kernel texts that a student may hand in for a chapter: half of them the solution."""
    solution = (ROOT / "solutions" / chapter / "transpose.cu").read_text(encoding="utf-8")
    skeleton = (ROOT / "chapters" / chapter / "transpose.cu").read_text(encoding="utf-8")
    mistakes = [p.read_text(encoding="utf-8") for p in sorted((ROOT / "tests/mutants/course").glob(chapter[:2] + "_*.cu"))]
    return [solution] * (len(mistakes) + 2) + [skeleton] * 2 + mistakes


def hand_in(text, student, is_different, dice):
    """A kernel as this student hands it in: unlike all others, nearly like another's, or the same."""
    if is_different:
        return f"{text}\n__constant__ int made_by = {student};\n"
    return f"{text}\n// {student}\n" if dice.randrange(2) else text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--chapters", type=int, default=9, help="so many, from the first on")
    parser.add_argument("--different", type=int, default=10, choices=range(11), help="kernels of ten that no one else has")
    arguments = parser.parse_args()
    dice = random.Random(1)
    chapters = sorted(p.name for p in (ROOT / "chapters").iterdir() if p.is_dir())[:arguments.chapters]
    texts = {chapter: choices(chapter) for chapter in chapters}
    for number in range(arguments.students):
        student = arguments.folder / f"student_{number:04}"
        student.mkdir(parents=True, exist_ok=True)
        for chapter in chapters:
            text = hand_in(dice.choice(texts[chapter]), number, dice.randrange(10) < arguments.different, dice)
            (student / f"{chapter}.cu").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
