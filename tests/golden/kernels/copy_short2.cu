// launch: entry=k grid=2 block=128 args=out:i16[512],in:i16[512],i32:256
extern "C" __global__ void k(short2* out, const short2* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = make_short2(in[i].y, -in[i].x);
}
