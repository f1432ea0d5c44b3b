// The same, but the place alone is stored, with or without a value.
// finding: uninitialised-local in largest
#include <cstdio>
struct Found {
  int key;
  float place, weight;
};
__global__ void largest(Found *out, const int *in, int count, int least) {
  Found best;
  best.key = -1;
  for (int k = 0; k < count; ++k)
    if (in[k] > least + (int)threadIdx.x) best.key = in[k], best.place = k, best.weight = 1;
  out[threadIdx.x].place = best.place;
}
int main() {
  int host[64], *in;
  Found found[32], *out;
  for (int k = 0; k < 64; ++k) host[k] = k % 37;
  cudaMalloc(&in, sizeof host), cudaMalloc(&out, sizeof found);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  largest<<<1, 32>>>(out, in, 64, 20);
  cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost);
  for (int k = 0; k < 32; k += 8)
    printf("%.0f\n", found[k].place);
  cudaFree(in), cudaFree(out);
  return 0;
}
