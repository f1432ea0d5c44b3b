// Each thread reads its own word plainly, while the atomics of others change it.
// launch: 8 64
extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (out[i] != 0) return;              // FAULT global-race
  atomicCAS(&out[(i * 7 + 65) % n], 0, i);  // FAULT global-race
}
