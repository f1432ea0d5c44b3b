// launch: entry=k grid=2 block=64 args=out:i32[128],in:i32[128]%1000
extern "C" __global__ void k(int* out, const int* in) {
  int i = blockIdx.x * 64 + threadIdx.x, steps = 0;
  unsigned v = in[i] + 1;
  while (v != 1) {
    v = v % 2 ? 3 * v + 1 : v / 2;
    ++steps;
  }
  out[i] = steps;
}
