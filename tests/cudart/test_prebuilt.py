"""A program that was built for a GPU, with nvcc and the shared runtime, runs as it is under `lab run`.

Place in the flow: enters the built lab (LAB_PROGRAM) and nvcc. Leaves: exit 0, 1 with what is wrong, 77 without nvcc or
the compiler that it needs for host code. One binary: started from its folder and from another one, by name in the
current folder, moved, renamed, through a link; with arguments, standard input, and its own exit status; stripped. And
a command that loads CUDA while it runs: a python script, with words of its own.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAB = Path(os.environ.get("LAB_PROGRAM", ROOT / "build/common/cli/lab"))
NVCC = os.environ.get("LAB_NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"

# Reads numbers, doubles them on the GPU, prints them behind its arguments; ends with the number of numbers.
PROGRAM = r"""
#include <cstdio>
#include <vector>
__global__ void twice(int* p, int n) { if (int i = threadIdx.x; i < n) p[i] *= 2; }
int main(int argc, char** argv) {
  std::vector<int> numbers;
  for (int x; std::scanf("%d", &x) == 1;) numbers.push_back(x);
  const int n = static_cast<int>(numbers.size());
  int* p;
  if (cudaMalloc(&p, 4096) != cudaSuccess) return 99;
  cudaMemcpy(p, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  twice<<<1, 64>>>(p, n);
  if (cudaMemcpy(numbers.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 98;
  for (int k = 1; k < argc; ++k) std::printf("[%s]", argv[k]);
  for (int x : numbers) std::printf(" %d", x);
  std::printf("\n");
  cudaFree(p);
  return n;
}
"""

# A runtime inside (-cudart static), and a stream beside the default one whose maker is named in one of three ways.
BESIDE = r"""
#include <dlfcn.h>
using Maker = cudaError_t (*)(cudaStream_t*, unsigned);
#if WAY == 0
static cudaError_t make(cudaStream_t* s) { return cudaStreamCreateWithFlags(s, cudaStreamNonBlocking); }
#elif WAY == 1
static Maker const makers[] = {nullptr, cudaStreamCreateWithFlags};
static cudaError_t make(cudaStream_t* s) { volatile int which = 1; return makers[which](s, cudaStreamNonBlocking); }
#else
static cudaError_t make(cudaStream_t* s) { return ((Maker)dlsym(RTLD_DEFAULT, "cudaStreamCreateWithFlags"))(s, cudaStreamNonBlocking); }
#endif
__global__ void fill(int* to, int value) { to[threadIdx.x] = value; }
int main() {
  int* p;
  cudaStream_t s;
  cudaMalloc(&p, 128);
  fill<<<1, 32>>>(p, 1);
  make(&s);
  fill<<<1, 32, 0, s>>>(p, 2);
  cudaDeviceSynchronize();
  cudaStreamDestroy(s);
  cudaFree(p);
}
"""

# A language of its own, which loads the driver while it runs: a kernel in PTX adds 5 to its place. Prints the sum.
CLIENT = r"""
import ctypes, sys
cuda = ctypes.CDLL("libcuda.so")  # Taichi's name for it
def call(name, *words):
    code = getattr(cuda, name)(*words)
    if code: sys.exit(f"{name}: {code}")
PTX = b".version 7.0 .target sm_70 .address_size 64 .visible .entry k(.param .u64 p) { .reg .u64 %rd<4>; .reg .u32 %r<3>;" \
      b" ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;" \
      b" add.u32 %r2, %r1, 5; st.global.u32 [%rd3], %r2; ret; }"
context, module, kernel, at = (ctypes.c_void_p() for _ in range(4))
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
call("cuModuleLoadData", ctypes.byref(module), PTX)
call("cuModuleGetFunction", ctypes.byref(kernel), module, b"k")
call("cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(128))
words = (ctypes.c_void_p * 1)(ctypes.addressof(at))
call("cuLaunchKernel", kernel, 1, 1, 1, 32, 1, 1, 0, None, words, None)
out = (ctypes.c_uint * 32)()
call("cuMemcpyDtoH_v2", out, at, ctypes.c_size_t(128))
call("cuMemFree_v2", at)
call("cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(3 << 20))
assert at.value % (2 << 20) == 0  # Taichi counts on pages of 4,096 bytes
call("cuMemFree_v2", at)
linker = ctypes.CDLL("libnvJitLink.so.13")  # found, though no path leads there but ours
linker.__getattr__("__nvJitLinkCreate_13_0")
library, kernel_of_library, of_kernel = (ctypes.c_void_p() for _ in range(3))
call("cuLibraryLoadData", ctypes.byref(library), PTX, None, None, 0, None, None, 0)
call("cuLibraryGetKernel", ctypes.byref(kernel_of_library), library, b"k")
call("cuKernelSetCacheConfig", kernel_of_library, 2, 0)
call("cuKernelGetLibrary", ctypes.byref(of_kernel), kernel_of_library)
assert of_kernel.value == library.value
entry = ctypes.c_void_p()
code = cuda.cuGetProcAddress_v2(b"cuIpcGetMemHandle", ctypes.byref(entry), 13000, ctypes.c_uint64(0), None)
print(sum(out), sys.argv[1:], code, bool(entry))
"""

failures = []


def check(condition, message):
    if not condition:
        failures.append(message)


def lab_run(binary, folder, words=(), typed=""):
    report = folder / "launches.json"
    report.unlink(missing_ok=True)
    environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
    done = subprocess.run([LAB, "run", "--quiet", "--json", report, binary, *(["--", *words] if words else [])],
                          cwd=folder, env=environment, input=typed, capture_output=True, text=True, timeout=120)
    return done, json.loads(report.read_text()) if report.exists() else []


def check_one(how, binary, folder, words=("one", "two words")):
    done, launches = lab_run(binary, folder, words, "3 -4\n50\n")
    check(done.returncode == 3, f"{how}: exit {done.returncode}, not the program's own 3: {done.stderr}")
    wanted = "".join(f"[{word}]" for word in words) + " 6 -8 100\n"
    check(done.stdout == wanted, f"{how}: printed {done.stdout!r}, not {wanted!r}")
    check([row["kernel"] for row in launches] == ["twice(int*, int)"], f"{how}: launches {launches}")
    check(not done.stderr, f"{how}: said {done.stderr!r}")


def check_command(folder):
    (folder / "client.py").write_text(CLIENT)
    for how, command in (("by name", "python3"), ("by its path", sys.executable)):
        report = folder / "launches.json"
        report.unlink(missing_ok=True)
        done = subprocess.run([LAB, "run", "--json", report, "--quiet", command, "client.py", "--gpu", "x"], cwd=folder,
                              capture_output=True, text=True, timeout=120)
        wanted = "656 ['--gpu', 'x'] 0 True\n"
        check(done.returncode == 0 and done.stdout == wanted, f"python {how}: {done.returncode} {done.stdout!r} {done.stderr!r}")
        launches = json.loads(report.read_text()) if report.exists() else []
        check([row["kernel"] for row in launches] == ["k"], f"python {how}: launches {launches}")
    done = subprocess.run([LAB, "run", "--quiet", "no-such-command", "a"], cwd=folder, capture_output=True, text=True)
    check(done.returncode == 2 and "one program" in done.stderr,
          f"a name that is nothing: {done.returncode} {done.stderr!r}")


def check_beside(folder):
    (folder / "beside.cu").write_text(BESIDE)
    for way in range(3):
        subprocess.run([NVCC, "-allow-unsupported-compiler", "-arch=sm_90", f"-DWAY={way}", folder / "beside.cu", "-o", folder / "beside", "-ldl"], check=True)
        done = subprocess.run([LAB, "run", "--quiet", folder / "beside"], capture_output=True, text=True, timeout=120)
        check("stream-race" in done.stderr, f"a stream beside, named in way {way}: {done.stderr!r}")


def main():
    with tempfile.TemporaryDirectory() as name:
        check_command(Path(name))
    if not Path(NVCC).exists():
        print("\n".join(failures) or "nvcc is not here, so no CUDA program can be built. Run: ./lab setup")
        return 1 if failures else 77
    with tempfile.TemporaryDirectory() as name:
        check_beside(Path(name))
        built, other = Path(name) / "built", Path(name) / "other place"
        built.mkdir(), other.mkdir()
        source, binary = built / "double.cu", built / "double"
        source.write_text(PROGRAM)
        host = subprocess.run([NVCC, "-allow-unsupported-compiler", "-E", source, "-o", os.devnull], capture_output=True, text=True)
        if host.returncode != 0:
            print(f"nvcc finds no compiler for host code here ({host.stderr.strip()[:200]}). Install g++.")
            return 77
        for flags in (["-arch=sm_90"], ["-gencode", "arch=compute_75,code=[compute_75,sm_75]", "-rdc=true"]):
            subprocess.run([NVCC, "-allow-unsupported-compiler", "-cudart", "shared", *flags, source, "-o", binary], check=True)
            check_one(f"{flags}: from another folder", binary, other)
            check_one(f"{flags}: by name", "./double", built)
        moved = other / "moved here.bin"
        shutil.move(binary, moved)
        source.unlink()
        check_one("moved and renamed, its source gone", moved, built)
        (built / "link").symlink_to(moved)
        check_one("through a link", built / "link", built)
        check_one("no arguments", moved, built, ())
        done, _ = lab_run(moved, built)
        check(done.returncode == 0 and done.stdout == "\n", f"no input: {done.returncode} {done.stdout!r} {done.stderr}")
        if strip := shutil.which("strip"):
            subprocess.run([strip, moved], check=True)
            check_one("stripped", moved, built)
    print("\n".join(failures) or "all as expected")
    return 1 if failures else 0


sys.exit(main())
