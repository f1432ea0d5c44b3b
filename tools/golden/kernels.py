"""Golden counters and results of whole kernels.

Place in the flow. Enters: kernels in tests/golden/kernels/*.cu, each with a `// launch:` line. Leaves:
kernels.csv: the hash of the results, the profiler's counters, and the numbers of memory instructions in PTX
and SASS (`kernels.py run ROOT OUT`; needs a GPU, nvcc, cuobjdump and ncu). `kernels.py launch ROOT` runs every
kernel once, in the order of names: what the profiler is given. `kernels.py ptx ROOT` writes the compiler's PTX beside each
kernel, for the tests (no GPU). tests/golden/README.md specifies the inputs.
"""
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
from forms import Gpu, Splitmix64

BUILD = Path("/tmp/golden_kernels")
FLAGS = ["-arch=sm_90", "-lineinfo", "-std=c++20"]
SIZES = {"f32": 4, "f64": 8, "f16": 2, "u8": 1, "i16": 2, "i32": 4, "i64": 8}


class Launch:
    """The `// launch:` line of a kernel file."""

    def __init__(self, path):
        self.name, self.path = path.stem, path
        line = next(line for line in path.read_text().splitlines() if line.startswith("// launch: "))
        fields = dict(word.split("=", 1) for word in line.removeprefix("// launch: ").split())
        three = lambda text: ([int(n) for n in text.split(",")] + [1, 1])[:3]
        self.entry, self.grid, self.block = fields["entry"], three(fields["grid"]), three(fields["block"])
        self.shared = int(fields.get("shared", "0"))
        self.args = fields["args"].split(",")

    def buffers(self):
        """(name, type, elements, modulus or 0) of the arguments that are buffers, None for a number."""
        for arg in self.args:
            m = re.fullmatch(r"(\w+):(\w+)\[(\d+)\](?:%(\d+))?", arg)
            yield (m[1], m[2], int(m[3]), int(m[4] or 0)) if m else None


def element(kind, modulus, rng):
    """The bits of one input element."""
    r = rng.next()
    if modulus:
        return (r >> 20) % modulus & (1 << 8 * SIZES[kind]) - 1
    if kind in ("f32", "f64"):  # multiples of 1/256 between -128 and 128
        return int.from_bytes(struct.pack("<f" if kind == "f32" else "<d", (r >> 40 & 0xffff) / 256.0 - 128.0), "little")
    if kind == "f16":  # multiples of 1/8 between -128 and 128
        return int.from_bytes(struct.pack("<e", (r >> 40 & 0x7ff) / 8.0 - 128.0), "little")
    return r >> 13 & (1 << 8 * SIZES[kind]) - 1


def contents(launch, name, kind, count, modulus):
    """Buffers whose names begin with `out` or `count` start as zeros, the others at random."""
    if name.startswith(("out", "count")):
        return bytes(count * SIZES[kind])
    rng = Splitmix64(f"{launch.name}/{name}")
    return b"".join(element(kind, modulus, rng).to_bytes(SIZES[kind], "little") for _ in range(count))


def fnv1a(data, state=0xcbf29ce484222325):
    for byte in data:
        state = (state ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return state


def run_once(gpu, launch):
    """Runs a kernel; returns the hash of all its buffers' bytes afterwards, in the order of arguments."""
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    image = (BUILD / f"{launch.name}.cubin").read_bytes()
    gpu.call("cuModuleLoadData", ctypes.byref(module), image)
    gpu.call("cuModuleGetFunction", ctypes.byref(function), module, launch.entry.encode())
    values, buffers = [], []
    for arg, buffer in zip(launch.args, launch.buffers()):
        if buffer is None:
            values.append(ctypes.c_int(int(arg.split(":")[1])))
            continue
        data = contents(launch, *buffer)
        values.append(gpu.alloc(len(data)))
        buffers.append((values[-1], len(data)))
        gpu.call("cuMemcpyHtoD_v2", values[-1], data, ctypes.c_size_t(len(data)))
    params = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
    gpu.call("cuLaunchKernel", function, *launch.grid, *launch.block, launch.shared, None, params, None)
    gpu.call("cuCtxSynchronize")
    state = 0xcbf29ce484222325
    for pointer, size in buffers:
        back = ctypes.create_string_buffer(size)
        gpu.call("cuMemcpyDtoH_v2", back, pointer, ctypes.c_size_t(size))
        gpu.call("cuMemFree_v2", pointer)
        state = fnv1a(back.raw, state)
    gpu.call("cuModuleUnload", module)
    return state


def compile_all(launches):
    BUILD.mkdir(exist_ok=True)

    def one(launch):
        for kind in ("cubin", "ptx"):
            subprocess.run(["nvcc", *FLAGS, f"-{kind}", "-o", BUILD / f"{launch.name}.{kind}", launch.path], check=True)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, launches))


PTX = {"global_ld": r"\bld\.(volatile\.)?global", "global_st": r"\bst\.(volatile\.)?global", "shared_ld": r"\bld\.(volatile\.)?shared",
       "shared_st": r"\bst\.(volatile\.)?shared", "local": r"\b(ld|st)\.local", "generic": r"\b(ld|st)\.(v\d\.)?[busf]\d+", "atomic": r"\b(atom|red)\."}
SASS = {"global_ld": r"\bLDG\b", "global_st": r"\bSTG\b", "shared_ld": r"\bLDS\b", "shared_st": r"\bSTS\b", "local": r"\b(LDL|STL)\b",
        "generic": r"\b(LD|ST)\b", "atomic": r"\b(ATOM|ATOMG|ATOMS|RED|REDG)\b"}


def static_counts(launch):
    ptx = (BUILD / f"{launch.name}.ptx").read_text()
    sass = subprocess.run(["cuobjdump", "-sass", BUILD / f"{launch.name}.cubin"], capture_output=True, text=True).stdout
    return [" ".join(f"{k}={len(re.findall(pattern, text))}" for k, pattern in table.items() if re.search(pattern, text))
            for table, text in ((PTX, ptx), (SASS, sass))]


METRICS = [f"l1tex__t_{what}_pipe_lsu_mem_{space}_op_{op}.sum" for space, ops in (("global", ("ld", "st", "atom", "red")), ("local", ("ld", "st")))
           for op in ops for what in ("requests", "sectors")]
METRICS += [f"{prefix}_data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for prefix in ("l1tex_", "smsp__sass_l1tex") for op in ("ld", "st", "atom")]
METRICS += [f"smsp__sass_inst_executed_op_{op}.sum" for op in ("global_ld", "global_st", "shared_ld", "shared_st", "shared_atom", "local_ld", "local_st")]
METRICS += ["memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal", "memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_global_ideal"]


def main():
    command, root = sys.argv[1], Path(sys.argv[2])
    launches = [Launch(path) for path in sorted((root / "tests/golden/kernels").glob("*.cu"))]
    if command == "launch":
        gpu = Gpu()
        for launch in launches:
            run_once(gpu, launch)
        return
    compile_all(launches)
    if command == "ptx":
        for launch in launches:
            text = (BUILD / f"{launch.name}.ptx").read_text()
            launch.path.with_suffix(".ptx.gz").write_bytes(gzip.compress(re.sub(r'"/[^"]*/', '"', text).encode(), mtime=0))
        return
    gpu = Gpu()
    hashes = [run_once(gpu, launch) for launch in launches]
    again = [run_once(gpu, launch) for launch in launches]
    rows = ncu.launches([sys.executable, __file__, "launch", root], METRICS, len(launches))
    print("results that changed:", [x.name for x, a, b in zip(launches, hashes, again) if a != b])
    with (Path(sys.argv[3]) / "kernels.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["kernel", "result_fnv1a", *METRICS, "ptx_static", "sass_static"])
        for launch, value, row in zip(launches, hashes, rows):
            counters = [row.get(m, "").replace(",", "") for m in METRICS]
            writer.writerow([launch.name, f"{value:016x}", *counters, *static_counts(launch)])


if __name__ == "__main__":
    main()
