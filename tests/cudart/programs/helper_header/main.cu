// From one thread for all to a tile without conflicts, as an online course has it: N and K are macros, a helper header
// stands beside, sizes do not divide.
// args: device=0
// mask: [0-9.]+ ms
#include "helper_timer.h"

const int N = 100;  // matrix size is NxN
const int K = 16;   // tile size is KxK

int compare_matrices(float *gpu, float *ref) {
  int result = 0;
  for (int i = 0; i < N * N; i++)
    if (ref[i] != gpu[i]) result = 1;
  return result;
}

void fill_matrix(float *mat) {
  for (int j = 0; j < N * N; j++) mat[j] = (float)j;
}

void transpose_CPU(float in[], float out[]) {
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) out[j + i * N] = in[i + j * N];
}

__global__ void transpose_serial(float in[], float out[]) {
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) out[j + i * N] = in[i + j * N];
}

__global__ void transpose_parallel_per_row(float in[], float out[]) {
  int i = threadIdx.x;
  for (int j = 0; j < N; j++) out[j + i * N] = in[i + j * N];
}

__global__ void transpose_parallel_per_element(float in[], float out[]) {
  int i = blockIdx.x * K + threadIdx.x;
  int j = blockIdx.y * K + threadIdx.y;
  if (i < N && j < N) out[j + i * N] = in[i + j * N];
}

template <int PADDING>
__global__ void transpose_tiled(float in[], float out[]) {
  int in_corner_i = blockIdx.x * K, in_corner_j = blockIdx.y * K;
  int out_corner_i = blockIdx.y * K, out_corner_j = blockIdx.x * K;
  int x = threadIdx.x, y = threadIdx.y;
  __shared__ float tile[K][K + PADDING];
  if (in_corner_i + x < N && in_corner_j + y < N) tile[y][x] = in[(in_corner_i + x) + (in_corner_j + y) * N];
  __syncthreads();
  if (out_corner_i + x < N && out_corner_j + y < N) out[(out_corner_i + x) + (out_corner_j + y) * N] = tile[x][y];
}

int main(int argc, const char **argv) {
  findDevice(argc, argv);
  int numbytes = N * N * sizeof(float), bad = 0;
  float *in = (float *)malloc(numbytes);
  float *out = (float *)malloc(numbytes);
  float *gold = (float *)malloc(numbytes);
  fill_matrix(in);
  transpose_CPU(in, gold);
  float *d_in, *d_out;
  checkCudaErrors(cudaMalloc(&d_in, numbytes));
  checkCudaErrors(cudaMalloc(&d_out, numbytes));
  checkCudaErrors(cudaMemcpy(d_in, in, numbytes, cudaMemcpyHostToDevice));
  GpuTimer timer;
  dim3 blocks((N + K - 1) / K, (N + K - 1) / K), threads(K, K);

#define RUN(label, ...)                                                                             \
  checkCudaErrors(cudaMemset(d_out, 0, numbytes));                                                  \
  timer.Start();                                                                                    \
  __VA_ARGS__;                                                                                      \
  timer.Stop();                                                                                     \
  getLastCudaError(label);                                                                          \
  checkCudaErrors(cudaMemcpy(out, d_out, numbytes, cudaMemcpyDeviceToHost));                        \
  printf("%s: %g ms.\nVerifying transpose...%s\n", label, timer.Elapsed(), compare_matrices(out, gold) ? "Failed" : "Success"); \
  bad += compare_matrices(out, gold)

  RUN("transpose_serial", (transpose_serial<<<1, 1>>>(d_in, d_out)));
  RUN("transpose_parallel_per_row", (transpose_parallel_per_row<<<1, N>>>(d_in, d_out)));
  RUN("transpose_parallel_per_element", (transpose_parallel_per_element<<<blocks, threads>>>(d_in, d_out)));
  RUN("transpose_tiled", (transpose_tiled<0><<<blocks, threads>>>(d_in, d_out)));
  RUN("transpose_tiled_padded", (transpose_tiled<1><<<blocks, threads>>>(d_in, d_out)));
  cudaFree(d_in);
  cudaFree(d_out);
  return bad;
}
