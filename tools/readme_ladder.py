#!/usr/bin/env python3
"""The ladder in README.md and README.zh.md, from what `lab tour` counts, and each lesson's line on its place, from chapters.toml.

Enters: the built program, the pages, the list of chapters, the catalogue of Chinese. Leaves: the rows between the ladder's two marks
and the places written anew; with --check nothing is written, and the exit code is 1 when a page does not say what was counted or
listed. A chapter that the compiler of this machine knows no instructions for keeps its row.
"""

import argparse
import json
import pathlib
import subprocess
import sys
from collections.abc import Callable

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "common/base/text"), str(ROOT / "tools")]
import chapters as chapter_list  # noqa: E402
import po  # noqa: E402

BEGIN, END = "<!-- ladder: begin -->", "<!-- ladder: end -->"
HEADS = {
    "README.md": "| chapter | idea | needs | minutes | load sectors | store sectors | shared wavefronts | bank conflicts |",
    "README.zh.md": "| 章节 | 思路 | 先修 | 分钟 | 加载扇区 | 存储扇区 | 共享波前 | 存储体冲突 |",
}
PLACE = "<!-- place -->"
HOPPER = " ◆"  # needs instructions of Hopper


LISTED = {chapter["name"]: chapter for chapter in chapter_list.read()}


def grouped(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def row(chapter: dict, page: str, words: Callable[[str], str]) -> str:
    counters = chapter["counters"]
    paths = ("shared_load", "shared_store", "cluster_load", "cluster_store")
    shared = [counters[path] for path in paths if path in counters]
    own = [counters[path] for path in ("shared_load", "shared_store") if path in counters]  # others' are counted by lines, not banks
    staged = any(side["requests"] for side in shared)
    name = chapter["chapter"]
    listed = LISTED[name]
    cells = [
        f"[{name}](chapters/{name}/{page})",
        words(chapter["idea"]) + (HOPPER if listed["hopper"] else ""),
        ", ".join(need[:2] for need in listed["needs"]) or "–",
        str(listed["minutes"]),
        grouped(sum(counters[path]["sectors"] for path in ("global_load", "global_bulk_load") if path in counters)),
        grouped(sum(counters[path]["sectors"] for path in ("global_store", "global_bulk_store") if path in counters)),
        grouped(sum(side["wavefronts"] for side in shared)) if staged else "–",
        grouped(sum(side["wavefronts"] - side["ideal_wavefronts"] for side in own)) if staged else "–",
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
    counted_rows = {chapter["chapter"]: row(chapter, page, words) for chapter in chapters}
    standing = {line[3:].partition("]")[0]: line for line in rest.splitlines() if line.startswith("| [")}
    left_out = {name: standing[name] for name in LISTED if name not in counted_rows and LISTED[name]["hopper"] and name in standing}
    rows = [HEADS[page], "|---|---|---|---:|---:|---:|---:|---:|", *({**left_out, **counted_rows}[name] for name in LISTED
                                                                if name in counted_rows or name in left_out)]
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
        sys.exit(f"{path.relative_to(ROOT)} does not say what {wrong}. Run: tools/readme_ladder.py build/common/cli/lab")
    if not check:
        path.write_text(new, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("program", help="the built lab, build/common/cli/lab")
    parser.add_argument("--check", action="store_true", help="compare only")
    arguments = parser.parse_args()
    chapters = counted(arguments.program)
    _, entries = po.read((ROOT / "common/base/text/zh.po").read_text(encoding="utf-8"))
    chinese = {entry.english: entry.translation for entry in entries}
    for page, words in (("README.md", str), ("README.zh.md", lambda text: chinese.get(text) or text)):
        new = with_ladder(page, (ROOT / page).read_text(encoding="utf-8"), chapters, words)
        write_or_compare(ROOT / page, new, arguments.check, "was counted")
        for chapter in LISTED.values():
            lesson = ROOT / "chapters" / chapter["name"] / page
            new = with_place(lesson.read_text(encoding="utf-8"), chapter, page)
            write_or_compare(lesson, new, arguments.check, "chapters/chapters.toml lists")


if __name__ == "__main__":
    main()
