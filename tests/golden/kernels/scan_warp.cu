// launch: entry=k grid=4 block=64 args=out:i32[256],in:i32[256]
extern "C" __global__ void k(int* out, const int* in) {
  int i = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x % 32, v = in[i];
  for (int d = 1; d < 32; d *= 2) {
    int w = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += w;
  }
  out[i] = v;
}
