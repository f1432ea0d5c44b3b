#!/usr/bin/env python3
"""The ladder in README.md and README.zh.md, and each lesson's line on its place, from chapters.toml and what was measured on a GPU.

Enters: the list of chapters, docs/bench/h200_course.csv (`lab bench --write` on an H200), the catalogue of Chinese. Leaves: the rows between the
ladder's two marks and the places written anew; with --check nothing is written, and the exit code is 1 when a page does not say what was
measured or listed.
"""

import argparse
import csv
import pathlib
import sys
from collections.abc import Callable

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "common/base/text"), str(ROOT / "tools")]
import chapters as chapter_list  # noqa: E402
import po  # noqa: E402

BEGIN, END = "<!-- ladder: begin -->", "<!-- ladder: end -->"
HEADS = {
    "README.md": "| chapter | idea | the waste it removes | % of a copy | minutes |",
    "README.zh.md": "| 章节 | 思路 | 去掉的浪费 | 拷贝速度的 % | 分钟 |",
}
MEASURED = ROOT / "docs/bench/h200_course.csv"
PLACE = "<!-- place -->"
HOPPER = " ◆"  # needs instructions of Hopper


LISTED = {chapter["name"]: chapter for chapter in chapter_list.read()}


def shares() -> dict[str, float]:
    """Chapter → its share of a copy's speed on 8192 × 8192 elements."""
    with MEASURED.open(encoding="utf-8") as file:
        return {row["kernel"]: float(row["share_of_copy"]) for row in csv.DictReader(file)
                if (row["rows"], row["cols"]) == ("8192", "8192") and row["share_of_copy"]}


def row(chapter: dict, page: str, words: Callable[[str], str], share: float | None) -> str:
    name = chapter["name"]
    removes = chapter["removes"][page == "README.zh.md"] if chapter["removes"] else ""
    cells = [f"[{name}](chapters/{name}/{page})", words(chapter["idea"]) + (HOPPER if chapter["hopper"] else ""), removes,
             "–" if share is None else f"{100 * share:.0f}" if share > 0.2 else f"{100 * share:.1f}", str(chapter["minutes"])]
    return "| " + " | ".join(cells) + " |"


def with_ladder(page: str, text: str, words: Callable[[str], str]) -> str:
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{page} has lost its marks {BEGIN} and {END}")
    measured = shares()
    rows = [HEADS[page], "|---|---|---|---:|---:|", *(row(chapter, page, words, measured.get(name)) for name, chapter in LISTED.items())]
    return "\n".join([f"{before}{BEGIN}", *rows, f"{END}{after}"])


def place_line(chapter: dict, page: str) -> str:
    """Needs [07](../07_swizzle_formula/README.md) · about 90 minutes · ◆ instructions of Hopper"""
    chinese = page == "README.zh.md"
    needs = ", ".join(f"[{need[:2]}](../{need}/{page})" for need in chapter["needs"])
    parts = [("先修 " if chinese else "Needs ") + needs] if needs else []
    parts.append(f"约 {chapter['minutes']} 分钟" if chinese else f"about {chapter['minutes']} minutes")
    if chapter["hopper"]:
        parts.append("◆ Hopper 的指令" if chinese else "◆ instructions of Hopper")
    text = " · ".join(parts)
    return text[0].upper() + text[1:] + PLACE


def with_place(text: str, chapter: dict, page: str) -> str:
    """The line stands behind the link to the other language, the third line of a lesson."""
    lines = [line for line in text.split("\n") if not line.endswith(PLACE)]
    if lines[3:5] == ["", ""]:
        del lines[4]
    return "\n".join([*lines[:3], "", place_line(chapter, page), *lines[3:]])


def write_or_compare(path: pathlib.Path, new: str, check: bool, wrong: str) -> None:
    if check and new != path.read_text(encoding="utf-8"):
        sys.exit(f"{path.relative_to(ROOT)} does not say what {wrong}. Run: tools/readme_ladder.py")
    if not check:
        path.write_text(new, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare only")
    arguments = parser.parse_args()
    _, entries = po.read((ROOT / "common/base/text/zh.po").read_text(encoding="utf-8"))
    chinese = {entry.english: entry.translation for entry in entries}
    for page, words in (("README.md", str), ("README.zh.md", lambda text: chinese.get(text) or text)):
        new = with_ladder(page, (ROOT / page).read_text(encoding="utf-8"), words)
        write_or_compare(ROOT / page, new, arguments.check, "was measured or listed")
        for chapter in LISTED.values():
            lesson = ROOT / "chapters" / chapter["name"] / page
            new = with_place(lesson.read_text(encoding="utf-8"), chapter, page)
            write_or_compare(lesson, new, arguments.check, "chapters/chapters.toml lists")


if __name__ == "__main__":
    main()
