"""What files of students and of public code are made of: a row is what stands before the kernel, and the kernel's body. NVRTC takes each
of them, and so must the built-in compiler.
"""
HEAD = '#include "common/kernel/lab.cuh"\nLAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};\n'
SIGNATURE = 'extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {\n'
ROWS = [
    ("", "__shared__ float t[2][32][33]; float (*const p)[33] = t[1]; p[1][2] = in[0]; __syncthreads(); out[0] = p[1][2];"),
    ("#include <cooperative_groups.h>", "namespace cg = cooperative_groups; cg::thread_block all = cg::this_thread_block(); all.sync(); out[0] = all.size();"),
    ("", "if (float v = in[0]) out[1] = v; else out[2] = v; if (const int left = cols - 3) out[left] = 1;"),
    ("#include <cstdint>", "uint8_t a = 1; uint16_t b = 2; uint32_t c = 3; uint64_t d = 4; int64_t e = -1; out[a + b + c + d + e] = in[0];"),
    ("__device__ __forceinline__ int idx(const int r, const int c, const int ld) { return r * ld + c; }",
     r"""int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
if (r < rows && c < cols) out[idx(c, r, rows)] = in[idx(r, c, cols)];"""),
    (r"""#define IDX2C(i, j, ld) (((j) * (ld)) + (i))
#define CEIL_DIV(M, N) (((M) + (N) - 1) / (N))
#define MIN(a, b) ((a) < (b) ? (a) : (b))""",
     r"""int i = blockIdx.x * 32 + threadIdx.x; for (int j = threadIdx.y; j < MIN(32, rows);
j += 8) if (i < cols) out[IDX2C(j, i, rows)] = in[IDX2C(i, j, cols)] + CEIL_DIV(i, 3);"""),
    (r"""template <typename T, int TILE, int R> __device__ void body(T* out, const T* in, int rows, int cols) { __shared__ T tile[TILE][TILE + 1];
int x = blockIdx.x * TILE + threadIdx.x; int y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
for (int j = 0; j < TILE; j += R) if (y + j < rows && x < cols) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x]; __syncthreads();
x = blockIdx.y * TILE + threadIdx.x; y = blockIdx.x * TILE + threadIdx.y; for (int j = 0; j < TILE;
j += R) if (y + j < cols && x < rows) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j]; }""",
     "body<float, 32, 8>(out, in, rows, cols);"),
    ("", "dim3 b(32, 8); dim3 g = dim3((cols + 31) / 32, (rows + 7) / 8, 1); out[threadIdx.x] = in[b.x + g.y];"),
    ("", "dim3 bd = blockDim; uint3 ti = threadIdx; auto bi = blockIdx; out[ti.x + bd.x * bi.x] = in[ti.x];"),
    ("class M { public: float* p; int ld; __device__ float& at(int r, int c) { return p[r * ld + c]; } };",
     "M m; m.p = out; m.ld = rows; m.at(1, 2) = in[0];"),
    ("",
     r"""float4 v = reinterpret_cast<const float4*>(in)[threadIdx.x]; float t[4]; *(float4*)t = v; for (int i = 0; i < 4; ++i) out[i] = t[i];
float2 w = {v.x, v.y}; ((float2*)out)[0] = w;"""),
    ("",
     "float v = in[threadIdx.x]; for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o); if ((threadIdx.x & 31) == 0) out[0] = v;"),
    (r"""#include <cooperative_groups.h>
namespace cg = cooperative_groups;""",
     r"""cg::thread_block b = cg::this_thread_block(); auto t = cg::tiled_partition<32>(b); float v = t.shfl(in[threadIdx.x], 0); cg::sync(b); b.sync();
out[t.thread_rank()] = v;"""),
    ("#include <cuda_pipeline.h>",
     r"""__shared__ float tile[32][33];
__pipeline_memcpy_async(&tile[threadIdx.y][threadIdx.x], &in[threadIdx.x], sizeof(float)); __pipeline_commit(); __pipeline_wait_prior(0);
__syncthreads(); out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];"""),
    ("__device__ void swap(float& a, float& b) { float t = a; a = b; b = t; }",
     "float a = in[0], b = in[1]; swap(a, b); out[0] = a; out[1] = b;"),
    ("",
     r"""auto at = [=](int r, int c) { return in[r * cols + c]; }; auto put = [&](int r, int c, float v) -> void { out[r * rows + c] = v; };
put(threadIdx.x, threadIdx.y, at(threadIdx.y, threadIdx.x));"""),
    ("", "int w = rows > cols ? rows : cols; out[w > 3 ? 0 : 1] = (w & 1) ? in[0] : 0.f;"),
    ("",
     r"""float x = in[threadIdx.x];
out[threadIdx.x] = __sinf(x) * __cosf(x) + __powf(x, 2.0f) + expf(x) + __logf(fabsf(x) + 1e-6f) + sqrtf(x)
  + exp(x) + __powf(x, 3.f) + max(x, 0.f) + fmaxf(x, -1.f) + floor(x) + abs(x);"""),
    ("__constant__ int order[4] = {2, 0, 3, 1}; __device__ const float scale = 2.0f; constexpr int N = 32; static const int PAD = 1;",
     r"""__shared__ float t[N][N + PAD]; t[threadIdx.y][threadIdx.x] = in[order[threadIdx.x & 3]] * scale; __syncthreads();
out[threadIdx.x] = t[threadIdx.x][threadIdx.y];"""),
    ("",
     r"""float (*m)[64] = (float (*)[64])out; m[threadIdx.y][threadIdx.x] = in[0]; const float (&r)[4] = *reinterpret_cast<const float (*)[4]>(in);
m[0][1] = r[2];"""),
    ("enum class Way { Row, Col }; enum { kA = 3, kB };",
     "Way w = rows > 3 ? Way::Row : Way::Col; switch (w) { case Way::Row: out[kA] = 1; break; default: out[kB] = 2; }"),
    ("",
     "int i = threadIdx.x; do { out[i] = in[i]; i += blockDim.x; } while (i < cols); while (i --> 0) { if (i == 3) continue; if (i == 2) break; }"),
    ("#include <stdio.h>", r"""if (threadIdx.x == 0 && blockIdx.x == 0) printf("%d %f %s\n", rows, in[0], "x"); out[0] = 1;"""),
    ("#include <assert.h>", r"""assert(rows > 0 && "rows"); out[0] = in[0];"""),
    ("__device__ int counter;",
     "__shared__ int next; if (threadIdx.x == 0) next = atomicAdd(&counter, 1); __syncthreads(); out[next] = in[next]; atomicMax(&counter, 3);"),
    ("",
     "out[threadIdx.x] = __ldg(&in[threadIdx.x]); __stcs(out + 1, __ldcs(in)); float4 v = __ldg((const float4*)in); __stcg((float4*)out, v);"),
    ("",
     r"""float v; asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(in + threadIdx.x)); unsigned lane; asm("mov.u32 %0, %%laneid;" : "=r"(lane));
out[lane] = v;"""),
    ("", "bool in_range = threadIdx.x < rows and threadIdx.y < cols; bool edge = !in_range || rows == 1; if (not edge) out[0] = in[0];"),
    ("", "volatile float* s = out; __shared__ volatile float t[32]; t[threadIdx.x] = in[0]; s[0] = t[1];"),
    ("",
     "extern __shared__ float smem[]; float* a = smem; float* b = &smem[1024]; a[threadIdx.x] = in[0]; __syncthreads(); out[0] = b[0] + a[1];"),
    ("",
     r"""extern __shared__ __align__(16) unsigned char raw[]; float (*t)[33] = reinterpret_cast<float (*)[33]>(raw); t[threadIdx.y][threadIdx.x] = in[0];
__syncthreads(); out[0] = t[threadIdx.x][threadIdx.y];"""),
    (r"""template <int N> struct Log2 { static constexpr int value = 1 + Log2<N / 2>::value; }; template <> struct Log2<1> { static constexpr int value = 0;
};""",
     "constexpr int b = Log2<32>::value; out[threadIdx.x >> b] = in[threadIdx.x & ((1 << b) - 1)];"),
    (r"""constexpr int log2i(int n) { return n <= 1 ? 0 : 1 + log2i(n / 2); } __host__ __device__ constexpr int ceil_div(int a, int b) {
return (a + b - 1) / b; }""",
     "constexpr int b = log2i(32); __shared__ float t[1 << b][ceil_div(100, 3)]; t[0][threadIdx.x] = in[0]; __syncthreads(); out[0] = t[0][1];"),
    (r"""struct V2 { float x, y; __device__ V2 operator+(const V2& o) const { return {x + o.x, y + o.y}; } __device__ V2& operator+=(const V2& o) {
x += o.x; y += o.y; return *this; } }; __device__ V2 operator*(float s, const V2& v) { return V2{s * v.x, s * v.y}; }""",
     "V2 a{in[0], in[1]}, b = a + 2.0f * a; b += a; out[0] = b.x;"),
    ("inline __device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }",
     "float4 a = *(const float4*)in; *(float4*)out = a + a;"),
    ("", "int offs[] = {0, 8, 16, 24}; for (int o : offs) out[o] = in[o]; float acc[4] = {}; for (auto& a : acc) a += 1; out[0] = acc[2];"),
    ("",
     r"""long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; unsigned long long n = 1ULL * rows * cols; for (; i < n;
i += (long long)gridDim.x * blockDim.x) { long r = i / cols, c = i % cols; out[c * rows + r] = in[i]; }"""),
    ("", "static __shared__ float t[32]; t[threadIdx.x] = in[0]; __syncthreads(); out[0] = t[0];"),
    ("", "int i, j; for (i = 0, j = 3; i < j; i++, j--) { float a = in[i], b = in[j]; out[i] = b, out[j] = a; }"),
    ("", "float t[8]; constexpr int n = sizeof(t) / sizeof(*t); for (int i = 0; i < n; ++i) t[i] = in[i]; out[0] = t[n - 1];"),
    ("",
     r"""int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize; const int n = __popc(__ballot_sync(~0u, lane > 3)) + __ffs(lane) + __clz(warp);
out[lane + n] = in[warp];"""),
    (r"""template <int R, int C> __device__ void load(float (&t)[R][C], const float* in, int ld) { for (int i = 0; i < R;
i++) t[i][threadIdx.x] = in[i * ld + threadIdx.x]; }""",
     r"""__shared__ float tile[32][33];
load(tile, in, cols); __syncthreads(); out[0] = tile[1][0];"""),
    ("",
     r"""const float* p = in + blockIdx.x * 32 * cols; const float* e = p + rows; float* q = out; while (p < e) { *q++ = *p++; } q -= 2; q[-1] = *(p - 1);
out[0] = e - in;"""),
    ("",
     r"""__shared__ float tile[32][33];
int c = threadIdx.x ^ (threadIdx.y & 31); tile[threadIdx.y][c] = in[0]; __syncwarp(); out[0] = tile[c][threadIdx.y];
tile[0][0] = __int_as_float(0x7fffffff);"""),
    ("enum class Way { Row, Col = 5, Diag };",
     "Way w = rows > 3 ? Way::Row : Way::Diag; out[static_cast<int>(Way::Diag)] = (int)w; if (w == Way::Col) out[1] = 2;"),
    ("enum class Way : unsigned char { Row, Col, Diag }; enum Old { kA, kB, kC }; enum Sized : short { kD = -3, kE };",
     "Old o = kB; out[kC + kE + o] = static_cast<unsigned char>(Way::Diag); switch (o) { case kA: break; case kC: out[1] = 1; default: ; }"),
    ("#include <cstdint>",
     r"""std::uint32_t x = threadIdx.x; uint8_t b = 3; std::int64_t n = (std::int64_t)rows * cols; uintptr_t a = reinterpret_cast<uintptr_t>(in);
out[x + b] = n > 3 && a % 16 == 0 ? INT32_MAX : UINT8_MAX;"""),
    (r"""#include <climits>
#include <cfloat>""",
     "out[0] = INT_MAX; out[1] = FLT_MAX; out[2] = FLT_EPSILON;"),
    (r"""#include <cmath>
#include <math.h>""",
     "out[0] = sqrtf(in[0]) + M_PI + INFINITY + NAN;"),
    ("class M { public: int a; __device__ int get() const { return a; } };", "M m{3}; out[m.get()] = 1;"),
    ("__device__ float f(float x); struct P; __device__ float g(float x) { return f(x) + 1; } __device__ float f(float x) { return x * 2; }",
     "out[0] = g(in[0]);"),
    ("__device__ int f(int a, int b = 3, int c = 4) { return a + b * c; }", "out[f(1)] = in[f(1, 2)];"),
    ("__device__ int f(int a) { return a; } __device__ float f(float a) { return a; }", "out[f(1)] = f(2.0f) + f('c');"),
    ("",
     "const float* row[4]; for (int i = 0; i < 4; ++i) row[i] = in + i * cols; for (int i = 0; i < 4; ++i) out[i] = row[i][threadIdx.x];"),
    ("",
     r"""float r[4][4];
#pragma unroll
for (int i = 0; i < 4; ++i)
#pragma unroll
for (int j = 0; j < 4; ++j) r[i][j] = in[i * cols + j];
for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) out[j * rows + i] = r[i][j];"""),
    ("",
     r"""int x = blockIdx.x * blockDim.x + threadIdx.x; if (x >= cols) return; int y = blockIdx.y; if (y >= rows) { return; }
else out[x * rows + y] = in[y * cols + x];"""),
    ("",
     "int i = int(in[0]); float f = float(rows); unsigned u = unsigned(rows); long l = (long)rows; size_t s = size_t{3}; out[i + u + l + s] = f;"),
    ("", "rows > cols ? out[0] = 1 : out[0] = 2; const float* p = rows ? in : nullptr; if (p) out[1] = *p; if (p != NULL) out[2] = p[1];"),
    ("", r"""char c = 'a'; c += 2; signed char d = -1; unsigned char e = '\n'; short s = 3; s <<= 2; out[c + d + e + s] = c == 'c';"""),
    ("", "unsigned m = 0xFFu, n = 0b101, o = 017; out[m & n | o ^ 3] = 1e-3f + .5f + 1.f + 0x1p-3f + 1'000;"),
    ("__device__ float at(const float* const& p, const int& i) { return p[i]; }", "out[0] = at(in, 3);"),
    (r"""template <typename T> __device__ T mymin(T a, T b) { return a < b ? a : b; } template <typename T, typename U> __device__ auto mix(T a, U b) -> T {
return a + b; }""",
     "out[mymin(3, rows)] = mymin<float>(in[0], 1) + mix(1.0f, 2);"),
    ("", "auto f = [](float x) { return x * 2; }; auto g = [&](auto v) { out[0] = v; }; g(f(in[0])); [&] { out[1] = 2; }();"),
    ("typedef unsigned int uint; typedef struct { float x, y; } P; typedef float Row[32];",
     "uint u = 3; P p = {1, 2}; Row r; r[u] = p.x; out[0] = r[3];"),
    ("static __device__ __noinline__ float f(float x) { return x; } static constexpr int K = 3; __device__ static inline int g() { return K; }",
     "out[g()] = f(in[0]);"),
    ("",
     r"""for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < rows * cols; i += blockDim.x * blockDim.y * gridDim.x) { int r = i / cols;
int c = i - r * cols; out[c * rows + r] = in[i]; }"""),
    ("", "float* p[2] = {out, out + 1}; float** q = p; **q = 1; *q[1] = 2; const float* const r = &in[3]; out[r - in] = 1;"),
    ("",
     r"""const uint2 pos = make_uint2(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y); const int2 q = {1, 2};
out[pos.x * rows + pos.y + q.y] = in[pos.y * cols + pos.x];"""),
    ("", "switch (threadIdx.x % 4) { case 0: { int a = 1; out[a] = 1; break; } case 1: case 2: out[2] = 2; break; default: return; }"),
    ("class Rows { public: float* first; int length; __device__ float& at(int r, int c) { return first[r * length + c]; } };",
     "Rows all; all.first = out; all.length = rows; all.at(1, 2) = in[0];"),
    (r"""template <class V> struct M { V r[2]; static __device__ M from(const float* p) { return {{*(const V*)p, *(const V*)(p + 4)}}; }
__device__ M turned() const { return {{r[1], r[0]}}; } __device__ void to(float* p) const { for (const auto& v : r) { *(V*)p = v; p += 4; } } };
template <unsigned N> struct Swizzle { static __device__ unsigned at(unsigned r, unsigned c) { return r * N + (c ^ r); } };
using S = Swizzle<32>;""",
     "M<float4>::from(in).turned().to(out); out[S::at(1, 2)] = 0;"),
    ("", "switch (rows % 3) { case 0: out[0] = 1; [[fallthrough]]; case 1: out[1] = 2; break; default: out[2] = in[2]; }"),
]


def texts():
    return {f"habit_{i}": f"{HEAD}{before}\n{SIGNATURE}{body}\n}}\n" for i, (before, body) in enumerate(ROWS)}
