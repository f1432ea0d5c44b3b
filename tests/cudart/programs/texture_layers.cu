// Textures of layers, of three dimensions and of cubes; cudaMemcpy3D to, from and between arrays.
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                          \
  do {                                                                                       \
    const cudaError_t e = (call);                                                            \
    if (e != cudaSuccess) std::printf("%s: %s\n", #call, cudaGetErrorName(e)), std::exit(1); \
  } while (0)

constexpr int kWidth = 8, kHeight = 4, kDepth = 6;

__global__ void layers(cudaTextureObject_t t, float* out) {
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  out[(z * kHeight + y) * kWidth + x] = tex2DLayered<float>(t, x + 0.5f, y + 0.5f, z);
}
__global__ void lines(cudaTextureObject_t t, float* out) {
  out[threadIdx.y * kWidth + threadIdx.x] = tex1DLayered<float>(t, threadIdx.x + 1.0f, threadIdx.y);
}
__global__ void volume(cudaTextureObject_t t, float shift, float* out) {
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  out[(z * kHeight + y) * kWidth + x] = tex3D<float>(t, x + shift, y + shift, z + shift);
}
__global__ void faces(cudaTextureObject_t t, float* out) {
  const int face = threadIdx.z;
  const float u = (threadIdx.x + 0.5f) / 2 - 1, v = (threadIdx.y + 0.5f) / 2 - 1;
  const float3 d = face == 0   ? make_float3(1, -v, -u)
                   : face == 1 ? make_float3(-1, -v, u)
                   : face == 2 ? make_float3(u, 1, v)
                   : face == 3 ? make_float3(u, -1, -v)
                   : face == 4 ? make_float3(u, -v, 1)
                               : make_float3(-u, -v, -1);
  out[(face * 4 + threadIdx.y) * 4 + threadIdx.x] = texCubemap<float>(t, d.x, d.y, d.z);
}

cudaTextureObject_t object_of(cudaArray_t array, bool linear, bool normalised) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc desc = {};
  for (auto& m : desc.addressMode) m = cudaAddressModeClamp;
  desc.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  desc.normalizedCoords = normalised;
  cudaTextureObject_t t = 0;
  CHECK(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
  return t;
}

cudaArray_t filled(const std::vector<float>& values, cudaExtent made, cudaExtent copied, unsigned flags) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  CHECK(cudaMalloc3DArray(&array, &format, made, flags));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(values.data()), copied.width * 4, copied.width, copied.height);
  copy.dstArray = array;
  copy.extent = copied;
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  return array;
}

std::size_t different(const float* device, const std::vector<float>& wanted) {
  std::vector<float> got(wanted.size());
  CHECK(cudaMemcpy(got.data(), device, got.size() * 4, cudaMemcpyDeviceToHost));
  std::size_t count = 0;
  for (std::size_t k = 0; k < got.size(); ++k) count += got[k] != wanted[k];
  return count;
}

int main() {
  std::vector<float> values(kWidth * kHeight * kDepth);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = float((k * 29) % 101);
  float* out = nullptr;
  CHECK(cudaMalloc(&out, values.size() * 4));
  const cudaExtent all = make_cudaExtent(kWidth, kHeight, kDepth);

  cudaArray_t array = filled(values, all, all, cudaArrayLayered);
  cudaTextureObject_t t = object_of(array, false, false);
  layers<<<1, dim3(kWidth, kHeight, kDepth)>>>(t, out);
  std::printf("layers: %zu differ\n", different(out, values));
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaFreeArray(array));

  array = filled(values, make_cudaExtent(kWidth, 0, kDepth), make_cudaExtent(kWidth, 1, kDepth), cudaArrayLayered);
  t = object_of(array, true, false);
  lines<<<1, dim3(kWidth, kDepth)>>>(t, out);
  std::vector<float> between(kWidth * kDepth);
  for (int z = 0; z < kDepth; ++z)
    for (int x = 0; x < kWidth; ++x)
      between[z * kWidth + x] = (values[z * kWidth + x] + values[z * kWidth + (x + 1 < kWidth ? x + 1 : x)]) / 2;
  std::printf("lines, between texels: %zu differ\n", different(out, between));
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaFreeArray(array));

  array = filled(values, all, all, 0);
  t = object_of(array, true, false);
  volume<<<1, dim3(kWidth, kHeight, kDepth)>>>(t, 0.5f, out);
  std::printf("volume at texels: %zu differ\n", different(out, values));
  volume<<<1, dim3(kWidth, kHeight, kDepth)>>>(t, 0.8125f, out);
  std::vector<float> mixed(values.size());
  CHECK(cudaMemcpy(mixed.data(), out, mixed.size() * 4, cudaMemcpyDeviceToHost));
  double sum = 0;
  for (std::size_t k = 0; k < mixed.size(); ++k) sum += mixed[k] * (k % 13);
  std::printf("volume between texels: %.9g\n", sum);
  CHECK(cudaDestroyTextureObject(t));

  // A box of the volume: to another array, and from there to the host.
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t other = nullptr;
  CHECK(cudaMalloc3DArray(&other, &format, make_cudaExtent(3, 2, 2)));
  cudaMemcpy3DParms copy = {};
  copy.srcArray = array;
  copy.srcPos = make_cudaPos(4, 1, 3);
  copy.dstArray = other;
  copy.extent = make_cudaExtent(3, 2, 2);
  copy.kind = cudaMemcpyDeviceToDevice;
  CHECK(cudaMemcpy3D(&copy));
  std::vector<float> box(12);
  cudaMemcpy3DParms home = {};
  home.srcArray = other;
  home.dstPtr = make_cudaPitchedPtr(box.data(), 12, 3, 2);
  home.extent = make_cudaExtent(3, 2, 2);
  home.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&home));
  std::size_t wrong = 0;
  for (int k = 0; k < 12; ++k)
    wrong += box[k] != values[((3 + k / 6) * kHeight + 1 + k / 3 % 2) * kWidth + 4 + k % 3];
  std::printf("box: %zu differ\n", wrong);
  cudaExtent extent;
  unsigned flags = 7;
  cudaChannelFormatDesc found;
  CHECK(cudaArrayGetInfo(&found, &extent, &flags, other));
  std::printf("array of %zu x %zu x %zu, flags %u, %d bits, kind %d\n", extent.width, extent.height, extent.depth, flags,
              found.x, int(found.f));
  CHECK(cudaFreeArray(other));
  CHECK(cudaFreeArray(array));

  const std::vector<float> six(values.begin(), values.begin() + 4 * 4 * 6);
  array = filled(six, make_cudaExtent(4, 4, 6), make_cudaExtent(4, 4, 6), cudaArrayCubemap);
  t = object_of(array, false, true);
  faces<<<1, dim3(4, 4, 6)>>>(t, out);
  std::printf("cube: %zu differ\n", different(out, six));
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(out));
}
