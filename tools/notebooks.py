#!/usr/bin/env python3
"""The notebooks of chapters 01 to 08, and the one to start with, made from the lessons.

Enters: chapters/NN/README.md and its Chinese twin, solutions/NN/skeleton.cu, notebooks/start.md and its twin; --check compares. Leaves:
notebooks/NN.ipynb and notebooks/NN.zh.ipynb. A lesson's text is taken as it stands, but for the formulas behind its numbers, links, which
are rewritten for the folder, and pictures, which come from the installed course: a notebook on Colab has no folder around it."""
from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "notebooks"
LAST = 8
LANGUAGES = ("", ".zh")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WHEEL = f"{PROJECT['urls']['Repository']}/releases/latest/download/transpose_lab-{PROJECT['version']}-py3-none-manylinux_2_35_"
SETUP = """# In a clone the lab is here already; elsewhere pip installs the wheel of the newest release.
import importlib.util, pathlib, platform, sys

if importlib.util.find_spec("transpose_lab") is None:
    above = [pathlib.Path.cwd(), *pathlib.Path.cwd().parents]
    clone = next((folder / "python" for folder in above if (folder / "python/transpose_lab").is_dir()), None)
    if clone:
        sys.path.insert(0, str(clone))
    else:
        wheel = f"%s{platform.machine()}.whl"
        print("Installing", wheel)
        %%pip install -q {wheel}
%%load_ext transpose_lab""" % WHEEL
SETUPS = {"": SETUP, ".zh": SETUP.replace("util, pathlib", "util, os, pathlib").replace("sys\n", "sys\n\nos.environ.setdefault('LAB_LANG', 'zh')\n", 1)}
WORDS = {
    "": ("The kernel of this chapter stands in a cell below: running the cell is `./lab check {number}`. Other commands of the text work as they "
         "stand with `!lab` in the place of `./lab`. `%%lab_check {number} --page` shows the block step by step.",
         "Now write the kernel: what the text calls `transpose.cu` is this cell."),
    ".zh": ("本章的核函数在下面的单元格里：运行它就等于 `./lab check {number}`。正文中的其他命令把 `./lab` 换成 `!lab` 即可。"
            "`%%lab_check {number} --page` 会逐步展示这个线程块。",
            "现在来写核函数：正文所说的 `transpose.cu` 就是这个单元格。"),
}


def cell(kind: str, number: int, text: str) -> dict:
    """`number` makes ids that stay as long as the order does."""
    one: dict = {"cell_type": kind, "id": f"cell-{number:02}", "metadata": {}, "source": text.strip("\n").splitlines(keepends=True)}
    if kind == "code":
        one |= {"execution_count": None, "outputs": []}
    return one


def notebook(parts: list[tuple[str, str]]) -> str:
    cells = [cell(kind, number, text) for number, (kind, text) in enumerate(parts) if text.strip()]
    meta = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}
    return json.dumps({"cells": cells, "metadata": meta, "nbformat": 4, "nbformat_minor": 5}, ensure_ascii=False, indent=1) + "\n"


def chapters() -> list[Path]:
    found = sorted(path for path in (ROOT / "chapters").iterdir() if re.match(r"\d\d_", path.name))
    return [path for path in found if int(path.name[:2]) <= LAST]


def link(folder: Path, target: str) -> str:
    """Where a link of a file in `folder` leads from notebooks/."""
    place, mark, anchor = target.partition("#")
    if not place or "://" in place:
        return target
    path = (folder / place).resolve()
    if path.parent == OUT and path.stem in ("start", "start.zh"):
        return f"{path.stem}.ipynb"
    for chapter in chapters():
        if path.parent == chapter and path.name in ("README.md", "README.zh.md"):
            return f"{chapter.name}{'.zh' if '.zh.' in path.name else ''}.ipynb"
    return f"../{path.relative_to(ROOT)}{mark}{anchor}"


def adapted(text: str, folder: Path) -> str:
    text = re.sub(r"[ \t]*<!--.*?-->", "", text, flags=re.S)
    return re.sub(r"\]\(([^)\s]+)\)", lambda found: f"]({link(folder, found[1])})", text)


def with_pictures(text: str, folder: Path) -> list[tuple[str, str]]:
    """Text cells, and between them cells that draw a picture. A picture inside of <details> stays a link."""
    parts: list[tuple[str, str]] = []
    open_details = 0
    lines: list[str] = []
    for line in text.splitlines():
        open_details += line.count("<details") - line.count("</details>")
        found = re.fullmatch(r"!\[(.*)\]\(([\w.]+\.svg)\)", line)
        if found and not open_details:
            parts += [("markdown", adapted("\n".join(lines), folder)), ("code", f"%lab_picture {folder.name}/{found[2]}  # {found[1]}")]
            lines = []
        else:
            lines.append(line)
    return [*parts, ("markdown", adapted("\n".join(lines), folder))]


def lesson(chapter: Path, language: str) -> str:
    text = (chapter / f"README{language}.md").read_text(encoding="utf-8")
    head, *sections = re.split(r"^(?=## )", text, flags=re.M)
    number = int(chapter.name[:2])
    note, task = (words.format(number=number) for words in WORDS[language])
    skeleton = (ROOT / "solutions" / chapter.name / "skeleton.cu").read_text(encoding="utf-8")
    parts = [("markdown", adapted(head, chapter).rstrip() + "\n\n" + note), ("code", SETUPS[language])]
    for section in sections[:3]:  # the problem, the idea, the task
        parts += with_pictures(section, chapter)
    parts += [("markdown", task), ("code", f"%%lab_check {number}\n{skeleton}")]
    for section in sections[3:]:
        parts += with_pictures(section, chapter)
    return notebook(parts)


def start(language: str) -> str:
    text = (OUT / f"start{language}.md").read_text(encoding="utf-8")
    parts: list[tuple[str, str]] = []
    for place, piece in enumerate(re.split(r"^```python\n(.*?)^```$", text, flags=re.M | re.S)):
        parts.append(("code", piece.replace("{setup}", SETUPS[language])) if place % 2 else ("markdown", adapted(piece, OUT)))
    return notebook(parts)


def made() -> dict[Path, str]:
    files = {OUT / f"start{language}.ipynb": start(language) for language in LANGUAGES}
    for chapter in chapters():
        files |= {OUT / f"{chapter.name}{language}.ipynb": lesson(chapter, language) for language in LANGUAGES}
    return files


def main() -> int:
    files = made()
    if "--check" not in sys.argv[1:]:
        for file, text in files.items():
            file.write_text(text, encoding="utf-8")
        return 0
    wrong = [file.name for file, text in files.items() if not file.exists() or file.read_text(encoding="utf-8") != text]
    wrong += [file.name for file in OUT.glob("*.ipynb") if file not in files]
    if wrong:
        print(f"{', '.join(sorted(wrong))}: not what the lessons make; run tools/notebooks.py")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
