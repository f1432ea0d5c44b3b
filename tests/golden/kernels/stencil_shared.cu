// launch: entry=k grid=4 block=128 args=out:f32[512],in:f32[512],i32:512
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float tile[130];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  tile[t + 1] = in[i];
  if (t == 0) tile[0] = i > 0 ? in[i - 1] : 0.0f;
  if (t == 127) tile[129] = i + 1 < n ? in[i + 1] : 0.0f;
  __syncthreads();
  out[i] = tile[t] + tile[t + 1] + tile[t + 2];
}
