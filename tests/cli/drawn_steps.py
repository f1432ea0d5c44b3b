"""Kernels drawn at random whose variables are known at each statement: the same program as CUDA C++, a statement a line, and as Python, which
one thread after the other runs.

Enters: a seed. Leaves: `text`, and `play()`: for each of 64 threads what it comes by, as each statement begins: (line, {variable: value},
the same of each function that called this one, (line, values))."""
import random

THREADS = 64
TYPES = {"int": (32, True), "unsigned": (32, False), "short": (16, True), "unsigned char": (8, False), "signed char": (8, True)}
HEAD = """struct P { int a; unsigned b; };
template <typename T, int kN> __device__ T mix(T x, unsigned by) {
  T y = (T)((unsigned)x * kN + by);
  if (by & 1u)
    return y;
  y = (T)((unsigned)y ^ (by >> 1));
  return y;
}
__device__ void bump(unsigned& x, unsigned by) {
  x += by;
  if (by % 3u == 0u)
    return;
  x ^= 77u;
}
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ unsigned shared[64];
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
"""
PYTHON = """
def mix(T, kind, kN, x, by):
    s = lambda line, **v: T(line, dict(v, x=x, by=by, kN=kN))
    s(3)
    y = W(kind, x * kN + by)
    s(4, y=y)
    if by & 1:
        s(5, y=y)
        return y
    s(6, y=y)
    y = W(kind, U(y) ^ (by >> 1))
    s(7, y=y)
    return y
def bump(T, C, x, by, names):
    at, frame = C[-1]
    C[-1] = at, lambda: frame() | dict.fromkeys(names, x)
    T(10, dict(x=x, by=by))
    x = U(x + by)
    T(11, dict(x=x, by=by))
    if by % 3 == 0:
        T(12, dict(x=x, by=by))
        return x
    T(13, dict(x=x, by=by))
    return x ^ 77
"""


def whole(recording):
    """With the callers of each step, where those of another one stand for them."""
    for step in recording["steps"]:
        if isinstance(step.get("callers"), int):
            step["callers"] = recording["steps"][step["callers"]]["callers"]
    return recording


def wrapped(kind, value):
    bits, signed = TYPES[kind]
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


class Drawn:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.c, self.python = HEAD.splitlines(), []
        self.depth, self.count, self.left, self.stores, self.inner = 1, 0, False, 0, 0
        self.scope = [("rows", "rows"), ("cols", "cols"), ("t", "t")]  # shown name, Python for its value
        self.numbers, self.changing = ["t"], []  # names of scalars; with their types, those that change
        self.kinds, self.lambdas, self.structs, self.arrays = {"t": "int"}, [], [], []
        self.add(f"T({len(self.c)}, dict(rows=rows, cols=cols))")
        for kind in ("unsigned", "int", "short"):
            self.declare(kind, False)
        self.block(3, 9)
        read = [name for name in self.numbers if self.r.random() < .6] or self.numbers  # what nothing reads, the compiler drops
        self.store("(" + " + ".join(f"(unsigned){name}" for name in read) + ")", " + ".join(f"U({name})" for name in read))
        self.stop(self.line("return;"))
        self.add("return")
        self.c.append("}")
        self.text = "\n".join(self.c) + "\n"

    # ---- both languages at once
    def line(self, text):
        self.c.append("  " * self.depth + text)
        return len(self.c)

    def add(self, python):
        self.python.append("    " * self.depth + python)

    def stop(self, line):
        self.add(f"T({line}, {{{', '.join(f'{shown!r}: {value}' for shown, value in self.scope)}}})")

    def call(self, line, python):
        """What is called shows what stands in this frame meanwhile."""
        self.add(f"C.append(({line}, lambda: {{{', '.join(f'{shown!r}: {value}' for shown, value in self.scope)}}}))")
        self.add(python)
        self.add("C.pop()")

    def new(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def pick(self, *choices):
        return self.r.choice(choices)

    # ---- expressions: a pair of C++ and Python, unsigned
    def leaf(self):
        k = self.r.randrange(6)
        if k < 4:
            name = self.r.choice(self.numbers[-5:])
            return f"(unsigned){name}", f"U({self.value_of(name)})"
        if k == 4 and self.structs:
            s = self.r.choice(self.structs)
            return f"(unsigned){s}.a", f"U({s}['a'])"
        if k == 5 and self.arrays:
            v, n = self.r.choice(self.arrays), self.r.randrange(3)
            return f"{v}[{n}]", f"{v}[{n}]"
        n = self.r.randrange(500)
        return f"{n}u", str(n)

    def value_of(self, name):
        return dict(self.scope).get(name, name)

    def value(self, d=2):
        if d == 0:
            return self.leaf()
        (a, x), (b, y) = self.value(d - 1), self.value(d - 1)
        k = self.r.randrange(9)
        if k < 6:
            sign = self.pick("+", "-", "*", "^", "&", "|")
            return f"({a} {sign} {b})", f"U({x} {sign} {y})"
        if k == 6:
            by = self.r.randrange(1, 9)
            return self.pick((f"({a} >> {by})", f"({x} >> {by})"), (f"({a} << {by})", f"U({x} << {by})"), (f"({a} % {by}u)", f"({x} % {by})"))
        c, p = self.condition(0)
        return f"({c} ? {a} : {b})", f"({x} if {p} else {y})"

    def condition(self, d=1):
        (a, x), n = self.value(d), self.r.randrange(2, 7)
        m = self.r.randrange(1, n)
        return f"{a} % {n}u < {m}u", f"{x} % {n} < {m}"

    # ---- statements
    def simple(self, c, python):
        self.stop(self.line(c))
        self.add(python)

    def declare(self, kind, is_const):
        name = self.new("c" if is_const else "m")
        c, p = self.value()
        self.simple(f"{'const ' if is_const else ''}{kind} {name} = ({kind}){c};", f"{name} = W({kind!r}, {p})")
        self.scope.append((name, name))
        self.kinds[name] = kind
        self.numbers.append(name)
        if not is_const:
            self.changing.append(name)

    def store(self, c=None, p=None):
        c, p = (c, p) if c else self.value()
        self.stores += 1
        self.stop(self.line(f"out[t + {64 * (self.stores % 30)}] = in[{c} % 2048u];"))

    def assign(self):
        m = self.r.choice(self.changing)
        kind, (c, p) = self.kinds[m], self.value()
        k = self.r.randrange(7)
        if k < 3:
            sign = self.pick("+", "^", "-", "|")
            self.simple(f"{m} = ({kind})((unsigned){m} {sign} {c});", f"{m} = W({kind!r}, U({m}) {sign} {p})")
        elif k == 3:
            self.simple(f"{m} = ({kind}){c};", f"{m} = W({kind!r}, {p})")
        elif k == 4:
            self.stop(line := self.line(f"{m} = mix<{kind}, 5>({m}, {c});"))
            self.call(line, f"{m} = mix(T, {kind!r}, 5, {m}, {p})")
        elif k == 5:
            q, s = self.condition()
            self.stop(line := self.line(f"{m} = {q} ? mix<{kind}, 3>({m}, {c}) : ({kind})9;"))
            self.call(line, f"{m} = mix(T, {kind!r}, 3, {m}, {p}) if {s} else 9")
        else:
            o = self.r.choice([o for o in self.changing if self.kinds[o] == "unsigned"])
            self.stop(line := self.line(f"bump({o}, {c});"))
            self.call(line, f"{o} = bump(T, C, {o}, {p}, {[shown for shown, value in self.scope if value == o]})")

    def objects(self):
        k, (c, p) = self.r.randrange(7), self.value()
        if k == 0 or (k < 3 and not self.structs):
            s, (b, y) = self.new("s"), self.value(1)
            self.simple(f"P {s} = {{(int){c}, {b}}};", f"{s} = {{'a': W('int', {p}), 'b': U({y})}}")
            self.scope += [(f"{s}.a", f"{s}['a']"), (f"{s}.b", f"{s}['b']")]
            self.structs.append(s)
        elif k == 1:
            s = self.r.choice(self.structs)
            self.simple(f"{s}.b += {c};", f"{s}['b'] = U({s}['b'] + {p})")
        elif k == 2:
            old, s = self.new("s"), self.r.choice(self.structs)
            self.simple(f"P {old} = {s};", f"{old} = dict({s})")
            self.scope += [(f"{old}.a", f"{old}['a']"), (f"{old}.b", f"{old}['b']")]
            self.structs.append(old)
            self.simple(f"{s}.a = (int){c};", f"{s}['a'] = W('int', {p})")
        elif k == 3 or (k == 4 and not self.arrays):
            v, (b, y) = self.new("v"), self.value(1)
            self.simple(f"unsigned {v}[3] = {{{c}, {b}, 5u}};", f"{v} = [U({p}), U({y}), 5]")
            self.scope += [(f"{v}[{n}]", f"{v}[{n}]") for n in range(3)]
            self.arrays.append(v)
        elif k == 4:
            v, n = self.r.choice(self.arrays), self.pick("0", "1", "2", "t % 3")
            self.simple(f"{v}[{n}] ^= {c};", f"{v}[{n}] = U({v}[{n}] ^ {p})")
        elif k == 5:
            f, m = self.new("f"), self.r.choice([m for m in self.changing if self.kinds[m] == "unsigned"])
            self.stop(self.line(f"const auto {f} = [&](unsigned k{f}) {{"))
            self.add(f"def {f}(k{f}):")
            self.depth += 1
            self.add(f"nonlocal {m}")
            self.scope.append((f"k{f}", f"k{f}"))
            self.simple(f"{m} += k{f};", f"{m} = U({m} + k{f})")
            self.stop(self.line(f"return k{f} ^ 21u;"))
            self.add(f"return k{f} ^ 21")
            self.scope.pop()
            self.depth -= 1
            self.line("};")
            self.lambdas.append(f)
        else:
            r, m = self.new("r"), self.r.choice([m for m in self.changing if self.kinds[m] == "unsigned"])
            self.simple(f"unsigned& {r} = {m};", "pass")
            self.scope.append((r, m))
            self.simple(f"{r} ^= {c};", f"{m} = U({m} ^ {p})")

    def use(self):
        f, m, (c, p) = self.r.choice(self.lambdas), self.r.choice(self.changing), self.value(1)
        kind = self.kinds[m]
        self.stop(line := self.line(f"{m} = ({kind}){f}({c});"))
        self.call(line, f"{m} = W({kind!r}, {f}(U({p})))")

    def inside(self, room, c, python, between=()):
        loop = self.line(c)
        self.add(python)
        kept = [list(x) for x in (self.scope, self.numbers, self.changing, self.lambdas, self.structs, self.arrays)]
        self.depth, self.inner = self.depth + 1, self.inner + 1
        for shown in between:
            self.scope.append((shown, shown))
            self.numbers.append(shown)
        self.block(room - 1, 3)
        if "while" in python and self.r.random() < .4:
            q, s = self.condition(0)
            word = self.pick("break", "continue") if "for" in c else "break"
            self.stop(self.line(f"if ({q})"))
            self.add(f"if {s}:")
            self.depth += 1
            self.stop(self.line(f"{word};"))
            if word == "continue":
                self.stop(loop)
                self.add(f"{between[0]} += 1")
                self.stop(loop)
            self.add(word)
            self.depth -= 1
        self.scope, self.numbers, self.changing, self.lambdas, self.structs, self.arrays = kept
        self.depth, self.inner = self.depth - 1, self.inner - 1

    def control(self, room):
        k = self.r.randrange(5)
        q, s = self.condition()
        if k < 2:
            self.stop(len(self.c) + 1)
            self.inside(room, f"if ({q}) {{", f"if {s}:")
            if self.r.random() < .5:
                self.inside(room, "} else {", "else:")
            self.line("}")
        elif k == 2 and not self.left:
            self.stop(self.line(f"if ({q} && t > 40)"))
            self.add(f"if {s} and t > 40:")
            self.depth += 1
            self.stop(self.line("return;"))
            self.add("return")
            self.depth -= 1
            self.left = True
        elif k == 3:
            w = self.new("w")
            self.simple(f"int {w} = (int)({q}) + 1;", f"{w} = int({s}) + 1")
            self.scope.append((w, w))
            self.stop(len(self.c) + 1)
            self.add("while True:")
            self.depth += 1
            self.stop(len(self.c) + 1)
            self.add(f"if not {w} > 0: break")
            self.depth -= 1
            self.turn(room, f"while ({w} > 0) {{")
            self.depth += 1
            self.simple(f"--{w};", f"{w} -= 1")
            self.depth -= 1
            self.line("}")
        else:
            i = self.new("i")
            turns, python = self.pick(("3", "3"), ("2", "2"), ("(t & 3)", "(t & 3)"), ("t % 3 + 1", "(t % 3 + 1)"))
            if self.r.random() < .3:
                self.line("#pragma unroll 1")
            line = len(self.c) + 1
            self.stop(line)
            self.add(f"{i} = 0")
            self.scope.append((i, i))
            self.stop(line)
            self.kinds[i] = "int"
            self.inside(room, f"for (int {i} = 0; {i} < {turns}; ++{i}) {{", f"while {i} < {python}:", (i,))
            self.depth += 1
            self.stop(line)
            self.add(f"{i} += 1")
            self.stop(line)
            self.depth -= 1
            self.scope.pop()
            self.line("}")

    def turn(self, room, c):
        """The body of a while, without a way out of its own."""
        self.line(c)
        kept = [list(x) for x in (self.scope, self.numbers, self.changing, self.lambdas, self.structs, self.arrays)]
        self.depth, self.inner = self.depth + 1, self.inner + 1
        self.block(room - 1, 2)
        self.scope, self.numbers, self.changing, self.lambdas, self.structs, self.arrays = kept
        self.depth, self.inner = self.depth - 1, self.inner - 1

    def exchange(self):
        m, n = self.r.choice([m for m in self.changing if self.kinds[m] == "unsigned"]), self.pick(63, 32, 7)
        self.simple(f"shared[t] = (unsigned){m};", f"shared[t] = U({m})")
        self.simple("__syncthreads();", "yield")
        self.simple(f"{m} ^= shared[t ^ {n}];", f"{m} ^= shared[t ^ {n}]")
        self.simple("__syncthreads();", "yield")

    def block(self, room, count):
        for _ in range(self.r.randint(1, count)):
            k = self.r.randrange(12)
            if k < 2:
                self.declare(self.pick(*TYPES), self.r.random() < .4)
            elif k < 5:
                self.assign()
            elif k < 7:
                self.objects()
            elif k == 7 and self.lambdas:
                self.use()
            elif k == 8 and not self.left and not self.inner:
                self.exchange()
            elif k < 11 and room:
                self.control(room)
            else:
                self.store()

    def play(self):
        """By thread: what it comes by, in order."""
        body = "\n".join(self.python)
        code = f"{PYTHON}\ndef thread(t, T, C, shared, rows, cols):\n{body}\n    yield\n"
        room = {"W": wrapped, "U": lambda value: value & 0xFFFFFFFF}
        exec(compile(code, "drawn", "exec"), room)
        seen = [[] for _ in range(THREADS)]
        calls = [[] for _ in range(THREADS)]
        shared = [0] * THREADS

        def note(t):
            return lambda line, values: seen[t].append((line, values, [(at, frame()) for at, frame in reversed(calls[t])]))
        running = [room["thread"](t, note(t), calls[t], shared, 32, 64) for t in range(THREADS)]
        while running:
            running = [one for one in running if next(one, self) is not self]
        return seen


if __name__ == "__main__":
    import sys
    print(Drawn(int(sys.argv[1])).text)
