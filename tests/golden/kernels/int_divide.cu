// launch: entry=k grid=2 block=64 args=out:i32[256],in:i32[128],d:i32[128]%37
extern "C" __global__ void k(int* out, const int* in, const int* d) {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[2 * i] = in[i] / (d[i] + 1);
  out[2 * i + 1] = in[i] % (d[i] - 50);
}
