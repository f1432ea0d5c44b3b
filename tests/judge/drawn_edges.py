#!/usr/bin/env python3
"""Right kernels of chapters 03 and 08 with an edge path, as people write them: none may lose a point, whatever an optimiser does.

Enters: LAB_PROGRAM, or the path of `lab` as an argument; a seed (LAB_SEED, else the clock's; printed). Leaves: exit
status 1 when a kernel lost a point, with the draw that repeats it. A few kernels in each run, more with LAB_DRAWS or
`--count 1000`; `--kernel SEED` for one. `--compilers nvrtc,nvcc,clang,builtin`: each that accepts a kernel has to give
the same points. `--advice`: kernels whose store or load was split get the form that the message names, and have to be
whole by the first compiler alone. Seeds that failed once stand in KEPT and are drawn in every run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "drawn")]
import draws  # noqa: E402

KEPT: list[int] = [3, 8]  # the first of each chapter; seeds that failed once

# A vector of 16 bytes: declarations before the kernel, its type, and element j of the variable v.
VECTORS = {
    "float4": ("", "float4", "(&{v}.x)[{j}]"),
    "members": ("", "float4", "{v}.{xyzw}"),
    "uint4": ("", "uint4", "__uint_as_float({v}.{xyzw})"),
    "struct": ("struct alignas(16) Four {{ float a[4]; }};\n", "Four", "{v}.a[{j}]"),
    "union": ("union Four {{ float4 whole; float a[4]; }};\n", "Four", "{v}.a[{j}]"),
    "word": ('#include "common/kernel/words.cuh"\n', "lab::Word<16>", "reinterpret_cast<const float*>(&{v})[{j}]"),
}
# How an address becomes one of vectors; {p} is a float*.
CASTS = ("*reinterpret_cast<{c}{t}*>({p})", "*({c}{t}*)({p})", "reinterpret_cast<{c}{t}*>({p})[0]", "(({c}{t}*)({p}))[0]")
BLOCKS = ((16, 16), (8, 32), (16, 8), (8, 16), (4, 32), (8, 8), (16, 4))  # two lanes of a warp meet in each sector
PRAGMAS = ("", "#pragma unroll\n", "#pragma unroll 1\n", "#pragma unroll 4\n")
INDICES = (
    ("size_t", "size_t({b}) * {side} + {t}"),
    ("size_t", "{b} * {dim} + {t}"),
    ("int64_t", "int64_t({b}) * {side} + {t}"),
    ("long long", "(long long){b} * {dim} + {t}"),
    ("size_t", "(size_t){b} * {dim} + {t}"),
)


def element(vector: str, v: str, j: int | str) -> str:
    text = VECTORS[vector][2]
    return text.format(v=v, j=j, xyzw="xyzw"[j] if isinstance(j, int) else "")


def made(vector: str, parts: list[str]) -> str:
    """A vector of four floats, as an expression."""
    joined = ", ".join(parts)
    bits = ", ".join(f"__float_as_uint({p})" for p in parts)
    return {
        "float4": f"make_float4({joined})",
        "members": f"float4{{{joined}}}",
        "uint4": f"make_uint4({bits})",
        "struct": f"Four{{{{{joined}}}}}",
        "union": f"Four{{make_float4({joined})}}",
        "word": "[&] { lab::Word<16> w; float* f = reinterpret_cast<float*>(&w); "
        + " ".join(f"f[{j}] = {p};" for j, p in enumerate(parts))
        + " return w; }()",
    }[vector]


def edge_loop(draw: random.Random, signed: bool) -> str:
    """The 4 × 4 block at (r, c), element by element."""
    kind = draw.choice(("guard", "bounds", "swapped", "flat"))
    one, two = draw.choice(PRAGMAS[:3]), draw.choice(PRAGMAS[:3])
    move = "out[(c + j) * rows + r + i] = in[(r + i) * cols + c + j];"
    if draw.random() < 0.3:
        move = "const float v = in[(r + i) * cols + c + j]; out[(c + j) * rows + r + i] = v;"
    guard = "if (r + i < rows && c + j < cols)"
    if kind == "bounds":
        return f"{one}for (int i = 0; i < 4 && r + i < rows; ++i)\n{two}  for (int j = 0; j < 4 && c + j < cols; ++j) {{ {move} }}\n"
    if kind == "flat":
        return f"{one}for (int k = 0; k < 16; ++k) {{ const int i = k / 4, j = k % 4; {guard} {{ {move} }} }}\n"
    first, second = ("i", "j") if kind == "guard" else ("j", "i")
    return f"{one}for (int {first} = 0; {first} < 4; ++{first})\n{two}  for (int {second} = 0; {second} < 4; ++{second}) {guard} {{ {move} }}\n"


def chapter_03(draw: random.Random) -> str:
    vector = draw.choice(sorted(VECTORS))
    declared, name = VECTORS[vector][0].format(), VECTORS[vector][1]
    cast_in, cast_out = draw.choice(CASTS), draw.choice(CASTS)
    block = draw.choice(BLOCKS)
    integer, form = draw.choice(INDICES)
    r = form.format(b="blockIdx.y", t="threadIdx.y", side=block[1], dim="blockDim.y")
    c = form.format(b="blockIdx.x", t="threadIdx.x", side=block[0], dim="blockDim.x")
    restrict = draw.choice(("", "__restrict__ "))
    load = cast_in.format(c="const ", t=name, p="in + (r + {k}) * cols + c") if draw.random() < 0.5 else cast_in.format(
        c="const ", t=name, p="&in[(r + {k}) * cols + c]"
    )
    store = cast_out.format(c="", t=name, p="&out[(c + {k}) * rows + r]")
    by_loop = draw.random() < 0.6
    if vector in ("members", "uint4") or draw.random() < 0.3:
        by_loop = False
    helpers = ""
    style = draw.choice(("plain", "helper", "lambda", "memcpy"))
    if style == "helper":
        helpers = (
            f"__device__ __forceinline__ {name} load4(const float* p) {{ return {cast_in.format(c='const ', t=name, p='p')}; }}\n"
            f"__device__ __forceinline__ void store4(float* p, {name} v) {{ {cast_out.format(c='', t=name, p='p')} = v; }}\n"
        )
        load, store = "load4(&in[(r + {k}) * cols + c])", "store4(&out[(c + {k}) * rows + r], VALUE)"
    before = ""
    if style == "lambda":
        before = (
            f"  const auto at = [&](int k) -> {name} {{ return {load.replace('{k}', 'k')}; }};\n"
            f"  const auto put = [&](int k, {name} v) {{ {store.replace('{k}', 'k')} = v; }};\n"
        )
        load, store = "at({k})", "put({k}, VALUE)"
    assign = (lambda k, v: store.format(k=k).replace("VALUE", v) + ";") if "VALUE" in store else (lambda k, v: f"{store.format(k=k)} = {v};")
    if style == "memcpy":
        wide = f"  float e[4][4];\n{draw.choice(PRAGMAS[:2])}  for (int k = 0; k < 4; ++k) {{ const {name} v = {load.format(k='k')}; memcpy(e[k], &v, 16); }}\n"
        column = "{{e[0][{0}], e[1][{0}], e[2][{0}], e[3][{0}]}}".format
        wide += "".join(f"  {{ const float o[4] = {column(j)}; {name} w; memcpy(&w, o, 16); {assign(j, 'w')} }}\n" for j in range(4))
    elif by_loop:
        pragma = draw.choice(PRAGMAS[:2])
        wide = f"  {name} a[4];\n{pragma}  for (int k = 0; k < 4; ++k) a[k] = {load.format(k='k')};\n"
        wide += "".join("  " + assign(j, made(vector, [element(vector, f"a[{i}]", j) for i in range(4)])) + "\n" for j in range(4))
    else:
        wide = "".join(f"  const {name} a{k} = {load.format(k=k)};\n" for k in range(4))
        wide += "".join("  " + assign(j, made(vector, [element(vector, f"a{i}", j) for i in range(4)])) + "\n" for j in range(4))
    aligned = draw.choice(("rows % 4 == 0 && cols % 4 == 0", "(rows | cols) % 4 == 0", "((rows | cols) & 3) == 0", "!(rows & 3) && !(cols & 3)"))
    inside = "r < rows && c < cols"
    shape = draw.choice(("else", "return", "edge first", "inside", "function"))
    edge = edge_loop(draw, integer != "size_t")
    if shape == "else":
        body = f"  if ({aligned}) {{\n  if (r >= rows || c >= cols) return;\n{before}{wide}  }} else {{\n{edge}  }}\n"
    elif shape == "return":
        body = f"  if (r >= rows || c >= cols) return;\n  if ({aligned}) {{\n{before}{wide}  return;\n  }}\n{edge}"
    elif shape == "edge first":
        body = f"  if (!({aligned})) {{\n{edge}  return;\n  }}\n  if (!({inside})) return;\n{before}{wide}"
    elif shape == "inside":
        body = f"  if ({aligned} && r + 3 < rows && c + 3 < cols) {{\n{before}{wide}  }} else {{\n{edge}  }}\n"
    else:
        qualifier = draw.choice(("__forceinline__ ", "__noinline__ ", ""))
        helpers += (
            f"__device__ {qualifier}void edge(float* out, const float* in, int rows, int cols, {integer} r, {integer} c) {{\n{edge}}}\n"
        )
        body = f"  if ({aligned}) {{\n  if (r >= rows || c >= cols) return;\n{before}{wide}  }} else {{\n  edge(out, in, rows, cols, r, c);\n  }}\n"
    return f"""#include "common/kernel/lab.cuh"
{declared}
LAUNCH_SHAPE = {{.block = {{{block[0]}, {block[1]}}}, .tile = {{{4 * block[1]}, {4 * block[0]}}}, .block_x_walks = kCols}};
{helpers}
extern "C" __global__ void transpose(float* {restrict}out, const float* {restrict}in, int rows, int cols) {{
  const {integer} r = 4 * ({r}), c = 4 * ({c});
{body}}}
"""


def chapter_08(draw: random.Random) -> str:
    vector = draw.choice(("float4", "members", "uint4", "union"))
    declared, name = VECTORS[vector][0].format(), VECTORS[vector][1]
    cast_in, cast_out = draw.choice(CASTS), draw.choice(CASTS)
    threads = draw.choice((128, 256, 512))
    integer = draw.choice(("size_t", "int64_t"))
    restrict = draw.choice(("", "__restrict__ "))
    hint = draw.choice(("", "", "__ldg"))
    load = f"__ldg((const {name}*)p)" if hint and vector != "union" else cast_in.format(c="const ", t=name, p="p")
    store = cast_out.format(c="", t=name, p="o")
    unroll, inner = draw.choice(PRAGMAS[:2]), draw.choice(PRAGMAS[:3])
    parts = [element(vector, "q", j) for j in range(4)]
    tail = draw.choice(("steps", "loop", "bounds"))
    elements = {
        "steps": f"o[0] = {parts[0]}; " + " ".join(f"if (r + {j} < rows) o[{j}] = {parts[j]};" for j in range(1, 4)),
        "loop": f"const float e[4] = {{{', '.join(parts)}}};\n{inner}    for (int j = 0; j < 4; ++j) if (r + j < rows) o[j] = e[j];",
        "bounds": f"const float e[4] = {{{', '.join(parts)}}};\n    for (int j = 0; j < 4 && r + j < rows; ++j) o[j] = e[j];",
    }[tail]
    wide_store = draw.choice(
        (
            f"if (lo) {{ {store} = q; continue; }}\n    {elements}",
            f"if (lo) {store} = q; else {{ {elements} }}",
            f"if (!lo) {{ {elements} continue; }}\n    {store} = q;",
        )
    )
    return f"""#include "common/kernel/lab.cuh"
{declared}
LAUNCH_SHAPE = {{.block = {{{threads}, 1}}, .tile = {{64, 64}}, .block_x_walks = kRows}};
extern "C" __global__ void transpose(float* {restrict}out, const float* {restrict}in, int rows, int cols) {{
  __shared__ alignas(16) float t[64][64];
  const {integer} r0 = {integer}(blockIdx.x) * 64, c0 = {integer}(blockIdx.y) * 64;
  const bool li = cols % 4 == 0, lo = rows % 4 == 0;
{unroll}  for (int i = threadIdx.x; i < 256; i += {threads}) {{
    const int x = i & 15, y = i >> 4;
    float v[4][4] = {{}};
    for (int k = 0; k < 4; ++k) {{
      const {integer} r = r0 + 4 * y + k, c = c0 + 4 * x;
      if (r >= rows || c >= cols) continue;
      const float* p = in + r * cols + c;
      if (li) {{ const {name} q = {load}; {" ".join(f"v[k][{j}] = {parts[j]};" for j in range(4))} }}
      else for (int j = 0; j < 4; ++j) if (c + j < cols) v[k][j] = p[j];
    }}
    for (int j = 0; j < 4; ++j) *(float4*)&t[4 * x + j][4 * (y ^ x)] = make_float4(v[0][j], v[1][j], v[2][j], v[3][j]);
  }}
  __syncthreads();
{unroll}  for (int i = threadIdx.x; i < 1024; i += {threads}) {{
    const int x = i & 15, y = i >> 4;
    const {integer} c = c0 + y, r = r0 + 4 * x;
    if (c >= cols || r >= rows) continue;
    const {name} q = *(const {name}*)&t[y][4 * (x ^ (y / 4))];
    float* o = out + c * rows + r;
    {wide_store}
  }}
}}
"""


def kernel(seed: int) -> tuple[int, str]:
    draw = random.Random(seed)
    chapter = 8 if seed % 4 == 0 else 3
    return chapter, chapter_03(draw) if chapter == 3 else chapter_08(draw)


def advised(source: str, card: dict) -> str | None:
    """The line that was split, as the message says; null where none was, or where it has no cast to apply it to."""
    found = re.search(r"line (\d+): the PTX (stores|loads)", card.get("split", ""))
    if not found:
        return None
    lines = source.split("\n")
    before, cast = r"^(\s*(?:if \(lo\) )?\{?\s*)\*?", r"(?:\((?:float4|uint4)\*\)|reinterpret_cast<(?:float4|uint4)\*>)"
    stores = re.compile(before + r"(" + cast + r"\(?&?[^=]*?\)?)(\[0\])? = (.*?);(.*)$")
    line = lines[int(found[1]) - 1]
    match = stores.match(line)
    if found[2] != "stores" or not match or match[3]:
        return None
    lines[int(found[1]) - 1] = f"{match[1]}__stcs({match[2]}, {match[4]});{match[5]}"
    return "\n".join(lines)


def judged(lab: Path, chapter: int, file: Path, compiler: str) -> dict:
    command = [str(lab), "--compiler", compiler] if compiler else [str(lab)]
    command += ["check", str(chapter), "--kernel", str(file), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"error": done.stdout[-300:] + done.stderr[-300:]}


def lost(card: dict) -> list[str]:
    """What of it is not there, predictions apart: these kernels predict nothing."""
    if "cases" not in card:
        return [json.dumps(card)[:300]]
    if not card["compile"]["ok"]:
        return [card["compile"]["log"][:400]]
    return [
        f"{case['id']}: {case['reasons'][0]['code']} {case['reason'][:200]}"
        for case in card["cases"]
        if case["kind"] != "prediction" and not case["passed"]
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lab", type=Path, nargs="?", default=os.environ.get("LAB_PROGRAM"))
    parser.add_argument("--count", type=int, default=draws.draws_of_run(4))
    parser.add_argument("--kernel", type=int, help="this seed alone")
    parser.add_argument("--compilers", default="", help="names with commas; none: the usual one")
    parser.add_argument("--show", action="store_true", help="print the source")
    args = parser.parse_args()
    if args.lab is None:
        parser.error("which lab? Give its path, or set LAB_PROGRAM.")
    lab = args.lab.resolve()  # the build folder may be the current one
    first = draws.drawn("drawn edges")
    seeds = [args.kernel] if args.kernel is not None else KEPT + [first.randrange(1 << 30) for _ in range(args.count)]
    wrong = split = by_advice = refused = 0
    with tempfile.TemporaryDirectory() as name:
        for seed in seeds:
            chapter, source = kernel(seed)
            file = Path(name) / f"edge_{seed}.cu"
            file.write_text(source)
            if args.show:
                print(source)
            for compiler in args.compilers.split(","):
                card = judged(lab, chapter, file, compiler)
                if compiler in ("builtin", "clang") and card.get("compile", {}).get("ok") is False:
                    refused += 1
                    print(f"--kernel {seed}: {compiler} refuses: {card['compile']['log'][:200]}")
                    continue
                missing = lost(card)
                if missing:
                    wrong += 1
                    print(f"--kernel {seed} {compiler}: chapter {chapter}\n  " + "\n  ".join(missing))
                if not card.get("split"):
                    continue
                split += 1
                if (better := advised(source, card)) is not None:
                    file.write_text(better)
                    again = judged(lab, chapter, file, compiler)
                    by_advice += 1
                    if lost(again) or again.get("split") == card["split"]:
                        wrong += 1
                        print(f"--kernel {seed}: the advice does not keep it whole: {again.get('split', lost(again))}")
                    file.write_text(source)
    print(f"{len(seeds)} kernels, {split} of them split, {by_advice} by the advice whole again, {refused} refused, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
