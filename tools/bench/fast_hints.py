#!/usr/bin/env python3
"""What the kernels' words to the caches cost, by what runs before and behind them: `fast_hints.py OUT.csv` on a machine with a GPU and nvcc.

Builds fast_hints.cu with the library as it is and with copies of it in which every tile gives the caches the same hints, and runs them one after the other.
`fast_hints.py --build FOLDER` only builds, `--run FOLDER OUT.csv` only runs.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORDS = {"library": None, "plain": "Plain", "keep": "Keep"}


def build(folder):
    folder = folder.resolve()
    running = []
    for name, word in WORDS.items():
        copy = folder / name
        shutil.copytree(ROOT / "common/fast", copy / "common/fast")
        plan = copy / "common/fast/plan.cuh"
        if word:
            plan.write_text(re.sub(r"(= Tile<\d+, \d+, \d+, \d+, \d+)(, Cache::\w+)?>", rf"\1, Cache::{word}>", plan.read_text()))
        running.append(subprocess.Popen(["nvcc", "-O3", "-std=c++17", "-arch=sm_90", f"-I{copy}", "-o", folder / f"fast_hints_{name}",
                                         ROOT / "tools/bench/fast_hints.cu"]))
    if any(one.wait() for one in running):
        sys.exit(1)


def run(folder, out):
    folder = folder.resolve()
    with open(out, "w", encoding="utf-8") as rows:
        for name in WORDS:
            lines = subprocess.run([folder / f"fast_hints_{name}", name], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
            rows.write("\n".join(lines if name == next(iter(WORDS)) else lines[1:]) + "\n")
            rows.flush()


def main():
    if sys.argv[1] == "--build":
        build(pathlib.Path(sys.argv[2]))
    elif sys.argv[1] == "--run":
        run(pathlib.Path(sys.argv[2]), sys.argv[3])
    else:
        with tempfile.TemporaryDirectory() as folder:
            build(pathlib.Path(folder))
            run(pathlib.Path(folder), sys.argv[1])


if __name__ == "__main__":
    main()
