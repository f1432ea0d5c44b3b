#!/usr/bin/env python3
"""The ladder in README.md, from what `lab tour` counts.

Enters: the built program and README.md. Leaves: the rows between the ladder's two marks written anew; with --check nothing is
written, and the exit code is 1 when the page does not say what was counted.
"""

import argparse
import json
import pathlib
import subprocess
import sys

README = pathlib.Path(__file__).resolve().parents[1] / "README.md"
BEGIN, END = "<!-- ladder: begin -->", "<!-- ladder: end -->"
HEAD = [
    "| chapter | idea | load sectors | store sectors | shared wavefronts | bank conflicts |",
    "|---|---|---:|---:|---:|---:|",
]


def grouped(number):
    return f"{number:,}".replace(",", " ")


def row(chapter):
    counters = chapter["counters"]
    shared = [counters["shared_load"], counters["shared_store"]]
    staged = any(side["requests"] for side in shared)
    name = chapter["chapter"]
    cells = [
        f"[{name}](chapters/{name}/README.md)",
        chapter["idea"],
        grouped(counters["global_load"]["sectors"]),
        grouped(counters["global_store"]["sectors"]),
        grouped(sum(side["wavefronts"] for side in shared)) if staged else "–",
        grouped(sum(side["wavefronts"] - side["ideal_wavefronts"] for side in shared)) if staged else "–",
    ]
    return "| " + " | ".join(cells) + " |"


def ladder(program):
    told = subprocess.run([program, "tour", "--json"], check=True, capture_output=True, text=True).stdout
    chapters = json.loads(told)["chapters"]
    wrong = [chapter["chapter"] for chapter in chapters if not chapter["correct"]]
    if wrong or not chapters:
        sys.exit(f"no ladder: {', '.join(wrong) or 'every chapter'} did not run right")
    return "\n".join(HEAD + [row(chapter) for chapter in chapters])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the built lab, build/common/cli/lab")
    parser.add_argument("--check", action="store_true", help="compare only")
    arguments = parser.parse_args()
    text = README.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"README.md has lost its marks {BEGIN} and {END}")
    new = f"{before}{BEGIN}\n{ladder(arguments.program)}\n{END}{after}"
    if arguments.check:
        if new != text:
            sys.exit("README.md does not say what was counted. Run: tools/readme_ladder.py build/common/cli/lab")
        return
    README.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
