#!/usr/bin/env python3
"""Runs other people's CUDA programs under `lab run` and prints what became of each, and the share that passes.

Enters: the built lab, and folders that somebody fetched (nothing is fetched here): each folder below them that holds .cu files
is one program, with --files each .cu file is one. Leaves: a line a program, `passed`, `wrong` (its own check says so, or it
ends with another status than 0), `refused` (it asks for something that is not simulated; the first such sentence), `no build`,
`too long`; then the sums. Exit 0 whatever they are.

    python3 tools/run_suite.py build/common/cli/lab cuda-samples/Samples/0_Introduction -I cuda-samples/Common
    python3 tools/run_suite.py build/common/cli/lab HeCBench/src --only 'geam|norm2' --arguments '256 256 2'
"""
import argparse
import collections
import os
import pathlib
import re
import shlex
import signal
import subprocess

REFUSED = re.compile(r"lab: .*(?:not simulated|not supported|is not computed here|unsupported).*")
WRONG = re.compile(r"\b(?:FAIL(?:ED|URE)?|[Mm]ismatch|[Tt]est failed)\b")
# Kernels that a program loads or compiles itself, while it runs.
LOADED = re.compile(r"_kernel\.cu$")
LOADERS = re.compile(r"nvrtc|Drv|DynlinkJIT|MMAP|ptxjit|threadMigration", re.IGNORECASE)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lab", type=pathlib.Path)
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("-I", dest="includes", action="append", default=[], metavar="FOLDER")
    parser.add_argument("--files", action="store_true", help="each .cu file is a program of its own")
    parser.add_argument("--only", default="", metavar="REGEX", help="programs whose path fits")
    parser.add_argument("--flags", default="", help="for the compiler")
    parser.add_argument("--arguments", default="", help="for each program")
    parser.add_argument("--seconds", type=int, default=120, help="for one program, its compiling included")
    return parser.parse_args()


def programs(options: argparse.Namespace) -> list[tuple[str, list[pathlib.Path]]]:
    """Name and sources of each."""
    kernels = sorted({path for folder in options.folders for path in folder.rglob("*.cu")})
    if options.files:
        found = [(str(path), [path]) for path in kernels]
    else:
        found = []
        for folder in sorted({path.parent for path in kernels}):
            sources = sorted(path for ending in ("*.cu", "*.cpp", "*.cc", "*.c") for path in folder.glob(ending))
            loads = LOADERS.search(folder.name) is not None
            found.append((str(folder), [path for path in sources if not (loads and LOADED.search(path.name))]))
    return [(name, sources) for name, sources in found if re.search(options.only, name)]


def outcome(options: argparse.Namespace, sources: list[pathlib.Path]) -> tuple[str, str]:
    """What became of it, and why."""
    folder = sources[0].parent
    includes = [word for include in [*options.includes, folder] for word in ("-I", str(pathlib.Path(include).resolve()))]
    command = [str(options.lab.resolve()), "run", "--quiet", *includes, *shlex.split(options.flags),
               *(str(path.resolve()) for path in sources), "--", *shlex.split(options.arguments)]
    ran = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True, errors="replace", start_new_session=True)
    try:
        printed, said = ran.communicate(timeout=options.seconds)
    except subprocess.TimeoutExpired:
        os.killpg(ran.pid, signal.SIGKILL)  # the program is a process of its own
        ran.communicate()
        return "too long", f"more than {options.seconds} s"
    if " does not compile." in said or " does not link." in said:
        errors = [line for line in said.splitlines() if "error" in line or "undefined reference" in line]
        return "no build", (errors or [""])[0]
    refusal = REFUSED.search(said)
    if ran.returncode == 0 and not WRONG.search(printed):
        return "passed", ""
    if refusal:
        return "refused", refusal[0]
    return "wrong", f"exit {ran.returncode}: " + (printed + said).strip().rsplit("\n", 1)[-1]


def main() -> None:
    options = arguments()
    sums: collections.Counter[str] = collections.Counter()
    for name, sources in programs(options):
        what, why = outcome(options, sources)
        sums[what] += 1
        print(f"{what:8}  {name}  {why[:160]}", flush=True)
    whole = sum(sums.values())
    for what, count in sums.most_common():
        print(f"{count:4} {what}, {100 * count / whole:.0f} %")


if __name__ == "__main__":
    main()
