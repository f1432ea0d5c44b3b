// launch: entry=k grid=2 block=64 args=out:u8[512],in:u8[512],i32:128
extern "C" __global__ void k(uchar4* out, const uchar4* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    uchar4 v = in[i];
    out[i] = make_uchar4(v.w, v.z, v.y, v.x);
  }
}
