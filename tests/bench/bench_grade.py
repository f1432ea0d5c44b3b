#!/usr/bin/env python3
"""How `lab grade` and `lab similar` grow with the class: time and memory.

Enters: a built program, sizes of classes. Leaves: a row for each size: kernels, how many texts of them differ, processor time of
the whole run and of one different text, elapsed time, the largest memory of the grader itself and of a judging process; then the
same class again, when all is known, and `lab similar` on it; and for each chapter what judging took, without the compiler.
Classes are those of tools/make_class.py. Compiled kernels are kept in a folder of this run, so a first run is a cold one;
--warm grades once more with PTX cached and judges all anew. This is no test.

    tests/bench/bench_grade.py --students 300 --chapters 9 --different 6 --compiler nvrtc"""
import argparse
import collections
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def watch_memory(process, peak):
    """The high-water mark of the process itself, without its children, in MiB."""
    while process.poll() is None:
        try:
            for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
                if line.startswith("VmHWM:"):
                    peak[0] = max(peak[0], int(line.split()[1]) / 1024)
        except (FileNotFoundError, ProcessLookupError):
            return
        time.sleep(0.01)


def run(command):
    """Output, processor seconds of all its processes, elapsed seconds, peak MiB of the command itself."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    peak = [0.0]
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.DEVNULL)
        watcher = threading.Thread(target=watch_memory, args=(process, peak))
        watcher.start()
        process.wait()
        elapsed = time.perf_counter() - start
        watcher.join()
        said.seek(0)
        output = said.read()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))} ended with {process.returncode}")
    return output, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, elapsed, peak[0]


def judged_memory(grades):
    """The most that a judging process took, in MiB."""
    kernels = json.loads((grades / "times.json").read_text())["kernels"]
    return max((kernel["memory_bytes"] for kernel in kernels), default=0) / 2**20


def by_chapter(grades):
    """Seconds that judging took without the compiler, of all kernels and chapter by chapter."""
    took = collections.defaultdict(list)
    for kernel in json.loads((grades / "times.json").read_text())["kernels"]:
        if kernel["work"]:  # equal PTX is judged once
            took[kernel["chapter"]].append(kernel["simulate_seconds"])
    everything = [seconds for chapter in took.values() for seconds in chapter]
    rows = [f"  {name} {statistics.mean(seconds):.2f}" for name, seconds in sorted(took.items())]
    return f"  judging, s of each different PTX: {statistics.mean(everything):.3f} of {len(everything)};" + ",".join(rows)


def measure(options, students, folder):
    classroom, grades = folder / "class", folder / "grades"
    subprocess.run([sys.executable, SOURCE / "tools/make_class.py", classroom, "--students", str(students),
                    "--chapters", str(options.chapters), "--different", str(options.different)], check=True)
    os.environ["LAB_CACHE_DIR"] = str(folder / "cache")
    common = [options.program, "--compiler", options.compiler]
    wanted = ",".join(str(chapter) for chapter in range(1, options.chapters + 1))
    grade = [*common, "grade", classroom, "--chapters", wanted, "--out", grades, "--json"]
    output, processor, elapsed, own = run(grade)
    summary = json.loads(output)
    judging, chapters = judged_memory(grades), by_chapter(grades)
    kernels, different = summary["kernels"], summary["different"]
    print(f"{students:>8}{kernels:>9}{different:>11}{processor:>13.1f}{1e3 * processor / different:>12.0f}{elapsed:>11.1f}"
          f"{own:>12.0f}{judging:>12.0f}", end="", flush=True)
    _, again, _, own_again = run(grade)
    _, similar, _, similar_own = run([*common, "similar", classroom, "--json"])
    print(f"{again:>10.2f}{own_again:>9.0f}{similar:>10.1f}{similar_own:>9.0f}", flush=True)
    print(chapters, flush=True)
    if options.warm:
        _, processor, elapsed, _ = run([*grade, "--fresh"])
        print(f"  with PTX cached: {processor:.1f} s of processor time, {1e3 * processor / different:.0f} ms each, {elapsed:.1f} s\n"
              f"{by_chapter(grades)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(SOURCE / "build/common/cli/lab"))
    parser.add_argument("--students", type=int, nargs="+", default=[10, 20, 40])
    parser.add_argument("--chapters", type=int, default=9, help="so many, from the first on")
    parser.add_argument("--warm", action="store_true", help="judge once more, with PTX cached")
    parser.add_argument("--different", type=int, default=10, help="kernels of ten that no one else has")
    parser.add_argument("--compiler", choices=("nvrtc", "nvcc", "clang"), default="clang")
    options = parser.parse_args()
    print(f"{os.cpu_count()} processors, {options.compiler}; seconds and MiB\n"
          f"{'students':>8}{'kernels':>9}{'different':>11}{'processor':>13}{'ms each':>12}{'elapsed':>11}{'grader MiB':>12}{'judge MiB':>12}"
          f"{'again s':>10}{'MiB':>9}{'similar s':>10}{'MiB':>9}")
    for students in options.students:
        with tempfile.TemporaryDirectory() as folder:
            measure(options, students, pathlib.Path(folder))


main()
