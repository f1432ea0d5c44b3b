// The largest element and its place: where none is large enough, the place has no value, and the host does not look at it.
// clean
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
  out[threadIdx.x] = best;
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
    if (found[k].key >= 0) printf("%d at %.0f\n", found[k].key, found[k].place);
  cudaFree(in), cudaFree(out);
  return 0;
}
