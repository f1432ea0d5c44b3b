// launch: entry=k grid=4 block=64 args=out:f32[1024],in:f32[1024],i32:256
extern "C" __global__ void k(float4* out, const float4* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
