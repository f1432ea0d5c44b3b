#!/usr/bin/env python3
"""The pictures of the step-through page for the READMEs: docs/session/step_through.png and, for phones, step_through.narrow.png; `.zh.png` in Chinese.

Enters: a built `lab` (--program), Chromium, a Chinese font, the Python package pillow. Leaves: the top of the page that `lab show 4 --solution --html`
writes, 1,100 points wide, and 390 at a phone's density; exit 77 where there is no Chromium."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from PIL import Image

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/session"
WINDOWS = {".png": "1100,700", ".zh.png": "1100,700", ".narrow.png": "390,976", ".narrow.zh.png": "390,908"}  # to the end of the tile


def draw(program: str, browser: str, ending: str, window: str) -> None:
    picture = FOLDER / f"step_through{ending}"
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        subprocess.run([program, "show", "4", "--solution", "--html", page], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "LAB_LANG": "zh" if ".zh" in ending else "en"})
        subprocess.run([browser, "--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={window}",
                        f"--force-device-scale-factor={1 + ('narrow' in ending)}",
                        f"--screenshot={picture}", page.as_uri()], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with Image.open(picture) as drawn:  # with few colours it takes a third of the bytes; by coverage a frame keeps its own
        drawn.convert("RGB").quantize(96, Image.Quantize.MAXCOVERAGE).save(picture, optimize=True)
    print(f"{picture.name}: {picture.stat().st_size} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(FOLDER.parents[1] / "build/common/cli/lab"))
    program = parser.parse_args().program
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("skipped: no Chromium (apt install chromium)")
        sys.exit(77)
    for ending, window in WINDOWS.items():
        draw(program, browser, ending, window)


if __name__ == "__main__":
    main()
