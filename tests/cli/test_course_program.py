#!/usr/bin/env python3
"""`lab-course` is `lab` with fewer words: those that ./lab sends to it, and each answers as `lab` does; `lab-tour` has one of them.

Enters: LAB_PROGRAM, LAB_COURSE, LAB_TOUR: the programs. Leaves: exit 1 with the word that differs."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = re.compile(r'"(seconds|compile)": ?(\{[^}]*\}|[0-9.e-]+)')
HEADING = re.compile(r"^  ([a-z]+) ", re.MULTILINE)


def says(program: str, *words: str) -> str:
    done = subprocess.run([program, *words], capture_output=True, text=True, env={**os.environ, "LAB_ROOT": str(ROOT)}, check=False)
    return f"{done.returncode}\n{SECONDS.sub('…', done.stdout)}{done.stderr}"


def main() -> None:
    lab, course = os.environ["LAB_PROGRAM"], os.environ["LAB_COURSE"]
    sent = re.search(r"^  0 \| (.*)\)$", (ROOT / "lab").read_text(), re.MULTILINE)
    if not sent:
        sys.exit("./lab sends no words to lab-course")
    words = sent[1].split(" | ")
    has = HEADING.findall(says(course, "--help"))
    if sorted(has) != sorted(words):
        sys.exit(f"lab-course has other words than ./lab sends to it: {sorted(set(has) ^ set(words))}")
    for line in [[], *([word, "--help"] for word in words), ["list"], ["check", "5", "--solution", "--json"], ["show", "5"]]:
        if says(course, *line) != says(lab, *line):
            sys.exit(f"lab-course and lab answer differently to: {' '.join(line)}")
    if HEADING.findall(says(os.environ["LAB_TOUR"], "--help")) != ["tour"]:
        sys.exit("lab-tour has other words than the ladder")
    for line in (["tour", "--help"], ["tour", "--json"]):
        if says(os.environ["LAB_TOUR"], *line) != says(lab, *line):
            sys.exit(f"lab-tour and lab answer differently to: {' '.join(line)}")


if __name__ == "__main__":
    main()
