#!/usr/bin/env python3
"""The picture of the step-through page for README.md: docs/session/step_through.png.

Enters: a built `lab` (--program), Chromium, the Python package pillow. Leaves: the top of the page that `lab show 4 --solution --html` writes, 1,100 points;
exit 77 where there is no Chromium."""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "session" / "step_through.png"
WIDTH, HEIGHT = 1100, 700


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build" / "common" / "cli" / "lab"))
    program = parser.parse_args().program
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("skipped: no Chromium (apt install chromium)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        subprocess.run([program, "show", "4", "--solution", "--html", page], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([browser, "--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={PICTURE}",
                        page.as_uri()], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with Image.open(PICTURE) as picture:  # 64 colours are enough for it, and take a third of the bytes
        picture.convert("RGB").quantize(64).save(PICTURE, optimize=True)
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
