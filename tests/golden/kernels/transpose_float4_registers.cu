// launch: entry=k grid=2,1 block=16,16 args=out:f32[8192],in:f32[8192],i32:64,i32:128
extern "C" __global__ void k(float* out, const float* in, int rows, int cols) {
  int c = (blockIdx.x * 16 + threadIdx.x) * 4, r = (blockIdx.y * 16 + threadIdx.y) * 4;
  if (r >= rows || c >= cols) return;
  float4 a = *(const float4*)&in[r * cols + c], b = *(const float4*)&in[(r + 1) * cols + c];
  float4 d = *(const float4*)&in[(r + 2) * cols + c], e = *(const float4*)&in[(r + 3) * cols + c];
  *(float4*)&out[c * rows + r] = make_float4(a.x, b.x, d.x, e.x);
  *(float4*)&out[(c + 1) * rows + r] = make_float4(a.y, b.y, d.y, e.y);
  *(float4*)&out[(c + 2) * rows + r] = make_float4(a.z, b.z, d.z, e.z);
  *(float4*)&out[(c + 3) * rows + r] = make_float4(a.w, b.w, d.w, e.w);
}
