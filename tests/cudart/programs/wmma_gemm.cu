// Products of matrices by nvcuda::wmma: every type and shape, from global and from shared memory, against
// sums on the host. All numbers are small integers, so that each sum is exact in every type.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdio>
#include <type_traits>
#include <vector>

using namespace nvcuda;

static int wrong = 0;

__host__ __device__ constexpr int value(int i, int j, int salt) { return (i * 7 + j * 3 + salt * 5 + i * j) % 9 - 4; }

template <class T>
T made(int x) {
  return T(float(x));
}
template <>
signed char made(int x) {
  return static_cast<signed char>(x);
}
template <>
unsigned char made(int x) {
  return static_cast<unsigned char>(x + 4);
}
template <>
int made(int x) {
  return x;
}

// One warp a tile of C; `through_shared`: A and B are copied to shared memory first.
template <class T, class Held, class Acc, int M, int N, int K, class LayoutA, class LayoutB>
__global__ void multiply(const Held* a, const Held* b, const Acc* c, Acc* d, int m, int n, int k, bool row_major,
                         bool through_shared) {
  constexpr bool a_rows = std::is_same_v<LayoutA, wmma::row_major>, b_rows = std::is_same_v<LayoutB, wmma::row_major>;
  __shared__ __align__(32) Held tile_a[M * K], tile_b[K * N];
  const int row = blockIdx.y * M, column = blockIdx.x * N;
  const wmma::layout_t layout = row_major ? wmma::mem_row_major : wmma::mem_col_major;
  const int ldc = row_major ? n : m;
  const size_t at = row_major ? size_t(row) * n + column : size_t(column) * m + row;
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Acc> fc;
  wmma::load_matrix_sync(fc, c + at, ldc, layout);
  for (int step = 0; step < k; step += K) {
    const Held* from_a = a_rows ? a + size_t(row) * k + step : a + size_t(step) * m + row;
    const Held* from_b = b_rows ? b + size_t(step) * n + column : b + size_t(column) * k + step;
    if (through_shared) {
      for (int e = threadIdx.x; e < M * K; e += 32)
        tile_a[e] = a_rows ? from_a[size_t(e / K) * k + e % K] : from_a[size_t(e / M) * m + e % M];
      for (int e = threadIdx.x; e < K * N; e += 32)
        tile_b[e] = b_rows ? from_b[size_t(e / N) * n + e % N] : from_b[size_t(e / K) * k + e % K];
      __syncwarp();
      wmma::load_matrix_sync(fa, tile_a, a_rows ? K : M);
      wmma::load_matrix_sync(fb, tile_b, b_rows ? N : K);
      __syncwarp();
    } else {
      wmma::load_matrix_sync(fa, from_a, a_rows ? k : m);
      wmma::load_matrix_sync(fb, from_b, b_rows ? n : k);
    }
    wmma::mma_sync(fc, fa, fb, fc);
  }
  for (int e = 0; e < fc.num_elements; ++e) fc.x[e] = fc.x[e] + Acc(1);
  wmma::store_matrix_sync(d + at, fc, ldc, layout);
}

template <class T, class Held, class Acc, int M, int N, int K, class LayoutA, class LayoutB>
void check(const char* name) {
  constexpr bool a_rows = std::is_same_v<LayoutA, wmma::row_major>, b_rows = std::is_same_v<LayoutB, wmma::row_major>;
  const int m = 2 * M, n = 2 * N, k = 3 * K;
  std::vector<Held> a(m * k), b(k * n);
  std::vector<Acc> c(m * n), d(m * n);
  for (int i = 0; i < m; ++i)
    for (int e = 0; e < k; ++e) a[a_rows ? i * k + e : e * m + i] = made<Held>(value(i, e, 1));
  for (int e = 0; e < k; ++e)
    for (int j = 0; j < n; ++j) b[b_rows ? e * n + j : j * k + e] = made<Held>(value(e, j, 2));
  Held *da, *db;
  Acc *dc, *dd;
  cudaMalloc(&da, a.size() * sizeof(Held)), cudaMalloc(&db, b.size() * sizeof(Held));
  cudaMalloc(&dc, c.size() * sizeof(Acc)), cudaMalloc(&dd, d.size() * sizeof(Acc));
  cudaMemcpy(da, a.data(), a.size() * sizeof(Held), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), b.size() * sizeof(Held), cudaMemcpyHostToDevice);
  for (const bool rows : {true, false}) {
    for (const bool shared : {true, false}) {
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) c[rows ? i * n + j : j * m + i] = made<Acc>(value(i, j, 3));
      cudaMemcpy(dc, c.data(), c.size() * sizeof(Acc), cudaMemcpyHostToDevice);
      multiply<T, Held, Acc, M, N, K, LayoutA, LayoutB><<<dim3(2, 2), 32>>>(da, db, dc, dd, m, n, k, rows, shared);
      cudaMemcpy(d.data(), dd, d.size() * sizeof(Acc), cudaMemcpyDeviceToHost);
      int bad = 0;
      for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
          double sum = value(i, j, 3) + 1;
          for (int e = 0; e < k; ++e)
            sum += double(float(made<Held>(value(i, e, 1)))) * double(float(made<Held>(value(e, j, 2))));
          bad += double(float(d[rows ? i * n + j : j * m + i])) != sum;
        }
      }
      std::printf("%s %s %s: %s\n", name, rows ? "rows" : "columns", shared ? "shared" : "global",
                  bad == 0 ? "right" : "WRONG");
      wrong += bad != 0;
    }
  }
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
    std::printf("%s: %s\n", name, cudaGetErrorString(error));
    ++wrong;
  }
  cudaFree(da), cudaFree(db), cudaFree(dc), cudaFree(dd);
}

template <class T, class Held, class Acc, int M, int N, int K>
void all_layouts(const char* name) {
  using Row = wmma::row_major;
  using Column = wmma::col_major;
  check<T, Held, Acc, M, N, K, Row, Column>(name);
  check<T, Held, Acc, M, N, K, Column, Row>(name);
}

int main() {
  using wmma::precision::tf32;
  all_layouts<half, half, float, 16, 16, 16>("half float 16x16x16");
  all_layouts<half, half, half, 16, 16, 16>("half half 16x16x16");
  all_layouts<half, half, float, 8, 32, 16>("half float 8x32x16");
  all_layouts<half, half, half, 32, 8, 16>("half half 32x8x16");
  all_layouts<__nv_bfloat16, __nv_bfloat16, float, 16, 16, 16>("bfloat16 16x16x16");
  all_layouts<__nv_bfloat16, __nv_bfloat16, float, 32, 8, 16>("bfloat16 32x8x16");
  all_layouts<signed char, signed char, int, 8, 32, 16>("int8 8x32x16");
  all_layouts<unsigned char, unsigned char, int, 16, 16, 16>("uint8 16x16x16");
  all_layouts<tf32, float, float, 16, 16, 8>("tf32 16x16x8");
  all_layouts<double, double, double, 8, 8, 4>("double 8x8x4");
  return wrong == 0 ? 0 : 1;
}
