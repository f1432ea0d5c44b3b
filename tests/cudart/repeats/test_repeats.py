"""Launches that repeat an earlier one: each case of repeats.cu says and counts the same, executed or not.

Place in the flow: enters the built `lab` (LAB_PROGRAM) and repeats.cu, compiled once. Leaves: exit 0 when output, findings and the JSON
of all launches are what `--every-launch` gives, and as many launches were left out as the case has that repeat; 77 without nvcc.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LAB = os.environ.get("LAB_PROGRAM", str(HERE.parents[2] / "build" / "common" / "cli" / "lab"))
# Of nine launches the fourth is the first that need not be executed; where memory changes, three more see it first; where there is much of it,
# it is kept once eight launches have been executed.
LEFT_OUT = {"same": 6, "same_unseen": 6, "two_in_turns": 12, "sum_cleared": 6, "grows_from_the_start_again": 4, "host_changes_pinned": 2,
            "host_changes_managed": 2, "prints": 6, "another_buffer_filled": 6, "much_memory": 1, "more_memory_than_is_kept": 6,
            "race": 6, "two_streams": 5, "graph": 6, "leaves_a_fault": 4}
NONE = ("grows", "sum_not_cleared", "variable_of_the_kernel", "clock", "heap", "new_buffer")


def run(case: str, folder: str, *options: str) -> tuple[int, str, str, str, int]:
    json = Path(folder) / "launches.json"
    done = subprocess.run([LAB, "run", "--json", str(json), *options, str(HERE / "repeats.cu"), "--", case], capture_output=True, text=True,
                          timeout=240)
    table = done.stdout + done.stderr
    found = re.search(r"([\d ]+) launches repeated", table)
    said = "\n".join(sorted(line for line in done.stderr.splitlines() if line.startswith("lab: ")))
    own = "\n".join(line for line in done.stdout.splitlines() if re.match(r"\d+: |thread", line))
    return done.returncode, own, said, json.read_text() if json.exists() else "", int(found[1].replace(" ", "")) if found else 0


def main() -> int:
    cases = re.findall(r'is\("(\w+)"\)', (HERE / "repeats.cu").read_text())
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            every = run(case, folder, "--every-launch")
            if every[0] == 3:
                print("nvcc is not here, so no CUDA program can be compiled. Run: ./lab setup")
                return 77
            some = run(case, folder)
            wanted = 0 if case in NONE else LEFT_OUT.get(case)
            differ = [what for what, k in (("exit code", 0), ("output", 1), ("findings", 2), ("counters", 3)) if every[k] != some[k]]
            right = not differ and every[4] == 0 and (some[4] == wanted if wanted is not None else some[4] > 0)
            print(f"{'ok' if right else 'FAILED':6} {case}: {some[4]} launches left out")
            if not right:
                failed += 1
                print(f"    expected to be left out: {wanted}; different: {differ}\n{every[1:3]}\n{some[1:3]}"[:1500])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
