// Levels of a search, counted by an atomic whose value is no flag.
// launch: 8 64
extern "C" __global__ void kernel(int* out, int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int slot = atomicAdd(&out[4000], 1);
  out[slot] = i;                     // FAULT global-race
  if (i < n - 1) in[i] = out[i + 1];  // FAULT global-race
}
