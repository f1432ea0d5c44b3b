"""Runs `calls` on seeds, in processes of its own for each part, and gives its lines; a process that ends early is begun again behind its seed.

Place in the flow: on a GPU it makes the golden lines (`run_calls.py PROGRAM FIRST COUNT`, on standard output); test_calls.py uses it under
`lab run`. Enters: a command that runs the program. Leaves: one line for each seed; one of a process that died ends with `died`.
"""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FAULTED = 3  # what `calls` ends with behind a fault: the next seed begins a process
PART = 64
SECONDS = 60


def lines_of(command: list[str], first: int, count: int) -> list[str]:
    lines: list[str] = []
    seed = first
    while seed < first + count:
        try:
            words = [*command, str(seed), str(first + count - seed)]
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=SECONDS, text=True)
            output, status = done.stdout, done.returncode
        except subprocess.TimeoutExpired as late:
            output, status = (late.stdout or b"").decode() if isinstance(late.stdout, bytes) else late.stdout or "", 124
        found = output.splitlines()
        if status not in (0, FAULTED):
            if not output.endswith("\n") and found:
                found[-1] += f" died{status}"
            elif found == [] or status == 124:
                found.append(f"{seed + len(found)} died{status}")
        if not found:
            break
        lines += found
        seed += len(found)
    return lines


def all_lines(command: list[str], first: int, count: int) -> list[str]:
    parts = [(at, min(PART, first + count - at)) for at in range(first, first + count, PART)]
    with ThreadPoolExecutor(min(len(parts), os.cpu_count() or 1)) as workers:
        return [line for part in workers.map(lambda p: lines_of(command, *p), parts) for line in part]


if __name__ == "__main__":
    print("\n".join(all_lines([sys.argv[1]], int(sys.argv[2]), int(sys.argv[3]))))
