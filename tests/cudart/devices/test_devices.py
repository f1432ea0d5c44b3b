"""Several GPUs in `lab run --gpus 2`: each case of devices.cu, what must be reported for it, and what goes over the link.

Place in the flow: enters the built `lab` (LAB_PROGRAM) and devices.cu, compiled once. Leaves: exit 0 when every wrong case is found, no right one is
reported and every count is right, 77 without nvcc. A name on the command line runs that case alone.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LAB = os.environ.get("LAB_PROGRAM", str(HERE.parents[2] / "build" / "common" / "cli" / "lab"))
NO_COMPILER = 3
# What must be reported; a case of `right` that fails calls on purpose reports these, and no fault.
EXPECTED = {
    "wrong_no_access": "no-peer-access in copy(int*, int const*)",
    "wrong_other_way": "no-peer-access in copy(int*, int const*)",
    "wrong_disabled": "no-peer-access in copy(int*, int const*)",
    "wrong_async_no_access": "no-peer-access in through_shared(int*, int const*)",
    "wrong_pool": "no-peer-access in copy(int*, int const*)",
    "wrong_copy_unordered": "stream-race: a copy reads",
    "wrong_halves_of_rows": "stream-race: the kernel `half_of_rows(int*, int)` writes",
    "wrong_copies_of_halves": "stream-race: a copy writes",
    "wrong_waits_for_one": "host-race: the host touches",
    "wrong_attribute_elsewhere": "are allowed",
    "right_errors": "there are 2 GPUs, numbered from 0; the program asked for number 2",
}
WHOLE = {"requests": 128, "sectors": 512, "ideal_sectors": 512, "active_lanes": 4096, "bytes": 16384}
# Path and counters of the last launch, or of the one whose number follows.
LINK = {
    "right_peer_load": ("link_load", WHOLE),
    "right_peer_store": ("link_store", WHOLE),
    "right_peer_async": ("link_load", WHOLE),
    "right_peer_halves": ("link_store", {"requests": 1, "sectors": 8, "ideal_sectors": 4, "active_lanes": 32, "bytes": 128}),
    "right_peer_atomic": ("link_atomic", {"requests": 1, "sectors": 1, "ideal_sectors": 1, "active_lanes": 32, "bytes": 128}),
    "right_halves_of_rows": ("link_store", {"requests": 64, "sectors": 256, "ideal_sectors": 256, "active_lanes": 2048, "bytes": 8192}, 1),
    "right_pool": ("link_load", WHOLE),
    "right_driver": ("link_load", WHOLE),
    "right_mapped": ("link_store", WHOLE),
}
TABLE = {
    "right_copies": "Copies between GPUs through the host, for want of peer access (cudaDeviceEnablePeerAccess): 0 → 1 81 920 B.",
    "right_copies_linked": "Copies between GPUs, over the link: 0 → 1 81 920 B.",
    "right_peer_store": "link sectors",
}


def check_link(case, launches):
    """Sentences on what is wrong with the counters."""
    keys = ("link_load", "link_store", "link_atomic")
    path, counters, *at = LINK.get(case, (None, None))
    crossing = at[0] if at else len(launches)
    for number, launch in enumerate(launches, 1):
        for key in keys:
            wanted = counters if key == path and number == crossing else dict.fromkeys(WHOLE, 0)
            if launch["counters"][key] != wanted:
                yield f"launch {number}: {key} is {launch['counters'][key]}, not {wanted}"
    if case == "right_peer_load" and [launch["device"] for launch in launches] != [1, 0]:
        yield "the launches name other GPUs than those that they ran on"


def check(case, folder):
    records = Path(folder) / "launches.json"
    done = subprocess.run([LAB, "run", "--gpus", "2", "--plain", "--json", str(records), str(HERE / "devices.cu"), "--", case], capture_output=True,
                          text=True, timeout=240)
    if done.returncode == NO_COMPILER:
        print("nvcc is not here, so no CUDA program can be compiled. Run: ./lab setup")
        sys.exit(77)
    # A fault that the program never asked about with cudaGetLastError makes exit 1 of its 0.
    if done.returncode != ("no-peer-access" in EXPECTED.get(case, "")) or "right\n" not in done.stdout:
        yield f"exit {done.returncode}: {done.stdout[-600:]} {done.stderr[-1500:]}"
        return
    wanted, right = EXPECTED.get(case), case.startswith("right_")
    if wanted and wanted not in done.stderr:
        yield f"it must report \"{wanted}\", and says: {done.stderr[-1500:]}"
    launches = json.loads(records.read_text())
    if right and (re.search(r"lab: \S*(race|leak|uninitialised)", done.stderr) or any(launch["stopped"] for launch in launches) != (case == "right_errors")):
        yield f"false positive: {done.stderr[-1500:]}"
    if TABLE.get(case, "") not in done.stdout:
        yield f"the table does not say \"{TABLE[case]}\": {done.stdout[-1500:]}"
    if right:
        yield from check_link(case, launches)


def check_one_gpu():
    done = subprocess.run([LAB, "run", "--quiet", str(HERE / "devices.cu"), "--", "right_own_memory"], capture_output=True, text=True, timeout=240)
    if done.returncode != 1 or "there is one GPU, number 0; the program asked for number 1. `lab run --gpus N` simulates several." not in done.stderr:
        yield f"without --gpus there is one: exit {done.returncode}, {done.stderr[-800:]}"
    for wrong in ("0", "9", "two"):
        done = subprocess.run([LAB, "run", "--gpus", wrong, str(HERE / "devices.cu")], capture_output=True, text=True, timeout=240)
        if done.returncode != 2 or "1 to 8" not in done.stderr:
            yield f"--gpus {wrong}: exit {done.returncode}, {done.stderr[-300:]}"


def main():
    cases = re.findall(r'is\("(\w+)"\)', (HERE / "devices.cu").read_text())
    chosen = sys.argv[1:] or dict.fromkeys(cases)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in chosen:
            wrong = list(check(case, folder))
            print(f"{'FAILED' if wrong else 'ok':6} {case}", *wrong, sep="\n    ")
            failed += bool(wrong)
    wrong = list(check_one_gpu())
    print(f"{'FAILED' if wrong else 'ok':6} one GPU", *wrong, sep="\n    ")
    return 1 if failed or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
