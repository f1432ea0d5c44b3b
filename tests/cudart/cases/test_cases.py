"""Whole programs that hold one mistake each, with the same program corrected beside it.

Place in the flow: enters the built `lab` (LAB_PROGRAM) and the .cu files of this folder. Their first lines say what is right: `finding:` a
pattern that the messages must match, or `clean`; `flags:` options of `lab run`. Each runs twice, the second time without what the simulator
need not watch (LAB_RUN_NO_SHORTCUTS). Leaves: exit 0 when every mistake is reported, no right program is, and both runs say the same; 77
without nvcc.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LAB = os.environ.get("LAB_PROGRAM", str(HERE.parents[2] / "build" / "common" / "cli" / "lab"))


def header(program: Path, key: str) -> str | None:
    found = re.search(rf"^// {key}(?:: (.*))?$", program.read_text(), re.MULTILINE)
    return None if found is None else found[1] or ""


def without_times(said: str) -> str:
    """Without the note that a slow machine did not try all schedules."""
    return "\n".join(line for line in said.split("\n") if "schedules were tried" not in line)


def main() -> int:
    failed = 0
    for program in sorted(HERE.glob("*.cu")):
        flags = (header(program, "flags") or "").split()
        done = subprocess.run([LAB, "run", "--quiet", *flags, str(program)], capture_output=True, text=True, timeout=240)
        if done.returncode == 3:
            print("nvcc is not here, so no CUDA program can be compiled. Run: ./lab setup")
            return 77
        watched = subprocess.run([LAB, "run", "--quiet", *flags, str(program)], capture_output=True, text=True, timeout=240,
                                 env=os.environ | {"LAB_RUN_NO_SHORTCUTS": "1"})
        said = [line for line in done.stderr.splitlines() if line.startswith("lab: ")]
        finding = header(program, "finding")
        same = (watched.returncode, without_times(watched.stderr)) == (done.returncode, without_times(done.stderr))
        right = re.search(finding, done.stderr, re.DOTALL) is not None if finding is not None else not said and done.returncode == 0
        print(f"{'ok' if right and same else 'FAILED':6} {program.stem}", flush=True)
        if not same:
            print(f"    with all watched: exit {watched.returncode}; it said: {watched.stderr[-1500:]}")
        if not right or not same:
            failed += 1
            print(f"    exit {done.returncode}; it said: {done.stderr[-1500:]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
