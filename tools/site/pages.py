"""The project's Markdown as the site's generator reads it.

Enters: the clone. Leaves: a folder of Markdown for each language, laid out as the clone is. GitHub's dialect becomes
Python-Markdown's, the comments that hold a lesson's formulas go, links to sources lead to a page that shows the source, and a page
that has no Chinese yet stands in the Chinese site in English and says so.
"""
import html
import pathlib
import posixpath
import re
import shutil
import tomllib

import home

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What programs and authors read comes after lessons and guides.
SEARCH_BOOST = {"chapters/": 4, "docs/glossary": 4, "docs/troubleshooting": 4, "docs/install": 2, "docs/cuda": 2, "docs/swizzle": 2,
                "docs/arm": 0.5, "docs/browser": 0.5, "docs/editors": 0.5, "docs/further": 0.5, "common/sim": 0.3, "CONTRIBUTING": 0.3,
                "docs/json": 0.2, "docs/coverage": 0.2, "docs/session/": 0.2, "docs/adding": 0.2, "docs/design": 0.2,
                "docs/pypi": 0.1}
GLOSSARY = "docs/glossary.md"
TERM = re.compile(r"^\| (?P<name>\*\*.*?) \| (?P<meaning>.*?) \|", re.M)  # a row of the glossary
CODE = re.compile(r"^(?P<fence>```+|~~~+).*?^(?P=fence)[^\S\n]*$|(?P<tick>`+)(?!`).+?(?<!`)(?P=tick)(?!`)", re.S | re.M)
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s#]+)((?:#[^)\s]*)?(?:\s+\"[^\"]*\")?\))")
LOADED = re.compile(r"(<(?:img|source)\b[^>]*?\ssrc(?:set)?=\")([^\":]+)(\")")  # pictures in HTML
GROUPS = re.compile(r"(?<=\d) (?=\d{3}(?!\d)|%)")  # 1 048 576 and 35 % stay on one line
ITEM = re.compile(r"(?:[-*+]|\d+\.) ")
AS_THEY_ARE = {".svg", ".png", ".csv", ".txt", ".json", ".toml"}  # browsers show these
LANGUAGE_OF = {".cu": "cuda", ".cuh": "cuda", ".h": "cpp", ".cpp": "cpp", ".py": "python", ".sh": "sh", ".js": "javascript"}
WORDS = {
    "en": {"run": "The run, step by step", "own": "on a page of its own", "skeleton": "The skeleton as it comes",
           "solution": "The reference solution: it gives the idea away", "nothing": "The skeleton moves nothing yet, so there is "
           "nothing to draw.", "try": "Run this chapter in your browser: change the kernel, and see what the lab says",
           "lab": "The lab in your browser: nothing to install", "cases": "What lanes, banks and sectors do, from a run on the simulated GPU."},
    "zh": {"run": "一步一步看运行", "own": "单独打开这一页", "skeleton": "原样的骨架", "solution": "参考解答：会透露思路",
           "nothing": "骨架还不读写内存，所以没有可画的。", "try": "在浏览器里运行这一章：改动核函数，看实验室怎么说",
           "lab": "浏览器里的实验室：不需安装", "cases": "模拟 GPU 上一次运行中 lane、存储体和扇区的样子。"},
}
ENGLISH_ONLY = '!!! note ""\n\n    本页还没有中文，以下是英文原文。\n\n'


def outside_code(text: str, change) -> str:
    """`change` applied to all text that is not code."""
    done, at = [], 0
    for match in CODE.finditer(text):
        done += [change(text[at:match.start()]), match[0]]
        at = match.end()
    return "".join([*done, change(text[at:])])


def spaced(text: str) -> str:
    """An empty line before each list and table that follows a paragraph at once: Python-Markdown wants one."""
    lines: list[str] = []
    inside = fence = False
    for line in text.split("\n"):
        fence ^= line.startswith(("```", "~~~"))
        block = "item" if ITEM.match(line) else "row" if line.startswith("|") else ""
        if not line.strip():
            inside = False
        elif block and not inside and not fence:
            if lines and lines[-1].strip():
                lines.append("")
            inside = True
        lines.append(line)
    return "\n".join(lines)


def dialect(text: str) -> str:
    """What GitHub reads, for Python-Markdown."""
    text = outside_code(text, lambda part: GROUPS.sub("\u00a0", re.sub(r"<!--.*?-->", "", part, flags=re.S)))
    text = re.sub(r"^<details>$", '<details markdown="1">', text, flags=re.M)
    return spaced(text)


def all_pages(root: pathlib.Path = ROOT) -> list[str]:
    """The English pages of the site, by their place in the clone."""
    found = [root / "README.md", *sorted(root.glob("chapters/*/README.md")), *sorted(root.glob("docs/**/*.md")),
             root / "common/sim/README.md", root / "CONTRIBUTING.md"]
    return [str(path.relative_to(root)) for path in found if not path.name.endswith(".zh.md")]


def search_words() -> dict:
    """search.toml: words that name nothing, words that mean the same, words under which a page is looked for."""
    return tomllib.loads((ROOT / "tools/site/search.toml").read_text(encoding="utf-8"))


def address(page: str) -> str:
    return page.replace("README.md", "index.html").replace(".md", ".html")


def term_anchor(name: str) -> str:
    return "term-" + re.sub(r"\W+", "-", name).strip("-").lower()


def terms(glossary: str) -> list[dict]:
    """Each term of the glossary as an entry of the search, so that a word leads to its row."""
    return [{"location": f"{address(GLOSSARY)}#{term_anchor(row['name'])}", "title": re.sub(r"[*`]", "", row["name"]),
             "text": "<p>" + html.escape(re.sub(r"[*`]", "", row["meaning"])) + "</p>", "boost": SEARCH_BOOST["docs/glossary"]}
            for row in TERM.finditer(glossary)]


class Site:
    """One language of the site, staged in a folder."""

    def __init__(self, language: str, folder: pathlib.Path, root: pathlib.Path = ROOT, has_lab: bool = False):
        self.language, self.folder, self.root, self.has_lab = language, folder, root, has_lab
        self.pages = all_pages(root)
        self.sources: set[str] = set()  # shown on pages of their own

    def is_translated(self, page: str) -> bool:
        return self.language != "en" and page.endswith(".md") and (self.root / page.replace(".md", ".zh.md")).is_file()

    def text_of(self, page: str) -> str:
        if self.language == "en":
            return (self.root / page).read_text(encoding="utf-8")
        if self.is_translated(page):
            return (self.root / page.replace(".md", ".zh.md")).read_text(encoding="utf-8")
        title, _, rest = (self.root / page).read_text(encoding="utf-8").partition("\n")
        return f"{title}\n\n{ENGLISH_ONLY}{rest}"

    def other_language(self, page: str) -> str:
        """From a page to its twin's page in the other site, which lies in zh/ of this one, or above it."""
        up = "../" * page.count("/")
        return address(f"{up}zh/{page}" if self.language == "en" else f"{up}../{page}")

    def target(self, page: str, link: str) -> str:
        """Where a link of the page leads inside the site; "" for nowhere."""
        if "://" in link or link.startswith("mailto:"):
            return link
        place = posixpath.normpath(posixpath.join(posixpath.dirname(page), link))
        speaks = "zh" if place.endswith(".zh.md") else "en"
        english = place.replace(".zh.md", ".md")
        if english in self.pages:
            if english == page and speaks != self.language:
                return self.other_language(page)
            return posixpath.relpath(english, posixpath.dirname(page) or ".")
        path = self.root / place
        if not path.is_file():
            return ""
        if path.suffix not in AS_THEY_ARE:
            self.sources.add(place)
            return link + ".md"
        (self.folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, self.folder / place)
        return link

    def linked(self, page: str, text: str) -> str:
        def change(match):
            target = self.target(page, match[2])
            if not target:
                return match[1].lstrip("!")[1:-2]  # a folder: its name stays
            to = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
            # An English page names a section as the English page has it: in Chinese the page itself must do.
            section = "" if self.is_translated(to) and not self.is_translated(page) else match[3][:-1]
            return f"{match[1]}{target}{section})"
        def loaded(match):
            return f"{match[1]}{self.target(page, match[2])}{match[3]}"
        return outside_code(text, lambda part: LOADED.sub(loaded, LINK.sub(change, part)))

    def write(self, place: str, text: str) -> None:
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def stage(self, runs: dict[str, dict[str, str]]) -> None:
        """All pages. `runs`: chapter -> "skeleton" and "solution" -> the page of that run, relative to the chapter; "" for none."""
        for page in self.pages:
            text = self.text_of(page)
            text = self.linked(page, dialect(home.page(text, self.language) if page == "README.md" else text))
            if page == GLOSSARY:
                text = TERM.sub(lambda row: f'| <a id="{term_anchor(row["name"])}"></a>{row[0][2:]}', text)
            chapter = page.split("/")[1] if page.startswith("chapters/") else ""
            if chapter in runs:
                text = text.rstrip("\n") + "\n\n" + self.embedded(runs[chapter])
            if self.has_lab and (chapter in runs or page == "README.md"):
                text = text.rstrip("\n") + "\n\n" + self.link_to_lab(page, chapter)
            boost = next((boost for start, boost in SEARCH_BOOST.items() if page.startswith(start)), None)
            self.write(page, text if boost is None else f"---\nsearch:\n  boost: {boost}\n---\n{text}")
        for place in sorted(self.sources):
            code = (self.root / place).read_text(encoding="utf-8")
            kind = LANGUAGE_OF.get(pathlib.PurePath(place).suffix, "text")
            self.write(f"{place}.md", f"---\nsearch:\n  exclude: true\n---\n# {place}\n\n~~~~{kind}\n{code.rstrip()}\n~~~~\n")

    def searched(self, docs: list[dict]) -> list[dict]:
        """The theme's index with what the search looks at besides: words of search.toml and of the page's path, terms."""
        given = {address(page): words for page, words in search_words()["pages"].items()}
        for doc in docs:
            place = pathlib.PurePath(doc["location"])
            doc["text"] = re.sub(r"^<p>(English|[^\w<]*简[^<]*)</p>", "", doc["text"])  # the link to the page's twin
            if "#" not in doc["location"]:
                path = place.parent.name if place.name == "index.html" else place.stem
                doc["words"] = [*given.get(doc["location"], []), path]
        return docs + terms(self.text_of(GLOSSARY))

    def link_to_lab(self, page: str, chapter: str) -> str:
        """The lab in a browser lies beside the English pages, for both languages."""
        up = "../" * (page.count("/") + (self.language == "zh"))
        asked = "&amp;".join([f"lang={self.language}", *([f"chapter={chapter}"] if chapter else [])])
        return f'<p><a class="md-button" href="{up}lab/index.html?{asked}">{WORDS[self.language]["try" if chapter else "lab"]}</a></p>\n'

    def embedded(self, run: dict[str, str]) -> str:
        words = WORDS[self.language]
        parts = [f"## {words['run']}", words["cases"]]
        for which in ("skeleton", "solution"):
            title, page = words[which], run[which]
            frame = (f'<iframe class="run" src="{page}" title="{title}" loading="lazy"></iframe>\n\n[{words["own"]}]({page})'
                     if page else words["nothing"])
            if which == "skeleton":
                parts.append(f"**{title}**\n\n{frame}")
            else:
                parts.append(f'<details markdown="1">\n<summary>{title}</summary>\n\n{frame}\n\n</details>')
        return "\n\n".join(parts) + "\n"
