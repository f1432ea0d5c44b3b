// Lanes that ldmatrix.x2 does not load from repeat the rows of those it loads from.
// flags: --gpu t4
// clean
#include <cstdio>

__global__ void load(unsigned* out) {
  __shared__ __align__(16) short tile[16 * 8];
  for (int k = threadIdx.x; k < 16 * 8; k += 32) tile[k] = k;
  __syncwarp();
  const unsigned row = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + threadIdx.x % 16 * 16;
  unsigned first, second;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(first), "=r"(second) : "r"(row));
  out[threadIdx.x] = first + second;
}

int main() {
  unsigned *out, back[32];
  cudaMalloc(&out, sizeof back);
  load<<<1, 32>>>(out);
  cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
  cudaFree(out);
  std::printf("%u\n", back[31]);
}
