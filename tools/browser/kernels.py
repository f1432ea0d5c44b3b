"""The kernels of the lab in a browser, compiled ahead.

Enters: the clone, the built program lab-ahead. Leaves: every skeleton, solution and mutant, and the kernels of the workbench: one
tile kernel in all its element types, tile sizes and layouts.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools")]
from waiting import Waiting  # noqa: E402

WORKBENCH = ".cache/browser"  # in the clone, so that the native lab takes the same files
ELEMENTS = {1: "unsigned char", 2: "unsigned short", 4: "float", 8: "double", 16: "float4"}
SIDES = (32, 16)
PADS = (0, 1, 2, 4, 8)
FORMULAS = {"xor": "x ^ y", "rotate": "(x + y) % kTile", "xor2": "x ^ (2 * y % kTile)", "half": "x ^ (y / 2)"}

HEAD = """// A kernel of the workbench: elements of {bytes} bytes, {words}.
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {{
    .block = {{32, 8}},        // threads: x, y
    .tile = {{{side}, {side}}},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
}};

constexpr int kTile = {side};
"""
TILED = """
// Where element (y, x) of the tile lies in row y.
__device__ int place(int y, int x) {{ return {formula}; }}

extern "C" __global__ void transpose({type}* out, const {type}* in, int rows, int cols) {{
  __shared__ {type} tile[kTile][kTile + {pad}];
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
  for (int y = threadIdx.y; y < kTile; y += blockDim.y)
    for (int x = threadIdx.x; x < kTile; x += blockDim.x)
      if (row0 + y < rows && col0 + x < cols) tile[y][place(y, x)] = in[(row0 + y) * cols + col0 + x];
  __syncthreads();
  for (int x = threadIdx.y; x < kTile; x += blockDim.y)
    for (int y = threadIdx.x; y < kTile; y += blockDim.x)
      if (row0 + y < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + y] = tile[y][place(y, x)];
}}
"""
DIRECT = """
extern "C" __global__ void transpose({type}* out, const {type}* in, int rows, int cols) {{
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
  for (int {outer} = threadIdx.y; {outer} < kTile; {outer} += blockDim.y)
    for (int {inner} = threadIdx.x; {inner} < kTile; {inner} += blockDim.x)
      if (row0 + y < rows && col0 + x < cols) out[(col0 + x) * rows + row0 + y] = in[(row0 + y) * cols + col0 + x];
}}
"""


def layouts() -> list[tuple[str, str, str, dict]]:
    """Name, words, body and what the body asks for, of each way to lay out a tile."""
    return [("rows", "no tile, lanes along the rows of `in`", DIRECT, {"outer": "y", "inner": "x"}),
            ("columns", "no tile, lanes along the rows of `out`", DIRECT, {"outer": "x", "inner": "y"}),
            *((f"pad{pad}", f"a tile with rows {pad} elements longer", TILED, {"pad": pad, "formula": "x"}) for pad in PADS),
            *((name, f"a tile with column {formula}", TILED, {"pad": 0, "formula": formula}) for name, formula in FORMULAS.items())]


def workbench() -> dict[str, str]:
    """Name -> text, for each choice of the page: bytes_side_layout."""
    return {f"{WORKBENCH}/{size}_{side}_{layout}.cu": HEAD.format(bytes=size, side=side, words=words) + body.format(type=kind, **more)
            for size, kind in ELEMENTS.items() for side in SIDES for layout, words, body, more in layouts()}


def course() -> list[str]:
    """Skeletons, solutions and mutants, by their place in the clone."""
    found = [*ROOT.glob("solutions/*/*.cu"), *ROOT.glob("tests/mutants/**/*.cu")]
    return sorted(str(path.relative_to(ROOT)) for path in found if "faults/wrong" not in str(path) and "faults/right" not in str(path))


def told(text: str) -> dict[str, str]:
    """What the first lines of a kernel say of it."""
    head = re.match(r"(?:// .*\n)+", text)
    lines = [line[3:] for line in head[0].splitlines()] if head else []
    return {key: value for key, _, value in (line.partition(": ") for line in lines) if value}


def ahead(program: str, names: list[str], folder: str) -> subprocess.CompletedProcess:
    """What NVRTC makes of the kernels, into the folder: all others compile for chapters before Hopper alone."""
    return subprocess.run([program, folder], input="\n".join(names) + "\n", capture_output=True, text=True, cwd=ROOT,
                          env={**os.environ, "LAB_ROOT": str(ROOT), "LAB_COMPILER": "nvrtc"})


def compiler_problem(program: str) -> str:
    """Why no kernel can be compiled here; "" when it can."""
    with tempfile.TemporaryDirectory() as folder:
        done = ahead(program, ["solutions/01_naive/transpose.cu"], folder)
    return done.stderr.strip() if done.returncode else ""


def compiled(program: str) -> tuple[dict[str, str], list[str]]:
    """Place -> text for the browser's files: kernels and what their compiler made of them; and those that no compiler ends with."""
    made = workbench()
    for name, text in made.items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    names = [*course(), *made]
    with tempfile.TemporaryDirectory() as folder:
        with Waiting("compiling the kernels"):
            done = ahead(program, names, folder)
        if done.returncode:
            raise OSError(f"the kernels could not be compiled: {done.stderr.strip()[-2000:]}")
        left_out = done.stdout.split()
        files = {name: (ROOT / name).read_text(encoding="utf-8") for name in names if name not in left_out}
        for path in sorted(pathlib.Path(folder).rglob("*.cu")):
            files[f".ahead/{path.relative_to(folder)}"] = path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "common/kernel").glob("*.*h")):
        files[str(path.relative_to(ROOT))] = path.read_text(encoding="utf-8")
    return files, left_out
