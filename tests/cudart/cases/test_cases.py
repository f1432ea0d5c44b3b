"""Whole programs that hold one mistake each, with the same program corrected beside it.

Place in the flow: enters the built `lab` (LAB_PROGRAM) and the .cu files of this folder. Their first lines say what is right: `finding:` a
pattern that the messages must match, or `clean`; `flags:` options of `lab run`. Leaves: exit 0 when every mistake is reported and no right
program is, 77 without nvcc.
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


def main() -> int:
    failed = 0
    for program in sorted(HERE.glob("*.cu")):
        flags = (header(program, "flags") or "").split()
        done = subprocess.run([LAB, "run", "--quiet", *flags, str(program)], capture_output=True, text=True, timeout=240)
        if done.returncode == 3:
            print("nvcc is not here, so no CUDA program can be compiled. Run: ./lab setup")
            return 77
        said = [line for line in done.stderr.splitlines() if line.startswith("lab: ")]
        finding = header(program, "finding")
        right = re.search(finding, done.stderr, re.DOTALL) is not None if finding is not None else not said and done.returncode == 0
        print(f"{'ok' if right else 'FAILED':6} {program.stem}", flush=True)
        if not right:
            failed += 1
            print(f"    exit {done.returncode}; it said: {done.stderr[-1500:]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
