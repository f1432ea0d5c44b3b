// Each thread reads its own word through a volatile pointer, while the atomics of others change it.
// launch: 8 64
extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (*(volatile int*)&out[i] != 0) return;
  atomicCAS(&out[(i * 7 + 65) % n], 0, i);
}
