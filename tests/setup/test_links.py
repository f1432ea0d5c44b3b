"""Every relative link of every page, and every picture in its HTML, leads to a file that is there; no page of docs/ is too long."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)]*)?\)")
LOADED = re.compile(r"<(?:img|source)\b[^>]*?\ssrc(?:set)?=\"([^\"]+)\"")
LONGEST = 20 * 1024
LONGER = {"calls.md"}  # a generated table
SKIPPED = {"build", ".venv", ".cache", ".git"}


def pages():
    for page in ROOT.rglob("*.md"):
        parts = page.relative_to(ROOT).parts
        if not any(part in SKIPPED or part.startswith("build") for part in parts):
            yield page


def main():
    links = broken = 0
    for page in pages():
        text = page.read_text(encoding="utf-8")
        for target in [target for target, _ in LINK.findall(text)] + LOADED.findall(text):
            if "://" in target or target.startswith("mailto:"):
                continue
            links += 1
            if not (page.parent / target).exists():
                broken += 1
                print(f"{page.relative_to(ROOT)}: {target} leads nowhere")
    too_long = [page.name for page in (ROOT / "docs").glob("*.md") if page.stat().st_size > LONGEST and page.name not in LONGER]
    print(f"{links} links, {broken} broken; pages longer than {LONGEST} bytes: {', '.join(too_long) or 'none'}")
    return 0 if links > 10 and broken == 0 and not too_long else 1


if __name__ == "__main__":
    sys.exit(main())
