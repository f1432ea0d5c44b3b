"""What compute-sanitizer's four tools say of the kernels in tests/mutants/faults and of tests/cudart/order: on a GPU.

    faults.py FOLDER OUT [FILE]    writes OUT/faults_sanitizer.csv: name, kind, and a column a tool

With FILE, `wrong NAME` or `right NAME` a line, only these. FOLDER holds `faults` (tests/mutants/faults) and `order.cu`. A cell is `clean`, `found` (with what it says first), or
`timeout`. A kernel gets a host program of its own around it, with the buffers and launch that the simulator gives it.
"""
import csv
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOOLS = {"memcheck": ["--leak-check", "full"], "racecheck": [], "initcheck": [], "synccheck": []}
MAIN = """
#include <cstdio>
#include <vector>
int main() {
  const int words = 4096;
  int *out, *in;
  cudaMalloc(&out, 4 * words);
  cudaMalloc(&in, 4 * words);
  cudaMemset(out, 0, 4 * words);
  std::vector<int> numbers(words);
  for (int i = 0; i < words; ++i) numbers[i] = i;
  cudaMemcpy(in, numbers.data(), 4 * words, cudaMemcpyHostToDevice);
  kernel<<<%d, %d>>>(out, in, %d);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaMemcpy(numbers.data(), out, 4 * words, cudaMemcpyDeviceToHost);
  cudaFree(out);
  cudaFree(in);
  return error == cudaSuccess ? 0 : 1;
}
"""


def built(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr[-2000:], flush=True)
    return done.returncode == 0


def finding(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=25)
    except subprocess.TimeoutExpired:
        return "timeout"
    text = done.stdout + done.stderr
    said = [line.removeprefix("=========").strip() for line in text.splitlines() if line.startswith("=========")]
    worth = [line for line in said if re.match(r"(Invalid|Error|Warning|Uninitialized|Barrier|Leaked|Race|Program hit|Host)", line)]
    total = re.findall(r"(?:ERROR SUMMARY|RACECHECK SUMMARY): (\d+)", text)
    if not total:
        return "timeout"  # killed before it could sum up
    if int(total[-1]) == 0:
        return "clean"
    return "found: " + (worth[0] if worth else said[-1] if said else text[-80:])[:100]


def main():
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    wanted = set(Path(sys.argv[3]).read_text().splitlines()) if len(sys.argv) > 3 else None
    work = Path("/tmp/faults_work")
    work.mkdir(exist_ok=True)
    programs = []
    for kind in ("wrong", "right"):
        for file in sorted((folder / "faults" / kind).glob("*.cu")):
            blocks, threads = map(int, re.search(r"// launch: (\d+) (\d+)", file.read_text()).groups())
            source = work / f"{kind}_{file.stem}.cu"
            source.write_text(f'#include "{file.resolve()}"\n' + MAIN % (blocks, threads, blocks * threads))
            programs.append((file.stem, kind, source, []))
    order = (folder / "order.cu").read_text()
    for case in re.findall(r'is\("(\w+)"\)', order):
        kind, name = case.split("_", 1)
        programs.append((f"order: {name}", kind, folder / "order.cu", [case]))
    if wanted is not None:
        programs = [program for program in programs if f"{program[1]} {program[0]}" in wanted]
    sources = sorted({source for _, _, source, _ in programs})
    with ThreadPoolExecutor(14) as pool:
        binary = {s: work / (s.stem + ".bin") for s in sources}
        ok = dict(zip(sources, pool.map(
            lambda s: built(["nvcc", "-arch=sm_90", "-lineinfo", "-o", str(binary[s]), str(s)]), sources)))
        def ask(program):
            name, kind, source, arguments = program
            if not ok[source]:
                return [name, kind] + ["not built"] * len(TOOLS)
            return [name, kind] + [finding(["timeout", "-s", "KILL", "20", "compute-sanitizer", "--tool", tool, *options,
                                            str(binary[source]), *arguments]) for tool, options in TOOLS.items()]
        rows = list(pool.map(ask, programs))
    with (out / "faults_sanitizer.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "kind", *TOOLS])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
