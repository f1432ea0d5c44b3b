"""The library itself: its symbols, its structs, and what `lab run` says of binaries that cannot work.

Enters: the built lab and libcudart.so.* (LAB_PROGRAM). Leaves: exit 0, 1 with what is wrong, 77 without nvcc.
"""
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common/run/cudart"))
import marks  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
LAB = Path(os.environ.get("LAB_PROGRAM", ROOT / "build/common/cli/lab"))
LIBRARIES = LAB.parents[1] / "run/cudart"
NVCC = os.environ.get("LAB_NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"

PROGRAM = r"""
#include <cstdio>
__global__ void k(int* p) { p[threadIdx.x] = threadIdx.x; }
int main(int argc, char** argv) {
  int* p;
  if (cudaMalloc(&p, 128) != cudaSuccess) return 3;
  k<<<1, 32>>>(p);
  const cudaError_t error = cudaGetLastError();
  printf("%s %s\n", argc > 1 ? argv[1] : argv[0], cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 5;
}
"""
PTX_ONLY = ["-gencode", "arch=compute_80,code=compute_80"]
# Name, flags of nvcc, exit status, words that must be said.
BINARIES = [
    ("shared", ["-cudart", "shared", *PTX_ONLY], 0, "no error"),
    ("plain", ["-cudart", "shared", "--no-compress", *PTX_ONLY], 0, "no error"),
    ("static", PTX_ONLY, 0, "no error"),
    ("stripped", ["-Xlinker", "-s", *PTX_ONLY], 2, "Do not strip it"),
    ("machine", ["-cudart", "shared", "-gencode", "arch=compute_90,code=sm_90"], 5, "holds machine code for sm_90"),
    ("newer", ["-cudart", "shared", "-gencode", "arch=compute_100,code=compute_100"], 5, "compute_100"),
    ("debug", ["-cudart", "shared", "-G", *PTX_ONLY], 0, "compiled with -G"),
    ("relocatable", ["-cudart", "shared", "-rdc=true", *PTX_ONLY], 0, "no error"),
]

failures = []


def check(condition, message):
    if not condition:
        failures.append(message)


def symbols(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in out.splitlines()}


def check_symbols():
    for version in ("13", "12"):
        ours = symbols(LIBRARIES / f"libcudart.so.{version}")
        names = {s.split("@")[0] for s in ours}
        wanted = set((ROOT / "common/run/cudart/symbols.txt").read_text().split())
        if version == "12":
            wanted |= set((ROOT / "common/run/cudart/symbols_12.txt").read_text().split())
        check(wanted <= names, f"libcudart.so.{version} lacks {sorted(wanted - names)}")
        check(all(f"@@libcudart.so.{version}" in s for s in ours if s.startswith(("cuda", "__cuda"))),
              f"libcudart.so.{version}: symbols without the version libcudart.so.{version}")
        # free and realloc stand in front of the C library's, for programs and not for the linker (host_life.cpp).
        watched = {s for s in ours if s.startswith(("free@GLIBC_", "realloc@GLIBC_", "GLIBC_"))}
        stray = [s for s in ours - watched if not s.startswith(("cuda", "__cuda", "libcudart"))]
        check(not stray, f"libcudart.so.{version} exports {stray[:5]}, which may take the place of the program's own")
    real = Path(NVCC).resolve().parents[1] / "lib64" / "libcudart.so.13"
    if real.exists():
        missing = {s.split("@")[0] for s in symbols(real)} - {s.split("@")[0] for s in
                                                             symbols(LIBRARIES / "libcudart.so.13")}
        check(not missing, f"the toolkit's libcudart.so.13 has {sorted(missing)}")


def check_null_pointers():
    """Every call that takes a pointer stands in the program that gives it null."""
    def bare(name):
        return re.sub(r"_v\d+$", "", name)
    swept = {bare(name) for name in re.findall(r"CALL(?:_AS)?\((\w+)", (ROOT / "tests/cudart/programs/null_pointers/calls.inc").read_text())}
    own = {"cudaCreateChannelDesc", "cudaGetErrorName", "cudaGetErrorString"}  # they return no code
    own.add("cudaMemset3D")  # takes a struct
    # What a GPU answers was not measured; cases/right_older_driver_launch.cu gives them null.
    own |= {"cuFuncSetBlockShape", "cuFuncSetSharedSize", "cuParamSetSize", "cuParamSeti", "cuParamSetf", "cuParamSetv", "cuLaunch",
            "cuLaunchGrid", "cuLaunchGridAsync"}
    for source in (ROOT / "common/run/cudart").glob("*_api.cpp"):
        rows = marks.names(source.read_text(), marks.ROWS, marks.ENTRY_ROWS)  # the others take pointers
        failures.extend(f"null_pointers/calls.inc lacks {name} of {source.name}" for name in rows if bare(name) not in swept | own)
        for name, taken in re.findall(r"^LAB_(?:API|ENTRY)\s+[^(;]*?\b(cu\w+)\(([^{;]*?)\)\s*\{", source.read_text(), re.M):
            if re.search(r"\*|Handle", re.sub(r"/\*.*?\*/", "", taken)) and bare(name) not in swept | own:
                failures.append(f"null_pointers/calls.inc lacks {name} of {source.name}")


def check_layout():
    done = subprocess.run([NVCC, "-std=c++20", "-allow-unsupported-compiler", f"-I{ROOT}", "-c", "-o", "/dev/null",
                           ROOT / "tests/cudart/abi_layout.cu"], capture_output=True, text=True)
    check(done.returncode == 0, "structs differ from the toolkit's:\n" + done.stdout + done.stderr)


def check_binaries(folder):
    source = folder / "program.cu"
    source.write_text(PROGRAM)
    for name, flags, status, words in BINARIES:
        binary = folder / name
        built = subprocess.run([NVCC, "-allow-unsupported-compiler", *flags, source, "-o", binary],
                               capture_output=True, text=True)
        if built.returncode != 0:
            failures.append(f"{name}: nvcc failed: {built.stderr}")
            continue
        ran = subprocess.run([LAB, "run", "--quiet", binary, "--", "an argument"], capture_output=True, text=True)
        check(ran.returncode == status, f"{name}: exit {ran.returncode}, not {status}: {ran.stderr}")
        check(words in ran.stdout + ran.stderr, f"{name}: does not say \"{words}\": {ran.stdout}{ran.stderr}")
        if status == 0:
            check(ran.stdout.startswith("an argument "), f"{name}: arguments do not arrive: {ran.stdout}")


def check_driver_alone(folder):
    """A program that calls the driver alone has no runtime inside, though nvcc leaves a section for device code."""
    (folder / "driver.cpp").write_text("#include <cuda.h>\n#include <cstdio>\nint main() { int n = 0; cuInit(0); cuDeviceGetCount(&n);"
                                       " std::printf(\"%d\\n\", n); }\n")
    ran = subprocess.run([LAB, "run", "--quiet", "-O2", folder / "driver.cpp", "-lcuda"], capture_output=True, text=True)  # the runtime goes
    check((ran.returncode, ran.stdout) == (0, "1\n"), f"the driver alone: {ran.returncode} {ran.stdout}{ran.stderr}")


def check_flags(folder):
    """Flags with a word of their own, and the name that a program has."""
    (folder / "flags.cu").write_text(PROGRAM.replace("#include <cstdio>", "#include <cstdio>\n#include <math.h>\n"
                                                     "static_assert(WIDTH == 7);"))
    ran = subprocess.run([LAB, "run", "--quiet", "-D", "WIDTH=7", folder / "flags.cu", "-l", "m", "-arch", "sm_75",
                          "-O2", "-Xcompiler", "-Wall"], capture_output=True, text=True)
    check(ran.returncode == 0 and ran.stdout == "./flags no error\n", f"flags: {ran.returncode} {ran.stdout}{ran.stderr}")


def check_architecture(folder):
    """The letter of sm_90a stays, however it is spelt; where it is lacking, it is said."""
    source = folder / "specific.cu"
    source.write_text(PROGRAM.replace("p[threadIdx.x] =", 'asm volatile("setmaxnreg.inc.sync.aligned.u32 40;"); p[threadIdx.x] ='))
    for words in ([], ["-arch=sm_90"]):
        ran = subprocess.run([LAB, "run", "--quiet", *words, source], capture_output=True, text=True)
        check(ran.returncode != 0 and "-arch=sm_90a" in ran.stderr and "setmaxnreg" in ran.stderr,
              f"{words}: exit {ran.returncode}, does not say -arch=sm_90a: {ran.stdout}{ran.stderr}")
    for words in (["-arch=sm_90a"], ["--gpu-architecture", "sm_90a"], ["-gencode", "arch=compute_90a,code=sm_90a"]):
        ran = subprocess.run([LAB, "run", "--quiet", *words, source], capture_output=True, text=True)
        check(ran.returncode == 0, f"{words}: exit {ran.returncode}: {ran.stdout}{ran.stderr}")


SAME_VALUES = r"""
__global__ void flag(int* p) { if (threadIdx.x % 3 == 0) *p = 1; }
__global__ void pairs(int* p) { p[threadIdx.x / 2] = threadIdx.x / 2; }
__global__ void scattered(int* p) { p[threadIdx.x * 7 % 20] = threadIdx.x * 7 % 20; }
__global__ void wide(int4* p) { p[threadIdx.x % 5] = make_int4(1, 2, 3, threadIdx.x % 5); }
__global__ void halves(int* p) { const int b = blockIdx.x % (gridDim.x / 2); p[b] = 3 * b; }
__global__ void own(int* p) { p[blockIdx.x] = blockIdx.x; }
__global__ void one_other(int* p) { p[threadIdx.x / 2] = threadIdx.x / 2 + (blockIdx.x == 100); }
__global__ void half_other(int* p) { p[blockIdx.x % (gridDim.x / 2)] = blockIdx.x; }
int main() {
  int* p;
  cudaMalloc(&p, 1 << 16), cudaMemset(p, 0, 1 << 16);
  flag<<<512, 64>>>(p), pairs<<<512, 32>>>(p), scattered<<<512, 32>>>(p), wide<<<512, 32>>>((int4*)p);
  halves<<<512, 1>>>(p), own<<<512, 1>>>(p), one_other<<<512, 32>>>(p), half_other<<<512, 1>>>(p);
  cudaDeviceSynchronize();
  return cudaFree(p);
}
"""


def check_same_values(folder):
    """Blocks that leave the same value do not race, on any number of host threads; one that leaves another one does."""
    source, report = folder / "same_values.cu", folder / "same_values.json"
    source.write_text(SAME_VALUES)
    first = None
    for threads in ("1", "2", "5"):
        ran = subprocess.run([LAB, "run", "--quiet", "--threads", threads, "--json", report, source], capture_output=True, text=True)
        reported = [row["kernel"].split("(")[0] for row in json.loads(report.read_text()) if row["faults"]]
        check(reported == ["one_other", "half_other"], f"{threads} host threads: {reported} are reported: {ran.stderr}")
        first = first or report.read_text()
        check(report.read_text() == first, f"{threads} host threads report something else than one")


def check_cuda_12(folder):
    """A program that asks for libcudart.so.12, as those that CUDA 12 built do."""
    source, binary = folder / "program.cu", folder / "twelve"
    subprocess.run([NVCC, "-allow-unsupported-compiler", *PTX_ONLY, "-c", source, "-o", folder / "program.o"], check=True)
    subprocess.run(["g++", folder / "program.o", LIBRARIES / "libcudart.so.12", "-o", binary], check=True)
    # A folder that the binary insists on comes before LD_LIBRARY_PATH, and must not win.
    (folder / "other").mkdir()
    shutil.copy(LIBRARIES / "libcudart.so.13", folder / "other" / "libcudart.so.12")
    stubborn = folder / "stubborn"
    subprocess.run(["g++", folder / "program.o", LIBRARIES / "libcudart.so.12", "-o", stubborn,
                    "-Wl,--disable-new-dtags", f"-Wl,-rpath,{folder / 'other'}"], check=True)
    for program in (binary, stubborn):
        ran = subprocess.run([LAB, "run", "--quiet", program], capture_output=True, text=True)
        check(ran.returncode == 0 and "no error" in ran.stdout,
              f"{program.name}: {ran.returncode} {ran.stdout}{ran.stderr}")


def check_ends(folder):
    """Records survive every way to end, and the status is the program's own."""
    source = folder / "ends.cu"
    source.write_text(r"""
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <sys/wait.h>
__global__ void k(int* p) { p[threadIdx.x] = 1; }
int main(int, char** argv) {
  int* p;
  cudaMalloc(&p, 128);
  k<<<1, 32>>>(p);
  if (!strcmp(argv[1], "_exit")) _exit(7);
  if (!strcmp(argv[1], "abort")) abort();
  if (!strcmp(argv[1], "kill")) raise(SIGKILL);
  if (!strcmp(argv[1], "device pointer")) return p[0];
  if (!strcmp(argv[1], "fork")) {
    if (fork() == 0) { k<<<1, 32>>>(p); _exit(cudaDeviceSynchronize()); }
    int status = 0;
    wait(&status);
    k<<<1, 32>>>(p);
    return status;
  }
  return 0;
}
""")
    for how, status, launches in (("_exit", 7, 1), ("abort", 134, 1), ("kill", 137, 1), ("fork", 0, 3),
                                  ("device pointer", 139, 1)):
        report = folder / "report.json"
        ran = subprocess.run([LAB, "run", "--quiet", "--json", report, source, "--", how], capture_output=True, text=True)
        check(ran.returncode == status, f"{how}: exit {ran.returncode}, not {status}: {ran.stderr}")
        found = json.loads(report.read_text())
        check(len(found) == launches, f"{how}: {len(found)} launches in the report, not {launches}")
        check(all(row["counters"]["global_store"]["sectors"] == 4 for row in found), f"{how}: wrong counters")
        if how == "device pointer":
            check("device pointer on the host" in ran.stderr, f"{how}: not explained: {ran.stderr}")


def check_as_ptxas(folder):
    source, report = folder / "near.cu", folder / "near.json"
    source.write_text("""__global__ void k(float* p) {
  __shared__ float s[128];
  for (int i = threadIdx.x; i < 128; i += 32) s[i] = p[i];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum = sum * 2 + s[threadIdx.x * 4 + i];
  p[threadIdx.x] = sum;
}
int main() {
  float* p;
  cudaMalloc(&p, 512), cudaMemset(p, 0, 512);
  k<<<1, 32>>>(p);
  return cudaFree(p);
}
""")
    for words in ([], ["--as-ptxas"]):
        ran = subprocess.run([LAB, "run", *words, "--json", report, source], capture_output=True, text=True)
        check(ran.returncode == 0, f"{words}: exit {ran.returncode}: {ran.stderr}")
        row = json.loads(report.read_text())[0]
        check(row["counters"]["shared_load"]["requests"] == 4, f"{words}: {row['counters']['shared_load']}")
        check(("as_ptxas" in row) == bool(words), f"{words}: as_ptxas where it was not asked for, or none")
        check(("ptxas" in ran.stdout) == bool(words), f"{words}: {ran.stdout}")
    check(row["as_ptxas"]["counters"]["shared_load"]["requests"] == 1, f"not merged: {row['as_ptxas']['counters']['shared_load']}")


MANY_LAUNCHES = r"""
#include <cstdio>
__global__ void step(int* p) { *p += 1; }
int main() {
  int *p, value = 0;
  cudaMalloc(&p, 4), cudaMemset(p, 0, 4);
  for (int k = 1; k <= 5; ++k) {
    step<<<1, 1>>>(p);
    cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
    printf("after %d: %d\n", k, value);
  }
  cudaFree(p);
}
"""


def check_launches(folder):
    """--launches N: N launches in full, then the end, which the table names; with enough of them nothing changes."""
    source, report = folder / "launches.cu", folder / "launches.json"
    source.write_text(MANY_LAUNCHES)
    for most, rows in ((1, 1), (3, 3), (5, 5), (9, 5)):
        ran = subprocess.run([LAB, "run", "--launches", str(most), "--json", report, source], capture_output=True, text=True)
        ended = most < 5
        check(ran.returncode == (4 if ended else 0), f"--launches {most}: exit {ran.returncode}: {ran.stderr}")
        check(len(json.loads(report.read_text())) == rows, f"--launches {most}: not {rows} launches")
        check((f"after {rows}: {rows}" in ran.stdout) and f"after {rows + 1}:" not in ran.stdout, f"--launches {most}: {ran.stdout}")
        check((f"ended before launch {most + 1}" in ran.stdout) == ended, f"--launches {most}: {ran.stdout}")
        check("lane instructions" not in ran.stderr, f"a line for a person who is not there: {ran.stderr}")
    for wrong in ("0", "x", "-1"):
        ran = subprocess.run([LAB, "run", f"--launches={wrong}", source], capture_output=True, text=True)
        check(ran.returncode == 2 and "--launches" in ran.stderr, f"--launches={wrong}: exit {ran.returncode}: {ran.stderr}")


def check_progress(folder):
    """At a terminal, a line from the third second on, gone at the end; none with --quiet."""
    source = folder / "long.cu"
    source.write_text(MANY_LAUNCHES.replace("*p += 1;", "for (int k = 0; k < 8000000; ++k) *(volatile int*)p += 1;"))
    for words, wanted in (([], True), (["--quiet"], False)):
        leader, follower = pty.openpty()
        ran = subprocess.Popen([LAB, "run", *words, source], stdout=subprocess.DEVNULL, stderr=follower,
                               env={**os.environ, "TERM": "xterm"})
        os.close(follower)
        said = b""
        try:
            while piece := os.read(leader, 65536):
                said += piece
        except OSError:  # the other side is closed
            pass
        os.close(leader)
        check(ran.wait() == 0, f"{words}: exit {ran.returncode}: {said}")
        check((b"launch " in said) == wanted, f"{words}: {said}")
        check(not wanted or said.endswith(b"\r\x1b[K"), f"the line is not wiped: {said[-100:]}")


def check_time(folder):
    source, report = folder / "copies.cu", folder / "copies.json"
    source.write_text("""__global__ void copy(float* out, const float* in) { int i = blockIdx.x * 256 + threadIdx.x; out[i] = in[i]; }
__global__ void scatter(float* out, const float* in) { int i = blockIdx.x * 256 + threadIdx.x; out[i * 8 % 65536 + i * 8 / 65536] = in[i]; }
int main() {
  float *out, *in, *large;
  cudaMalloc(&out, 262144), cudaMalloc(&in, 262144), cudaMalloc(&large, 128 << 20), cudaMemset(in, 0, 262144);
  copy<<<256, 256>>>(out, in);
  cudaMemset(large, 0, 128 << 20);
  copy<<<256, 256>>>(out, in), copy<<<256, 256>>>(out, in), scatter<<<256, 256>>>(out, in);
  return cudaDeviceSynchronize();
}
""")
    seen = []
    for words in ([], ["--time"], ["--time"], ["--time", "--gpu", "t4"]):
        ran = subprocess.run([LAB, "run", *words, "--json", report, source], capture_output=True, text=True)
        check(ran.returncode == 0, f"{words}: exit {ran.returncode}: {ran.stderr}")
        rows = json.loads(report.read_text())
        check(all(("modelled" in row) == bool(words) for row in rows), f"{words}: modelled where it was not asked for, or none")
        check(("not measured" in ran.stdout) == bool(words), f"{words}: {ran.stdout}")
        check(("Nothing was measured on this GPU" in ran.stdout) == ("t4" in words), f"{words}: {ran.stdout}")
        seen.append((rows, ran.stdout))
    check(seen[1] == seen[2], "two runs, two predictions")
    check([row["counters"] for row in seen[0][0]] == [row["counters"] for row in seen[1][0]], "--time changes the ledger")
    filled, first, second, scattered = (row["modelled"] for row in seen[1][0])
    check((filled["dram_read"], first["dram_read"], second["dram_read"]) == (0, 262144, 0), f"the cache: {filled}, {first}, {second}")
    check(first["l2_sectors"] == second["l2_sectors"] == 2 * 8192, f"sectors of L2: {first}")
    check(first["work"]["l2_partial_sectors"] == 0 and scattered["work"]["l2_partial_sectors"] == 65536, f"partial sectors: {scattered}")
    check(first["bound"] == "launch" and set(first["parts"]) == {"dram", "l2", "atomics", "l1", "issue", "starts", "waits"}, f"{first}")


def check_usage(folder):
    text = folder / "notes.txt"
    text.write_text("no program")
    for words, said in ((["nothing.cu"], "no file"), ([text], "neither"), ([], "nothing to run"),
                        (["--gpu", "x", text], "h200"), (["--json"], "value")):
        ran = subprocess.run([LAB, "run", *words], capture_output=True, text=True)
        check(ran.returncode == 2, f"{words}: exit {ran.returncode}, not 2")
        check(said in ran.stderr, f"{words}: does not say \"{said}\": {ran.stderr}")


INSIDE = r"""
#include <cstdio>
__global__ void k(int* p) { p[threadIdx.x] = threadIdx.x; }
extern "C" int work() {
  int *p, out[32];
  if (cudaMalloc(&p, sizeof out) != cudaSuccess) return -1;
  k<<<1, 32>>>(p);
  cudaMemcpy(out, p, sizeof out, cudaMemcpyDeviceToHost);
  cudaFree(p);
  return out[31];
}
"""
LOADS = r"""
#include <cstdio>
#include <dlfcn.h>
int main(int, char** words) {
  void* library = dlopen(words[1], RTLD_NOW);
  if (library == nullptr) return 3;
  printf("%d from inside\n", reinterpret_cast<int (*)()>(dlsym(library, "work"))());
}
"""


def check_runtime_inside(folder):
    """A library that carries the CUDA runtime, in a program that knows nothing of CUDA; and a program without any."""
    library, program = folder / "libinside.so", folder / "loads"
    (folder / "inside.cu").write_text(INSIDE)
    (folder / "loads.cpp").write_text(LOADS)
    subprocess.run([NVCC, "-shared", "-Xcompiler", "-fPIC", *PTX_ONLY, folder / "inside.cu", "-o", library], check=True)
    subprocess.run(["c++", folder / "loads.cpp", "-o", program, "-ldl"], check=True)
    ran = subprocess.run([LAB, "run", program, "--", library], capture_output=True, text=True)
    check(ran.returncode == 0 and ran.stdout.startswith("31 from inside\n") and " k " in ran.stdout,
          f"runtime in a library: exit {ran.returncode}: {ran.stdout}{ran.stderr}")
    ran = subprocess.run([LAB, "run", "/bin/true"], capture_output=True, text=True)
    check(ran.returncode == 0 and "launched no kernel" in ran.stdout, f"no CUDA at all: {ran.stdout}{ran.stderr}")


DRIVER_ONLY = r"""
#include <cuda.h>
#include <cstdio>
int main() {
  CUdevice device;
  char name[64] = "";
  const bool good = cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS &&
                    cuDeviceGetName(name, sizeof name, device) == CUDA_SUCCESS;
  std::printf("%s\n", name);
  return good && cuGraphicsMapResources(0, nullptr, nullptr) == CUDA_ERROR_NOT_SUPPORTED ? 0 : 1;
}
"""


def check_ends_of_builds(folder):
    """Each end of a build is called what it is, with the file that it is about; what is refused has one sentence."""
    sources = {
        "good": PROGRAM,
        "wrong": "__global__ void k() { nonsense; }",
        "open_end": "int elsewhere(); int main() { return elsewhere(); }",
        "launch": "__global__ void k() {} int main() { k<<<1, 2000>>>(); return cudaDeviceSynchronize(); }",
        "empty": "__global__ void k() {} int main() { k<<<0, 32>>>(); return cudaDeviceSynchronize(); }",
        "driver": DRIVER_ONLY,
    }
    paths = {name: folder / f"{name}_end.cu" for name in sources}
    for name, text in sources.items():
        paths[name].write_text(text)
    paths["cpp"] = folder / "language_end.cpp"  # whose language only the option names
    paths["cpp"].write_text(DRIVER_ONLY + "__global__ void device_code() {}\n")
    for words, status, said, unsaid in (
            ([paths["good"], paths["wrong"]], 1, "wrong_end.cu does not compile", "--rdc"),
            ([paths["open_end"]], 1, "open_end_end.cu does not link", "compile."),
            ([paths["good"], "-lcusolverMg"], 2, "cuSOLVERMg", "cublas"),
            ([paths["cpp"], "-x", "cu"], 0, "NVIDIA H200", "link"),
            ([paths["launch"]], 1, "a launch was refused and never began", "stopped with a fault"),
            ([paths["empty"]], 0, "a grid of [0,1,1]", "exit 1"),
            ([paths["driver"]], 0, "cuGraphicsMapResources is not simulated", "does not"),
            ([paths["driver"], "-lcuda", "-lcublas", "-lnvrtc", "-lcusolver", "-lcusparse"], 0, "NVIDIA H200", "does not")):
        ran = subprocess.run([LAB, "run", "--quiet", *words], capture_output=True, text=True)
        what = " ".join(Path(word).name for word in words)
        check(ran.returncode == status, f"{what}: exit {ran.returncode}, not {status}: {ran.stderr}")
        check(said in ran.stdout + ran.stderr, f"{what}: does not say \"{said}\": {ran.stdout}{ran.stderr}")
        check(unsaid not in ran.stderr, f"{what}: says \"{unsaid}\": {ran.stderr}")


def check_fronts():
    """The libraries that stand for others have every name of theirs, and nothing else that a program could call."""
    for name, files in {"cuda": ["libcuda.so.1"], "cublas": ["libcublas.so.13", "libcublas.so.12"], "curand": ["libcurand.so.10"],
                        "cufft": ["libcufft.so.12", "libcufft.so.11"], "cusparse": ["libcusparse.so.12"],
                        "cusolver": ["libcusolver.so.12", "libcusolver.so.11"],
                        "cublasLt": ["libcublasLt.so.13"], "nvrtc": ["libnvrtc.so.13"]}.items():
        wanted = set((ROOT / f"common/run/cudart/{name}_symbols.txt").read_text().split())
        for file in files:
            names = {s.split("@")[0] for s in symbols(LIBRARIES / file)} - {file}
            check(names == wanted, f"{file}: {sorted(names ^ wanted)[:5]} too many or missing")


def main():
    if not Path(NVCC).exists():
        print("nvcc is not here, so no CUDA program can be compiled. Run: ./lab setup")
        return 77
    check_symbols()
    check_null_pointers()
    check_layout()
    with tempfile.TemporaryDirectory() as folder:
        check_binaries(Path(folder))
        check_driver_alone(Path(folder))
        check_flags(Path(folder))
        check_architecture(Path(folder))
        check_same_values(Path(folder))
        check_cuda_12(Path(folder))
        check_ends(Path(folder))
        check_as_ptxas(Path(folder))
        check_launches(Path(folder))
        check_progress(Path(folder))
        check_time(Path(folder))
        check_usage(Path(folder))
        check_runtime_inside(Path(folder))
        check_ends_of_builds(Path(folder))
    check_fronts()
    print("\n".join(failures) or "all as expected")
    return 1 if failures else 0


sys.exit(main())
