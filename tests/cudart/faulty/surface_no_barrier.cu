// golden: none
// reports: a CUDA array + 124 bytes
// Threads of two warps write and read one row of a surface, with nothing between.
#include <cstdio>

__global__ void turn(cudaSurfaceObject_t surface, float* out) {
  const int x = threadIdx.x;
  surf2Dwrite(2.0f * x, surface, x * int(sizeof(float)), 0);
  out[x] = surf2Dread<float>(surface, (63 - x) * int(sizeof(float)), 0);  // FAULT global-race
}

int main() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  cudaMallocArray(&resource.res.array.array, &format, 64, 1, cudaArraySurfaceLoadStore);
  cudaSurfaceObject_t surface = 0;
  cudaCreateSurfaceObject(&surface, &resource);
  float* out;
  cudaMalloc(&out, 64 * sizeof(float));
  turn<<<1, 64>>>(surface, out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
