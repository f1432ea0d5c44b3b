"""Writes the PTX tests of wgmma: types, widths, layouts in shared memory, signs, one entry each.

Place in the flow: `wgmma.py FOLDER` leaves wgmma.ptx and the list wgmma.txt, which says what each entry reads. The build of
the tests calls it; tools/golden/wgmma.cu runs the entries on a GPU. An entry has two parameters, `out` and `in`, and one warpgroup a block. A block
reads 8 KB for A and 32 KB for B into shared memory as they are, then 128 words a thread, the registers of D, which it writes
when the product is there. A in registers is taken from the words of A, 128 threads side by side.
"""
import re
import sys
from pathlib import Path

HEAD = ".version 8.7\n.target sm_90a\n.address_size 64\n"
B_AT, C_AT = 8192, 40960  # bytes, from the block's first
SWIZZLE = {0: 0, 32: 3, 64: 2, 128: 1}
K_OF = {"f16": 16, "bf16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32, "s8": 32, "u8": 32, "b1": 256}


def descriptor(at, mode, leading, stride, base=0):
    """The descriptor of a matrix `at` bytes into shared memory: its low word lacks the address of the memory itself."""
    return at, (leading >> 4) << 16 | (stride >> 4) << 32 | base << 49 | SWIZZLE[mode] << 62


def usual(at, mode, across=False):
    """Cores of 8 lines of 16 bytes behind each other, or lines of the swizzle's width."""
    if across:
        return descriptor(at, mode, 2048 if mode else 128, {0: 1024, 32: 256, 64: 512, 128: 1024}[mode])
    return descriptor(at, mode, 128 if mode == 0 else 16, {0: 256, 32: 256, 64: 512, 128: 1024}[mode])


def entry(d, a, b, n, a_desc=None, b_desc=None, across=(0, 0), scale_d=1, signs=(1, 1), words="", tag=""):
    k = K_OF[a]
    name = re.sub(r"[^a-z0-9]+", "_", f"wgmma_m64n{n}k{k}_{d}_{a}_{b}" + ("" if a_desc else "_registers") + tag)
    count = n // 2 if d in ("f32", "s32") else n // 4
    reg = "f32" if d == "f32" else "b32"
    text = f".visible .entry {name}(.param .u64 po, .param .u64 pi)\n{{\n.shared .align 1024 .b8 m[{C_AT}];\n"
    text += f".reg .b64 o, i, x, y, at; .reg .b32 t, s, w, n, a<4>; .reg .{reg} d<{count}>; .reg .pred p, z;\n"
    text += "ld.param.u64 o, [po];\nld.param.u64 i, [pi];\nmov.u32 t, %tid.x;\nmov.u32 w, %ctaid.x;\n"
    text += f"mul.wide.u32 x, w, {C_AT + 65536};\nadd.u64 i, i, x;\nmul.wide.u32 x, w, 65536;\nadd.u64 o, o, x;\n"
    text += "mul.wide.u32 x, t, 4;\nadd.u64 i, i, x;\nadd.u64 o, o, x;\nmov.u64 at, i;\nmov.u32 s, m;\nmad.lo.u32 s, t, 4, s;\nmov.u32 n, 0;\n"
    text += f"LOOP:\nld.global.b32 w, [at];\nst.shared.b32 [s], w;\nadd.u64 at, at, 512;\nadd.u32 s, s, 512;\nadd.u32 n, n, 512;\nsetp.lt.u32 p, n, {C_AT};\n@p bra LOOP;\n"
    text += "fence.proxy.async;\nbar.sync 0;\n"
    text += "".join(f"ld.global.{reg} d{r}, [i+{C_AT + 512 * r}];\n" for r in range(count))
    for side, desc in (("x", a_desc), ("y", b_desc)):
        if desc:
            text += f"mov.u32 s, m;\nadd.u32 s, s, {desc[0]};\nshr.u32 s, s, 4;\nand.b32 s, s, 0x3fff;\ncvt.u64.u32 {side}, s;\nor.b64 {side}, {side}, {desc[1]};\n"
    if not a_desc:
        text += "mov.u32 s, m;\nmad.lo.u32 s, t, 4, s;\n" + "".join(f"ld.shared.b32 a{r}, [s+{512 * r}];\n" for r in range(4))
    text += f"setp.ne.u32 z, {scale_d}, 0;\nwgmma.fence.sync.aligned;\n"
    left = "x" if a_desc else "{a0, a1, a2, a3}"
    floats = a in ("f16", "bf16", "tf32", "e4m3", "e5m2")
    tail = ", z"
    if floats:
        tail += f", {signs[0]}, {signs[1]}"
    if a in ("f16", "bf16"):
        tail += f", {across[0]}, {across[1]}" if a_desc else f", {across[1]}"
    text += f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.{d}.{a}.{b}{words} {{{', '.join(f'd{r}' for r in range(count))}}}, {left}, y{tail};\n"
    text += "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
    text += "".join(f"st.global.{reg} [o+{512 * r}], d{r};\n" for r in range(count)) + "ret;\n}\n"
    kind = a if floats else "bits"
    return name, text, f"{name} {kind} {b if floats else 'bits'} {d} {count}"


def all_entries():
    types = [("f16", "f16", "f16"), ("f32", "f16", "f16"), ("f32", "bf16", "bf16"), ("f32", "tf32", "tf32")]
    types += [(d, a, b) for d in ("f16", "f32") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")]
    types += [("s32", a, b) for a in ("s8", "u8") for b in ("s8", "u8")]
    for d, a, b in types:
        for mode in (0, 128):
            yield entry(d, a, b, 16, usual(0, mode), usual(B_AT, mode), tag=f"_swizzle{mode}")
        yield entry(d, a, b, 16, None, usual(B_AT, 64))
        yield entry(d, a, b, 8, usual(0, 32), usual(B_AT, 32), scale_d=0, tag="_anew")
        if d != "s32":
            for signs in ((-1, 1), (1, -1), (-1, -1)):
                yield entry(d, a, b, 8, usual(0, 64), usual(B_AT, 128), signs=signs, tag=f"_signs{signs}".replace("-", "m"))
        else:
            yield entry(d, a, b, 16, usual(0, 64), usual(B_AT, 64), words=".satfinite", tag="_satfinite")
    yield entry("s32", "b1", "b1", 16, usual(0, 128), usual(B_AT, 128), words=".and.popc", tag="_swizzle128")
    yield entry("s32", "b1", "b1", 16, None, usual(B_AT, 0), words=".and.popc")
    for n in (24, 32, 40, 64, 96, 128, 192, 248, 256):
        yield entry("f32", "f16", "f16", n, usual(0, 128), usual(B_AT, 128))
    for n in (24, 32, 48, 96, 224, 256):
        yield entry("s32", "s8", "u8", n, usual(0, 128), usual(B_AT, 128))
    # Lines across: f16 and bf16 alone.
    for a in ("f16", "bf16"):
        for mode in (0, 32, 64, 128):
            for across in ((0, 1), (1, 0), (1, 1)):
                yield entry("f32", a, a, 64, usual(0, mode, across[0]), usual(B_AT, mode, across[1]), across=across, tag=f"_across{across}_swizzle{mode}")
        yield entry("f32", a, a, 128, None, usual(B_AT, 128, True), across=(0, 1), tag="_across")
    # Steps along K inside of a swizzled line, padded strides, addresses that begin inside of a pattern.
    for step in (32, 64, 96):
        yield entry("f32", "f16", "f16", 32, usual(step, 128), usual(B_AT + step, 128), tag=f"_step{step}")
    yield entry("f32", "f16", "f16", 32, usual(32, 64), usual(B_AT + 32, 64), tag="_step32_swizzle64")
    yield entry("f32", "f16", "f16", 32, descriptor(0, 0, 144, 528), descriptor(B_AT, 0, 400, 160), tag="_padded")
    yield entry("f32", "f16", "f16", 32, descriptor(0, 0, 1040, 128), descriptor(B_AT, 0, 512, 128), tag="_strides")
    for mode in (32, 64, 128):
        yield entry("f32", "f16", "f16", 32, descriptor(0, mode, 16, 1040), descriptor(B_AT, mode, 16, 1168), tag=f"_strides_swizzle{mode}")
        yield entry("f32", "f16", "f16", 32, descriptor(0, mode, 640, 1024), descriptor(B_AT, mode, 4096, 1024), tag=f"_leading_swizzle{mode}")
    for base in (1, 3, 6):
        yield entry("f32", "f16", "f16", 32, descriptor(128 * base, 128, 16, 1024, base), descriptor(B_AT + 128 * base, 128, 16, 1024, base), tag=f"_base{base}")
        yield entry("f32", "f16", "f16", 32, descriptor(128 * base, 128, 16, 1024), descriptor(B_AT + 128 * base, 128, 16, 1024), tag=f"_begin{base}")
    for mode, leading, stride in ((128, 1024, 4096), (64, 1024, 512), (32, 256, 2048), (0, 2048, 128), (128, 4096, 2048)):
        yield entry("f32", "f16", "f16", 128, descriptor(0, mode, 1024, 2048) if mode else descriptor(0, 0, 1024, 128), descriptor(B_AT, mode, leading, stride), across=(1, 1),
                    tag=f"_across_swizzle{mode}_{leading}_{stride}")


def main():
    folder = Path(sys.argv[1])
    entries = list(all_entries())
    (folder / "wgmma.ptx").write_text(HEAD + "".join(text for _, text, _ in entries))
    rows = ["# entry, types of A and of B, type and number of D's registers. Made by tools/golden/wgmma.py."]
    (folder / "wgmma.txt").write_text("\n".join(rows + [row for _, _, row in entries]) + "\n")


if __name__ == "__main__":
    main()
