"""Drawn sequences of runtime and driver calls give the codes and values that an NVIDIA H200 gave.

Place in the flow: enters the built `lab` (LAB_PROGRAM), calls.cu, compiled once, and tests/golden/calls_h200.txt.xz, the lines of an H200
(driver 580.159, CUDA 13.0; made there by run_calls.py). Leaves: exit 0 when a drawn part of the sequences has the same lines here, but for
the differences that differences.txt names and 0.5 % of the calls at most, and each kind that was fixed stays so; 1 with the lines that differ
otherwise; 77 without nvcc. `test_calls.py --all` compares every sequence and prints how often each call differs, and why.
"""
import collections
import lzma
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parents[1]))
import run_calls  # noqa: E402
from drawn.draws import draws_of_run, seed_of_run  # noqa: E402

LAB = os.environ.get("LAB_PROGRAM", str(HERE.parents[2] / "build" / "common" / "cli" / "lab"))
GOLDEN = HERE.parents[1] / "golden" / "calls_h200.txt.xz"
FIXED = 100_000  # sequences from here on are each a kind of difference that was fixed: they run one by one, and none may differ
MOST_SHARE = 0.005  # of the compared calls: each difference that is named, and all that are not


class Call:
    def __init__(self, text: str) -> None:
        self.what, _, self.result = text.partition(")=")
        self.name = self.what.partition("(")[0]


def calls_of(line: str) -> list[Call]:
    return [Call(text) for text in line.split(" ")[1:]]


def named_differences() -> list[tuple[str, str, str]]:
    """Rows of differences.txt: a call, what the H200 says, what is said here; each a regular expression."""
    rows = []
    for line in (HERE / "differences.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            call, gpu, here = line.split()[:3]
            rows.append((call, gpu, here))
    return rows


def first_difference(gpu: str, here: str) -> tuple[int, Call, Call] | None:
    """What follows the first difference of a sequence has another past, and is not compared; nor what a call that ended the process on the
    GPU did here."""
    for k, (one, other) in enumerate(zip(calls_of(gpu), calls_of(here), strict=False)):
        if one.name.startswith("died") or not one.result:
            return None
        if one.what != other.what or one.result != other.result:
            return k, one, other
    return None


def compare(golden: dict[int, str], lines: list[str]) -> tuple[int, list[tuple[int, Call, Call]]]:
    compared = 0
    found = []
    for line in lines:
        seed = int(line.split(" ", 1)[0])
        if " died" in golden.get(seed - 1, ""):
            continue  # there it began a process, here it has what the sequence before left
        difference = first_difference(golden[seed], line)
        compared += len(calls_of(golden[seed])) if difference is None else difference[0] + 1
        if difference is not None:
            found.append((seed, difference[1], difference[2]))
    return compared, found


def compiled(folder: Path) -> Path | None:
    source = HERE / "calls.cu"
    flags = re.search(r"^// nvcc: (.*)$", source.read_text(encoding="utf-8"), re.M)
    assert flags
    nvcc = os.environ.get("LAB_NVCC", "nvcc")
    try:
        version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    if "release 13." not in version:
        return None
    stubs = subprocess.run(["sh", "-c", f'dirname "$(readlink -f "$(command -v {shlex.quote(nvcc)})")"'], capture_output=True, text=True).stdout
    program = folder / "calls"
    command = [nvcc, *shlex.split(flags[1]), f"-L{stubs.strip()}/../lib64/stubs", "-w", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def main() -> int:
    with lzma.open(GOLDEN, "rt") as lines_of_gpu:
        golden = {int(line.split(" ", 1)[0]): line for line in lines_of_gpu.read().splitlines()}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(sys.argv[2]) if len(sys.argv) > 2 else compiled(Path(folder))
        if program is None:
            print("calls: no nvcc 13")
            return 77
        command = [LAB, "run", "--quiet", str(program), "--"]
        draw = random.Random(seed_of_run("calls"))
        part, drawn = 32, sum(seed < FIXED for seed in golden)
        starts = sorted(draw.sample(range(0, drawn - part, part), min(draws_of_run(4), drawn // part - 1)))
        if "--all" in sys.argv:
            part, starts = drawn, [0]
        fixed = [line for seed in golden if seed >= FIXED for line in run_calls.lines_of(command, seed, 1)]
        lines = [line for start in starts for line in run_calls.all_lines(command, start, part)]
    compared, found = compare(golden, lines)
    again = compare(golden, fixed)[1]
    named = named_differences()
    kinds: collections.Counter[tuple[str, str, str]] = collections.Counter()
    causes: collections.Counter[tuple[str, str, str, str]] = collections.Counter()
    wrong = []
    for seed, gpu, here in found:
        row = next((r for r in named if re.fullmatch(r[0], gpu.name) and re.fullmatch(r[1], gpu.result) and re.fullmatch(r[2], here.result)), None)
        causes[gpu.name, gpu.result, here.result, "not named" if row is None else " ".join(row)] += 1
        if row is not None:
            kinds[row] += 1
        else:
            wrong.append(f"seed {seed}: {gpu.what}): an H200 says {gpu.result}, here {here.result}")
    print(f"{len(lines)} sequences, {compared} calls compared, {len(wrong)} unnamed differences, {sum(kinds.values())} named")
    if "--all" in sys.argv:
        for (call, gpu_says, here_says, cause), count in causes.most_common():
            print(f"{count:5} {count / compared:.4%} {call}: {gpu_says}, here {here_says} [{cause}]")
        for row, count in kinds.most_common():
            print(f"{count:5} {count / compared:.4%} {' '.join(row)}")
            if count / compared > MOST_SHARE:
                wrong.append(f"{' '.join(row)}: in more than {MOST_SHARE:.1%} of the calls")
    print("\n".join(wrong[:40]))
    print("\n".join(f"seed {seed}: {gpu.what}): an H200 says {gpu.result}, here {here.result}" for seed, gpu, here in again))
    return 1 if again or len(fixed) == 0 or len(wrong) > MOST_SHARE * compared else 0


if __name__ == "__main__":
    sys.exit(main())
