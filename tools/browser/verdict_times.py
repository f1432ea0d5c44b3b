#!/usr/bin/env python3
"""How long a verdict takes in the page, on one core, beside the native program with the same compiler.

Enters: the built clone (--build), Emscripten, Node. Each chapter's solution is the student's kernel (--kernels takes another folder of
NAME.cu). Leaves: a table, or JSON; answers that differ from the native program's, but for clocks and what a browser leaves out, end with 1.

first: from the click to the first verdict, in a page that was opened just now. warm: the same, after the thread has judged what this chapter
and the next one begin with, as the page does while its reader reads. later, best: the median and the least of those after the first. cpu:
seconds of all threads, what an idle core would take where this one is busy.
"""
import argparse
import base64
import gzip
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import files  # noqa: E402
import wasm  # noqa: E402

import chapters  # noqa: E402

ROOT = wasm.ROOT
CLOCKS = ("seconds", "compile")  # what a clock says, and which build of the compiler
ELSEWHERE = ("reach", "left_out", "kernel", "file")  # what 32-bit addresses leave out, and where the kernel lies


def packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, 1, mtime=0)).decode()


def same_part(text: str) -> object:
    """An answer without what may differ between a browser and a machine."""
    def kept(value: object) -> object:
        if isinstance(value, dict):
            return {key: kept(part) for key, part in value.items() if key not in (*CLOCKS, *ELSEWHERE)}
        return [kept(part) for part in value] if isinstance(value, list) else value
    return kept(json.loads(text))


def pinned(core: int, words: list[str]) -> list[str]:
    return ["taskset", "-c", str(core), *words]


def in_node(core: int, given: dict) -> dict:
    done = subprocess.run(pinned(core, ["node", str(HERE / "verdict_times.js")]), input=json.dumps(given), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"node could not run the lab:\n{done.stderr}")
    return json.loads(done.stdout)


def native(core: int, program: pathlib.Path, words: list[str], kernel: pathlib.Path, rounds: int) -> tuple[list[dict], str]:
    times, out = [], ""
    for _ in range(rounds):
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        out = subprocess.run(pinned(core, [str(program), "--compiler", "builtin", *words, "--kernel", str(kernel)]), capture_output=True, text=True,
                             check=False, env={**os.environ, "LAB_ROOT": str(ROOT), "LAB_LANG": "en"}).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append({"wall": time.monotonic() - began, "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime})
    return times, out


def middle(times: list[dict], clock: str) -> float:
    return statistics.median(one[clock] for one in times)


def measured(core: int, page: dict, program: pathlib.Path, name: str, after: str, kernel: pathlib.Path, rounds: int) -> dict:
    text, place = kernel.read_text(encoding="utf-8"), f"chapters/{name}/transpose.cu"
    words = ["check", name, "--device", "sim", "--json"]
    given = {**page, "words": words, "own": {place: text}}
    cold = in_node(core, {**given, "warm": [], "rounds": rounds})
    warm = in_node(core, {**given, "warm": [["check", each, "--device", "sim"] for each in (name, after)], "rounds": 0})
    times, out = native(core, program, words, kernel, rounds)
    row = {"chapter": name, "same": same_part(cold["out"]) == same_part(out), "points": json.loads(out).get("points")}
    for clock in ("wall", "cpu"):
        row[clock] = {"ready": cold["ready"][clock], "first": cold["first"][clock], "warm": warm["first"][clock], "later": middle(cold["later"], clock),
                      "best": min(one[clock] for one in cold["later"]), "native": middle(times, clock)}
    return row


def printed(row: dict) -> str:
    words = [f"{row['chapter']:22}"]
    for clock in ("wall", "cpu"):
        of = row[clock]
        words.append("".join(f"{of[key]:7.2f}" for key in ("first", "warm", "later", "best", "native")) + f"{of['later'] / of['native']:6.1f}x")
    return "  ".join(words) + ("" if row["same"] else "  another answer")


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("chapters", nargs="*", help="numbers or names (default: 1 to 8)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the configured build folder")
    parser.add_argument("--browser", type=pathlib.Path, help="another folder with lab.js and lab.wasm")
    parser.add_argument("--kernels", type=pathlib.Path, help="a folder of NAME.cu (default: the solutions)")
    parser.add_argument("--rounds", type=int, default=6, help="verdicts after the first (default: %(default)s)")
    parser.add_argument("--core", type=int, default=0, help="which core (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="JSON in the place of the table")
    options = parser.parse_args(words)
    build = options.build.resolve()
    folder = options.browser or wasm.build_wasm(build)
    names = [entry["name"] for entry in chapters.read()]
    texts = json.dumps(files.all_files(names)[0]).encode()
    page = {"lab": (folder / "lab.js").read_text(encoding="utf-8"), "worker": (HERE / "worker.js").read_text(encoding="utf-8"),
            "program": packed((folder / "lab.wasm").read_bytes()), "files": packed(texts)}
    wanted = [name for name in names if name in options.chapters or name[:2] in {f"{word:>02}" for word in options.chapters}] or names[:8]
    rows = []
    if not options.json:
        print(f"{'seconds on one core':22}  {'first':>7}{'warm':>7}{'later':>7}{'best':>7}{'native':>7}  ratio     cpu: the same")
    for name in wanted:
        kernel = options.kernels / f"{name}.cu" if options.kernels else ROOT / f"solutions/{name}/transpose.cu"
        after = names[min(names.index(name) + 1, len(names) - 1)]
        rows.append(measured(options.core, page, build / "common/cli/lab", name, after, kernel, options.rounds))
        if not options.json:
            print(printed(rows[-1]), flush=True)
    if options.json:
        print(json.dumps(rows, indent=1))
    return 0 if all(row["same"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
