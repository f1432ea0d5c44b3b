"""Whole CUDA programs through `lab run`: output as on a GPU, exit status, launches, counters, faults on their lines.

Place in the flow: enters the built `lab` (LAB_PROGRAM), the programs of this folder and tests/golden/programs.json, which
holds what the same programs printed on a GPU. Leaves: exit 0 when all is as expected, 1 with the differences, 77 without
nvcc. A name on the command line runs that program alone.
"""
import difflib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import whole_programs

LAB = os.environ.get("LAB_PROGRAM", str(whole_programs.HERE.parents[1] / "build" / "common" / "cli" / "lab"))
NVCC = os.environ.get("LAB_NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
LIMIT_SECONDS = 240

# Counters of the kernels of transpose_ladder: 512 x 512 floats, blocks of 32 x 8 threads, by hand.
ELEMS = 512 * 512
REQUESTS = ELEMS // 32
LINE = REQUESTS * 4    # a warp reads or writes 128 bytes side by side
COLUMN = REQUESTS * 32  # a warp writes 32 rows
LADDER = {  # global load sectors, global store sectors, shared load wavefronts, shared store wavefronts
    "copy": (LINE, LINE, 0, 0),
    "copySharedMem": (LINE, LINE, REQUESTS, REQUESTS),
    "transposeNaive": (LINE, COLUMN, 0, 0),
    "transposeTile<0>": (LINE, LINE, 32 * REQUESTS, REQUESTS),
    "transposeTile<1>": (LINE, LINE, REQUESTS, REQUESTS),
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
    if got != wanted["stdout"]:
        yield "its output differs from that on a GPU:\n" + "\n".join(
            difflib.unified_diff(wanted["stdout"], got, "on a GPU", "simulated", lineterm="", n=1))


def check_faults(program, launches):
    found = [(fault["line"], fault["kind"]) for launch in launches for fault in launch["faults"]]
    if program.fault is None:
        if found and not program.reports:
            yield f"faults in a program without any: {found}"
        return
    line, codes = program.fault
    if not any(at == line and kind in codes for at, kind in found):
        yield f"no fault {' or '.join(codes)} in line {line}, but {found or 'none'}"


def check_ladder(launches):
    seen = {}
    for launch in launches:
        name = launch["kernel"].split("(")[0].replace("void ", "").replace("(int)", "")
        name = next((key for key in LADDER if launch["kernel"].replace("(int)", "").startswith((key + "(", "void " + key + "("))), name)
        counters = launch["counters"]
        row = (counters["global_load"]["sectors"], counters["global_store"]["sectors"],
               counters["shared_load"]["wavefronts"], counters["shared_store"]["wavefronts"])
        if seen.setdefault(name, row) != row:
            yield f"{name}: two launches of one kernel differ: {seen[name]} and {row}"
        if launch["grid"] != [16, 16, 1] or launch["block"] != [32, 8, 1]:
            yield f"{name}: grid {launch['grid']}, block {launch['block']}"
    if len(launches) != 20:  # a warm-up and three repetitions each
        yield f"{len(launches)} launches, not 20"
    for name, wanted in LADDER.items():
        if seen.get(name) != wanted:
            yield f"{name}: load and store sectors, load and store wavefronts {seen.get(name)}, not {wanted}"


def check(program, golden):
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
            wrong += check_faults(program, launches)
            if program.name == "transpose_ladder":
                wrong += check_ladder(launches)
        said = done.stderr + json.dumps(launches)
        wrong += [f"\"{text}\" is not reported" for text in program.reports if text not in said]
        if wrong and done.stderr:
            wrong.append("it said: " + done.stderr[-2000:])
    return wrong, time.monotonic() - start


def main():
    if not Path(NVCC).exists():
        print("nvcc is not here, so no CUDA program can be compiled. Run: ./lab setup")
        return 77
    golden = json.loads(whole_programs.GOLDEN.read_text()) if whole_programs.GOLDEN.exists() else {}
    programs = [p for folder in ("programs", "faulty") for p in whole_programs.collect(folder)]
    if sys.argv[1:]:
        programs = [p for p in programs if p.name in sys.argv[1:]]
    if not programs:
        print(f"no program of that name: {sys.argv[1:]}")
        return 2
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for program, (wrong, seconds) in zip(programs, pool.map(lambda p: check(p, golden), programs)):
            print(f"{'FAILED' if wrong else 'ok':6} {seconds:5.1f} s  {program.name}", flush=True)
            for text in wrong:
                print("    " + text.replace("\n", "\n    "))
            failed += bool(wrong)
    print(f"{len(programs) - failed} of {len(programs)} programs as expected")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
