// More than 48 KiB of shared memory a block: refused until asked for, then a whole 128 x 128 tile fits.
// reports: invalid-launch
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TILE 128

__global__ void transposeBigTile(float *out, const float *in, int n) {
  extern __shared__ float tile[];  // TILE rows of TILE + 1
  const int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;
  for (int y = threadIdx.y; y < TILE; y += blockDim.y)
    for (int x = threadIdx.x; x < TILE; x += blockDim.x) tile[y * (TILE + 1) + x] = in[(y0 + y) * n + x0 + x];
  __syncthreads();
  for (int y = threadIdx.y; y < TILE; y += blockDim.y)
    for (int x = threadIdx.x; x < TILE; x += blockDim.x) out[(x0 + y) * n + y0 + x] = tile[x * (TILE + 1) + y];
}

int main() {
  const int n = 256;
  const size_t bytes = n * n * sizeof(float), smem = TILE * (TILE + 1) * sizeof(float);
  std::vector<float> in(n * n), out(n * n, -1.0f);
  for (int i = 0; i < n * n; ++i) in[i] = (float)i;
  float *d_in, *d_out;
  cudaMalloc(&d_in, bytes);
  cudaMalloc(&d_out, bytes);
  cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice);
  dim3 grid(n / TILE, n / TILE), block(32, 16);

  transposeBigTile<<<grid, block, smem>>>(d_out, d_in, n);
  cudaError_t refused = cudaGetLastError();
  printf("asking for %zu bytes outright: %s\n", smem, cudaGetErrorName(refused));
  printf("and then: %s\n", cudaGetErrorName(cudaGetLastError()));

  int most = 0, usual = 0;
  cudaDeviceGetAttribute(&usual, cudaDevAttrMaxSharedMemoryPerBlock, 0);
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  printf("usual limit %d, enough when asked: %s\n", usual, most >= (int)smem ? "yes" : "no");
  if (most < (int)smem) return 0;
  cudaError_t opt = cudaFuncSetAttribute(transposeBigTile, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)smem);
  cudaFuncAttributes attr;
  cudaFuncGetAttributes(&attr, transposeBigTile);
  printf("opt in: %s, limit of the kernel now %d, static %zu\n", cudaGetErrorName(opt), attr.maxDynamicSharedSizeBytes, attr.sharedSizeBytes);
  transposeBigTile<<<grid, block, smem>>>(d_out, d_in, n);
  cudaError_t now = cudaDeviceSynchronize();
  printf("second launch: %s\n", cudaGetErrorName(now));
  cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) wrong += out[c * n + r] != in[r * n + c];
  printf("%d elements wrong\n", wrong);
  cudaError_t much = cudaFuncSetAttribute(transposeBigTile, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20);
  printf("a megabyte: %s\n", cudaGetErrorName(much));
  cudaFree(d_in);
  cudaFree(d_out);
  return wrong || refused != cudaErrorInvalidValue || much != cudaErrorInvalidValue;
}
