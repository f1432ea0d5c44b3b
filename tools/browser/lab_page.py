#!/usr/bin/env python3
"""The lab in a browser: one page that holds the simulator, the kernels and the calculators, and needs no server.

Enters: the built clone (--build), Emscripten, NVRTC. Leaves: FILE, an HTML page that works from file:// too. Exit code 0, 1 when it could
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
import kernels  # noqa: E402
import wasm  # noqa: E402

import chapters  # noqa: E402
from waiting import said  # noqa: E402

KINDS = {"Mutant": "mutant", "Cheat": "cheat", "Right": "right", "Open": "open", "Fault": "fault"}
AHEAD = "tools/browser/lab-ahead"
RUNS = (16, 6, 2, 1)  # lines: a long run is looked for first
ORDER = ["skeleton", "solution", "sources", *KINDS.values()]


def offered(place: str, text: str, names: list[str]) -> list[dict]:
    """One kernel of the course as the page offers it, once for each chapter that judges it."""
    parts = pathlib.PurePosixPath(place)
    if parts.parts[0] == "solutions":
        kind = {"transpose": "solution", "skeleton": "skeleton"}.get(parts.stem, "sources")
        return [{"chapter": parts.parts[1], "place": place, "kind": kind, "words": ""}]
    said = kernels.told(text)
    kind = next((key for key in KINDS if key in said), "")
    if not kind:
        return []
    one = {"place": place, "kind": KINDS[kind], "words": said[kind]}
    judges = [name for name in re.split(r",\s*", said.get("judged by", "")) if name in names]
    rows, _, cols = said.get("shape", "").partition("x")
    more = {"shape": ["--rows", rows, "--cols", cols]} if cols.isdigit() else {}
    return [{"chapter": name, **one, **more} for name in judges or [""]]


def choices(files: dict[str, str], alone: bool) -> dict:
    """What the page offers; the names of things, and the texts of kernels."""
    names = [entry["name"] for entry in chapters.read()]
    course = [one for place in kernels.course() if place in files for one in offered(place, files[place], names)]
    course.sort(key=lambda one: ORDER.index(one["kind"]))
    return {"chapters": names, "course": course, "elements": kernels.ELEMENTS, "sides": kernels.SIDES, "pads": kernels.PADS,
            "formulas": kernels.FORMULAS, "workbench": kernels.WORKBENCH, "alone": alone}


def script(value: object) -> str:
    """JSON that may stand inside a script element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


def nearness(name: str) -> tuple[bool, str, str]:
    """Orders files so that kernels of one chapter, which are alike, lie side by side: gzip looks back 32 KiB."""
    place = pathlib.PurePosixPath(name)
    of_chapter = place.name if place.name[0].isdigit() else place.parent.name
    return name.startswith(".ahead"), of_chapter.partition("_")[0], name


def in_copies(files: dict[str, str]) -> dict:
    """All lines, one file after the other, where a run of lines that stood before is [how far back, how many]: gzip looks back 32 KiB, and
    what kernels share lies farther apart. worker.js makes files of it again."""
    names: list[tuple[str, int]] = []
    ops: list[int | str] = []
    lines: list[str] = []
    seen: dict[tuple[str, ...], int] = {}  # where a run of so many lines stood last
    for name in sorted(files, key=nearness):
        start = len(lines)
        lines += files[name].split("\n")
        names.append((name, len(lines) - start))
        at = start
        while at < len(lines):
            before = next((seen[run] for run in (tuple(lines[at:at + many]) for many in RUNS) if run in seen), at)
            count = 0
            while before < at and at + count < len(lines) and lines[before + count] == lines[at + count]:
                count += 1
            ops += [at - before, count] if count else [lines[at]]
            for behind in range(at, at + max(count, 1)):
                seen.update((tuple(lines[behind:behind + many]), behind) for many in RUNS if behind + many <= len(lines))
            at += max(count, 1)
    return {"names": names, "ops": ops}


def what_is_missing(build: pathlib.Path) -> str:
    """Why the page cannot be made here, and what to do, as sentences; "" when it can."""
    if not wasm.has_emscripten():
        return said(f"the lab in a browser needs Emscripten. To have it, run: {wasm.INSTALL}")
    if not (build / AHEAD).is_file():
        return said(f"the lab in a browser needs {AHEAD}. To have it, run: ninja -C {build} {AHEAD}")
    problem = kernels.compiler_problem(str(build / AHEAD))
    return said(f"the lab in a browser needs its kernels compiled by NVRTC: {problem}") if problem else ""


def page(build: pathlib.Path, alone: bool = True) -> str:
    folder = wasm.build_wasm(build)
    files, left_out = kernels.compiled(str(build / AHEAD))
    for name in left_out:
        print("lab: " + said(f"left out: {name}, whose compiler does not end"), file=sys.stderr)
    known = script(choices(files, alone))
    words = script(json.loads((HERE / "words.json").read_text(encoding="utf-8")))
    own = (HERE / "page.js").read_text(encoding="utf-8")
    worker = (folder / "lab.js").read_text(encoding="utf-8") + "\n" + (HERE / "worker.js").read_text(encoding="utf-8")
    parts = {
        "CSS": (HERE / "page.css").read_text(encoding="utf-8"),
        "PROGRAM": packed((folder / "lab.wasm").read_bytes()),
        "FILES": packed(json.dumps(in_copies(files), ensure_ascii=False, separators=(",", ":")).encode()),
        "LAB": script(worker),
        "PAGE": f"const WORDS = {words}, KERNELS = {known};\n{own}",
    }
    return re.sub(r"/\*(" + "|".join(parts) + r")\*/", lambda match: parts[match[1]], (HERE / "page.html").read_text(encoding="utf-8"))


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=pathlib.Path, help="the page to write")
    parser.add_argument("--build", type=pathlib.Path, default=wasm.ROOT / "build", help="the configured build folder")
    options = parser.parse_args(words)
    if missing := what_is_missing(options.build):
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
