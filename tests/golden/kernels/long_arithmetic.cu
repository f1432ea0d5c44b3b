// launch: entry=k grid=2 block=64 args=out:i64[128],in:i64[128]
extern "C" __global__ void k(long long* out, const long long* in) {
  int i = blockIdx.x * 64 + threadIdx.x;
  long long v = in[i], w = in[127 - i];
  out[i] = v * w + __mul64hi(v, w) - (v >> 7) / ((w & 1023) + 1);
}
