// golden: none
// reports: through a texture
// A kernel reads through a texture what its block has just written to the same array, behind a barrier.
#include <cstdio>

__global__ void turn(cudaSurfaceObject_t surface, cudaTextureObject_t texture, float* out) {
  const int x = threadIdx.x;
  surf2Dwrite(2.0f * x, surface, x * int(sizeof(float)), 0);
  __syncthreads();
  out[x] = tex2D<float>(texture, 31 - x, 0);  // FAULT global-race
}

int main() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  cudaMallocArray(&resource.res.array.array, &format, 32, 1, cudaArraySurfaceLoadStore);
  cudaSurfaceObject_t surface = 0;
  cudaTextureObject_t texture = 0;
  const cudaTextureDesc plain = {};
  cudaCreateSurfaceObject(&surface, &resource);
  cudaCreateTextureObject(&texture, &resource, &plain, nullptr);
  float* out;
  cudaMalloc(&out, 32 * sizeof(float));
  turn<<<1, 32>>>(surface, texture, out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
