// Blocks of eight threads write nine elements each: four blocks share a line of 128 bytes, and each meets its neighbours alone.
// launch: 64 9
extern "C" __global__ void kernel(int* out, int* in, int n) {
  out[blockIdx.x * 8 + threadIdx.x] = blockIdx.x;  // FAULT global-race
}
