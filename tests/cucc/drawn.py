"""Programs drawn at random, each with one meaning in C++: what two compilers make of one must write the same.

Enters: a seed. Leaves: a kernel `test(unsigned* out, const unsigned* in, int n)` for blocks of 64 threads. It never overflows a signed
number, divides by zero, reads what was not written or asks for an order that C++ leaves open, so a difference is a fault. In every other
program `in` is volatile: C++ then says how often each thread loads, and counters of loads must be the same too.
"""
import random

INTEGERS = ["int", "unsigned", "long long", "size_t", "short", "unsigned char", "signed char", "unsigned short", "bool", "unsigned long long"]
WIDE = ("unsigned", "size_t", "unsigned long long")

HEAD = """constexpr int kSeven = 7;
__constant__ const unsigned table[4] = {3, 1, 4, 159};
struct P { int a, b; unsigned char c; __device__ int sum(int k) const { return (a & 1023) + (b & 1023) + c + k; } __device__ void grow(int by) { a = (a + by) & 4095; } };
template <typename T> struct Box { T v; __device__ T& ref() { return v; } };
template <typename T, int kN> struct Tile { T v[kN + 1]; };
template <typename T, int kN> __device__ T last_of(const Tile<T, kN>& t) { return t.v[kN]; }
template <typename T> __device__ T sum_of(const Tile<T, 2>& t) { T sum = 0; for (const T& v : t.v) sum += v; return sum; }
enum Colour { kRed = 2, kGreen = 5 };
__device__ unsigned twice(unsigned x, int y) { if (x > 100) return x * 2; y ^= 5; return x + (unsigned)y; }
__device__ unsigned clamped(long long x, size_t y) { for (int i = 0; i < 3; ++i) { if (x % 7 == i) return (unsigned)y; x += 3; } return (unsigned)x; }
template <int kN> __device__ unsigned pick(unsigned x, unsigned y) { if constexpr (kN == 3) { return x ^ y; } else { return x; } }
template <typename T, typename U> __device__ U generic(T a, U b) { T x = a; x = (T)(x / 2); return (U)((unsigned)b + (unsigned)x); }
__device__ void bump(unsigned& a, unsigned by) { a += by; if (by & 1) return; a ^= 77u; }
__device__ unsigned took(unsigned& a, unsigned by) { unsigned was = a; a = a * 3u + by; return was; }
__device__ unsigned changed(unsigned x) { unsigned y = x; x += 9u; return x ^ (y << 2); }
extern "C" __global__ void test(unsigned* out, In* in, int n) {
  __shared__ unsigned pair[2][32];
  __shared__ volatile unsigned loud[64];
  const int tid = threadIdx.x & 63, id = blockIdx.x * 64 + tid;
  unsigned acc = 1, local[4] = {1, 2, 3}, fixed[3] = {};
  unsigned m0 = in[tid % n] * 7u, m1 = (unsigned)tid * 2654435761u, m2 = blockIdx.x + 5u;
  loud[tid] = (unsigned)tid + 3u;
  P s = {tid, 5, (unsigned char)tid};
  Box<unsigned> box = {(unsigned)tid * 3u};
  volatile int kept = tid;
  const auto turn = [&](auto x) { return (x << 3) ^ (unsigned)tid; };
"""
TAIL = """  pair[tid / 32][tid % 32] = acc;
  __syncthreads();
  acc += pair[1 - tid / 32][31 - tid % 32];
  out[id] = acc;
  reinterpret_cast<uint4*>(out)[32 + id] = make_uint4((unsigned)s.a + (unsigned)kept, (unsigned)s.b ^ box.v, s.c, local[tid & 3]);
}
"""


class Drawn:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.names = [("m0", "unsigned"), ("m1", "unsigned"), ("m2", "unsigned")]
        self.count = 0

    def pick(self, *choices):
        return self.r.choice(choices)

    def new(self, first):
        self.count += 1
        return f"{first}{self.count + 10}"

    def changing(self):
        return [name for name, kind in self.names if name[0] == "m" and kind in WIDE]

    # ---- expressions
    def leaf(self):
        mine = [name for name, kind in self.names if kind != "float"]
        return self.pick(*(mine[-6:]), "tid", str(self.r.randrange(300)), f"{self.r.randrange(5000)}u", f"in[(tid + {self.r.randrange(64)}) % n]", "threadIdx.x", "blockIdx.x",
                         "kSeven", f"s.{self.pick('a', 'b', 'c')}", f"table[{self.pick('tid', '1')} & 3]", "sizeof(P)", "box.v", "kGreen", "loud[tid]", "'a'")

    def small(self, d=2):
        return f"(int)((unsigned)({self.value(d)}) & {self.pick('7u', '15u', '63u', '255u')})"

    def unsigned(self, d):
        return f"(unsigned)({self.value(d)})"

    def value(self, d=3):
        if d <= 0:
            return self.leaf()
        k, u = self.r.randrange(22), self.unsigned
        if k < 4:
            return f"({u(d - 1)} {self.pick('+', '-', '*', '^', '&', '|')} {u(d - 1)})"
        if k == 4:
            return f"({self.small(d - 1)} {self.pick('+', '-', '*')} {self.small(d - 1)})"
        if k == 5:
            return f"({self.small(d - 1)} {self.pick('/', '%')} ({self.small(d - 1)} + 1))"
        if k == 6:
            return f"({u(d - 1)} {self.pick('<<', '>>')} ({self.small(d - 1)} & 15))"
        if k == 7:
            return f"({self.value(d - 1)} {self.pick('<', '>', '<=', '>=', '==', '!=')} {self.value(d - 1)})"
        if k == 8:
            return f"({self.value(d - 1)} {self.pick('&&', '||')} {self.value(d - 1)})"
        if k == 9:
            return f"({self.value(d - 1)} ? {u(d - 1)} : {u(d - 1)})"
        if k == 10:
            return f"static_cast<{self.pick(*INTEGERS)}>({self.value(d - 1)})"
        if k == 11:
            return f"{self.pick('!', '~')}({self.value(d - 1)})"
        if k == 12:
            return f"-({self.small(d - 1)} - {self.pick(3, 100)})"
        if k == 13:
            return f"{self.pick('twice', 'clamped', 'pick<3>', 'generic')}({self.value(d - 1)}, {self.value(d - 1)})"
        if k == 14:
            return f"(long long)({self.real(d - 1)})"
        if k == 15:
            return f"turn({u(d - 1)})"
        if k == 16:
            return f"changed({u(d - 1)})"
        if k == 17:
            return f"s.sum({self.small(d - 1)})"
        if k == 18:
            return f"__shfl_xor_sync(0xffffffffu, {u(0)}, {self.pick(1, 2, 16)})" if d == 3 and not self.nested else "kSeven"
        if k == 19:
            return f"[&](unsigned k) {{ return k {self.pick('+', '^')} {self.leaf()}; }}({u(d - 1)})"
        if k == 20:
            return f"__byte_perm({u(d - 1)}, {u(0)}, {self.pick('0x5140', '0x7362', '0x0123')})"
        return f"{self.pick('min', 'max')}({self.small(d - 1)}, {self.small(d - 1)})"

    def real(self, d):
        if d <= 0:
            return self.pick("1.5f", "0.25f", "3.0f", f"(float){self.small(0)}", *([name for name, kind in self.names if kind == "float"][-3:] or ["2.0f"]))
        k = self.r.randrange(6)
        if k < 3:
            return f"(float)({self.small(d - 1)} {self.pick('-', '+')} {self.small(0)}) {self.pick('*', '/', '+', '-')} {self.pick('2.0f', '0.5f', '3.0f')}"
        if k == 3:
            return f"({self.small(d - 1)} < 9 ? {self.real(0)} : 7.0f)"
        return f"float({self.small(d - 1)})"

    # ---- statements
    nested = 0

    def inside(self, count):
        """Statements of a block: what it declares ends with it."""
        outer, self.nested = list(self.names), self.nested + 1
        text = "".join(self.statement(self.depth - 1) for _ in range(count))
        self.names, self.nested = outer, self.nested - 1
        return text

    def declare(self):
        kind = self.pick(*INTEGERS, "int", "unsigned", "unsigned", "float")
        name = self.new("m" if self.r.random() < .7 else "c")
        text = f"{'const ' if name[0] == 'c' else ''}{kind} {name} = " + (self.real(2) if kind == "float" else f"({kind})({self.value(3)})") + ";\n"
        self.names.append((name, kind))
        return text

    def effects(self):
        """Where an effect stands decides whether it happens, and copies stay what they were."""
        m = self.changing()
        a, b = self.pick(*m), self.pick(*m)
        k, small, u = self.r.randrange(15), lambda: self.small(1), lambda: self.unsigned(1)
        if k == 0:
            return f"acc += ({small()} > 4 ? {a}{self.pick('++', '--')} : {b} += 5);\n"
        if k == 1:
            return f"if ({small()} {self.pick('>', '<')} 9 {self.pick('&&', '||')} ({a} {self.pick('+=', '^=')} 3) > 9) acc *= 3u;\n"
        if k == 2:
            a = self.pick(*[name for name in m if dict(self.names)[name] == "unsigned"])
            return f"if ({small()} > 3 {self.pick('&&', '||')} took({a}, {u()}) > 77u {self.pick('&&', '||')} {small()} < 9) acc += {b};\n"
        if k == 3:
            other = [name for name in m if name != a and dict(self.names)[name] == dict(self.names)[a]]
            return f"({small()} > 6 ? {a} : {self.pick(*other)}) {self.pick('=', '+=')} {u()};\n" if other else f"acc += {a}--;\n"
        if k == 4:
            return f"{{ const auto was = {a}; {a} {self.pick('+=', '=', '*=')} {u()}; acc = acc * 5u + (unsigned)was; }}\n"
        if k == 5:
            return f"{{ P old = s; s.a = {self.small(1)}; s.grow({self.small(0)}); acc += (unsigned)(old.a - s.a); s.b = old.b ^ 1; }}\n"
        if k == 6:
            return f"{{ const auto copy = [=](unsigned k) {{ return k + (unsigned){a}; }}; {a} ^= 255u; acc += copy({u()}); }}\n"
        if k == 7:
            return f"{{ auto add = [&](unsigned k) {{ {a} += k; return k & 1; }}; if (add({u()}) && add(2u)) acc ^= 9u; }}\n"
        if k == 8:
            return f"acc += ({a} = {u()}, {a} + 1);\n"
        if k == 9:
            return f"{{ auto& r = {a}; r += {u()}; const auto now = r; r = 3; acc += (unsigned)now + (unsigned){a}; }}\n"
        if k == 10:
            return f"{{ unsigned t = (unsigned){a}; {a} = (decltype({a} + 0)){b}; {b} = t; }}\n".replace(f"(decltype({a} + 0))", "") if a != b else f"{a} = {a}++ + 1u;\n"
        if k == 11:
            return f"asm volatile(\"add.u32 %0, %0, %1;\" : \"+r\"(acc) : \"r\"({u()}));\n"
        if k == 12:
            return f"{{ unsigned got; asm(\"mad.lo.u32 %0, %1, %2, 7;\" : \"=r\"(got) : \"r\"({u()}), \"r\"((unsigned){a})); acc ^= got; }}\n"
        if k == 13:
            return f"kept = kept + ({small()} & 3); loud[tid] = loud[tid] + (unsigned)kept;\n"
        return f"box.ref() {self.pick('+=', '^=')} {u()}; acc += box.v;\n"

    def memory(self):
        k, u = self.r.randrange(6), self.unsigned
        if k == 0:
            return f"local[{self.small(1)} & 3] = {u(2)}; acc ^= local[{self.pick('0', '1', '2', self.small(1) + ' & 3')}];\n"
        if k == 1:
            return f"fixed[{self.r.randrange(3)}] += {u(2)}; acc += fixed[{self.r.randrange(3)}];\n"
        if k == 2:
            return f"{{ unsigned char* bytes = reinterpret_cast<unsigned char*>(fixed); bytes[{self.r.randrange(12)}] = (unsigned char)({u(1)}); const short* h = reinterpret_cast<const short*>(bytes + 4); acc += bytes[{self.r.randrange(12)}] + (unsigned)h[{self.r.randrange(4)}]; }}\n"
        if k == 3:
            return f"{{ float4 q = make_float4({self.real(0)}, 1.0f, {self.real(1)}, 2.0f); const float* e = &q.x; reinterpret_cast<unsigned*>(&q)[{self.r.randrange(4)}] ^= {u(1)} & 255u; acc += __float_as_uint(q.z) ^ __float_as_uint(e[{self.pick('1', '3', 'tid & 3')}]); }}\n"
        if k == 4:
            return f"s.{self.pick('a', 'b')} = {self.small(2)}; bump(acc, {u(2)});\n"
        return f"{{ In* p = in + {self.r.randrange(8)}; unsigned sum = 0; for (int k = 0; k < {self.pick('3', 'kSeven', '(tid & 3) + 1')}; ++k) sum += *p++; acc += sum; }}\n"

    def control(self):
        k = self.r.randrange(5)
        if k == 0:
            return f"if ({self.value(2)}) {{\n{self.inside(2)}}}" + (f" else {{\n{self.inside(2)}}}\n" if self.r.random() < .6 else "\n")
        if k == 1:
            i = self.new("c")
            self.names.append((i, "int"))
            body = self.inside(2) + self.pick("", f"if ({self.value(1)}) continue;\n", f"if ({self.value(1)}) break;\n") + self.inside(1)
            self.names = [pair for pair in self.names if pair[0] != i]
            pragma = self.pick("", "", "#pragma unroll\n", "#pragma unroll 1\n")
            return f"\n{pragma}for (int {i} = 0; {i} < {self.pick('3', '4', '(tid & 3) + 1', 'kSeven')}; ++{i}) {{\n{body}}}\n"
        if k == 2:
            return f"switch ({self.small(1)} & 3) {{\ncase 0: {{ {self.inside(1)} break; }}\ncase 2: {{ {self.inside(1)} }}\ndefault: {{ {self.inside(1)} }}\n}}\n"
        i = self.new("w")
        if k == 3:
            return f"{{ int {i} = {self.small(1)} & 3; while ({i}-- > 0) {{\n{self.inside(2)}}} }}\n"
        return f"{{ int {i} = 0; do {{\n{self.inside(2)}}} while (++{i} < {self.pick('2', '(tid & 1) + 1')}); }}\n"

    depth = 3

    def statement(self, d):
        before, self.depth = self.depth, d
        k = self.r.randrange(12)
        if k < 2:
            text = self.declare()
        elif k < 4 and d > 0:
            text = self.control()
        elif k < 7:
            text = self.effects()
        elif k < 9:
            text = self.memory()
        elif k == 9:
            m = self.pick(*[pair for pair in self.names if pair[0][0] == "m" and pair[1] != "float"])
            text = f"{m[0]} = ({m[1]})({self.value(3)});\n" if m[1] not in WIDE else f"{m[0]} {self.pick('+=', '-=', '*=', '^=', '|=', '&=')} {self.value(2)};\n"
        else:
            text = f"acc = acc * 31u + {self.unsigned(3)};\n"
        self.depth = before
        return text

    def ranges(self):
        """Drawn last, so that the programs of kept seeds stay what they were."""
        over, how = self.pick("local", "fixed"), self.pick("const unsigned", "unsigned&", "auto", "auto&", "const auto&")
        work = "v = v * 5u + 1u; acc ^= v;" if how in ("unsigned&", "auto&", "auto") else f"if (v {self.pick('<', '==')} {self.pick('3', 'm0')}) {self.pick('continue', 'break')}; acc = acc * 7u + v;"
        tile = "{ Tile<unsigned, 2> t = {{m0, (unsigned)m1, m2}}; acc += last_of(t); acc ^= sum_of(t); }\n"
        return self.pick(tile, f"for ({how} v : {over}) {{ {work} }}\n")

    def kernel(self):
        body = "".join(self.statement(3) for _ in range(12))
        sums = "".join(f"acc = acc * 17u + {'__float_as_uint(' + name + ')' if kind == 'float' else '(unsigned)' + name};\n" for name, kind in self.names)
        return f"using In = const {self.pick('', 'volatile ')}unsigned;\n" + HEAD + body + sums + self.ranges() + TAIL


def kernel(seed):
    return Drawn(seed).kernel()


if __name__ == "__main__":
    import sys
    print(kernel(sys.argv[1]))
