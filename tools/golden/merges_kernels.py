"""The kernels on which we learn, and test, which neighbouring accesses `ptxas` makes into one.

Place in the flow. Enters: nothing. Leaves: `families()`, name → (block, CUDA text): variations of small kernels in tables. Every kernel
has the signature `(float* out, const float* in, int n)`, writes `out[thread of the grid]` and reads `in` below 2^16 elements; grids have two blocks.
"""

HEAD = """#define KERNEL(name) extern "C" __global__ void name(float* out, const float* in, int n)
#define GID (blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x)
#define T (threadIdx.y * blockDim.x + threadIdx.x)
"""


def kernel(name, body, block=(64, 1), before=""):
    return name, block, f"{before}KERNEL({name}) {{\n{body}\n}}\n"


def fill(words, array="s", kind="float"):
    """Every thread loads its share of an array of shared memory."""
    return f"  for (int i = T; i < {words}; i += blockDim.x * blockDim.y) {array}[i] = ({kind})in[i];\n  __syncthreads();\n"


def sums(name, words, count, index, array="s", declared="__shared__ float s[{}];"):
    """Each thread adds up `count` words of shared memory, word k at `index`."""
    return kernel(name, f"""
  {declared.format(words)}
{fill(words, array)}
  float sum = 0;
  for (int k = 0; k < {count}; ++k) sum = sum * 0.5f + {array}[{index}];
  out[GID] = sum;""")


def products():
    """Tiled matrix products: tile, padding, unrolling, register tiles, element."""
    for tile in (8, 16, 32):
        for pad in (0, 1, 4):
            for unroll in ("", "#pragma unroll 1", "#pragma unroll 4"):
                name = f"product_t{tile}_p{pad}_u{unroll[-1] if unroll else 'all'}"
                yield kernel(name, f"""
  __shared__ float a[{tile}][{tile + pad}], b[{tile}][{tile + pad}];
  float sum = 0;
  for (int t = 0; t < n; t += {tile}) {{
    a[threadIdx.y][threadIdx.x] = in[t + T];
    b[threadIdx.y][threadIdx.x] = in[t + T + 1024];
    __syncthreads();
    {unroll}
    for (int k = 0; k < {tile}; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    __syncthreads();
  }}
  out[GID] = sum;""", (tile, tile))
    for rm, rn in ((2, 2), (4, 4), (8, 4), (8, 8), (4, 1), (1, 4), (3, 3), (2, 8)):
        for layout in ("rows", "turned"):
            for near in (True, False):
                a_at = {"rows": "a[{r}][k]", "turned": "a[k][{r}]"}[layout].format(
                    r=f"ty * {rm} + i" if near else "ty + i * 8")
                b_at = f"b[k][{f'tx * {rn} + j' if near else 'tx + j * 8'}]"
                rows, cols = 8 * rm, 8 * rn
                shape = f"[{rows}][8]" if layout == "rows" else f"[8][{rows}]"
                yield kernel(f"product_r{rm}x{rn}_{layout}_{'near' if near else 'far'}", f"""
  __shared__ float a{shape}, b[8][{cols}];
  float* fa = &a[0][0]; float* fb = &b[0][0];
  const int tx = threadIdx.x, ty = threadIdx.y;
  float sum[{rm}][{rn}] = {{}};
  for (int t = 0; t < n; t += 8) {{
    for (int i = T; i < {8 * rows}; i += 64) fa[i] = in[t + i];
    for (int i = T; i < {8 * cols}; i += 64) fb[i] = in[t + i + 1024];
    __syncthreads();
    for (int k = 0; k < 8; ++k)
      for (int i = 0; i < {rm}; ++i)
        for (int j = 0; j < {rn}; ++j) sum[i][j] += {a_at} * {b_at};
    __syncthreads();
  }}
  float all = 0;
  for (int i = 0; i < {rm}; ++i)
    for (int j = 0; j < {rn}; ++j) all += sum[i][j] * (i * 8 + j + 1);
  out[GID] = all;""", (8, 8))
    for kind in ("double", "int", "short", "unsigned char"):
        yield kernel(f"product_{kind.split()[-1]}", f"""
  __shared__ {kind} a[16][16], b[16][16];
  {kind} sum = 0;
  for (int t = 0; t < n; t += 16) {{
    a[threadIdx.y][threadIdx.x] = ({kind})in[t + T];
    b[threadIdx.y][threadIdx.x] = ({kind})in[t + T + 1024];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    __syncthreads();
  }}
  out[GID] = (float)sum;""", (16, 16))


def windows():
    """Sums over neighbours: how many, from where, how far apart the threads' first elements lie, in which kind of array."""
    for count in (2, 3, 4, 5, 6, 7, 8, 12, 16):
        for step in (1, 2, 4, 8):
            if count > 8 and step in (1, 2):
                continue
            yield sums(f"window_{count}_step_{step}", 64 * step + count, count, f"threadIdx.x * {step} + k")
    for count, first in ((4, 1), (4, 2), (4, 3), (7, 1), (8, 2), (6, 3), (2, 1), (2, 2)):
        yield sums(f"window_{count}_from_{first}", 64 * 4 + count + first, count, f"threadIdx.x * 4 + {first} + k")
    for name, index in (("n", "n + k"), ("n4", "4 * n + k"), ("and", "(n & ~3) + k"), ("shift", "((n + (int)threadIdx.x) >> 2 << 2) + k"),
                        ("mul12", "(int)threadIdx.x * 12 + k"), ("mul6", "(int)threadIdx.x * 6 + k"), ("xor", "((int)threadIdx.x * 4 ^ 16) + k"),
                        ("or", "((int)threadIdx.x * 4 | k)"), ("xork", "((int)threadIdx.x * 4 ^ k)"), ("sum", "(int)(threadIdx.x * 4 + blockIdx.x * 8) + k"),
                        ("loaded", "(int)in[threadIdx.x] * 4 + k"), ("ctaid", "(int)blockIdx.x * 4 + k"), ("ntid", "(int)blockDim.x * 4 + k"),
                        ("select", "(threadIdx.x > 9 ? 16 : 32) + k"), ("select_odd", "(threadIdx.x > 9 ? 16 : 33) + k"), ("constant", "k"), ("constant9", "9 + k"),
                        ("descending", "(int)threadIdx.x * 4 + 3 - k"), ("gap", "(int)threadIdx.x * 8 + k * 2"), ("twice", "(int)threadIdx.x * 4 + (k & 1)"),
                        ("min", "min(n, 8) * 4 + k"), ("division", "(int)threadIdx.x / 4 * 4 + k"), ("modulo", "(int)(threadIdx.x % 8 * 4) + k")):
        may_leave = name in ("n", "n4", "and", "shift", "loaded", "min")
        yield sums(f"index_{name}", 1024, 4, f"({index}) & 1023" if may_leave else index)
    for name, index in (("n", "n - 64 + k"), ("n4", "4 * (n - 60) + k"), ("loaded", "(int)in[threadIdx.x] * 4 + k"), ("and", "(n & 60) + k")):
        yield sums(f"free_index_{name}", 4096, 4, index)
    for kind, size in (("double", 8), ("long long", 8), ("short", 2), ("unsigned char", 1), ("int", 4), ("unsigned", 4)):
        for count in (2, 4, 8):
            yield kernel(f"window_{kind.split()[-1]}_{size}_{count}", f"""
  __shared__ {kind} s[{64 * count}];
{fill(64 * count, kind=kind)}
  {kind} sum = 0;
  for (int k = 0; k < {count}; ++k) sum = sum * 3 + s[threadIdx.x * {count} + k];
  out[GID] = (float)sum;""")
    for count in (2, 3, 4, 8):
        yield sums(f"dynamic_{count}", 64 * count, count, f"threadIdx.x * {count} + k", "dyn", "extern __shared__ float dyn[];")
    yield kernel("dynamic_first", "  extern __shared__ float dyn[];\n" + fill(64, "dyn") + "  float sum = 0;\n  for (int k = 0; k < 8; ++k) sum = sum * 0.5f + dyn[k];\n  out[GID] = sum;")
    yield kernel("dynamic_aligned", "  extern __shared__ __align__(16) float dyn16[];\n" + fill(256, "dyn16") +
                 "  float sum = 0;\n  for (int k = 0; k < 4; ++k) sum = sum * 0.5f + dyn16[threadIdx.x * 4 + k];\n  out[GID] = sum;")
    for before in (1, 2, 3, 4):
        yield kernel(f"second_array_{before}", f"""
  __shared__ float first[{before}], s[256];
{fill(256)}
  if (T < {before}) first[T] = in[T];
  __syncthreads();
  float sum = first[0];
  for (int k = 0; k < 4; ++k) sum = sum * 0.5f + s[threadIdx.x * 4 + k];
  out[GID] = sum;""")


def betweens():
    """What stands between two neighbouring loads."""
    things = {
        "barrier": "__syncthreads();", "syncwarp": "__syncwarp();", "fence_block": "__threadfence_block();", "fence": "__threadfence();",
        "shuffle": "x += __shfl_xor_sync(0xffffffffu, x, 1);", "store_far": "s[512 + threadIdx.x] = x;", "store_same": "s[threadIdx.x * 4 + 2] = x;",
        "store_same_word": "s[threadIdx.x * 4 + 1] = x;", "store_unknown": "s[(int)x & 511] = x;", "store_other": "r[threadIdx.x] = x;", "store_global": "out[GID] = x;",
        "load_global": "x += in[GID];", "atomic_shared": "atomicAdd(&w[threadIdx.x & 7], 1);", "atomic_same": "atomicExch(&s[threadIdx.x * 4 + 3], x);",
        "atomic_global": "atomicAdd(&out[8192], 1.0f);", "arithmetic": "x = sqrtf(x) * 3.0f + sinf(x);", "branch": "if (x > 5) x = in[GID];", "leave": "if (x > 1e30f) return;",
        "generic": "*where = x;", "asm": 'asm volatile("" ::: "memory");', "print": "if (x > 1e30f) __trap();", "vote": "if (__any_sync(0xffffffffu, x > 1e30f)) x = 1;",
        "clock": "x += (float)(clock() & 0);", "nanosleep": "__nanosleep(1);", "store_char": "reinterpret_cast<char*>(s)[threadIdx.x * 16 + 9] = 1;",
        "ldmatrix": 'asm volatile("{.reg .b32 z; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {z}, [%0];}" :: "r"((unsigned)__cvta_generic_to_shared(s)));'}
    for name, text in things.items():
        for kind in ("load", "store"):
            if kind == "load":
                middle = f"float x = s[threadIdx.x * 4];\n  {text}\n  x += s[threadIdx.x * 4 + 1] * 3.0f;"
            else:
                middle = f"float x = in[GID + 1], y = in[GID + 2];\n  s[threadIdx.x * 4] = x;\n  {text}\n  s[threadIdx.x * 4 + 1] = y;\n  __syncthreads();\n  x = s[255 - threadIdx.x];"
            yield kernel(f"between_{kind}_{name}", f"""
  __shared__ float s[1024], r[64];
  __shared__ int w[8];
  float* where = n > 100000 ? out : s + 700;
{fill(1024)}
  if (T < 8) w[T] = 0;
  r[T] = in[T];
  __syncthreads();
  {middle}
  out[GID] = x + r[63 - T] + w[T & 7];""")


def stores():
    """Neighbouring stores: how many, of what, in which order."""
    for count in (2, 3, 4, 5, 6, 8, 16):
        for step in sorted({count, 1 if count < 4 else 4}):
            for what, value in (("loaded", "in[GID * 4 + k]"), ("zero", "0.0f"), ("counted", "(float)(k + 1)")):
                yield kernel(f"stores_{count}_step_{step}_{what}", f"""
  __shared__ float s[{64 * max(step, count) + count}];
  for (int k = 0; k < {count}; ++k) s[threadIdx.x * {step} + k] = {value};
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 3; ++k) sum = sum * 0.5f + s[(threadIdx.x * 17 + k * 64) % {64 * step}];
  out[GID] = sum;""")
    for kind in ("double", "short", "unsigned char", "int"):
        yield kernel(f"stores_{kind.split()[-1]}", f"""
  __shared__ {kind} s[256];
  for (int k = 0; k < 4; ++k) s[threadIdx.x * 4 + k] = ({kind})in[GID * 4 + k];
  __syncthreads();
  out[GID] = (float)s[(threadIdx.x * 17) % 256];""")
    for name, order in (("descending", (3, 2, 1, 0)), ("mixed", (2, 0, 3, 1)), ("pairs", (0, 1, 4, 5)), ("gap", (0, 2, 3, 1)), ("odd", (1, 2, 3, 4)), ("twice", (0, 1, 0, 1))):
        yield kernel(f"stores_order_{name}", "  __shared__ float s[520];\n" + "".join(
            f"  s[threadIdx.x * 8 + {k}] = in[GID + {64 * i}];\n" for i, k in enumerate(order)) +
            "  __syncthreads();\n  out[GID] = s[(threadIdx.x * 8 + 9) % 512 & ~7];")
    yield kernel("stores_interleaved", """
  __shared__ float s[512], r[512];
  for (int k = 0; k < 4; ++k) { s[threadIdx.x * 4 + k] = in[GID + k]; r[threadIdx.x * 4 + k] = in[GID + 64 + k]; }
  __syncthreads();
  out[GID] = s[255 - threadIdx.x] + r[threadIdx.x];""")
    yield kernel("stores_of_loads", """
  __shared__ float s[256], r[256];
""" + fill(256) + """
  for (int k = 0; k < 4; ++k) r[threadIdx.x * 4 + k] = s[threadIdx.x * 4 + k] * 2.0f;
  __syncthreads();
  out[GID] = r[255 - threadIdx.x];""")
    yield kernel("swap_in_place", """
  __shared__ float s[256];
""" + fill(256) + """
  for (int k = 0; k < 2; ++k) { float x = s[threadIdx.x * 4 + k]; s[threadIdx.x * 4 + k] = s[threadIdx.x * 4 + 3 - k]; s[threadIdx.x * 4 + 3 - k] = x; }
  __syncthreads();
  out[GID] = s[255 - threadIdx.x];""")


def guards():
    """Predicates, branches, volatile, inline PTX, pointers."""
    yield kernel("volatile_loads", "  __shared__ float s[256];\n" + fill(256) + "  volatile float* v = s;\n  out[GID] = v[threadIdx.x * 4] + v[threadIdx.x * 4 + 1] + v[threadIdx.x * 4 + 2] + v[threadIdx.x * 4 + 3];")
    yield kernel("volatile_stores", "  __shared__ float s[256];\n  volatile float* v = s;\n  for (int k = 0; k < 4; ++k) v[threadIdx.x * 4 + k] = in[GID + k];\n  __syncthreads();\n  out[GID] = s[255 - threadIdx.x];")
    for name, guard in (("one", "if (threadIdx.x > 7) { x = s[threadIdx.x * 4]; y = s[threadIdx.x * 4 + 1]; }"),
                        ("two_same", "if (threadIdx.x > 7) x = s[threadIdx.x * 4];\n  if (threadIdx.x > 7) y = s[threadIdx.x * 4 + 1];"),
                        ("two_other", "if (threadIdx.x > 7) x = s[threadIdx.x * 4];\n  if (threadIdx.x > 9) y = s[threadIdx.x * 4 + 1];"),
                        ("half", "x = s[threadIdx.x * 4];\n  if (threadIdx.x > 9) y = s[threadIdx.x * 4 + 1];"),
                        ("else", "if (threadIdx.x > 7) x = s[threadIdx.x * 4]; else y = s[threadIdx.x * 4 + 1];"),
                        ("both_sides", "if (threadIdx.x & 1) { x = s[threadIdx.x * 4]; y = s[threadIdx.x * 4 + 1]; } else { x = s[threadIdx.x * 4 + 2]; y = s[threadIdx.x * 4 + 3]; }"),
                        ("ragged", "for (int k = 0; k < 4; ++k) if (threadIdx.x * 4 + k < n) x += s[threadIdx.x * 4 + k];"),
                        ("nested", "if (n > 3) { x = s[threadIdx.x * 4]; if (n > 5) y = s[threadIdx.x * 4 + 1]; }")):
        yield kernel(f"guard_{name}", "  __shared__ float s[256];\n" + fill(256) + f"  float x = 1, y = 2;\n  {guard}\n  out[GID] = x * 2 + y;")
    for name, guard in (("one", "if (threadIdx.x > 7) { s[threadIdx.x * 4] = x; s[threadIdx.x * 4 + 1] = y; }"),
                        ("ragged", "for (int k = 0; k < 4; ++k) if (threadIdx.x * 4 + k < n) s[threadIdx.x * 4 + k] = x + k * y;")):
        yield kernel(f"guard_store_{name}", "  __shared__ float s[256];\n" + fill(256) + f"  float x = in[T + 1], y = in[T + 2];\n  {guard}\n  __syncthreads();\n  out[GID] = s[255 - T];")
    for name, text in (("plain", "ld.shared.f32 %0, [%2]; ld.shared.f32 %1, [%2+4];"), ("volatile", "ld.volatile.shared.f32 %0, [%2]; ld.volatile.shared.f32 %1, [%2+4];"),
                       ("relaxed", "ld.relaxed.cta.shared.f32 %0, [%2]; ld.relaxed.cta.shared.f32 %1, [%2+4];"), ("acquire", "ld.acquire.cta.shared.f32 %0, [%2]; ld.acquire.cta.shared.f32 %1, [%2+4];"),
                       ("weak", "ld.weak.shared.f32 %0, [%2]; ld.shared.f32 %1, [%2+4];"), ("vector", "ld.shared.v2.f32 {%0, %1}, [%2];"),
                       ("mixed_type", "ld.shared.f32 %0, [%2]; ld.shared.b32 %1, [%2+4];"),
                       ("registers", "{.reg .b32 q; add.s32 q, %2, 4; ld.shared.f32 %0, [%2]; ld.shared.f32 %1, [q];}"),
                       ("minus", "{.reg .b32 q; add.s32 q, %2, 8; ld.shared.f32 %0, [q+-8]; ld.shared.f32 %1, [%2+4];}"),
                       ("guarded", "{.reg .pred p; setp.ne.s32 p, %2, 77; mov.f32 %0, 0f00000000; mov.f32 %1, 0f00000000; @p ld.shared.f32 %0, [%2]; @p ld.shared.f32 %1, [%2+4];}"),
                       ("guard_negated", "{.reg .pred p; setp.ne.s32 p, %2, 77; mov.f32 %0, 0f00000000; mov.f32 %1, 0f00000000; @p ld.shared.f32 %0, [%2]; @!p ld.shared.f32 %1, [%2+4];}"),
                       ("overwritten", "{.reg .b32 q; mov.b32 q, %2; ld.shared.f32 %0, [q]; add.s32 q, q, 16; ld.shared.f32 %1, [q+4];}"),
                       ("advanced", "{.reg .b32 q; mov.b32 q, %2; ld.shared.f32 %0, [q]; add.s32 q, q, 4; ld.shared.f32 %1, [q];}")):
        yield kernel(f"asm_{name}", "  __shared__ float s[264];\n" + fill(256) + "  float x, y;\n  const unsigned at = (unsigned)__cvta_generic_to_shared(s + threadIdx.x * 4);\n" +
                     f'  asm volatile("{text}" : "=f"(x), "=f"(y) : "r"(at) : "memory");\n  out[GID] = x * 2 + y;')
    yield kernel("pointer_generic", "  __shared__ float s[256];\n" + fill(256) + "  const float* p = n > 100000 ? in : s;\n  float sum = 0;\n  for (int k = 0; k < 4; ++k) sum = sum * 0.5f + p[threadIdx.x * 4 + k];\n  out[GID] = sum;")
    yield kernel("pointer_walks", "  __shared__ float s[1024];\n" + fill(1024) + "  const float* p = s + threadIdx.x * 4;\n  float sum = 0;\n  for (int k = 0; k < n / 64; ++k, p += 4) sum = sum * 0.5f + p[0] + p[1] * 2 + p[2] * 3 + p[3] * 4;\n  out[GID] = sum;")
    yield kernel("pointer_walks_odd", "  __shared__ float s[1024];\n" + fill(1024) + "  const float* p = s + threadIdx.x * 4;\n  float sum = 0;\n  for (int k = 0; k < n / 64; ++k, p += 5) sum = sum * 0.5f + p[0] + p[1] * 2 + p[2] * 3 + p[3] * 4;\n  out[GID] = sum;")
    for device in ("", "__noinline__ "):
        tag = "called" if device else "inlined"
        yield kernel(f"function_{tag}", "  __shared__ float s[256];\n" + fill(256) + f"  out[GID] = four_{tag}(s + threadIdx.x * 4);",
                     before=f"{device}__device__ float four_{tag}(const float* p) {{ return p[0] + p[1] * 2 + p[2] * 3 + p[3] * 4; }}\n")


def structs():
    """Structures of floats, with and without alignment, in shared and global memory; vectors; bits and halves."""
    kinds = {"xy": "float x, y;", "xyz": "float x, y, z;", "xyzw": "float x, y, z, w;", "six": "float x, y, z, u, v, w;", "mixed": "float x; int i; double d;"}
    for name, fields in kinds.items():
        for align in ("", "__align__(8) ", "__align__(16) "):
            names = [f.strip() for part in fields.split(";") for f in part.replace("float", "").replace("int", "").replace("double", "").split(",") if f.strip()]
            total = " + ".join(f"(float)v.{f} * {i + 1}" for i, f in enumerate(names))
            tag = f"{name}_{''.join(c for c in align if c.isdigit()) or 'plain'}"
            yield kernel(f"struct_shared_{tag}", f"""
  __shared__ S_{tag} s[64];
  for (int i = T; i < (int)(sizeof s / 4); i += 64) reinterpret_cast<float*>(s)[i] = in[i];
  __syncthreads();
  const S_{tag} v = s[63 - threadIdx.x];
  out[GID] = {total};""", before=f"struct {align}S_{tag} {{ {fields} }};\n")
            yield kernel(f"struct_global_{tag}", f"""
  const G_{tag} v = reinterpret_cast<const G_{tag}*>(in)[GID];
  out[GID] = {total};""", before=f"struct {align}G_{tag} {{ {fields} }};\n")
    for count in (2, 4, 8):
        for how, qualifier in (("plain", ""), ("ldg", "__ldg")):
            at = (lambda i: f"in[{i}]") if not qualifier else (lambda i: f"__ldg(&in[{i}])")
            yield kernel(f"global_{how}_{count}", "  float sum = 0;\n" + f"  for (int k = 0; k < {count}; ++k) sum = sum * 0.5f + {at(f'GID * {count} + k')};\n  out[GID] = sum;")
        yield kernel(f"global_stores_{count}", f"  for (int k = 0; k < {count}; ++k) out[GID * {count} + k] = in[GID] + k;")
    yield kernel("global_variable", "  float sum = 0;\n  for (int k = 0; k < 4; ++k) sum = sum * 0.5f + table[threadIdx.x * 4 + k];\n  out[GID] = sum + in[0];", before="__device__ __align__(16) float table[256];\n")
    yield kernel("global_variable_stores", "  for (int k = 0; k < 4; ++k) stored[GID * 4 + k] = in[GID] + k;\n  out[GID] = 1;", before="__device__ __align__(16) float stored[512];\n")
    yield kernel("local_array", "  float a[16];\n  for (int k = 0; k < 16; ++k) a[k] = in[GID + k];\n  out[GID] = a[n & 15] + a[(int)in[T] & 15];")
    yield kernel("local_walk", "  float a[16];\n  for (int k = 0; k < 16; ++k) a[k] = in[GID + k];\n  a[n & 15] = 1;\n  float sum = 0;\n  for (int k = 0; k < 16; ++k) sum = sum * 0.5f + a[k];\n  out[GID] = sum;")
    yield kernel("local_aligned", "  __align__(16) float a[16];\n  for (int k = 0; k < 16; ++k) a[k] = in[GID + k];\n  a[n & 15] = 1;\n  float sum = 0;\n  for (int k = 0; k < 16; ++k) sum = sum * 0.5f + a[k];\n  out[GID] = sum;")
    for vector in ("float2", "float4"):
        yield kernel(f"vectors_{vector}", f"""
  __shared__ {vector} s[128];
  for (int i = T; i < 128; i += 64) s[i] = reinterpret_cast<const {vector}*>(in)[i];
  __syncthreads();
  {vector} a = s[threadIdx.x * 2], b = s[threadIdx.x * 2 + 1];
  out[GID] = a.x + a.y * 2 + b.x * 3 + b.y * 4;""")
    yield kernel("half_pairs", "  __shared__ unsigned short s[512];\n  for (int i = T; i < 512; i += 64) s[i] = (unsigned short)in[i];\n  __syncthreads();\n  unsigned sum = 0;\n  for (int k = 0; k < 8; ++k) sum = sum * 3 + s[threadIdx.x * 8 + k];\n  out[GID] = (float)sum;")


def habits():
    """What ordinary programs do: reductions, scans, transposes, stencils, histograms, sorts."""
    for size in (64, 128, 256):
        yield kernel(f"reduce_tree_{size}", f"""
  __shared__ float s[{size}];
  s[T] = in[GID];
  __syncthreads();
  for (int d = {size // 2}; d > 0; d /= 2) {{ if (T < d) s[T] += s[T + d]; __syncthreads(); }}
  if (T == 0) out[blockIdx.x] = s[0];""", (size, 1))
        yield kernel(f"reduce_interleaved_{size}", f"""
  __shared__ float s[{size}];
  s[T] = in[GID];
  __syncthreads();
  for (int d = 1; d < {size}; d *= 2) {{ if (T % (2 * d) == 0) s[T] += s[T + d]; __syncthreads(); }}
  if (T == 0) out[blockIdx.x] = s[0];""", (size, 1))
        yield kernel(f"reduce_last_thread_{size}", f"""
  __shared__ float s[{size // 32}];
  float x = in[GID];
  for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(0xffffffffu, x, d);
  if (T % 32 == 0) s[T / 32] = x;
  __syncthreads();
  if (T == 0) {{ float sum = 0; for (int k = 0; k < {size // 32}; ++k) sum += s[k]; out[blockIdx.x] = sum; }}""", (size, 1))
    for chunk in (2, 4, 8, 5):
        yield kernel(f"scan_chunk_{chunk}", f"""
  __shared__ float s[{64 * chunk}];
{fill(64 * chunk)}
  float sum = 0;
  for (int k = 0; k < {chunk}; ++k) {{ sum += s[T * {chunk} + k]; s[T * {chunk} + k] = sum; }}
  __syncthreads();
  out[GID] = s[(T * 7) % {64 * chunk}];""")
        yield kernel(f"scan_registers_{chunk}", f"""
  __shared__ float s[{64 * chunk}];
{fill(64 * chunk)}
  float v[{chunk}], sum = 0;
  for (int k = 0; k < {chunk}; ++k) v[k] = s[T * {chunk} + k];
  for (int k = 0; k < {chunk}; ++k) v[k] = sum += v[k];
  for (int k = 0; k < {chunk}; ++k) s[T * {chunk} + k] = v[k];
  __syncthreads();
  out[GID] = s[(T * 7) % {64 * chunk}];""")
    yield kernel("scan_blelloch", """
  __shared__ float s[128];
""" + fill(128) + """
  int d = 1;
  for (int half = 64; half > 0; half /= 2, d *= 2) { __syncthreads(); if (T < half) s[d * (2 * T + 2) - 1] += s[d * (2 * T + 1) - 1]; }
  __syncthreads();
  out[GID] = s[2 * T] + s[2 * T + 1];""")
    yield kernel("scan_hillis", """
  __shared__ float s[2][64];
  int from = 0;
  s[0][T] = in[GID];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) { s[1 - from][T] = s[from][T] + (T >= d ? s[from][T - d] : 0); from = 1 - from; __syncthreads(); }
  out[GID] = s[from][T];""")
    for pad in (0, 1, 4):
        for rows in (1, 4):
            yield kernel(f"transpose_p{pad}_r{rows}", f"""
  __shared__ float s[32][{32 + pad}];
  for (int k = 0; k < 32; k += {8}) s[threadIdx.y + k][threadIdx.x] = in[(threadIdx.y + k) * 32 + threadIdx.x];
  __syncthreads();
  for (int k = 0; k < 32; k += 8) out[GID * 4 + k / 8] = s[threadIdx.x][{'threadIdx.y * 4 + k / 8' if rows == 4 else 'threadIdx.y + k'}];""", (32, 8))
    for radius in (1, 2, 3, 4):
        for each in (1, 2, 4):
            yield kernel(f"stencil_{radius}_each_{each}", f"""
  __shared__ float s[{64 * each + 2 * radius}];
{fill(64 * each + 2 * radius)}
  for (int e = 0; e < {each}; ++e) {{
    float sum = 0;
    for (int k = -{radius}; k <= {radius}; ++k) sum += s[T * {each} + e + {radius} + k] * (k + 5);
    out[GID * {each} + e] = sum;
  }}""")
    yield kernel("stencil_2d", """
  __shared__ float s[10][34];
  for (int i = T; i < 340; i += 256) s[i / 34][i % 34] = in[i];
  __syncthreads();
  const int x = threadIdx.x + 1, y = threadIdx.y + 1;
  out[GID] = s[y][x] + s[y - 1][x] + s[y + 1][x] + s[y][x - 1] + s[y][x + 1];""", (32, 8))
    yield kernel("stencil_2d_wide", """
  __shared__ float s[10][36];
  for (int i = T; i < 360; i += 64) s[i / 36][i % 36] = in[i];
  __syncthreads();
  const int x = threadIdx.x * 4, y = threadIdx.y + 1;
  float sum = 0;
  for (int k = 0; k < 4; ++k) sum += s[y][x + k] * (k + 1) + s[y - 1][x + k] + s[y + 1][x + k];
  out[GID] = sum;""", (8, 8))
    for bins in (16, 64):
        yield kernel(f"histogram_{bins}", f"""
  __shared__ int h[{bins}];
  for (int i = T; i < {bins}; i += 64) h[i] = 0;
  __syncthreads();
  for (int i = 0; i < 8; ++i) atomicAdd(&h[(int)in[GID * 8 + i] & {bins - 1}], 1);
  __syncthreads();
  if (T < {bins // 4}) out[GID] = h[T * 4] + h[T * 4 + 1] * 2 + h[T * 4 + 2] * 3 + h[T * 4 + 3] * 4;""")
        yield kernel(f"histogram_private_{bins}", f"""
  __shared__ int h[4][{bins}];
  for (int i = 0; i < 4; ++i) h[i][T % {bins}] = 0;
  __syncthreads();
  for (int i = 0; i < 4; ++i) atomicAdd(&h[T % 4][(int)in[GID * 4 + i] & {bins - 1}], 1);
  __syncthreads();
  if (T < {bins}) {{ int sum = 0; for (int i = 0; i < 4; ++i) sum += h[i][T]; out[GID] = sum; }}""")
    yield kernel("sort_pairs", """
  __shared__ float s[128];
""" + fill(128) + """
  for (int pass = 0; pass < 4; ++pass) {
    const int i = 2 * T + (pass & 1);
    if (i + 1 < 128) { const float a = s[i], b = s[i + 1]; s[i] = fminf(a, b); s[i + 1] = fmaxf(a, b); }
    __syncthreads();
  }
  out[GID] = s[T];""")
    yield kernel("sort_fours", """
  __shared__ float s[256];
""" + fill(256) + """
  float v[4];
  for (int k = 0; k < 4; ++k) v[k] = s[T * 4 + k];
  for (int i = 0; i < 3; ++i) for (int k = 0; k < 3 - i; ++k) { const float a = v[k], b = v[k + 1]; v[k] = fminf(a, b); v[k + 1] = fmaxf(a, b); }
  for (int k = 0; k < 4; ++k) s[T * 4 + k] = v[k];
  __syncthreads();
  out[GID] = s[T * 2];""")
    for count in (4, 8, 16):
        yield kernel(f"dot_rows_{count}", f"""
  __shared__ float a[16][{count}], b[16][{count}];
  for (int i = T; i < {16 * count}; i += 64) {{ (&a[0][0])[i] = in[i]; (&b[0][0])[i] = in[i + 512]; }}
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < {count}; ++k) sum += a[T / 4][k] * b[T % 16][k];
  out[GID] = sum;""")
        yield kernel(f"distances_{count}", f"""
  __shared__ float p[64 * 3];
{fill(192, 'p')}
  float sum = 0;
  for (int k = 0; k < {count}; ++k) {{
    const float x = p[3 * k] - p[3 * T], y = p[3 * k + 1] - p[3 * T + 1], z = p[3 * k + 2] - p[3 * T + 2];
    sum += x * x + y * y + z * z;
  }}
  out[GID] = sum;""")
    for steps in ("n / 64", "n / 16"):
        for count in (1, 2, 4):
            tag = steps.replace(" / ", "")
            yield kernel(f"loop_{tag}_{count}", f"""
  __shared__ float s[4096];
{fill(4096)}
  float sum = 0;
  for (int i = 0; i < {steps}; ++i)
    for (int k = 0; k < {count}; ++k) sum = sum * 0.5f + s[i * {count} + k];
  out[GID] = sum;""")
            yield kernel(f"loop_row_{tag}_{count}", f"""
  __shared__ float s[64][64];
  for (int i = T; i < 4096; i += 64) (&s[0][0])[i] = in[i];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < {steps}; i += {count})
    for (int k = 0; k < {count}; ++k) sum = sum * 0.5f + s[T][i + k];
  out[GID] = sum;""")


def families():
    return {family.__name__: list(family()) for family in (products, windows, betweens, stores, guards, structs, habits)}
