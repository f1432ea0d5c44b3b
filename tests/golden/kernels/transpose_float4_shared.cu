// launch: entry=k grid=4,2 block=8,32 args=out:f32[8192],in:f32[8192],i32:64,i32:128
extern "C" __global__ void k(float* out, const float* in, int rows, int cols) {
  __shared__ float4 tile[32][8];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x ^ (y / 4 % 8)] = *(const float4*)&in[(blockIdx.y * 32 + y) * cols + blockIdx.x * 32 + x * 4];
  __syncthreads();
  const float* words = (const float*)tile;
  float4 v;
  int chunk = y / 4, inside = y % 4;
  v.x = words[(x * 4 + 0) * 32 + (chunk ^ x) * 4 + inside];
  v.y = words[(x * 4 + 1) * 32 + (chunk ^ x) * 4 + inside];
  v.z = words[(x * 4 + 2) * 32 + (chunk ^ x) * 4 + inside];
  v.w = words[(x * 4 + 3) * 32 + (chunk ^ x) * 4 + inside];
  *(float4*)&out[(blockIdx.x * 32 + y) * rows + blockIdx.y * 32 + x * 4] = v;
}
