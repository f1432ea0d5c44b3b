"""Both devices on every kernel of the course: do the simulator and the GPU come to the same results?

Place in the flow. Enters: a `lab` program, the project's folder. Leaves: course_devices.csv, one row per kernel file:
what each device says of it, and what both together say.
    devices.py LAB ROOT OUT
Needs a GPU. Kernels with faults run on it too: that each ends in words, and never in a pass, is part of the question.
"""
import csv
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def check(lab, root, path, device):
    """Exit code, the code of the first failure of a case about results, shapes that ran on the GPU."""
    command = [lab, "check", path.parent.name[:2] if path.name == "transpose.cu" else path.name[:2], "--kernel", path, "--device", device, "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=200, env=os.environ | {"LAB_ROOT": str(root)})
    except subprocess.TimeoutExpired:
        return "no end", "no end within 200 s", 0
    try:
        found = json.loads(done.stdout)
    except json.JSONDecodeError:
        return done.returncode, done.stderr.strip()[:200], 0
    wrong = [r["code"] for c in found["cases"] if c["kind"] == "holds" for r in c["reasons"]]
    return done.returncode, wrong[0] if wrong else "right", (found["gpu"] or {}).get("shapes", 0)


def main():
    lab, root, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3])
    paths = [p for pattern in ("solutions/*/transpose.cu", "chapters/*/transpose.cu", "tests/mutants/course/*.cu") for p in sorted(root.glob(pattern))]
    start = time.time()
    with ThreadPoolExecutor(10) as pool:
        rows = list(pool.map(lambda path: [check(lab, root, path, device) for device in ("sim", "gpu", "auto")], paths))
    with (out / "course_devices.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["file", "simulator", "gpu", "both", "gpu_shapes"])
        for path, (sim, gpu, both) in zip(paths, rows):
            writer.writerow([path.relative_to(root), sim[1], gpu[1], both[1], both[2]])
    disagree = [str(p.relative_to(root)) for p, row in zip(paths, rows) if row[2][1] == "devices-disagree"]
    shapes = sum(row[2][2] for row in rows)
    print(f"{len(paths)} kernels, {shapes} shapes compared in {time.time() - start:.0f} s; the devices disagree on {len(disagree)}: {disagree}")
    return 1 if disagree else 0


if __name__ == "__main__":
    sys.exit(main())
