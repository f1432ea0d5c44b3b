#!/usr/bin/env python3
"""The ladder in README.md and README.zh.md, from what `lab tour` counts.

Enters: the built program, the two pages, the catalogue of Chinese. Leaves: the rows between the ladder's two marks written anew; with
--check nothing is written, and the exit code is 1 when a page does not say what was counted.
"""

import argparse
import json
import pathlib
import subprocess
import sys
from collections.abc import Callable

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "common/base/text"))
import po  # noqa: E402

BEGIN, END = "<!-- ladder: begin -->", "<!-- ladder: end -->"
HEADS = {
    "README.md": "| chapter | idea | load sectors | store sectors | shared wavefronts | bank conflicts |",
    "README.zh.md": "| 章节 | 思路 | 加载扇区 | 存储扇区 | 共享波前 | 存储体冲突 |",
}


def grouped(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def row(chapter: dict, page: str, words: Callable[[str], str]) -> str:
    counters = chapter["counters"]
    shared = [counters["shared_load"], counters["shared_store"]]
    staged = any(side["requests"] for side in shared)
    name = chapter["chapter"]
    cells = [
        f"[{name}](chapters/{name}/{page})",
        words(chapter["idea"]),
        grouped(counters["global_load"]["sectors"]),
        grouped(counters["global_store"]["sectors"]),
        grouped(sum(side["wavefronts"] for side in shared)) if staged else "–",
        grouped(sum(side["wavefronts"] - side["ideal_wavefronts"] for side in shared)) if staged else "–",
    ]
    return "| " + " | ".join(cells) + " |"


def counted(program: str) -> list[dict]:
    told = subprocess.run([program, "tour", "--json"], check=True, capture_output=True, text=True).stdout
    chapters = json.loads(told)["chapters"]
    wrong = [chapter["chapter"] for chapter in chapters if not chapter["correct"]]
    if wrong or not chapters:
        sys.exit(f"no ladder: {', '.join(wrong) or 'every chapter'} did not run right")
    return chapters


def with_ladder(page: str, text: str, chapters: list[dict], words: Callable[[str], str]) -> str:
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{page} has lost its marks {BEGIN} and {END}")
    rows = [HEADS[page], "|---|---|---:|---:|---:|---:|", *(row(chapter, page, words) for chapter in chapters)]
    return "\n".join([f"{before}{BEGIN}", *rows, f"{END}{after}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("program", help="the built lab, build/common/cli/lab")
    parser.add_argument("--check", action="store_true", help="compare only")
    arguments = parser.parse_args()
    chapters = counted(arguments.program)
    _, entries = po.read((ROOT / "common/base/text/zh.po").read_text(encoding="utf-8"))
    chinese = {entry.english: entry.translation for entry in entries}
    for page, words in (("README.md", str), ("README.zh.md", lambda text: chinese.get(text) or text)):
        text = (ROOT / page).read_text(encoding="utf-8")
        new = with_ladder(page, text, chapters, words)
        if arguments.check and new != text:
            sys.exit(f"{page} does not say what was counted. Run: tools/readme_ladder.py build/common/cli/lab")
        if not arguments.check:
            (ROOT / page).write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
