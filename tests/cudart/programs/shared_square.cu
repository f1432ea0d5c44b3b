// A square of shared memory, written and read along rows and along columns, plain, padded and dynamic.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BDIM 32
#define IPAD 1

#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf("Error: %s:%d, code: %d, reason: %s\n", \
    __FILE__, __LINE__, (int)e, cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void setRowReadRow(int *out) {
  __shared__ int tile[BDIM][BDIM];
  unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = idx;
  __syncthreads();
  out[idx] = tile[threadIdx.y][threadIdx.x];
}

__global__ void setColReadCol(int *out) {
  __shared__ int tile[BDIM][BDIM];
  unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
  tile[threadIdx.x][threadIdx.y] = idx;
  __syncthreads();
  out[idx] = tile[threadIdx.x][threadIdx.y];
}

__global__ void setRowReadCol(int *out) {
  __shared__ int tile[BDIM][BDIM];
  unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = idx;
  __syncthreads();
  out[idx] = tile[threadIdx.x][threadIdx.y];
}

__global__ void setRowReadColPad(int *out) {
  __shared__ int tile[BDIM][BDIM + IPAD];
  unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = idx;
  __syncthreads();
  out[idx] = tile[threadIdx.x][threadIdx.y];
}

__global__ void setRowReadColDyn(int *out) {
  extern __shared__ int dyn[];
  unsigned int row_idx = threadIdx.y * blockDim.x + threadIdx.x;
  unsigned int col_idx = threadIdx.x * blockDim.y + threadIdx.y;
  dyn[row_idx] = row_idx;
  __syncthreads();
  out[row_idx] = dyn[col_idx];
}

void printData(const char *msg, int *in, const int size, bool transposed) {
  int wrong = 0;
  for (int i = 0; i < size; i++) wrong += in[i] != (transposed ? (i % BDIM) * BDIM + i / BDIM : i);
  printf("%-20s%6d%6d%6d ... %6d  %s\n", msg, in[0], in[1], in[2], in[size - 1], wrong ? "WRONG" : "ok");
  if (wrong) exit(2);
}

int main(int argc, char **argv) {
  int dev = 0;
  CHECK(cudaSetDevice(dev));
  // The width of a bank has been four bytes on every GPU since 2014.
  cudaSharedMemConfig config;
  CHECK(cudaDeviceGetSharedMemConfig(&config));
  printf("bank mode: %s-byte\n", config == cudaSharedMemBankSizeFourByte ? "4" : "8");
  dim3 block(BDIM, BDIM), grid(1, 1);
  printf("<<< grid (%d,%d) block (%d,%d)>>>\n", grid.x, grid.y, block.x, block.y);
  size_t nBytes = BDIM * BDIM * sizeof(int);
  int *d_C, *gpuRef = (int *)malloc(nBytes);
  CHECK(cudaMalloc((int **)&d_C, nBytes));

  CHECK(cudaMemset(d_C, 0, nBytes));
  setColReadCol<<<grid, block>>>(d_C);
  CHECK(cudaMemcpy(gpuRef, d_C, nBytes, cudaMemcpyDeviceToHost));
  printData("set col read col", gpuRef, BDIM * BDIM, false);

  CHECK(cudaMemset(d_C, 0, nBytes));
  setRowReadRow<<<grid, block>>>(d_C);
  CHECK(cudaMemcpy(gpuRef, d_C, nBytes, cudaMemcpyDeviceToHost));
  printData("set row read row", gpuRef, BDIM * BDIM, false);

  CHECK(cudaMemset(d_C, 0, nBytes));
  setRowReadCol<<<grid, block>>>(d_C);
  CHECK(cudaMemcpy(gpuRef, d_C, nBytes, cudaMemcpyDeviceToHost));
  printData("set row read col", gpuRef, BDIM * BDIM, true);

  CHECK(cudaMemset(d_C, 0, nBytes));
  setRowReadColPad<<<grid, block>>>(d_C);
  CHECK(cudaMemcpy(gpuRef, d_C, nBytes, cudaMemcpyDeviceToHost));
  printData("set row read col pad", gpuRef, BDIM * BDIM, true);

  CHECK(cudaMemset(d_C, 0, nBytes));
  setRowReadColDyn<<<grid, block, BDIM * BDIM * sizeof(int)>>>(d_C);
  CHECK(cudaMemcpy(gpuRef, d_C, nBytes, cudaMemcpyDeviceToHost));
  printData("set row read col dyn", gpuRef, BDIM * BDIM, true);

  CHECK(cudaFree(d_C));
  free(gpuRef);
  CHECK(cudaDeviceReset());
  return EXIT_SUCCESS;
}
