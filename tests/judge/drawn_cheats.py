#!/usr/bin/env python3
"""Cheats by chance: solutions that do the wrong or the slow thing under a drawn condition on shape or block. None may pass.

Enters: LAB_PROGRAM, or the path of `lab` as an argument; a seed (LAB_SEED, else the clock's; printed). Leaves: exit
status 1 when a cheat passed, or when one of OPEN no longer does. In every other one the switch is no branch: a computed
number of rounds, a selected place, value or length. A few in each run, more with LAB_DRAWS or `--count
1000`; `--kernel SEED` for one. `--least 0.02`: conditions that hold on as small a part of the shapes as that.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "drawn")]
import draws  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
LEAST, MOST = 0.1, 0.97  # parts of the shapes on which a condition holds
# With `--least`, as (seed, least): failed once, and is closed.
KEPT: list[tuple[int, float]] = [(941282454, 0.1)]
# Pass, for the reason that docs/trust.md gives.
OPEN: dict[tuple[int, float], str] = {}


@dataclass(frozen=True)
class Base:
    """A chapter's solution, and where a fault is put into it."""

    tile: tuple[int, int]
    threads: int = 256
    rows_along_x: bool = True
    type: str = "float"
    anchor: str = r'extern "C" __global__ void transpose\([^{]*\{\n'
    origin: tuple[str, str] = ("", "")  # where it is not blockIdx times the tile
    into: str = "out[c_ * rows + r_]"
    from_: str = "in[r_ * cols + c_]"
    ends: tuple[str, str] = ("rows", "cols")
    where: str = "true"  # elsewhere the chapter asks for less
    blocks: bool = True  # blocks may differ
    more: tuple[str, ...] = ()  # faults of its own
    not_: tuple[str, ...] = ()


ALIGNED = "rows % 64 == 0 && cols % 64 == 0"
PACKS = "rows % 4 == 0 && cols % 4 == 0"
TEMPLATE = r"void transpose_tile\([^{]*\{\n"
WIDE = ("registers", "conflicts")
# Where chapters ask for less (docs/trust.md), conditions leave it out: 03, 08, 10 and 11 on tiles that are cut off, 14 on
# matrices lower than the tiles of a cluster (the last row may be loaded again), 16 on larger ones.
BASES = {
    2: Base((32, 8), rows_along_x=False, not_=("no_barrier", "rows")),  # a warp has few rows of it, either way
    3: Base((64, 64), rows_along_x=False, where=ALIGNED, more=("narrow",), not_=("no_barrier",)),
    4: Base((32, 32), rows_along_x=False),
    5: Base((32, 32), rows_along_x=False, more=("flat",)),
    6: Base((32, 32), rows_along_x=False, more=("unturned",)),
    7: Base((32, 16), rows_along_x=False, type="T", anchor=TEMPLATE, not_=("atomics", "loads_twice", "stores_twice")),
    8: Base((64, 64), where=ALIGNED, more=(*WIDE, "narrow")),
    9: Base(
        (64, 64),
        anchor=r"out \+= blockIdx.z \* cols \* out_pitch[^\n]*\n",
        into="out[c_ * out_pitch + r_]",
        from_="in[r_ * in_pitch + c_]",
        more=("narrow",),
        not_=("no_barrier", "wrong_one"),
    ),
    10: Base((64, 64), type="T", anchor=TEMPLATE, where=ALIGNED, more=("narrow",), not_=("atomics", "loads_twice", "stores_twice")),
    11: Base((512, 64), where=ALIGNED, more=(*WIDE, "narrow")),
    12: Base((32, 32), rows_along_x=False, where=PACKS, not_=("atomics", "wrong_one")),
    13: Base((64, 64), type="unsigned short", where="rows % 8 == 0 && cols % 8 == 0", more=("conflicts",), not_=("atomics",)),
    14: Base((64, 64), where=f"{PACKS} && rows >= 128", blocks=False, more=WIDE, not_=("wrong_one", "no_barrier")),
    15: Base((64, 64), where=PACKS, more=WIDE),
    16: Base(
        (32, 32),
        anchor=r"float\* out = gpus.out_of\(to\);\n",
        origin=("row0", "col0"),
        into="out[(c_ - first_col) * rows + r_]",
        from_="in[(r_ - first_row) * cols + c_]",
        ends=("end_row", "end_col"),
        where="(long long)rows * cols < 60000",
        not_=("no_barrier", "mbarrier"),
    ),
}
FAULTS = ("rows", "columns", "loads_twice", "stores_twice", "waits", "sleeps", "spins", "mbarrier", "nothing", "wrong_one", "atomics", "no_barrier")


NOT_BY_ENDS = (12, 16)  # no kernel there ends where a parameter says
# What can be switched without a branch.
WITHOUT_BRANCH = ("waits", "sleeps", "spins", "loads_twice", "stores_twice", "wrong_one", "nothing")


def condition(draw: random.Random, blocks: bool, inner: bool = False) -> str:
    kinds = ["rest", "rests", "range", "area", "ratio", "both", "sum"] + ["block", "grid"] * blocks
    kind = draw.choice(kinds if inner else [*kinds, "and", "or", "and"])
    side = draw.choice(("rows", "cols"))

    def size(least: float, most: float) -> int:
        return int(math.exp(draw.uniform(math.log(least), math.log(most))))

    if kind == "rest":
        of = draw.choice((2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64))
        return f"{side} % {of} == {draw.randrange(of)}"
    if kind == "rests":
        return f"(rows | cols) % {draw.choice((2, 4, 8, 16, 32, 64, 128))} {draw.choice(('==', '!='))} 0"
    if kind == "range":
        least = size(40, 6000)
        return f"({side} >= {least} && {side} <= {int(least * draw.uniform(1.15, 6))})"
    if kind == "area":
        return f"(long long)rows * cols {draw.choice('<>')} {size(3000, 3e7)}"
    if kind == "ratio":
        by = draw.choice((2, 3, 5, 8, 16))
        return draw.choice(
            (f"rows > {by} * (long long)cols", f"cols > {by} * (long long)rows", f"(rows < {by} * (long long)cols && cols < {by} * (long long)rows)")
        )
    if kind == "both":
        least = size(60, 3000)
        return f"(rows {draw.choice('<>')} {least} && cols {draw.choice('<>')} {least})"
    if kind == "sum":
        of = draw.choice((3, 4, 5, 8, 11, 16))
        return f"(rows + 3 * cols) % {of} == {draw.randrange(of)}"
    if kind == "block":
        of = draw.choice((2, 3, 4, 5, 6, 8, 10))
        rest = draw.randrange(of)
        return draw.choice((f"blockIdx.x % {of} == {rest}", f"blockIdx.y % {of} == {rest}", f"(blockIdx.x * 7 + blockIdx.y * 3) % {of} == {rest}"))
    if kind == "grid":
        of = draw.choice((2, 3, 4, 8))
        return draw.choice((f"gridDim.x % {of} == 0", f"gridDim.y % {of} == 1", "gridDim.x < gridDim.y", "gridDim.x > 3 * gridDim.y"))
    return f"(({condition(draw, blocks, True)}) {'&&' if kind == 'and' else '||'} ({condition(draw, blocks, True)}))"


def some_shape(draw: random.Random) -> tuple[int, int]:
    lengths = ((9, 64), (65, 128), (129, 512), (513, 1024), (1025, 4224), (4225, 9000))
    step = draw.choice((1, 4, 64, 64))  # half of them are whole tiles
    rows, cols = (max(step, draw.randint(*draw.choice(lengths)) // step * step) for _ in "xy")
    return (rows, rows) if draw.random() < 0.1 else (rows, cols)


def part_of_shapes(where: str, base: Base) -> float:
    """Where a condition holds, of shapes like those that a check draws, and of the blocks of these."""
    draw = random.Random(where)
    text = where.replace("(long long)", "").replace("&&", " and ").replace("||", " or ").replace("true", "True")
    program = compile(text, "condition", "eval")
    rows_axis, cols_axis = "xy" if base.rows_along_x else "yx"

    @dataclass
    class Dim:
        x: int = 1
        y: int = 1

    holds = 0
    for _ in range(400):
        rows, cols = some_shape(draw)
        grid, block = Dim(), Dim()
        setattr(grid, rows_axis, -(-rows // base.tile[0]))
        setattr(grid, cols_axis, -(-cols // base.tile[1]))
        block.x, block.y = draw.randrange(grid.x), draw.randrange(grid.y)
        holds += bool(eval(program, {"rows": rows, "cols": cols, "gridDim": grid, "blockIdx": block}))  # noqa: S307, a formula of this file
    return holds / 400


def walk(base: Base, along_rows: bool, statement: str, until: str = "") -> str:
    rows, cols = base.tile
    y, x = (f"i_ / {cols}", f"i_ % {cols}") if along_rows else (f"i_ % {rows}", f"i_ / {rows}")
    return f"""for (int i_ = t_; i_ < {until or rows * cols}; i_ += {base.threads}) {{
      const size_t r_ = row0_ + {y}, c_ = col0_ + {x};
      if (r_ < {base.ends[0]} && c_ < {base.ends[1]}) {statement}
    }}"""


TURN_IN_REGISTERS = """if (rows % 4 == 0 && cols % 4 == 0) {{
      for (int i_ = t_; i_ < {packs}; i_ += {threads}) {{
        const size_t r_ = row0_ + i_ / {wide} * 4, c_ = col0_ + i_ % {wide} * 4;
        if (r_ >= rows || c_ >= cols) continue;
        float4 v_[4];
        for (int k = 0; k < 4; ++k) v_[k] = *reinterpret_cast<const float4*>(&in[(r_ + k) * cols + c_]);
        *reinterpret_cast<float4*>(&out[c_ * rows + r_]) = make_float4(v_[0].x, v_[1].x, v_[2].x, v_[3].x);
        *reinterpret_cast<float4*>(&out[(c_ + 1) * rows + r_]) = make_float4(v_[0].y, v_[1].y, v_[2].y, v_[3].y);
        *reinterpret_cast<float4*>(&out[(c_ + 2) * rows + r_]) = make_float4(v_[0].z, v_[1].z, v_[2].z, v_[3].z);
        *reinterpret_cast<float4*>(&out[(c_ + 3) * rows + r_]) = make_float4(v_[0].w, v_[1].w, v_[2].w, v_[3].w);
      }}
      return;
    }}"""
FLAT = """float* const flat_ = &tile[0][0];
    for (int y = threadIdx.y; y < 32; y += 8)
      if (row0_ + y < rows && col0_ + threadIdx.x < cols) flat_[y * 32 + threadIdx.x] = in[(row0_ + y) * cols + col0_ + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
      if (row0_ + threadIdx.x < rows && col0_ + y < cols) out[(col0_ + y) * rows + row0_ + threadIdx.x] = flat_[threadIdx.x * 32 + y];
    return;"""
WAIT_IN_VAIN = """__shared__ unsigned long long bar_;
    const unsigned b_ = unsigned(__cvta_generic_to_shared(&bar_));
    if (t_ == 0) asm volatile("mbarrier.init.shared.b64 [%0], 5000;" ::"r"(b_) : "memory");
    __syncthreads();
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%0], 0, 1000000; }" ::"r"(b_) : "memory");"""


def load_and_store(base: Base) -> tuple[str, str]:
    """An element, for nothing."""
    letter = {"float": "f32", "unsigned short": "u16"}.get(base.type, "u8")
    register, code = {"float": ("f32", "f"), "unsigned short": ("u16", "h")}.get(base.type, ("", ""))
    return (
        f'asm volatile("{{ .reg .{register} v; ld.global.{letter} v, [%0]; }}" ::"l"(&{base.from_}) : "memory");',
        f'asm volatile("st.global.{letter} [%0], %1;" ::"l"(&{base.into}), "{code}"(({base.type})0) : "memory");',
    )


def always_done(fault: str, base: Base, times: int) -> str:
    """Without a branch: next to nothing is done where the condition does not hold."""
    rows, cols = base.tile
    each = rows * cols // base.threads
    load, store = load_and_store(base)
    until = f"(here_ ? {rows * cols} : 32)"
    return {
        "waits": f"#pragma unroll 1\n  for (int k_ = 0; k_ < 1 + int(here_) * {times * (5 * each + 6)}; ++k_) __syncthreads();",
        "sleeps": f"__nanosleep(here_ ? {times * 100000} : 0);",
        "spins": f"""unsigned v_ = rows;
  #pragma unroll 1
  for (int k_ = 0; k_ < 1 + int(here_) * {times * 300 * each}; ++k_) asm volatile("add.u32 %0, %0, 7;" : "+r"(v_));""",
        "loads_twice": walk(base, True, load, until),
        "stores_twice": walk(base, False, store, until) + "\n  __syncthreads();",
        "nothing": f"{base.ends[0]} = here_ ? 0 : {base.ends[0]};",
    }[fault]


def body_of(fault: str, base: Base, times: int) -> str:
    """What is done where the condition holds, before anything else."""
    rows, cols = base.tile
    each = rows * cols // base.threads  # elements of a thread
    load, store = load_and_store(base)
    zero = f"({base.type})0" if " " in base.type else f"{base.type}{{}}"
    return {
        "rows": walk(base, True, f"{base.into} = {base.from_};") + "\n    return;",
        "columns": walk(base, False, f"{base.into} = {base.from_};") + "\n    return;",
        "loads_twice": walk(base, True, load),
        "stores_twice": walk(base, False, store) + "\n    __syncthreads();",
        "waits": f"#pragma unroll 1\n    for (int k_ = 0; k_ < {times * (5 * each + 6)}; ++k_) __syncthreads();",
        "sleeps": f"__nanosleep({times * 100000});",
        "spins": f"""unsigned v_ = rows;
    #pragma unroll 8
    for (int k_ = 0; k_ < {times * 300 * each}; ++k_) asm volatile("add.u32 %0, %0, 7;" : "+r"(v_));
    if (v_ == 12345u) {base.into.replace("c_", "col0_").replace("r_", "row0_")} = {zero};""",
        "mbarrier": WAIT_IN_VAIN,
        "nothing": "return;",
        "atomics": walk(base, False, f"atomicExch(&{base.into}, {base.from_});") + "\n    return;",
        "registers": TURN_IN_REGISTERS.format(packs=rows * cols // 16, threads=base.threads, wide=cols // 4),
        "flat": FLAT,
    }.get(fault, "")


def end_of_function(text: str, at: int) -> int:
    depth = 1
    while depth:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return at - 1


def selected_one(base: Base) -> str:
    """One element a second time: what is there, or a zero beside it."""
    return f"""  __syncthreads();
  {{
    const bool beside_ = here_ & (row0_ + 1 < {base.ends[0]}) & (col0_ + 2 < {base.ends[1]});
    size_t r_ = row0_, c_ = col0_;
    if (t_ == 0 && r_ < {base.ends[0]} && c_ < {base.ends[1]}) {{
      const {base.type} own_ = {base.from_}, zero_ = {{}};
      r_ += beside_, c_ += 2 * beside_;
      {base.into} = beside_ ? zero_ : own_;
    }}
  }}
"""


def planted(text: str, base: Base, fault: str, where: str, branch: bool = True) -> str:
    """The solution with one fault."""
    if not branch:
        where = where.replace("&&", "&").replace("||", "|")
    if fault == "conflicts":
        text = re.sub(
            r"(__device__ int place\(int row, int pack\) \{[^\n]*\n)",
            r"\1__device__ int placed(bool plain, int row, int pack) { return plain ? pack % kPacks : place(row, pack); }\n",
            text,
        )
    start = re.search(base.anchor, text)
    assert start, "the solution has another form now"
    end = end_of_function(text, start.end())
    head, function, tail = text[: start.end()], text[start.end() : end], text[end:]
    rows_axis, cols_axis = "xy" if base.rows_along_x else "yx"
    row0, col0 = (
        base.origin if base.origin[0] else (f"size_t(blockIdx.{rows_axis}) * {base.tile[0]}", f"size_t(blockIdx.{cols_axis}) * {base.tile[1]}")
    )
    setup = f"""  const unsigned t_ = threadIdx.y * blockDim.x + threadIdx.x;
  const size_t row0_ = {row0}, col0_ = {col0};
  const bool here_ = {where};
  (void)t_, (void)row0_, (void)col0_;
"""
    before = function
    if not branch and fault == "wrong_one":
        function += selected_one(base)
    elif not branch:
        function = f"  {always_done(fault, base, 10 if 'blockIdx' in where else 1)}\n" + function
    elif fault == "no_barrier":
        function = function.replace("__syncthreads();", "if (!here_) __syncthreads();", 1)
    elif fault == "conflicts":
        function = re.sub(r"\bplace\(", "placed(here_, ", function)
    elif fault == "unturned":
        function = function.replace("threadIdx.x ^ y", "threadIdx.x ^ (here_ ? 0 : y)").replace("x ^ threadIdx.x", "x ^ (here_ ? 0 : threadIdx.x)")
    elif fault == "wrong_one":
        r, c = "(row0_ + 1)", "(col0_ + 2)"
        into = base.into.replace("c_ ", c + " ").replace("r_]", r + "]")
        function += f"  __syncthreads();\n  if (here_ && t_ == 0 && {r} < {base.ends[0]} && {c} < {base.ends[1]}) {into} = {{}};\n"
    elif fault == "narrow":
        before = text
        condition_in_text = re.search(r"(if \(cols % 4 == 0|if \(rows % 4 == 0 && cols % 4 == 0|const bool wide = [^;]*)", text)
        assert condition_in_text
        at = condition_in_text.end()
        text = text[:at] + f" && !({where})" + text[at:]
        return text
    else:
        body = body_of(fault, base, 10 if "blockIdx" in where else 1)  # the launch's total counts
        function = f"  if (here_) {{\n    {body}\n  }}\n" + function
    assert function != before, f"no place for {fault}"
    if fault == "flat":  # the tile comes first
        declared = re.search(r"  __shared__ float tile[^\n]*\n", function)
        assert declared
        function = declared.group(0) + function.replace(declared.group(0), "")
    return head + setup + function + tail


@dataclass
class Cheat:
    chapter: int
    fault: str
    branch: bool
    where: str
    part: float
    source: str


def cheat(seed: int, least: float) -> Cheat:
    draw = random.Random(seed)
    chapter = draw.choice(sorted(BASES))
    base = BASES[chapter]
    branch = seed % 2 == 0
    faults = [*(f for f in FAULTS if f not in base.not_), *base.more, *base.more]
    if not branch:
        faults = [f for f in WITHOUT_BRANCH if f not in base.not_ and not (f == "nothing" and chapter in NOT_BY_ENDS)]
    fault = draw.choice(faults)
    while True:
        where = condition(draw, base.blocks and fault != "narrow")
        if base.where != "true":
            where = f"{base.where} && ({where})"
        part = part_of_shapes(where, base)
        if least < part < MOST:
            break
    solution = next((ROOT / "solutions").glob(f"{chapter:02}_*/transpose.cu")).read_text()
    return Cheat(chapter, fault, branch, where, part, planted(solution, base, fault, where, branch))


def judged(lab: Path, one: Cheat, file: Path, key: str) -> dict:
    file.write_text(one.source)
    command = [str(lab), "check", str(one.chapter), "--kernel", str(file), "--json"] + (["--key", key] if key else [])
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"passed": False, "error": done.stdout[-300:] + done.stderr[-300:]}


def diagnosis(card: dict) -> str:
    codes = [r["code"] for c in card.get("cases", []) if c["kind"] != "prediction" for r in c.get("reasons", [])]
    return ", ".join(sorted(set(codes) - {"not-reached"}))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lab", type=Path, nargs="?", default=os.environ.get("LAB_PROGRAM"))
    parser.add_argument("--count", type=int, default=draws.draws_of_run(24))
    parser.add_argument("--least", type=float, default=LEAST)
    parser.add_argument("--kernel", type=int, help="this seed alone")
    parser.add_argument("--key", default="", help="a class's key in place of the public one")
    parser.add_argument("--show", action="store_true", help="print the source, and what is said of each")
    args = parser.parse_args()
    if args.lab is None:
        parser.error("which lab? Give its path, or set LAB_PROGRAM.")
    lab = args.lab.resolve()
    first = draws.drawn("drawn cheats")
    fresh = [(first.randrange(1 << 30), args.least) for _ in range(args.count)]
    seeds = [(args.kernel, args.least)] if args.kernel is not None else [*KEPT, *OPEN, *fresh]
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        for seed, least in seeds:
            one = cheat(seed, least)
            card = judged(lab, one, Path(name) / f"cheat_{seed}.cu", args.key)
            said = diagnosis(card)
            how = "" if one.branch else " without a branch"
            about = f"--kernel {seed} --least {least}: chapter {one.chapter}, {one.fault}{how} where {one.where} ({100 * one.part:.0f} %)"
            if args.show:
                print(one.source if args.kernel is not None else "", f"{about}: {said}", flush=True)
            if "does-not-compile" in said or "error" in card:
                said = "no cheat: " + json.dumps(card)[:2000]
            elif card["passed"] == ((seed, least) in OPEN):
                continue
            wrong += 1
            print(f"{about}\n  {said or 'passed'}", flush=True)
    print(f"{len(seeds)} cheats, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
