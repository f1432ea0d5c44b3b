"""Writes the PTX tests of tensor instructions: every form of mma.sync and wmma that sm_90 has, one entry each.

Place in the flow: `tensor.py FOLDER` leaves mma.ptx, wmma.ptx and the list tensor.txt, which says what each entry reads. The
build of the tests calls it; tools/golden/tensor.cu runs the entries on a GPU. An entry has two parameters, `out` and `in`, and one warp a block:
lane l of block b has 128 bytes of each. mma and wmma.mma read their registers from there and write them there as they are;
wmma.load reads the block's 4,096 bytes as a matrix, wmma.store writes one.
"""
import itertools
import re
import sys
from pathlib import Path

HEAD = ".version 8.7\n.target sm_90\n.address_size 64\n"
ROW_COL = ("row", "col")


def bits(t):
    return 64 if t == "f64" else 32


def registers(prefix, count, t):
    return f".reg .b{bits(t)} {prefix}<{count}>;\n"


def vector(prefix, count):
    return "{" + ", ".join(f"{prefix}{k}" for k in range(count)) + "}"


def move(way, base, parts):
    """Loads or stores of registers, side by side from the lane's first byte on."""
    at, text = 0, ""
    for prefix, count, t in parts:
        for k in range(count):
            address, step = f"[{base}+{at}]", bits(t) // 8
            text += f"ld.global.b{bits(t)} {prefix}{k}, {address};\n" if way == "ld" else f"st.global.b{bits(t)} {address}, {prefix}{k};\n"
            at += step
    return text


def entry(op, declared, body):
    name = re.sub(r"[^a-z0-9]+", "_", op)
    return name, (f".visible .entry {name}(.param .u64 po, .param .u64 pi)\n{{\n.reg .b64 o, i; .reg .b32 l, k;\n" + declared +
                  "ld.param.u64 o, [po];\nld.param.u64 i, [pi];\nmov.u32 l, %tid.x;\nmov.u32 k, %ctaid.x;\n" + body + "ret;\n}\n")


LANE = "mad.lo.u32 l, k, 32, l;\nmad.wide.u32 i, l, 128, i;\nmad.wide.u32 o, l, 128, o;\n"


def product(file, op, a, b, c, d, sparse=()):
    """Each of a, b, c, d: type and number of registers. sparse: type of the metadata in one more register, and the selector."""
    parts = [(p, count, t) for p, (t, count) in zip("abce", (a, b, c, (sparse[0], 1)) if sparse else (a, b, c))]
    result = ("d", d[1], d[0])
    declared = "".join(registers(*p[:2], p[2]) for p in [*parts, result])
    last = f", e0, {sparse[1]}" if sparse else ""
    body = LANE + move("ld", "i", parts) + f"{op} {vector('d', d[1])}, {vector('a', a[1])}, {vector('b', b[1])}, {vector('c', c[1])}{last};\n" + move("st", "o", [result])
    name, text = entry(f"{op}.{sparse[1]}" if sparse else op, declared, body)
    return name, text, file, [(t, count * bits(t) // 32) for _, count, t in parts]


def all_mma():
    sync = "mma.sync.aligned."

    def one(op, a, b, c, d=None):
        return product("mma.ptx", sync + op, a, b, c, d or c)
    for al in ROW_COL:
        for bl in ROW_COL:
            for dt, ct in (("f16", "f16"), ("f32", "f16"), ("f32", "f32")):
                count = {"f16": 4, "f32": 8}
                yield one(f"m8n8k4.{al}.{bl}.{dt}.f16.f16.{ct}", ("f16", 2), ("f16", 2), (ct, count[ct]), (dt, count[dt]))
    for k in (8, 16):
        for t, ct in (("f16", "f16"), ("f16", "f32"), ("bf16", "f32")):
            yield one(f"m16n8k{k}.row.col.{ct}.{t}.{t}.{ct}", (t, k // 4), (t, k // 8), (ct, 2 if ct == "f16" else 4))
    for k in (4, 8):
        yield one(f"m16n8k{k}.row.col.f32.tf32.tf32.f32", ("tf32", k // 2), ("tf32", k // 4), ("f32", 4))
    yield one("m8n8k4.row.col.f64.f64.f64.f64", ("f64", 1), ("f64", 1), ("f64", 2))
    for k in (4, 8, 16):
        yield one(f"m16n8k{k}.row.col.f64.f64.f64.f64", ("f64", k // 2), ("f64", k // 4), ("f64", 4))
    for k in (16, 32):
        for t1 in ("e4m3", "e5m2"):
            for t2 in ("e4m3", "e5m2"):
                for ct in ("f32", "f16"):
                    yield one(f"m16n8k{k}.row.col.{ct}.{t1}.{t2}.{ct}", (t1, k // 8), (t2, k // 16), (ct, 4 if ct == "f32" else 2))
    for width, shapes in ((8, ((8, 16), (16, 16), (16, 32))), (4, ((8, 32), (16, 32), (16, 64)))):
        for m, k in shapes:
            for x in "su":
                for y in "su":
                    for sat in ("", ".satfinite"):
                        yield one(f"m{m}n8k{k}.row.col{sat}.s32.{x}{width}.{y}{width}.s32", ("bits", m * k * width // 1024), ("bits", 8 * k * width // 1024), ("s32", m // 4))
    for m, k in ((8, 128), (16, 128), (16, 256)):
        for logic in ("xor", "and"):
            yield one(f"m{m}n8k{k}.row.col.s32.b1.b1.s32.{logic}.popc", ("bits", m * k // 1024), ("bits", 8 * k // 1024), ("s32", m // 4))


def all_sparse():
    """Half of A is left out: of 4 neighbours 2 are kept (`pairs`), of 2 one (`ones`). A has as many registers as B."""
    for t, factors, results in (("f16", ("f16",), ("f16", "f32")), ("bf16", ("bf16",), ("f32",)), ("tf32", ("tf32",), ("f32",)), ("e4m3", ("e4m3", "e5m2"), ("f32",)),
                                ("s8", ("s8", "u8"), ("s32",)), ("s4", ("s4", "u4"), ("s32",))):
        width = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "s8": 8, "s4": 4}[t]
        for count in (2, 4) if t != "e4m3" else (4,):
            k, words = 128 * count // width, 8 * count // (2 if width in (8, 4) else 4)  # `words` of metadata for each 8 rows and 8 lines
            for x, y, ct, sat, selector in itertools.product(factors, factors, results, ("", ".satfinite") if results == ("s32",) else ("",), range(16 // words)):
                kind = "bits" if width <= 8 and t != "e4m3" else x
                yield product("sparse.ptx", f"mma.sp.sync.aligned.m16n8k{k}.row.col{sat}.{ct}.{x}.{y}.{ct}", (kind, count), ("bits" if kind == "bits" else y, count),
                              (ct, 2 if ct == "f16" else 4), (ct, 2 if ct == "f16" else 4), ("ones" if t == "tf32" else "pairs", selector))


# Shape, type of A and B, registers of A and of B, of C by type.
FRAGMENTS = [(shape, "f16", 8, 8, {"f16": 4, "f32": 8}) for shape in ("m16n16k16", "m8n32k16", "m32n8k16")]
FRAGMENTS += [("m16n16k16", "bf16", 4, 4, {"f32": 8}), ("m8n32k16", "bf16", 2, 8, {"f32": 8}), ("m32n8k16", "bf16", 8, 2, {"f32": 8})]
FRAGMENTS += [(shape, t, a, b, {"s32": 8}) for shape, a, b in (("m16n16k16", 2, 2), ("m8n32k16", 1, 4), ("m32n8k16", 4, 1)) for t in ("s8", "u8")]
FRAGMENTS += [("m16n16k8", "tf32", 4, 4, {"f32": 8}), ("m8n8k4", "f64", 1, 1, {"f64": 2}), ("m8n8k32", "s4", 1, 1, {"s32": 2}), ("m8n8k32", "u4", 1, 1, {"s32": 2}),
              ("m8n8k128", "b1", 1, 1, {"s32": 2})]
NARROW = ("s4", "u4", "b1")


def fragment_move(part, shape, t, count, layout, space):
    """wmma.load of the block's matrix, or wmma.store of registers as a matrix."""
    stride = 128 if t == "b1" else 32
    declared, body = registers("r", count, t), f"mul.wide.u32 %x, k, 4096;\nmov.u32 %s, {stride};\n"
    declared += ".reg .b64 %x; .reg .b32 %s;\n"
    if part == "d":
        op = f"wmma.store.d.sync.aligned.{layout}.{shape}{space}.{t}"
        body += "add.u64 o, o, %x;\nmad.lo.u32 l, k, 32, l;\nmad.wide.u32 i, l, 128, i;\n" + move("ld", "i", [("r", count, t)])
        body += f"{op} [o], {vector('r', count)}, %s;\n"
    else:
        op = f"wmma.load.{part}.sync.aligned.{layout}.{shape}{space}.{t}"
        at = "i"
        if space == ".shared":
            declared += ".shared .align 32 .b8 m[4096]; .reg .b32 %m<33>;\n"
            body += "mov.u32 %m32, m;\nmad.lo.u32 %m32, l, 4, %m32;\n" + LANE.replace("mad.wide.u32 i, l, 128, i", "add.u64 i, i, %x")
            body += "and.b32 l, l, 31;\nmad.wide.u32 i, l, 4, i;\n"
            body += "".join(f"ld.global.b32 %m{n}, [i+{128 * n}];\nst.shared.b32 [%m32+{128 * n}], %m{n};\n" for n in range(32))
            body += "bar.sync 0;\nmov.u32 %m32, m;\n"
            at = "%m32"
        else:
            body += LANE.replace("mad.wide.u32 i, l, 128, i", "add.u64 i, i, %x")
        body += f"{op} {vector('r', count)}, [{at}], %s;\n" + move("st", "o", [("r", count, t)])
    name, text = entry(op, declared, body)
    return name, text, "wmma.ptx", [("mem", 32)] if part != "d" else [("bits", 32)]


def all_wmma():
    for shape, t, a, b, results in FRAGMENTS:
        fixed = t in NARROW
        for part, count, layouts in (("a", a, ("row",) if fixed else ROW_COL), ("b", b, ("col",) if fixed else ROW_COL)):
            for layout in layouts:
                for space in ("", ".global", ".shared"):
                    yield fragment_move(part, shape, t, count, layout, space)
        for ct, count in results.items():
            if t not in ("bf16", "u8", "u4"):
                for layout in ROW_COL:
                    for space in ("", ".global", ".shared"):
                        yield fragment_move("c", shape, ct, count, layout, space)
                    for space in ("", ".global"):
                        yield fragment_move("d", shape, ct, count, layout, space)
        kind = t if t in ("f16", "bf16", "tf32", "f64") else "bits"
        for dt, dn in results.items():
            for ct, cn in results.items():
                if t == "f16":
                    ops = [f"wmma.mma.sync.aligned.{al}.{bl}.{shape}.{dt}.{ct}" for al in ROW_COL for bl in ROW_COL]
                elif t == "b1":
                    ops = [f"wmma.mma.{logic}.popc.sync.aligned.row.col.{shape}.s32.b1.b1.s32" for logic in ("xor", "and")]
                else:
                    layouts = [("row", "col")] if fixed else [(x, y) for x in ROW_COL for y in ROW_COL]
                    ops = [f"wmma.mma.sync.aligned.{x}.{y}.{shape}.{dt}.{t}.{t}.{ct}" for x, y in layouts]
                    if ct == "s32":
                        ops += [op + ".satfinite" for op in ops]
                for op in ops:
                    yield product("wmma.ptx", op, (kind, a), (kind, b), (ct, cn), (dt, dn))


def main():
    folder, texts = Path(sys.argv[1]), {}
    rows = ["# file, entry, then what a lane reads: type and 32-bit words. Made by tools/golden/tensor.py."]
    for name, text, file, parts in [*all_mma(), *all_wmma(), *all_sparse()]:
        texts.setdefault(file, []).append(text)
        rows.append(" ".join([file, name, *(f"{t} {words}" for t, words in parts)]))
    for file, entries in texts.items():
        (folder / file).write_text(HEAD + "".join(entries))
    (folder / "tensor.txt").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
