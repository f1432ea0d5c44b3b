// launch: entry=k grid=2 block=128 args=out:i32[256],in:i32[256]%8
extern "C" __global__ void k(int* out, const int* in) {
  int i = blockIdx.x * 128 + threadIdx.x, v = in[i];
  switch (v) {
    case 0: v = 17; break;
    case 1: v = i; break;
    case 2: v = i * i; break;
    case 3: v = out[i] + 4; break;
    case 4: v = -i; break;
    case 5: v = i << 3; break;
    default: v = in[255 - i];
  }
  out[i] = v;
}
