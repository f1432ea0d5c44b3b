"""Transposes as students write them, drawn from the habits of public code: macros, helpers, templates, blocks of one dimension, pointers
to rows, and the same thing said in ten ways.

Enters: a seed. Leaves: the text of a kernel file that NVRTC takes. The habits are independent, so a few hundred draws cover their pairs.
"""
import random

TEMPLATE = """// {title}
#include "common/kernel/lab.cuh"
{includes}
LAUNCH_SHAPE = {{
    .block = {{{bx}, {by}}},
    .tile = {{{tile}, {tile}}},
    .block_x_walks = kCols,{dynamic}
}};

{top}
extern "C" __global__ void {bounds}transpose(float* {restrict}out, const float* {restrict}in, int rows, int cols) {{
{body}}}
"""


class Student:
    """One student: the choices that stay the same in a file, and the kernel that comes of them."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.top, self.includes, self.dynamic = [], [], ""
        self.tile = self.pick(32, 32, 32, 16)
        self.flat = self.chance(.3)  # a block of one dimension
        self.bx, self.by = (self.tile * 8, 1) if self.flat else (self.tile, self.pick(8, 8, self.tile if self.tile == 16 else 8))
        self.side = self.constant("TILE", "kTile", "TILE_DIM", self.tile)
        self.step = self.constant("BLOCK_ROWS", "kRowsPerBlock", "STEP", self.bx * self.by // self.tile)
        self.index_type = self.pick("int", "int", "size_t", "unsigned int", "long long", "int64_t", "const int", "const size_t", "auto", "unsigned")
        self.wide = self.pick("(size_t)", "static_cast<size_t>", "size_t", "(unsigned long long)", "(long)", "1ull * ")
        self.index = self.index_helper()

    def pick(self, *choices):
        return self.r.choice(choices)

    def chance(self, p):
        return self.r.random() < p

    def constant(self, macro, modern, other, value):
        name, form = self.pick((macro, "#define {} {}"), (macro, "#define {} ({})"), (modern, "constexpr int {} = {};"), (modern, "const int {} = {};"),
                               (other, "static constexpr unsigned {} = {};"), (other, "enum {{ {} = {} }};"), (macro, "static const int {} = {};"))
        self.top.append(form.format(name, value))
        return name

    def index_helper(self):
        name = self.pick("IDX", "idx", "offset", "at")
        kind = self.r.randrange(7)
        if kind == 0:
            self.top.append(f"#define {name}(r, c, ld) (({self.pick('(size_t)', '')}(r)) * (ld) + (c))")
        elif kind == 1:
            q = self.pick("__device__ __forceinline__", "__device__ inline", "static __device__", "__host__ __device__", "inline __device__")
            self.top.append(f"{q} {self.pick('size_t', 'unsigned long long', 'long long')} {name}(int r, int c, int ld) {{ return ({self.pick('size_t', 'long long')})r * ld + c; }}")
        elif kind == 2:
            self.top.append(f"template <typename I>\n__device__ inline size_t {name}(I r, I c, int ld) {{\n  return size_t(r) * ld + c;\n}}")
            return lambda r, c, ld: f"{name}<size_t>({r}, {c}, {ld})"
        elif kind == 3:
            self.top.append(f"__device__ constexpr size_t {name}(size_t r, size_t c, size_t ld) {{ return r * ld + c; }}")
        elif kind == 4:
            self.top.append("namespace util {\n__device__ inline size_t linear(size_t row, size_t col, size_t pitch) {\n  return row * pitch + col;\n}\n}  // namespace util")
            return lambda r, c, ld: f"util::linear({r}, {c}, {ld})"
        elif kind == 5:
            return lambda r, c, ld: f"({r}) * {ld} + ({c})"
        else:
            return lambda r, c, ld: f"({c}) + {ld} * ({r})"
        return lambda r, c, ld: f"{name}({r}, {c}, {ld})"

    # ---- parts of a kernel ----
    def thread_names(self):
        """Lines that name this thread's place in the tile, and the two names."""
        x, y = self.pick(("tx", "ty"), ("x", "y"), ("lane", "warp"), ("threadCol", "threadRow"), ("local_x", "local_y"))
        t = self.pick("int", "const int", "unsigned", "const unsigned int", "auto")
        if not self.flat:
            return self.pick([f"{t} {x} = threadIdx.x;", f"{t} {y} = threadIdx.y;"], [f"{t} {x} = threadIdx.x, {y} = threadIdx.y;"],
                             ["const dim3 me(threadIdx.x, threadIdx.y);", f"{t} {x} = me.x;", f"{t} {y} = me.y;"] if self.chance(.5)
                             else ["const uint2 me = make_uint2(threadIdx.x, threadIdx.y);", f"{t} {x} = me.x, {y} = me.y;"]), x, y
        return self.pick([f"{t} tid = threadIdx.x;", f"{t} {x} = tid % {self.side};", f"{t} {y} = tid / {self.side};"],
                         [f"const int {x} = threadIdx.x & ({self.tile} - 1);", f"const int {y} = threadIdx.x >> {self.tile.bit_length() - 1};"],
                         [f"const int tid = threadIdx.x, {x} = tid % {self.side}, {y} = tid / {self.side};"]), x, y

    def origin(self):
        t, w = self.index_type, self.wide
        start = {"1ull * ": "1ull * blockIdx.{}"}.get(w, f"{w}(blockIdx.{{}})" if w[-1] != ")" else f"{w}blockIdx.{{}}")
        r, c = self.pick(("row0", "col0"), ("by", "bx"), ("tile_row", "tile_col"), ("yBase", "xBase"))
        return self.pick([f"{t} {r} = {start.format('y')} * {self.side};", f"{t} {c} = {start.format('x')} * {self.side};"],
                         [f"{t} {r} = blockIdx.y * {self.side}, {c} = blockIdx.x * {self.side};"] if "auto" not in t else
                         [f"auto {r} = blockIdx.y * {self.side};", f"auto {c} = {self.side} * blockIdx.x;"]), r, c

    def inside(self, r, c):
        return self.pick(f"{r} < rows && {c} < cols", f"({r} < rows) && ({c} < cols)", f"{c} < cols && {r} < rows", f"{r} < (size_t)rows && {c} < (size_t)cols",
                         f"!({r} >= rows || {c} >= cols)", f"{r} < rows and {c} < cols" if self.chance(.2) else f"{r} < rows && {c} < cols")

    def guarded(self, condition, statement, pad="  "):
        return self.pick([f"{pad}if ({condition}) {statement}"], [f"{pad}if ({condition}) {{", f"{pad}  {statement}", f"{pad}}}"],
                         [f"{pad}if (!({condition})) continue;", f"{pad}{statement}"] if pad == "    " else [f"{pad}if ({condition})", f"{pad}  {statement}"],
                         [f"{pad}const bool ok = {condition};", f"{pad}if (ok) {statement}"])

    def loop(self, name, first, body):
        """A walk over the rows of the tile from `first`, in one of many ways."""
        i, end, step = name, self.side, self.step
        kind = self.r.randrange(8)
        pragma = self.pick([], [], ["  #pragma unroll"], ["  #pragma unroll 4"]) if kind != 4 else []
        if kind == 0:
            return [*pragma, f"  for (int {i} = {first}; {i} < {end}; {i} += {step}) {{", *body, "  }"]
        if kind == 1:
            return [*pragma, f"  for (int j = 0; j < {end}; j += {step}) {{", f"    {self.pick('const int', 'int', 'auto')} {i} = {first} + j;", *body, "  }"]
        if kind == 2:
            return [*pragma, f"  for (int n = 0; n < {end} / {step}; ++n) {{", f"    const int {i} = {first} + n * {step};", *body, "  }"]
        if kind == 3:
            return [*pragma, f"  for (unsigned {i} = {first}; {i} < (unsigned){end}; {i} += {step}) {{", *body, "  }"]
        if kind == 4 and "continue" not in "".join(body):
            return ["  {", f"  int {i} = {first};", f"  while ({i} < {end}) {{", *body, f"    {i} += {step};", "  } }"]
        if kind == 5:
            return [*pragma, f"  for (int {i} = {first}, n = 0; n < {end} / {step}; ++n, {i} += {step}) {{", *body, "  }"]
        if kind == 6 and "continue" not in "".join(body):
            return [f"  {{ int {i} = {first};", "  do {", *body, f"    {i} = {i} + {step};", f"  }} while ({i} < {end}); }}"]
        return [*pragma, f"  for (int {i} = (int){first}; {i} != {first} + {end}; {i} += {step}) {{", *body, "  }"]

    # ---- whole kernels ----
    def direct(self):
        """Without a tile: one element or a few per thread."""
        lines, x, y = self.thread_names()
        origin, r, c = self.origin()
        row, col = self.pick(("row", "col"), ("i", "j"), ("r", "c"))
        t = self.pick("const size_t", "size_t", "const int", "const auto", "unsigned")
        swapped = self.chance(.3)
        here = [f"    {t} {row} = {r} + {'k' if not swapped else x};", f"    {t} {col} = {c} + {x if not swapped else 'k'};"]
        value = self.pick("in[{}]", "__ldg(&in[{}])", "*(in + {})", "__ldg(in + {})").format(self.index(row, col, "cols"))
        store = self.pick(f"out[{self.index(col, row, 'rows')}] = {value};", f"*(out + {self.index(col, row, 'rows')}) = {value};",
                          f"{{ const float v = {value}; out[{self.index(col, row, 'rows')}] = v; }}",
                          f"{{ float* dst = out + {self.index(col, row, 'rows')}; const float *src = &in[{self.index(row, col, 'cols')}]; *dst = *src; }}")
        return lines + origin, self.loop("k", y, here + self.guarded(self.inside(row, col), store, "    "))

    def rows_by_pointer(self):
        """A pointer to a row, moved along."""
        lines, x, y = self.thread_names()
        origin, r, c = self.origin()
        body = [f"  const float* src = in + {self.index(f'({r} + {y})', f'({c} + {x})', 'cols')};", f"  float* dst = out + {self.index(f'({c} + {x})', f'({r} + {y})', 'rows')};"]
        if self.chance(.5):
            body += [f"  for (int k = {y}; k < {self.side}; k += {self.step}) {{", f"    if ({r} + k < rows && {c} + {x} < cols) *dst = *src;",
                     f"    src += {self.step} * (size_t)cols;", f"    dst += {self.step};", "  }"]
        else:
            body = [f"  for (int k = {y}; k < {self.side}; k += {self.step}) {{", f"    if ({r} + k >= rows) {self.pick('break', 'return')};",
                    f"    const float* {self.pick('__restrict__ ', '')}line = &in[({r} + k) * (size_t)cols];",
                    f"    if ({c} + {x} < cols) out[({c} + {x}) * (size_t)rows + {r} + k] = line[{c} + {x}];", "  }"]
        return lines + origin, body

    def tile_declaration(self):
        """How the tile is declared, and how an element of it is written."""
        pad = self.pick("", " + 1", " + 1")
        name = self.pick("tile", "smem", "s", "buffer", "shared_tile", "sdata")
        kind = self.r.randrange(8)
        if kind <= 2:
            xor = self.chance(.3) and not pad
            q = self.pick("__shared__ float", "__shared__ float", "__shared__ __align__(16) float", "alignas(16) __shared__ float", "static __shared__ float")
            return [f"{q} {name}[{self.side}][{self.side}{pad}];"], (lambda y, x: f"{name}[{y}][({x}) ^ ({y})]") if xor else (lambda y, x: f"{name}[{y}][{x}]")
        if kind == 3:
            return [f"__shared__ float {name}[{self.side} * ({self.side}{pad})];"], lambda y, x: f"{name}[({y}) * ({self.side}{pad}) + {x}]"
        if kind == 4:
            self.dynamic = f"\n    .dynamic_shared_bytes = {self.tile * (self.tile + (1 if pad else 0)) * 4},"
            return [f"extern __shared__ float {name}[];"], lambda y, x: f"{name}[({y}) * ({self.side}{pad}) + ({x})]"
        if kind == 5:
            self.top.append(f"struct Tile {{\n  float data[{self.side}][{self.side}{pad}];\n  __device__ float& at(int r, int c) {{ return data[r][c]; }}\n}};")
            return [f"__shared__ Tile {name};"], lambda y, x: f"{name}.at({y}, {x})"
        if kind == 6:
            self.top.append(f"typedef float Row[{self.side}{pad}];" if self.chance(.5) else f"using Row = float[{self.side}{pad}];")
            return [f"__shared__ Row {name}[{self.side}];"], lambda y, x: f"{name}[{y}][{x}]"
        self.top.append(f"#define TILE_AT(y, x) {name}[(y)][(x)]")
        return [f"__shared__ float {name}[{self.side}][{self.side}{pad}];"], lambda y, x: f"TILE_AT({y}, {x})"

    def barrier(self):
        kind = self.r.randrange(8)
        if kind == 0:
            self.includes.append("#include <cooperative_groups.h>")
            if self.chance(.5):
                self.top.append("namespace cg = cooperative_groups;")
                return self.pick(["  cg::thread_block block = cg::this_thread_block();", "  block.sync();"], ["  cg::this_thread_block().sync();"],
                                 ["  auto cta = cg::this_thread_block();", "  cg::sync(cta);"])
            return ["  cooperative_groups::this_thread_block().sync();"]
        if kind == 1:
            self.top.append("#define SYNC() __syncthreads()")
            return ["  SYNC();"]
        return ["  __syncthreads();"]

    def shared_tile(self):
        lines, x, y = self.thread_names()
        origin, r, c = self.origin()
        declared, cell = self.tile_declaration()
        read = self.pick("in[{}]", "in[{}]", "__ldg(&in[{}])", "*(in + {})").format(self.index(f"({r} + k)", f"({c} + {x})", "cols"))
        if self.chance(.2):
            load = [f"    {cell('k', x)} = ({self.inside(f'{r} + k', f'{c} + {x}')}) ? {read} : {self.pick('0.0f', '0', '0.f')};"]
        else:
            load = self.guarded(self.inside(f"{r} + k", f"{c} + {x}"), f"{cell('k', x)} = {read};", "    ")
        target = self.index(f"({c} + k)", f"({r} + {x})", "rows")
        store = self.guarded(self.pick(f"{r} + {x} < rows && {c} + k < cols", f"{c} + k < cols && {r} + {x} < rows"), f"out[{target}] = {cell(x, 'k')};", "    ")
        return lines + declared + origin, [*self.loop("k", y, load), *self.barrier(), *self.loop("k", y, store)]

    def template_body(self):
        """All of it in a template that the kernel calls."""
        pad = self.pick(0, 1)
        where, kind = self.pick(("", ""), ("detail::", "namespace detail {")), self.pick("typename", "class")
        reference = self.chance(.4)
        head = f"template <{kind} T, int N, int STEP_>\n__device__ {self.pick('__forceinline__ ', '', 'inline ')}void "
        tile = f"T (&t)[N][N + {pad}]" if reference else f"T (*t)[N + {pad}]"
        text = f"""{head}load_tile({tile}, const T* src, int r0, int c0, int rows, int cols, int x, int y) {{
  for (int k = y; k < N; k += STEP_)
    if (r0 + k < rows && c0 + x < cols) t[k][x] = src[(size_t)(r0 + k) * cols + c0 + x];
}}
{head}store_tile({tile}, T* dst, int r0, int c0, int rows, int cols, int x, int y) {{
#pragma unroll
  for (int k = y; k < N; k += STEP_)
    if (r0 + x < rows && c0 + k < cols) dst[(size_t)(c0 + k) * rows + r0 + x] = t[x][k];
}}"""
        self.top.append(f"{where[1]}\n{text}\n}}" if where[1] else text)
        lines, x, y = self.thread_names()
        arguments = f"blockIdx.y * {self.side}, blockIdx.x * {self.side}, rows, cols, {x}, {y}"
        return lines + [f"__shared__ float tile[{self.side}][{self.side} + {pad}];"], [
            f"  {where[0]}load_tile<float, {self.side}, {self.step}>(tile, in, {arguments});", *self.barrier(),
            f"  {where[0]}store_tile<float, {self.side}, {self.step}>(tile, out, {arguments});"]

    def with_lambdas(self):
        lines, x, y = self.thread_names()
        origin, r, c = self.origin()
        capture = self.pick("[&]", "[=]", "[&]")
        body = [f"  const auto load = {capture}(int k) {self.pick('', '-> float ')}{{ return in[(size_t)({r} + k) * cols + {c} + {x}]; }};",
                f"  auto store = {capture}(int k, float v) {{ out[(size_t)({c} + {x}) * rows + {r} + k] = v; }};",
                f"  auto valid = {capture}(auto k) {{ return {r} + k < rows && {c} + {x} < cols; }};"]
        return lines + origin, body + self.loop("k", y, ["    if (valid(k)) store(k, load(k));"])

    def vectors(self):
        """Four elements at a time where they are aligned."""
        lines, x, y = self.thread_names()
        origin, r, c = self.origin()
        v = self.pick(f"float4 v = *reinterpret_cast<const float4*>(&in[{self.index('row', 'col', 'cols')}]);", "const float4 v = ((const float4*)(in + (size_t)row * cols))[col / 4];",
                      f"float4 v = *(float4*)&in[{self.index('row', 'col', 'cols')}];")
        each = self.pick(["      out[(size_t)(col + 0) * rows + row] = v.x;", "      out[(size_t)(col + 1) * rows + row] = v.y;",
                          "      out[(size_t)(col + 2) * rows + row] = v.z;", "      out[(size_t)(col + 3) * rows + row] = v.w;"],
                         ["      const float e[4] = {v.x, v.y, v.z, v.w};", "      for (int q = 0; q < 4; q++) out[(size_t)(col + q) * rows + row] = e[q];"],
                         ["      const float* e = &v.x;", "      #pragma unroll", "      for (int q = 0; q < 4; ++q) out[(size_t)(col + q) * rows + row] = e[q];"],
                         ["      float* o = out + (size_t)col * rows + row;", "      *o = v.x; o += rows; *o = v.y; o += rows; *o = v.z; o += rows; *o = v.w;"])
        return lines + origin, [f"  for (int k = {y}; k < {self.side}; k += {self.step}) {{", f"    const int row = {r} + k, col = {c} + {x} % ({self.side} / 4) * 4;",
                                f"    if (row >= rows || {x} >= {self.side} / 4) continue;", "    if (col + 3 < cols && cols % 4 == 0) {", f"      {v}", *each,
                                "    } else {", "      for (int q = 0; q < 4 && col + q < cols; ++q)", "        out[(size_t)(col + q) * rows + row] = in[(size_t)row * cols + col + q];",
                                "    }", "  }"]

    def extras(self):
        """What stands about in files of students."""
        for text in self.r.sample(["using real = float;", "typedef unsigned int uint_t;", "struct Point { int row, col; };", "// TODO: measure with 16 as well",
                                   "static_assert(sizeof(float) == 4, \"floats have 4 bytes\");", "#ifndef DEBUG\n#define DEBUG 0\n#endif", "#define MIN(a, b) ((a) < (b) ? (a) : (b))",
                                   "__device__ inline int ceil_div(int a, int b) { return (a + b - 1) / b; }", "__constant__ float kScale = 1.0f;", "template <typename T>\n__device__ T clampTo(T v, T lo, T hi) { return v < lo ? lo : (v > hi ? hi : v); }",
                                   "/* A block covers a\n   square of the matrix. */", "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700\n#define FAST 1\n#else\n#define FAST 0\n#endif",
                                   "enum class Order { Rows, Columns };", "namespace {\nconstexpr float kZero = 0.0f;\n}", "__device__ void swap(float& a, float& b) { float t = a; a = b; b = t; }"], self.r.randrange(5)):
            self.top.insert(self.r.randrange(len(self.top) + 1), text)

    def text(self):
        shape = self.pick(self.direct, self.rows_by_pointer, self.shared_tile, self.shared_tile, self.shared_tile, self.template_body, self.with_lambdas, self.vectors)
        lines, body = shape()
        self.extras()
        names = [f"  {line}" for line in lines]
        if self.chance(.2):
            body = ["  if (rows <= 0 || cols <= 0) return;", *body]
        if self.chance(.15):
            body = ["#if DEBUG" if "#ifndef DEBUG" in "".join(self.top) else "#ifdef CHECKED", "  if (threadIdx.x == 0) __trap();", "#endif", *body]
        return TEMPLATE.format(title=shape.__name__, includes="\n".join(dict.fromkeys(self.includes)), bx=self.bx, by=self.by, tile=self.tile, dynamic=self.dynamic, top="\n".join(self.top),
                               bounds=self.pick("", "", "__launch_bounds__(256) "), restrict=self.pick("", "", "__restrict__ "), body="".join(f"{line}\n" for line in names + body))


def kernel(seed):
    return Student(seed).text()


if __name__ == "__main__":
    import sys
    print(kernel(sys.argv[1]))
