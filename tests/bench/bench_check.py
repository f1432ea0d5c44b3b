#!/usr/bin/env python3
"""From an edit to the verdict: how long `./lab check` takes, chapter by chapter, and on what.

Enters: a built project (the folder, default this one), compilers to try. Leaves: for each chapter the wall time of a check right after an edit of the
reference solution: compile, simulate (all shapes of all cases), report (everything else); the smallest and median of --repeat times, and processor time.
With --turn, programs of several projects run alternately, so that other work on the machine meets all; the table has medians. --core N: one core.

    tests/bench/bench_check.py --repeat 5 --compiler nvrtc --compiler clang
    tests/bench/bench_check.py --repeat 7 --core 0 --turn ../before/build/common/cli/lab=nvcc --turn build/common/cli/lab=nvrtc"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class NoVerdict(Exception):
    """The check ended without one: the compiler cannot compile this chapter. What it said."""


def one_check(lab, chapter, compiler, kernel, text, stamp):
    kernel.write_text(f"{text}\n// edit {stamp}\n")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run([*lab, "check", chapter, "--compiler", compiler, "--kernel", str(kernel), "--json"], capture_output=True,
                          text=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if not done.stdout:
        raise NoVerdict(done.stderr.strip().splitlines()[0])
    verdict = json.loads(done.stdout)
    if verdict["compile"]["cached"]:
        raise SystemExit(f"{chapter}: the compiler did not run; this measures nothing")
    if not verdict["passed"]:
        raise SystemExit(f"{chapter}: the solution does not pass with {compiler}")
    return wall, verdict["seconds"]["compile"], verdict["seconds"]["simulate"], processor


def bench(lab, chapters, compiler, repeat):
    print(f"\n{compiler}\n{'chapter':<24}{'min s':>8}{'median s':>10}   of the fastest: {'compile':>8}{'simulate':>10}{'report':>8}{'processor':>11}")
    with tempfile.TemporaryDirectory() as folder:
        for chapter in chapters:
            text = (SOURCE / "solutions" / chapter / "transpose.cu").read_text()
            kernel = pathlib.Path(folder) / "transpose.cu"
            try:
                runs = sorted(one_check(lab, chapter, compiler, kernel, text, f"{time.time_ns()}") for _ in range(repeat))
            except NoVerdict as why:
                print(f"{chapter:<24} {why}")
                continue
            wall, compile_s, simulate_s, processor = runs[0]
            print(f"{chapter:<24}{wall:>8.2f}{statistics.median(r[0] for r in runs):>10.2f}{'':18}{compile_s:>8.2f}{simulate_s:>10.2f}"
                  f"{wall - compile_s - simulate_s:>8.2f}{processor:>11.2f}", flush=True)


def bench_turns(turns, chapters, repeat):
    print(f"\nmedian of {repeat}: wall s (processor s)\n{'chapter':<24}" + "".join(f"{n:>20}" for n in range(1, len(turns) + 1)))
    with tempfile.TemporaryDirectory() as folder:
        kernel = pathlib.Path(folder) / "transpose.cu"
        for chapter in chapters:
            runs = [[] for _ in turns]
            for _ in range(repeat):
                for (program, compiler), taken in zip(turns, runs):
                    root = program.resolve().parents[3]
                    os.environ.update(LAB_ROOT=str(root), LAB_CACHE_DIR=f"{folder}/cache")
                    text = (root / "solutions" / chapter / "transpose.cu").read_text()
                    taken.append(one_check([str(program)], chapter, compiler, kernel, text, time.time_ns()))
            cells = [f"{statistics.median(r[0] for r in taken):.2f} ({statistics.median(r[3] for r in taken):.2f})" for taken in runs]
            print(f"{chapter:<24}" + "".join(f"{cell:>20}" for cell in cells), flush=True)


def bench_alone(lab, repeat):
    times = []
    for _ in range(4 * repeat):
        start = time.perf_counter()
        subprocess.run(lab, capture_output=True, check=True)
        times.append(time.perf_counter() - start)
    print(f"\n{' '.join(lab)} alone: min {1e3 * min(times):.0f} ms, median {1e3 * statistics.median(times):.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", help="the built program instead of the script ./lab")
    parser.add_argument("--compiler", action="append", choices=("nvrtc", "nvcc", "clang"))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--chapter", action="append", help="default: all")
    parser.add_argument("--turn", action="append", metavar="PROGRAM=COMPILER", help="a built program that takes its turn; several")
    parser.add_argument("--core", type=int, help="the one core to run on")
    options = parser.parse_args()
    if options.core is not None:
        os.sched_setaffinity(0, {options.core})
    lab = [options.program or str(SOURCE / "lab")]
    os.environ["NO_COLOR"] = "1"
    names = sorted(p.parent.name for p in SOURCE.glob("solutions/*/transpose.cu"))
    chapters = [n for n in names if not options.chapter or any(c in n for c in options.chapter)]
    if options.turn:
        turns = [(pathlib.Path(turn.split("=")[0]).absolute(), turn.split("=")[1]) for turn in options.turn]
        for number, (program, compiler) in enumerate(turns, 1):
            print(f"{number}: {program} --compiler {compiler}")
        return bench_turns(turns, chapters, options.repeat)
    print(f"{os.cpu_count()} processors, {options.repeat} checks each, on edited reference solutions")
    bench_alone(lab, options.repeat)
    for compiler in options.compiler or ("nvrtc", "nvcc", "clang"):
        bench(lab, chapters, compiler, options.repeat)


main()
