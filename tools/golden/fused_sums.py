"""Which sums `ptxas` makes one instruction with a product: drawn texts, and what `nvdisasm` shows of each.

    fused_sums.py OUT        draws, asks `ptxas` and `nvdisasm` (13.0, on PATH) and writes fused_sums.txt.gz

A line is a verdict and a text. The verdict has a character for each `add` and `sub` of the text: which of its operands
is a product that it computes itself, `1` or `2`, or `-`. tests/sim/test_fused_products.cpp holds the simulator to it.
"""

import gzip
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

Expression = Any  # a name, or (operation, operands…)
Instruction = tuple[str, ...]
DRAWS = 1200
INPUTS = "abcdef"
TARGETS = ["sm_75", "sm_90", "sm_100"]

# What may stand between a product and the sum that reads it; %b, %c, %d are not the product's.
BETWEEN = """
|bar.sync 0;|bar.arrive 1, 64;|bar.warp.sync -1;|barrier.cluster.arrive; barrier.cluster.wait;|membar.gl;|membar.cta;
|fence.acq_rel.gpu;|fence.acq_rel.cta;|fence.sc.gpu;|fence.proxy.alias;|ld.volatile.global.f32 d, [p+12];
|st.volatile.global.f32 [p+200], a;|atom.global.add.u32 i, [p+100], 1;|red.global.add.u32 [p+100], 1;|brkpt;
|shfl.sync.bfly.b32 d, a, 1, 0x1f, -1;|vote.sync.any.pred w, v, -1;|@v exit;|@v ret;|@v trap;|@v st.global.f32 [p+204], a;
|@v ld.global.f32 d, [p+12];|@v atom.global.add.u32 i, [p+100], 1;|@v red.global.add.u32 [p+100], 1;|@v bar.sync 1;
|@v mov.f32 d, a;|@v add.f32 d, a, c;|@v mul.f32 d, a, c;|@v sqrt.approx.f32 d, c;|@v div.rn.f32 d, c, b;
|@v shfl.sync.bfly.b32 d, a, 1, 0x1f, -1;|div.rn.f32 d, c, b;|div.full.f32 d, c, b;|div.approx.f32 d, c, b;|sqrt.rn.f32 d, c;
|sqrt.approx.f32 d, c;|rcp.rn.f32 d, c;|rem.u32 i, i, j;|div.u32 i, i, j;|div.u64 l, l, p;|@v bra L; mov.f32 d, a; L:
|cp.async.wait_all;|nanosleep.u32 5;|mov.u32 i, %clock;|activemask.b32 i;
""".replace("\n", "").split("|")[1:]
# Blocks and registers as hand-written texts have them.
WHOLE = ["mul.f32 m, a, b; mov.b32 n, m; add.f32 r, n, c; st.global.f32 [p+64], r;",
         "mul.f32 m, a, b; mov.b32 n, m; add.f32 r, n, c; st.global.f32 [p+64], r; st.global.f32 [p+72], m;",
         "mul.f32 m, a, b; mov.b32 r, c; @v add.f32 r, m, c; st.global.f32 [p+64], r;",
         "mov.b32 m, a; @v mul.f32 m, a, b; add.f32 r, m, c; st.global.f32 [p+64], r;",
         "mul.f32 m, a, b; add.f32 m, m, c; st.global.f32 [p+64], m;",
         "mul.f32 m, a, b; selp.f32 n, m, d, v; add.f32 r, n, c; st.global.f32 [p+64], r;"]
WHOLE += [f"{product} m, a, b; {total} r, m, c; st.global.f32 [p+64], r;" for product, total in [
    ("mul.ftz.f32", "add.f32"), ("mul.f32", "add.ftz.f32"), ("mul.ftz.f32", "sub.ftz.f32"), ("mul.f32", "add.sat.f32"),
    ("mul.sat.f32", "add.f32"), ("mul.rn.f32", "add.f32"), ("mul.f32", "add.rn.f32"), ("mul.rz.f32", "sub.f32")]]


def draw(rng: random.Random) -> list[Instruction]:
    values, products, program = list(INPUTS), [], []
    for k in range(rng.randint(3, 10)):
        name, kind = f"v{k}", rng.random()

        def pick() -> str:
            return rng.choice(values[-7:] if rng.random() < 0.6 else values)
        if kind < 0.42:
            factors = [pick(), pick()]
            if any(i[0] == "mul" and sorted(i[2:]) == sorted(factors) for i in program):
                continue  # the compiler in front of `ptxas` has made one of them
            program.append(("mul", name, *factors))
            products.append(name)
        elif kind < 0.9:
            operands = [rng.choice(products) if products and rng.random() < 0.7 else pick() for _ in range(2)]
            program.append((rng.choice(["add", "sub"]), name, *operands))
        elif kind < 0.95:
            program.append(("neg", name, rng.choice(products or values)))
        else:
            program.append(("fma.rn", name, pick(), pick(), pick()))
        values.append(name)
    return program


def stored(program: list[Instruction]) -> list[str]:
    """All sums, so that each shows, and what nothing else reads."""
    read = {operand for i in program for operand in i[2:]}
    return [i[1] for i in program if i[0] in ("add", "sub") or i[1] not in read]


def text_of(program: list[Instruction], kind: str) -> str:
    lines = [f"{i[0]}.{kind} {', '.join(i[1:])};" for i in program]
    return " ".join(lines + [f"st.global.{kind} [p+{256 + 8 * k}], {name};" for k, name in enumerate(stored(program))])


def entry(name: str, text: str, kind: str) -> str:
    loads = "".join(f"ld.global.{kind} {v}, [p+{8 * k}];" for k, v in enumerate(INPUTS))
    return (f".visible .entry {name}(.param .u64 q) {{ .reg .u64 p, l; .reg .u32 i, j; .reg .pred v, w; .reg .{kind} {', '.join(INPUTS)}, m, n, r;"
            f" .reg .{kind} v<10>; ld.param.u64 p, [q]; {loads} ld.global.u32 i, [p+400]; ld.global.u32 j, [p+404]; ld.global.u64 l, [p+408];"
            f" setp.gt.u32 v, i, j;\n{text}\nret; }}\n")


def disassembled(module: str, target: str) -> dict[str, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        source, binary = Path(folder, "a.ptx"), Path(folder, "a.cubin")
        source.write_text(f".version 8.8\n.target {target}\n.address_size 64\n{module}")
        subprocess.run(["ptxas", "-arch", target, source, "-o", binary], check=True)
        listing = subprocess.run(["nvdisasm", "-c", binary], check=True, capture_output=True, text=True).stdout
    found = {}
    for part in re.split(r"\.text\.", listing)[1:]:
        lines = [re.sub(r"\s+", " ", line) for line in re.findall(r"/\*[0-9a-f]{4}\*/\s+(.*?);", part)]
        if lines:
            found[re.match(r"\w+", part).group(0)] = lines  # type: ignore[union-attr]
    return found


def product(a: Expression, b: Expression) -> tuple[Expression, bool]:
    """Two factors, sorted and without signs, and whether their product is negative."""
    minus = sum(x[0] == "neg" for x in (a, b)) == 1
    return tuple(sorted((x[1] if x[0] == "neg" else x for x in (a, b)), key=repr)), minus


def negative(x: Expression) -> Expression:
    return x[1] if x[0] == "neg" else ("neg", x)


def results(lines: list[str]) -> dict[int, Expression]:
    """What straight machine code stores, by the number of the place."""
    registers: dict[str, Expression] = {}
    places = {}

    def value(operand: str) -> Expression:
        name = operand.strip().replace(".reuse", "").lstrip("-")
        known = "0" if name in ("RZ", "0") else registers.get(name, name)
        return negative(known) if operand.strip().startswith("-") else known
    for line in lines:
        operation, _, rest = line.partition(" ")
        operands = rest.split(",")
        offset = re.search(r"\+0x([0-9a-f]+)\]", line)
        at = int(offset.group(1), 16) if offset else 0
        if operation.startswith("LDG") and at < 8 * len(INPUTS):
            registers[operands[0]] = INPUTS[at // 8]
        elif operation.startswith("STG"):
            places[(at - 256) // 8] = value(operands[-1])
        elif operation.lstrip("FD") == "MUL":
            factors, minus = product(value(operands[1]), value(operands[2]))
            registers[operands[0]] = negative(("mul", factors)) if minus else ("mul", factors)
        elif operation.lstrip("FD") == "ADD":
            terms = [value(x) for x in operands[1:3]]
            rest_of = [x for x in terms if x not in ("0", ("neg", "0"))]
            registers[operands[0]] = rest_of[0] if len(rest_of) == 1 else ("add", *terms)
        elif operation[1:] == "FMA":
            factors, minus = product(value(operands[1]), value(operands[2]))
            other = value(operands[3])
            plain = negative(("mul", factors)) if minus else ("mul", factors)
            registers[operands[0]] = plain if other == ("neg", "0") else ("fma", factors, minus, other)
        elif "MOV" in operation:
            registers[operands[0]] = value(operands[-1])
    return places


def verdict(program: list[Instruction], places: dict[int, Expression]) -> str:
    shown = dict(zip(stored(program), (places.get(k) for k in range(len(places)))))
    values: dict[str, Expression] = {name: name for name in INPUTS}
    marks = ""
    for operation, name, *operands in program:
        at = [values[x] for x in operands]
        if operation == "mul":
            factors, minus = product(*at)
            values[name] = negative(("mul", factors)) if minus else ("mul", factors)
        elif operation == "neg":
            values[name] = negative(at[0])
        elif operation == "fma.rn":
            factors, minus = product(at[0], at[1])
            values[name] = ("fma", factors, minus, at[2])
        else:
            values[name] = shown[name]
            taken = [k for k, x in enumerate(at, 1) if (x[1] if x[0] == "neg" else x) == ("mul", shown[name][1])]
            marks += str(taken[0]) if shown[name][0] == "fma" and len(taken) == 1 else "?" if shown[name][0] == "fma" else "-"
    return marks


def of_one_sum(text: str, lines: list[str]) -> str:
    """The verdict of a text whose last sum is stored at 64; sums before it have no product."""
    stores = [k for k, line in enumerate(lines) if "STG" in line and "+0x40]" in line]
    register = lines[stores[0]].split(",")[-1].strip()
    writes = [line for line in lines[:stores[0]] if re.match(rf"(@!?U?P\d )?\S+ {register},", line)]
    sums = len(re.findall(r"\b(?:add|sub)\.(?:\w+\.)*f32", text))
    return "-" * (sums - 1) + ("1" if "FMA" in writes[-1] else "-")


def main() -> None:
    rng = random.Random(20261202)
    rows = []
    for kind in ("f32", "f64"):
        programs = [draw(rng) for _ in range(DRAWS // 2)]
        module = "".join(entry(f"k{n}", text_of(p, kind), kind) for n, p in enumerate(programs))
        listings = [disassembled(module, target) for target in TARGETS]
        for n, p in enumerate(programs):
            marks = {verdict(p, results(listing[f"k{n}"])) for listing in listings}
            if marks != {""} and len(marks) == 1 and "?" not in "".join(marks):
                rows.append((marks.pop(), kind, text_of(p, kind)))
            elif marks != {""}:
                print("left out:", marks, text_of(p, kind))
    texts = WHOLE + [f"mul.f32 m, a, b; {between} add.f32 r, m, c; st.global.f32 [p+64], r;"
                     " st.global.f32 [p+212], d; st.global.u32 [p+208], i; st.global.u64 [p+216], l;" for between in BETWEEN]
    for text in texts:
        rows.append((of_one_sum(text, disassembled(entry("k", text, "f32"), "sm_90")["k"]), "f32", text))
    Path(sys.argv[1]).write_bytes(gzip.compress("".join(f"{' '.join(row)}\n" for row in rows).encode(), mtime=0))
    print(len(rows), "texts,", sum(len(row[0]) for row in rows), "sums")


if __name__ == "__main__":
    main()
