"""Golden results of single instructions: writes the PTX tests, runs them on a GPU, packs the result bits.

Place in the flow. Enters: lanewise_forms.txt (`opcodes | destination | sources`) and the tables below.
Leaves: FOLDER/*.ptx, one entry of a few lines a form, and their index, forms.txt (`forms.py write ROOT FOLDER`, no GPU; the
build of the tests calls it); tests/golden/forms.bin, the result bits (`forms.py run ROOT OUT`, needs a GPU).
tests/golden/README.md specifies operands, layout and packing; `forms.py header ROOT` writes the operands
as C++ for the tests that read the golden data.
"""
import ctypes
import re
import struct
import sys
from pathlib import Path

THREADS = 160      # one block: five warps, one operand set a thread
IN_SLOTS = 4       # 64-bit words a thread reads
OUT_SLOTS = 4      # 64-bit words a thread may write
MASK64 = (1 << 64) - 1


# ---- operands -------------------------------------------------------------------------------------
def float_edges(exp_bits, man_bits):
    """Bit patterns: the first five meet in threes, the first twelve in pairs."""
    bias, top = (1 << exp_bits - 1) - 1, (1 << exp_bits) - 1
    sign = 1 << exp_bits + man_bits
    quiet = 1 << man_bits - 1

    def number(value):
        """A value that the format holds exactly, or its neighbour towards zero; past the top: infinity."""
        s, value = (sign, -value) if value < 0 else (0, value)
        e = 0
        while value >= 2:
            value /= 2
            e += 1
        while value < 1:
            value *= 2
            e -= 1
        if e + bias < 1:
            return s | int(value * 2.0 ** (e + bias - 1 + man_bits))
        if e > bias:
            return s | top << man_bits
        return s | e + bias << man_bits | int((value - 1) * (1 << man_bits))

    inf, one = top << man_bits, bias << man_bits
    edges = [0, sign, one, inf, inf | quiet, sign | one, sign | inf, 1, inf - 1, number(0.5), number(2.5), number(-1.5)]
    edges += [1 << man_bits, (1 << man_bits) - 1, sign | 1, sign | inf - 1, sign | inf | quiet | 5, inf | 1, sign | inf | 0x15,
              one + 1, one - 1, number(0.5) - 1, number(3), number(1.5), number(3.5), number(-2.5), number(-0.5)]
    for v in (127.5, 128, -128.5, -129, 255.5, 256, 32767.5, 32768, -32768.5, -32769, 65535.5, 65536, 2.0**31, 2147483647.5, -2.0**31, -2147483649,
              2.0**32, 4294967295.5, 2.0**63, -(2.0**63), 2.0**64, 1.8e19, 3.14159, 0.001, 1e-5, 1e10, 88.5, -104.0):
        edges.append(number(v))
    return edges


def int_edges(bits):
    ones = (1 << bits) - 1
    low, high = 1 << bits - 1, (1 << bits - 1) - 1
    wanted = [0, 1, ones, low, high, 2, 31, 32, 33, 63, 64, ones - 1, 3, 7, 8, 15, 16, 17, 24, 65, 127, 128, 255, 256, 0x5555555555555555,
              0xaaaaaaaaaaaaaaaa, 0x0123456789abcdef, 32767, 32768, 65535, 65536, low + 1, high - 1, 0xffffffe0, 0xffff8000, 0x7fffffff, 0x80000000]
    return [v & ones for v in wanted]


FLOATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
EDGES = {kind: float_edges(*shape) for kind, shape in FLOATS.items()}
EDGES |= {f"i{bits}": int_edges(bits) for bits in (16, 32, 64)}
EDGES |= {"pred": [0, 1], "tiny": [0, 1, 2, 3]}


class Splitmix64:
    def __init__(self, name):
        self.state = 0xcbf29ce484222325
        for byte in name.encode():
            self.state = (self.state ^ byte) * 0x100000001b3 & MASK64

    def next(self):
        self.state = self.state + 0x9e3779b97f4a7c15 & MASK64
        z = self.state
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & MASK64
        z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK64
        return z ^ z >> 31


def edge(kind, index):
    if kind in ("f16x2", "bf16x2"):
        e = EDGES[kind[:-2]]
        return e[index % len(e)] | e[(index + 5) % len(e)] << 16
    return EDGES[kind][index % len(EDGES[kind])]


def random_value(kind, rng):
    if kind in ("f16x2", "bf16x2"):
        low = random_value(kind[:-2], rng)
        return low | random_value(kind[:-2], rng) << 16
    r = rng.next()
    choice = r >> 60
    if choice >= 14 or kind in ("pred", "tiny"):
        return edge(kind, r >> 8 & 0xffff)
    if kind in FLOATS:
        exp_bits, man_bits = FLOATS[kind]
        bias = (1 << exp_bits - 1) - 1
        if choice < 8:  # a number of a common size
            return (r >> 59 & 1) << exp_bits + man_bits | bias - 8 + (r >> 52 & 15) << man_bits | r & (1 << man_bits) - 1
        return r & (1 << 1 + exp_bits + man_bits) - 1  # any bits
    bits = int(kind[1:])
    ones = (1 << bits) - 1
    if choice < 6:
        return r & ones
    if choice < 10:  # -128 to 127
        return (r & 255) - 2 * (r & 128) & ones
    if choice < 12:
        return 1 << (r >> 8) % bits
    return (r & ones) >> (r >> 50) % bits


# How many edge values meet, by the number of sources, and so how many threads that takes.
MEETING = {0: 1, 1: THREADS, 2: 12, 3: 5, 4: 3}


def operands(name, kinds):
    """THREADS rows of operand bits for a form."""
    rng, rows, side = Splitmix64(name), [], MEETING[len(kinds)]
    for t in range(THREADS):
        one = len(kinds) == 1
        if (one and t < len(EDGES.get(kinds[0].removesuffix("x2"), [])) and kinds[0] not in ("pred", "tiny")) or (not one and t < side ** len(kinds)):
            rows.append([edge(kind, t if one else t // side ** (len(kinds) - 1 - k) % side) for k, kind in enumerate(kinds)])
        else:
            rows.append([random_value(kind, rng) for kind in kinds])
    return rows


# ---- forms ----------------------------------------------------------------------------------------
class Form:
    """name: unique; text: the PTX lines between loads and stores; kinds: operand kinds; outs: result types."""

    def __init__(self, name, file, kinds, outs, text, registers="", memory=False, top=""):
        self.name, self.file, self.kinds, self.outs, self.text = name, file, kinds, outs, text
        self.registers, self.memory, self.top = registers, memory, top
        self.entry = re.sub(r"\W+", "_", name).strip("_")

    def ptx(self):
        """The entry. Operand k of a thread is the low bits of word k of its record."""
        width = {"i16": 16, "f16": 16, "bf16": 16, "i32": 32, "f32": 32, "f16x2": 32, "bf16x2": 32, "pred": 32, "tiny": 32, "i64": 64, "f64": 64}
        lines = [f"// {self.name}"]
        if self.top:
            lines.append(self.top)
        lines += [f".visible .entry {self.entry}(.param .u64 out, .param .u64 in)", "{",
                  "  .reg .b64 q, s; .reg .b32 t; " + self.registers]
        lines += ["  mov.u32 t, %tid.x; ld.param.u64 q, [out]; ld.param.u64 s, [in];",
                  f"  mad.wide.u32 q, t, {8 * OUT_SLOTS}, q; mad.wide.u32 s, t, {8 * IN_SLOTS}, s;"]
        for k, kind in enumerate(self.kinds):
            if self.memory:
                break
            letter, w = "abce"[k], width[kind]
            if kind == "pred":
                lines.append(f"  .reg .b32 {letter}w; .reg .pred {letter}; ld.global.b32 {letter}w, [s+{8 * k}]; setp.ne.b32 {letter}, {letter}w, 0;")
            else:
                lines.append(f"  .reg .b{w} {letter}; ld.global.b{w} {letter}, [s+{8 * k}];")
        lines += ["  " + line for line in self.text.split("\n")]
        for k, out in enumerate(self.outs):
            if out == "mem":
                continue
            d = "dvwx"[k]
            if out == "pred":
                lines.append(f"  .reg .b32 {d}w; selp.b32 {d}w, 1, 0, {d}; st.global.b32 [q+{8 * k}], {d}w;")
            else:
                lines.append(f"  st.global.b{bits_of(out)} [q+{8 * k}], {d};")
        return "\n".join(lines + ["  ret;", "}"]) + "\n"


def bits_of(kind):
    return 64 if kind == "mem" else int(re.sub(r"\D", "", kind))


def declare(types):
    return " ".join(f".reg .{'pred' if t == 'pred' else f'b{bits_of(t)}'} {'dvwx'[k]};" for k, t in enumerate(types))


def source_kind(opcode, declared):
    """Which edge values suit a source: b16 and b32 may hold halves."""
    last = opcode.split(".")[-1]
    if declared == "pred":
        return "pred"
    if declared == "b16" and last in ("f16", "bf16"):
        return last
    if declared == "b32" and last in ("f16x2", "bf16x2"):
        return last
    if declared[0] == "f":
        return declared
    return f"i{bits_of(declared)}"


def file_of(opcode):
    """Forms of one instruction stand in one file; the long ones are cut by their last type."""
    base, last = opcode.split(".")[0], opcode.split(".")[-1]
    return f"{base}.{last}" if base in ("set", "setp", "cvt", "mul", "add", "sub", "mad", "min", "max", "fma", "slct") else base


def lanewise(path):
    for line in Path(path).read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        opcodes, dest, sources = line.split(" | ")
        for opcode in opcodes.split():
            yield from lanewise_form(opcode, dest.split("|"), sources.split())


def lanewise_form(opcode, outs, sources):
    kinds = [source_kind(opcode, s) for s in sources if s != "imm8"]
    args = ", ".join("abce"[:len(kinds)])
    target = "d|v" if len(outs) == 2 else "d"
    carry = ".cc" in opcode or opcode.split(".")[0] in ("addc", "subc", "madc")
    if carry:
        letter = "abce"[len(kinds)]
        kinds, outs = kinds + ["pred"], outs + ["b32"]
        text = (f".reg .b32 cin, junk; selp.b32 cin, 1, 0, {letter}; add.cc.u32 junk, cin, 0xffffffff;\n"
                f"{opcode} {target}, {args};\naddc.u32 v, 0, 0;")
        yield Form(opcode, file_of(opcode), kinds, outs, text, declare(outs))
    elif "imm8" in sources:
        for imm in ("0x01", "0x3c", "0x6a", "0x80", "0x96", "0xca", "0xe8", "0xfe"):
            yield Form(f"{opcode} {imm}", file_of(opcode), kinds, outs, f"{opcode} {target}, {args}, {imm};", declare(outs))
    else:
        yield Form(opcode, file_of(opcode), kinds, outs, f"{opcode} {target}, {args};", declare(outs))


def warp_wide():
    for mode in ("up", "down", "bfly", "idx"):
        op = f"shfl.sync.{mode}.b32"
        yield Form(op, "shfl", ["i32", "i32", "i32"], ["b32"], f"{op} d, a, b, c, -1;", declare(["b32"]))
        yield Form(op + " d|p", "shfl", ["i32", "tiny", "i32"], ["b32", "pred"], f"{op} d|v, a, b, c, -1;", declare(["b32", "pred"]))
        for clamp, segment in (("0x1f", "whole"), ("0x181f", "eights"), ("0", "zero"), ("0x1c1f", "fours")):
            yield Form(f"{op} {segment}", "shfl", ["i32", "tiny"], ["b32", "pred"], f"{op} d|v, a, b, {clamp}, -1;", declare(["b32", "pred"]))
        yield Form(f"{op} half the warp", "shfl", ["i32", "tiny"], ["b32", "pred"],
                   ".reg .b32 lane; .reg .pred low; mov.u32 lane, %laneid; setp.lt.u32 low, lane, 16; mov.b32 d, 77; setp.eq.u32 v, lane, 99;\n"
                   f"@!low bra SKIP;\n{op} d|v, a, b, 0x1f, 0xffff;\nSKIP:", declare(["b32", "pred"]))
    for mode, out in (("all", "pred"), ("any", "pred"), ("uni", "pred"), ("ballot", "b32")):
        op = f"vote.sync.{mode}." + ("b32" if mode == "ballot" else "pred")
        yield Form(op, "vote", ["pred"], [out], f"{op} d, a, -1;", declare([out]))
        yield Form(op + " not", "vote", ["pred"], [out], f"{op} d, !a, -1;", declare([out]))
        yield Form(op + " mostly", "vote", ["tiny", "tiny"], [out], f".reg .b32 m; .reg .pred p; or.b32 m, a, b; setp.ne.u32 p, m, 0;\n{op} d, p, -1;", declare([out]))
    for bits in (32, 64):
        for kind in ("tiny", f"i{bits}"):
            widen = "" if bits == 32 else "cvt.u64.u32 x0, a;" if kind == "tiny" else "mov.b64 x0, a;"
            reg = "a" if bits == 32 else "x0"
            yield Form(f"match.any.sync.b{bits} {kind}", "match", [kind], ["b32"], f".reg .b64 x0; {widen}\nmatch.any.sync.b{bits} d, {reg}, -1;", declare(["b32"]))
            yield Form(f"match.all.sync.b{bits} {kind}", "match", [kind], ["b32", "pred"],
                       f".reg .b64 x0; {widen}\nmatch.all.sync.b{bits} d|v, {reg}, -1;", declare(["b32", "pred"]))
        yield Form(f"match.all.sync.b{bits} equal", "match", ["tiny"], ["b32", "pred"],
                   f".reg .b{bits} x0; mov.b{bits} x0, 5;\nmatch.all.sync.b{bits} d|v, x0, -1;", declare(["b32", "pred"]))
    for op in [f"redux.sync.{o}.{t}" for o in ("add", "min", "max") for t in ("u32", "s32")] + [f"redux.sync.{o}.b32" for o in ("and", "or", "xor")]:
        yield Form(op, "redux", ["i32"], ["b32"], f"{op} d, a, -1;", declare(["b32"]))
    yield Form("activemask.b32", "activemask", ["pred"], ["b32"],
               "mov.b32 d, 0;\n@a bra SKIP;\nactivemask.b32 d;\nSKIP:", declare(["b32"]))
    yield Form("elect.sync", "elect", ["tiny"], ["b32", "pred"], "elect.sync d|v, -1;", declare(["b32", "pred"]))
    yield Form("elect.sync half", "elect", ["tiny"], ["b32", "pred"],
               ".reg .b32 lane; .reg .pred low; mov.u32 lane, %laneid; setp.lt.u32 low, lane, 16; mov.b32 d, 77; setp.eq.u32 v, lane, 99;\n"
               "@low bra SKIP;\nelect.sync d|v, 0xffff0000;\nSKIP:", declare(["b32", "pred"]))
    for r in ("tid.x", "tid.y", "ntid.x", "ntid.y", "ctaid.x", "nctaid.x", "nctaid.z", "laneid", "lanemask_eq", "lanemask_le", "lanemask_lt",
              "lanemask_ge", "lanemask_gt"):
        yield Form(f"mov.u32 %{r}", "special", [], ["b32"], f"mov.u32 d, %{r};", declare(["b32"]))


def atomics():
    """Every thread has its own word, in the second word of its output record or in shared memory."""
    ops = {"u32": "add inc dec min max exch.b and.b or.b xor.b cas.b", "s32": "add min max", "u64": "add min max exch.b and.b or.b xor.b cas.b",
           "s64": "min max", "f32": "add", "f64": "add", "f16x2": "add.noftz", "bf16x2": "add.noftz", "f16": "add.noftz", "bf16": "add.noftz", "u16": "cas.b"}
    for space in ("global", "shared", "generic"):
        dot = "" if space == "generic" else "." + space
        for typ, names in ops.items():
            bits = 32 if typ.endswith("x2") else bits_of(typ)
            kind = typ if typ in ("f32", "f64", "f16", "bf16", "f16x2", "bf16x2") else f"i{bits}"
            for name in names.split():
                typed = name + (f"{bits}" if name.endswith(".b") else f".{typ}")
                cas = name.startswith("cas")
                if space == "shared":
                    where, addr = ".reg .b32 h; mov.u32 h, SHARED; mad.lo.u32 h, t, 8, h;", "h"
                    init, read = f"st.shared.b{bits} [h], a;", f"ld.shared.b{bits} v, [h];"
                    top = f".shared .align 8 .b8 SHARED[{8 * THREADS}];"
                else:
                    where, addr, top = "", "q+8", ""
                    init, read = f"st.global.b{bits} [q+8], a;", f"ld.global.b{bits} v, [q+8];"
                args = ", b, c" if cas else ", b"
                kinds, outs = [kind] * (3 if cas else 2), [f"b{bits}", f"b{bits}"]
                body = f"{where} {init}\nOP;\n{read}"
                if top:
                    unique = re.sub(r"\W+", "_", f"{dot}{typed}")
                    body, top = body.replace("SHARED", "atom" + unique), top.replace("SHARED", "atom" + unique)
                yield Form(f"atom{dot}.{typed}" + (" generic" if not dot else ""), f"atom.{space}", kinds, outs,
                           body.replace("OP", f"atom{dot}.{typed} d, [{addr}]{args}"), declare(outs), top=top)
                if name.split(".")[0] not in ("exch", "cas") and bits >= 32:
                    top2 = top.replace("atom_", "red_")
                    yield Form(f"red{dot}.{typed}" + (" generic" if not dot else ""), f"red.{space}", kinds, outs,
                               body.replace("atom_", "red_").replace("OP", f"mov.b{bits} d, 0; red{dot}.{typed} [{addr}]{args}"), declare(outs), top=top2)
    for sem in ("relaxed.gpu", "acquire.cta", "release.sys", "acq_rel.gpu"):
        yield Form(f"atom.{sem}.global.add.u32", "atom.global", ["i32", "i32"], ["b32", "b32"],
                   f"st.global.b32 [q+8], a;\natom.{sem}.global.add.u32 d, [q+8], b;\nld.global.b32 v, [q+8];", declare(["b32", "b32"]))
    for count in (2, 4):
        regs = ", ".join(["a", "b", "c", "e"][:count])
        yield Form(f"red.global.v{count}.f32.add", "red.global", ["f32"] * count, ["mem"] * (count // 2),
                   f"st.global.v4.b32 [q], {{0x3f800000, 0x40000000, 0xc0400000, 0}};\nred.global.v{count}.f32.add [q], {{{regs}}};", "", memory=False)


def memory():
    types = ("b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64")
    spaces = {"global": ("", "s"), "generic": ("", "s"), "shared": ("mov.u32 h, VAR; mad.lo.u32 h, t, 32, h;", "h"),
              "local": ("mov.u32 h, VAR;", "h")}
    fill = ".reg .b64 x<4>; ld.global.v2.b64 {x0, x1}, [s]; ld.global.v2.b64 {x2, x3}, [s+16];"
    for space, (point, addr) in spaces.items():
        dot = "" if space == "generic" else "." + space
        for typ in types:
            bits = bits_of(typ)
            for count in (1, 2, 4):
                if bits * count > 128:
                    continue
                v = f".v{count}" if count > 1 else ""
                for reg in ({8: (16, 32, 64), 16: (16, 32, 64), 32: (32, 64), 64: (64,)}[bits] if count == 1 else (max(bits, 16),)):
                    if typ[0] in "f" and reg != bits:
                        continue
                    uid = re.sub(r"\W+", "_", f"{space}{v}{typ}r{reg}")
                    names = ["d", "v", "w", "x"][:count]
                    body, top, local = "", "", ""
                    if space in ("shared", "local"):
                        var = f"ld_{uid}"
                        if space == "shared":
                            top = f".shared .align 16 .b8 {var}[{32 * THREADS}];"
                        else:
                            local = f".local .align 16 .b8 {var}[32]; "
                        body = f".reg .b32 h; {point.replace('VAR', var)} {fill}\nst{dot}.v2.b64 [h], {{x0, x1}}; st{dot}.v2.b64 [h+16], {{x2, x3}};\n"
                    operand = "{%s}" % ", ".join(names) if count > 1 else "d"
                    yield Form(f"ld{dot}{v}.{typ} into b{reg}" + (" generic" if not dot else ""), f"ld.{space}", ["i64"] * 4, [f"b{reg}"] * count,
                               body + f"ld{dot}{v}.{typ} {operand}, [{addr}+{bits * count // 8 if bits * count <= 64 else 0}];", local + declare([f"b{reg}"] * count), memory=True, top=top)
                    sources = ["y0", "y1", "y2", "y3"][:count]
                    take = " ".join(f"ld.global.b{reg} {y}, [s+{8 * i}];" for i, y in enumerate(sources))
                    operand = "{%s}" % ", ".join(sources) if count > 1 else "y0"
                    step = bits * count // 8 % 16
                    if space in ("shared", "local"):
                        body = body.replace("ld_" + uid, "st_" + uid)
                        top, local = top.replace("ld_" + uid, "st_" + uid), local.replace("ld_" + uid, "st_" + uid)
                        text = (body + f"{take}\nst{dot}{v}.{typ} [h+{step}], {operand};\n"
                                f"ld{dot}.v2.b64 {{x0, x1}}, [h]; ld{dot}.v2.b64 {{x2, x3}}, [h+16];\nst.global.v2.b64 [q], {{x0, x1}}; st.global.v2.b64 [q+16], {{x2, x3}};")
                    else:
                        text = f"{take}\nst{dot}{v}.{typ} [q+{step}], {operand};"
                    yield Form(f"st{dot}{v}.{typ} from b{reg}" + (" generic" if not dot else ""), f"st.{space}", ["i64"] * 4, ["mem"] * 4, text,
                               local + f".reg .b{reg} y<4>;", memory=True, top=top)
    for op in ("ca", "cg", "cs", "lu", "cv", "nc"):
        for v, typ, regs in (("", "u32", ["b32"]), (".v2", "f32", ["b32"] * 2), (".v4", "f32", ["b32"] * 4), ("", "s8", ["b32"]), ("", "f64", ["b64"])):
            names = "dvwx"[:len(regs)]
            operand = "{%s}" % ", ".join(names) if len(regs) > 1 else "d"
            yield Form(f"ld.global.{op}{v}.{typ}", "ld.global", ["i64"] * 4, regs, f"ld.global.{op}{v}.{typ} {operand}, [s];", declare(regs), memory=True)
    for op in ("wb", "cg", "cs", "wt"):
        yield Form(f"st.global.{op}.u32", "st.global", ["i32"], ["mem"], f"st.global.{op}.u32 [q], a;")
    for op in ("volatile.global", "relaxed.gpu.global", "acquire.gpu.global", "relaxed.cta.global", "volatile"):
        yield Form(f"ld.{op}.u32", "ld.global", ["i64"] * 4, ["b32"], f"ld.{op}.u32 d, [s+4];", declare(["b32"]), memory=True)
    for op in ("volatile.global", "relaxed.gpu.global", "release.gpu.global", "volatile"):
        yield Form(f"st.{op}.u32", "st.global", ["i32"], ["mem"], f"st.{op}.u32 [q], a;")
    yield Form("ld.const.u32 each lane its own", "ld.const", ["tiny"], ["b32"],
               ".reg .b64 k; mov.u64 k, numbers; mad.wide.u32 k, a, 4, k;\nld.const.u32 d, [k];", declare(["b32"]),
               top=".const .align 8 .b32 numbers[4] = {11, 0xffffffff, 33, 0x80000000};")
    for typ, reg in (("u8", 32), ("s8", 32), ("s16", 32), ("f32", 32), ("u64", 64), ("f64", 64)):
        yield Form(f"ld.const.{typ}", "ld.const", ["tiny"], [f"b{reg}"],
                   f".reg .b64 k; mov.u64 k, bytes_{typ}; mad.wide.u32 k, a, {bits_of(typ) // 8}, k;\nld.const.{typ} d, [k];", declare([f"b{reg}"]),
                   top=f".const .align 8 .b8 bytes_{typ}[32] = {{{', '.join(str(i * 37 + 111 & 255) for i in range(32))}}};")
    for space in ("global", "shared", "local"):
        for way in ("cvta", "isspacep"):
            top, point = {"global": (".global .align 8 .b32 VAR[2];", "mov.u64 k, VAR;"), "shared": (".shared .align 8 .b32 VAR[2];", "mov.u64 k, VAR;"),
                          "local": ("", ".local .align 8 .b32 VAR[2]; mov.u64 k, VAR;")}[space]
            var = f"{way}_{space}"
            text = f".reg .b64 k, g; {point.replace('VAR', var)} cvta.{space}.u64 g, k;\n"
            if way == "cvta":
                text += f"cvta.to.{space}.u64 k, g; .reg .pred p; setp.eq.u32 p, t, 3;\nst.{space}.b32 [k], 9; ld.b32 d, [g]; mov.b32 v, 0; "
                yield Form(f"cvta.{space}.u64 there and back", "cvta", [], ["b32"], text.replace(" mov.b32 v, 0;", ""), declare(["b32"]), top=top.replace("VAR", var))
            else:
                text += "\n".join(f"isspacep.{s} {'dvw'[i]}, g;" for i, s in enumerate(("global", "shared", "local")))
                yield Form(f"isspacep of {space}", "cvta", [], ["pred"] * 3, text, declare(["pred"] * 3), top=top.replace("VAR", var))


def control():
    """Calls, recursion, tables of branches: small programs, the same in shape as compilers write them."""
    yield Form("call with a result", "call", ["i32", "i32"], ["b32"],
               "{ .param .b32 p0; .param .b32 p1; .param .b32 r0; st.param.b32 [p0], a; st.param.b32 [p1], b;\n"
               "call (r0), mix, (p0, p1);\nld.param.b32 d, [r0]; }", declare(["b32"]),
               top=".func (.param .b32 r) mix(.param .b32 x, .param .b32 y)\n{\n  .reg .b32 m, n; ld.param.b32 m, [x]; ld.param.b32 n, [y];\n"
                   "  mad.lo.u32 m, m, 31, n; st.param.b32 [r], m; ret;\n}")
    yield Form("call recursion", "call", ["tiny"], ["b32"],
               "{ .param .b32 p0; .param .b32 r0; add.u32 a, a, 8; st.param.b32 [p0], a;\ncall (r0), fibonacci, (p0);\nld.param.b32 d, [r0]; }", declare(["b32"]),
               top=".func (.param .b32 r) fibonacci(.param .b32 x)\n{\n  .reg .b32 n, m, u; .reg .pred p; ld.param.b32 n, [x];\n"
                   "  setp.lt.u32 p, n, 2; mov.b32 u, n;\n  @p bra DONE;\n"
                   "  { .param .b32 p0; .param .b32 r0; sub.u32 m, n, 1; st.param.b32 [p0], m; call (r0), fibonacci, (p0); ld.param.b32 u, [r0]; }\n"
                   "  { .param .b32 p0; .param .b32 r0; sub.u32 m, n, 2; st.param.b32 [p0], m; call (r0), fibonacci, (p0); ld.param.b32 m, [r0]; }\n"
                   "  add.u32 u, u, m;\nDONE:\n  st.param.b32 [r], u; ret;\n}")
    yield Form("call through a pointer", "call", ["tiny", "i32"], ["b32"],
               ".reg .b64 k, f; mov.u64 k, functions; and.b32 a, a, 1; mad.wide.u32 k, a, 8, k; ld.global.u64 f, [k];\n"
               "{ .param .b32 p0; .param .b32 r0; st.param.b32 [p0], b;\nshape: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
               "call (r0), f, (p0), shape;\nld.param.b32 d, [r0]; }", declare(["b32"]),
               top=".func (.param .b32 r) twice(.param .b32 x)\n{\n  .reg .b32 m; ld.param.b32 m, [x]; add.u32 m, m, m; st.param.b32 [r], m; ret;\n}\n"
                   ".func (.param .b32 r) turned(.param .b32 x)\n{\n  .reg .b32 m; ld.param.b32 m, [x]; not.b32 m, m; st.param.b32 [r], m; ret;\n}\n"
                   ".global .align 8 .u64 functions[2] = {twice, turned};")
    yield Form("brx.idx", "branch", ["tiny"], ["b32"],
               "choices: .branchtargets ZERO, ONE, TWO, THREE;\nbrx.idx a, choices;\nZERO: mov.b32 d, 100; bra.uni END;\nONE: mov.b32 d, 200; bra.uni END;\n"
               "TWO: mov.b32 d, 300; bra.uni END;\nTHREE: mov.b32 d, 400;\nEND:", declare(["b32"]))
    yield Form("loop with a trip count of its own", "branch", ["tiny", "tiny"], ["b32"],
               ".reg .b32 n; .reg .pred p; mad.lo.u32 n, a, 4, b; mov.b32 d, 1;\nAGAIN:\nmad.lo.u32 d, d, 3, n; sub.u32 n, n, 1; setp.ge.s32 p, n, 0;\n@p bra AGAIN;", declare(["b32"]))
    yield Form("early exit of some lanes", "branch", ["pred", "i32"], ["b32"],
               "mov.b32 d, 1;\n@a exit;\nadd.u32 d, b, 5;", declare(["b32"]))
    yield Form("predicated ret", "branch", ["pred", "i32"], ["b32"], "@!a ret;\nxor.b32 d, b, 5;", declare(["b32"]))
    yield Form("barrier between warps", "bar", ["i32"], ["b32"],
               ".reg .b32 h, n; mov.u32 h, box; mad.lo.u32 n, t, 4, h; st.shared.b32 [n], a;\nbar.sync 0;\nsub.u32 n, 159, t; mad.lo.u32 n, n, 4, h; ld.shared.b32 d, [n];",
               declare(["b32"]), top=f".shared .align 4 .b8 box[{4 * THREADS}];")
    for op, out in (("popc.u32", "b32"), ("and.pred", "pred"), ("or.pred", "pred")):
        yield Form(f"bar.red.{op}", "bar", ["pred"], [out], f"bar.red.{op} d, 0, a;", declare([out]))
        yield Form(f"barrier.cta.red.{op}", "bar", ["pred"], [out], f"barrier.cta.red.{op} d, 0, !a;", declare([out]))
    for op in ("membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.gpu", "fence.sc.cta", "bar.warp.sync -1", "nanosleep.u32 20", "barrier.cta.sync 1",
               "bar.sync 2, 160", "barrier.cta.sync.aligned 0", "griddepcontrol.wait", "pmevent 1"):
        yield Form(op, "bar", ["i32"], ["b32"], f"{op};\nmov.b32 d, a;", declare(["b32"]))
    for typ, parts in (("b32", "b16"), ("b64", "b32")):
        kind = f"i{bits_of(typ)}"
        small = f"i{bits_of(parts)}"
        yield Form(f"mov.{typ} unpack", "mov", [kind], [parts, parts], f"mov.{typ} {{d, v}}, a;", declare([parts, parts]))
        yield Form(f"mov.{typ} pack", "mov", [small, small], [typ], f"mov.{typ} d, {{a, b}};", declare([typ]))
    yield Form("mov.b64 unpack four", "mov", ["i64"], ["b16"] * 4, "mov.b64 {d, v, w, x}, a;", declare(["b16"] * 4))
    yield Form("mov.b64 pack four", "mov", ["i16"] * 4, ["b64"], "mov.b64 d, {a, b, c, e};", declare(["b64"]))


def all_forms(root):
    forms = [*lanewise(root / "tools/golden/lanewise_forms.txt"), *warp_wide(), *atomics(), *memory(), *control()]
    seen = {}
    for form in forms:
        assert form.entry not in seen, (form.name, seen[form.entry])
        seen[form.entry] = form.name
    return forms


HEAD = "// Written by tools/golden/forms.py: one entry a form. tests/golden/README.md says what enters and leaves.\n.version 9.0\n.target sm_90\n.address_size 64\n\n"


def forms_by_file(root):
    """The PTX file's name without its ending → its forms."""
    files = {}
    for form in all_forms(root):
        files.setdefault(form.file, []).append(form)
    return dict(sorted(files.items()))


def ptx_of(forms):
    return HEAD + "\n".join(form.ptx() for form in forms)


def packed_bytes(out):
    """How many bytes forms.bin has for one result of a form."""
    return (THREADS + 7) // 8 if out == "pred" else (32 if out == "mem" else THREADS) * bits_of(out) // 8


def write(root, folder):
    index, offset = ["# form | entry | PTX file | results | operand kinds | offset in forms.bin"], 0
    for file, forms in forms_by_file(root).items():
        (folder / f"{file}.ptx").write_text(ptx_of(forms))
        for form in forms:
            index.append(f"{form.name} | {form.entry} | {file}.ptx | {' '.join(form.outs)} | {' '.join(form.kinds)} | {offset}")
            offset += sum(packed_bytes(out) for out in form.outs)
    (folder / "forms.txt").write_text("\n".join(index) + "\n")


# ---- the GPU --------------------------------------------------------------------------------------
class Gpu:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *args):
        code = getattr(self.cuda, name)(*args)
        if code:
            raise RuntimeError(f"{name}: CUDA error {code}")

    def alloc(self, size):
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
        return pointer

    def module(self, image):
        """A PTX text, or the bytes of a cubin."""
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), image.encode() + b"\0" if isinstance(image, str) else image)
        return module

    def run(self, module, entry, threads, size, *pointers):
        """One block of a kernel; its first argument points to `size` bytes that are zero before. The bytes afterwards."""
        function, out = ctypes.c_void_p(), pointers[0]
        self.call("cuModuleGetFunction", ctypes.byref(function), module, entry.encode())
        self.call("cuMemsetD8_v2", out, ctypes.c_ubyte(0), ctypes.c_size_t(size))
        params = (ctypes.c_void_p * len(pointers))(*map(ctypes.addressof, pointers))
        self.call("cuLaunchKernel", function, 1, 1, 1, threads, 1, 1, 0, None, params, None)
        back = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", back, out, ctypes.c_size_t(size))
        return back.raw


def packed(rows, out, slot):
    """Results of one output: predicates as bits, thread 0 in bit 0 of byte 0; others as little-endian words.
    Memory images (`mem`) keep the first 32 threads only: they are large and much alike."""
    values = [row[slot] for row in (rows[:32] if out == "mem" else rows)]
    if out == "pred":
        bits = sum((v & 1) << t for t, v in enumerate(values))
        return bits.to_bytes((len(values) + 7) // 8, "little")
    size = bits_of(out) // 8
    return b"".join(v.to_bytes(8, "little")[:size] for v in values)


def run(root, out_folder):
    gpu = Gpu()
    source, target = gpu.alloc(8 * IN_SLOTS * THREADS), gpu.alloc(8 * OUT_SLOTS * THREADS)
    pack = bytearray()
    for forms in forms_by_file(root).values():
        module = gpu.module(ptx_of(forms))
        for form in forms:
            rows = operands(form.name, form.kinds)
            flat = [v for row in rows for v in row + [0] * (IN_SLOTS - len(row))]
            data = struct.pack(f"<{len(flat)}Q", *flat)
            gpu.call("cuMemcpyHtoD_v2", source, data, ctypes.c_size_t(len(data)))
            words = struct.unpack(f"<{OUT_SLOTS * THREADS}Q", gpu.run(module, form.entry, THREADS, 8 * OUT_SLOTS * THREADS, target, source))
            results = [words[OUT_SLOTS * t:OUT_SLOTS * (t + 1)] for t in range(THREADS)]
            for slot, out in enumerate(form.outs):
                pack += packed(results, out, slot)
    (out_folder / "forms.bin").write_bytes(pack)


def header(root):
    """The operands as C++, so that a test draws the same numbers."""
    lines = ["// Operands of the golden forms: edge values by kind. Written by `tools/golden/forms.py header`; README.md specifies the rest.",
             "#pragma once", "", "#include <cstdint>", "#include <map>", "#include <string>", "#include <vector>", "", "namespace lab::golden {", "",
             "inline const std::map<std::string, std::vector<std::uint64_t>>& edges() {",
             "  static const std::map<std::string, std::vector<std::uint64_t>> table = {"]
    for kind, values in EDGES.items():
        lines.append(f'      {{"{kind}",')
        words = [f"{v:#x}" for v in values]
        for i in range(0, len(words), 5):
            lead = "       {" if i == 0 else "        "
            lines.append(lead + ", ".join(words[i:i + 5]) + ("," if i + 5 < len(words) else "}},"))
    lines += ["  };", "  return table;", "}", "", "}  // namespace lab::golden", ""]
    (root / "tests/golden/edges.h").write_text("\n".join(lines))


if __name__ == "__main__":
    command, root = sys.argv[1], Path(sys.argv[2])
    if command == "write":
        write(root, Path(sys.argv[3]))
    elif command == "header":
        header(root)
    elif command == "run":
        run(root, Path(sys.argv[3]))
