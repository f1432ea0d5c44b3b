// Variables of the module: constant tables, device globals, their addresses and sizes, partial copies with offsets.
#include <stdio.h>
#include <stdlib.h>

#define CHECK(e) { cudaError_t r = (e); if (r != cudaSuccess) { printf("%d: %s\n", __LINE__, cudaGetErrorString(r)); exit(1); } }

struct Params {
  float scale;
  int shift;
  short flags[3];
};

__constant__ int table[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
__constant__ Params params;
__device__ int counter = 41;
__device__ float weights[16];
__device__ const char *greeting = "constant";
__device__ int *link = &counter;  // an address as initial value
static __constant__ double pi_ish = 3.25;

__global__ void use(int *out) {
  int t = threadIdx.x;
  int digit = table[t % 8] * params.shift;
  out[t] = digit + params.flags[t % 3] + (int)(params.scale * weights[t % 16]) + (int)pi_ish;
  if (t == 0) {
    atomicAdd(link, 1);
    out[32] = greeting[0] == 'c' ? 7 : 8;
  }
}

int main() {
  Params p = {2.5f, 3, {5, 6, 7}};
  float w[16];
  for (int i = 0; i < 16; ++i) w[i] = 2.0f * i;
  int six = 6;
  CHECK(cudaMemcpyToSymbol(params, &p, sizeof p));
  CHECK(cudaMemcpyToSymbol(weights, w, sizeof w));
  CHECK(cudaMemcpyToSymbol(table, &six, sizeof six, 2 * sizeof(int), cudaMemcpyHostToDevice));
  size_t size = 0;
  void *address = NULL;
  CHECK(cudaGetSymbolSize(&size, weights));
  CHECK(cudaGetSymbolAddress(&address, weights));
  float w5;
  CHECK(cudaMemcpy(&w5, (float *)address + 5, sizeof w5, cudaMemcpyDeviceToHost));
  printf("weights has %zu bytes, element 5 is %.1f\n", size, w5);
  int *out, h[33];
  CHECK(cudaMalloc(&out, sizeof h));
  use<<<1, 32>>>(out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
  int count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  const int t8[] = {1, 10, 6, 1000, 10000, 100000, 1000000, 10000000};
  int bad = 0;
  for (int t = 0; t < 32; ++t) bad += h[t] != t8[t % 8] * 3 + p.flags[t % 3] + (int)(2.5f * w[t % 16]) + 3;
  printf("counter %d, letter %d, out[2] %d, out[31] %d, %d wrong\n", count, h[32], h[2], h[31], bad);
  cudaError_t beyond = cudaMemcpyToSymbol(table, t8, 9 * sizeof(int));
  printf("copying too much: %s\n", cudaGetErrorName(beyond));
  cudaGetLastError();
  CHECK(cudaFree(out));
  return bad || count != 42 || h[32] != 7 || beyond == cudaSuccess;
}
