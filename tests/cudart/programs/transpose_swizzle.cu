// Transposes beyond padding: XOR swizzle, float4 blocks, a warp shuffle in registers, in place, any type, any shape.
// nvcc: -std=c++17 -O3
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#define CEIL(a, b) (((a) + (b) - 1) / (b))
#define FLOAT4(p) (*reinterpret_cast<float4 *>(&(p)))
#define CFLOAT4(p) (*reinterpret_cast<const float4 *>(&(p)))

__global__ void swizzled(const float *in, float *out, int M, int N) {
  __shared__ float smem[32][32];
  int col = blockIdx.x * 32 + threadIdx.x;
  for (int r = threadIdx.y; r < 32; r += blockDim.y) {
    int row = blockIdx.y * 32 + r;
    if (row < M && col < N) smem[r][threadIdx.x ^ r] = in[row * N + col];
  }
  __syncthreads();
  int row_t = blockIdx.y * 32 + threadIdx.x;
  for (int r = threadIdx.y; r < 32; r += blockDim.y) {
    int col_t = blockIdx.x * 32 + r;
    if (col_t < N && row_t < M) out[col_t * M + row_t] = smem[threadIdx.x][r ^ threadIdx.x];
  }
}

__global__ void registers4x4(const float *in, float *out, int M, int N) {
  int c = (blockIdx.x * blockDim.x + threadIdx.x) * 4, r = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
  if (r >= M || c >= N) return;
  float4 a[4], t[4];
#pragma unroll
  for (int i = 0; i < 4; i++) a[i] = CFLOAT4(in[(r + i) * N + c]);
  t[0] = make_float4(a[0].x, a[1].x, a[2].x, a[3].x);
  t[1] = make_float4(a[0].y, a[1].y, a[2].y, a[3].y);
  t[2] = make_float4(a[0].z, a[1].z, a[2].z, a[3].z);
  t[3] = make_float4(a[0].w, a[1].w, a[2].w, a[3].w);
#pragma unroll
  for (int i = 0; i < 4; i++) FLOAT4(out[(c + i) * M + r]) = t[i];
}

// A warp holds 32 x 32 elements, lane = column. Half of the registers change lanes in each of five steps.
__global__ void shuffled(const float *in, float *out, int M, int N) {
  const int lane = threadIdx.x;
  float v[32];
#pragma unroll
  for (int i = 0; i < 32; i++) v[i] = in[(blockIdx.y * 32 + i) * N + blockIdx.x * 32 + lane];
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) {
#pragma unroll
    for (int i = 0; i < 32; i++) {
      if (i & d) continue;
      bool high = lane & d;
      float give = high ? v[i] : v[i | d];
      float got = __shfl_xor_sync(0xffffffff, give, d);
      if (high) v[i] = got;
      else v[i | d] = got;
    }
  }
#pragma unroll
  for (int i = 0; i < 32; i++) out[(blockIdx.x * 32 + i) * M + blockIdx.y * 32 + lane] = v[i];
}

template <typename T, int TILE = 32>
__global__ void inPlaceSquare(T *a, int n) {
  if (blockIdx.x > blockIdx.y) return;  // each pair of tiles once
  __shared__ T s1[TILE][TILE + 1], s2[TILE][TILE + 1];
  int tx = threadIdx.x, x1 = blockIdx.x * TILE, y1 = blockIdx.y * TILE;
  for (int r = threadIdx.y; r < TILE; r += blockDim.y) {
    if (y1 + r < n && x1 + tx < n) s1[r][tx] = a[(y1 + r) * n + x1 + tx];
    if (x1 + r < n && y1 + tx < n) s2[r][tx] = a[(x1 + r) * n + y1 + tx];
  }
  __syncthreads();
  for (int r = threadIdx.y; r < TILE; r += blockDim.y) {
    if (x1 + r < n && y1 + tx < n) a[(x1 + r) * n + y1 + tx] = s1[tx][r];
    if (y1 + r < n && x1 + tx < n) a[(y1 + r) * n + x1 + tx] = s2[tx][r];
  }
}

template <typename T>
bool isTranspose(const std::vector<T> &out, const std::vector<T> &in, int M, int N) {
  for (int r = 0; r < M; ++r)
    for (int c = 0; c < N; ++c)
      if (out[c * M + r] != in[r * N + c]) return false;
  return true;
}

template <typename T>
bool checkInPlace(int n) {
  std::vector<T> h(n * n), out(n * n);
  for (int i = 0; i < n * n; ++i) h[i] = T(i % 251);
  T *d;
  cudaMalloc(&d, n * n * sizeof(T));
  cudaMemcpy(d, h.data(), n * n * sizeof(T), cudaMemcpyHostToDevice);
  inPlaceSquare<T><<<dim3(CEIL(n, 32), CEIL(n, 32)), dim3(32, 8)>>>(d, n);
  cudaMemcpy(out.data(), d, n * n * sizeof(T), cudaMemcpyDeviceToHost);
  cudaFree(d);
  bool ok = isTranspose(out, h, n, n);
  printf("in place %d x %d of %zu bytes: %s\n", n, n, sizeof(T), ok ? "PASSED" : "FAILED");
  return ok;
}

int main() {
  bool all = true;
  for (auto [M, N] : {std::pair{128, 128}, {96, 160}, {100, 60}}) {
    std::vector<float> in(M * N), out(M * N);
    std::mt19937 gen(M + N);
    for (float &f : in) f = (float)(gen() % 100000);
    float *d_in, *d_out;
    cudaMalloc(&d_in, M * N * sizeof(float));
    cudaMalloc(&d_out, M * N * sizeof(float));
    cudaMemcpy(d_in, in.data(), M * N * sizeof(float), cudaMemcpyHostToDevice);
    auto t0 = std::chrono::steady_clock::now();
    for (int way = 0; way < 3; ++way) {
      if (way == 2 && (M % 32 || N % 32)) continue;
      cudaMemset(d_out, 0xff, M * N * sizeof(float));
      if (way == 0) swizzled<<<dim3(CEIL(N, 32), CEIL(M, 32)), dim3(32, 8)>>>(d_in, d_out, M, N);
      if (way == 1) registers4x4<<<dim3(CEIL(N, 64), CEIL(M, 64)), dim3(16, 16)>>>(d_in, d_out, M, N);
      if (way == 2) shuffled<<<dim3(N / 32, M / 32), 32>>>(d_in, d_out, M, N);
      cudaError_t e = cudaMemcpy(out.data(), d_out, M * N * sizeof(float), cudaMemcpyDeviceToHost);
      bool ok = e == cudaSuccess && isTranspose(out, in, M, N);
      const char *names[] = {"swizzled", "registers 4x4", "shuffled"};
      printf("%-14s %4d x %-4d %s\n", names[way], M, N, ok ? "PASSED" : "FAILED");
      all = all && ok;
    }
    auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
    if (seconds < 0) printf("the clock runs backwards\n");
    cudaFree(d_in);
    cudaFree(d_out);
  }
  all &= checkInPlace<double>(70) & checkInPlace<unsigned char>(64) & checkInPlace<short>(33);
  return all ? EXIT_SUCCESS : EXIT_FAILURE;
}
