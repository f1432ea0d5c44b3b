"""Streams, events and the host in `lab run`: each case of order.cu, and what must be reported for it.

Place in the flow: enters the built `lab` (LAB_PROGRAM) and order.cu, compiled once. Leaves: exit 0 when every wrong case
is found and no right one is reported, 77 without nvcc. With `--list` the verdicts as rows of tests/golden/faults_lab.csv.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LAB = os.environ.get("LAB_PROGRAM", str(HERE.parents[2] / "build" / "common" / "cli" / "lab"))
EXPECTED = {
    "wrong_two_streams": "stream-race: the kernel `add(int*, int const*)` reads",
    "wrong_reads_before_its_wait": "before it waits for the kernel `fill(int*, int)`, which writes it",
    "wrong_reads_behind_a_kernel_that_lets_it_begin": "before it waits for the kernel `fill_and_let_begin(int*, int)`, which writes it",
    "wrong_writes_before_its_wait": "before it waits for the kernel `add_behind(int*, int const*, bool)`, which writes it",
    "wrong_reads_before_the_wait_of_two_launches": "before it waits for the kernel `fill(int*, int)`, which writes it",
    "wrong_event_too_early": "stream-race: the kernel `add(int*, int const*)` reads",
    "wrong_default_stream": "stream-race: the kernel `add(int*, int const*)` reads",
    "wrong_fill_on_another": "stream-race: a fill (cudaMemset) writes",
    "wrong_host_reads_copy": "host-race: the host touches",
    "wrong_host_changes_source": "host-race: the host touches",
    "wrong_managed_while_kernel_runs": "host-race: the host touches",
    "wrong_free_on_another_stream": "stream-race: cudaFreeAsync writes",
    "wrong_allocated_on_another_stream": "which cudaMallocAsync writes on another stream",
    "wrong_leak": "leak: a buffer of 1 000 bytes was never freed",
    "wrong_heap_leak": "buffers that kernels got from malloc",
    "wrong_copy_of_nothing": "uninitialised-copy: a copy of 16 384 bytes",
    "wrong_copy_of_lone_float": "from byte 16 380 of",
    "wrong_copy_at_block_edges": "from byte 252 of",
    "wrong_copy_of_structs_with_a_hole": "uninitialised-copy: a copy of 1 536 bytes",
    "wrong_read_of_its_own_half": "since the block began. Shared memory starts with no value: store to it before you read. Where another thread stores it, put "
    "__syncthreads() before this read. What it read went into a buffer + 4 bytes, which thread (0,0) reads at line",
    "wrong_read_of_half_a_value": "where a kernel stored what has no value",
    "wrong_managed_of_nothing": "poisoned-global in add(int*, int const*)",
    "wrong_small_host_buffer": "host-buffer: a copy from the host takes 16 384 bytes",
    "wrong_small_host_array": "host-buffer: a copy from the host takes 512 bytes, and the function",
    "wrong_plain_beside_atomics": "stream-race: the kernel `count_one(int*)` reads",
    "wrong_constants_changed_while_read": "stream-race: a copy writes byte 0 of `weights`",
    "wrong_fill_of_pinned_async": "host-race: the host touches",
    "wrong_host_polls_unfenced": "host-race: the host touches byte 0",
    "wrong_copy_does_not_wait_for_all": "host-race: the host touches",
    "wrong_other_order": "global-race in first_one_writes(int*, int*)",
    "wrong_host_function_on_another_stream": "host-race: the host touches",
    "wrong_graph_without_dependency": "in another node of the graph, and no dependency orders the two",
    "wrong_graph_other_branch": "in another node of the graph, and no dependency orders the two",
    "wrong_reads_beyond": "right behind the end of a 1 000-byte buffer",
}
OPTIONS = {"wrong_other_order": ["--schedules", "8"], "wrong_reads_beyond": ["--go-on"]}


def main():
    cases = re.findall(r'is\("(\w+)"\)', (HERE / "order.cu").read_text())
    failed = 0
    for case in cases:
        done = subprocess.run([LAB, "run", "--quiet", *OPTIONS.get(case, []), str(HERE / "order.cu"), "--", case], capture_output=True, text=True,
                              timeout=240)
        if done.returncode == 3:
            print("nvcc is not here, so no CUDA program can be compiled. Run: ./lab setup")
            return 77
        said = [line for line in done.stderr.splitlines() if line.startswith("lab: ")]
        wanted = EXPECTED.get(case)
        right = (wanted in done.stderr if wanted else not said) and done.returncode == 0
        if "--list" in sys.argv:
            kind, name = case.split("_", 1)
            print(f"order: {name},{kind}," + (said[0][5:].split(":")[0] if said else "clean"))
            continue
        print(f"{'ok' if right else 'FAILED':6} {case}")
        if not right:
            failed += 1
            print(f"    exit {done.returncode}; it said: {done.stderr[-1500:]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
