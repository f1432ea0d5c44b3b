// launch: entry=k grid=2 block=64 args=out:f32[128],in:f32[128],i32:1
__device__ __noinline__ float pick(const float* p, int i) { return p[i]; }
extern "C" __global__ void k(float* out, const float* in, int shared) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 64 + t] * 2.0f;
  __syncthreads();
  out[blockIdx.x * 64 + t] = pick((t / 32 == 0) == (shared != 0) ? tile : in, 63 - t);
}
