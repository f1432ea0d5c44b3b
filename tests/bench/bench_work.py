#!/usr/bin/env python3
"""What a unit of work (common/sim/program/work.h) costs this machine: nanoseconds per unit of kernels that do one thing without end.

Enters: a `lab` program. Leaves: a table, most expensive first. A budget ends each kernel, so their units are known; a charge that is too low
stands at the top. Compiling is cached by a first run, and starting `lab` is taken off.

    tests/bench/bench_work.py build/common/cli/lab            all of them
    tests/bench/bench_work.py build/common/cli/lab printf div  those whose names have these words"""

import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

SIDE = 100  # one shape and one block; its launch has a budget of its own (common/course/judge/trial.cpp)
BUDGET = 16_000_000 + 100 * SIDE * SIDE + 200 * 8
HEAD = """#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {128, 128}};
__device__ unsigned words[65536];
__device__ alignas(16) float bytes[11776];
struct alignas(16) Quad { unsigned x, y, z, w; };
__device__ __noinline__ unsigned deeper(unsigned a) { return a * 3 + 1; }
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ alignas(16) unsigned tile[11776];
  unsigned a = threadIdx.x + 1, b = threadIdx.y + 7, lane = threadIdx.x;
  unsigned long long w = a; float f = a; double d = a; bool p = a > 3;
  for (int i = threadIdx.x; i < 11776; i += 32) tile[i] = i;
  __syncthreads();
  asm volatile("fence.proxy.async;" ::: "memory");
  """
TAIL = """
  if (a == 123456789u || w == 123456789u || f == 1.5f || d == 1.5) out[0] = a;
}
"""


def loop(body):
    return HEAD + "for (unsigned i = 0; ; ++i) {" + body + "; if (i == 0xffffffffu) break; }" + TAIL


def asm(text, *constraints):
    return f'asm volatile("{text}" : {constraints[0]} : {constraints[1]})' if len(constraints) == 2 else f'asm volatile("{text}" : {constraints[0]})'


def unary(text, value="f", letter="f"):
    return asm(text, f'"+{letter}"({value})')


ONE = {
    "add": unary("add.u32 %0, %0, 5;", "a", "r"),
    "mad": unary("mad.lo.u32 %0, %0, %0, 5;", "a", "r"),
    "mad 64": unary("mad.lo.u64 %0, %0, %0, 5;", "w", "l"),
    "mul.hi 64": unary("mul.hi.u64 %0, %0, %0;", "w", "l"),
    "mul.hi": unary("mul.hi.u32 %0, %0, %0;", "a", "r"),
    "popc": unary("popc.b32 %0, %0;", "a", "r"),
    "clz": unary("clz.b32 %0, %0;", "a", "r"),
    "clz 64": '{unsigned t; asm volatile("clz.b64 %0, %1;" : "=r"(t) : "l"(w)); a ^= t;}',
    "bfe": unary("bfe.u32 %0, %0, 3, 7;", "a", "r"),
    "bfi": unary("bfi.b32 %0, %0, %0, 3, 7;", "a", "r"),
    "brev": unary("brev.b32 %0, %0;", "a", "r"),
    "brev 64": unary("brev.b64 %0, %0;", "w", "l"),
    "bfind": unary("bfind.u32 %0, %0;", "a", "r"),
    "fns": unary("fns.b32 %0, %0, 3, 2;", "a", "r"),
    "prmt": unary("prmt.b32 %0, %0, %0, 0x4321;", "a", "r"),
    "lop3": unary("lop3.b32 %0, %0, 77, 99, 0x5a;", "a", "r"),
    "shf": unary("shf.l.wrap.b32 %0, %0, %0, 5;", "a", "r"),
    "dp4a": unary("dp4a.u32.u32 %0, %0, %0, %0;", "a", "r"),
    "sad": unary("sad.u32 %0, %0, 77, %0;", "a", "r"),
    "div": unary("div.u32 %0, %0, 7;", "a", "r"),
    "rem": unary("rem.s32 %0, %0, 7;", "a", "r"),
    "div 64": unary("div.u64 %0, %0, 7;", "w", "l"),
    "rem 64": unary("rem.s64 %0, %0, 7;", "w", "l"),
    "add carry": unary("{add.cc.u32 %0, %0, 5; addc.u32 %0, %0, 5;}", "a", "r"),
    "fma": unary("fma.rn.f32 %0, %0, %0, %0;"),
    "fma.rz": unary("fma.rz.f32 %0, %0, %0, %0;"),
    "add.rz": unary("add.rz.f32 %0, %0, %0;"),
    "mul.rp": unary("mul.rp.f32 %0, %0, %0;"),
    "fma 64": unary("fma.rn.f64 %0, %0, %0, %0;", "d", "d"),
    "fma.rz 64": unary("fma.rz.f64 %0, %0, %0, %0;", "d", "d"),
    "div f32": unary("div.rn.f32 %0, %0, %0;"),
    "div f64": unary("div.rn.f64 %0, %0, %0;", "d", "d"),
    "div.full": unary("div.full.f32 %0, %0, %0;"),
    "div.rz": unary("div.rz.f32 %0, %0, %0;"),
    "div.rz 64": unary("div.rz.f64 %0, %0, %0;", "d", "d"),
    "rcp": unary("rcp.rn.f32 %0, %0;"),
    "rcp 64": unary("rcp.rn.f64 %0, %0;", "d", "d"),
    "sqrt": unary("sqrt.rn.f32 %0, %0;"),
    "sqrt.rz": unary("sqrt.rz.f32 %0, %0;"),
    "sqrt 64": unary("sqrt.rn.f64 %0, %0;", "d", "d"),
    "rsqrt": unary("rsqrt.approx.f32 %0, %0;"),
    "sin": unary("sin.approx.f32 %0, %0;"),
    "sin large": "f += 1e30f; " + unary("sin.approx.f32 %0, %0;"),
    "tanh": unary("tanh.approx.f32 %0, %0;"),
    "ex2": unary("ex2.approx.f32 %0, %0;"),
    "lg2": unary("lg2.approx.f32 %0, %0;"),
    "min f32": unary("min.f32 %0, %0, %0;"),
    "copysign": unary("copysign.f32 %0, %0, %0;"),
    "testp": '{unsigned t; asm volatile("{.reg .pred q; testp.normal.f32 q, %1; selp.u32 %0, 1, 2, q;}" : "=r"(t) : "f"(f)); a ^= t;}',
    "cvt f32 s32": '{int t; asm volatile("cvt.rni.s32.f32 %0, %1;" : "=r"(t) : "f"(f)); a ^= t;}',
    "cvt s32 f32": asm("cvt.rn.f32.s32 %0, %1;", '"=f"(f)', '"r"(a)'),
    "cvt u64 f32.rz": asm("cvt.rz.f32.u64 %0, %1;", '"=f"(f)', '"l"(w)'),
    "cvt f64 f32.rz": asm("cvt.rz.f32.f64 %0, %1;", '"=f"(f)', '"d"(d)'),
    "cvt f32 f16": '{short t; asm volatile("cvt.rn.f16.f32 %0, %1;" : "=h"(t) : "f"(f)); a ^= t;}',
    "cvt.rni f32": unary("cvt.rni.f32.f32 %0, %0;"),
    "fma half": '{short t = a; asm volatile("fma.rn.f16 %0, %0, %0, %0;" : "+h"(t)); a ^= t;}',
    "fma half2": unary("fma.rn.f16x2 %0, %0, %0, %0;", "a", "r"),
    "ex2 half": '{short t = a; asm volatile("ex2.approx.f16 %0, %0;" : "+h"(t)); a ^= t;}',
    "set half2": unary("set.eq.f16x2.f16x2 %0, %0, %0;", "a", "r"),
    "shfl": "a ^= __shfl_xor_sync(~0u, a, 1)",
    "vote": "a ^= __ballot_sync(~0u, a & 1)",
    "match any": "a ^= __match_any_sync(~0u, a)",
    "match all": "{int q; a ^= __match_all_sync(~0u, a, &q);}",
    "redux": "a ^= __reduce_add_sync(~0u, a)",
    "elect": '{unsigned t; asm volatile("{.reg .pred q; elect.sync %0|q, 0xffffffff;}" : "=r"(t)); a ^= t;}',
    "activemask": "a ^= __activemask()",
    "clock": "a ^= (unsigned)clock64()",
    "syncwarp": "__syncwarp()",
    "syncthreads": "__syncthreads()",
    "syncthreads_or": "a ^= __syncthreads_or(a)",
    "fence": "__threadfence()",
    "load in": "a ^= ((volatile unsigned*)words)[lane]",
    "load quad": '{unsigned x,y,z,v; asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x),"=r"(y),"=r"(z),"=r"(v) : "l"(words + 4 * lane)); a ^= x;}',
    "load scattered": 'asm volatile("ld.global.u32 %0, [%1];" : "=r"(a) : "l"(words + (lane * 7919u + i * 977u) % 65536u))',
    "load quad scattered": '{unsigned x,y,z,v; asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x),"=r"(y),"=r"(z),"=r"(v) : "l"(words + (lane * lane * 88u + i * 978u * 4) % 65532u / 4 * 4)); a ^= x;}',
    "store": 'asm volatile("st.global.u32 [%0], %1;" :: "l"(words + lane + 32 * threadIdx.y), "r"(a))',
    "store scattered": 'asm volatile("st.global.u32 [%0], %1;" :: "l"(words + lane * lane * 8 + 8192 * threadIdx.y + i % 256u), "r"(a))',
    "store byte": 'asm volatile("st.global.u8 [%0], %1;" :: "l"((char*)words + lane + 32 * threadIdx.y), "r"(a))',
    "store byte scattered": 'asm volatile("st.global.u8 [%0], %1;" :: "l"((char*)words + lane * lane * 8 + 8192 * threadIdx.y + i % 256u), "r"(a))',
    "store quad scattered": 'asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" :: "l"(words + lane * lane * 8 + 8192 * threadIdx.y + i % 64u * 4), "r"(a))',
    "shared load": "a ^= ((volatile unsigned*)tile)[lane]",
    "shared store": "((volatile unsigned*)tile)[lane + 32 * threadIdx.y] = a",
    "shared conflict": "((volatile unsigned*)tile)[32 * lane + 1024 * threadIdx.y] = a",
    "shared scattered": "((volatile unsigned*)tile)[lane * lane + 1024 * threadIdx.y] = a",
    "shared byte scattered": "((volatile char*)tile)[lane * lane + 1024 * threadIdx.y] = a",
    "shared read scattered": "a ^= ((volatile unsigned*)tile)[(lane * 7919u + i * 977u) % 8192u]",
    "generic": "{volatile unsigned* q = (lane & 1) ? tile : words; a ^= q[lane];}",
    "local": "{volatile unsigned big[64]; big[i & 63] = a; a ^= big[i & 63];}",
    "local scattered": "{volatile unsigned big[64]; big[(i * lane) & 63] = a;}",
    "parameter": "a ^= *(volatile int*)&rows",
    "atomic": "atomicAdd(words + lane + 32 * threadIdx.y, 1u)",
    "atomic one": "atomicAdd(words, 1u)",
    "atomic cas": "a ^= atomicCAS(words + lane, a, b)",
    "atomic shared": "atomicAdd(tile + lane, 1u)",
    "atomic shared one": "a ^= atomicExch(tile, a)",
    "atomic float": "atomicAdd((float*)words + lane, 1.f)",
    "atomic double": "atomicAdd((double*)words + lane, 1.)",
    "diverge": "if (a & 1) a = a * 3 + 1; else a = a / 2 + 77",
    "diverge 32": 'for (unsigned k = 0; k < lane; ++k) asm volatile("add.u32 %0, %0, 5;" : "+r"(a))',
    "switch": "switch ((a ^ i) & 7) { case 0: a += 5; break; case 1: a *= 3; break; case 2: a ^= 99; break; case 3: a -= b; break; case 4: a /= 3; break; case 5: a |= 64; break; case 6: a = ~a; break; default: a <<= 1; }",
    "call": "a = deeper(a)",
    "one lane": 'if (lane == 0) for (int k = 0; k < 1000; ++k) asm volatile("add.u32 %0, %0, 5;" : "+r"(a))',
    "cp.async": 'asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" :: "r"((unsigned)__cvta_generic_to_shared(tile + lane + 32 * threadIdx.y)), "l"(words + lane))',
    "cp.async scattered": 'asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.wait_all;" :: "r"((unsigned)__cvta_generic_to_shared(tile + lane * 12 + 384 * threadIdx.y)), "l"(words + lane * 64))',
    "bulk 16": 'if (lane == 0 && threadIdx.y == 0) asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;" :: "l"(bytes + 4 * threadIdx.y), "r"((unsigned)__cvta_generic_to_shared(tile)) : "memory")',
    "bulk 4096": 'if (lane == 0 && threadIdx.y == 0) asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 4096;" :: "l"(bytes + 1024 * threadIdx.y), "r"((unsigned)__cvta_generic_to_shared(tile)) : "memory")',
    "ldmatrix": '{unsigned x1, x2; asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(x1), "=r"(x2) : "r"((unsigned)__cvta_generic_to_shared(tile + 4 * lane)));}',
    "movmatrix": unary("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;", "a", "r"),
    "sleep": "__nanosleep(100)",
    "printf": 'printf("%d %d\\n", a, b)',
    "printf plain": 'printf("x")',
    "printf empty": 'printf("")',
    "printf text": 'printf("a line of text that has no number in it at all, and a good many letters\\n")',
    "printf wide": 'printf("%900d\\n", a)',
    "printf string": 'printf("%s\\n", "a line of text that has no number in it at all, and a good many letters")',
    "printf doubles": 'printf("%f %f %f %f\\n", d, d, d, d)',
    "printf large doubles": 'printf("%.900f %e\\n", 1e300 * d, d)',
    "printf hex doubles": 'printf("%a%a%a%a", d, d, d, d)',
    "printf many": 'printf("%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d", a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a)',
    "printf percent": 'printf("%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%")',
    "printf letters": 'printf("%c%c%c%c%c%c%c%c", a,a,a,a,a,a,a,a)',
    "printf small string": 'printf("%s%s%s%s", "", "", "", "")',
    "printf stars": 'printf("%*d%*d", 5, a, 5, a)',
    "printf malformed": 'printf("%-+ #0-+ #0%5-5d%5-5d%5-5d")',
    "malloc": "{void* q = malloc(64); if (rows < 0) *(int*)q = 1; free(q);}",
    "malloc large": "{void* q = malloc(200000); if (rows < 0) *(int*)q = 1; free(q);}",
    "malloc kept": "{void* q = malloc(16); if (rows < 0) *(int*)q = 1;}",
    "malloc refused": "{void* q = malloc(1ull << 40); if (rows < 0) *(int*)q = 1;}",
}
# What a message of a spent budget says: the launch did more, or its blocks together spent it.
SPENT = re.compile(r"more than [\d,]+ units|spent its budget together")


def seconds(command, env):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def main():
    lab, words = sys.argv[1], sys.argv[2:]
    env = dict(os.environ, TERM="dumb", NO_COLOR="1")
    rows = []
    with tempfile.TemporaryDirectory() as folder:

        def check(name, text):
            path = pathlib.Path(folder, name.replace(" ", "_") + ".cu")
            path.write_text(text)
            command = ["taskset", "-c", "0", lab, "check", "5", "--kernel", str(path), "--rows", str(SIDE), "--cols", str(SIDE)]
            seconds(command, env)
            return min((seconds(command, env) for _ in range(2)), key=lambda s: s[0])

        start, _ = check("trap", HEAD + "__trap();" + TAIL)
        for name, body in ONE.items():
            if words and not any(w in name for w in words):
                continue
            took, said = check(name, loop(body))
            if not SPENT.search(said):
                print(name, "was not ended by its budget:", said[:400].replace("\n", " "), file=sys.stderr)
                continue
            rows.append(((took - start) * 1e9 / BUDGET, name))
    for cost, name in sorted(rows, reverse=True):
        print(f"{cost:8.2f} ns/unit  {name}")


if __name__ == "__main__":
    main()
