"""`lab site`: the pages are built, crawled, and opened from a folder in a browser.

Enters: LAB_PROGRAM, the built program; mkdocs-material; for the browser's part Chromium and python3-websocket, for the accessibility part
axe-core as axe-playwright-python installs it. Leaves: one unittest verdict; a part whose tools are not here is skipped and says so.
With LAB_SCREENSHOTS=FOLDER it leaves pictures there, as wide as a phone and a laptop."""
import functools
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import crawl

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/site"), str(ROOT / "tests/cli"), str(ROOT / "tools")]
import home  # noqa: E402
import pages  # noqa: E402

PROGRAM = os.environ["LAB_PROGRAM"]
PHONE, LAPTOP = (390, 844), (1366, 800)


def has(module):
    return importlib.util.find_spec(module) is not None


def has_browser():
    return has("websocket") and any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))


@functools.cache
def built():
    """The site, once for all parts."""
    work = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(work.cleanup)
    site = pathlib.Path(work.name) / "site of the course"  # a space: sticks have such names
    made = subprocess.run([sys.executable, str(ROOT / "tools/site/build.py"), "--program", PROGRAM, "--no-browser", str(site)],
                          capture_output=True, text=True, timeout=600)
    if made.returncode:
        raise AssertionError(made.stderr)
    return site, *crawl.faults(site)


class Built(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not has("material"):
            raise unittest.SkipTest("no mkdocs-material (./lab test --full installs it)")
        cls.site, cls.faults, cls.pages = built()


class Folder(Built):
    def test_no_dead_link_nothing_from_elsewhere(self):
        self.assertEqual(self.faults, [])

    def test_every_page_in_both_languages(self):
        for page in pages.all_pages():
            place = page.replace("README.md", "index.html").replace(".md", ".html")
            self.assertIn(place, self.pages)
            self.assertIn(f"zh/{place}", self.pages)
            self.assertIn("简体中文", "".join(self.pages[place].text))

    def test_every_chapter_has_its_runs(self):
        lessons = [name for name in self.pages if re.search(r"chapters/\w+/index\.html$", name)]
        self.assertEqual(len(lessons), 2 * len(list((ROOT / "chapters").glob("*/README.md"))))
        for name in lessons:
            runs = [url for url in self.pages[name].loads if url in ("skeleton.html", "solution.html")]
            self.assertIn("solution.html", runs, name)
            self.assertTrue(len(runs) == 2 or "/01_naive/" in name, name)  # its skeleton moves nothing
            run = (self.site / name).with_name("solution.html").read_text(encoding="utf-8")
            self.assertIn('"lang":"zh-CN"' if name.startswith("zh/") else '"lang":"en"', run.replace(": ", ":"))

    def test_formulas_are_hidden_and_examples_of_them_are_not(self):
        lesson = (self.site / "chapters/05_padding/index.html").read_text(encoding="utf-8")
        self.assertNotIn("solution(04)", lesson)
        self.assertIn("1\u00a0048\u00a0576", lesson)
        guide = "".join(self.pages["docs/adding-a-chapter.html"].text)
        for shown in re.findall(r"<!-- [=~] .*? -->", (ROOT / "docs/adding-a-chapter.md").read_text(encoding="utf-8")):
            self.assertIn(shown, guide)

    def test_a_folder_of_others_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            mine = pathlib.Path(folder) / "thesis.txt"
            mine.write_text("years of work")
            refused = subprocess.run([sys.executable, str(ROOT / "tools/site/build.py"), "--program", PROGRAM, folder],
                                     capture_output=True, text=True)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("nothing is written", refused.stderr)
            self.assertTrue(mine.is_file())


class Crawler(unittest.TestCase):
    """It finds what is broken."""

    def faults_of(self, text):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a.html").write_text(text)
            (pathlib.Path(folder) / "b c.html").write_text("<h1 id='here'>b</h1>")
            return crawl.faults(folder)[0]

    def test_what_is_good(self):
        self.assertEqual(self.faults_of("<a href='b%20c.html#here'>b</a><a href='https://example.org/'>x</a><img src='data:,'>"), [])

    def test_what_is_broken(self):
        for text, word in (("<a href='c.html'>c</a>", "leads nowhere"), ("<a href='b%20c.html#there'>b</a>", "not there"),
                           ("<img src='x.svg'>", "leads nowhere"), ("<a href='/b%20c.html'>b</a>", "leads nowhere"),
                           ("<a href='../a.html'>b</a>", "leads nowhere"), ("<script src='https://example.org/x.js'></script>", "loads")):
            with self.subTest(text):
                found = self.faults_of(text)
                self.assertEqual(len(found), 1)
                self.assertIn(word, found[0])


class Dialect(unittest.TestCase):
    def test_comments_go_but_not_from_code(self):
        self.assertEqual(pages.dialect("It takes 1 000<!-- = 2 --> `<!-- = 3 -->`\n"), "It takes 1\u00a0000 `<!-- = 3 -->`\n")
        fenced = "```\n5 000<!-- = 1 -->\n```\n"
        self.assertEqual(pages.dialect(fenced), fenced)

    def test_a_card_of_the_home_has_the_readmes_minutes(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        for row in re.findall(r"^\| (\[\d\d_.*) \|$", readme, re.M):
            cells = row.split(" | ")
            self.assertIn(f"<small>{cells[-1]} min</small></a>", home.card(cells, "en"))

    def test_lists_and_tables_stand_apart(self):
        self.assertEqual(pages.dialect("Words:\n- one\n- two\n  more\n"), "Words:\n\n- one\n- two\n  more\n")
        self.assertEqual(pages.dialect("Words:\n| a |\n|---|\n"), "Words:\n\n| a |\n|---|\n")


@unittest.skipUnless(has_browser(), "no Chromium or no python3-websocket")
class InABrowser(Built):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        from chromium import Browser
        cls.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.browser = Browser(cls.profile.name)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.profile.cleanup()

    def look(self, size, dark=False):
        self.browser.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=size == PHONE)
        self.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def until(self, expression, what):
        deadline = time.monotonic() + 30
        while not (got := self.browser.js(expression)):
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.1)
        return got

    def own_pages(self):
        return [name for name in self.pages if re.search(r"(^|/)(index|docs/[\w-]+|CONTRIBUTING)\.html$", name)]

    def test_no_error_and_nothing_wider_than_a_phone(self):
        for size in (PHONE, LAPTOP):
            self.look(size)
            for name in self.own_pages() if size == PHONE else ["index.html", "zh/index.html"]:
                with self.subTest(name, size=size):
                    self.browser.open(self.site / name)
                    self.assertLessEqual(self.browser.js("document.documentElement.scrollWidth"), size[0])
            for name in ("index", "chapters/05_padding/index", "zh/chapters/05_padding/index"):
                self.browser.open(self.site / f"{name}.html")
                self.browser.screenshot(f"site_{name.replace('/', '_')}_{size[0]}.png")
        self.assertEqual(self.browser.errors, [])
        self.assertEqual([u for u in self.browser.requests if not u.startswith(("file:", "data:", "about:"))], [])

    def search(self, page, words):
        """The addresses of what is found, best first."""
        self.browser.open(self.site / page)
        self.browser.click(".md-search__input")
        self.until("typeof __index == 'object'", "no index")
        self.browser.call("Input.insertText", text=words)
        self.browser.call("Input.dispatchKeyEvent", type="keyUp", key="Shift")  # the theme looks when a key comes up
        self.until("document.querySelectorAll('.md-search-result__link').length", f"no result for {words}")
        return self.browser.js("[...document.querySelectorAll('.md-search-result__item > a')].map(a => a.href)")

    def test_what_readers_look_for(self):
        """A lesson, the glossary or the guide to it comes before pages that programs and authors read: it is among the first three results."""
        self.look(LAPTOP)
        for words, wanted in (("bank conflict", "04_shared_tile"), ("coalescing", "02_coalescing"), ("float4", "03_float4"), ("swizzle", "07_swizzle"),
                              ("install windows", "docs/install"), ("python numba", "docs/python"), ("grade submissions", "docs/grading"),
                              ("compare Nsight Compute", "docs/comparison"), ("out of bounds", "09_any_matrix"), ("workshop", "docs/workshop"),
                              ("two GPUs", "16_two_gpus"), ("cheat", "docs/trust"), ("wavefront", "docs/glossary"), ("Mac", "docs/troubleshooting"),
                              ("Colab", "docs/install"), ("moodle", "docs/grading"), ("AMD", "docs/troubleshooting"), ("TMA", "12_tma_swizzle"),
                              ("why no milliseconds", "docs/troubleshooting"), ("run my own program", "docs/troubleshooting"),
                              ("how long does grading take", "docs/grading"), ("numba kernel", "docs/python"), ("no GPU", "docs/troubleshooting"),
                              ("what is a wavefront", "docs/glossary"), ("do I need a GPU?", "docs/troubleshooting"),
                              ("什么是波前？", "zh/docs/glossary"), ("没有 GPU", "zh/docs/troubleshooting")):
            page = "index.html" if words.isascii() else "zh/index.html"
            with self.subTest(words):
                pages_found = list(dict.fromkeys(address.split("?")[0].split("#")[0] for address in self.search(page, words)))
                self.assertIn(wanted, " ".join(pages_found[:3]))

    def test_search_without_a_server(self):
        self.look(LAPTOP)
        for page, word, wanted in (("index.html", "wavefront", "wavefront"), ("docs/json.html", "swizzle", "swizzle"),
                                   ("zh/index.html", "存储体", "存储体"), ("zh/chapters/05_padding/index.html", "合并访问", "访问")):
            with self.subTest(page, word=word):
                self.browser.open(self.site / page)
                self.browser.click(".md-search__input")
                self.until("typeof __index == 'object'", "no index")
                self.browser.call("Input.insertText", text=word)
                self.browser.call("Input.dispatchKeyEvent", type="keyUp", key="Shift")  # the theme looks when a key comes up
                found = self.until("[...document.querySelectorAll('.md-search-result__link')].map(a => a.textContent).join(' ')",
                                   f"no result for {word}")
                self.assertIn(wanted, found.replace("\u200b", "").lower())
                target = self.browser.js("document.querySelector('.md-search-result__link').href")
                self.assertTrue(target.startswith("file:"), target)
        self.assertEqual(self.browser.errors, [])

    def test_the_run_is_embedded_and_follows_the_colours(self):
        for dark in (False, True):
            self.look(LAPTOP, dark)
            self.browser.open(self.site / "chapters/05_padding/index.html")
            self.browser.js("localStorage.clear()")
            self.browser.open(self.site / "chapters/05_padding/index.html")
            scheme = self.browser.js("document.body.getAttribute('data-md-color-scheme')")
            self.assertEqual(scheme, "slate" if dark else "default")
            self.browser.js("document.querySelector('iframe.run').scrollIntoView()")
            time.sleep(1)
            self.browser.screenshot(f"site_run_{scheme}.png")
        self.assertEqual(self.browser.errors, [])

    def test_paper_gives_no_answer_away(self):
        self.look(LAPTOP)
        self.browser.open(self.site / "chapters/05_padding/index.html")
        self.browser.js("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")  # as the theme does before it prints
        shown = "[...document.querySelectorAll('.md-typeset details > :not(summary)')].filter(part => part.offsetHeight).length"
        self.assertGreater(self.browser.js(shown), 5)
        self.browser.call("Emulation.setEmulatedMedia", media="print")
        self.assertEqual(self.browser.js(shown), 0)
        self.browser.call("Emulation.setEmulatedMedia", media="")

    def test_next_and_previous_chapter_and_the_other_language(self):
        self.look(LAPTOP)
        self.browser.open(self.site / "chapters/05_padding/index.html")
        links = self.browser.js("[...document.querySelectorAll('.md-footer__link')].map(a => a.getAttribute('href'))")
        self.assertEqual(links, ["../04_shared_tile/index.html", "../06_xor_swizzle/index.html"])
        other = self.browser.js("[...document.querySelectorAll('.md-select__link')].map(a => a.getAttribute('href'))")
        self.assertEqual(other, ["index.html", "../../zh/chapters/05_padding/index.html"])

    def test_accessibility(self):
        """axe-core's rules, all of them, on pages of each kind: some light on a phone, others dark on a laptop."""
        if not has("axe_playwright_python"):
            self.skipTest("no axe-core (pip install --no-deps axe-playwright-python)")
        axe = pathlib.Path(importlib.util.find_spec("axe_playwright_python").origin).with_name("axe.min.js").read_text(encoding="utf-8")
        run = "axe.run(document, {preload: false, iframes: false}).then(r => r.violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 200)}`))"
        for size, dark in ((PHONE, False), (LAPTOP, True)):
            self.look(size, dark)
            for name in self.own_pages()[3 * dark :: 6]:
                with self.subTest(name, size=size, dark=dark):
                    self.browser.open(self.site / name)
                    self.browser.js("localStorage.clear()")
                    time.sleep(0.3)  # the theme gives what scrolls a place in the order of Tab
                    self.browser.js(axe)
                    result = self.browser.call("Runtime.evaluate", expression=run, awaitPromise=True, returnByValue=True)
                    self.assertEqual(result["result"].get("value"), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
