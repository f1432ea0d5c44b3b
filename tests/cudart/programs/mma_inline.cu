// mma.sync as inline PTX: a product of 16-bit numbers whose fragments come from ldmatrix, and one of 8-bit
// integers whose fragments each lane gathers itself, against sums on the host.
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int M = 16, N = 8, K = 64;

__global__ void multiply_halves(const half* a, const half* b, float* d) {
  __shared__ __align__(16) half rows_a[M][K + 8], rows_b[N][K + 8];
  for (int e = threadIdx.x; e < M * K; e += 32) rows_a[e / K][e % K] = a[e];
  for (int e = threadIdx.x; e < N * K; e += 32) rows_b[e / K][e % K] = b[e];
  __syncwarp();
  const int lane = threadIdx.x;
  float sum[4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t fa[4], fb[2];
    const auto at_a = static_cast<uint32_t>(__cvta_generic_to_shared(&rows_a[lane % 16][k + lane / 16 * 8]));
    const auto at_b = static_cast<uint32_t>(__cvta_generic_to_shared(&rows_b[lane % 8][k + lane / 8 % 2 * 8]));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                 : "r"(at_a));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(fb[0]), "=r"(fb[1]) : "r"(at_b));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
  }
  for (int e = 0; e < 4; ++e) d[(lane / 4 + e / 2 * 8) * N + lane % 4 * 2 + e % 2] = sum[e];
}

__global__ void multiply_bytes(const int8_t* a, const int8_t* b, int* d) {
  const int lane = threadIdx.x, line = lane / 4, chunk = lane % 4 * 4;
  int sum[4] = {};
  for (int k = 0; k < K; k += 32) {
    uint32_t fa[4], fb[2];
    for (int r = 0; r < 4; ++r)
      fa[r] = *reinterpret_cast<const uint32_t*>(a + (line + r % 2 * 8) * K + k + r / 2 * 16 + chunk);
    for (int r = 0; r < 2; ++r) fb[r] = *reinterpret_cast<const uint32_t*>(b + line * K + k + r * 16 + chunk);
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, "
        "%9}, {%0, %1, %2, %3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
  }
  for (int e = 0; e < 4; ++e) d[(line + e / 2 * 8) * N + lane % 4 * 2 + e % 2] = sum[e];
}

template <class T, class D, class Kernel>
int check(const char* name, Kernel kernel) {
  std::vector<T> a(M * K), b(N * K);
  std::vector<D> d(M * N);
  for (int e = 0; e < M * K; ++e) a[e] = T(e * 5 % 13 - 6);
  for (int e = 0; e < N * K; ++e) b[e] = T(e * 7 % 11 - 5);
  T *da, *db;
  D* dd;
  cudaMalloc(&da, a.size() * sizeof(T)), cudaMalloc(&db, b.size() * sizeof(T)), cudaMalloc(&dd, d.size() * sizeof(D));
  cudaMemcpy(da, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), b.size() * sizeof(T), cudaMemcpyHostToDevice);
  kernel<<<1, 32>>>(da, db, dd);
  cudaMemcpy(d.data(), dd, d.size() * sizeof(D), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      double sum = 0;
      for (int k = 0; k < K; ++k) sum += double(float(a[i * K + k])) * double(float(b[j * K + k]));
      bad += double(d[i * N + j]) != sum;
    }
  }
  std::printf("%s: %s\n", name, bad == 0 ? "right" : "WRONG");
  cudaFree(da), cudaFree(db), cudaFree(dd);
  return bad;
}

int main() {
  const int bad = check<half, float>("f16", multiply_halves) + check<int8_t, int>("s8", multiply_bytes);
  return bad == 0 ? 0 : 1;
}
