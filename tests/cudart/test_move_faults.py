"""What a GPU answers to doubtful copies and matrix moves, `lab run` answers too.

Place in the flow: enters tools/golden/move_faults.cu and what an H200 said of its cases (tests/golden/move_faults.csv), the
built `lab` (LAB_PROGRAM), nvcc. Leaves: exit 0, 1 with what is wrong, 77 without nvcc. Of each case the error is compared,
and what ends with one must be named with its line. The first words of what was copied are not compared: the cases read
them without waiting, and here such a copy has not landed.
"""
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAB = os.environ.get("LAB_PROGRAM", str(ROOT / "build/common/cli/lab"))
NVCC = os.environ.get("LAB_NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
STRICTER = {  # what a GPU lets pass
    3: "cudaErrorMisalignedAddress",  # PTX wants multiples of 16 bytes; what a GPU copies of 24 is said nowhere
    5: "cudaErrorIllegalAddress",     # the buffer ends there; a GPU has mapped whole pages
}


def wrong_with(row, binary):
    number, name = int(row["number"]), row["case"]
    done = subprocess.run([LAB, "run", "--quiet", binary, "--", str(number)], capture_output=True, text=True, timeout=120)
    wanted = STRICTER.get(number, row["error"])
    if f"{number},{name},{wanted}," not in done.stdout:
        return f"{name}: {wanted} is wanted, not {done.stdout.strip()!r}"
    if wanted != "cudaSuccess" and not re.search(r"^lab: [a-z-]+ in .*move_faults\.cu:\d+: ", done.stderr, re.M):
        return f"{name}: nothing names it: {done.stderr}"
    return None


def main():
    if not Path(NVCC).exists():
        print("nvcc is not here, so no CUDA program can be compiled. Run: ./lab setup")
        return 77
    rows = list(csv.DictReader((ROOT / "tests/golden/move_faults.csv").open()))
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "move_faults"
        subprocess.run([NVCC, "-arch=sm_90", "-lineinfo", "-cudart", "shared", "-o", binary, ROOT / "tools/golden/move_faults.cu"],
                       check=True, timeout=240)
        failures = [found for found in (wrong_with(row, binary) for row in rows) if found]
    print("\n".join(failures) or f"{len(rows)} cases")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
