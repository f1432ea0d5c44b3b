"""Kernels of chapter 05 on the ordinary tile, `[32][32 + 1]`, drawn as people write them, and copies of these in disguise.

Enters: a generator of random numbers. Leaves: people's habits, each choice by itself, weighted as often as it is met; copies with other names and
comments and some of the changes of DISGUISES; the text of either."""

import dataclasses
import random

Habits = dict[str, str]

CHOICES: dict[str, dict[str, int]] = {
    "block": {"32, 8": 6, "32, 4": 1, "32, 16": 2, "32, 32": 2, "256, 1": 2, "128, 1": 1},
    "side": {"32": 4, "constant": 3, "macro": 2},
    "tile": {"square": 6, "flat": 2, "pitch": 1},
    "turn": {"load": 5, "store": 1},  # which access of the tile goes down a column
    "place": {"corner": 3, "global": 3, "inline": 2, "fresh": 2},
    "bind": {"named": 3, "expression": 2},
    "loop": {"from": 4, "offset": 4, "count": 2, "while": 1, "do": 1, "down": 1, "unrolled": 1},
    "guard": {"if": 6, "nested": 1, "turned": 1, "flag": 1, "continue": 1, "hoisted": 1},
    "index": {"row first": 5, "column first": 1, "named": 2, "pointer row": 1, "macro": 1, "function": 1},
    "wide": {"(size_t)": 3, "size_t": 3, "(long long)": 1, "1ull *": 1, "": 2},
    "parts": {"none": 7, "lambda": 1, "functions": 2, "template": 1},
    "value": {"direct": 5, "named": 1},
    "sizes": {"direct": 6, "named": 1},
    "who": {"direct": 3, "named": 3},
    "braces": {"few": 1, "all": 1},
    "pragma": {"none": 3, "unroll": 1},
    "signs": {"row first": 4, "column first": 1},  # which of the two a guard asks first
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
    "side": ["kSide", "DIM", "TILE", "kTile", "SIDE"],
    "at": ["at", "idx", "pos", "place", "index"],
    "fill": ["fill", "load", "readTile", "first_half"],
    "drain": ["drain", "store", "writeTile", "second_half"],
    "cell": ["AT", "IDX", "ELEM", "cell_of"],
    "value": ["value", "v", "val", "element"],
}
COMMENTS = {
    "none": [],
    "english": ["tile of this block", "read along rows", "wait for all threads", "write along rows of out"],
    "german": ["Kachel des Blocks", "zeilenweise lesen", "auf alle warten", "zeilenweise schreiben"],
    "chinese": ["本线程块的分块", "按行读取", "等待所有线程", "按行写出"],
    "french": ["tuile du bloc", "lecture par lignes", "attendre tous les threads", "écriture par lignes"],
}


@dataclasses.dataclass
class Person:
    habits: Habits
    names: dict[str, str]
    comments: str
    order: int  # of declarations that do not depend on each other: a seed

    def text(self) -> str:
        return Writer(self).text()


def chosen(draw: random.Random, gene: str, but: str = "") -> str:
    weights = {value: weight for value, weight in CHOICES[gene].items() if value != but}
    return draw.choices(list(weights), list(weights.values()))[0]


def honest(draw: random.Random) -> Person:
    names = {name: draw.choice(pool) for name, pool in NAMES.items()}
    return Person({gene: chosen(draw, gene) for gene in CHOICES}, names, draw.choice(list(COMMENTS)), draw.randrange(10**6))


def people(draw: random.Random, count: int) -> list[Person]:
    """Each alone, and no two of all the same habits."""
    found: list[Person] = []
    while len(found) < count:
        new = honest(draw)
        if all(new.habits != old.habits for old in found):
            found.append(new)
    return found


# What is done to a copy beside other names and comments: gene → its new values, any other where there are none.
DISGUISES: dict[str, dict[str, list[str]]] = {
    "reordered": {"signs": []},
    "loop form": {"loop": ["from", "offset", "count", "while", "do", "down"]},
    "helper functions": {"parts": ["functions", "lambda", "none"]},
    "unrolled": {"loop": ["unrolled"]},
    "other block": {"block": []},
    "macros": {"side": ["macro"], "index": ["macro"]},
    "template": {"parts": ["template"]},
    "expressions": {"index": [], "guard": []},
}


def disguised(draw: random.Random, original: Person, changes: int) -> tuple[list[str], Person]:
    """So many kinds of changes, each of which changes something."""
    while True:
        kinds = draw.sample(sorted(DISGUISES), changes)
        habits = dict(original.habits)
        for kind in kinds:
            for gene, values in DISGUISES[kind].items():
                others = [value for value in values or CHOICES[gene] if value != habits[gene]]
                habits[gene] = draw.choice(others) if others else habits[gene]
        changed = {gene for gene in CHOICES if habits[gene] != original.habits[gene]}
        if all(changed & set(DISGUISES[kind]) for kind in kinds):
            break
    names = {name: draw.choice([one for one in pool if one != original.names[name]]) for name, pool in NAMES.items()}
    comments = draw.choice([language for language in COMMENTS if language != original.comments])
    return kinds, Person(habits, names, comments, draw.randrange(10**6) if "reordered" in kinds else original.order)


class Writer:
    """One person's text."""

    def __init__(self, person: Person):
        self.g, self.n, self.person = person.habits, person.names, person
        self.side = "32" if self.g["side"] == "32" else self.n["side"]
        self.pitch = "kPitch" if self.g["tile"] == "pitch" else f"{self.side} + 1"
        x, y = map(int, self.g["block"].split(","))
        self.flat, self.step = y == 1, (x * y) // 32
        named = self.g["who"] == "named" or self.flat
        self.lane, self.warp = (self.n["lane"], self.n["warp"]) if named else ("threadIdx.x", "threadIdx.y")
        self.named = named

    def note(self, which: int) -> list[str]:
        words = COMMENTS[self.person.comments]
        return [f"// {words[which]}"] if words else []

    def cell(self, row: str, col: str) -> str:
        tile = self.n["tile"]
        if self.g["tile"] == "square":
            return f"{tile}[{row}][{col}]"
        return f"{tile}[({row}) * {self.pitch if self.g['tile'] == 'pitch' else f'({self.pitch})'} + {col}]"

    def declared(self) -> list[str]:
        """What both halves use; the order is the person's."""
        n, some = self.n, []
        if self.named:
            some += [f"const int {n['lane']} = {'threadIdx.x % 32' if self.flat else 'threadIdx.x'};",
                     f"const int {n['warp']} = {'threadIdx.x / 32' if self.flat else 'threadIdx.y'};"]
        if self.g["place"] == "corner":
            some += [f"const int {n['row0']} = blockIdx.y * {self.side};", f"const int {n['col0']} = blockIdx.x * {self.side};"]
        if self.g["sizes"] == "named":
            some += [f"const int {n['high']} = rows;", f"const int {n['wide']} = cols;"]
        random.Random(self.person.order).shuffle(some)
        return some

    def half(self, load: bool) -> list[str]:
        g, n, side = self.g, self.n, self.side
        high, wide = (n["high"], n["wide"]) if g["sizes"] == "named" else ("rows", "cols")
        high, wide = (high, wide) if load else (wide, high)
        block_row, block_col = ("blockIdx.y", "blockIdx.x") if load else ("blockIdx.x", "blockIdx.y")
        step, one = n["step"], self.step == 32
        starts_at_warp = g["loop"] == "from" and not one
        before: list[str] = []
        if g["place"] == "corner":
            base_row, base_col = (n["row0"], n["col0"]) if load else (n["col0"], n["row0"])
        elif g["place"] == "inline":
            base_row, base_col = f"{block_row} * {side}", f"{block_col} * {side}"
        elif g["place"] == "fresh":
            base_row, base_col = n["row0"], n["col0"]
            if not load and g["parts"] == "none":
                base_row, base_col = f"{base_row}2", f"{base_col}2"
            before += [f"const int {base_row} = {block_row} * {side};", f"const int {base_col} = {side} * {block_col};"]
        else:  # the thread's own place, moved on by the loop
            base_row, base_col = n["row0"], n["col0"]
            kind = "int " if load or g["parts"] != "none" else ""
            mine = "" if starts_at_warp else f" + {self.warp}"
            before += [f"{kind}{base_col} = {block_col} * {side} + {self.lane};", f"{kind}{base_row} = {block_row} * {side}{mine};"]

        def element(k: str, first: bool = True) -> list[str]:
            local = step if starts_at_warp else self.warp if k == "" else f"{self.warp} + {k}"
            if g["place"] == "global":
                moved = step if starts_at_warp else k
                row, col = (f"{base_row} + {moved}" if moved else base_row), base_col
            else:
                row, col = f"{base_row} + {local}", f"{base_col} + {self.lane}"
            lines: list[str] = []
            if g["bind"] == "named":
                kind = "size_t" if g["wide"] == "size_t" else "int"
                lines.append(f"const {kind} {n['row']} = {row}, {n['col']} = {col};")
                row, col = n["row"], n["col"]
            return lines + self.moved(load, row, col, local, high, wide)

        body = self.loop(element, step, one, starts_at_warp)
        if g["guard"] == "hoisted":
            edge = base_col if g["place"] == "global" else f"{base_col} + {self.lane}"
            body = [f"if ({edge} < {wide}) {{", *body, "}"]
        return before + body

    def loop(self, element, step: str, one: bool, starts_at_warp: bool) -> list[str]:
        g, side, threads = self.g, self.side, self.step
        pragma = ["#pragma unroll"] if g["pragma"] == "unroll" and g["loop"] not in ("unrolled", "while", "do") else []
        if one:
            return ["{", *element(""), "}"]
        if g["loop"] == "unrolled":
            return [line for at in range(0, 32, threads) for line in ("{", *element(str(at)), "}")]
        if g["loop"] in ("while", "do"):
            head, tail = ([f"while ({step} < {side}) {{"], "}") if g["loop"] == "while" else (["do {"], f"}} while ({step} < {side});")
            return ["{", f"int {step} = 0;", *head, *element(step), f"{step} += {threads};", tail, "}"]
        head, k = {
            "from": (f"for (int {step} = {self.warp}; {step} < {side}; {step} += {threads}) {{", step),
            "offset": (f"for (int {step} = 0; {step} < {side}; {step} += {threads}) {{", step),
            "count": (f"for (int {step} = 0; {step} < {32 // threads}; ++{step}) {{", f"{threads} * {step}"),
            "down": (f"for (int {step} = {32 - threads}; {step} >= 0; {step} -= {threads}) {{", step),
        }[g["loop"]]
        return [*pragma, head, *element(k), "}"]

    def moved(self, load: bool, row: str, col: str, local: str, high: str, wide: str) -> list[str]:
        """One element, within the guard."""
        g, n = self.g, self.n
        array = "in" if load else "out"
        first, second = (local, self.lane) if load == (g["turn"] == "load") else (self.lane, local)
        cast = {"(size_t)": "(size_t)", "size_t": "", "(long long)": "(long long)", "1ull *": "1ull * ", "": ""}[g["wide"]]
        in_row = f"({row})" if "+" in row else row
        flat = f"{col} + {cast}{in_row} * {wide}" if g["index"] == "column first" else f"{cast}{in_row} * {wide} + {col}"
        lines: list[str] = []
        if g["index"] == "named":
            lines.append(f"const size_t {n['at']} = {flat};")
        place = {"named": f"{array}[{n['at']}]", "pointer row": f"({array} + {cast}{in_row} * {wide})[{col}]",
                 "macro": f"{n['cell']}({array}, {row}, {col}, {wide})",
                 "function": f"{array}[{n['at']}Of({row}, {col}, {wide})]"}.get(g["index"], f"{array}[{flat}]")
        to, source = (self.cell(first, second), place) if load else (place, self.cell(first, second))
        lines += [f"const float {n['value']} = {source};", f"{to} = {n['value']};"] if g["value"] == "named" else [f"{to} = {source};"]
        inside = lines if len(lines) == 1 and g["braces"] == "few" else ["{", *lines, "}"]
        ask = [f"{row} < {high}", f"{col} < {wide}"]
        no = [f"{row} >= {high}", f"{col} >= {wide}"]
        if g["signs"] == "column first":
            ask, no = ask[::-1], no[::-1]
        guard = g["guard"]
        if guard == "continue" and (g["loop"] in ("unrolled", "while", "do") or self.step == 32):
            guard = "if"  # there it would skip the step, or leaves nothing
        return {
            "if": [f"if ({ask[0]} && {ask[1]})", *inside],
            "nested": [f"if ({ask[0]})", f"if ({ask[1]})", *inside],
            "turned": [f"if (!({no[0]} || {no[1]}))", *inside],
            "flag": [f"const bool inside = {ask[0]} && {ask[1]};", "if (inside)", *inside],
            "continue": [f"if ({no[0]} || {no[1]}) continue;", *lines],
            "hoisted": [f"if ({row} < {high})", *inside],
        }[guard]

    def text(self) -> str:
        g, n, side = self.g, self.n, self.side
        shared = f"__shared__ float {n['tile']}" + (f"[{side}][{self.pitch}];" if g["tile"] == "square" else f"[{side} * ({self.pitch})];")
        head, load, store = self.declared(), self.half(True), self.half(False)
        wait = [*self.note(2), "__syncthreads();"]
        above = {"32": [], "constant": [f"constexpr int {side} = 32;"], "macro": [f"#define {side} 32"]}[g["side"]]
        if g["tile"] == "pitch":
            above.append(f"constexpr int kPitch = {side} + 1;")
        if g["index"] == "macro":
            above.append(f"#define {n['cell']}(a, r, c, w) a[(size_t)(r) * (w) + (c)]")
        if g["index"] == "function":
            above.append(f"__device__ size_t {n['at']}Of(size_t r, size_t c, int w) {{ return r * w + c; }}")
        tile = f"float (*{n['tile']})[{self.pitch}]" if g["tile"] == "square" else f"float* {n['tile']}"
        if g["parts"] in ("functions", "template"):
            kind, call = ("template <int N>\n", "<0>") if g["parts"] == "template" else ("", "")
            for name, array, body in ((n["fill"], "const float* in", load), (n["drain"], "float* out", store)):
                above.append(f"{kind}__device__ void {name}({array}, {tile}, int rows, int cols) {{")
                above += [*head, *body, "}"]
            body = [*self.note(0), shared, f"{n['fill']}{call}(in, {n['tile']}, rows, cols);", *wait, f"{n['drain']}{call}(out, {n['tile']}, rows, cols);"]
        elif g["parts"] == "lambda":
            body = [*self.note(0), shared, *head, f"auto {n['fill']} = [&] {{", *load, "};", f"auto {n['drain']} = [&] {{", *store, "};",
                    f"{n['fill']}();", *wait, f"{n['drain']}();"]
        else:
            body = [*self.note(0), shared, *head, *self.note(1), *load, *wait, *self.note(3), *store]
        return "\n".join(['#include "common/kernel/lab.cuh"', f"LAUNCH_SHAPE = {{.block = {{{g['block']}}}, .tile = {{32, 32}}, .block_x_walks = kCols}};",
                          *above, 'extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {', *body, "}", ""])
