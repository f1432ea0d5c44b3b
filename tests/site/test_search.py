"""The site's search: who asks finds the right page among the first three, in English and Chinese.

Enters: the clone, mkdocs-material (for the index), node. Leaves: one unittest verdict. Questions are drawn: each term of the glossary, each
title and each heading of the pages of questions, in the words of search.toml that mean the same, in templates; and questions.toml has some that
people typed. The search runs as the site has it, under node."""
import functools
import importlib.util
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/site"), str(ROOT / "tools")]
import build  # noqa: E402
import pages  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SEARCH = ROOT / "tools/site/search.js"
GOAL = 0.95
TEMPLATES = {"en": ["{}", "what is {}?", "What does {} mean", "define {}", "explain {}", "page about {}", "how do I find {}?"],
             "zh": ["{}", "什么是{}？", "{}是什么意思", "解释一下{}", "关于{}"]}
FAQ = ["docs/questions.md", "docs/troubleshooting.md"]


def has_tools():
    return bool(shutil.which("node")) and importlib.util.find_spec("material") is not None


@functools.cache
def index(language):
    """The index as `lab site` makes it; the pages themselves are left empty, which takes a quarter of the time."""
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        site = pages.Site(language, work / "pages")
        site.stage({})
        config = build.configuration(site, work / "out")
        (work / "empty").mkdir()
        (work / "empty/main.html").write_text("")
        config["theme"]["custom_dir"] = str(work / "empty")
        config["markdown_extensions"].append({"pymdownx.highlight": {"use_pygments": False}})
        config["extra_css"], config["extra_javascript"], config["extra"]["polyfills"] = [], [], []
        (work / "mkdocs.yml").write_text(json.dumps(config))
        subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", str(work / "mkdocs.yml")], check=True,
                       capture_output=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
        return site.searched(json.loads((work / "out/search/search_index.json").read_text())["docs"])


def title(text):
    """A page's own title, without the number of a chapter."""
    return re.sub(r"^\d\d · ", "", re.sub(r"[`*]", "", re.search(r"^# (.*)$", text, re.M)[1]))


def said_otherwise(phrase, language):
    """The phrase with one of its words replaced by each other one that means the same."""
    for group in pages.search_words()["same"]:
        here = [word for word in group if word.isascii() == (language == "en")]
        for word in here:
            pattern = rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])" if word.isascii() else re.escape(word)
            if re.search(pattern, phrase, re.I):
                yield from (re.sub(pattern, other, phrase, count=1, flags=re.I) for other in here if other != word)


def drawn(language, seed):
    """Question -> pages that answer it: in the pages' own words, and in others that mean the same."""
    draw, site, found, otherwise = random.Random(seed), pages.Site(language, pathlib.Path()), {}, {}
    for page in site.pages:
        if page in ("docs/pypi.md", "README.md"):
            continue
        text = site.text_of(page)
        phrases = [title(text)] + (re.findall(r"^##+ (.*)$", text, re.M) if page in FAQ else [])
        if page == pages.GLOSSARY:
            phrases += [name for row in pages.TERM.finditer(text) for name in re.findall(r"\*\*`?([^*`]+)`?\*\*", row["name"])]
        for phrase in phrases:
            templates = TEMPLATES["en"] if phrase.isascii() else TEMPLATES[language]
            plain = re.sub(r"[`*?？。]", "", phrase).strip()
            for template in [templates[0], draw.choice(templates[1:])]:
                found.setdefault(template.format(plain), set()).add(page)
            for other in said_otherwise(plain, "en" if plain.isascii() else "zh"):
                otherwise.setdefault(draw.choice(templates).format(other), set()).add(page)
    return found, otherwise


def typed(language):
    """The questions of questions.toml, in the same form."""
    given = tomllib.loads((HERE / "questions.toml").read_text(encoding="utf-8"))[language]
    place = lambda name: f"{name}.md" if "/" in name or name.isupper() else f"docs/{name}.md"
    return {question: {place(name) for name in ([wanted] if isinstance(wanted, str) else wanted)} for question, wanted in given.items()}


def missed(docs, questions, words=None, search=SEARCH):
    """Those questions whose right page is not among the first three, with what is."""
    with tempfile.TemporaryDirectory() as folder:
        asked = pathlib.Path(folder) / "asked.json"
        asked.write_text(json.dumps({"docs": docs, "words": words or pages.search_words(), "questions": list(questions)}))
        done = subprocess.run(["node", str(HERE / "ask.js"), str(search), str(asked)], check=True, capture_output=True, text=True)
    answers = zip(questions.items(), json.loads(done.stdout))
    return {question: found[:3] for (question, wanted), found in answers if not {pages.address(page) for page in wanted} & set(found[:3])}


@unittest.skipUnless(has_tools(), "no node or no mkdocs-material (./lab test --full installs it)")
class Questions(unittest.TestCase):
    def share(self, language, questions, **how):
        misses = missed(index(language), questions, **how)
        return 1 - len(misses) / len(questions), misses

    def test_the_right_page_is_among_the_first_three(self):
        for language in pages.WORDS:
            for kind, questions in zip(("own words", "other words", "typed"), (*drawn(language, seed=1), typed(language))):
                with self.subTest(language, kind=kind, questions=len(questions)):
                    share, misses = self.share(language, questions)
                    self.assertGreaterEqual(share, GOAL, misses)

    def test_a_search_without_synonyms_or_titles_is_noticed(self):
        """The mutants: each must miss the goal."""
        with tempfile.TemporaryDirectory() as folder:
            flat = pathlib.Path(folder) / "search.js"
            code, changed = re.subn(r"(TITLE|PAGE|WORDS) = \d+|\* \(1 \+ said\)", lambda m: f"{m[1]} = 0" if m[1] else "", SEARCH.read_text())
            self.assertEqual(changed, 4)
            flat.write_text(code)
            silent = {**pages.search_words(), "same": []}
            for mutant, kinds, how in (("titles weigh nothing", (0, 2), {"search": flat}), ("no synonyms", (1,), {"words": silent})):
                with self.subTest(mutant=mutant):
                    asked = wrong = 0
                    for language in pages.WORDS:
                        for questions in [(*drawn(language, seed=1), typed(language))[kind] for kind in kinds]:
                            asked += len(questions)
                            wrong += len(missed(index(language), questions, **how))
                    self.assertLess(1 - wrong / asked, GOAL)



if __name__ == "__main__":
    if sys.argv[1:] == ["--misses"]:
        for tongue in pages.WORDS:
            for kind in (*drawn(tongue, 1), typed(tongue)):
                wrong = missed(index(tongue), kind)
                print(tongue, f"{len(kind) - len(wrong)} of {len(kind)}", *wrong.items(), sep="\n  ")
    else:
        unittest.main(verbosity=2)
