#!/usr/bin/env python3
"""The pictures of the step-through page for the READMEs: docs/session/step_through.png, and step_through.zh.png in Chinese.

Enters: a built `lab` (--program), Chromium, a Chinese font, the Python package pillow. Leaves: the top of the page that `lab show 4 --solution --html`
writes, 1,100 points; exit 77 where there is no Chromium."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = {"en": ROOT / "docs/session/step_through.png", "zh": ROOT / "docs/session/step_through.zh.png"}
WIDTH, HEIGHT = 1100, 700


def draw(program: str, browser: str, language: str, picture: pathlib.Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        subprocess.run([program, "show", "4", "--solution", "--html", page], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "LAB_LANG": language})
        subprocess.run([browser, "--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={picture}",
                        page.as_uri()], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with Image.open(picture) as drawn:  # 64 colours are enough for it, and take a third of the bytes
        drawn.convert("RGB").quantize(64).save(picture, optimize=True)
    print(f"{picture.relative_to(ROOT)}: {picture.stat().st_size} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build" / "common" / "cli" / "lab"))
    program = parser.parse_args().program
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("skipped: no Chromium (apt install chromium)")
        sys.exit(77)
    for language, picture in PICTURES.items():
        draw(program, browser, language, picture)


if __name__ == "__main__":
    main()
