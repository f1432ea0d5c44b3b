"""Whole CUDA programs through `lab run`: output as on a GPU, exit status, launches, counters, faults on their lines.

Place in the flow: enters the built `lab` (LAB_PROGRAM), the programs of this folder, tests/golden/programs.json, which
holds what the same programs printed on a GPU, and programs_counters.csv and programs_moves.csv.gz, what a profiler counted there. Leaves: exit 0
when all is as expected, 1 with the differences, 77 without nvcc. A name on the command line runs that program alone.
"""
import csv
import difflib
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import whole_programs

LAB = os.environ.get("LAB_PROGRAM", str(whole_programs.HERE.parents[1] / "build" / "common" / "cli" / "lab"))
LIMIT_SECONDS = 240
NO_COMPILER = 3  # what `lab run` ends with
# Where a GPU counts otherwise, and why.
COUNTED_OTHERWISE = {
    ("send_words(unsigned int *)", "cluster_store_wavefronts"): "st.async of 16 bytes takes two, st.shared::cluster one",
}


def run(program, json_file):
    command = [LAB, "run", "--quiet", "--json", str(json_file), *program.flags, *map(str, program.files),
               "--", *program.args]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=LIMIT_SECONDS)


def check_output(program, done, golden):
    wanted = golden.get(program.name)
    if not program.golden:
        return
    if wanted is None:
        yield "tests/golden/programs.json has no row for it: python3 tools/golden/programs.py on a machine with a GPU"
        return
    got = program.masked(done.stdout).splitlines()
    expected = program.masked("\n".join(wanted["stdout"])).splitlines()
    if got != expected:
        yield "its output differs from that on a GPU:\n" + "\n".join(
            difflib.unified_diff(expected, got, "on a GPU", "simulated", lineterm="", n=1))


def check_faults(program, launches):
    found = [(fault["line"], fault["kind"]) for launch in launches for fault in launch["faults"]]
    if program.fault is None:
        if found and not program.reports:
            yield f"faults in a program without any: {found}"
        return
    line, codes = program.fault
    if not any(at == line and kind in codes for at, kind in found):
        yield f"no fault {' or '.join(codes)} in line {line}, but {found or 'none'}"


def without_refused(program, launches):
    """The launches that ran, and a sentence when not just as many as the program says were refused."""
    refused = [one for one in launches if [fault["kind"] for fault in one["faults"]] == ["invalid-launch"]]
    if len(refused) == program.refused and program.fault is None:
        return [one for one in launches if one not in refused], []
    return launches, [f"{len(refused)} launches were refused, not {program.refused}"] if program.refused else []


def check_counters(program, launches, counted):
    """Launch by launch what a profiler counted on a GPU."""
    wanted = [row for row in counted if row["program"] == program.name]
    if wanted and len(wanted) != len(launches):
        yield f"{len(launches)} launches, and a GPU had {len(wanted)}"
    for number, (row, launch) in enumerate(zip(wanted, launches), 1):
        shapes = (row["grid"], row["block"])
        if shapes != tuple("({})".format(",".join(map(str, launch[key]))) for key in ("grid", "block")):
            yield f"launch {number}, {launch['kernel']}: grid {launch['grid']}, block {launch['block']}, not {shapes}"
        for column in list(row)[4:]:
            kind, key = column.rsplit("_", 1)
            if row[column] and (row["kernel"], column) not in COUNTED_OTHERWISE and launch["counters"][kind][key] != int(row[column]):
                yield (f"launch {number}, {launch['kernel']}: {column} {launch['counters'][kind][key]}, "
                       f"a GPU counted {row[column]}")


def check(program, golden, counted):
    """Sentences on what is wrong, and the seconds that it took."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        json_file = Path(folder) / "launches.json"
        try:
            done = run(program, json_file)
        except subprocess.TimeoutExpired:
            return [f"no end within {LIMIT_SECONDS} s"], time.monotonic() - start
        wrong = []
        if done.returncode != program.exit:
            wrong.append(f"exit {done.returncode}, not {program.exit}")
        wrong += check_output(program, done, golden)
        launches = json.loads(json_file.read_text()) if json_file.exists() else None
        if launches is None:
            wrong.append("no JSON was written")
        else:
            launches, wrong_number = without_refused(program, launches)
            wrong += wrong_number
            wrong += check_faults(program, launches)
            wrong += check_counters(program, launches, counted)
        said = done.stderr + json.dumps(launches)
        wrong += [f"\"{text}\" is not reported" for text in program.reports if text not in said]
        if wrong and done.stderr:
            wrong.append("it said: " + done.stderr[-2000:])
    return wrong, time.monotonic() - start


def main():
    golden = json.loads(whole_programs.GOLDEN.read_text())
    counted = [row for path, opened in ((whole_programs.COUNTERS, open), (whole_programs.MOVES, gzip.open)) for row in csv.DictReader(opened(path, "rt"))]
    programs = [p for folder in ("programs", "faulty") for p in whole_programs.collect(folder)]
    if sys.argv[1:]:
        programs = [p for p in programs if p.name in sys.argv[1:]]
    if not programs:
        print(f"no program of that name: {sys.argv[1:]}")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        first = run(programs[0], Path(folder) / "launches.json")
    if first.returncode == NO_COMPILER:
        print("nvcc is not here, so no CUDA program can be compiled. Run: ./lab setup")
        return 77
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for program, (wrong, seconds) in zip(programs, pool.map(lambda p: check(p, golden, counted), programs)):
            print(f"{'FAILED' if wrong else 'ok':6} {seconds:5.1f} s  {program.name}", flush=True)
            for text in wrong:
                print("    " + text.replace("\n", "\n    "))
            failed += bool(wrong)
    print(f"{len(programs) - failed} of {len(programs)} programs as expected")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
