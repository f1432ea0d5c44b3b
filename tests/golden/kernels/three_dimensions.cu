// launch: entry=k grid=2,2,2 block=8,4,4 args=out:f32[1024],in:f32[1024]
extern "C" __global__ void k(float* out, const float* in) {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z * 4 + threadIdx.z;
  out[(x * 8 + y) * 8 + z] = in[(z * 8 + y) * 16 + x];
}
