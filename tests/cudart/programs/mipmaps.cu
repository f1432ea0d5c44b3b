// Mipmapped arrays: levels made by copies and by surfaces, read by level and by derivatives, point and linear between
// levels, clamped and biased; layers, three dimensions, the driver's names, and what is refused.
// nvcc: -lcuda
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#define EXPECT(condition)                                                          \
  do {                                                                             \
    if (!(condition)) std::printf("line %d: %s\n", __LINE__, #condition), ++wrong; \
  } while (0)

constexpr int kWidth = 16, kHeight = 8, kLevels = 5;
int wrong = 0;

struct Read {
  float at[4];  // by level
  float steps;  // by derivatives
};
__global__ void read_2d(cudaTextureObject_t t, const Read* asked, float* out) {
  const int i = threadIdx.x;
  const Read r = asked[i];
  out[2 * i] = tex2DLod<float>(t, r.at[0], r.at[1], r.at[2]);
  out[2 * i + 1] = tex2DGrad<float>(t, r.at[0], r.at[1], make_float2(r.steps, 0), make_float2(0, r.steps / 2));
}
__global__ void read_plain(cudaTextureObject_t t, float* out) { out[0] = tex2D<float>(t, 0.5f, 0.5f); }
__global__ void read_layer(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex2DLayeredLod<float>(t, 0.5f, 0.5f, threadIdx.x, 1.0f);
}
__global__ void read_3d(cudaTextureObject_t t, float* out) {
  out[0] = tex3DLod<float>(t, 0.5f, 0.5f, 0.5f, 1.0f);
  out[1] = tex3DGrad<float>(t, 0.5f, 0.5f, 0.5f, make_float4(0.25f, 0, 0, 0), make_float4(0, 0, 0.5f, 0));
}
__global__ void read_bytes(cudaTextureObject_t t, float4* out) { *out = tex2DLod<float4>(t, 0.5f, 0.5f, 0.5f); }
__global__ void write_level(cudaSurfaceObject_t s, float value) {
  surf2Dwrite(value, s, threadIdx.x * sizeof(float), threadIdx.y);
}

cudaTextureObject_t texture_of(cudaMipmappedArray_t mipmaps, cudaTextureFilterMode between, float least, float most, float bias,
                               cudaTextureReadMode mode = cudaReadModeElementType) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = mipmaps;
  cudaTextureDesc how{};
  for (auto& m : how.addressMode) m = cudaAddressModeClamp;
  how.normalizedCoords = 1;
  how.readMode = mode;
  how.mipmapFilterMode = between;
  how.minMipmapLevelClamp = least;
  how.maxMipmapLevelClamp = most;
  how.mipmapLevelBias = bias;
  cudaTextureObject_t t = 0;
  EXPECT(cudaCreateTextureObject(&t, &resource, &how, nullptr) == cudaSuccess);
  return t;
}

// Level k holds 100 k everywhere: level 3 from a surface, the others by copies.
cudaMipmappedArray_t pyramid() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t made = nullptr;
  EXPECT(cudaMallocMipmappedArray(&made, &format, make_cudaExtent(kWidth, kHeight, 0), 99, cudaArraySurfaceLoadStore) ==
         cudaSuccess);
  for (int k = 0; k < kLevels; ++k) {
    cudaArray_t level = nullptr;
    EXPECT(cudaGetMipmappedArrayLevel(&level, made, k) == cudaSuccess);
    cudaExtent sides;
    EXPECT(cudaArrayGetInfo(nullptr, &sides, nullptr, level) == cudaSuccess);
    EXPECT(sides.width == std::size_t(kWidth >> k) && sides.height == std::size_t(kHeight >> k > 0 ? kHeight >> k : 1));
    if (k == 3) {
      cudaResourceDesc resource{};
      resource.resType = cudaResourceTypeArray;
      resource.res.array.array = level;
      cudaSurfaceObject_t surface;
      EXPECT(cudaCreateSurfaceObject(&surface, &resource) == cudaSuccess);
      write_level<<<1, dim3(sides.width, sides.height)>>>(surface, 300);
      EXPECT(cudaDestroySurfaceObject(surface) == cudaSuccess);
      continue;
    }
    const std::vector<float> texels(sides.width * sides.height, 100.0f * k);
    EXPECT(cudaMemcpy2DToArray(level, 0, 0, texels.data(), sides.width * 4, sides.width * 4, sides.height,
                               cudaMemcpyHostToDevice) == cudaSuccess);
  }
  cudaArray_t none = nullptr, level = nullptr;
  EXPECT(cudaGetMipmappedArrayLevel(&none, made, kLevels) == cudaErrorInvalidValue);
  EXPECT(cudaGetMipmappedArrayLevel(&level, made, 0) == cudaSuccess);
  return made;
}

void levels_of(cudaMipmappedArray_t mipmaps, Read* asked, float* out) {
  struct {
    cudaTextureFilterMode between;
    float least, most, bias;
  } const cases[] = {{cudaFilterModePoint, 0, 4, 0},   {cudaFilterModeLinear, 0, 4, 0},     {cudaFilterModeLinear, 0, 0, 0},
                     {cudaFilterModeLinear, 1.3f, 2.6f, 0}, {cudaFilterModeLinear, 0, 9, 0.3f}, {cudaFilterModePoint, 0, 9, -1}};
  constexpr int kReads = 24;
  for (const auto& one : cases) {
    for (int i = 0; i < kReads; ++i) asked[i] = {{0.3f, 0.6f, 0.25f * i - 1, 0}, std::exp2(0.25f * i - 1) / kWidth};
    const cudaTextureObject_t t = texture_of(mipmaps, one.between, one.least, one.most, one.bias);
    read_2d<<<1, kReads>>>(t, asked, out);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < kReads; ++i) {
      // Levels count in parts of 256; what is left over is cut off.
      int parts = int((0.25f * i - 1) * 256) + int(one.bias * 256);
      parts = std::min(std::max(parts, int(one.least * 256)), std::min(int(one.most * 256), (kLevels - 1) * 256));
      parts = std::max(parts, 0);
      const float level = one.between == cudaFilterModePoint ? (parts + 128) / 256 : parts / 256.0f;
      EXPECT(out[2 * i] == 100 * level);
      const bool halfway = one.between == cudaFilterModePoint && i % 4 == 2;  // where a last place decides
      EXPECT(halfway || std::fabs(out[2 * i + 1] - 100 * level) < 0.5f);
    }
    EXPECT(cudaDestroyTextureObject(t) == cudaSuccess);
  }
  const cudaTextureObject_t plain = texture_of(mipmaps, cudaFilterModeLinear, 0, 4, 0);
  read_plain<<<1, 1>>>(plain, out);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess && out[0] == 0);  // without a level: the first
  cudaDestroyTextureObject(plain);
}

// Every level of an image of layers or planes holds 10 * level + plane.
template <class T>
cudaMipmappedArray_t filled(cudaExtent sides, int levels, unsigned flags, const T& value) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t made = nullptr;
  EXPECT(cudaMallocMipmappedArray(&made, &format, sides, levels, flags) == cudaSuccess);
  for (int k = 0; k < levels; ++k) {
    cudaMemcpy3DParms copy{};
    EXPECT(cudaGetMipmappedArrayLevel(&copy.dstArray, made, k) == cudaSuccess);
    EXPECT(cudaArrayGetInfo(nullptr, &copy.extent, nullptr, copy.dstArray) == cudaSuccess);
    std::vector<float> texels;
    for (std::size_t z = 0; z < copy.extent.depth; ++z)
      for (std::size_t i = 0; i < copy.extent.width * copy.extent.height; ++i) texels.push_back(value(k, z));
    copy.srcPtr = make_cudaPitchedPtr(texels.data(), copy.extent.width * 4, copy.extent.width, copy.extent.height);
    copy.kind = cudaMemcpyHostToDevice;
    EXPECT(cudaMemcpy3D(&copy) == cudaSuccess);
  }
  return made;
}

void other_shapes(float* out) {
  const auto layers = filled(make_cudaExtent(8, 8, 3), 2, cudaArrayLayered, [](int k, std::size_t z) { return 10.0f * k + z; });
  const cudaTextureObject_t of_layers = texture_of(layers, cudaFilterModePoint, 0, 9, 0);
  read_layer<<<1, 3>>>(of_layers, out);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess && out[0] == 10 && out[1] == 11 && out[2] == 12);
  const auto volume = filled(make_cudaExtent(8, 8, 8), 4, 0, [](int k, std::size_t) { return 10.0f * k; });
  const cudaTextureObject_t of_volume = texture_of(volume, cudaFilterModePoint, 0, 9, 0);
  read_3d<<<1, 1>>>(of_volume, out);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess && out[0] == 10 && out[1] == 20);
  cudaDestroyTextureObject(of_layers), cudaDestroyTextureObject(of_volume);
  EXPECT(cudaFreeMipmappedArray(layers) == cudaSuccess && cudaFreeMipmappedArray(volume) == cudaSuccess);
}

void by_the_driver(float4* out) {
  CUDA_ARRAY3D_DESCRIPTOR made{};
  made.Width = made.Height = 2;
  made.Format = CU_AD_FORMAT_UNSIGNED_INT8;
  made.NumChannels = 4;
  CUmipmappedArray mipmaps;
  CUarray level;
  EXPECT(cuMipmappedArrayCreate(&mipmaps, &made, 2) == CUDA_SUCCESS);
  EXPECT(cuMipmappedArrayGetLevel(&level, mipmaps, 2) == CUDA_ERROR_INVALID_VALUE);
  for (unsigned k = 0; k < 2; ++k) {
    EXPECT(cuMipmappedArrayGetLevel(&level, mipmaps, k) == CUDA_SUCCESS);
    unsigned char texels[2][2][4];
    for (auto& row : texels)
      for (auto& texel : row) texel[0] = k == 0 ? 0 : 255, texel[1] = 255, texel[2] = 51, texel[3] = 0;
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = texels, copy.srcPitch = sizeof texels[0];
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = level;
    copy.WidthInBytes = 8u >> k, copy.Height = 2u >> k;
    EXPECT(cuMemcpy2D(&copy) == CUDA_SUCCESS);
  }
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  resource.res.mipmap.hMipmappedArray = mipmaps;
  CUDA_TEXTURE_DESC how{};
  how.flags = CU_TRSF_NORMALIZED_COORDINATES;
  how.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
  how.maxMipmapLevelClamp = 1;
  CUtexObject t;
  EXPECT(cuTexObjectCreate(&t, &resource, &how, nullptr) == CUDA_SUCCESS);
  read_bytes<<<1, 1>>>(t, out);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  EXPECT(out->x == 32768 / 65535.0f && out->y == 1 && out->z == 51 / 255.0f && out->w == 0);  // mixed as 16-bit numbers
  EXPECT(cuTexObjectDestroy(t) == CUDA_SUCCESS);
  EXPECT(cuMipmappedArrayDestroy(mipmaps) == CUDA_SUCCESS);
}

int main() {
  float* out;
  Read* asked;
  cudaMallocManaged(&out, 256 * sizeof(float));
  cudaMallocManaged(&asked, 64 * sizeof(Read));
  const cudaMipmappedArray_t mipmaps = pyramid();
  levels_of(mipmaps, asked, out);
  other_shapes(out);
  by_the_driver(reinterpret_cast<float4*>(out));
  cudaArray_t level;
  cudaGetMipmappedArrayLevel(&level, mipmaps, 1);
  EXPECT(cudaFreeArray(level) == cudaSuccess);  // it has no memory of its own
  EXPECT(cudaFreeMipmappedArray(mipmaps) == cudaSuccess);
  std::printf("%d wrong\n", wrong);
  cudaFree(out), cudaFree(asked);
  return wrong == 0 ? 0 : 1;
}
