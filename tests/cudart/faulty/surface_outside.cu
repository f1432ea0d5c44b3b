// exit: 1
// golden: none
// The first coordinate of a surface counts bytes: the last lanes write outside of their row.
#include <cstdio>

__global__ void fill(cudaSurfaceObject_t s) {
  const int x = threadIdx.x * int(sizeof(float2));
  surf2Dwrite(1.0f, s, x, 0);  // FAULT out-of-bounds
}

int main() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  cudaMallocArray(&resource.res.array.array, &format, 32, 4, cudaArraySurfaceLoadStore);
  cudaSurfaceObject_t s = 0;
  cudaCreateSurfaceObject(&s, &resource);
  fill<<<1, 32>>>(s);
  std::printf("%s\n", cudaDeviceSynchronize() == cudaSuccess ? "done" : "a fault");
  return 1;
}
