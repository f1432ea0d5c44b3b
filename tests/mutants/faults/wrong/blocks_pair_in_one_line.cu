// A transpose in place: blocks 0 and 1 read the first row, 0 and 4 write it, and the pair that meets is 1 and 4.
// launch: 16 256
extern "C" __global__ void kernel(int* out, int* in, int n) {
  int x = blockIdx.x % 4 * 16 + threadIdx.x % 16, y = blockIdx.x / 4 * 16 + threadIdx.x / 16;
  int value = in[y * 64 + x];  // FAULT global-race
  in[x * 64 + y] = value;      // FAULT global-race
}
