// launch: entry=k grid=4 block=64 args=out:f32[500],in:f32[500],i32:250
extern "C" __global__ void k(float2* out, const float2* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = make_float2(in[i].y, in[i].x);
}
