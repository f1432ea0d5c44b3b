#!/usr/bin/env python3
"""Kernels drawn from a grammar of right ones: none may lose a point, and each with one planted fault must be named.

Enters: LAB_PROGRAM, or the path of `lab` as an argument; a seed (LAB_SEED, else the clock's; printed). Leaves: exit
status 1 when a right kernel failed or a fault was not named, with the draw that repeats it. A few kernels in each
run, more with LAB_DRAWS or `--count 1000`; `--kernel SEED` for one. Seeds that failed once stand in KEPT and are drawn
in every run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "drawn")]
import draws  # noqa: E402

KEPT = [160836843, 66848503, 737830780, 268269620, 816629792, 251458561, 931358624, 749163075]  # seeds that failed once
SIDES = (8, 16, 32, 64)
MORE_ROOM = 8192  # floats that no thread uses


@dataclass(frozen=True)
class Tile:
    """A tile in shared memory: its sides, and where element (y, x) is kept."""

    rows: int
    cols: int
    place: str  # of y and x, in words of C
    words: int  # of shared memory

    def conflicts(self, lanes_along_rows: bool) -> int:
        """The most words that one bank has in a request of 32 lanes, over all requests of one pass."""
        order = [(y, x) for y in range(self.rows) for x in range(self.cols)]
        if not lanes_along_rows:
            order = [(y, x) for x in range(self.cols) for y in range(self.rows)]
        worst = 0
        for first in range(0, len(order), 32):
            banks: dict[int, set[int]] = {}
            for y, x in order[first : first + 32]:
                word = int(eval(self.place.replace("/", "//"), {"y": y, "x": x}))  # noqa: S307, a formula of this file
                banks.setdefault(word % 32, set()).add(word)
            worst = max(worst, *(len(words) for words in banks.values()))
        return worst

    def free(self) -> bool:
        return self.conflicts(True) == 1 and self.conflicts(False) == 1


def padded(rows: int, cols: int, pad: int) -> Tile:
    return Tile(rows, cols, f"y * {cols + pad} + x", rows * (cols + pad))


def permuted(rows: int, cols: int, draw: random.Random) -> Tile:
    """Each row's elements change places within it."""
    line = max(1, 32 // cols)  # rows side by side in the banks
    turn = draw.choice(("xor", "plus", "minus", "gray"))
    step = f"(y / {line})" if line > 1 else "y"
    if turn == "xor":
        place = f"y * {cols} + (x ^ ({step} % {cols}))"
    elif turn == "plus":
        place = f"y * {cols} + (x + {step}) % {cols}"
    elif turn == "minus":
        place = f"y * {cols} + (x + {cols} * {rows} - {step}) % {cols}"
    else:
        place = f"y * {cols} + (x ^ (({step} ^ ({step} >> 1)) % {cols}))"
    return Tile(rows, cols, place, rows * cols)


def drawn_tile(draw: random.Random, chapter: int) -> Tile:
    """A tile as the chapter asks for it."""
    while True:
        rows, cols = draw.choice(SIDES), draw.choice(SIDES)
        if rows * cols > 4096 or rows * cols < 64:
            continue
        if chapter == 4:
            return padded(rows, cols, draw.choice((0, 0, 1, 2, 3)))
        if chapter == 5:
            tile = padded(rows, cols, draw.choice((1, 1, 2, 3, 4, 5)))
            if tile.words * 4 > 4224 or not tile.free():
                continue
            return tile
        if rows * cols != 1024:
            continue
        tile = permuted(rows, cols, draw)
        if tile.free():
            return tile


BARRIERS = {
    "syncthreads": ("", "", "__syncthreads();"),
    "assembly": ("", "", 'asm volatile("bar.sync 0;" ::: "memory");'),
    "named": ("", "", 'asm volatile("bar.sync 3, {threads};" ::: "memory");'),
    "counted": ("", "", "__syncthreads_count(1);"),
    "voted": ("", "", "if (__syncthreads_or(threadIdx.x == 0) == 0) return;"),
    "groups": ("#include <cooperative_groups.h>\n", "", "cooperative_groups::this_thread_block().sync();"),
    "cuda_barrier": (
        "#include <cuda/barrier>\n",
        "#pragma nv_diag_suppress static_var_with_dynamic_init\n"
        "  __shared__ cuda::barrier<cuda::thread_scope_block> bar;\n"
        "  if (thread == 0) init(&bar, {threads});\n  __syncthreads();\n",
        "bar.arrive_and_wait();",
    ),
    "mbarrier": (
        "",
        "__shared__ unsigned long long bar;\n"
        "  const unsigned b = unsigned(__cvta_generic_to_shared(&bar));\n"
        '  if (thread == 0) asm volatile("mbarrier.init.shared.b64 [%0], {threads};" ::"r"(b) : "memory");\n'
        "  __syncthreads();\n",
        'asm volatile("{{\\n.reg .b64 s;\\n.reg .pred p;\\nmbarrier.arrive.shared.b64 s, [%0];\\n'
        'W: mbarrier.try_wait.shared.b64 p, [%0], s;\\n@!p bra W;\\n}}" ::"r"(b) : "memory");',
    ),
}

# Where a planted fault shows: conditions of the matrix, each true of a good part of all shapes.
WHERE = (
    "true",
    "rows > {n} && cols > {n}",
    "rows % 32 == 0 && cols % 32 == 0 && rows != cols",
    "(rows % 32 == 0) != (cols % 32 == 0)",
    "rows == cols && rows != 1024",
    "max(rows, cols) > {n} && min(rows, cols) < 700",
    "rows < cols",
    "rows > cols",
    "rows % 8 != 0 && rows > 64",
    "(rows + cols) % 2 == 0 && rows != 1024",
    "max(rows, cols) <= 128",
    "size_t(rows) * cols > 2000000",
)


@dataclass
class Kernel:
    chapter: int
    source: str
    fault: str  # "" for none
    codes: tuple[str, ...]
    about: str


def column_walk() -> str:
    return """for (int i = thread; i < TR * TC; i += THREADS) {
      const size_t row = row0 + i % TR, col = col0 + i / TR;
      if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
    }
    return;"""


def kernel(seed: int, faulty: bool) -> Kernel:
    draw = random.Random(seed)
    chapter = draw.choice((4, 5, 6))
    tile = drawn_tile(draw, chapter)
    elems = tile.rows * tile.cols
    threads = draw.choice([t for t in (32, 64, 96, 128, 192, 256, 512, 1024) if t <= elems and elems // t >= 1])
    flat = draw.random() < 0.5
    x_side = threads if flat else draw.choice([x for x in (8, 16, 32, 64) if threads % x == 0])
    block = (x_side, threads // x_side)
    name = draw.choice(sorted(BARRIERS))
    if threads % 32 and name == "named":
        name = "syncthreads"
    include, setup, barrier = BARRIERS[name]
    barrier = barrier.format(threads=threads)
    setup = setup.replace("{threads}", str(threads))
    dynamic = draw.random() < 0.25
    reps = (1, 1)
    if draw.random() < 0.3:
        reps = draw.choice(((2, 1), (1, 2), (4, 1), (1, 3), (2, 2)))
        if name == "voted":
            barrier = "__syncthreads();"
    walks = draw.choice(("kRows", "kCols"))
    back = draw.random() < 0.3  # iterations from the last to the first
    hint = draw.choice(("{}", "__ldg(&{})", "__ldcs(&{})")).format
    fault, where = "", "true"
    codes: tuple[str, ...] = ()
    load_guard = store_guard = "row < rows && col < cols"
    store_index = "size_t(col) * rows + row"
    extra = switch = ""
    place = tile.place
    store = "out[AT] = tile[PLACE];"
    if faulty:
        where = draw.choice(WHERE).replace("{n}", str(draw.choice((200, 500, 1030))))
        fault = draw.choice(
            ("no-barrier", "no-guard", "wrong-index", "columns", "nothing", "zeros", "atomics", "room", "conflict", "own-slot", "int-index")
        )
        if fault == "conflict" and chapter == 4:
            fault = "columns"
        # Where nothing bounds the room, an eighth of it has to be used.
        if fault == "room" and chapter == 4 and 8 * tile.words > tile.words + MORE_ROOM:
            fault = "columns"
    if fault == "no-barrier":
        barrier, setup, codes = ";", setup if "bar" not in setup else "", ("shared-race", "uninitialised-shared", "wrong-element", "missing-syncwarp")
        setup, include = "", ""
        where = "true"
    elif fault == "no-guard":
        if draw.random() < 0.5:
            store_guard = "row < rows"
        else:
            load_guard = "row < rows"
        codes = ("out-of-bounds", "wrong-element", "global-race", "uninitialised-shared")  # the tile holds nothing there
        where = "true"
    elif fault == "wrong-index":
        store_index = draw.choice(("size_t(row) * cols + col", "size_t(col) * rows + (row ^ 1)", "size_t(col) * cols + row"))
        codes = ("out-of-bounds", "wrong-element", "global-race", "never-written")
        where = "true"
    elif fault == "int-index":
        store_index = "int(col) * rows + int(row)"
        codes = ("index-overflow", "out-of-bounds")
        where = "true"
    elif fault == "columns":
        switch, codes = column_walk(), ("uncoalesced", "not-exchanged", "many-instructions", "not-used", "other-path")
    elif fault == "nothing":
        switch, codes = "return;", ("never-written",)
    elif fault == "zeros":
        switch, codes = "if (in[0] != 0.f) return;", ("never-written", "out-of-bounds")
    elif fault == "atomics":
        switch = """for (int i = thread; i < TR * TC; i += THREADS) {
      const size_t row = row0 + i % TR, col = col0 + i / TR;
      if (row < rows && col < cols) atomicExch(&out[col * rows + row], in[row * cols + col]);
    }
    return;"""
        codes = ("other-path", "uncoalesced", "not-exchanged", "never-written", "not-used", "many-instructions", "narrow-access")
    elif fault == "room":
        extra = "__shared__ float more[MORE];\n  if (rows < 0) more[thread] = in[0], out[0] = more[rows];"
        extra = extra.replace("MORE", str(MORE_ROOM))
        codes = ("unused-shared", "too-much-shared")
        where = "true"
    elif fault == "conflict":
        place = f"(plain ? y * {tile.cols} + x : {tile.place})"
        extra = f"const bool plain = {where};"
        codes = ("bank-conflict",)
        if padded(tile.rows, tile.cols, 0).free():
            fault, codes = "", ()
    elif fault == "own-slot":
        switch = """for (int i = thread; i < TR * TC; i += THREADS) {
      const size_t row = row0 + i % TR, col = col0 + i / TR;
      if (row < rows && col < cols) {
        tile[i] = in[row * cols + col];
        out[col * rows + row] = tile[i];
      }
    }
    return;"""
        codes = ("not-exchanged", "uncoalesced")
    room = (
        f"extern __shared__ float tile[];  // {tile.words} floats"
        if dynamic
        else f"__shared__ float tile[{tile.words}];"
    )
    loop = (
        "for (int i = TR * TC - 1 - thread; i >= 0; i -= THREADS)" if back else "for (int i = thread; i < TR * TC; i += THREADS)"
    )
    rounds_rows, rounds_cols = reps
    body = f"""
      {loop} {{
        const int y = i / TC, x = i % TC;
        const size_t row = row0 + y, col = col0 + x;
        if ({load_guard}) tile[{place}] = {hint("in[row * cols + col]")};
      }}
      {barrier}
      {loop} {{
        const int x = i / TR, y = i % TR;
        const size_t row = row0 + y, col = col0 + x;
        if ({store_guard}) {store.replace("AT", store_index).replace("PLACE", place)}
      }}"""
    if reps != (1, 1):
        again = "__syncthreads();" if fault != "no-barrier" else ""
        body = f"""
  for (int down = 0; down < {rounds_rows}; ++down)
    for (int right = 0; right < {rounds_cols}; ++right) {{
      const size_t row0 = top + down * TR, col0 = left + right * TC;
      {again}{body}
    }}"""
        first = "const size_t row0 = top, col0 = left;  (void)row0; (void)col0;"
    else:
        first = "const size_t row0 = top, col0 = left;"
    condition = f"if ({where}) {{\n    {switch}\n  }}" if switch else ""
    if switch and reps != (1, 1):
        condition = condition.replace("i < TR * TC", f"i < TR * TC * {rounds_rows * rounds_cols}")
        condition = condition.replace("i % TR", f"i % (TR * {rounds_rows})").replace("i / TR", f"i / (TR * {rounds_rows})")
        condition = condition.replace("tile[i]", "tile[thread]")
    tile_rows, tile_cols = tile.rows * rounds_rows, tile.cols * rounds_cols
    row_block, col_block = ("blockIdx.x", "blockIdx.y") if walks == "kRows" else ("blockIdx.y", "blockIdx.x")
    dynamic_field = f", .dynamic_shared_bytes = {tile.words * 4}" if dynamic else ""
    source = f"""// Drawn: seed {seed}
{include}#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {{.block = {{{block[0]}, {block[1]}}}, .tile = {{{tile_rows}, {tile_cols}}}, .block_x_walks = {walks}{dynamic_field}}};
constexpr int TR = {tile.rows}, TC = {tile.cols}, THREADS = {threads};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {{
  {room}
  const int thread = threadIdx.y * {block[0]} + threadIdx.x;
  const size_t top = size_t({row_block}) * {tile_rows}, left = size_t({col_block}) * {tile_cols};
  {first}
  {extra}
  {condition}
  {setup}{body}
}}
"""
    about = f"chapter {chapter}, tile {tile.rows}x{tile.cols}, {name}, {threads} threads"
    if fault:
        about += f", planted: {fault} where {where}"
    return Kernel(chapter, source, fault, codes, about)


def judged(lab: Path, k: Kernel, folder: Path, seed: int, key: str) -> tuple[bool, set[str]]:
    """Whether all but predictions passed, and the diagnoses."""
    file = folder / f"drawn_{seed}{'_' + k.fault if k.fault else ''}.cu"
    file.write_text(k.source)
    command = [str(lab), "check", str(k.chapter), "--kernel", str(file), "--json"]
    if key:
        command += ["--key", key]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    try:
        card = json.loads(done.stdout)
    except json.JSONDecodeError:
        return False, {f"no card: {done.stdout[-300:]}{done.stderr[-300:]}"}
    codes = {
        reason["code"]
        for case in card.get("cases", [])
        if case["kind"] != "prediction"
        for reason in case.get("reasons", [])
    } - {"not-reached"}
    if "cases" not in card:
        codes.add(json.dumps(card)[:300])
    return not codes, codes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lab", type=Path, nargs="?", default=os.environ.get("LAB_PROGRAM"))
    parser.add_argument("--count", type=int, default=draws.draws_of_run(3), help="right kernels, and as many with a fault")
    parser.add_argument("--kernel", type=int, help="this seed alone")
    parser.add_argument("--key", default="", help="a class's key in place of the public one")
    parser.add_argument("--show", action="store_true", help="print the source")
    args = parser.parse_args()
    if args.lab is None:
        parser.error("which lab? Give its path, or set LAB_PROGRAM.")
    lab = args.lab.resolve()  # the build folder may be the current one
    first = draws.drawn("drawn kernels")
    seeds = [args.kernel] if args.kernel is not None else KEPT + [first.randrange(1 << 30) for _ in range(args.count)]
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        for one in seeds:
            for faulty in (False, True):
                k = kernel(one, faulty)
                if faulty and not k.fault:
                    continue
                if args.show:
                    print(k.source)
                passed, codes = judged(lab, k, Path(name), one, args.key)
                ok = passed if not k.fault else bool(codes & set(k.codes))
                if not ok:
                    wrong += 1
                    said = ", ".join(sorted(codes)) or "passed"
                    wanted = "|".join(k.codes) or "to pass"
                    print(f"--kernel {one}: {k.about}\n  wanted {wanted}; the check says: {said}")
                elif args.kernel is not None:
                    print(f"{k.about}: {', '.join(sorted(codes)) or 'passed'}")
    print(f"{2 * len(seeds)} kernels, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
