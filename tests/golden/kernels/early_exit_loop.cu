// launch: entry=k grid=2 block=64 args=out:i32[128],in:i32[2048]
extern "C" __global__ void k(int* out, const int* in) {
  int i = blockIdx.x * 64 + threadIdx.x;
#pragma unroll 1
  for (int j = 0; j < 16; ++j)
    if (in[j * 128 + i] % 5 == 0) {
      out[i] = j + 1;
      return;
    }
  out[i] = -1;
}
