"""Counter patterns: one warp, one memory instruction per launch, profiled with Nsight Compute.

Place in the flow: needs a GPU, nvcc and ncu. Enters: nothing but the tables below. Leaves: a CSV (gzip), one row a
launch: the instruction, the byte offset of every lane (-1: the lane is predicated off) and its counters.
`patterns.py CSV.GZ [SECONDS [FORMS]]` runs, within a budget, the forms that match a regular expression;
`patterns.py --source FILE` only writes the CUDA program.
"""
import csv
import gzip
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import ncu

ONLY = sys.argv[3] if len(sys.argv) > 3 else ""  # forms to profile, a regular expression
SHARD = 150  # launches per run of the profiler
S, G, L, C = "shared", "global", "local", "const"

# (name, memory, width in bytes, PTX body: address in `a`, guard in `p`, results ored into `s`)
FORMS = []


def load(name, space, width, op, type_bits, count):
    """A load whose result reaches a trap that never fires, so that ptxas keeps it."""
    reg = {8: "h", 16: "h", 32: "r", 64: "d"}[type_bits]
    names = [f"{reg}{i}" for i in range(count)]
    operand = "{%s}" % ", ".join(names) if count > 1 else names[0]
    body = f"@p {op} {operand}, [a];"
    for n in names:
        if reg == "h":
            body += f" cvt.u32.u16 t, {n}; or.b32 s, s, t;"
        elif reg == "r":
            body += f" or.b32 s, s, {n};"
        else:
            body += f" mov.b64 {{t, u}}, {n}; or.b32 s, s, t; or.b32 s, s, u;"  # both halves, or ptxas narrows the load
    FORMS.append((name, space, width, body))


def store(name, space, width, op, type_bits, count):
    reg = {8: "h", 16: "h", 32: "r", 64: "d"}[type_bits]
    names = [f"{reg}{i}" for i in range(count)]
    operand = "{%s}" % ", ".join(names) if count > 1 else names[0]
    FORMS.append((name, space, width, f"@p {op} [a], {operand};"))


def plain(name, space, width, body):
    FORMS.append((name, space, width, body))


for sp in (S, G):
    for bits, count in ((16, 2), (16, 4), (8, 2), (8, 4), (64, 2), (32, 2), (32, 4), (32, 1), (64, 1), (16, 1), (8, 1)):
        v = f".v{count}" if count > 1 else ""
        load(f"ld.{sp}{v}.u{bits}", sp, bits * count // 8, f"ld.{sp}{v}.u{bits}", bits, count)
        store(f"st.{sp}{v}.u{bits}", sp, bits * count // 8, f"st.{sp}{v}.u{bits}", bits, count)
    load(f"ld.volatile.{sp}.u32", sp, 4, f"ld.volatile.{sp}.u32", 32, 1)
    store(f"st.volatile.{sp}.u32", sp, 4, f"st.volatile.{sp}.u32", 32, 1)
    for bits, count in ((32, 1), (64, 1), (32, 4)):
        v = f".v{count}" if count > 1 else ""
        width = bits * count // 8
        load(f"ld{v}.u{bits}:generic-to-{sp}", sp, width, f"GEN ld{v}.u{bits}", bits, count)
        store(f"st{v}.u{bits}:generic-to-{sp}", sp, width, f"GEN st{v}.u{bits}", bits, count)
    # atomics: the old value feeds the sink
    for op, bits in (("add.u32", 32), ("min.s32", 32), ("inc.u32", 32), ("and.b32", 32), ("exch.b32", 32),
                     ("add.f32", 32), ("add.noftz.f16x2", 32), ("add.u64", 64), ("add.f64", 64), ("exch.b64", 64),
                     ("max.s64", 64)):
        val = {"add.f32": "f0", "add.f64": "e0", "add.u64": "d0", "exch.b64": "d0", "max.s64": "d0"}.get(op, "r0")
        dst = {"add.f32": "f1", "add.f64": "e1", "add.u64": "d1", "exch.b64": "d1", "max.s64": "d1"}.get(op, "r1")
        sink = {"f": f" mov.b32 t, {dst}; or.b32 s, s, t;", "e": f" mov.b64 d1, {dst}; cvt.u32.u64 t, d1; or.b32 s, s, t;",
                "d": f" cvt.u32.u64 t, {dst}; or.b32 s, s, t;", "r": f" or.b32 s, s, {dst};"}[dst[0]]
        plain(f"atom.{sp}.{op}", sp, bits // 8, f"@p atom.{sp}.{op} {dst}, [a], {val};" + sink)
        if not op.startswith("exch"):
            plain(f"red.{sp}.{op}", sp, bits // 8, f"@p red.{sp}.{op} [a], {val};")
    plain(f"atom.{sp}.cas.b32", sp, 4, f"@p atom.{sp}.cas.b32 r1, [a], r0, r2; or.b32 s, s, r1;")
    plain(f"atom.{sp}.cas.b64", sp, 8, f"@p atom.{sp}.cas.b64 d1, [a], d0, d2; cvt.u32.u64 t, d1; or.b32 s, s, t;")
for op in ("ca", "cg", "cs", "lu", "cv", "nc"):
    load(f"ld.global.{op}.u32", G, 4, f"ld.global.{op}.u32", 32, 1)
load("ld.global.nc.v4.u32", G, 16, "ld.global.nc.v4.u32", 32, 4)
for sem in ("relaxed.gpu", "acquire.gpu", "relaxed.cta"):
    load(f"ld.{sem}.global.u32", G, 4, f"ld.{sem}.global.u32", 32, 1)
for op in ("wb", "cg", "cs", "wt"):
    store(f"st.global.{op}.u32", G, 4, f"st.global.{op}.u32", 32, 1)
store("st.release.gpu.global.u32", G, 4, "st.release.gpu.global.u32", 32, 1)
plain("red.global.v4.f32.add", G, 16, "@p red.global.v4.f32.add [a], {f0, f1, f2, f3};")
plain("red.global.v2.f32.add", G, 8, "@p red.global.v2.f32.add [a], {f0, f1};")
plain("atom.generic.add.u32:global", G, 4, "GEN @p atom.add.u32 r1, [a], r0; or.b32 s, s, r1;")
plain("atom.generic.add.u32:shared", S, 4, "GEN @p atom.add.u32 r1, [a], r0; or.b32 s, s, r1;")
for bits, count in ((8, 1), (16, 1), (32, 1), (64, 1), (32, 2), (32, 4)):
    v = f".v{count}" if count > 1 else ""
    load(f"ld.local{v}.u{bits}", L, bits * count // 8, f"ld.local{v}.u{bits}", bits, count)
    store(f"st.local{v}.u{bits}", L, bits * count // 8, f"st.local{v}.u{bits}", bits, count)
load("ld.const.u32", C, 4, "ld.const.u32", 32, 1)
# a branch around the access instead of a guard
plain("ld.global.u32:branch", G, 4, "@!p bra SKIP; ld.global.u32 r0, [a]; or.b32 s, s, r0; SKIP:")
plain("st.global.u32:branch", G, 4, "@!p bra SKIP; st.global.u32 [a], r0; SKIP:")
plain("st.shared.u32:branch", S, 4, "@!p bra SKIP; st.shared.u32 [a], r0; SKIP:")


def lanes(f):
    return [f(i) for i in range(32)]


def patterns(width, space):
    """Lane patterns for one width: the name and the byte offset of each lane."""
    w = width
    rng = random.Random(width)
    base = {
        "stride1": lanes(lambda i: i * w), "same": lanes(lambda i: 0), "all-off": lanes(lambda i: -1),
        "even-lanes": lanes(lambda i: i * w if i % 2 == 0 else -1),
        "first8": lanes(lambda i: i * w if i < 8 else -1),
        "one-lane": lanes(lambda i: i * w if i == 17 else -1),
        "column33": lanes(lambda i: i * 33 * 4 // w * w), "column32": lanes(lambda i: i * 128),
        "pairs": lanes(lambda i: i // 2 * w),
    }
    more = {
        "stride2": lanes(lambda i: 2 * i * w), "stride3": lanes(lambda i: 3 * i * w),
        "stride4": lanes(lambda i: 4 * i * w), "stride8": lanes(lambda i: 8 * i * w), "stride16": lanes(lambda i: 16 * i * w),
        "half-same": lanes(lambda i: 0 if i < 16 else i * w),
        "two-addresses": lanes(lambda i: i % 2 * w), "two-addresses-one-bank": lanes(lambda i: i % 2 * 128),
        "two-halves-one-bank": lanes(lambda i: i // 16 * 128), "quads": lanes(lambda i: i // 4 * w),
        "first16": lanes(lambda i: i * w if i < 16 else -1), "odd-lanes-same": lanes(lambda i: 0 if i % 2 else -1),
        "eight-addresses-one-bank": lanes(lambda i: i % 8 * 128),
        "reversed": lanes(lambda i: (31 - i) * w),
        "offset-by-one": lanes(lambda i: (i + 1) * w),
    }
    for k in range(4):
        more[f"random{k}"] = lanes(lambda i: rng.randrange(64) * max(w, 4))
    more["random-sparse"] = lanes(lambda i: rng.randrange(64) * max(w, 4) if rng.random() < 0.5 else -1)
    return base, more


FULL = ("ld.shared.v2.u16", "ld.shared.v4.u16", "ld.shared.v4.u8", "ld.shared.u32", "ld.shared.u64", "ld.shared.v4.u32", "st.shared.v4.u16",
        "st.shared.u32", "st.shared.u64", "st.shared.v4.u32", "red.shared.add.u32", "atom.shared.add.u32", "atom.shared.cas.b32", "atom.shared.exch.b32",
        "atom.shared.add.f32", "atom.shared.add.u64", "atom.shared.add.f64", "red.global.add.u32", "atom.global.add.u32",
        "atom.global.add.f64", "atom.global.cas.b64", "ld.local.u32", "st.local.u32", "red.global.v4.f32.add")


def launches():
    """Every launch in order, the forms with many patterns first."""
    for index, (name, space, width, _) in sorted(enumerate(FORMS), key=lambda f: f[1][0] not in FULL):
        if not re.search(ONLY, name):
            continue
        base, more = patterns(width, space)
        few = {label: base[label] for label in ("stride1", "same", "all-off", "first8", "column33")}
        for label, offsets in (base | more if name in FULL else few).items():
            if space == L:  # private memory of 512 bytes per thread
                offsets = [o if o < 0 else o % 512 // width * width for o in offsets]
            yield index, label, offsets


def source():
    out = ["// Written by tools/golden/patterns.py", "#include <cstdio>", "#include <cstdlib>", "#include <cuda_runtime.h>",
           "struct Lanes { int offset[32]; };", "__constant__ unsigned table[2048];"]
    for index, (_, space, _, body) in enumerate(FORMS):
        generic = "GEN " in body
        body = body.replace("GEN ", "")
        if generic and not body.startswith("@p"):
            body = "@p " + body.replace("@p ", "")
        body = body.replace("SKIP", f"SKIP{index}")
        decl = {S: "extern __shared__ __align__(16) unsigned tile[];", G: "", L: "__align__(16) unsigned own[128]; own[lanes.offset[0] & 127] = 1;", C: ""}[space]
        addr = {S: "(unsigned long long)" + ("tile" if generic else "__cvta_generic_to_shared(tile)"),
                G: "(unsigned long long)buffer", L: "(unsigned long long)__cvta_generic_to_local(own)",
                C: "(unsigned long long)__cvta_generic_to_constant(table)"}[space]
        if generic:  # a choice keeps ptxas from seeing which memory it is
            decl = "extern __shared__ __align__(16) unsigned tile[];"
            both = ("buffer", "tile") if space == G else ("tile", "buffer")
            addr = "(unsigned long long)(zero == 0 ? %s : %s)" % both
        text = ("{.reg .pred p, q; .reg .b16 h<4>; .reg .b32 r<4>, s, t, u; .reg .b64 a, d<4>; .reg .f32 f<4>; .reg .f64 e<4>; "
                "setp.ge.s32 p, %1, 0; cvt.s64.s32 a, %1; add.s64 a, a, %0; mov.b32 s, 0; "
                "mov.b32 r0, %1; mov.b32 r1, %1; mov.b32 r2, %1; mov.b32 r3, %1; "
                "cvt.u64.u32 d0, %1; cvt.u64.u32 d1, %1; cvt.u64.u32 d2, %1; "
                "cvt.u16.u32 h0, %1; mov.b16 h1, h0; mov.b16 h2, h0; mov.b16 h3, h0; "
                "mov.b32 f0, %1; mov.f32 f1, f0; mov.f32 f2, f0; mov.f32 f3, f0; cvt.rn.f64.u32 e0, %1; "
                f"{body} setp.eq.u32 q, s, %2; @q trap; }}")
        out.append(f"__global__ void k{index}(unsigned* buffer, const __grid_constant__ Lanes lanes, unsigned never, unsigned long long zero) {{ {decl} "
                   f"unsigned long long at = {addr}; "
                   f"asm volatile(\"{text}\" :: \"l\"(at), \"r\"(lanes.offset[threadIdx.x]), \"r\"(never) : \"memory\"); }}")
    out.append("int main(int argc, char** argv) { int first = argc > 1 ? atoi(argv[1]) : 0, last = first + kShard, at = 0;"
               "unsigned* buffer; cudaMalloc(&buffer, 1 << 16); cudaMemset(buffer, 0, 1 << 16);")
    for index, _, offsets in launches():
        out.append(f"if (at >= first && at < last) k{index}<<<1, 32, 16384>>>(buffer, Lanes{{{{{','.join(map(str, offsets))}}}}}, 0x9e3779b9u, 0);"
                   " ++at;")
    out.append("auto e = cudaDeviceSynchronize(); std::puts(cudaGetErrorName(e)); return e != cudaSuccess; }")
    return "\n".join(out).replace("kShard", str(SHARD)) + "\n"


HW = [f"l1tex__t_{what}_pipe_lsu_mem_{space}_op_{op}.sum" for what in ("requests", "sectors")
      for space, ops in (("global", ("ld", "st", "atom", "red")), ("local", ("ld", "st"))) for op in ops]
HW += [f"l1tex__data_pipe_lsu_wavefronts_mem_shared{op}.sum" for op in ("", "_op_ld", "_op_st", "_op_atom", "_op_red")]
HW += [f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared{op}.sum" for op in ("", "_op_ld", "_op_st", "_op_atom", "_op_red")]
HW += ["l1tex__data_pipe_lsu_wavefronts.sum", "l1tex__data_pipe_lsu_wavefronts_mem_lg.sum"]
SASS = [f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared{op}.sum"
        for op in ("", "_op_ld", "_op_st", "_op_atom", "_ideal", "_op_ld_ideal", "_op_st_ideal")]
SASS += [f"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_{op}{ideal}.sum" for op in ("ld", "st", "atom", "red") for ideal in ("", "_ideal")]
SASS += [f"smsp__sass_l1tex_t_requests_pipe_lsu_mem_global_op_{op}.sum" for op in ("ld", "st")]
SASS += [f"smsp__sass_inst_executed_op_{x}.sum" for x in
         ("global_ld", "global_st", "global_atom", "global_red", "shared_ld", "shared_st", "shared_atom", "shared", "global", "local_ld", "local_st",
          "memory", "ldgsts")]
DERIVED = ["memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal", "memory_l2_theoretical_sectors_global",
           "memory_l2_theoretical_sectors_global_ideal", "memory_l1_tag_requests_global", "memory_l2_theoretical_sectors_local"]


def known_metrics(program):
    """The wanted metrics that this Nsight Compute has."""
    listed = subprocess.run(["ncu", "--query-metrics"], capture_output=True, text=True).stdout
    Path(sys.argv[1]).with_suffix(".metrics.txt").write_text("\n".join(
        line.split()[0] for line in listed.splitlines() if "l1tex" in line or "smsp__sass" in line or "smsp__inst" in line))
    names = {line.split()[0] for line in listed.splitlines() if line.split()}
    wanted = [m for m in HW + SASS if m.removesuffix(".sum") in names]
    for m in DERIVED:
        probe = subprocess.run(["ncu", "--clock-control", "none", "--launch-count", "1", "--csv", "--page", "raw", "--metrics", m, program],
                               capture_output=True, text=True).stdout
        if f'"{m}"' in probe:
            wanted.append(m)
    return wanted


def main():
    if sys.argv[1] == "--source":
        Path(sys.argv[2]).write_text(source())
        return
    target = Path(sys.argv[1])
    Path("/tmp/patterns.cu").write_text(source())
    subprocess.run(["nvcc", "-arch=sm_90", "-std=c++20", "-w", "-o", "/tmp/patterns", "/tmp/patterns.cu"], check=True)
    metrics = known_metrics("/tmp/patterns")
    print(len(metrics), "metrics:", *metrics, flush=True)
    wanted = list(launches())
    budget, begun = float(sys.argv[2]) if len(sys.argv) > 2 else 1e9, time.time()
    table = []
    for first in range(0, len(wanted), SHARD):
        if time.time() - begun > budget:
            print("out of time at launch", first, "of", len(wanted))
            break
        shard = wanted[first:first + SHARD]
        for row, (index, label, offsets) in zip(ncu.launches(["/tmp/patterns", first], metrics, len(shard)), shard):
            table.append([FORMS[index][0], label, FORMS[index][1], *condense(FORMS[index], row), " ".join(map(str, offsets))])
        print(first + len(shard), "launches", round(time.time() - begun), "s", flush=True)
    own = {row[0]: row[3:5] for row in table if row[2] == L and row[1] == "all-off"}
    for row in table:  # the kernel itself stores a word of its array: take that away
        if row[2] == L:
            row[3:5] = [counted - at_rest for counted, at_rest in zip(row[3:5], own[row[0]])]
    with gzip.open(target, "wt", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["form", "pattern", "memory", *COLUMNS, "lane_byte_offsets"])
        writer.writerows(table)


COLUMNS = ["requests", "sectors", "theoretical_sectors", "ideal_sectors", "wavefronts_hw", "wavefronts_sass", "ideal_wavefronts"]


def condense(form, row):
    """The counters that belong to the form's kind of access, in the order of COLUMNS."""
    name, space = form[0], form[1]
    kind = name.split(".")[0] if name.startswith(("atom", "red")) else name[:2]
    count = lambda metric: ncu.number(row, metric)
    if space == G:
        return [count(f"l1tex__t_requests_pipe_lsu_mem_global_op_{kind}.sum"), count(f"l1tex__t_sectors_pipe_lsu_mem_global_op_{kind}.sum"),
                count("memory_l2_theoretical_sectors_global"), count("memory_l2_theoretical_sectors_global_ideal"), "", "", ""]
    if space == L:
        return [count(f"l1tex__t_requests_pipe_lsu_mem_local_op_{kind}.sum"), count(f"l1tex__t_sectors_pipe_lsu_mem_local_op_{kind}.sum")] + [""] * 5
    if space == S:
        op = "atom" if kind == "red" else kind
        return [count(f"smsp__sass_inst_executed_op_shared_{op}.sum"), "", "", "", count(f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"),
                count(f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"), count("memory_l1_wavefronts_shared_ideal")]
    return [0] * 7  # constant memory: nothing reaches the counters of load/store


main()
