// Arrays, textures and surfaces through the driver API, in kernels of the runtime.
// golden: none
#include <cuda.h>

#include <cstdio>
#include <vector>

#define CHECK(call)                                                              \
  do {                                                                           \
    const CUresult e = (call);                                                   \
    if (e != CUDA_SUCCESS) std::printf("%s: %d\n", #call, int(e)), std::exit(1); \
  } while (0)

constexpr int kWidth = 16, kHeight = 4;

// Each texel plus its right neighbour, halved; the sum of both goes to the surface.
__global__ void mix(cudaTextureObject_t t, cudaSurfaceObject_t s, float* out) {
  const float x = threadIdx.x + 1.0f, y = threadIdx.y + 0.5f;
  const float value = tex2D<float>(t, x, y);
  out[threadIdx.y * kWidth + threadIdx.x] = value;
  surf2Dwrite(2 * value, s, int(threadIdx.x * sizeof(float)), threadIdx.y);
}

int main() {
  cudaFree(nullptr);
  std::vector<unsigned char> image(kWidth * kHeight);
  for (std::size_t k = 0; k < image.size(); ++k) image[k] = k * 3;
  CUDA_ARRAY_DESCRIPTOR shape = {kWidth, kHeight, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  CUarray bytes = nullptr, floats = nullptr;
  CHECK(cuArrayCreate(&bytes, &shape));
  CUDA_ARRAY3D_DESCRIPTOR plane = {kWidth, kHeight, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
  CHECK(cuArray3DCreate(&floats, &plane));
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = image.data();
  copy.srcPitch = kWidth;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = bytes;
  copy.WidthInBytes = kWidth;
  copy.Height = kHeight;
  CHECK(cuMemcpy2D(&copy));

  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = bytes;
  CUDA_TEXTURE_DESC how = {};
  for (auto& mode : how.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
  how.filterMode = CU_TR_FILTER_MODE_LINEAR;
  CUtexObject texture = 0;
  CHECK(cuTexObjectCreate(&texture, &resource, &how, nullptr));
  resource.res.array.hArray = floats;
  CUsurfObject surface = 0;
  CHECK(cuSurfObjectCreate(&surface, &resource));

  float* out = nullptr;
  cudaMalloc(&out, sizeof(float) * kWidth * kHeight);
  mix<<<1, dim3(kWidth, kHeight)>>>(texture, surface, out);
  std::vector<float> got(kWidth * kHeight), twice(kWidth);
  cudaMemcpy(got.data(), out, got.size() * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int k = 0; k < kWidth * kHeight; ++k) {
    const int right = k % kWidth + 1 < kWidth ? k + 1 : k;
    const int mixed = (image[k] * 257 * 128 + image[right] * 257 * 128 + 128) >> 8;
    wrong += got[k] != float(mixed / 65535.0);
  }
  std::printf("bytes read as floats: %d differ\n", wrong);
  CHECK(cuMemcpyAtoH(twice.data(), floats, 0, sizeof(float) * kWidth));
  wrong = 0;
  for (int x = 0; x < kWidth; ++x) wrong += twice[x] != 2 * got[x];
  std::printf("first row of the surface: %d differ\n", wrong);
  CHECK(cuTexObjectDestroy(texture));
  CHECK(cuSurfObjectDestroy(surface));
  CHECK(cuArrayDestroy(bytes));
  CHECK(cuArrayDestroy(floats));
  cudaFree(out);
}
