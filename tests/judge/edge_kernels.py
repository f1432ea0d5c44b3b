"""Right kernels with wide accesses and an edge path, as people write them, for the chapters where width is a goal.

Enters: a seed. Leaves: the chapter (03, 08, 09 or 10) and the text of a kernel: drawn from vector types, casts, blocks,
loops, helpers, guards and forms of the edge, so that every kernel is right and every access as wide as its rows allow.
"""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Vector:
    """A type of 16 bytes: declarations before the kernel, how element j of the variable v reads, how four become one."""

    name: str
    element: str
    made: str
    declared: str = ""
    wrap: str = "{}"  # around each of the four

    def at(self, v: str, j: int | str) -> str:
        return self.element.format(v=v, j=j, xyzw="xyzw"[j] if isinstance(j, int) else "")

    def of(self, parts: list[str]) -> str:
        return self.made.format(", ".join(self.wrap.format(p) for p in parts), *parts)


AS_FLOATS = "reinterpret_cast<const float*>(&{v})[{j}]"
FILLED = "[&] {{{{ {0} w; float* f = reinterpret_cast<float*>(&w); f[0] = {{1}}; f[1] = {{2}}; f[2] = {{3}}; f[3] = {{4}}; return w; }}}}()"
PACK = "template <class T, int N> struct alignas(sizeof(T) * N) Pack { T e[N]; };\n"
VECTORS = {
    "float4": Vector("float4", "(&{v}.x)[{j}]", "make_float4({0})"),
    "members": Vector("float4", "{v}.{xyzw}", "float4{{{0}}}"),
    "uint4": Vector("uint4", "__uint_as_float({v}.{xyzw})", "make_uint4({0})", wrap="__float_as_uint({})"),
    "int4": Vector("int4", "__int_as_float({v}.{xyzw})", "int4{{{0}}}", wrap="__float_as_int({})"),
    "double2": Vector("double2", AS_FLOATS, FILLED.format("double2")),
    "struct": Vector("Four", "{v}.a[{j}]", "Four{{{{{0}}}}}", "struct alignas(16) Four { float a[4]; };\n"),
    "names": Vector("Four", "(&{v}.a)[{j}]", "Four{{{0}}}", "struct alignas(16) Four { float a, b, c, d; };\n"),
    "halves": Vector(
        "Two", AS_FLOATS, "Two{{{{{1}, {2}}}, {{{3}, {4}}}}}", "struct alignas(16) Two { float2 lo, hi; };\n"
    ),
    "pack": Vector("Pack<float, 4>", "{v}.e[{j}]", "Pack<float, 4>{{{{{0}}}}}", PACK),
    "union": Vector("Four", "{v}.a[{j}]", "Four{{make_float4({0})}}", "union Four { float4 whole; float a[4]; };\n"),
    "word": Vector("lab::Word<16>", AS_FLOATS, FILLED.format("lab::Word<16>"), '#include "common/kernel/words.cuh"\n'),
}
# How an address becomes one of vectors; {p} is a float*.
CASTS = (
    "*reinterpret_cast<{c}{t}*>({p})",
    "*({c}{t}*)({p})",
    "reinterpret_cast<{c}{t}*>({p})[0]",
    "(({c}{t}*)({p}))[0]",
    "reinterpret_cast<{c}{t}&>(*({p}))",
)
BLOCKS = ((16, 16), (8, 32), (16, 8), (8, 16), (4, 32), (8, 8), (16, 4))  # two lanes of a warp meet in each sector
PRAGMAS = ("", "#pragma unroll\n", "#pragma unroll 1\n", "#pragma unroll 4\n")
INDICES = (
    ("size_t", "size_t({b}) * {side} + {t}"),
    ("size_t", "{b} * {dim} + {t}"),
    ("int64_t", "int64_t({b}) * {side} + {t}"),
    ("long long", "(long long){b} * {dim} + {t}"),
    ("size_t", "(size_t){b} * {dim} + {t}"),
)
MAYBE = ("template <class T> struct Maybe { T value; bool there; };\n", "template <class T> struct Maybe { bool there; T value; };\n")
# What a guarded read returns, by whether the flag stands behind the value.
READS = (
    "if ({inside}) return {yes};\n  return {no};",
    "if (!({inside})) return {no};\n  return {yes};",
    "return {inside} ? {name}{yes} : {name}{no};",
    "{name} m = {no};\n  if ({inside}) m = {yes};\n  return m;",
)


def maybe_reader(draw: random.Random, maybe: str, name: str, value: str, inside: str, head: str) -> str:
    """A function that reads where something is, and says whether it did."""
    value_first = maybe == MAYBE[0]
    nothing = draw.choice((f"{name}()", f"{name}{{}}"))
    yes, no = (f"{{{value}, true}}", f"{{{nothing}, false}}") if value_first else (f"{{true, {value}}}", f"{{false, {nothing}}}")
    body = draw.choice(READS).format(inside=inside, yes=yes, no=no, name=f"Maybe<{name}>")
    return f"__device__ Maybe<{name}> {head} {{\n  {body}\n}}\n"


def edge_03(draw: random.Random, integer: str) -> tuple[str, str]:
    """The 4 × 4 block at (r, c), element by element; and what stands before the kernel."""
    kind = draw.choice(("guard", "bounds", "swapped", "flat", "maybe", "all", "while", "skip"))
    one, two = draw.choice(PRAGMAS[:3]), draw.choice(PRAGMAS[:3])
    move = "out[(c + j) * rows + r + i] = in[(r + i) * cols + c + j];"
    if draw.random() < 0.3:
        move = "const float v = in[(r + i) * cols + c + j]; out[(c + j) * rows + r + i] = v;"
    guard, inside = "if (r + i < rows && c + j < cols)", "r + i < rows && c + j < cols"
    loops = f"{one}for (int i = 0; i < 4; ++i)\n{two}  for (int j = 0; j < 4; ++j) "
    if kind in ("maybe", "all"):  # arrays that stay in registers where every index is a constant
        loops = loops.replace(PRAGMAS[2], PRAGMAS[1])
    if kind == "bounds":
        return "", f"{one}for (int i = 0; i < 4 && r + i < rows; ++i)\n{two}  for (int j = 0; j < 4 && c + j < cols; ++j) {{ {move} }}\n"
    if kind == "flat":
        return "", f"{one}for (int k = 0; k < 16; ++k) {{ const int i = k / 4, j = k % 4; {guard} {{ {move} }} }}\n"
    if kind == "skip":
        return "", f"{loops}{{\n    if (r + i >= rows || c + j >= cols) {draw.choice(('continue', 'break'))};\n    {move}\n  }}\n"
    if kind == "while":
        move = "out[x * rows + y] = in[y * cols + x];"
        return "", (
            f"{integer} y = r;\nwhile (y < rows && y < r + 4) {{\n"
            f"  for ({integer} x = c; x < c + 4 && x < cols; ++x) {move}\n  ++y;\n}}\n"
        )
    if kind == "maybe":
        maybe = draw.choice(MAYBE)
        head = f"read(const float* in, {integer} r, {integer} c, int rows, int cols)"
        before = maybe + maybe_reader(draw, maybe, "float", "in[r * cols + c]", "r < rows && c < cols", head)
        if draw.random() < 0.5:
            return before, (
                f"{loops}{{\n    const auto m = read(in, r + i, c + j, rows, cols);\n"
                "    if (m.there) out[(c + j) * rows + r + i] = m.value;\n  }\n"
            )
        return before, (
            f"Maybe<float> m[4][4];\n{loops}m[i][j] = read(in, r + i, c + j, rows, cols);\n"
            f"{loops}if (m[j][i].there) out[(c + i) * rows + r + j] = m[j][i].value;\n"
        )
    if kind == "all":
        begun = draw.choice((f"e[i][j] = {inside} ? in[(r + i) * cols + c + j] : 0.f;", f"{guard} e[i][j] = in[(r + i) * cols + c + j];"))
        return "", f"float e[4][4];\n{loops}{begun}\n{loops}{guard} out[(c + j) * rows + r + i] = e[i][j];\n"
    first, second = ("i", "j") if kind == "guard" else ("j", "i")
    return "", f"{one}for (int {first} = 0; {first} < 4; ++{first})\n{two}  for (int {second} = 0; {second} < 4; ++{second}) {guard} {{ {move} }}\n"


@dataclass
class Accesses:
    """How a style loads four elements from row k of `in` and stores a value to row k of `out`."""

    load: str
    store: str  # with VALUE in it, or a place
    helpers: str = ""  # before the kernel
    before: str = ""  # inside of it

    def put(self, k: int | str, value: str) -> str:
        text = self.store.format(k=k)
        return text.replace("VALUE", value) + ";" if "VALUE" in text else f"{text} = {value};"


def accesses(draw: random.Random, v: Vector, integer: str) -> Accesses:
    cast_in, cast_out = draw.choice(CASTS), draw.choice(CASTS)
    place = draw.choice(("in + (r + {k}) * cols + c", "&in[(r + {k}) * cols + c]"))
    load = cast_in.format(c="const ", t=v.name, p=place)
    store = cast_out.format(c="", t=v.name, p="&out[(c + {k}) * rows + r]")
    style = draw.choice(("plain", "helper", "lambda", "maybe", "object", "output"))
    if style == "helper":
        inline = draw.choice(("__forceinline__ ", "inline ", ""))
        return Accesses(
            "load4(&in[(r + {k}) * cols + c])",
            "store4(&out[(c + {k}) * rows + r], VALUE)",
            f"__device__ {inline}{v.name} load4(const float* p) {{ return {cast_in.format(c='const ', t=v.name, p='p')}; }}\n"
            f"__device__ {inline}void store4(float* p, {v.name} v) {{ {cast_out.format(c='', t=v.name, p='p')} = v; }}\n",
        )
    if style == "lambda":
        return Accesses(
            "at({k})",
            "put({k}, VALUE)",
            before=f"  const auto at = [&](int k) -> {v.name} {{ return {load.replace('{k}', 'k')}; }};\n"
            f"  const auto put = [&](int k, {v.name} v) {{ {store.replace('{k}', 'k')} = v; }};\n",
        )
    if style == "maybe":
        maybe = draw.choice(MAYBE)
        head = "wide(const float* p, bool inside)"
        value = cast_in.format(c="const ", t=v.name, p="p")
        return Accesses(
            "wide(&in[(r + {k}) * cols + c], r + {k} < rows && c < cols).value",
            store,
            maybe + maybe_reader(draw, maybe, v.name, value, "inside", head),
        )
    if style == "object":
        return Accesses(
            "from.four(r + {k}, c)",
            "to.four(c + {k}, r) = VALUE",
            f"struct View {{\n  const float* p; int pitch;\n  __device__ {v.name} four({integer} y, {integer} x) const"
            f" {{ return {cast_in.format(c='const ', t=v.name, p='p + y * pitch + x')}; }}\n}};\n"
            f"struct Target {{\n  float* p; int pitch;\n  __device__ {v.name}& four({integer} y, {integer} x)"
            f" {{ return {cast_out.format(c='', t=v.name, p='p + y * pitch + x')}; }}\n}};\n",
            "  const View from{in, cols};\n  Target to{out, rows};\n",
        )
    if style == "output":
        return Accesses(
            load,
            "put(&out[(c + {k}) * rows + r], VALUE)",
            f"template <class V> __device__ void put(float* p, const V& v) {{ {cast_out.format(c='', t='V', p='p')} = v; }}\n",
        )
    return Accesses(load, store)


def turned(draw: random.Random, v: Vector, a: Accesses) -> str:
    """Four rows of four elements read, and the four columns written."""
    load, one, two = a.load, draw.choice(PRAGMAS[:2]), draw.choice(PRAGMAS[:2])
    kind = draw.choice(("names", "array", "loops", "elements", "memcpy"))
    if kind == "memcpy":
        text = f"  float e[4][4];\n{one}  for (int k = 0; k < 4; ++k) {{ const {v.name} v = {load.format(k='k')}; memcpy(e[k], &v, 16); }}\n"
        column = "{{e[0][{0}], e[1][{0}], e[2][{0}], e[3][{0}]}}".format
        return text + "".join(f"  {{ const float o[4] = {column(j)}; {v.name} w; memcpy(&w, o, 16); {a.put(j, 'w')} }}\n" for j in range(4))
    if kind == "elements":
        copies = " ".join(f"e[{j}][k] = {v.at('q', j)};" for j in range(4))
        text = f"  float e[4][4];\n{one}  for (int k = 0; k < 4; ++k) {{ const {v.name} q = {load.format(k='k')}; {copies} }}\n"
        return text + f"{two}  for (int k = 0; k < 4; ++k) {{ {a.put('k', v.of([f'e[k][{i}]' for i in range(4)]))} }}\n"
    if kind == "names":
        text = "".join(f"  const {v.name} a{k} = {load.format(k=k)};\n" for k in range(4))
        return text + "".join("  " + a.put(j, v.of([v.at(f"a{i}", j) for i in range(4)])) + "\n" for j in range(4))
    text = f"  {v.name} a[4];\n{one}  for (int k = 0; k < 4; ++k) a[k] = {load.format(k='k')};\n"
    if kind == "loops" and "{xyzw}" not in v.element:
        return text + f"{two}  for (int j = 0; j < 4; ++j) {a.put('j', v.of([v.at(f'a[{i}]', 'j') for i in range(4)]))}\n"
    return text + "".join("  " + a.put(j, v.of([v.at(f"a[{i}]", j) for i in range(4)])) + "\n" for j in range(4))


def each_way(draw: random.Random, v: Vector, a: Accesses) -> str:
    """Loads as wide as the rows of `in` allow, stores as wide as those of `out` do."""
    one, begun = draw.choice(PRAGMAS[:2]), draw.choice((" = {}", ""))
    copies = " ".join(f"e[{j}][k] = {v.at('q', j)};" for j in range(4))
    whole = v.of([f"e[k][{i}]" for i in range(4)])
    loads = draw.choice(
        (
            f"if (li) {{ const {v.name} q = {a.load.format(k='k')}; {copies} }}\n"
            "    else for (int j = 0; j < 4; ++j) if (c + j < cols) e[j][k] = in[(r + k) * cols + c + j];",
            f"if (!li) {{ for (int j = 0; j < 4 && c + j < cols; ++j) e[j][k] = in[(r + k) * cols + c + j]; continue; }}\n"
            f"    const {v.name} q = {a.load.format(k='k')};\n    {copies}",
        )
    )
    stores = draw.choice(
        (
            f"if (lo) {{ {a.put('k', whole)} continue; }}\n"
            "    for (int i = 0; i < 4; ++i) if (r + i < rows) out[(c + k) * rows + r + i] = e[k][i];",
            f"if (lo) {{ {a.put('k', whole)} }}\n"
            "    else for (int i = 0; i < 4 && r + i < rows; ++i) out[(c + k) * rows + r + i] = e[k][i];",
        )
    )
    return (
        "  if (r >= rows || c >= cols) return;\n  const bool li = cols % 4 == 0, lo = rows % 4 == 0;\n"
        f"{a.before}  float e[4][4]{begun};\n"
        f"{one}  for (int k = 0; k < 4; ++k) {{\n    if (r + k >= rows) break;\n    {loads}\n  }}\n"
        f"{one}  for (int k = 0; k < 4; ++k) {{\n    if (c + k >= cols) break;\n    {stores}\n  }}\n"
    )


def chapter_03(draw: random.Random) -> str:
    v = VECTORS[draw.choice(sorted(VECTORS))]
    block = draw.choice(BLOCKS)
    integer, form = draw.choice(INDICES)
    r = form.format(b="blockIdx.y", t="threadIdx.y", side=block[1], dim="blockDim.y")
    c = form.format(b="blockIdx.x", t="threadIdx.x", side=block[0], dim="blockDim.x")
    restrict = draw.choice(("", "__restrict__ "))
    a = accesses(draw, v, integer)
    helpers, edge = edge_03(draw, integer)
    if "struct Maybe" in a.helpers and "struct Maybe" in helpers:
        a.helpers = a.helpers.replace("Maybe", "Perhaps")
    wide = a.before + turned(draw, v, a)
    aligned = draw.choice(("rows % 4 == 0 && cols % 4 == 0", "(rows | cols) % 4 == 0", "((rows | cols) & 3) == 0", "!(rows & 3) && !(cols & 3)"))
    inside = "r < rows && c < cols"
    shape = draw.choice(("else", "return", "edge first", "inside", "function", "flag", "switch", "each way"))
    if shape == "else":
        body = f"  if ({aligned}) {{\n  if (r >= rows || c >= cols) return;\n{wide}  }} else {{\n{edge}  }}\n"
    elif shape == "return":
        body = f"  if (r >= rows || c >= cols) return;\n  if ({aligned}) {{\n{wide}  return;\n  }}\n{edge}"
    elif shape == "edge first":
        body = f"  if (!({aligned})) {{\n{edge}  return;\n  }}\n  if (!({inside})) return;\n{wide}"
    elif shape == "inside":
        body = f"  if ({aligned} && r + 3 < rows && c + 3 < cols) {{\n{wide}  }} else {{\n{edge}  }}\n"
    elif shape == "flag":
        body = f"  const bool whole = {aligned};\n  if (whole && {inside}) {{\n{wide}  }}\n  if (!whole) {{\n{edge}  }}\n"
    elif shape == "switch":
        body = f"  if (r >= rows || c >= cols) return;\n  switch ((rows | cols) % 4) {{\n  case 0: {{\n{wide}  break; }}\n  default: {{\n{edge}  }}\n  }}\n"
    elif shape == "each way":
        body, helpers = each_way(draw, v, a), ""
    else:
        qualifier = draw.choice(("__forceinline__ ", "__noinline__ ", ""))
        helpers += f"__device__ {qualifier}void edge(float* out, const float* in, int rows, int cols, {integer} r, {integer} c) {{\n{edge}}}\n"
        body = f"  if ({aligned}) {{\n  if (r >= rows || c >= cols) return;\n{wide}  }} else {{\n  edge(out, in, rows, cols, r, c);\n  }}\n"
    return f"""#include "common/kernel/lab.cuh"
{v.declared}
LAUNCH_SHAPE = {{.block = {{{block[0]}, {block[1]}}}, .tile = {{{4 * block[1]}, {4 * block[0]}}}, .block_x_walks = kCols}};
{a.helpers}{helpers}
extern "C" __global__ void transpose(float* {restrict}out, const float* {restrict}in, int rows, int cols) {{
  const {integer} r = 4 * ({r}), c = 4 * ({c});
{body}}}
"""


def chapter_08(draw: random.Random) -> str:
    v = VECTORS[draw.choice(sorted(VECTORS))]
    cast_in, cast_out = draw.choice(CASTS), draw.choice(CASTS)
    block = draw.choice(((128, 1), (256, 1), (512, 1), (16, 16), (32, 8), (32, 4), (16, 8)))
    threads = block[0] * block[1]
    integer = draw.choice(("size_t", "int64_t"))
    restrict = draw.choice(("", "__restrict__ "))
    thread = "threadIdx.x" if block[1] == 1 else f"threadIdx.y * {block[0]} + threadIdx.x"
    hint = draw.random() < 0.25 and v.name in ("float4", "uint4", "int4", "double2")
    load = f"__ldg((const {v.name}*)p)" if hint else cast_in.format(c="const ", t=v.name, p="p")
    store = cast_out.format(c="", t=v.name, p="o")
    unroll, inner = draw.choice(PRAGMAS[:2]), draw.choice(PRAGMAS[:2])
    parts = [v.at("q", j) for j in range(4)]
    listed = ", ".join(parts)
    tail = draw.choice(("steps", "loop", "bounds"))
    elements = {
        "steps": f"o[0] = {parts[0]}; " + " ".join(f"if (r + {j} < rows) o[{j}] = {parts[j]};" for j in range(1, 4)),
        "loop": f"const float e[4] = {{{listed}}};\n{inner}    for (int j = 0; j < 4; ++j) if (r + j < rows) o[j] = e[j];",
        "bounds": f"const float e[4] = {{{listed}}};\n    for (int j = 0; j < 4 && r + j < rows; ++j) o[j] = e[j];",
    }[tail]
    wide_store = draw.choice(
        (
            f"if (lo) {{ {store} = q; continue; }}\n    {elements}",
            f"if (lo) {store} = q; else {{ {elements} }}",
            f"if (!lo) {{ {elements} continue; }}\n    {store} = q;",
        )
    )
    before, row = "", "if (r >= rows || c >= cols) continue;\n      const float* p = in + r * cols + c;"
    copies = " ".join(f"v[k][{j}] = {parts[j]};" for j in range(4))
    one_by_one = "      for (int j = 0; j < 4; ++j) if (c + j < cols) v[k][j] = p[j];"
    read = draw.choice(
        (
            f"if (li) {{ const {v.name} q = {load}; {copies} }}\n      else\n{one_by_one}",
            f"if (li) {{ const {v.name} q = {load}; {copies} continue; }}\n{one_by_one}",
            f"if (!li) {{\n{one_by_one}\n      continue; }}\n      const {v.name} q = {load};\n      {copies}",
        )
    )
    if draw.random() < 0.4:  # a function that says whether it read
        maybe = draw.choice(MAYBE)
        some = "{value, true}" if maybe == MAYBE[0] else "{true, value}"
        none = f"{{{v.name}(), false}}" if maybe == MAYBE[0] else f"{{false, {v.name}()}}"
        zeros = v.of(["p[0]", "c + 1 < cols ? p[1] : 0.f", "c + 2 < cols ? p[2] : 0.f", "c + 3 < cols ? p[3] : 0.f"])
        before = (
            f"{maybe}__device__ Maybe<{v.name}> four(const float* in, {integer} r, {integer} c, int rows, int cols) {{\n"
            f"  if (r >= rows || c >= cols) return {none};\n  const float* p = in + r * cols + c;\n"
            f"  if (cols % 4 == 0) {{ const {v.name} value = {load}; return {some}; }}\n  const {v.name} value = {zeros};\n  return {some};\n}}\n"
        )
        row = f"const auto m = four(in, r, c, rows, cols);\n      if (!m.there) {draw.choice(('continue', 'break'))};"
        read = f"const {v.name} q = m.value;\n      {copies}"
    tile, spot = draw.choice((("float t[64][64]", "*({c}{t}*)&t[{y}][4 * ({x})]"), ("float4 t[64 * 16]", "*({c}{t}*)&t[16 * ({y}) + ({x})]")))
    to = spot.format(c="", t=v.name, y="4 * x + j", x=draw.choice(("y ^ x", "y ^ x & 15", "(y ^ x) & 15")))
    whole = v.of([f"v[{i}][j]" for i in range(4)])
    out_of = spot.format(c="const ", t=v.name, y="y", x=draw.choice(("x ^ (y / 4)", "x ^ y >> 2", "(x ^ (y >> 2)) & 15")))
    return f"""#include "common/kernel/lab.cuh"
{v.declared}
LAUNCH_SHAPE = {{.block = {{{block[0]}, {block[1]}}}, .tile = {{64, 64}}, .block_x_walks = kRows}};
{before}
extern "C" __global__ void transpose(float* {restrict}out, const float* {restrict}in, int rows, int cols) {{
  __shared__ alignas(16) {tile};
  const {integer} r0 = {integer}(blockIdx.x) * 64, c0 = {integer}(blockIdx.y) * 64;
  const bool li = cols % 4 == 0, lo = rows % 4 == 0;
  (void)li;
{unroll}  for (int i = {thread}; i < 256; i += {threads}) {{
    const int x = i & 15, y = i >> 4;
    float v[4][4] = {{}};
    for (int k = 0; k < 4; ++k) {{
      const {integer} r = r0 + 4 * y + k, c = c0 + 4 * x;
      {row}
      {read}
    }}
    for (int j = 0; j < 4; ++j) {to} = {whole};
  }}
  __syncthreads();
{unroll}  for (int i = {thread}; i < 1024; i += {threads}) {{
    const int x = i & 15, y = i >> 4;
    const {integer} c = c0 + y, r = r0 + 4 * x;
    if (c >= cols || r >= rows) continue;
    const {v.name} q = {out_of};
    float* o = out + c * rows + r;
    {wide_store}
  }}
}}
"""


def chapter_09(draw: random.Random) -> str:
    """Packs of four where all rows start on 16 bytes, of two on 8 in some, else elements."""
    block = draw.choice(((128, 1), (256, 1), (512, 1), (16, 16), (32, 8)))
    threads = block[0] * block[1]
    thread = "threadIdx.x" if block[1] == 1 else f"threadIdx.y * {block[0]} + threadIdx.x"
    pack, declared = draw.choice(
        (
            ("typename Of<P>::Type", "template <int P> struct Of;\ntemplate <> struct Of<1> { using Type = float; };\n"
             "template <> struct Of<2> { using Type = float2; };\ntemplate <> struct Of<4> { using Type = float4; };\n"),
            ("lab::Word<4 * P>", '#include "common/kernel/words.cuh"\n'),
            ("Pack<float, P>", PACK),
        )
    )
    one, two = draw.choice(PRAGMAS[:2]), draw.choice(PRAGMAS[:2])
    cast_in, cast_out = draw.choice(CASTS), draw.choice(CASTS)
    load = cast_in.format(c="const ", t="V", p="&in[(r + k) * ip + c]")
    store = cast_out.format(c="", t="V", p="&out[c * op + r]")
    turn = draw.choice(
        (
            "    union Block { V v[P]; float e[P][P]; } a, b;\n#pragma unroll\n    for (int k = 0; k < P; ++k) a.v[k] = LOAD;\n"
            "#pragma unroll\n    for (int k = 0; k < P * P; ++k) b.e[k % P][k / P] = a.e[k / P][k % P];\n"
            "#pragma unroll\n    for (int k = 0; k < P; ++k) t[at(x * P + k, y)] = b.v[k];\n",
            "    V a[P], b[P];\n#pragma unroll\n    for (int k = 0; k < P; ++k) a[k] = LOAD;\n#pragma unroll\n    for (int k = 0; k < P; ++k)\n"
            "#pragma unroll\n      for (int j = 0; j < P; ++j) reinterpret_cast<float*>(&b[j])[k] = reinterpret_cast<const float*>(&a[k])[j];\n"
            "#pragma unroll\n    for (int k = 0; k < P; ++k) t[at(x * P + k, y)] = b[k];\n",
            "    float a[P][P];\n#pragma unroll\n    for (int k = 0; k < P; ++k) { const V q = LOAD; memcpy(a[k], &q, sizeof q); }\n"
            "#pragma unroll\n    for (int j = 0; j < P; ++j) {\n      float b[P];\n#pragma unroll\n      for (int k = 0; k < P; ++k) b[k] = a[k][j];\n"
            "      V q; memcpy(&q, b, sizeof q); t[at(x * P + j, y)] = q;\n    }\n",
        )
    ).replace("LOAD", load)
    two_too = draw.random() < 0.5
    if two_too:
        pick = draw.choice(
            (
                "if (starts % 4 == 0) go<4>(room, out, in, rows, cols, op, ip);\n  else if (starts % 2 == 0) go<2>(room, out, in, rows, cols, op, ip);\n"
                "  else go<1>(room, out, in, rows, cols, op, ip);",
                "switch (starts & 3) {\n    case 0: return go<4>(room, out, in, rows, cols, op, ip);\n"
                "    case 2: return go<2>(room, out, in, rows, cols, op, ip);\n    default: return go<1>(room, out, in, rows, cols, op, ip);\n  }",
            )
        )
    else:
        pick = draw.choice(
            (
                "starts % 4 == 0 ? go<4>(room, out, in, rows, cols, op, ip) : go<1>(room, out, in, rows, cols, op, ip);",
                "if (starts & 3) return go<1>(room, out, in, rows, cols, op, ip);\n  go<4>(room, out, in, rows, cols, op, ip);",
            )
        )
    integer = draw.choice(("size_t", "int64_t"))
    inside = draw.choice(("if (r < rows && c < cols) {\n", "if (r >= rows || c >= cols) continue;\n    {\n"))
    return f"""#include "common/kernel/lab.cuh"
{declared}
LAUNCH_SHAPE = {{.block = {{{block[0]}, {block[1]}}}, .tile = {{64, 64}}, .block_x_walks = kRows}};
template <int P>
__device__ void go(float4* room, float* out, const float* in, {integer} rows, {integer} cols, {integer} op, {integer} ip) {{
  using V = {pack};
  constexpr int S = 64 / P;
  V* t = reinterpret_cast<V*>(room);
  const auto at = [](int y, int x) {{ return y * S + (x ^ (y / P % (32 / P))); }};
  const {integer} r0 = {integer}(blockIdx.x) * 64, c0 = {integer}(blockIdx.y) * 64;
{one}  for (int i = {thread}; i < S * S; i += {threads}) {{
    const int x = i % S, y = i / S;
    const {integer} r = r0 + y * P, c = c0 + x * P;
    {inside}{turn}    }}
  }}
  __syncthreads();
{two}  for (int i = {thread}; i < 64 * S; i += {threads}) {{
    const int x = i % S, y = i / S;
    const {integer} c = c0 + y, r = r0 + x * P;
    if (c < cols && r < rows) {store} = t[at(y, x)];
  }}
}}
__device__ void any(float* out, const float* in, int rows, int cols, int op, int ip) {{
  __shared__ float4 room[1024];
  out += blockIdx.z * size_t(cols) * op, in += blockIdx.z * size_t(rows) * ip;
  const size_t starts = size_t(out) / 4 | size_t(in) / 4 | rows | cols | op | ip;
  {pick}
}}
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {{ any(out, in, rows, cols, rows, cols); }}
extern "C" __global__ void transpose_u32(float* out, const float* in, int rows, int cols, int op, int ip) {{
  any(out, in, rows, cols, op, ip);
}}
"""


# How a column of a block of B rows of C elements becomes a part: of `line` and column c, put at `to`.
PARTS_10 = (
    ("uint4 line[B];", "line[k]", "Pack<T, B> p;", "p.e[k] = reinterpret_cast<const T*>(&line[k])[c];", "*reinterpret_cast<Pack<T, B>*>(to) = p;"),
    ("union { uint4 q; T e[C]; } line[B];", "line[k].q", "struct alignas(B * sizeof(T)) { T e[B]; } p;", "p.e[k] = line[k].e[c];",
     "memcpy(__builtin_assume_aligned((void*)to, B * sizeof(T)), &p, B * sizeof(T));"),
    ("union Row { uint4 q; T e[C]; } line[B];", "line[k].q", "union { Pack<T, B> whole; T e[B]; } p;", "p.e[k] = line[k].e[c];",
     "*reinterpret_cast<Pack<T, B>*>(to) = p.whole;"),
    ("T line[B][C];", "*reinterpret_cast<uint4*>(line[k])", "Pack<T, B> p;", "p.e[k] = line[k][c];", "*(Pack<T, B>*)to = p;"),
    ("Pack<T, C> line[B];", "reinterpret_cast<uint4&>(line[k])", "T p[B];", "p[k] = line[k].e[c];",
     "*(lab::Word<B * sizeof(T)>*)to = *reinterpret_cast<const lab::Word<B * sizeof(T)>*>(p);"),
)


def chapter_10(draw: random.Random) -> str:
    block = draw.choice(((64, 1), (128, 1), (256, 1), (16, 16), (32, 8)))
    threads = block[0] * block[1]
    thread = "threadIdx.x" if block[1] == 1 else f"threadIdx.y * {block[0]} + threadIdx.x"
    line, row, part, element, put = draw.choice(PARTS_10)
    edge_first, one = draw.random() < 0.5, draw.choice(PRAGMAS[:3])
    edge = f"""  for (int i = {thread}; i < S * S; i += {threads}) {{
    const size_t r = r0 + i % S, c = c0 + i / S;
    if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c];
  }}
"""
    wide = f"""{one}  for (int i = {thread}; i < S / B * W; i += {threads}) {{
    const int x = i % W, y = i / W;
    if (r0 + y * B >= rows || c0 + x * C >= cols) continue;
    {line}
#pragma unroll
    for (int k = 0; k < B; ++k) {row} = *reinterpret_cast<const uint4*>(in + (r0 + y * B + k) * cols + c0 + x * C);
#pragma unroll
    for (int c = 0; c < C; ++c) {{
      {part}
#pragma unroll
      for (int k = 0; k < B; ++k) {element}
      T* to = reinterpret_cast<T*>(&tile[at(x * C + c, y * B / C)]) + y * B % C;
      {put}
    }}
  }}
  __syncthreads();
  for (int i = {thread}; i < S * W; i += {threads}) {{
    const int x = i % W, y = i / W;
    if (c0 + y < cols && r0 + x * C < rows) *reinterpret_cast<uint4*>(out + (c0 + y) * rows + r0 + x * C) = tile[at(y, x)];
  }}
"""
    ragged = draw.choice(("rows % C || cols % C", "(rows | cols) % C != 0", "!(rows % C == 0 && cols % C == 0)"))
    body = f"  if ({ragged}) {{\n{edge}  return;\n  }}\n{wide}" if edge_first else f"  if (!({ragged})) {{\n{wide}  }} else {{\n{edge}  }}\n"
    names = "".join(
        f"LAUNCH_SHAPE_OF({name}) = kShape<{t}>;\n"
        f'extern "C" __global__ void {name}({t}* out, const {t}* in, int rows, int cols) {{ go<{t}>(out, in, rows, cols); }}\n'
        for name, t in (
            ("transpose", "float"),
            ("transpose_u8", "unsigned char"),
            ("transpose_u16", "unsigned short"),
            ("transpose_u64", "unsigned long long"),
            ("transpose_u128", "uint4"),
        )
    )
    return f"""#include "common/kernel/lab.cuh"
#include "common/kernel/words.cuh"
{PACK}template <class T> constexpr int kSide = sizeof(T) == 1 ? 128 : sizeof(T) == 16 ? 32 : 64;
template <class T>
constexpr lab::LaunchShape kShape{{.block = {{{block[0]}, {block[1]}}}, .tile = {{kSide<T>, kSide<T>}}, .block_x_walks = kRows}};
template <class T>
__device__ void go(T* out, const T* in, size_t rows, size_t cols) {{
  constexpr int S = kSide<T>, C = 16 / sizeof(T), B = C < 4 ? C : 4, W = S / C;
  __shared__ uint4 tile[S * W];
  const size_t r0 = size_t(blockIdx.x) * S, c0 = size_t(blockIdx.y) * S;
  const auto at = [](int y, int x) {{ return y * W + (x ^ y / C % (W < 8 ? W : 8)); }};
{body}}}
LAUNCH_SHAPE = kShape<float>;
{names}"""


CHAPTERS = {3: chapter_03, 8: chapter_08, 9: chapter_09, 10: chapter_10}
TURNS = (8, 3, 9, 3, 10, 3, 8, 3)  # by seed: chapters whose forms are many come more often


def kernel(seed: int) -> tuple[int, str]:
    chapter = TURNS[seed % len(TURNS)]
    return chapter, CHAPTERS[chapter](random.Random(seed))
