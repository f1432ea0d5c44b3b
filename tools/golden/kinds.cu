// Kernels of many kinds at sizes below and above the second-level cache, timed: what a model of time and of
// the memory behind the first level is fitted to (set `fit`) and tested on (set `test`; other kernels).
//
//     nvcc -arch=sm_90 -O2 -std=c++20 -o kinds tools/golden/kinds.cu
//     ./kinds                 a line of CSV a kernel and size: set, kernel, n, grid, block, median microseconds, least
//     ncu … ./kinds once      each launched once, for the profiler's counters
//     lab run --time … kinds.cu -- twice fit MOST      those of a set with n up to MOST, each launched twice, for the simulator;
//                                                      behind MOST a name: that kernel alone
//
// Sizes are counts of floats in the largest array; matrices are square. Every launch finds its inputs as the
// one before left them: what fits into the cache stays there.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#define GLOBAL extern "C" __global__ void
#define I (blockIdx.x * blockDim.x + threadIdx.x)

GLOBAL copy1(float* out, const float* in, int n) { if (int i = I; i < n) out[i] = in[i]; }
GLOBAL copy4(float4* out, const float4* in, int n) { if (int i = I; i < n / 4) out[i] = in[i]; }
GLOBAL copy_stride(float* out, const float* in, int n) { for (int i = I; i < n; i += gridDim.x * blockDim.x) out[i] = in[i]; }
GLOBAL read_stride8(float* out, const float* in, int n) { if (int i = I; i < n / 8) out[i] = in[i * 8]; }
GLOBAL write_stride8(float* out, const float* in, int n) { if (int i = I; i < n / 8) out[i * 8] = in[i]; }
GLOBAL triad(float* out, const float* in, int n) { if (int i = I; i < n / 2) out[i] = in[i] + 3.0f * in[i + n / 2]; }
GLOBAL shuffled(float* out, const float* in, int n) { if (int i = I; i < n) out[i] = in[(i * 40503u) & (unsigned)(n - 1)]; }

GLOBAL reduce_tree(float* out, const float* in, int n) {
  __shared__ float s[256];
  float x = 0;
  for (int k = 0; k < 4; ++k) if (int i = blockIdx.x * 1024 + k * 256 + threadIdx.x; i < n) x += in[i];
  s[threadIdx.x] = x;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) { if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; __syncthreads(); }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
GLOBAL reduce_warp(float* out, const float* in, int n) {
  float x = 0;
  for (int i = I; i < n; i += gridDim.x * blockDim.x) x += in[i];
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(~0u, x, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, x);
}
GLOBAL scan_block(float* out, const float* in, int n) {
  __shared__ float s[2][256];
  int from = 0;
  s[0][threadIdx.x] = I < n ? in[I] : 0;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2, from = 1 - from) {
    s[1 - from][threadIdx.x] = s[from][threadIdx.x] + (threadIdx.x >= d ? s[from][threadIdx.x - d] : 0);
    __syncthreads();
  }
  if (I < n) out[I] = s[from][threadIdx.x];
}
GLOBAL histogram_global(float* out, const float* in, int n) { if (int i = I; i < n) atomicAdd((unsigned*)out + ((unsigned)in[i] & 1023), 1u); }
GLOBAL histogram_shared(float* out, const float* in, int n) {
  __shared__ unsigned h[256];
  h[threadIdx.x] = 0;
  __syncthreads();
  for (int i = I; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[(unsigned)in[i] & 255], 1u);
  __syncthreads();
  atomicAdd((unsigned*)out + threadIdx.x, h[threadIdx.x]);
}
GLOBAL stencil1(float* out, const float* in, int n) { if (int i = I; i > 3 && i < n - 4) { float x = 0; for (int k = -3; k <= 3; ++k) x += in[i + k]; out[i] = x; } }
GLOBAL stencil2(float* out, const float* in, int side) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < 1 || y < 1 || x >= side - 1 || y >= side - 1) return;
  const float* p = in + (size_t)y * side + x;
  out[(size_t)y * side + x] = p[0] * 4 - p[-1] - p[1] - p[-side] - p[side];
}
GLOBAL stencil2_tile(float* out, const float* in, int side) {
  __shared__ float s[10][34];
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 340; i += 256) {
    const int x = min(max(x0 + i % 34 - 1, 0), side - 1), y = min(max(y0 + i / 34 - 1, 0), side - 1);
    s[i / 34][i % 34] = in[(size_t)y * side + x];
  }
  __syncthreads();
  const int x = threadIdx.x + 1, y = threadIdx.y + 1;
  out[(size_t)(y0 + threadIdx.y) * side + x0 + threadIdx.x] = s[y][x] * 4 - s[y][x - 1] - s[y][x + 1] - s[y - 1][x] - s[y + 1][x];
}
GLOBAL transpose_naive(float* out, const float* in, int side) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[(size_t)x * side + y] = in[(size_t)y * side + x];
}
GLOBAL transpose_tile(float* out, const float* in, int side) {
  __shared__ float s[32][33];
  for (int k = 0; k < 32; k += 8) s[threadIdx.y + k][threadIdx.x] = in[(size_t)(blockIdx.y * 32 + threadIdx.y + k) * side + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  for (int k = 0; k < 32; k += 8) out[(size_t)(blockIdx.x * 32 + threadIdx.y + k) * side + blockIdx.y * 32 + threadIdx.x] = s[threadIdx.x][threadIdx.y + k];
}
template <int T>
__device__ void product(float* out, const float* in, int side) {
  __shared__ float a[T][T], b[T][T];
  const int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
  float sum = 0;
  for (int t = 0; t < side; t += T) {
    a[threadIdx.y][threadIdx.x] = in[(size_t)y * side + t + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = in[(size_t)(t + threadIdx.y) * side + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < T; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    __syncthreads();
  }
  out[(size_t)y * side + x] = sum;
}
GLOBAL product16(float* out, const float* in, int side) { product<16>(out, in, side); }
GLOBAL product32(float* out, const float* in, int side) { product<32>(out, in, side); }
GLOBAL product_naive(float* out, const float* in, int side) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < side; ++k) sum += in[(size_t)y * side + k] * in[(size_t)k * side + x];
  out[(size_t)y * side + x] = sum;
}
GLOBAL arithmetic(float* out, const float* in, int n) {
  if (int i = I; i < n) { float x = in[i]; for (int k = 0; k < 256; ++k) x = x * 0.999f + 1.0f; out[i] = x; }
}
GLOBAL chase(float* out, const float* in, int n) {
  unsigned at = I & (unsigned)(n - 1);
  for (int k = 0; k < 64; ++k) at = (at * 1664525u + 1013904223u + (unsigned)in[at]) & (unsigned)(n - 1);
  out[I & (unsigned)(n - 1)] = (float)at;
}

struct Kind {
  const char* set;
  const char* name;
  const void* kernel;
  std::function<dim3(int)> grid;
  dim3 block;
  bool square;   // takes the side of a matrix
  int most;      // floats
};

int main(int argc, char** argv) {
  const bool once = argc > 1 && std::strcmp(argv[1], "once") == 0;
  const bool twice = argc > 3 && std::strcmp(argv[1], "twice") == 0;
  const auto per = [](int each) { return [each](int n) { return dim3((n + each - 1) / each); }; };
  const auto fixed = [](int blocks) { return [blocks](int) { return dim3(blocks); }; };
  const auto tiles = [](int x, int y) { return [=](int side) { return dim3(side / x, side / y); }; };
  const int big = 1 << 26, small = 1 << 22;
  const std::vector<Kind> kinds{
      {"fit", "copy1", (void*)copy1, per(256), 256, false, big}, {"fit", "copy_stride", (void*)copy_stride, fixed(1056), 256, false, big},
      {"fit", "read_stride8", (void*)read_stride8, per(2048), 256, false, big}, {"fit", "reduce_tree", (void*)reduce_tree, per(1024), 256, false, big},
      {"fit", "histogram_shared", (void*)histogram_shared, fixed(528), 256, false, big}, {"fit", "stencil2", (void*)stencil2, tiles(32, 8), {32, 8}, true, big},
      {"fit", "transpose_naive", (void*)transpose_naive, tiles(32, 8), {32, 8}, true, big}, {"fit", "product16", (void*)product16, tiles(16, 16), {16, 16}, true, small},
      {"fit", "arithmetic", (void*)arithmetic, per(256), 256, false, big}, {"fit", "chase", (void*)chase, fixed(1056), 256, false, big},
      {"test", "copy4", (void*)copy4, per(1024), 256, false, big}, {"test", "write_stride8", (void*)write_stride8, per(2048), 256, false, big},
      {"test", "triad", (void*)triad, per(512), 256, false, big}, {"test", "shuffled", (void*)shuffled, per(256), 256, false, big},
      {"test", "reduce_warp", (void*)reduce_warp, fixed(1056), 256, false, big}, {"test", "scan_block", (void*)scan_block, per(256), 256, false, big},
      {"test", "histogram_global", (void*)histogram_global, per(256), 256, false, big}, {"test", "stencil1", (void*)stencil1, per(256), 256, false, big},
      {"test", "stencil2_tile", (void*)stencil2_tile, tiles(32, 8), {32, 8}, true, big}, {"test", "transpose_tile", (void*)transpose_tile, tiles(32, 32), {32, 8}, true, big},
      {"test", "product32", (void*)product32, tiles(32, 32), {32, 32}, true, small}, {"test", "product_naive", (void*)product_naive, tiles(32, 8), {32, 8}, true, small}};
  float *in, *out;
  cudaMalloc(&in, sizeof(float) * big);
  cudaMalloc(&out, sizeof(float) * big);
  std::vector<float> host(big);
  for (int i = 0; i < big; ++i) host[i] = static_cast<float>((i * 2654435761u) >> 20);
  cudaMemcpy(in, host.data(), sizeof(float) * big, cudaMemcpyHostToDevice);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  if (!once && !twice) std::printf("set,kernel,n,grid,block,microseconds,least\n");
  for (const Kind& kind : kinds) {
    if (twice && (std::strcmp(argv[2], kind.set) != 0 || (argc > 4 && std::strcmp(argv[4], kind.name) != 0))) continue;
    for (int n = kind.most == small ? 1 << 16 : 1 << 17; n <= kind.most; n *= kind.most == small ? 4 : 8) {
      int argument = n;
      if (kind.square) for (argument = 1; argument * argument < n;) argument *= 2;
      const dim3 grid = kind.grid(argument);
      void* parameters[] = {&out, &in, &argument};
      const auto launch = [&] { cudaLaunchKernel(kind.kernel, grid, kind.block, parameters, 0, nullptr); };
      if (twice && n > std::atoi(argv[3])) continue;
      if (twice) { launch(), launch(), cudaDeviceSynchronize(); continue; }
      if (once) { launch(), cudaDeviceSynchronize(); continue; }
      std::vector<float> times;
      launch(), launch();
      for (int k = 0; k < 11; ++k) {
        cudaEventRecord(begin);
        for (int j = 0; j < 4; ++j) launch();
        cudaEventRecord(end), cudaEventSynchronize(end);
        float milliseconds = 0;
        cudaEventElapsedTime(&milliseconds, begin, end);
        times.push_back(milliseconds * 250);
      }
      std::sort(times.begin(), times.end());
      std::printf("%s,%s,%d,%dx%d,%dx%d,%.3f,%.3f\n", kind.set, kind.name, n, grid.x, grid.y, kind.block.x, kind.block.y, times[5], times[0]);
    }
  }
  if (cudaDeviceSynchronize() != cudaSuccess) return std::printf("%s\n", cudaGetErrorString(cudaGetLastError())), 1;
}
