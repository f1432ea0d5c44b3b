"""The table of beginners' mistakes: what is written wrongly, and how each advice is obeyed.

Enters: mistakes.toml. Leaves: rows, and the texts of their kernels."""
import pathlib
import re
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def load():
    table = tomllib.loads((HERE / "mistakes.toml").read_text(encoding="utf-8"))
    return [{**row, "id": name} for name, row in table.items()]


# Shapes, places and values follow from what the judge draws from a key and the kernel: a first line holds some of them, and any stand for
# them. Lines of the source and costs of an access are the kernel's own, and are compared.
DRAWN = re.compile(r"(?P<own>\blines? \d+|[\d.]+ (?:sectors|wavefronts) per request|[\d.]+ would do|multiple of \d+)|"
                   r"(?P<where>^shape [^:]*)|(?P<finding>(?<=FINDING_OF\()\w+)|0x(?:[0-9a-f]+|…)|\d+(?:[.,\u202f]\d+)*")
SEVERAL = re.compile(r"(`[^`]*`)(?:(?:, |–)\1)+(?:, …)?")


def kind(first_line):
    """What a first line says whatever was drawn: `#` for each drawn number, one place for several in a row."""
    return SEVERAL.sub(r"\1", DRAWN.sub(lambda found: found["own"] or "#", first_line))


def base_text(row):
    return next(ROOT.glob(f"solutions/{row['id'][:2]}_*/transpose.cu")).read_text(encoding="utf-8")


def patched(text, changes, who):
    for old, new in changes:
        if old not in text:
            raise ValueError(f"{who}: there is no {old!r} to change")
        text = text.replace(old, new)
    return text


def wrong_text(row):
    return patched(base_text(row), row["change"], row["id"])


def fixed_text(row):
    """The advice obeyed: other words in the wrong text, or, where the row has none, the mistake taken back."""
    return patched(wrong_text(row), row["fix"], row["id"]) if "fix" in row else base_text(row)


WORDS = {
    "en": {"title": "What beginners write, and what the check says",
           "intro": "Mistakes in all chapters, the first line of what `./lab check` answers, and what fixes them. This page shows answers: read "
                    "the part of a chapter after it. It is made from [mistakes.toml](../tests/mistakes/mistakes.toml) by "
                    "[mistakes.py](../tests/mistakes/mistakes.py), and a test makes each mistake, reads the message, obeys it and checks again.",
           "mistake": "mistake", "written": "written", "first": "the check says", "fix": "fixed by"},
    "zh": {"title": "初学者会怎么写，检查怎么说",
           "intro": "各章的错误、`./lab check` 回答的第一行，以及怎样改好。这一页有答案：某章的部分请在通过那一章之后再读。它由 "
                    "[mistakes.py](../tests/mistakes/mistakes.py) 根据 [mistakes.toml](../tests/mistakes/mistakes.toml) 生成；有一个测试逐个犯下这些错误，"
                    "读消息，照着做，再检查一次。消息保持英文原样。",
           "mistake": "错误", "written": "写成了", "first": "检查说", "fix": "改为"},
}


def code(text):
    """One line of code in a cell of a table."""
    line = " ".join(text.split()).replace("|", "\\|")
    if len(line) > 90:
        line = line[:89] + "…"
    return f"``{line} ``" if "`" in line else f"`{line}`" if line else "–"


def page(language):
    words = WORDS[language]
    twin = "[简体中文](mistakes.zh.md)" if language == "en" else "[English](mistakes.md)"
    lines = [f"# {words['title']}", "", twin, "", words["intro"]]
    chapter = ""
    for row in load():
        if row["id"][:2] != chapter:
            chapter = row["id"][:2]
            name = next(ROOT.glob(f"chapters/{chapter}_*")).name
            lines += ["", f"## {name}", "", f"| {words['mistake']} | {words['written']} | {words['first']} | {words['fix']} |", "|---|---|---|---|"]
        what = row["what"][language == "zh"]
        fix = row["fix"] if "fix" in row else [[new, old] for old, new in row["change"]]
        first = row["first"].replace("|", "\\|").replace("<", "&lt;").replace("](", "]\\(")
        lines.append(f"| {what} | {code(row['change'][0][1])} | {first} | {code(fix[0][1])} |")
    return "\n".join(lines) + "\n"


def main():
    for language, name in (("en", "mistakes.md"), ("zh", "mistakes.zh.md")):
        (ROOT / "docs" / name).write_text(page(language), encoding="utf-8")


if __name__ == "__main__":
    main()
