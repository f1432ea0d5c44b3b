"""The course on a GPU: counters of solutions, skeletons and mutants; times.

Place in the flow. Enters: solutions/, chapters/ and tests/mutants/ of the project. Leaves, in the folder named
(each part by its own command):
    course.py counters ROOT OUT   course_counters.csv, one row per launch, by Nsight Compute
    course.py times ROOT OUT      course_times.csv, medians against a device-to-device copy (needs PyTorch)
Needs a GPU and nvcc; nothing here changes a clock.
"""
import csv
import ctypes
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ncu

HERE = Path(__file__).resolve().parent
BUILD = Path("/tmp/golden_course")
SHEARED = "tests/mutants/right/09_sheared_tiles.cu"  # all element types, any matrix, at about the speed of a copy


def compiled(root, path):
    """The cubin of a kernel file, or None: the compiler refuses it."""
    target = BUILD / ("-".join(path.relative_to(root).with_suffix("").parts) + ".cubin")
    done = subprocess.run(["nvcc", "-arch=sm_90", "-lineinfo", "-std=c++20", "-w", "-I", root, "-cubin", "-o", target, path], capture_output=True)
    return target if done.returncode == 0 else None


def build(root, patterns):
    BUILD.mkdir(exist_ok=True)
    runner = BUILD / "course_run"
    subprocess.run(["nvcc", "-O2", "-std=c++20", "-o", runner, HERE / "course_run.cpp", "-lcuda"], check=True)
    paths = sorted(p for pattern in patterns for p in root.glob(pattern))
    with ThreadPoolExecutor(12) as pool:
        return runner, dict(zip(paths, pool.map(lambda p: compiled(root, p), paths)))


def run(command, limit, **env):
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True, env=os.environ | env)
    try:
        return child.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        return f"no end within {limit} s"


# ---- counters ---------------------------------------------------------------------------------------
METRICS = {}
for space_op, name in (("global_op_ld", "global_load"), ("global_op_st", "global_store")):
    METRICS[f"{name}_requests"] = f"l1tex__t_requests_pipe_lsu_mem_{space_op}.sum"
    METRICS[f"{name}_sectors"] = f"l1tex__t_sectors_pipe_lsu_mem_{space_op}.sum"
for op, name in (("ld", "shared_load"), ("st", "shared_store")):
    METRICS[f"{name}_requests"] = f"smsp__sass_inst_executed_op_shared_{op}.sum"
    METRICS[f"{name}_wavefronts_hw"] = f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"
    METRICS[f"{name}_wavefronts_sass"] = f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"
METRICS["local_requests"] = "smsp__sass_inst_executed_op_local.sum"
METRICS["shared_wavefronts_ideal"] = "memory_l1_wavefronts_shared_ideal"
METRICS["global_sectors_ideal"] = "memory_l2_theoretical_sectors_global_ideal"


def entries(path):
    """The entry points that take a matrix: `transpose`, and one for each element size where a file has them."""
    name = path.parent.name if path.name == "transpose.cu" else path.stem
    sizes = {"07_swizzle_formula": (8, 16, 64, 128), "10_narrow_types": (8, 16, 64, 128), "09_sheared_tiles": (8, 16, 32, 64, 128)}.get(name, ())
    return ["transpose", *[f"transpose_u{s}" for s in sizes]]


def counters(root, out):
    runner, cubins = build(root, sys.argv[4:] or ["solutions/*/transpose.cu", "chapters/*/transpose.cu", SHEARED, "tests/mutants/course/*.cu"])
    launches = []
    for path, cubin in cubins.items():
        for entry in entries(path) if cubin else []:
            for rows, cols in ((1024, 1024), (61, 67)) if path.parent.name != "course" else ((64, 96),):
                launches.append((path, cubin, entry, rows, cols))

    def safe(launch):
        report = run(["compute-sanitizer", "--report-api-errors", "no", runner, str(launch[3]), str(launch[4]), launch[1], launch[2]], 30)
        return "ERROR SUMMARY: 0 errors" in report and "CUDA_SUCCESS" in report

    with ThreadPoolExecutor(12) as pool:
        launches = [launch for launch, good in zip(launches, pool.map(safe, launches)) if good]
    with (out / "course_counters.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["file", "entry", "rows", "cols", *METRICS])
        for rows, cols in sorted({launch[3:] for launch in launches}):
            group = [launch for launch in launches if launch[3:] == (rows, cols)]
            pairs = [str(word) for launch in group for word in launch[1:3]]
            for launch, row in zip(group, ncu.launches([runner, rows, cols, *pairs], METRICS.values(), len(group), timeout=300)):
                writer.writerow([launch[0].relative_to(root), launch[2], rows, cols, *[row.get(m, "").replace(",", "") for m in METRICS.values()]])


# ---- times ------------------------------------------------------------------------------------------
def times(root, out):
    import torch

    cuda = ctypes.CDLL("libcuda.so.1")
    torch.zeros(1, device="cuda")

    def call(name, *args):
        if code := getattr(cuda, name)(*args):
            raise RuntimeError(f"{name}: CUDA error {code}")

    class Kernel:
        def __init__(self, cubin, entry):
            self.module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
            call("cuModuleLoadData", ctypes.byref(self.module), cubin.read_bytes())
            call("cuModuleGetFunction", ctypes.byref(self.function), self.module, entry.encode())
            at, size, self.shape = ctypes.c_uint64(), ctypes.c_size_t(), (ctypes.c_int * 7)()
            if cuda.cuModuleGetGlobal_v2(ctypes.byref(at), ctypes.byref(size), self.module, f"lab_launch_shape_{entry}".encode()):
                call("cuModuleGetGlobal_v2", ctypes.byref(at), ctypes.byref(size), self.module, b"lab_launch_shape")
            call("cuMemcpyDtoH_v2", self.shape, at, ctypes.c_size_t(28))
            if self.shape[6] > 48 * 1024:
                call("cuFuncSetAttribute", self.function, 8, self.shape[6])

        def launch(self, target, source, rows, cols):
            _, bx, by, tile_rows, tile_cols, walks, shared = self.shape
            across, down = -(-cols // tile_cols), -(-rows // tile_rows)
            values = [ctypes.c_uint64(target.data_ptr()), ctypes.c_uint64(source.data_ptr())] + [ctypes.c_int(v) for v in (rows, cols, rows, cols)]
            params = (ctypes.c_void_p * 6)(*[ctypes.addressof(v) for v in values])
            grid = (across, down) if walks else (down, across)
            call("cuLaunchKernel", self.function, *grid, 1, bx, by, 1, shared, None, params, None)

    def median(work, pairs, samples=25, launches=8):
        """Milliseconds of one call: the median of samples of some launches, buffers in rotation; and the spread."""
        for i in range(10):
            work(*pairs[i % len(pairs)])
        spent = []
        for _ in range(samples):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            for i in range(launches):
                work(*pairs[i % len(pairs)])
            end.record()
            end.synchronize()
            spent.append(begin.elapsed_time(end) / launches)
        spent.sort()
        return spent[len(spent) // 2], spent[-len(spent) // 10] - spent[len(spent) // 10]

    patterns = sys.argv[4:] or ["solutions/*/transpose.cu", SHEARED]
    _, cubins = build(root, patterns)
    types = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64, 16: torch.complex128}
    jobs = {}
    for path, cubin in cubins.items():
        for entry in entries(path) if cubin else []:
            size = int(entry.split("_u")[1]) // 8 if "_u" in entry else 4
            shapes = [(8192, 8192), (16384, 16384)] if entry == "transpose" else [(8192, 8192)]
            if path.parent.name[:2] in ("08", "09") or path.name != "transpose.cu":
                shapes += [(8191, 8193), (1000, 7777), (8192, 8200)]
            for shape in shapes:
                jobs.setdefault((size, shape), []).append((path, cubin, entry))
    with (out / "course_times.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["file", "entry", "rows", "cols", "element_bytes", "right", "milliseconds", "spread", "gigabytes_per_second", "share_of_copy"])
        for (size, (rows, cols)), work in sorted(jobs.items()):
            count = max(2, min(8, (1 << 29) // (rows * cols * size)))
            words = torch.randint(-(1 << 62), 1 << 62, (-(-rows * cols * size // 8) + 8,), device="cuda", dtype=torch.int64)
            source = words.view(torch.uint8)[:rows * cols * size].view(types[size]).view(rows, cols)
            pairs = [(torch.empty(cols, rows, device="cuda", dtype=types[size]), source.clone()) for _ in range(count)]
            moved = 2 * rows * cols * size / 1e6
            copy, spread = median(lambda t, s: t.view(-1).copy_(s.view(-1)), pairs)
            writer.writerow(["copy", "", rows, cols, size, "", f"{copy:.5f}", f"{spread:.5f}", f"{moved / copy:.0f}", "1.000"])
            for path, cubin, entry in work:
                kernel = Kernel(cubin, entry)
                pairs[0][0].view(torch.uint8).fill_(0xee)
                kernel.launch(*pairs[0], rows, cols)
                right = torch.equal(pairs[0][0].view(torch.uint8).view(cols, rows, size), pairs[0][1].view(torch.uint8).view(rows, cols, size).transpose(0, 1))
                took, spread = median(lambda t, s: kernel.launch(t, s, rows, cols), pairs)
                writer.writerow([path.relative_to(root), entry, rows, cols, size, right, f"{took:.5f}", f"{spread:.5f}", f"{moved / took:.0f}", f"{copy / took:.3f}"])
                file.flush()


if __name__ == "__main__":
    {"counters": counters, "times": times}[sys.argv[1]](Path(sys.argv[2]).resolve(), Path(sys.argv[3]))
