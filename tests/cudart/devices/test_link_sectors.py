"""What the simulator counts on a link against what two H200 sent: the launches of tools/golden/link_sectors.cu.

Place in the flow: enters the built `lab` (LAB_PROGRAM) and tests/golden/link_sectors.csv. Leaves: exit 0 when each launch has the bytes that
were measured, or differs as docs/model.md says; 77 without nvcc.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LAB = os.environ.get("LAB_PROGRAM", str(ROOT / "build" / "common" / "cli" / "lab"))
NO_COMPILER, SECTOR_BYTES = 3, 32


def expected(row):
    """Bytes of our sectors, from the measured ones."""
    if row["path"] == "load":
        return int(row["answered_user_bytes"])
    sent, stride = int(row["sent_user_bytes"]), int(row["stride"])
    if stride == 64:  # two of the four sectors of a line: the one between them travels too
        return sent // 3 * 2
    if stride == 128:  # no more than 16 bytes of a lone sector: it goes as 16
        return sent * 2
    return sent


def main():
    golden = list(csv.DictReader((ROOT / "tests/golden/link_sectors.csv").open(encoding="utf-8")))
    with tempfile.TemporaryDirectory() as folder:
        records = Path(folder) / "launches.json"
        done = subprocess.run([LAB, "run", "--gpus", "2", "--no-check", "--quiet", "--json", records, ROOT / "tools/golden/link_sectors.cu"],
                              capture_output=True, text=True, timeout=280)
        if done.returncode == NO_COMPILER:
            print("nvcc is not here, so no CUDA program can be compiled. Run: ./lab setup")
            return 77
        launches = json.loads(records.read_text()) if done.returncode == 0 else []
    if len(launches) != len(golden):
        print(f"{len(launches)} launches, {len(golden)} were measured: exit {done.returncode}, {done.stderr[-1500:]}")
        return 1
    failed = 0
    for row, launch in zip(golden, launches):
        ours = SECTOR_BYTES * launch["counters"]["link_" + row["path"]]["sectors"]
        # The machine code loads in the last of 16 rounds alone; PTX may have them all.
        right = ours in ((expected(row), 16 * expected(row)) if row["path"] == "load" else (expected(row),))
        failed += not right
        print(f"{'ok' if right else 'FAILED':6} {row['path']} of {row['bytes']} bytes every {row['stride']}: {ours} bytes, measured {expected(row)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
