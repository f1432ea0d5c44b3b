"""Which neighbouring accesses `ptxas` makes into one: its own answer, and the profiler's, for the kernels of merges_kernels.py.

Place in the flow. Leaves, in tests/golden (each part by its own command):
    merges.py ptx OUT        merges/*.ptx.gz, nvcc's text of each family, so that tests need no compiler (no GPU)
    merges.py sass OUT       merges_sass.csv: accesses of each width in the machine code (no GPU; needs ptxas and cuobjdump)
    merges.py counters OUT   merges_counters.csv: what Nsight Compute counts in one launch of each
`merges.py launch OUT` runs every kernel once, in order: what the profiler is given. Inputs: `in[i]` is i % 97, `n` is 200,
two blocks, 2^16 floats each way, 4096 bytes of dynamic shared memory for kernels whose name begins with `dynamic`.
"""
import collections
import csv
import ctypes
import gzip
import re
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ncu
from merges_kernels import HEAD, families

BUILD = Path("/tmp/golden_merges")
FLOATS, N, BLOCKS, DYNAMIC = 1 << 16, 200, 2, 4096


def write_ptx(folder):
    def one(family):
        name, kernels = family
        source = BUILD / f"{name}.cu"
        source.write_text(HEAD + "".join(text for _, _, text in kernels))
        target = BUILD / f"{name}.ptx"
        subprocess.run(["nvcc", "-arch=sm_90", "-std=c++20", "-w", "-ptx", "-o", target, source], check=True)
        lines = [line for line in target.read_text().splitlines() if line.strip() and not line.startswith("//")]
        (folder / f"{name}.ptx.gz").write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))

    folder.mkdir(exist_ok=True)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(one, families().items()))


def assemble(folder, family):
    source, target = BUILD / f"{family}.ptx", BUILD / f"{family}.cubin"
    source.write_bytes(gzip.decompress((folder / f"{family}.ptx.gz").read_bytes()))
    subprocess.run(["ptxas", "-arch=sm_90", "-o", target, source], check=True)
    return target


def accesses(sass):
    """By kernel: how many loads and stores of which width."""
    found, here = {}, None
    for line in sass.splitlines():
        if name := re.search(r"Function : (\w+)", line):
            here = found.setdefault(name[1], collections.Counter())
        if access := re.search(r"\*/\s+(@!?U?P\w+ )?(LDS|STS|LDG|STG|LDL|STL|LD|ST)((?:\.\w+)*) ", line):
            bits = next((word for word in access[3].split(".") if word in ("64", "128")), "32")
            narrow = re.search(r"\.[US](8|16)\b", access[3])
            if access[1] != "@!PT ":  # never executed: put before asynchronous copies
                here[f"{access[2]}.{narrow[1] if narrow else bits}"] += 1
    return found


def write_sass(out):
    with (out / "merges_sass.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["family", "kernel", "accesses"])
        for family, kernels in families().items():
            cubin = assemble(out / "merges", family)
            found = accesses(subprocess.run(["cuobjdump", "-sass", cubin], capture_output=True, text=True, check=True).stdout)
            for name, _, _ in kernels:
                writer.writerow([family, name, " ".join(f"{k}={v}" for k, v in sorted(found[name].items()))])


METRICS = {f"global_{name}_{what}": f"l1tex__t_{what}_pipe_lsu_mem_global_op_{op}.sum"
           for op, name in (("ld", "load"), ("st", "store"), ("atom", "atom"), ("red", "red")) for what in ("requests", "sectors")}
for op, name in (("ld", "load"), ("st", "store"), ("atom", "atom")):
    METRICS[f"shared_{name}_requests"] = f"smsp__sass_inst_executed_op_shared_{op}.sum"
    METRICS[f"shared_{name}_wavefronts"] = f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"
METRICS["local_requests"] = "smsp__sass_inst_executed_op_local.sum"


def launch_all(out):
    from forms import Gpu

    gpu = Gpu()
    source, target = gpu.alloc(4 * FLOATS), gpu.alloc(4 * FLOATS)
    data = struct.pack(f"<{FLOATS}f", *(float(i % 97) for i in range(FLOATS)))
    for family, kernels in families().items():
        module = ctypes.c_void_p()
        gpu.call("cuModuleLoadData", ctypes.byref(module), (BUILD / f"{family}.cubin").read_bytes())
        for name, block, _ in kernels:
            gpu.call("cuMemcpyHtoD_v2", source, data, ctypes.c_size_t(len(data)))
            function = ctypes.c_void_p()
            gpu.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
            values = [target, source, ctypes.c_int(N)]
            params = (ctypes.c_void_p * 3)(*[ctypes.addressof(v) for v in values])
            shared = DYNAMIC if name.startswith("dynamic") else 0
            gpu.call("cuLaunchKernel", function, BLOCKS, 1, 1, *block, 1, shared, None, params, None)
            gpu.call("cuCtxSynchronize")


def write_counters(out):
    all_families = families()
    for family in all_families:
        assemble(out / "merges", family)
    kernels = [(name, block) for kernels in all_families.values() for name, block, _ in kernels]
    rows = ncu.launches([sys.executable, __file__, "launch", out], METRICS.values(), len(kernels))
    with (out / "merges_counters.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["kernel", "block", *METRICS])
        for (name, block), row in zip(kernels, rows):
            if name != row["Kernel Name"]:
                sys.exit(f"{name} expected, {row['Kernel Name']} profiled")
            writer.writerow([name, f"{block[0]}x{block[1]}", *(row[m].replace(",", "") for m in METRICS.values())])


if __name__ == "__main__":
    BUILD.mkdir(exist_ok=True)
    command, place = sys.argv[1], Path(sys.argv[2])
    {"ptx": lambda: write_ptx(place / "merges"), "sass": lambda: write_sass(place), "launch": lambda: launch_all(place),
     "counters": lambda: write_counters(place)}[command]()
