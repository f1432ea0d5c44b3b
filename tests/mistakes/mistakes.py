"""The table of beginners' mistakes: what is written wrongly, and how each advice is obeyed.

Enters: mistakes.toml. Leaves: rows, and the texts of their kernels."""
import csv
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
SEVERAL = re.compile(r"(`[^`]*`)(?:(?:, |–|, …, )\1)+")


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


# Of the index, and of a chapter's page.
WORDS = {
    "en": {"title": "What beginners write, and what the check says",
           "intro": "Mistakes in all chapters, the first line of what `./lab check` answers, and what fixes them. These pages show answers: read "
                    "that of a chapter after it. They are made from [mistakes.toml](../tests/mistakes/mistakes.toml) by "
                    "[mistakes.py](../tests/mistakes/mistakes.py), and a test makes each mistake, reads the message, obeys it and checks again.",
           "chapter": "chapter", "mistakes": "mistakes", "chapter title": "{}: what beginners write",
           "answers": "This page shows answers: read it after the chapter.", "all": "All chapters",
           "mistake": "mistake", "written": "written", "first": "the check says", "fix": "fixed by",
           "drawn": "## Drawn mistakes", "group": "chapter or kind of edit", "edits": "drafts", "named": "named", "own": "at its own statement",
           "untrue": "with an untrue sentence",
           "drawn intro": "[beginners.py](../tests/mistakes/beginners.py) makes drafts of the solutions of 01 to 16 by one to three edits of the kinds that "
                          "beginners make, a thousand different ones of each solution if asked, and reads the first message of the check: whether it names "
                          "the place of an edit, or a line where its effect shows, by a rule that stands there. Where the finding has a `fix` as data, a "
                          "program applies it and checks again: brought further means that what was said first no longer holds. Such a fix is an edit "
                          "that follows from a fault, or a line that the check tried: the slips that it undoes are of the same kinds as those made here; "
                          "in a sample of its own, 167 drafts, 106 had one and 105 were brought further. "
                          "Drafts for which no check fails are left out. A message that asks for the call that was taken out names its statement. "
                          "A row of a chapter counts all its drafts, one of a kind those with this edit alone; one seed drew all, which no message was tuned "
                          "on (LAB_SEED=64907, --each 34 --words-alone)."},
    "zh": {"title": "初学者会怎么写，检查怎么说",
           "intro": "各章的错误、`./lab check` 回答的第一行，以及怎样改好。这些页有答案：某章的一页请在通过那一章之后再读。它们由 "
                    "[mistakes.py](../tests/mistakes/mistakes.py) 根据 [mistakes.toml](../tests/mistakes/mistakes.toml) 生成；有一个测试逐个犯下这些错误，"
                    "读消息，照着做，再检查一次。消息保持英文原样。",
           "chapter": "章", "mistakes": "错误数", "chapter title": "{}：初学者会怎么写", "answers": "本页有答案：请在通过这一章之后再读。", "all": "所有章",
           "mistake": "错误", "written": "写成了", "first": "检查说", "fix": "改为",
           "drawn": "## 随机生成的错误", "group": "章节或改动种类", "edits": "草稿数", "named": "指出了位置", "own": "指在改动的语句上",
           "untrue": "有不实的句子",
           "drawn intro": "[beginners.py](../tests/mistakes/beginners.py) 按初学者常犯的种类，对 01 到 16 章的参考解答做一到三处随机改动，"
                          "每份解答可以生成一千份不同的草稿，再读检查给出的第一条消息：它是否指出了某处改动的位置，或者改动的影响显现出来的那一行；判定规则写在该文件里。"
                          "结果里带有数据形式的修改（`fix`）时，由程序照改再检查一次：有进展是指第一条消息所说的问题已不存在。"
                          "这样的修改或是由错误推出的编辑，或是检查试出来的一行；它试着撤销的笔误与这里所做的改动种类相同；"
                          "在另外抽取的 167 份草稿中，106 份带有这样的修改，105 份照改后有进展。所有检查仍然通过的草稿不计在内。"
                          "删去的调用若正是消息所要求的，就算指在改动的语句上。"
                          "章的一行统计该章的全部草稿，改动种类的一行只统计仅有这一处改动的草稿；全部草稿由同一个种子抽取，"
                          "没有任何消息按它调整过（LAB_SEED=64907，--each 34 --words-alone）。"},
}
ENDING = {"en": ".md", "zh": ".zh.md"}


def code(text):
    """One line of code in a cell of a table."""
    line = " ".join(text.split()).replace("|", "\\|")
    if len(line) > 90:
        line = line[:89] + "…"
    return f"``{line} ``" if "`" in line else f"`{line}`" if line else "–"


def twin(language, name):
    return f"[简体中文]({name}.zh.md)" if language == "en" else f"[English]({name}.md)"


def table_row(row, language):
    what = row["what"][language == "zh"]
    fix = row["fix"] if "fix" in row else [[new, old] for old, new in row["change"]]
    first = row["first"].replace("|", "\\|").replace("<", "&lt;").replace("](", "]\\(")
    return f"| {what} | {code(row['change'][0][1])} | {first} | {code(fix[0][1])} |"


def drawn_table(words):
    """Shares that beginners.py measured: beginners.csv."""
    columns = ("group", "edits", "named", "own", "untrue")
    yield from ("| " + " | ".join(words[column] for column in columns) + " |", "|---|" + "---:|" * (len(columns) - 1))
    with (HERE / "beginners.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            shares = " | ".join(f"{100 * int(row[key]) / int(row['edits']):.0f} %" for key in ("named", "own"))
            yield f"| {row['group']} | {row['edits']} | {shares} | {row['untrue']} |"


def pages(language):
    """The pages of docs/ in a language, by name: the index, and one for each chapter that has mistakes."""
    words, ending = WORDS[language], ENDING[language]
    chapters = {}
    for row in load():
        chapters.setdefault(next(ROOT.glob(f"chapters/{row['id'][:2]}_*")).name, []).append(row)
    index = [f"# {words['title']}", "", twin(language, "mistakes"), "", words["intro"], "", f"| {words['chapter']} | {words['mistakes']} |", "|---|---:|",
             *(f"| [{name}](mistakes/{name}{ending}) | {len(rows)} |" for name, rows in chapters.items())]
    index += ["", words["drawn"], "", words["drawn intro"], "", *drawn_table(words)]
    made = {f"mistakes{ending}": index}
    for name, rows in chapters.items():
        made[f"mistakes/{name}{ending}"] = [
            f"# {words['chapter title'].format(name)}", "", f"{twin(language, name)} · [{words['all']}](../mistakes{ending})", "",
            words["answers"], "", f"| {words['mistake']} | {words['written']} | {words['first']} | {words['fix']} |", "|---|---|---|---|",
            *(table_row(row, language) for row in rows)]
    return {name: "\n".join(lines) + "\n" for name, lines in made.items()}


def main():
    for language in WORDS:
        for name, text in pages(language).items():
            path = ROOT / "docs" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
