#!/usr/bin/env python3
"""How fast the simulated GPU is for six kinds of kernels, with all checks and without: 10⁹ lane-instructions a second.

Run from a built tree: `tests/bench/kinds_speed.py [--threads N] [PROGRAM of lab …]`. Several programs are measured
in turns. A warp instruction counts as 32; the best of three launches, by the clock of the host. docs/speed.md quotes it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KINDS = ["product", "bitonic", "scan", "histogram", "reduction", "bodies"]


def run(program: str, kind: str, *flags: str) -> str:
    command = [program, "run", "--quiet", "--every-launch", *flags, str(HERE / "kinds_speed.cu"), "--", kind]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LAB_ROOT": str(ROOT)})
    if done.returncode != 0 or "lab:" in done.stderr:
        sys.exit(f"{kind}: {' '.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def warp_instructions(program: str, kind: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        records = Path(folder) / "launches.json"
        run(program, kind, "--time", "--no-check", "--json", str(records))
        return int(json.loads(records.read_text())[0]["modelled"]["work"]["of_ptx"])


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--threads", type=int, default=2)
    words.add_argument("--turns", type=int, default=1)
    words.add_argument("programs", nargs="*", default=[str(ROOT / "build/common/cli/lab")])
    options = words.parse_args()
    print("kernel      program  with checks  --no-check   10⁹ lane-instructions/s")
    for kind in KINDS:
        lanes = 32 * warp_instructions(options.programs[0], kind)
        best = {(program, flags): 1e9 for program in options.programs for flags in ((), ("--no-check",))}
        for _ in range(options.turns):
            for program, flags in best:
                seconds = [float(word) for word in run(program, kind, "--threads", str(options.threads), *flags).split()[1:]]
                best[program, flags] = min(best[program, flags], *seconds)
        for at, program in enumerate(options.programs):
            rates = [lanes / best[program, flags] / 1e9 for flags in ((), ("--no-check",))]
            print(f"{kind:<11} {at + 1:>7}  {rates[0]:>11.2f}  {rates[1]:>10.2f}")


if __name__ == "__main__":
    main()
