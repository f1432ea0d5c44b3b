"""Classes, captures, packs and names for members: a row is what stands before the kernel, and a body that leaves its answer in `acc`. Two
compilers must make kernels of it that write the same.
"""
HEAD = """{before}
extern "C" __global__ void test(unsigned* out, const unsigned* in, int n) {{
  const int tid = threadIdx.x & 63, id = blockIdx.x * 64 + tid;
  unsigned acc = 1, a = in[tid % n], b = in[(tid * 7 + 3) % n];
  {body}
  out[id] = acc;
}}
"""
ROWS = [
    # Constructors.
    ("struct P { int x, y; __device__ P(int a, int b) : x(a), y(b) {} __device__ int sum() const { return x * 3 + y; } };", "P p(a, b); P q{int(b), 4}; acc += p.sum() * 5 + q.sum(); P r = q; r.x += 2; acc += r.sum() - q.sum();"),
    ("struct P { int x = 7, y = x * 2; P() = default; __device__ explicit P(int a) : x(a) {} };", "P p, q(int(a & 255)); acc += p.x + p.y * 3 + q.x * 5 + q.y * 7;"),
    ("class P { int x_, y_; public: __device__ P(int x) : P(x, x + 1) {} __device__ P(int x, int y) : x_{x}, y_{y} { x_ ^= 5; } __device__ int x() const { return x_; } __device__ int y() const { return y_; } };", "P p(a & 31); acc += p.x() * 9 + p.y(); P q = P(3, 4); acc += q.x() * 100 + q.y();"),
    ("struct C { int n; constexpr __device__ C(int k) : n(k * 2) {} constexpr __device__ int twice() const { return n * 2; } };", "constexpr C c(5); unsigned t[c.twice()]; for (int i = 0; i < c.twice(); ++i) t[i] = a + i; for (auto v : t) acc = acc * 3 + v; static_assert(c.n == 10);"),
    ("template <typename T> struct V { T* p; int ld; __device__ V(T* q, int l) : p(q), ld(l) {} __device__ T& operator()(int r, int c) const { return p[r * ld + c]; } };", "__shared__ unsigned t[64]; V<unsigned> v(t, 8); v(tid / 8, tid % 8) = a; __syncthreads(); acc += v(tid % 8, tid / 8);"),
    ("struct R { unsigned& to; const unsigned (&table)[4]; __device__ R(unsigned& t, const unsigned (&w)[4]) : to(t), table(w) {} __device__ void add(int i) { to += table[i & 3] * 3; } };", "const unsigned w[4] = {a, b, 5, 6}; R r(acc, w); r.add(1); r.add(a); r.add(b);"),
    ("struct R { unsigned (&tile)[8][9]; unsigned* at; };", "__shared__ unsigned t[8][9]; R r{t, &t[0][0]}; r.tile[tid / 8][tid % 8] = a; __syncthreads(); acc += r.tile[tid % 8][tid / 8] + r.at[tid / 8 * 9 + tid % 8];"),
    ("struct I { int k; __device__ I() : k(9) {} }; struct O { I i[2]; int z; __device__ O(int q) : z(q) { i[1].k = q + 1; } };", "O o(a & 7); acc += o.i[0].k * 100 + o.i[1].k * 10 + o.z;"),
    ("struct A { int v[4]; __device__ A(int f) { for (int i = 0; i < 4; ++i) v[i] = f + i * i; } __device__ int at(int i) const { return v[i & 3]; } };", "A x(a & 63); acc += x.at(b) + x.at(2) * 7;"),
    ("struct D { int k; __device__ D(int k) : k(k) {} D(const D&) = default; D& operator=(const D&) = default; ~D() = default; };", "D d(3), e = d; d = D(b & 15); acc += d.k * 10 + e.k;"),
    ("struct T { int k; template <typename F> __device__ T(F f, int n) : k(f(n)) {} };", "T t([=](int i) { return int(a & 7) + i; }, 5); acc += t.k;"),
    # Captures.
    ("", "unsigned s = 2; auto f = [&acc, s](unsigned v) { acc += v * s; }; s = 50; f(a); f(b);"),
    ("", "unsigned s = 2; auto f = [=, &acc](unsigned v) { acc += v * s + b; }; s = 50; f(a);"),
    ("", "unsigned s = 2; auto f = [&, s](unsigned v) { acc += v * s + b; b ^= 1; }; s = 50; f(a); f(b);"),
    ("", "auto f = [n = a % 5, &to = acc](int k) { to += n * k; }; f(3); f(7);"),
    ("", "auto f = [c = 0u]() mutable { return ++c; }; acc += f() * 100; acc += f() * 10; acc += f();"),
    ("", "unsigned s = a & 7; auto f = [s]() mutable { s += 3; return s; }; acc += f() * 100 + f(); acc += s;"),
    ("struct M { int k; __device__ unsigned run(unsigned x) { auto f = [this](unsigned v) { return v + k++; }; auto g = [=](unsigned v) { return f(v) * k; }; auto h = [&] { k += 2; }; h(); return f(x) + g(x); } };", "M m{3}; acc += m.run(a) + m.k;"),
    ("", "auto add = [](int k) { return [k](unsigned v) { return v + k; }; }; auto three = add(3), four = add(4); acc += three(a) * four(b);"),
    ("", "__shared__ unsigned t[64]; t[tid] = a; __syncthreads(); auto at = [&, tid](int d) { return t[(tid + d) & 63]; }; acc += at(1) * 3 + at(5);"),
    # Packs.
    ("template <typename... T> __device__ unsigned sum(T... t) { return (0u + ... + t); } template <typename... T> __device__ int count(T...) { return sizeof...(T); }", "acc += sum(a, b, 3u) + sum() + count(1, 2u, 3.f) * 100;"),
    ("template <typename... T> __device__ bool all(T... t) { return (t && ...); } template <typename... T> __device__ bool any(T... t) { return (... || t); }", "acc += all(a & 1, b & 1) + 2 * any(a & 1, b & 2, false) + 4 * all() + 8 * any();"),
    ("template <typename... T> __device__ int minus(T... t) { return (t - ...); } template <typename... T> __device__ int left(T... t) { return (... - t); }", "acc += minus(int(a & 63), 5, 9) * 100 + left(int(a & 63), 5, 9);"),
    ("template <typename F, typename... T> __device__ void each(F f, T&&... t) { (f(t), ...); }", "each([&](unsigned& v) { acc += v; v ^= 3; }, a, b); acc += a + b * 2;"),
    ("template <typename T> __device__ unsigned total(T t) { return t; } template <typename T, typename... R> __device__ unsigned total(T t, R... r) { return t + 2 * total(r...); }", "acc += total(a, b, 7u, 9u);"),
    ("template <int... kAt> struct Seq { static constexpr int kSize = sizeof...(kAt); static constexpr int kAll[] = {kAt...}; }; template <int... kAt> __device__ unsigned pick(const unsigned* p, Seq<kAt...>) { return (p[kAt] + ... + 0u); }", "acc += pick(in, Seq<3, 5, 8>{}) + Seq<1, 2>::kSize + Seq<4, 6, 9>::kAll[2];"),
    ("template <int... kDims> struct Shape { static constexpr int kTotal = (kDims * ...); template <typename... I> static __device__ int at(I... i) { int r = 0; ((r = r * kDims + i), ...); return r; } };", "acc += Shape<4, 3, 2>::kTotal + Shape<4, 3, 2>::at(1, int(a & 1), int(b & 1)) * 100;"),
    ("", "auto f = [&](auto... v) { ((acc = acc * 3 + v), ...); }; f(a, 2u, b); f(7u);"),
    ("", "auto f = [](auto first, auto... rest) { unsigned all[] = {unsigned(first), unsigned(rest)...}; unsigned s = 0; for (unsigned v : all) s = s * 5 + v; return s; }; acc += f(a, b, 3);"),
    ("template <typename... T> __device__ unsigned doubled(T... t) { auto f = [=] { return (t ^ ...); }; return f() * 2; }", "acc += doubled(a, b, 9u);"),
    ("template <unsigned... k> constexpr unsigned most() { unsigned m = 0; ((m = k > m ? k : m), ...); return m; }", "constexpr unsigned m = most<3, 9, 4>(); unsigned t[m] = {}; t[a % m] = 5; for (auto v : t) acc = acc * 2 + v;"),
    # Names for members.
    ("struct P { int r, c; }; __device__ P split(int i) { return {i / 8, i % 8}; }", "auto [r, c] = split(tid); acc += r * 100 + c; r += 5; acc += r; const auto [x, y] = split(int(a & 63)); acc += x * y;"),
    ("struct P { int r, c; };", "P p{1, 2}; auto& [r, c] = p; r = int(a & 15); c += r; acc += p.r * 100 + p.c; int w[3] = {1, 2, 3}; auto& [i, j, k] = w; j += 5; acc += w[1] + i + k;"),
    ("struct P { int r, c; };", "const P ps[] = {{1, 2}, {3, 4}, {5, 6}}; for (auto [r, c] : ps) acc = acc * 3 + r * 10 + c; for (const auto& [r, c] : ps) acc += r * c;"),
    # Types inside of structs, decltype, constants.
    ("struct O { struct I { int x, y; __device__ int sum() const { return x + y; } }; enum { kTwo = 2, kThree }; enum class Way { Up = 4, Down }; I i; static const int kSide = 8; static constexpr Way kWay = Way::Down; __device__ int f(Way w) const { return w == Way::Up ? i.sum() : kThree; } };", "O o{{int(a & 3), 2}}; O::I i = o.i; acc += i.sum() + o.f(O::Way::Up) * 10 + o.f(O::kWay) * 100 + O::kTwo * O::kSide + O::kThree;"),
    ("template <int kN> struct O { struct Row { unsigned v[kN]; }; enum : unsigned { kTwice = 2 * kN }; Row rows[2]; using R = Row; };", "O<3> o{}; O<3>::Row r = {{a, b, 7}}; o.rows[1] = r; typename O<3>::R s = o.rows[1]; acc += s.v[0] + s.v[1] * 3 + s.v[2] * 5 + O<4>::kTwice + sizeof(O<5>::Row);"),
    ("", "decltype(a) x = b; decltype(a * 1.0f) y = 2.5f; float w[4] = {1, 2}; decltype(w) z = {3, 4}; auto f = [](auto v) { decltype(v) t = v; return t + 1; }; acc += x + unsigned(y * z[1]) + f(a) + sizeof(decltype(f(1.0))); decltype((acc)) r = acc; r += 3;"),
    ("", "enum { kTile = 8, kPad }; unsigned t[kTile + kPad] = {}; t[a & kTile] = b; for (int i = 0; i < kTile + kPad; ++i) acc = acc * 3 + t[i]; acc += sizeof(kTile);"),
    ("template <int kN> struct O { using Row = unsigned[kN]; struct At { int r, c; }; static __device__ At at(int i) { return {i / kN, i % kN}; } };", "using Mine = O<4>; Mine::Row row = {a, b, 3, 4}; const Mine::At at = Mine::at(int(a & 15)); acc += row[at.c] * 3 + at.r;"),
    ("constexpr int log2_of(int n) { int k = 0; while (n > 1) { n /= 2; if (n == 3) continue; ++k; } return k; } constexpr int kind(int n) { switch (n) { case 1: return 4; case 2: n += 5; case 3: n += 7; break; default: n = 1; } return n; }", "unsigned t[log2_of(64) + kind(2)] = {}; t[a % 6] = b; for (auto v : t) acc = acc * 3 + v; static_assert(kind(9) == 1 && log2_of(13) == 2); acc += log2_of(int(a & 255)) + kind(int(b & 3));"),
    ("template <int... kFirst, typename F> __device__ void all(F f) { (f(kFirst), ...); } struct S { static __device__ int twice(int i) { return 2 * i; } static __device__ int f(int i) { return twice(i) + 1; } int k; __device__ int operator[](int2 p) const { return p.x * k + p.y; } };", "all<3, 5>([&](int i) { acc = acc * 7 + i + S::f(i); }); S s{int(a & 7)}; acc += s[{3, 4}] + s[make_int2(5, 6)];"),
    ("struct Big { int k; float f; int v[2]; }; class User { const Big& big_; unsigned& to_; public: __device__ User(const Big& b, unsigned& t) : big_(b), to_(t) {} __device__ void run() const { to_ += big_.k + unsigned(big_.f) + big_.v[1]; } __device__ int at(int i) const { return big_.v[i & 1]; } };", "Big big{int(a & 31), 2.5f, {3, int(b & 15)}}; const User u(big, acc); u.run(); big.k = 9; u.run(); User w = u; w.run(); acc += w.at(b);"),
    # Operators and iterators.
    ("struct It { int i; __device__ int operator*() const { return i * i; } __device__ It& operator++() { ++i; return *this; } __device__ bool operator!=(const It& o) const { return i != o.i; } }; struct Range { int from, to; __device__ It begin() const { return {from}; } __device__ It end() const { return {to}; } };", "for (int v : Range{2, 7}) acc = acc * 3 + v; for (auto v : Range{int(a & 3), int(a & 3) + 4}) acc += v; Range r{0, 3}; for (auto v : r) acc += v;"),
    ("struct It { unsigned* p; __device__ unsigned& operator*() const { return *p; } __device__ It operator++(int) { It old = *this; ++p; return old; } __device__ It operator+(int k) const { return {p + k}; } bool operator==(const It&) const = default; };", "unsigned w[6] = {a, b, 3, 4, 5, 6}; It i{w}, e = i + 6; while (i != e) { *i += 2; acc = acc * 3 + *i++; } acc += w[1];"),
    ("struct N { int v; __device__ N operator-() const { return {-v}; } __device__ bool operator!() const { return v == 0; } __device__ operator int() const { return v; } __device__ N* operator->() { return this; } };", "N x{int(a & 7)}; acc += (-x).v + !x; int y = x; acc += y * 3; if (x) acc += 9; acc += x->v; unsigned t[8] = {1, 2, 3, 4, 5, 6, 7, 8}; acc += t[static_cast<int>(x)];"),
    ("struct P { int x; friend __device__ bool operator<(const P& l, const P& r) { return l.x < r.x; } friend __device__ P operator+(P l, P r) { return {l.x + r.x}; } };", "P p{int(a & 63)}, q{int(b & 63)}; acc += (p < q) * 5 + (p + q).x;"),
    # Conditions of constants, and what is asserted of a template.
    ("template <typename T> struct Wide { static_assert(sizeof(T) <= 16, \"too wide\"); static constexpr int kLanes = 16 / sizeof(T); }; template <typename T> __device__ unsigned lanes(T v) { if constexpr (constexpr int k = Wide<T>::kLanes; k > 4) return k * 2; else return k + unsigned(v); }", "acc += lanes(a) + lanes((unsigned char)3) + lanes(2.0f) + Wide<double>::kLanes;"),
    ("struct Table { int at[8]; }; constexpr Table squares() { Table t{}; for (int i = 0; i < 8; ++i) t.at[i] = i * i; return t; } constexpr Table kSquares = squares();", "acc += kSquares.at[a & 7] + kSquares.at[3]; static_assert(kSquares.at[5] == 25);"),
    ("template <class T> using Ptr = T*; template <int kN> using Index = unsigned[kN];", "Index<4> t = {a, b, 3, 4}; Ptr<const unsigned> p = in; acc += t[b & 3] + p[a % n];"),
]


def texts():
    return {f"class_{i}": HEAD.format(before=before, body=body) for i, (before, body) in enumerate(ROWS)}
