#!/usr/bin/env python3
"""Kept kernels under a key that no one has tuned for: right ones keep their points, cheats and mistakes do not pass.

Enters: LAB_PROGRAM, or the path of `lab` as an argument; a seed (LAB_SEED, else the clock's; printed), which draws the
key and some kernels of tests/mutants. Leaves: exit status 1 when one gets another answer than its first lines say, with
the command that repeats it. All kernels: `--all --key KEY`, in parts with `--part 2/5`; those with a word in their name
with `--word where`. Of a draw a third are cheats that do something on some shapes alone: what is found of these is the
key's choice.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "drawn")]
import draws  # noqa: E402

MUTANTS = Path(__file__).resolve().parents[1] / "mutants"
EXAMS = ("17", "18")  # their tables are others under each key
# Got another answer once under this key.
KEPT = [("15_late_where_long_both_ways.cu", "dawn two")]


@dataclass(frozen=True)
class Kept:
    file: Path
    chapter: int
    codes: tuple[str, ...]  # none: it is right

    @property
    def right(self) -> bool:
        return self.file.parent.name == "right"


def kept_kernels() -> list[Kept]:
    kernels = []
    for folder in ("right", "cheats", "course"):
        for file in sorted((MUTANTS / folder).glob("*.cu")):
            head = dict(re.findall(r"^// ([a-z ]+): *(.*)$", file.read_text(), re.MULTILINE))
            for chapter in head.get("judged by", "").split(", "):
                if chapter and not chapter.startswith(EXAMS):
                    kernels.append(Kept(file, int(chapter[:2]), tuple(head.get("code", "").split("|"))))
    return kernels


def answer(lab: Path, kernel: Kept, key: str) -> tuple[bool, str]:
    """Whether it is what the kernel's first lines ask for, and what the check says. Which of a cheat's wastes comes first
    is the key's choice, so any of its codes will do, and a mistake must only fail."""
    command = [str(lab), "check", str(kernel.chapter), "--kernel", str(kernel.file), "--json", "--key", key]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    try:
        card = json.loads(done.stdout)
    except json.JSONDecodeError:
        return False, f"no card: {done.stdout[-300:]}{done.stderr[-300:]}"
    codes = [reason["code"] for case in card.get("cases", []) for reason in case.get("reasons", [])]
    codes = [code for code in codes if code != "not-reached"]
    said = ", ".join(dict.fromkeys(codes)) or "passed"
    if kernel.right:  # it serves several chapters, each with predictions of its own
        return done.returncode in (0, 1) and all(code.startswith("prediction-") for code in codes), said
    return done.returncode != 0 and (kernel.file.parent.name == "course" or bool(set(codes) & set(kernel.codes))), said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lab", type=Path, nargs="?", default=os.environ.get("LAB_PROGRAM"))
    parser.add_argument("--key", help="this one")
    parser.add_argument("--all", action="store_true", help="all kernels, in place of a few")
    parser.add_argument("--part", default="1/1", help="of all: 2/5 is the second fifth")
    parser.add_argument("--word", default="", help="kernels with it in their name alone")
    args = parser.parse_args()
    if args.lab is None:
        parser.error("which lab? Give its path, or set LAB_PROGRAM.")
    draw = draws.drawn("drawn keys")
    key = args.key or f"key {draw.randrange(1 << 30)}"
    kernels = [kernel for kernel in kept_kernels() if args.word in kernel.file.name]
    if args.all:
        part, parts = map(int, args.part.split("/"))
        kernels = kernels[part - 1 :: parts]
    else:
        count = draws.draws_of_run(6)
        somewhere = [kernel for kernel in kernels if not kernel.right and "where" in kernel.file.name]
        kernels = draw.sample(kernels, min(len(kernels), count - count // 3)) + draw.sample(somewhere, min(len(somewhere), count // 3))
    asked = [(kernel, key) for kernel in kernels]
    if not args.all:
        asked += [(kernel, kept_key) for kernel in kept_kernels() for name, kept_key in KEPT if kernel.file.name == name]
    wrong = 0
    for kernel, of_key in asked:
        ok, said = answer(args.lab.resolve(), kernel, of_key)
        if not ok:
            wrong += 1
            wanted = "to pass" if kernel.right else "|".join(kernel.codes) or "to fail"
            print(f"check {kernel.chapter} --kernel {kernel.file} --key '{of_key}'\n  wanted {wanted}; the check says: {said}", flush=True)
    print(f"{len(asked)} kernels, {len(kernels)} of them under '{key}', {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
