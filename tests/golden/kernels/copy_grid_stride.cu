// launch: entry=k grid=3 block=64 args=out:f32[1500],in:f32[1500],i32:1500
extern "C" __global__ void k(float* out, const float* in, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 2.0f * in[i];
}
