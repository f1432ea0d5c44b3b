#!/usr/bin/env python3
"""Runs other people's CUDA programs under `lab run` and prints what became of each, and the share that passes.

Enters: the built lab, and folders that you fetched yourself: each folder below them with .cu files is one program, with --files each .cu file. With
--gpu each program is also built with nvcc, runs on the GPU, and outputs are compared without lines of times, addresses and devices. Leaves: a line per
program: `passed`, `wrong` (by its own check, or an exit status other than 0), `refused` (not simulated; with the first such message), `waived` (by
itself), `no build`, `too long`; then the sums. Exit 0 in all cases.

    python3 tools/run_suite.py build/common/cli/lab cuda-samples/Samples/0_Introduction -I cuda-samples/Common
"""
import argparse
import collections
import os
import pathlib
import re
import shlex
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

REFUSED = re.compile(r"lab: .*(?:not simulated|not supported|is not computed here|unsupported).*")
WRONG = re.compile(r"\b(?:FAIL(?:ED|URE)?|[Mm]ismatch|[Tt]est failed)\b")
# What two runs of one program need not have in common.
OWN = re.compile(r"time|sec|\bms\b|\bus\b|[GM]B/s|flop|bandwidth|throughput|elapsed|perf|speed|driver|clock|device|GPU|0x|cycles|rate|took"
                 r"|average|mem|compute|latency|spent", re.IGNORECASE)


@dataclass
class Program:
    name: str
    sources: list
    folder: pathlib.Path
    flags: list
    arguments: list


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
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time, which share the cores")
    parser.add_argument("--gpu", action="store_true", help="on a GPU too, built by nvcc; both outputs compared")
    return parser.parse_args()


def searched(options: argparse.Namespace) -> list[Program]:
    kernels = sorted({path for folder in options.folders for path in folder.rglob("*.cu")})
    if options.files:
        found = [(str(path), [path]) for path in kernels]
    else:
        found = []
        for folder in sorted({path.parent for path in kernels}):
            sources = sorted(path for ending in ("*.cu", "*.cpp", "*.cc", "*.c") for path in folder.glob(ending))
            found.append((str(folder), sources))
    flags = shlex.split(options.flags)
    return [Program(name, sources, sources[0].parent,
                    [word for include in [*options.includes, sources[0].parent] for word in ("-I", str(pathlib.Path(include).resolve()))]
                    + flags, shlex.split(options.arguments)) for name, sources in found]


def run(command: list, folder: pathlib.Path, seconds: int) -> tuple[int | None, str, str]:
    """Status (None: too long), standard output, standard error."""
    ran = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True, errors="replace", start_new_session=True)
    try:
        printed, said = ran.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(ran.pid, signal.SIGKILL)  # the program is a process of its own
        ran.communicate()
        return None, "", ""
    return ran.returncode, printed, said


def outcome(status: int | None, printed: str, said: str) -> tuple[str, str]:
    """What became of it, and why."""
    if status is None:
        return "too long", ""
    if " does not compile." in said or " does not link." in said:
        errors = [line for line in said.splitlines() if "error" in line or "undefined reference" in line]
        return "no build", (errors or [""])[0]
    if status == 0 and not WRONG.search(printed):
        return "passed", ""
    if refusal := REFUSED.search(said):
        return "refused", refusal[0]
    return "waived" if status == 2 else "wrong", f"exit {status}: " + (printed + said).strip().rsplit("\n", 1)[-1]


def on_the_gpu(program: Program, seconds: int) -> tuple[str, str]:
    """What became of it there, and what it printed."""
    with tempfile.TemporaryDirectory() as place:
        binary = pathlib.Path(place) / program.sources[0].stem
        flags = [flag for flag in program.flags if not re.match(r"-l(cu|nvrtc)|--gpus|\d$", flag)]
        libraries = ["-lcublas", "-lcublasLt", "-lcurand", "-lcuda", "-lnvrtc", "-lcufft", "-lcusparse", "-lcusolver"]
        built, _, _ = run(["nvcc", "-arch=native", "-w", *flags, *map(str, program.sources), "-o", str(binary), "-Xlinker",
                           "--as-needed", *libraries], program.folder, seconds)
        if built != 0:
            return "no build", ""
        status, printed, said = run([str(binary), *program.arguments], program.folder, seconds)
        return outcome(status, printed, said)[0], printed


def common(printed: str) -> list[str]:
    return [" ".join(line.split()) for line in printed.splitlines() if line.strip() and not OWN.search(line)]


def judge(options: argparse.Namespace, program: Program) -> str:
    threads = str(max(1, len(os.sched_getaffinity(0)) // options.jobs))
    command = [str(options.lab.resolve()), "run", "--quiet", "--threads", threads, *program.flags, *(str(path.resolve()) for path in program.sources)]
    began = time.monotonic()
    status, printed, said = run([*command, "--", *program.arguments], program.folder, options.seconds)
    what, why = outcome(status, printed, said)
    line = f"{what:8}  {program.name}  {time.monotonic() - began:.0f} s  "
    if options.gpu:
        there, shown = on_the_gpu(program, options.seconds)
        line += f"GPU: {there}, {'the same output' if common(printed) == common(shown) else 'other output'}  "
    print(line + why[:160], flush=True)
    return what


def main() -> None:
    options = arguments()
    programs = [program for program in searched(options) if re.search(options.only, program.name)]
    with ThreadPoolExecutor(options.jobs) as pool:
        sums = collections.Counter(pool.map(lambda program: judge(options, program), programs))
    for what, count in sums.most_common():
        print(f"{count:4} {what}, {100 * count / len(programs):.0f} %")


if __name__ == "__main__":
    main()
