#!/usr/bin/env python3
"""The lab in a browser: one page that holds the compiler, the simulator and the lessons, and needs no server.

Enters: the built clone (--build), Emscripten, CodeMirror. Leaves: FILE, an HTML page that works from file:// too. Exit code 0, 1 when it could
not be made, 3 when something that it takes is missing.
"""
import argparse
import base64
import gzip
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import files  # noqa: E402
import wasm  # noqa: E402

import chapters  # noqa: E402
from waiting import said  # noqa: E402

CODEMIRROR = pathlib.Path("/usr/share/javascript/codemirror")
EDITOR = ("lib/codemirror.js", "mode/clike/clike.js")


def script(value: object) -> str:
    """JSON that may stand inside a script element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


def what_is_missing() -> str:
    """Why the page cannot be made here, and what to do, as sentences; "" when it can."""
    if not wasm.has_emscripten() or not (CODEMIRROR / EDITOR[0]).is_file():
        return said(f"the lab in a browser needs Emscripten and CodeMirror. To have them, run: {wasm.INSTALL}")
    return ""


def codemirror(names: tuple[str, ...]) -> str:
    return "\n".join((CODEMIRROR / name).read_text(encoding="utf-8") for name in names) if CODEMIRROR.is_dir() else ""


def assembled(program: bytes, worker: str, alone: bool = True) -> str:
    """The page around a program and the script of its thread. Without CodeMirror the editor is a plain text area."""
    names = [entry["name"] for entry in chapters.read()]
    texts, faulty = files.all_files(names)
    places = script({"chapters": names, "faulty": faulty, "alone": alone})
    words = script(json.loads((HERE / "words.json").read_text(encoding="utf-8")))
    own = "".join((HERE / name).read_text(encoding="utf-8") for name in ("markdown.js", "page.js"))
    parts = {
        "CSS": codemirror(("lib/codemirror.css",)) + (HERE / "page.css").read_text(encoding="utf-8"),
        "PROGRAM": packed(program),
        "FILES": packed(json.dumps(texts, ensure_ascii=False, separators=(",", ":")).encode()),
        "LAB": script(worker),
        "EDITOR": codemirror(EDITOR).replace("</script", "<\\/script"),
        "PAGE": f"const WORDS = {words}, PLACES = {places};\n{own}",
    }
    return re.sub(r"/\*(" + "|".join(parts) + r")\*/", lambda match: parts[match[1]], (HERE / "page.html").read_text(encoding="utf-8"))


def page(build: pathlib.Path, alone: bool = True) -> str:
    folder = wasm.build_wasm(build)
    worker = (folder / "lab.js").read_text(encoding="utf-8") + "\n" + (HERE / "worker.js").read_text(encoding="utf-8")
    return assembled((folder / "lab.wasm").read_bytes(), worker, alone)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=pathlib.Path, help="the page to write")
    parser.add_argument("--build", type=pathlib.Path, default=wasm.ROOT / "build", help="the configured build folder")
    options = parser.parse_args(words)
    if missing := what_is_missing():
        print(missing, file=sys.stderr)
        return 3
    try:
        text = page(options.build)
        options.file.parent.mkdir(parents=True, exist_ok=True)
        options.file.write_text(text, encoding="utf-8")
    except (wasm.BuildError, OSError, subprocess.SubprocessError, chapters.ListError) as error:
        print(f"{error}", file=sys.stderr)
        return 1
    print(f"{options.file}: {options.file.stat().st_size / 1e6:.1f} MB, {len(gzip.compress(text.encode(), 6)) / 1e6:.1f} MB as a server packs it")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
