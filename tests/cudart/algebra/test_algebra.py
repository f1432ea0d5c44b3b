"""cuSPARSE and cuSOLVER as they are computed here against numpy, on drawn calls; and what `lab run` says of mistakes in such calls.

Enters: the built lab (LAB_PROGRAM), the programs beside this file; LAB_SEED and LAB_DRAWS. Leaves: exit 0 when every result is right to the precision
of its type, bytes beside it are as they were, and each mistake has its code and its line; 1 with what is not; 77 without nvcc, numpy or a LAPACK.
"""
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
from drawn.draws import draws_of_run, seed_of_run  # noqa: E402

try:
    import numpy as np
except ImportError:
    print("algebra: no numpy")
    sys.exit(77)

import solver_cases  # noqa: E402
import sparse_cases  # noqa: E402

LAB = os.environ.get("LAB_PROGRAM", str(HERE.parents[2] / "build" / "common" / "cli" / "lab"))
Cases = list[sparse_cases.Case] | list[solver_cases.Case]


def lab(*words: str, **environment: str) -> subprocess.CompletedProcess:
    done = subprocess.run([LAB, "--lang", "en", "run", "--quiet", *words], capture_output=True, text=True, timeout=240,
                          env={**os.environ, **environment})
    if done.returncode == 3:
        print("nvcc is not here, so no CUDA program can be compiled. Run: ./lab setup")
        sys.exit(77)
    if "none is installed" in done.stderr and not environment:
        print("no LAPACK library is installed. Install one: sudo apt install libopenblas0")
        sys.exit(77)
    return done


def compare(program: str, cases: Cases) -> list[str]:
    """Runs all of them in one process."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder, name)) for name in ("list", "data", "results")]
        Path(paths[0]).write_text("\n".join(case.line() for case in cases) + "\n")
        Path(paths[1]).write_bytes(b"".join(case.given() for case in cases))
        done = lab(str(HERE / program), "--", *paths)
        if done.returncode != 0 or "lab: " in done.stderr:
            return [f"{program}: exit {done.returncode}: {done.stderr}"]
        written = Path(paths[2]).read_bytes()
    faults, at, errors = [], 0, {}
    for case in cases:
        size = len(case.given())
        fault, error = case.wrong(written[at:at + size])
        at += size
        faults.append(fault)
        errors[case.kind] = max(errors.get(case.kind, 0.0), error)
    print(f"{program}: {len(cases)} calls; worst errors: " + ", ".join(f"{kind} {error:.1e}" for kind, error in sorted(errors.items())))
    return [fault for fault in faults if fault]


def marked_lines(source: Path) -> dict[str, int]:
    """The line of each mistake: it ends in `// HERE name`."""
    lines = source.read_text().splitlines()
    return {match.group(1): number for number, line in enumerate(lines, 1) if (match := re.search(r"// HERE (\w+)", line))}


def check_mistakes() -> list[str]:
    """A sentence of each mistake names its line; the same call corrected has none."""
    source, faults = HERE / "mistakes.cu", []
    wanted = {"column": "out-of-bounds: entry 2", "offset": "out-of-bounds: offset 2", "unwritten": "poisoned-global: cusparseSpMV reads",
              "short": "4 bytes too long for a 12-byte buffer", "buffer": "too long", "pivot": "out-of-bounds: pivot 0",
              "half": "", "beta": "", "unreferenced": ""}
    lines = marked_lines(source)
    for name, words in wanted.items():
        done = lab(str(source), "--", name)
        good = words in done.stderr and f"mistakes.cu:{lines[name]})" in done.stderr if words else done.stderr == ""
        if not good or done.returncode != 0:
            faults.append(f"mistakes.cu {name}: exit {done.returncode}: {done.stderr or 'nothing'}")
    unordered, ordered = lab(str(source), "--", "race"), lab(str(source), "--", "ordered")
    if "stream-race" not in unordered.stderr or "cusparseSpMV" not in unordered.stderr or ordered.stderr:
        faults.append(f"mistakes.cu race: {unordered.stderr} / {ordered.stderr}")
    return faults


def check_codes() -> list[str]:
    done = lab(str(HERE / "codes.cu"))
    return [] if done.returncode == 0 else [f"codes.cu: exit {done.returncode}: {done.stdout}{done.stderr}"]


def check_batched() -> list[str]:
    """Many small matrices: codes, what is said of each matrix, and that results are right, as an H200 prints it."""
    done, wanted = lab(str(HERE / "batched.cu"), "-lcublas"), (HERE / "batched.h200.txt").read_text()
    return [] if done.returncode == 0 and done.stdout == wanted else [f"batched.cu: exit {done.returncode}: {done.stdout}{done.stderr}"]


def check_no_library() -> list[str]:
    """Without a LAPACK the sentence says what to install. Files of these names that are no libraries stand in front of the real ones."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("libopenblas.so.0", "liblapack.so.3", "libopenblas.so", "liblapack.so"):
            Path(folder, name).write_text("no library")
        done = lab(str(HERE / "mistakes.cu"), "--", "half", LD_LIBRARY_PATH=f"{folder}:{os.environ.get('LD_LIBRARY_PATH', '')}")
    good = "cusolverDnSpotrf returns" in done.stderr and "libopenblas0" in done.stderr and "status 9" in done.stdout
    return [] if good else [f"without a library: {done.stdout}{done.stderr}"]


def main() -> int:
    seed = seed_of_run("algebra")
    draw, noise = random.Random(seed), np.random.default_rng(seed)
    kinds = list(sparse_cases.KINDS) + ["SpMV", "SpMM"] * 4
    sparse = [sparse_cases.Case(draw, noise, kinds[k % len(kinds)]) for k in range(draws_of_run(3 * len(kinds)))]
    kinds = list(solver_cases.KINDS)
    solver = [solver_cases.Case(draw, noise, kinds[k % len(kinds)]) for k in range(draws_of_run(4 * len(kinds)))]
    faults = compare("solver.cu", solver) + compare("sparse.cu", sparse) + check_codes() + check_batched() + check_mistakes() + check_no_library()
    print("\n".join(faults) or f"{len(sparse) + len(solver)} calls as numpy's")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
