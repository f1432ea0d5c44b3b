"""What a GPU computes of single statements of PTX: all registers after each, as a hash.

    statement_values.py OUT        draws (grammar of statements.py), asks `ptxas` (PATH) and the GPU, writes statement_values.txt.gz

The first line of the result is a module with STATEMENT for the statement, any other 64 bits and a statement: FNV-1a of the words that a block of
32 lanes has stored. Registers hold hashes and special values by lane, so that each statement meets NaNs, infinities, subnormals, zeros and
ones of each width. tests/sim/test_statements.cpp holds the simulator to it. What reads clocks or memory, orders threads, depends on addresses or is
an approximation is left out.
"""

import concurrent.futures
import ctypes
import gzip
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import statements
from forms import Gpu

DRAWS = 300  # of each line of the grammar
LANES, KERNELS = 32, 40
# ptxas 13.0 takes the upper half of what `set` makes of 16-bit numbers for zero, and it is not.
# No reading of PTX's text gives what a GPU makes of `.min` and `.max` after sums and differences to u32, and of `.sat` of shifts to the left; nor of
# both after a shift to the right.
LEFT_OUT = re.compile(r"^v(add|sub)\.(?=\S*m(in|ax))((sat|min|max)\.)*u32\b|^vshl\.\S*sat|^vshr\.(?=\S*sat)(?=\S*m(in|ax))|^set\.\w+\.(\w+\.)?(?P<half>b?f16)\.(?P=half) |^(addc|subc|madc|bra|bar|barrier|call|cp|createpolicy|cvta|elect|fence|fns|getctarank|griddepcontrol|isspacep|istypep|ld|ldu|mapa|match|mbarrier|membar|nanosleep|"
                      r"pmevent|redux|setmaxnreg|shfl|vote|activemask|prefetch|prefetchu|discard|applypriority)\b|\[|[{%]|\.(approx|full)\b|\b(tab|sh|loc|con|w|x|y|q\d|L|plus|pa|pg|pn|ps|nothing)\b")
WIDER = [f"cvt.{how} {to}, {source};" for how, to, source in (  # registers that are wider than the type: what lies above, and NaN
    ("f16.f16", "h0", "h2"), ("f16.f16", "r0", "h2"), ("sat.f16.f16", "r0", "h2"), ("rni.f16.f16", "r0", "h2"), ("f16.f16", "h0", "r2"), ("f16.f16", "r0", "r2"),
    ("bf16.bf16", "h0", "h2"), ("rn.f16.f32", "r0", "f2"), ("rn.bf16.f32", "r0", "f2"), ("f32.f16", "f0", "r2"), ("f32.f32", "f0", "d2"), ("f32.f32", "f0", "r2"),
    ("rzi.s32.f32", "r0", "d2"), ("f64.f32", "g0", "d2"), ("rn.f16x2.f32", "r0", "f2, d1"), ("rn.f16x2.f32", "r0", "d2, f1"), ("rn.bf16x2.f32", "r0", "d2, d1"),
    ("rz.f16x2.f32", "d0", "f2, f1"), ("rn.f16x2.f32", "r0", "r2, r1"), ("rn.satfinite.e4m3x2.f32", "h0", "d2, f1"), ("s32.s16", "r0", "r2"), ("s64.s32", "d0", "d2"),
    ("rn.f32.s16", "f0", "r2"), ("rn.f16.f64", "r0", "g2"), ("u8.s32", "h0", "d2"), ("s8.s32", "d0", "r2"))]
SPECIAL = [0, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x00000001, 0x807FFFFF, 0x00800000, 0x7F7FFFFF, 0x4B000001,
           0xFFFFFFFF, 0x80000001, 0x3C003C00, 0x7C00FC00, 0x00010001, 0x7FFF8000, 0x7FF00000, 0xFFF00000, 0x7FF80000, 0x3FF00000, 0x0000001F, 0x00000020,
           0x42000000, 0xC2FE0000, 0x7E007C01, 0x04000400, 0x3F803F80, 0x7F80FF80, 0x00FF00FF, 0x7F800001]


def template():
    """The module: registers get their values, the statement follows, all registers are stored."""
    text = (f".version {statements.VERSION} .target sm_90 .address_size 64 {statements.MODULE} "
            f".const .align 4 .b32 special[{len(SPECIAL)}] = {{{', '.join(map(str, SPECIAL))}}}; "
            f".visible .entry test(.param .u64 o, .param .u64 i, .param .u32 n) {{ {statements.BODY} "
            ".reg .b32 t, one, two, mix; .reg .b64 at, from; .reg .pred chosen; mov.u32 t, %tid.x; ld.param.u64 at, [o]; mul.wide.u32 from, t, 4; add.u64 at, at, from; ")

    def word(number):
        """Into `one`: a hash of the lane, or for half of the lanes a special value."""
        return (f"mad.lo.u32 one, t, 2654435761, {40503 * (number + 1)}; shr.u32 two, one, 15; xor.b32 one, one, two; mul.lo.u32 one, one, 2246822519; "
                f"shr.u32 two, one, 13; xor.b32 one, one, two; mad.lo.u32 two, t, {2 * number + 7}, {5 * number}; and.b32 mix, two, 32; setp.ne.u32 chosen, mix, 0; "
                f"and.b32 two, two, 31; mul.wide.u32 from, two, 4; mov.u64 d0, special; add.u64 from, from, d0; ld.const.u32 two, [from]; selp.b32 one, two, one, chosen; ")

    for k in reversed(range(5)):  # d0 is a scratch register until it has its own value
        text += word(8 * k) + f"mov.b32 r{k}, one; " + word(8 * k + 1) + f"mov.b32 f{k}, one; " + word(8 * k + 2) + f"cvt.u16.u32 h{k}, one; "
        text += word(8 * k + 3) + "mov.b32 mix, one; mov.b32 r5, mix; " + word(8 * k + 4) + f"mov.b64 g{k}, {{r5, one}}; "
        text += f"and.b32 one, t, {1 << k}; setp.ne.u32 p{k}, one, 0; " + word(8 * k + 5) + "mov.b32 r5, one; " + word(8 * k + 6) + f"mov.b64 d{k}, {{r5, one}}; "
    text += "STATEMENT "
    stored = []
    for k in range(5):
        stored += [f"mov.b32 one, r{k};", f"cvt.u32.u16 one, h{k};", f"mov.b32 one, f{k};", f"selp.u32 one, 1, 0, p{k};"]
        stored += [f"mov.b64 {{one, two}}, {wide}{k};" + half for wide in "dg" for half in ("", " mov.b32 one, two;")]
    return text + " ".join(f"{value} st.global.u32 [at+{4 * LANES * slot}], one;" for slot, value in enumerate(stored)) + " ret; }", len(stored)


def hashed(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return value


def compiled(text, chosen):
    """A cubin with an entry test0, test1, … for each statement."""
    head, _, body = text.partition(".visible .entry ")
    entries = " ".join(".visible .entry " + body.replace("test(", f"test{k}(", 1).replace("STATEMENT", one) for k, one in enumerate(chosen))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "all.ptx")
        path.write_text(head + entries, encoding="utf-8")
        subprocess.run(["ptxas", "-arch=sm_90", "-o", path.with_suffix(".cubin"), path], check=True)
        return path.with_suffix(".cubin").read_bytes()


def run(gpu, cubin, slots, count):
    """The hash of each statement."""
    module, size, none = gpu.module(cubin), 4 * LANES * slots, ctypes.c_uint64(0)
    out = gpu.alloc(size)
    return [hashed(gpu.run(module, f"test{k}", LANES, size, out, none, none)) for k in range(count)]


def main():
    rng = random.Random(162)
    lines = [line for line in statements.GRAMMAR.strip().splitlines() if line.strip()]
    drawn = sorted({statements.draw(line, rng) for line in lines for _ in range(DRAWS)})
    drawn = WIDER + [one for one in drawn if not LEFT_OUT.search(one)]
    parts = [drawn[k : k + 200] for k in range(0, len(drawn), 200)]
    text, slots = template()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        taken = [taken for part in pool.map(lambda part: statements.verdicts(part, "sm_90"), parts) for taken in part]
        chosen = [one for one, is_taken in zip(drawn, taken) if is_taken]
        parts = [chosen[k : k + KERNELS] for k in range(0, len(chosen), KERNELS)]
        cubins = list(pool.map(lambda part: compiled(text, part), parts))
    gpu = Gpu()
    values = [value for part, cubin in zip(parts, cubins) for value in run(gpu, cubin, slots, len(part))]
    rows = text + "\n" + "".join(f"{value:016x} {one}\n" for one, value in zip(chosen, values))
    with open(sys.argv[1] + "/statement_values.txt.gz", "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as packed:
        packed.write(rows.encode())
    print(len(chosen), "statements of", len(drawn))


if __name__ == "__main__":
    main()
