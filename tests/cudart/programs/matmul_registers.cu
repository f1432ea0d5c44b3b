// SGEMM with a block tile in shared memory and a register tile per thread, sizes as template parameters.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))

template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
    sgemm2DBlocktiling(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  const uint cRow = blockIdx.y, cCol = blockIdx.x;
  const uint numThreads = (BM * BN) / (TM * TN);
  assert(numThreads == blockDim.x);
  const int threadCol = threadIdx.x % (BN / TN), threadRow = threadIdx.x / (BN / TN);
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;
  const uint innerRowA = threadIdx.x / (BK / 4), innerColA = threadIdx.x % (BK / 4);
  const uint innerRowB = threadIdx.x / (BN / 4), innerColB = threadIdx.x % (BN / 4);
  float threadResults[TM * TN] = {0.0};
  float regM[TM] = {0.0}, regN[TN] = {0.0};
  for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
    // A is turned while it is stored, so that a thread later reads its column in a row.
    float4 tmp = reinterpret_cast<const float4 *>(&A[innerRowA * K + innerColA * 4])[0];
    As[(innerColA * 4 + 0) * BM + innerRowA] = tmp.x;
    As[(innerColA * 4 + 1) * BM + innerRowA] = tmp.y;
    As[(innerColA * 4 + 2) * BM + innerRowA] = tmp.z;
    As[(innerColA * 4 + 3) * BM + innerRowA] = tmp.w;
    reinterpret_cast<float4 *>(&Bs[innerRowB * BN + innerColB * 4])[0] =
        reinterpret_cast<const float4 *>(&B[innerRowB * N + innerColB * 4])[0];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
      for (uint i = 0; i < TM; ++i) regM[i] = As[dotIdx * BM + threadRow * TM + i];
      for (uint i = 0; i < TN; ++i) regN[i] = Bs[dotIdx * BN + threadCol * TN + i];
      for (uint m = 0; m < TM; ++m)
        for (uint n = 0; n < TN; ++n) threadResults[m * TN + n] += regM[m] * regN[n];
    }
    __syncthreads();
  }
  for (uint m = 0; m < TM; m += 1)
    for (uint n = 0; n < TN; n += 4) {
      float4 tmp = reinterpret_cast<float4 *>(&C[(threadRow * TM + m) * N + threadCol * TN + n])[0];
      tmp.x = alpha * threadResults[m * TN + n] + beta * tmp.x;
      tmp.y = alpha * threadResults[m * TN + n + 1] + beta * tmp.y;
      tmp.z = alpha * threadResults[m * TN + n + 2] + beta * tmp.z;
      tmp.w = alpha * threadResults[m * TN + n + 3] + beta * tmp.w;
      reinterpret_cast<float4 *>(&C[(threadRow * TM + m) * N + threadCol * TN + n])[0] = tmp;
    }
}

int main() {
  const int M = 128, N = 192, K = 64;
  const float alpha = 0.5f, beta = 3.0f;
  std::vector<float> A(M * K), B(K * N), C(M * N), got(M * N);
  srand(1);
  for (auto *v : {&A, &B, &C})
    for (float &f : *v) f = (float)(rand() % 10) * (rand() % 2 ? 0.25f : -0.25f);
  float *dA, *dB, *dC;
  cudaMalloc((void **)&dA, sizeof(float) * M * K);
  cudaMalloc((void **)&dB, sizeof(float) * K * N);
  cudaMalloc((void **)&dC, sizeof(float) * M * N);
  cudaMemcpy(dA, A.data(), sizeof(float) * M * K, cudaMemcpyHostToDevice);
  cudaMemcpy(dB, B.data(), sizeof(float) * K * N, cudaMemcpyHostToDevice);
  cudaMemcpy(dC, C.data(), sizeof(float) * M * N, cudaMemcpyHostToDevice);
  // 64 x 64 of C a block, 8 along K, 8 x 4 a thread: 128 threads, which load one float4 of A and one of B each
  constexpr int BM = 64, BN = 64, BK = 8, TM = 8, TN = 4;
  sgemm2DBlocktiling<BM, BN, BK, TM, TN>
      <<<dim3(CEIL_DIV(N, BN), CEIL_DIV(M, BM)), (BM * BN) / (TM * TN)>>>(M, N, K, alpha, dA, dB, beta, dC);
  cudaError_t error = cudaMemcpy(got.data(), dC, sizeof(float) * M * N, cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) {
    printf("[CUDA ERROR] at file %s:%d:\n%s\n", __FILE__, __LINE__, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
  }
  double worst = 0, sum = 0;
  for (int r = 0; r < M; ++r)
    for (int c = 0; c < N; ++c) {
      double want = 0;
      for (int k = 0; k < K; ++k) want += (double)A[r * K + k] * B[k * N + c];
      want = alpha * want + beta * C[r * N + c];
      worst = fmax(worst, fabs(want - got[r * N + c]));
      sum += got[r * N + c];
    }
  printf("C[0][0] = %.4f, C[127][191] = %.4f, sum = %.3f\n", got[0], got[M * N - 1], sum);
  printf("largest difference: %g\n", worst);
  cudaFree(dA);
  cudaFree(dB);
  cudaFree(dC);
  return worst == 0 ? 0 : 1;  // quarters and their products are exact
}
