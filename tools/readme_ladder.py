#!/usr/bin/env python3
"""The ladder in README.md and README.zh.md, and each lesson's line on its place, from chapters.toml and what was measured on GPUs.

Enters: the list of chapters, docs/bench/*_course.csv (`lab bench --write` on an H200 and on two H100s), the catalogue of Chinese. Leaves: the rows
between the ladder's two marks, the places, and docs/bench/course.svg written anew; with --check nothing is written, and the exit code is 1 when one
does not say what was measured or listed.
"""

import argparse
import csv
import pathlib
import re
import sys
from collections.abc import Callable

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "common/base/text"), str(ROOT / "tools")]
import chapters as chapter_list  # noqa: E402
import po  # noqa: E402

BEGIN, END = "<!-- ladder: begin -->", "<!-- ladder: end -->"
HEADS = {
    "README.md": "| chapter | idea | the waste it removes | % of a copy, H200 | H100 | minutes |",
    "README.zh.md": "| 章节 | 思路 | 去掉的浪费 | 拷贝速度的 %，H200 | H100 | 分钟 |",
}
MEASURED = {"H200": ROOT / "docs/bench/h200_course.csv", "H100": ROOT / "docs/bench/h100_course.csv"}
COLOURS = {"H200": "#2a6f97", "H100": "#e09f3e"}
CHART = ROOT / "docs/bench/course.svg"
PLACE = "<!-- place -->"
HOPPER = " ◆"  # needs instructions of Hopper
ROWS = {1: ("any matrix", "任意矩阵"), 16: ("rows that are multiples of 16 bytes", "每行是 16 字节的整数倍")}
# How often the one kernel is written: the number of chapters, in the READMEs' first sentence.
HOW_OFTEN = {"README.md": re.compile(r"(?<=one kernel, )\w+(?= times)"), "README.zh.md": re.compile(r"(?<=同一个核函数写)\w+?(?=遍)")}
ENGLISH = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"]


LISTED = {chapter["name"]: chapter for chapter in chapter_list.read()}


def shares(measured: pathlib.Path) -> dict[str, float]:
    """Chapter → its share of a copy's speed on 8192 × 8192 elements of 4 bytes; of the bytes that its first row has, where it has none of 4."""
    found: dict[str, float] = {}
    with measured.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if (row["rows"], row["cols"]) == ("8192", "8192") and row["share_of_copy"]:
                found.setdefault(row["kernel"], float(row["share_of_copy"]))
    return found


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f}" if share > 0.2 else f"{100 * share:.1f}"


def chart() -> str:
    """Two bars for each chapter that has a kernel to time: its share of a copy on each GPU."""
    by_gpu = {gpu: shares(path) for gpu, path in MEASURED.items()}
    names = [name for name in LISTED if any(name in found for found in by_gpu.values())]
    left, scale, step = 190, 4.6, 34
    height = 60 + step * len(names)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {height}" width="720" height="{height}" role="img">',
             "<title>Each chapter's share of the speed of a copy, 8192 × 8192 elements</title>",
             "<style>text{font:13px system-ui,sans-serif;fill:#222}.s{font-size:11px;fill:#555}</style>",
             f'<rect width="720" height="{height}" fill="#fff"/>']
    for at, gpu in enumerate(MEASURED):
        parts += [f'<rect x="{left + 90 * at}" y="12" width="12" height="12" fill="{COLOURS[gpu]}"/>', f'<text x="{left + 90 * at + 18}" y="22">{gpu}</text>']
    parts.append(f'<text class="s" x="{left + 200}" y="22">% of the speed of a copy of as many bytes</text>')
    for line in (25, 50, 75, 100):
        x = left + scale * line
        parts += [f'<line x1="{x}" y1="44" x2="{x}" y2="{height - 8}" stroke="#ddd"/>', f'<text class="s" x="{x}" y="40" text-anchor="middle">{line}</text>']
    for at, name in enumerate(names):
        y = 50 + step * at
        parts.append(f'<text x="{left - 8}" y="{y + 18}" text-anchor="end">{name}</text>')
        for beside, (gpu, found) in enumerate(by_gpu.items()):
            if name in found:
                wide, top = 100 * scale * found[name], y + 13 * beside
                parts += [f'<rect x="{left}" y="{top}" width="{wide:.1f}" height="11" fill="{COLOURS[gpu]}"/>',
                          f'<text class="s" x="{left + wide + 4:.1f}" y="{top + 10}">{percent(found[name])}</text>']
    return "\n".join([*parts, "</svg>\n"])


def row(chapter: dict, page: str, words: Callable[[str], str], found: list[dict[str, float]]) -> str:
    name = chapter["name"]
    removes = chapter["removes"][page == "README.zh.md"] if chapter["removes"] else ""
    cells = [f"[{name}](chapters/{name}/{page})", words(chapter["idea"]) + (HOPPER if chapter["hopper"] else ""), removes,
             *(percent(measured.get(name)) for measured in found), str(chapter["minutes"])]
    return "| " + " | ".join(cells) + " |"


def number_word(count: int, page: str) -> str:
    """18: "eighteen", 十八; a word of Chinese up to 99, a figure where English would need more than one word."""
    if page == "README.md":
        return ENGLISH[count - 10] if 10 <= count <= 20 else str(count)
    digits = " 一二三四五六七八九"
    tens, ones = divmod(count, 10)
    return ("" if tens < 2 else digits[tens]) + ("十" if tens else "") + (digits[ones] if ones else "")


def with_ladder(page: str, text: str, words: Callable[[str], str]) -> str:
    text, found_once = HOW_OFTEN[page].subn(number_word(len(LISTED), page), text)
    if found_once != 1:
        sys.exit(f"{page} does not say how often the kernel is written, in the words that {pathlib.Path(__file__).name} looks for")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{page} has lost its marks {BEGIN} and {END}")
    found = [shares(path) for path in MEASURED.values()]
    rows = [HEADS[page], "|---|---|---|---:|---:|---:|", *(row(chapter, page, words, found) for chapter in LISTED.values())]
    return "\n".join([f"{before}{BEGIN}", *rows, f"{END}{after}"])


def place_line(chapter: dict, page: str) -> str:
    """Needs [07](../07_swizzle_formula/README.md) · about 90 minutes · rows that are multiples of 16 bytes · ◆ instructions of Hopper"""
    chinese = page == "README.zh.md"
    needs = ", ".join(f"[{need[:2]}](../{need}/{page})" for need in chapter["needs"])
    parts = [("先修 " if chinese else "Needs ") + needs] if needs else []
    parts.append(f"约 {chapter['minutes']} 分钟" if chinese else f"about {chapter['minutes']} minutes")
    if chapter["row_bytes"]:
        parts.append(ROWS[chapter["row_bytes"]][chinese])
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
    if check and not (path.exists() and new == path.read_text(encoding="utf-8")):
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
    write_or_compare(CHART, chart(), arguments.check, "was measured")


if __name__ == "__main__":
    main()
