"""Programs drawn from the corners of C++: promotions, conversions, order, lifetimes, copies, loops of every form, loads of what was stored.

Enters: a seed. Leaves: a kernel `test(unsigned* out, const unsigned* in, int n)` as tests/cucc/drawn.py makes them, from statements that
each look at one rule. Nothing in them is undefined or left open, so what two compilers make of one writes the same.
"""
import random

HEAD = """enum Plain { kTwo = 2, kNine = 9 };
enum class Scoped : unsigned char { kA = 1, kB = 200 };
constexpr int kTable[5] = {4, -7, 1, 300, -2};
__constant__ short half_words[4] = {-3, 7, 30000, -30000};
typedef struct { short lo, hi; } Halves, *HalvesPointer;
typedef enum { kRed = 3, kGreen } Colour;
struct Inner { short s; unsigned char c[3]; };
struct Outer { Inner inner; int v[2] = {5, 6}; float f = 1.5f; __device__ int first() const { return v[0] + inner.s; } };
struct Vec { int x, y; static constexpr int kSize = 2; __device__ Vec operator+(const Vec& o) const { return {x + o.x, y + o.y}; } __device__ Vec& operator+=(int k) { x += k; y -= k; return *this; } __device__ int operator[](int i) const { return i == 0 ? x : y; } };
template <typename T> struct Limits { static constexpr int kBits = 8 * sizeof(T); static constexpr bool kSmall = sizeof(T) < 4; };
template <> struct Limits<bool> { static constexpr int kBits = 1; static constexpr bool kSmall = true; };
template <typename T> __device__ T halved(T x) { if constexpr (Limits<T>::kSmall) return x >> 1; else return x / 2; }
template <int kN, typename F> __device__ unsigned repeat(F f) { unsigned sum = 0; for (int i = 0; i < kN; ++i) sum += f(i); return sum; }
template <typename T, int kN> __device__ T total(const T (&a)[kN]) { T t = 0; for (int i = 0; i < kN; i++) t += a[i]; return t; }
__host__ __device__ constexpr int power(int b, int e) { int p = 1; while (e-- > 0) p *= b; return p; }
template <typename T, int kN> __device__ unsigned folded(T x, unsigned y) { struct alignas(8) { T e[kN]; } p; union Seen { unsigned w[2]; T e[8 / sizeof(T)]; } s = {{y, y * 3u}}; for (int q = 0; q < kN; ++q) p.e[q] = (T)(x + q); s.e[8 / sizeof(T) - 1] = p.e[kN - 1]; return (unsigned)sizeof(p) * 7u + s.w[0] + s.w[1] + (unsigned)s.e[0]; }
__device__ unsigned joined(uint2 p, Vec v) { return p.x * 5u + p.y + (unsigned)(v.x - v.y); }
__device__ Vec made(int a, int b = 3) { Vec v; v.x = a; v.y = b; return v; }
__device__ int sign_of(int x) { if (x < 0) return -1; if (x == 0) return 0; return 1; }
__device__ bool bumped(unsigned& x, unsigned by) { x += by; return (x & 1) != 0; }
__device__ unsigned* higher(unsigned* a, unsigned* b) { return *a > *b ? a : b; }
__device__ void swapped(int& a, int& b) { int t = a; a = b; b = t; }
__device__ inline float blend(float a, float b, float t) { return a * (1.0f - t) + b * t; }
extern "C" __global__ void test(unsigned* out, const unsigned* in, int n) {
  __shared__ Vec shared_vec[64];
  __shared__ alignas(16) unsigned char raw[64 * 16];
  __shared__ unsigned own[16][64];
  const int tid = threadIdx.x & 63, id = blockIdx.x * 64 + tid;
  own[0][tid] = tid * 40503u;
  __syncthreads();
  unsigned acc = 1, a = in[tid % n], b = in[(tid * 7 + 3) % n] ^ 0x9e3779b9u, c = tid * 2654435761u;
  int i = (int)a, j = (int)(b & 0xffff) - 32768, k = (int)(c % 201u) - 100;
  long long l = (long long)(int)a * k; size_t z = ((size_t)b << 32) | a;
  float f = (float)k * 0.37f; double d = (double)j / 3.0;
  signed char sc = (signed char)a; unsigned char uc = (unsigned char)b; short ss = (short)c; unsigned short us = (unsigned short)a; bool yes = (a & 1) != 0;
"""
TAIL = """  acc += folded<short, 4>(k, a) ^ folded<unsigned char, 4>(uc, b);
  shared_vec[tid] = {(int)acc, k};
  __syncthreads();
  reinterpret_cast<unsigned*>(raw)[tid] = acc ^ 5u;
  __syncthreads();
  acc += (unsigned)shared_vec[63 - tid].x ^ (unsigned)shared_vec[tid ^ 1].y;
  acc = acc * 3u + raw[(tid * 4 + 7) & 255];
  out[id] = acc;
  reinterpret_cast<uint4*>(out)[32 + id] = make_uint4(a ^ (unsigned)i, b + (unsigned)j, (unsigned)k, (unsigned)(l ^ (l >> 32)) + (unsigned)z + us + (unsigned)ss + uc + (unsigned)sc + yes);
}
"""
INTEGERS = ("i", "j", "k", "l", "z", "sc", "uc", "ss", "us", "yes", "a", "b", "c")
APPROXIMATE = ("exp2f", "exp10f", "rsqrtf", "__expf", "__exp10f", "__sinf", "__cosf", "__tanf", "__logf", "__log2f", "__log10f", "__fdividef", "fdividef", "__powf")
SMALL = ("sc", "uc", "ss", "us", "yes", "k")
TYPES = {"i": "int", "j": "int", "k": "int", "l": "long long", "z": "size_t", "sc": "signed char", "uc": "unsigned char", "ss": "short", "us": "unsigned short", "yes": "bool",
         "a": "unsigned", "b": "unsigned", "c": "unsigned"}


class Corners:
    def __init__(self, seed):
        self.r = random.Random(f"corners {seed}")
        self.has_stored = False
        self.rows = 0  # of `own`, each with one store

    def pick(self, *choices):
        return self.r.choice(choices)

    def any(self):
        return self.pick(*INTEGERS)

    def number(self):
        return self.pick("0", "1", "2", "7", "-1", "-3", "16", "255", "0xffu", "1u", "3ll", "0x80", "0b101", "'A'", "'\\\\n'", "'\\\\x7f'", "1'000", "017", "kTwo", "kNine", "true", "100ul")

    def u(self):
        return self.pick("a", "b", "c", f"(unsigned){self.any()}", f"(unsigned){self.number()}", f"in[(tid + {self.r.randrange(64)}) % n]")

    def s(self):
        """A small signed value: sums and products of three do not overflow."""
        return self.pick("k", "sc", "uc", "(k + 1)", "(int)yes", "sign_of(i)", "half_words[tid & 3] / 300", "kTable[tid % 5]", "(int)(a & 63)", "(ss >> 8)", f"{self.r.randrange(-20, 20)}")

    def condition(self):
        op = self.pick("<", ">", "<=", ">=", "==", "!=")
        return self.pick(f"{self.any()} {op} {self.any()}", f"{self.s()} {op} {self.s()}", f"{self.any()} {op} {self.number()}", "yes", "!yes", f"{self.any()}", f"f {op} (float){self.s()}",
                         f"({self.any()} & {self.pick('1', '3', '0x10')}) != 0", f"{self.any()} % 3 == 0" if self.r.random() < .5 else "tid & 1", f"d {op} f")

    # ---- one rule each
    def promotions(self):
        x, y = self.pick(*SMALL), self.pick("sc", "uc", "ss", "yes", "k")  # the product of two unsigned shorts overflows
        return self.pick(f"acc = acc * 31u + (unsigned)({x} {self.pick('+', '-', '*', '^', '&', '|')} {y});", f"acc ^= (unsigned)(~{x}) + (unsigned)(-{y});", f"acc += (unsigned)({x} << {self.pick(1, 3, 7)}) ^ (unsigned)({y} >> {self.pick(1, 2, 5)});",
                         f"acc = acc * 7u + sizeof({x} + {y}) + sizeof(+{x}) + sizeof({x});", f"{{ auto t = {x} {self.pick('+', '*', '-')} {y}; acc += (unsigned)t + sizeof(t); }}",
                         f"acc += (unsigned)({x} / ({y} == 0 ? 1 : 3)) + (unsigned)({x} % {self.pick('3', '-4', '8', '5')});")

    def compound(self):
        x = self.pick("sc", "uc", "ss", "us")
        return self.pick(f"{x} += {self.any()};" if self.r.random() < .5 else f"{x} = ({TYPES[x]}){self.any()};", f"{x} *= 3; acc += (unsigned){x};", f"{x} <<= {self.pick(1, 4)};", f"{x} >>= {self.pick(1, 3)}; acc ^= (unsigned){x};", f"{x} ^= {self.any()}; acc += (unsigned){x};",
                         f"acc += (unsigned)({x}++) * 3u + (unsigned)(--{x});", f"{x} -= 200; acc = acc * 5u + (unsigned){x};", f"{x} |= {self.number()}; acc += {x} < 0;", f"{x} %= 7; {x} += 3; acc += (unsigned){x};", f"{x} &= ~{self.number()}; acc += (unsigned){x};",
                         f"yes {self.pick('^=', '|=', '&=')} {self.condition()}; acc += yes;", f"z {self.pick('+=', '^=', '*=')} {self.any()}; acc ^= (unsigned)(z >> 17);", f"a = b = {x}; acc += a;", f"l = {x} = 77; acc += (unsigned)l;")

    def comparisons(self):
        op = self.pick("<", ">", "<=", ">=", "==", "!=")
        return f"acc = acc * 3u + ({self.any()} {op} {self.any()}) + 2u * ({self.any()} {op} {self.number()}) + 4u * ({self.number()} {op} {self.any()});"

    def conversions(self):
        x = self.any()
        return self.pick(f"acc += (unsigned)(signed char){x} + (unsigned char){x} + (unsigned)(short){x};", f"acc ^= (unsigned)(float)(unsigned short){x};", f"{{ bool q = {x}; int t = q + q; acc += (unsigned)t; }}", f"acc += (bool){x} + !!{x} + (bool)f + (bool)(float)0;",
                         f"acc += __float_as_uint((float){x});", f"acc += (unsigned)__double_as_longlong((double){x});", f"acc += (unsigned)(int)((float)k * {self.pick('1.7f', '0.5f', '-2.25f', '1e1f', '.5f', '0x1.8p1f')});",
                         f"acc += (unsigned)(long long)((double)j * {self.pick('1.1', '-0.25', '3e2')});", "f = (float)d; d = f; acc += __float_as_uint(f);", f"acc += (unsigned)({self.condition()} ? {self.pick(*SMALL)} : {self.any()});", f"acc += (unsigned)(({self.condition()} ? 1u : -1) > 0);",
                         f"acc += (unsigned)__float_as_int({self.condition()} ? f : {self.pick('2', '1.5f', 'k')});", f"acc += sizeof({self.condition()} ? {self.pick(*SMALL)} : {self.pick(*SMALL)});", f"acc += (unsigned)((long long){x} >> 33) + (unsigned)((size_t){x} >> 40);", f"acc += (unsigned)({x} + 0ll >> 31);",
                         "acc += (unsigned)(z * us) + (unsigned)((z * us) >> 32);", "acc += __float_as_uint((float)z) + __float_as_uint((float)l) + __float_as_uint((float)a);", "acc += (unsigned)static_cast<Scoped>(3) + (unsigned)Scoped::kB + (Scoped::kA < Scoped::kB);")

    def divisions(self):
        x = self.pick("k", "j", "sc", "ss", "uc", "us")
        return f"acc = acc * 13u + (unsigned)({x} / {self.pick('4', '-4', '7', '-3', '1', '64', '(uc + 1)', 'kNine', '3u', '8ll')}) + (unsigned)({x} % {self.pick('4', '-8', '5', '1', '(us + 2)', '16u', '32')}) + (unsigned)({self.pick('z', 'a', 'l')} / {self.pick('3u', '16u', '10ull', '(uc + 1u)')});"

    def shifts(self):
        return self.pick(f"acc ^= (unsigned)(1ull << ({self.any()} & 63) >> {self.r.randrange(32)});", "acc += (unsigned)(k >> (uc & 31)) + (a >> (sc & 31));", f"acc += (unsigned)(l >> ({self.any()} & 63));", f"acc += (unsigned)(z << ({self.any()} & 31) >> 20);", "acc += (unsigned)((uc << 24) >> 24) + (unsigned)((unsigned)uc << 31 >> 31);", "acc += 1u << (us & 15) | (unsigned)(yes << 5);")

    def floats(self):
        return self.pick("f = f * f + f; if (f > 1e6f || f < -1e6f || f != f) f = 0.25f; acc += __float_as_uint(f);", "d = d * 1.25 - f; if (d > 1e6 || d < -1e6) d = 1; acc += (unsigned)(long long)d;", "f += d; if (!(f < 1e5f && f > -1e5f)) f = 2; acc ^= __float_as_uint(f);", "f /= 3; acc += __float_as_uint(f);", "f *= k; if (f > 1e5f || f < -1e5f) f = 1.f; acc += __float_as_uint(-f);",
                         "acc += __float_as_uint(blend(f, 2, 0.5)) + __float_as_uint(fmaf(f, 0.5f, 1)) + __float_as_uint(fabsf(f)) + __float_as_uint(fminf(f, k));", "f++; acc += (f > 2) + (f == f) + (unsigned)!f;", "acc += __float_as_uint(sqrtf(fabsf(f))) + __float_as_uint(1 / (fabsf(f) + 1.0f));", "acc += __float_as_uint(f * 1.0 + k);", "acc += (unsigned)(int)floorf(f) ^ (unsigned)(int)(f + .5);",
                         "acc += __float_as_uint(f < k ? f : k) + __float_as_uint(yes ? 1 : f);", "{ const float w[3] = {0.25f, f, 2}; float t = 0; for (int q = 0; q < 3; ++q) t += w[q] * w[2 - q]; acc += __float_as_uint(t); }")

    def maths(self):
        x = self.pick("f", "f * 0.01f", "(float)k", "-f", "0.0f", "1e-40f", "fabsf(f)", "f / 0.0f")
        one = self.pick("expf", "exp", "exp2f", "exp10f", "rsqrtf", "sqrt", "__expf", "__exp10f", "__sinf", "__cosf", "__tanf", "__logf", "__log2f", "__log10f", "roundf", "round", "rintf", "nearbyintf", "truncf", "floor", "ceil", "__saturatef", "fabs", "__frcp_rn", "__fsqrt_rn")
        two = self.pick("fmin", "fmax", "fdimf", "copysignf", "__fdividef", "fdividef", "__powf", "__fadd_rz", "__fmul_rd", "__fsub_ru", "__fdiv_rn", "max", "min")
        if x == "1e-40f" and (one in APPROXIMATE or two in APPROXIMATE):
            x = "(f * 1e-40f)"  # what NVRTC works out itself is exact, and a GPU's approximation is not
        return self.pick(f"acc += __float_as_uint({one}({x}));", f"acc ^= __float_as_uint({two}({x}, {self.pick('f', '2.5f', '(float)j')}));", f"acc += isnan({x}) + 2u * isinf({x}) + 4u * isfinite({self.pick('d', x)});",
                         f"acc += (unsigned)__float2int_{self.pick('rn', 'rz', 'ru', 'rd')}(f) + __float_as_uint(__int2float_{self.pick('rn', 'rz')}(i)) + __float_as_uint(__uint2float_ru(a));", f"d = {self.pick('floor', 'ceil', 'rint', 'fabs', 'trunc')}(d); acc += (unsigned)(long long)max({x}, d < 1e9 ? d : 1.0);" if x not in ("f / 0.0f",) else "acc += 1u;")

    def circuits(self):
        m, o = self.pick("a", "b", "c"), self.pick("a", "b", "c")
        return self.pick(f"if ({self.condition()} && bumped({m}, 3) || bumped({o}, 5)) acc += {m};", f"acc += ({self.condition()} || ++{m} > 9) ? {o}-- : {o}++;", f"{{ int t = 0; ({self.condition()} && (t = 1)) || (t += 2); acc += (unsigned)t; }}",
                         f"if (({m}++ & 1) && ({o}++ & 1)) acc ^= 0x55u; else acc += {m};", f"while ({m} > 100u && ({m} >>= 3) != 5u) acc += {m};", f"yes = {self.condition()} ? bumped({m}, 1) : bumped({o}, 2) && yes; acc += yes;",
                         f"{m} += {self.condition()} ? (acc += 3, {o}) : (acc ^= 1u, 7u);", f"if (!({self.condition()} && {self.condition()}) || ({m} = {o} + 1) > 3) acc += {m};", f"acc += ({self.condition()} ? bumped({m}, 1) : {self.condition()}) ? {m} : {o};", f"({self.condition()} ? {m} : {o}) {self.pick('+=', '=', '^=')} {self.u()}; acc += {m};",
                         f"if (unsigned t = {m} & 7; t > 3 && (acc += t)) {o} += t; else {o} -= t;", f"for (int t = 0; t < 3 && bumped({m}, t); ++t) acc += {o};", f"yes = (acc += 1, {self.condition()}); acc += sizeof(acc++);", f"if ({self.condition()}) if ({self.condition()}) acc += 1u; else acc += 2u; else acc += 3u;")

    def arrays(self):
        return self.pick(f"{{ int g[2][3] = {{{{1, 2, 3}}, {{{self.s()}, 5}}}}; g[{self.pick('0', '1', 'tid & 1')}][{self.pick('0', '2', 'tid % 3')}] += {self.s()}; acc += (unsigned)(g[0][1] + g[1][2] * 3 + g[1][{self.pick('0', 'tid % 3')}]); }}",
                         f"{{ unsigned char h[8] = {{}}; for (int q = 0; q < 8; q++) h[q] = (unsigned char)(a >> q); reinterpret_cast<unsigned*>(h)[1] ^= b; acc += h[{self.pick('3', '7', 'tid & 7')}] + *(const unsigned short*)(h + 2); }}",
                         f"{{ Vec vs[3] = {{{{1, 2}}, made({self.s()}), {{k, k}}}}; vs[{self.pick('1', 'tid % 3')}] += {self.s()}; acc += (unsigned)(vs[0].x + vs[1].y + vs[2][0] + vs[{self.pick('2', 'tid % 3')}].x); }}", "{ unsigned t[4] = {a, b, c}; unsigned *p = t, *e = t + 4; unsigned s = 0; while (p != e) s = s * 3u + *p++; acc += s + (unsigned)(e - t); }",
                         "{ unsigned t[4] = {a, b, c, 9}; unsigned* p = &t[2]; acc += p[-1] + *(p + 1) + *--p + (unsigned)(p - t) + (p < t + 2); *p = 5; acc ^= t[1]; }", "{ unsigned t[2] = {a, b}; unsigned* p = higher(&t[0], &t[1]); *p += 3; acc += t[0] * 3u + t[1]; }",
                         "{ unsigned x = a, y = b; unsigned* ps[2] = {&x, &y}; *ps[tid & 1] += 7; acc += x ^ (y * 3u); }", "{ unsigned t[3] = {1, 2, 3}; unsigned* p = t; unsigned** q = &p; (*q)++; acc += *p; **q = 8; acc += t[1]; }", "{ int t[5]; for (int q = 4; q >= 0; --q) t[q] = kTable[q] + q; acc += (unsigned)total(t) + (unsigned)total(kTable); }",
                         "{ const int t[] = {3, 1, 2}; acc += sizeof(t) / sizeof(t[0]) + (unsigned)t[tid % 3]; }", "{ static const unsigned char t[4] = {9, 8, 7, 250}; acc += t[tid & 3] + t[1]; }", "{ float4 v = {f, 1, 2, 3}; float* e = reinterpret_cast<float*>(&v); e[tid & 3] = 4; acc += __float_as_uint(v.x + v.y) ^ __float_as_uint(e[2]); }",
                         "acc += (unsigned)half_words[tid & 3] + (unsigned)half_words[1];", "{ alignas(8) short t[4] = {1, -2, 3, -4}; t[tid & 3] = ss; acc += (unsigned)t[1] + (unsigned)t[3]; }")

    def structs(self):
        return self.pick("{ Halves h = {ss, 2}, *p = &h; HalvesPointer q = p; q->hi += p->lo; acc += (unsigned)h.hi + kGreen; }", "{ struct Local { int v; unsigned char c[2]; }; Local t = {k, {uc}}; t.c[1] = 7; acc += (unsigned)t.v + t.c[0] + t.c[1] + sizeof(t); }", f"{{ Outer o; o.inner = {{(short){self.s()}, {{1, 2, uc}}}}; Outer p = o; p.v[1] = {self.s()}; o.f += 1; acc += (unsigned)(o.first() + p.v[1] + o.v[1] + p.inner.c[2]) + __float_as_uint(o.f); }}", f"{{ Vec v = made({self.s()}) + Vec{{1, 2}}; v += 3; acc += (unsigned)(v.x * 5 + v[1]) + Vec::kSize; }}",
                         f"{{ Vec v{{{self.s()}}}; Vec w = {self.condition()} ? v : made(4, 5); (w += 1) += 2; acc += (unsigned)(w.x - w.y); }}", "{ Outer o{}; const Outer& r = o; o.v[0] = k; acc += (unsigned)r.first() + sizeof(Outer) + alignof(Outer) + sizeof(Inner); }", "{ Outer o = {.inner = {.s = ss}, .f = f}; Inner* p = &o.inner; p->c[1] = uc; (*p).s -= 1; acc += (unsigned)(o.inner.s + o.inner.c[1] + o.v[tid & 1]); }",
                         "{ Vec vs[2] = {made(1), made(2)}; vs[0] = vs[1]; vs[1].x = k; Vec t = vs[0]; vs[0] = vs[1]; vs[1] = t; acc += (unsigned)(vs[0].x * 3 + vs[1].x); }", "{ int p = k, q = j; swapped(p, q); acc += (unsigned)(p * 2 - q); }", "{ Vec t = made(k, 2); (t += 4) += k; acc += (unsigned)(t.x ^ t.y) + (unsigned)t[1]; }",
                         "{ uint3 v = make_uint3(a, b, 1); v.y += v.x; uint2 w{v.y, 4}; acc += w.x * w.y + v.z; }", "{ int4 v = make_int4(k, 2, 3, sc); acc += (unsigned)(v.x + v.w); }", f"acc += folded<{self.pick('unsigned char', 'short', 'unsigned', 'unsigned long long', 'signed char')}, {self.pick(2, 4, 7)}>({self.pick('uc', 'sc', 'k')}, b);", "acc += joined({a, b}, {k, j});",
                         "{ alignas(8) unsigned char t[8] = {uc, 1, 2, (unsigned char)sc, 4, (unsigned char)k, 6, uc}; unsigned w; unsigned short h; memcpy(&w, &t[4], 4); memcpy(&h, &t[2], 2); acc += w ^ h; memcpy(&t[4], &a, 4); acc += t[5] * 3u + t[3]; }",
                         "{ alignas(16) short t[8] = {ss, 1, 2, (short)k, -4, 5, 6, ss}; uint4 q; memcpy(&q, t, 16); acc += q.x ^ q.w; q.y = a; memcpy(t, &q, 16); acc += (unsigned)(t[3] - t[2]); }",
                         "{ long long t[2] = {l, 5}; int4 q; memcpy(&q, t, 16); acc += (unsigned)(q.x ^ q.y) + (unsigned)q.z; q.y = k; memcpy(t, &q, 16); acc += (unsigned)(t[0] >> 17); }", "{ double t[2] = {d, 1.5}; uint4 q; memcpy(&q, t, 16); acc += q.x ^ q.y ^ q.w; q.w = 0x40000000u; memcpy(t, &q, 16); acc += (unsigned)t[1]; }",
                         "{ struct alignas(16) Eight { unsigned short e[8]; }; Eight v = {us, 1, 2, (unsigned short)ss, uc, 5, 6, 7}, *to = reinterpret_cast<Eight*>(raw) + tid; *to = v; Eight w = *to; acc += w.e[3] * 3u + w.e[tid & 7] + reinterpret_cast<uint4*>(raw)[tid].z; }",
                         "{ Inner p = {1, {2, 3}}, q = p; q.c[0]++; p.c[2] = q.c[0]; acc += p.c[2] + q.c[2] + (unsigned)sizeof(q.c); }")

    def lambdas(self):
        return self.pick("{ int t = k; auto next = [&]() { return ++t; }; int p = next(); p += next(); acc += (unsigned)(p + t); }", "acc += repeat<4>([&](int q) { return a >> q; });", "acc += repeat<3>([=](int q) { return (unsigned)(k + q); });",
                         "{ auto most = [](auto p, auto q) { return p > q ? p : q; }; acc += (unsigned)most(k, 3) + (unsigned)most(uc, (unsigned char)9) + (unsigned)most(a, b); }", "{ auto f2 = [&](int q) -> unsigned char { return q; }; acc += f2((int)(a & 1023)); }", "{ auto twice = [&](auto g) { g(); g(); }; twice([&] { acc = acc * 3u + 1u; }); }",
                         "{ auto early = [&](int q) { if (q < 0) return 1u; if (q > 50) { acc += 2; return 3u; } return 4u; }; acc += early(k) * 5u; }", "{ auto out_of = [&](unsigned (&t)[2]) { t[0] += t[1]; }; unsigned t[2] = {a, 3}; out_of(t); acc += t[0]; }", "acc += [&] { unsigned s = 0; for (int q = 0; q < 3; ++q) { if (q == (tid & 3)) continue; s += q + a; } return s; }();")

    def templates(self):
        return f"acc += (unsigned)halved({self.pick('k', 'uc', 'z', 'ss', 'l', 'a')}) + Limits<{self.pick('int', 'char', 'bool', 'double', 'Vec')}>::kBits + power({self.pick(2, 3)}, {self.pick(3, 5)});"

    def loops(self):
        w = self.pick("acc = acc * 3u + (unsigned)q;", "t[q & 3] += acc + (unsigned)q;", "acc ^= t[(q + 1) & 3];", "t[q & 3] = a; acc += t[3 - (q & 3)];")
        leave = self.pick("", "", f"if ({self.condition()}) break;", f"if ({self.condition()}) continue;")
        body = self.pick(f"{w} {leave}", f"{leave} {w}", f"{w} {leave} {w}")
        pragma = self.pick("", "", "\n#pragma unroll\n", "\n#pragma unroll 2\n", "\n#pragma unroll 1\n")
        loop = self.pick(f"int q; {pragma}for (q = 0; q < {self.pick('4', '5', 'kNine', '(tid & 3)')}; {self.pick('q++', '++q', 'q += 2', 'q = q + 1')}) {{ {body} }} acc += (unsigned)q;",
                         f"int q, m; {pragma}for (q = 0, m = {self.pick('3', '7', 'k')}; q < 4; ++q, {self.pick('--m', 'm -= 2', 'm += q')}) {{ {body} acc += (unsigned)m; }} acc += (unsigned)(q + m);",
                         f"const unsigned* p = in + (tid & 7); {pragma}for (int q = 0; q < {self.pick('3', '4', '6')}; ++q, {self.pick('++p', 'p += 2', 'acc ^= *p')}) {{ {body} acc += *p; }}",
                         f"{pragma}for (int q = 0, m = 1; {self.pick('q < 4', 'm < 20', 'q + m < 12')}; ++q, m {self.pick('*= 2', '+= 3', '+= q + 1')}) {{ {body} acc += (unsigned)m; }}", f"{pragma}for (unsigned q = {self.pick('3', '5')}; q < 6; --q) {{ {body} }}", f"{pragma}for (int q = 4; q--;) {{ {body} }}", f"{pragma}for (int q = 1; q < 100; q {self.pick('*= 2', '<<= 1', '= q * 3')}) {{ {body} }}",
                         f"for (int q = 0;;) {{ if (++q > {self.pick('4', '(tid & 3) + 1')}) break; {body} }}", f"int q = {self.pick('3', 'tid & 3')}; do {{ {body} }} while (q-- > 0);", f"int q = 0; while (q < {self.pick('4', '(int)(a & 3)')}) {{ ++q; {body} }}", f"int q = 0; while (true) {{ if (q++ >= 3) break; {body} }}",
                         f"{pragma}for (unsigned char q = 250; q > 3; ++q) {{ {w} }}", f"{pragma}for (int q = 0; q < 3; ++q) for (int m = q; m < 3; ++m) {{ {body} acc += (unsigned)m; }}", f"{pragma}for (int q = 0; q < 4; ++q) {{ {body} if (q == 1) ++q; }}", f"int q; for (q = 0; q < 3; ++q); {w}", f"{pragma}for (size_t q = 0; q < sizeof(t) / sizeof(t[0]); ++q) {{ {body} }}",
                         f"{pragma}for (int q = 0; q < 3; ++q) {{ switch (q) {{ case 0: acc += 1; break; case 1: acc += 2; default: acc ^= 4; }} {body} }}", f"{pragma}for (int m = 0; m < 2; ++m) {{ int q; for (q = m; q < 3; ++q) {{ {body} }} acc += (unsigned)q; }}")
        return f"{{ unsigned t[4] = {{a, b, 1, 2}}; {loop} acc += t[0] + t[1] * 3u + t[2] * 5u + t[3] * 7u; }}"

    def printed(self):
        values = {"%d": ("k", "sc", "ss", "uc", "yes", "i - 1", "kNine"), "%u": ("a", "us", "b + 1"), "%f": ("f", "d", "f * 2"), "%lld": ("l", "(long long)k"), "%llx": ("z", "z >> 3"), "%s": ('"x\\n"', 'yes ? "yes" : "no"', '"a" "b"'), "%c": ("'q'", "65 + tid")}
        some = [self.pick(*values) for _ in range(self.r.randrange(5))]
        return f'if (tid == 0) acc += (unsigned)printf("{" ".join(some)}%%\\n"{"".join(", " + self.pick(*values[one]) for one in some)});'

    def switches(self):
        v = self.pick("uc", "k & 3", "(Plain)(a & 15)", "a % 5u", "sc", "l & 7", "'b'")
        return f"switch ({v}) {{ case 1: acc += 3; case kTwo: acc ^= 9; break; case 3: {{ int t = 4; acc += (unsigned)t; }} break; {self.pick('default: acc += 100; break;', 'default: acc++;', '', 'case 7: case kNine: acc *= 3u; break;')} }}"

    def places(self):
        return self.pick("{ unsigned x = a; unsigned& r = x; { unsigned x = 5; r += x; } acc += x; }", "{ const int& r = k + 1; acc += (unsigned)r; }", "{ auto&& r = a; r += 2; acc += a; }", "{ unsigned t[2] = {1, 2}; auto& r = t[1]; r = b; unsigned* p = &r; *p += 1; acc += t[1]; }", "{ int x = k; { int k = 3; x += k; } acc += (unsigned)(x + k); }",
                         "{ volatile unsigned x = a; x += 1; acc += x; x; }", "{ volatile unsigned char x = uc; acc += x + x; }", "{ unsigned x; x = a; acc += x; }", "{ const auto x = a; a += 5; acc += x; }", "{ unsigned x = a++, y = a, w = --a; acc += x * 3u + y * 5u + w; }", "{ int x = k; x = x++ + 2; acc += (unsigned)x; }", "{ unsigned x = (a += 2, a *= 3, a); acc += x; }",
                         "{ asm volatile(\"{ .reg .u32 t; add.u32 t, %1, 5; mov.u32 %0, t; }\" : \"=r\"(acc) : \"r\"(acc)); }", "{ unsigned lo, hi; asm(\"mov.b64 {%0, %1}, %2;\" : \"=r\"(lo), \"=r\"(hi) : \"l\"(z)); acc += lo ^ hi; }", "{ unsigned r; asm(\"lop3.b32 %0, %1, %2, %3, 0x96;\" : \"=r\"(r) : \"r\"(a), \"r\"(b), \"r\"(7)); acc += r; }", "{ unsigned short h; asm(\"add.u16 %0, %1, 3;\" : \"=h\"(h) : \"h\"(us)); acc += h; }",
                         "{ float r; asm(\"mul.f32 %0, %1, 0f40000000;\" : \"=f\"(r) : \"f\"(f)); acc += __float_as_uint(r); }", "{ char2 v = {(signed char)k, 2}; uchar4 w = make_uchar4(uc, 1, 2, 3); w.x += 250; acc += (unsigned)v.x + w.x; }", "acc += __popc(a) + (unsigned)__clz(k) + (unsigned)__ffs((int)b) + __brev(c) + (unsigned)__popcll(z);", "acc += min(a, 7u) + (unsigned)max(k, -3) + (unsigned)min(l, 5ll) + (unsigned)abs(k) + (unsigned)max(uc, 9);",
                         "acc += __funnelshift_l(a, b, uc & 31) + __umulhi(a, b) + (unsigned)__mulhi(i, j);", "raw[tid * 16 + 3] = uc; *(unsigned short*)&raw[tid * 16 + 4] = us;", "*reinterpret_cast<uint4*>(raw + tid * 16) = make_uint4(a, b, c, 1);")

    def stored(self):
        """What a thread stores and loads again, with and without something between that may change it. What other threads stored is read
        of row 0 alone, from before the barrier: of this row it would be a race, which two compilers may decide otherwise."""
        self.rows += 1
        place, other = f"own[{self.rows}][tid]", f"own[0][{self.pick('tid ^ 1', '(tid + 32) & 63', '63 - tid')}]"
        between = self.pick("", f"if ({self.condition()}) acc += {place};", f"acc += *(volatile unsigned*)&{other};", f"out[512 + id] = {self.u()};" if self.rows == 1 else "", 'asm volatile("" ::: "memory");')
        after = self.pick(f"acc += {place};", f"acc ^= {place} + {place};", f"if ({self.condition()}) acc ^= {place};", f"for (int once{self.rows} = 0; once{self.rows} < 3; ++once{self.rows}) acc = acc * 3u + {place};")
        return f"{place} = {self.u()}; {between} {after}"

    def long_loops(self):
        """Of more turns than are written out: some of them between two jumps."""
        turns, step = self.pick("33", "40", "48", "64", "96", "100", "255", "400"), self.pick("++q", "q += 2", "q += 3")
        body = self.pick("acc = acc * 5u + 1u;", "acc += (unsigned)q;", "acc ^= in[(tid + q) % n];", "x = x * 3u + acc; acc += x;", "t[q & 3] += acc; acc ^= t[(q + 1) & 3];", "{ unsigned y = x; x = acc; acc = y + 1u; }",
                         'asm volatile("add.u32 %0, %0, 7;" : "+r"(acc));', "acc += q % 3 == 0 ? a : b;", f"if ({self.condition()}) acc += 3u;", "acc = acc * 3u + (unsigned)(q * q);")
        loop = self.pick(f"for (int q = 0; q < {turns}; {step})", f"for (unsigned q = 2; q <= {turns}; {step})", f"for (int q = {turns}; q > 0; --q)", f"for (int q = {turns}; q >= 2; q -= 2)",
                         f"for (long long q = 0; q < {turns}; {step})", f"for (unsigned char q = 0; q < 200; {step})", f"#pragma unroll 1\nfor (int q = 0; q < {turns}; {step})")
        head = "\n" if loop[0] == "#" else ""
        return f"{{ unsigned x = 1, t[4] = {{a, b, c, 9}}; {head}{loop} {{ {body} }} acc += x + t[0] + t[3]; }}"

    def stored_by_assembly(self):
        """What assembly stores is loaded again, whatever its text begins with."""
        text = self.pick("st.global.u32 [%1], %2; ld.global.u32 %0, [%1];", "ld.global.u32 %0, [%1]; st.global.u32 [%1], %2;",
                         "{ .reg .u32 t; ld.global.u32 t, [%1]; st.global.u32 [%1], %2; mov.u32 %0, t; }")
        return (f"  {{ unsigned got; out[512 + id] = acc; asm volatile(\"{text}\" : \"=r\"(got) : \"l\"(out + 512 + id), \"r\"(acc + 1) : \"memory\"); "
                "acc += got + out[512 + id]; }\n")

    def moved_by_assembly(self):
        """Assembly sees a pointer to shared memory as one to anywhere, and gives such a one back."""
        by = self.pick(4, 8, 120)
        return ("  { __shared__ unsigned moved[64]; unsigned got, *p = &moved[tid & 31]; moved[tid] = acc; __syncthreads(); "
                f"asm volatile(\"add.u64 %0, %0, {by}; ld.u32 %1, [%0];\" : \"+l\"(p), \"=r\"(got) : : \"memory\"); acc += *p + got; }}\n")

    def stores_once(self, text):
        """NVRTC drops a store that the same thread overwrites, and the other compiler keeps it: one to each place."""
        if "raw" in text:
            text, self.has_stored = ("acc += 3u;" if self.has_stored else text), True
        return text

    def statement(self):
        kinds = [self.promotions, self.compound, self.comparisons, self.conversions, self.divisions, self.shifts, self.floats, self.maths, self.circuits, self.arrays, self.structs, self.lambdas, self.templates, self.loops, self.loops, self.printed, self.switches, self.places, self.stored, self.long_loops]
        text = self.stores_once(self.pick(*kinds)())
        form = self.r.randrange(8)
        if form == 0:
            return f"  if ({self.condition()}) {{ {text} }}\n"
        if form == 1:
            return f"  if ({self.condition()}) {{ {text} }} else {{ {self.stores_once(self.pick(*kinds)())} }}\n"
        return f"  {text}\n"

    def kernel(self):
        body = "".join(self.statement() for _ in range(14))
        read = "".join(f"  acc += own[{row}][63 - tid];\n" for row in range(self.rows + 1))
        # Drawn last, so that the programs of kept seeds stay what they were.
        return HEAD + body + TAIL.replace("  out[id]", read + self.stored_by_assembly() + self.moved_by_assembly() + "  out[id]")


def kernel(seed):
    return Corners(seed).kernel().replace("'\\\\", "'\\")


if __name__ == "__main__":
    import sys
    print(kernel(sys.argv[1]))
