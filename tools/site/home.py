"""The site's first page: the README with buttons to start, and the ladder as cards.

Enters: the README as it is staged, its language, the list of chapters, what was measured (tools/readme_ladder.py). Leaves: the page's Markdown.
"""
import html
import re

import readme_ladder

WORDS = {"en": ("Start with chapter 01", "CUDA in twenty minutes", "min", "of a copy's speed"),
         "zh": ("从第 01 章开始", "二十分钟学 CUDA", "分钟", "的拷贝速度")}


def buttons(language: str) -> str:
    start, cuda, _, _ = WORDS[language]
    return (f'<p class="start"><a class="md-button md-button--primary" href="chapters/01_naive/index.html">{start}</a>\n'
            f'<a class="md-button" href="docs/cuda.html">{cuda}</a></p>\n')


def card(row: list[str], language: str) -> str:
    """A row of the ladder as a card: chapter as a link, idea, waste, share, …, minutes last."""
    _, _, minutes, of_copy = WORDS[language]
    name = re.match(r"\[(\w+)\]", row[0])
    if name is None:
        raise ValueError(f"no chapter in the ladder's row: {row}")
    share = "" if row[3] == "–" else f'<span class="share"><span style="width:{float(row[3]):.0f}%"></span></span><small>{row[3]} % {of_copy}</small>'
    number, title = name[1].split("_", 1)
    idea, waste = (html.escape(cell.replace("`", "")) for cell in row[1:3])
    return (f'<a class="chapter" href="chapters/{name[1]}/index.html"><b>{number} {title.replace("_", " ")}</b><span>{idea}</span>'
            f'<small>{waste}</small>{share}<small>{row[-1]} {minutes}</small></a>')


def page(readme: str, language: str) -> str:
    """The README's first sentence, the buttons, then the rest with cards in the place of the ladder."""
    before, _, rest = readme.partition(readme_ladder.BEGIN)
    table, _, after = rest.partition(readme_ladder.END)
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.splitlines() if line.startswith("| [")]
    first = re.search(r"^\*\*.*\*\*\n", before, re.M)
    if first:
        before = before[:first.end()] + "\n" + buttons(language) + before[first.end():]
    return before + '<div class="chapters">\n' + "\n".join(card(row, language) for row in rows) + "\n</div>\n" + after
