"""Kernels of chapter 05 that would hold a grader up: by what they print, copy, allocate, wait for or make the compiler do.

Enters: nothing. Leaves: KERNELS: name → (text, the state and the diagnoses that are right)."""

HEAD = '#include "common/kernel/lab.cuh"\nLAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}};\n'
ENTRY = 'extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {\n'
BUDGET = ("judged", {"budget-exceeded"})
# A right transpose through a padded tile; what stands in {} is done by each thread besides.
RIGHT = HEAD + "{before}" + ENTRY + """  __shared__ float tile[32][33];
  {body}
  const int row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  for (int k = threadIdx.y; k < 32; k += 8)
    if (row0 + k < rows && col0 + threadIdx.x < cols) tile[k][threadIdx.x] = in[(size_t)(row0 + k) * cols + col0 + threadIdx.x];
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8)
    if (col0 + k < cols && row0 + threadIdx.x < rows) out[(size_t)(col0 + k) * rows + row0 + threadIdx.x] = tile[threadIdx.x][k];
}
"""


def right(body, before=""):
    return RIGHT.replace("{before}", before).replace("{body}", body)


BULK = """unsigned from; unsigned long long to;
  __shared__ alignas(16) float source[11776];
  asm("{.reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t;}" : "=r"(from) : "l"(source));
  asm("cvta.to.global.u64 %0, %1;" : "=l"(to) : "l"(copies));
  for (int i = threadIdx.x; i < 11776; i += 32) source[i] = i;
  __syncthreads();
  asm volatile("fence.proxy.async;" ::: "memory");
  if (threadIdx.x == 0) for (int k = 0; k < 20000; ++k)
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 47104;" :: "l"(to), "r"(from) : "memory");
"""


def slow(turns):
    """Other turns, other PTX, as slow; `turns` per thread."""
    return right(f"unsigned a = threadIdx.x; for (int i = 0; i < {turns}; ++i) a = a * 1664525u + (a >> 7); if (a == 12345u) return;")


KERNELS = {
    "prints": (right('for (int k = 0; k < 100; ++k) printf("%d %d\\n", k, (int)threadIdx.x);'), BUDGET),
    "prints_wide": (right('for (int k = 0; k < 100; ++k) printf("%900d %s\\n", k, "and so on, and so on");'), BUDGET),
    "copies": ((HEAD + "__device__ alignas(16) float copies[11776];\n" + ENTRY + BULK + "}\n").replace("{32, 8}, .tile", "{32, 1}, .tile"),
BUDGET),
    "endless": (right("volatile int go = 1; while (go) {}"), BUDGET),
    "locals": (right("volatile char big[400000]; for (int i = 0; i < 400000; i += 4096) big[i] = i;"), ("judged", None)),
    "recursion": (right("if (deeper(rows) == 7) return;", "__device__ __noinline__ int deeper(int n) { return n < -5 ? n : deeper(n + 1) + deeper(n - 1); }\n"),
                  ("judged", {"stack-overflow", "budget-exceeded"})),
    "trap": (right("if (rows > 0) __trap();"), ("judged", {"trap"})),
    "launch_shape": (right("").replace("{32, 8}", "{1024, 1}").replace("{32, 32}", "{1, 1}"), ("judged", None)),
    "sleeps": (right("for (;;) __nanosleep(1000000000);"), BUDGET),
    "lock": (right("while (atomicCAS(&lock, 0u, 1u) != 0u) {}", "__device__ unsigned lock;\n"), ("judged", {"budget-exceeded", "deadlock"})),
    "heap": (right("for (;;) { void* p = malloc(64); if (rows < 0) *(int*)p = 1; free(p); }"),
             ("judged", {"budget-exceeded", "does-not-compile"})),
    "slow_everywhere": (slow(20000), BUDGET),
    "sines": (right('float a = rows; for (int i = 0; i < 600; ++i) asm volatile("sin.approx.f32 %0, %1;" : "=f"(a) : "f"(a)); if (a > 2) return;'), BUDGET),
    "variables": (right("if (rows < 0) wide[cols] = 1;", "__device__ char wide[1 << 29];\n"), BUDGET),
    "long_name": (right("if (rows < 0) " + "n" * 60_000 + "[0] = 1;", "__device__ int " + "n" * 60_000 + "[4];\n"), ("judged", None)),
    "long_code": (right("unsigned a = rows;\n" + "asm volatile(\"xor.b32 %0, %0, 5;\" : \"+r\"(a));\n" * 5000 + "if (a == ~0u) return;"),
                  ("judged", {"many-instructions"})),
    "macros": (right("".join(f"\n#define M{i + 1}(x) M{i}(x) M{i}(x) M{i}(x) M{i}(x)" for i in range(14)).replace("M0(x)", "x") + "\nM14(;)\n"),
               ("limit", {"compiler-limit"})),
    "includes": (right("", '#include "transpose.cu"\n'), ("does-not-compile", None)),
    "templates": (right("if (F<0, 0>::v == 3) return;", "template <int A, int B> struct F { static constexpr int v = F<A + 1, B>::v + F<A, B + 1>::v; };\n"),
                  ("does-not-compile", None)),
    "constant": (right("if (count(1u << 30) == 3) return;",
                       "constexpr unsigned count(unsigned n) { unsigned a = 0; for (unsigned i = 0; i < n; ++i) a += i; return a; }\n"
                       "constexpr unsigned kCount = count(1u << 30);\n"), None),
}
