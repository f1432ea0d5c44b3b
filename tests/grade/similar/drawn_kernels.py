"""Kernels of chapter 05 on the ordinary tile, `[32][32 + 1]`, drawn as people write them: each choice by itself.

Enters: a generator of random numbers. Leaves: honest kernels, all choices independent; and copies in disguise, other names and one choice
changed."""

CHOICES = {
    "block": ["32, 8", "32, 4", "32, 16", "256, 1", "128, 1"],
    "side": ["32", "kSide", "TILE"],
    "tile": ["square", "flat"],
    "place": ["corner", "global", "pointer", "inline"],
    "loop": ["up", "count", "while", "down", "unrolled"],
    "guard": ["if", "continue", "nested", "turned", "flag"],
    "index": ["row first", "column first", "named", "pointer row"],
    "wide": ["(size_t)", "size_t", "(long long)", "1ull *"],
    "parts": ["none", "lambda", "functions", "template"],
    "value": ["direct", "named"],
}
NAMES = {
    "tile": ["tile", "buf", "cache", "smem", "patch", "t", "block", "stage"],
    "lane": ["tx", "lane", "i", "me", "col_in", "lx"],
    "warp": ["ty", "w", "j", "group", "row_in", "ly"],
    "row": ["r", "row", "y", "gy", "line", "a"],
    "col": ["c", "col", "x", "gx", "column", "b"],
    "step": ["k", "s", "n", "off", "part", "q"],
    "row0": ["r0", "top", "rowBase", "y0", "firstRow"],
    "col0": ["c0", "left", "colBase", "x0", "firstCol"],
    "high": ["high", "h", "nrows", "height"],
    "wide": ["wide", "wd", "ncols", "width"],
}


def honest(draw):
    return {**{gene: draw.choice(values) for gene, values in CHOICES.items()}, "names": {name: draw.choice(pool) for name, pool in NAMES.items()}}


def people(draw, count):
    """Who worked alone: of any two, more than half of the choices differ. Two who choose alike are rightly listed."""
    found = []
    while len(found) < count:
        new = honest(draw)
        if all(sum(new[gene] != old[gene] for gene in CHOICES) > len(CHOICES) // 2 for old in found):
            found.append(new)
    return found


def disguised(draw, genes):
    """Other names, and one choice that is another one: what was changed, and the genes."""
    changed = draw.choice([gene for gene in CHOICES if gene not in ("value", "side")])
    return changed, {**genes, "names": {name: draw.choice(pool) for name, pool in NAMES.items()},
                     changed: draw.choice([value for value in CHOICES[changed] if value != genes[changed]])}


def half(g, n, load):
    """The statements of one half: from `in` to the tile, or from the tile to `out`."""
    side = g["side"]
    threads = eval(g["block"].replace(",", "*")) // 32
    array, high, wide = (("in", n["high"], n["wide"]) if load else ("out", n["wide"], n["high"]))
    base_row, base_col = (n["row0"], n["col0"]) if load else (n["col0"], n["row0"])
    lines = []

    def element(k):
        local = f"{n['warp']} + {k}" if g["loop"] != "up" else n["step"]
        row = {"corner": f"{base_row} + {local}", "global": f"{base_row} + {local}", "pointer": f"{base_row} + ({local})",
               "inline": f"blockIdx.{'y' if load else 'x'} * {side} + {local}"}[g["place"]]
        col = {"inline": f"blockIdx.{'x' if load else 'y'} * {side} + {n['lane']}"}.get(g["place"], f"{base_col} + {n['lane']}")
        first, second = (local, n["lane"]) if load else (n["lane"], local)
        cell = f"{n['tile']}[{first}][{second}]" if g["tile"] == "square" else f"{n['tile']}[({first}) * ({side} + 1) + {second}]"
        cast = {"(size_t)": "(size_t)", "size_t": "", "(long long)": "(long long)", "1ull *": "1ull * "}[g["wide"]]
        kind = "size_t" if g["wide"] == "size_t" else "int"
        text = []
        if g["place"] == "inline":
            text.append(f"const {kind} {n['row']} = {row};")
            text.append(f"const {kind} {n['col']} = {col};")
        else:
            text.append(f"const {kind} {n['row']} = {row}, {n['col']} = {col};")
        place = {"row first": f"{array}[{cast}{n['row']} * {wide} + {n['col']}]", "column first": f"{array}[{n['col']} + {cast}{n['row']} * {wide}]",
                 "named": f"{array}[at]", "pointer row": f"({array} + {cast}{n['row']} * {wide})[{n['col']}]"}[g["index"]]
        move = []
        if g["index"] == "named":
            move.append(f"const size_t at = {cast}{n['row']} * {wide} + {n['col']};")
        to, source = (cell, place) if load else (place, cell)
        if g["value"] == "named":
            move += [f"const float value = {source};", f"{to} = value;"]
        else:
            move.append(f"{to} = {source};")
        inside = " ".join(move)
        if len(move) > 1:
            inside = "{ " + inside + " }"
        text.append({"if": f"if ({n['row']} < {high} && {n['col']} < {wide}) {inside}", "nested": f"if ({n['row']} < {high}) if ({n['col']} < {wide}) {inside}",
                     "turned": f"if (!({n['col']} >= {wide} || {n['row']} >= {high})) {inside}",
                     "flag": f"const bool inside = {n['row']} < {high} & {n['col']} < {wide}; if (inside) {inside}",
                     "continue": f"if ({n['row']} >= {high} || {n['col']} >= {wide}) continue; {inside}" if g["loop"] in ("up", "count", "down")
                     else f"if ({n['row']} < {high} && {n['col']} < {wide}) {inside}"}[g["guard"]])
        return " ".join(text)

    k = n["step"]
    if g["loop"] == "up":
        lines.append(f"for (int {k} = {n['warp']}; {k} < {side}; {k} += {threads}) {{ {element(k)} }}")
    elif g["loop"] == "count":
        lines.append(f"for (int {k} = 0; {k} < {32 // threads}; ++{k}) {{ {element(f'{threads} * {k}')} }}")
    elif g["loop"] == "down":
        lines.append(f"for (int {k} = {32 - threads}; {k} >= 0; {k} -= {threads}) {{ {element(k)} }}")
    elif g["loop"] == "while":
        lines.append(f"{{ int {k} = 0; while ({k} < {side}) {{ {element(k)} {k} += {threads}; }} }}")
    else:
        lines += [f"{{ {element(at)} }}" for at in range(0, 32, threads)]
    return "\n  ".join(lines)


def text_of(g):
    n, side = g["names"], g["side"]
    flat = g["block"].endswith(" 1")
    lane, warp = ("threadIdx.x % 32", "threadIdx.x / 32") if flat else ("threadIdx.x", "threadIdx.y")
    shared = f"__shared__ float {n['tile']}" + (f"[{side}][{side} + 1];" if g["tile"] == "square" else f"[{side} * ({side} + 1)];")
    who = [f"const int {n['lane']} = {lane};", f"const int {n['warp']} = {warp};"]
    bases = {"corner": [f"const int {n['row0']} = blockIdx.y * {side}, {n['col0']} = blockIdx.x * {side};"],
             "global": [f"const int {n['row0']} = blockIdx.y * {side};", f"const int {n['col0']} = {side} * blockIdx.x;"],
             "pointer": [f"const int {n['row0']} = (int)(blockIdx.y * {side});", f"const int {n['col0']} = (int)(blockIdx.x * {side});"], "inline": []}[g["place"]]
    sizes = [f"const int {n['high']} = rows, {n['wide']} = cols;"]
    load, store = half(g, n, True), half(g, n, False)
    tile_type = f"float (*{n['tile']})[{side} + 1]" if g["tile"] == "square" else f"float* {n['tile']}"
    passed = f"const float* in, float* out, {tile_type}, int rows, int cols"
    before, body = "", []
    if g["parts"] in ("functions", "template"):
        head = "template <int UNUSED>\n" if g["parts"] == "template" else ""
        call = "<0>" if g["parts"] == "template" else ""
        inner = "\n  ".join([*who, *bases, *sizes])
        before = (f"{head}__device__ void fill({passed}) {{\n  {inner}\n  {load}\n}}\n{head}__device__ void drain({passed}) {{\n  {inner}\n  {store}\n}}\n")
        body = [shared, f"fill{call}(in, out, {n['tile']}, rows, cols);", "__syncthreads();", f"drain{call}(in, out, {n['tile']}, rows, cols);"]
    elif g["parts"] == "lambda":
        body = [shared, *who, *bases, *sizes, f"auto first = [&] {{ {load} }};", f"auto second = [&] {{ {store} }};", "first();", "__syncthreads();", "second();"]
    else:
        body = [shared, *who, *bases, *sizes, load, "__syncthreads();", store]
    constant = {"32": "", "kSide": "constexpr int kSide = 32;\n", "TILE": "#define TILE 32\n"}[side]
    return (f'#include "common/kernel/lab.cuh"\nLAUNCH_SHAPE = {{.block = {{{g["block"]}}}, .tile = {{32, 32}}, .block_x_walks = kCols}};\n{constant}{before}'
            f'extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {{\n  ' + "\n  ".join(body) + "\n}\n")
