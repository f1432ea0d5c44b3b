#!/usr/bin/env python3
"""`lab site`: lessons, docs and pictures as pages, in English and Chinese, in one folder that needs no server.

Enters: the clone, the built program (--program), mkdocs-material in this Python. Leaves: FOLDER (default: site) with index.html,
the Chinese pages in zh/, and for every chapter the pages of `lab show --html` of its skeleton and its solution. The folder works from a
server and from file://, search included. Exit code 0, 1 when a page could not be made, 2 for a wrong command line.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "browser")]
import lab_page  # noqa: E402
import wasm  # noqa: E402

import chapters  # noqa: E402
import pages  # noqa: E402
from waiting import Waiting, said  # noqa: E402

ROOT = pages.ROOT
GUIDES = ["install", "troubleshooting", "comparison", "python", "swizzle", "atomics", "glossary", "model", "trust", "gpu", "run", "step", "browser", "ptx",
          "editors", "limits", "questions", "further-reading", "session/README"]
CLASS = ["workshop", "grading", "grading_moodle", "grading_ci", "grading_large", "grading_walls"]
TITLES = {"en": ["Transpose Lab", "Chapters", "Guides", "For a class", "How it is made"],
          "zh": ["转置实验", "章节", "指南", "用于教学", "项目内部"]}
THEME_WORDS = {"en": ("Dark", "Light"), "zh": ("深色", "浅色")}


class SiteError(Exception):
    """What went wrong, in a whole sentence."""


def navigation(site: pages.Site) -> list:
    title = TITLES[site.language]
    lessons = [p for p in site.pages if p.startswith("chapters/")]
    guides = [f"docs/{name}.md" for name in GUIDES if f"docs/{name}.md" in site.pages]
    teaching = [f"docs/{name}.md" for name in CLASS if f"docs/{name}.md" in site.pages]
    rest = [p for p in site.pages if p != "README.md" and p not in lessons + guides + teaching]
    return [{title[0]: "README.md"}, {title[1]: lessons}, {title[2]: guides}, {title[3]: teaching}, {title[4]: rest}]


def palette(language: str) -> list:
    dark, light = THEME_WORDS[language]
    return [{"media": "(prefers-color-scheme: light)", "scheme": "default", "primary": "indigo",
             "toggle": {"icon": "material/weather-night", "name": dark}},
            {"media": "(prefers-color-scheme: dark)", "scheme": "slate", "primary": "indigo",
             "toggle": {"icon": "material/weather-sunny", "name": light}}]


def configuration(site: pages.Site, out: pathlib.Path) -> dict:
    """mkdocs.yml, as JSON, which is YAML too."""
    return {
        "site_name": TITLES[site.language][0], "docs_dir": str(site.folder), "site_dir": str(out), "use_directory_urls": False,
        "nav": navigation(site), "hooks": [str(HERE / "hooks.py")],
        "theme": {"name": "material", "language": site.language, "font": False, "palette": palette(site.language),
                  "features": ["content.code.copy", "navigation.footer", "navigation.sections", "navigation.top", "search.highlight"],
                  "icon": {"logo": "material/grid"}},
        "plugins": [{"search": {"lang": ["en"]}}],  # its index alone: search.js looks in it
        "extra": {"site_language": site.language, "generator": False, "polyfills": ["assets/words.js", "assets/search.js", "assets/worker.js"],
                  "alternate": [{"name": "English", "link": "lab:en", "lang": "en"}, {"name": "简体中文", "link": "lab:zh", "lang": "zh"}]},
        "extra_css": ["assets/site.css"], "extra_javascript": ["assets/site.js"],
        "markdown_extensions": ["tables", "md_in_html", "attr_list", "admonition", "pymdownx.superfences", "pymdownx.magiclink",
                                "pymdownx.highlight", {"toc": {"permalink": False}}],
        "validation": {"links": {"not_found": "info", "unrecognized_links": "info", "absolute_links": "warn"}},
    }


def draw_runs(program: str, folder: pathlib.Path, language: str) -> dict[str, dict[str, str]]:
    """The pages of `lab show` into the staged folder. Leaves: chapter -> which -> its page's name, "" where there is nothing to draw."""
    runs: dict[str, dict[str, str]] = {}
    names = [entry["name"] for entry in chapters.read()]
    with Waiting("drawing the chapters' runs") as line:
        for at, chapter in enumerate(names):
            line.reached(at, len(names))
            runs[chapter] = draw_run(program, folder, language, chapter)
    return runs


def draw_run(program: str, folder: pathlib.Path, language: str, chapter: str) -> dict[str, str]:
    drawn: dict[str, str] = {}
    for which, kernel in (("skeleton", "skeleton.cu"), ("solution", "transpose.cu")):
        page = folder / "chapters" / chapter / f"{which}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run([program, "--lang", language, "show", chapter, "--kernel", str(ROOT / "solutions" / chapter / kernel), "--html",
                               str(page)],
                              capture_output=True, text=True, timeout=600, env={**os.environ, "LAB_ROOT": str(ROOT)})
        if done.returncode not in (0, 2) or (which == "solution" and done.returncode):
            raise SiteError(f"lab show of solutions/{chapter}/{kernel} ended with exit code {done.returncode}: {done.stderr.strip()}")
        drawn[which] = page.name if page.is_file() else ""
    return drawn


def render(site: pages.Site, work: pathlib.Path, out: pathlib.Path) -> None:
    config = work / f"mkdocs-{site.language}.yml"
    config.write_text(json.dumps(configuration(site, out)), encoding="utf-8")
    with Waiting("making the pages"):
        done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--config-file", str(config)],
                              capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    if done.returncode:
        raise SiteError(f"mkdocs could not make the pages:\n{done.stderr.strip()[-3000:]}")
    search = out / "search/search_index.json"
    index = json.loads(search.read_text(encoding="utf-8"))
    index["docs"] = site.searched(index["docs"])
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    search.write_text(text, encoding="utf-8")
    (out / "search/search_index.js").write_text(f"var __index = {text}", encoding="utf-8")  # a folder has no server to ask
    for name in ("404.html", "sitemap.xml", "sitemap.xml.gz"):  # for a server with an address
        (out / name).unlink(missing_ok=True)
    shutil.copyfile(HERE / "404.html", out / "404.html")


def build_folder(program: str) -> pathlib.Path:
    return pathlib.Path(program).resolve().parents[2]


def build(out: pathlib.Path, program: str, has_lab: bool) -> int:
    lab = lab_page.page(build_folder(program), alone=False) if has_lab else ""
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        whole = work / "site"
        for language in pages.WORDS:
            site = pages.Site(language, work / language, has_lab=has_lab)
            site.stage(draw_runs(program, site.folder, language))
            (site.folder / "assets").mkdir(exist_ok=True)
            for name in ("site.css", "site.js", "search.js", "worker.js"):
                shutil.copyfile(HERE / name, site.folder / "assets" / name)
            (site.folder / "assets/words.js").write_text(f"const SEARCH_WORDS = {json.dumps(pages.search_words())};\n", encoding="utf-8")
            render(site, work, whole if language == "en" else whole / language)
        if lab:
            (whole / "lab").mkdir()
            (whole / "lab/index.html").write_text(lab, encoding="utf-8")
        if out.exists():
            shutil.rmtree(out)
        shutil.copytree(whole, out)
    return sum(1 for _ in out.rglob("*.html"))


def refuse_foreign(out: pathlib.Path) -> None:
    """A folder that was made here is replaced, any other stays."""
    if out.exists() and any(out.iterdir() if out.is_dir() else [out]) and not (out / "search/search_index.js").is_file():
        raise SiteError(f"{out} is no site of this course, so nothing is written there. Name a folder that is new or empty.")


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="lab site", description=re.sub(r"^`.*?: ", "", (__doc__ or "").split("\n")[0]))
    parser.add_argument("folder", nargs="?", default="site", help="where to (default: site); a site that is there is replaced")
    parser.add_argument("--program", default=str(ROOT / "build/common/cli/lab"), help=argparse.SUPPRESS)
    parser.add_argument("--no-browser", action="store_true", help="without the lab in a browser")
    options = parser.parse_args(words)
    missing = "" if options.no_browser else lab_page.what_is_missing()
    if missing:
        print("lab: " + said(f"{missing}; the pages are made without it"), file=sys.stderr)
    out = pathlib.Path(options.folder)
    try:
        refuse_foreign(out)
        count = build(out, options.program, not options.no_browser and not missing)
    except (SiteError, wasm.BuildError, OSError, chapters.ListError) as error:
        print("lab: " + said(str(error)), file=sys.stderr)
        return 1
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    print(said(f"{count} pages, {size / 1e6:.0f} MB: {out / 'index.html'}"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
