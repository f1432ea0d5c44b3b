// What the paths that do not see stores of their own launch may be used for: reads before a store, by whoever stores;
// textures of what an earlier launch wrote; surfaces and pointers behind a barrier. Of bytes side by side each thread
// has its own.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                        \
  do {                                                                     \
    const cudaError_t error = (call);                                      \
    if (error != cudaSuccess) {                                            \
      std::printf("%s: %s\n", #call, cudaGetErrorName(error));             \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)

constexpr int kWidth = 64, kHeight = 8;

__global__ void in_place(float* a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = 1.0f + __ldg(&a[i]);
}
__global__ void read_all_then_store(float* a, float* out) {
  const int i = threadIdx.x;
  const float other = __ldg(&a[blockDim.x - 1 - i]);
  __syncthreads();
  a[i] = other;
  __syncthreads();
  out[i] = a[blockDim.x - 1 - i];
}
__global__ void write_and_exchange(cudaSurfaceObject_t surface, float* sums) {
  const int x = threadIdx.x, y = blockIdx.x;
  surf2Dwrite(float(x + 100 * y), surface, x * int(sizeof(float)), y);
  __syncthreads();
  atomicAdd(sums + y, surf2Dread<float>(surface, (kWidth - 1 - x) * int(sizeof(float)), y));
}
__global__ void smooth(cudaTextureObject_t texture, float* sums) {
  const float x = (threadIdx.x + 1.0f) / kWidth, y = (blockIdx.x + 1.0f) / kHeight;
  const float4 corners = tex2Dgather<float4>(texture, x, y, 0);
  atomicAdd(sums + blockIdx.x, tex2D<float>(texture, x, y) + corners.x - corners.z);
}
__global__ void bytes(cudaSurfaceObject_t surface) {
  const int x = threadIdx.x;
  surf2Dwrite(static_cast<unsigned char>(x), surface, x, 0);
  const unsigned char own = surf2Dread<unsigned char>(surface, x, 0);
  surf2Dwrite(static_cast<unsigned char>(own + 1), surface, x, 0);
}

int main() {
  float *a, *out, host[kHeight];
  CHECK(cudaMalloc(&a, 256 * sizeof(float)));
  CHECK(cudaMalloc(&out, 256 * sizeof(float)));
  CHECK(cudaMemset(a, 0, 256 * sizeof(float)));
  in_place<<<4, 64>>>(a);
  in_place<<<4, 64>>>(a);
  read_all_then_store<<<1, 256>>>(a, out);
  CHECK(cudaMemcpy(host, out, sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("in place: %g\n", host[0]);

  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  CHECK(cudaMallocArray(&resource.res.array.array, &format, kWidth, kHeight,
                        cudaArraySurfaceLoadStore | cudaArrayTextureGather));
  cudaSurfaceObject_t surface = 0;
  cudaTextureObject_t texture = 0;
  cudaTextureDesc mixing = {};
  mixing.filterMode = cudaFilterModeLinear;
  mixing.normalizedCoords = 1;
  mixing.addressMode[0] = mixing.addressMode[1] = cudaAddressModeClamp;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  CHECK(cudaCreateTextureObject(&texture, &resource, &mixing, nullptr));
  for (auto kernel : {0, 1}) {
    CHECK(cudaMemset(out, 0, 256 * sizeof(float)));
    if (kernel == 0) write_and_exchange<<<kHeight, kWidth>>>(surface, out);
    else smooth<<<kHeight, kWidth>>>(texture, out);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (float sum : host) std::printf(" %g", sum);
    std::printf("\n");
  }
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaFreeArray(resource.res.array.array));

  const cudaChannelFormatDesc byte = cudaCreateChannelDesc<unsigned char>();
  CHECK(cudaMallocArray(&resource.res.array.array, &byte, kWidth, 1, cudaArraySurfaceLoadStore));
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  bytes<<<1, kWidth>>>(surface);
  unsigned char row[kWidth];
  CHECK(cudaMemcpy2DFromArray(row, kWidth, resource.res.array.array, 0, 0, kWidth, 1, cudaMemcpyDeviceToHost));
  std::printf("bytes: %d %d\n", row[0], row[kWidth - 1]);
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaFreeArray(resource.res.array.array));
  CHECK(cudaFree(a));
  CHECK(cudaFree(out));
}
