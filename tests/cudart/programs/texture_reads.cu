// Textures: arrays, linear memory and pitched rows, read by point and linear filtering in every address mode.
#include <cstdio>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                          \
  do {                                                                                       \
    const cudaError_t e = (call);                                                            \
    if (e != cudaSuccess) std::printf("%s: %s\n", #call, cudaGetErrorName(e)), std::exit(1); \
  } while (0)

constexpr int kWidth = 8, kHeight = 4;

__global__ void fetch(cudaTextureObject_t t, int count, float* out) {
  const int k = threadIdx.x;
  if (k < count) out[k] = tex1Dfetch<float>(t, k - 2);
}
__global__ void fetch_bytes(cudaTextureObject_t t, int count, uchar4* out) {
  const int k = threadIdx.x;
  if (k < count) out[k] = tex1Dfetch<uchar4>(t, k);
}
__global__ void walk(cudaTextureObject_t t, float step_x, float step_y, float* out) {
  const float x = (int(threadIdx.x) - 8) * step_x, y = (int(threadIdx.y) - 4) * step_y;
  out[threadIdx.y * blockDim.x + threadIdx.x] = tex2D<float>(t, x, y);
}
__global__ void corners(cudaTextureObject_t t, float4* out) {
  out[threadIdx.x] = tex2Dgather<float4>(t, 1.0f + threadIdx.x, 2.0f, 0);
}
__global__ void level(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex2DLod<float>(t, threadIdx.x + 0.5f, 1.5f, 0) - tex2D<float>(t, threadIdx.x + 0.5f, 1.5f);
}

template <class T>
T* on_device(std::size_t count) {
  T* p = nullptr;
  CHECK(cudaMalloc(&p, count * sizeof(T)));
  return p;
}
template <class T>
std::vector<T> fetched(const T* device, std::size_t count) {
  std::vector<T> host(count);
  CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}
void print(const char* name, const std::vector<float>& values) {
  std::printf("%s", name);
  for (std::size_t k = 0; k < values.size(); ++k) std::printf("%s%.6g", k % 16 == 0 ? "\n " : " ", values[k]);
  std::printf("\n");
}

cudaTextureObject_t object_of(const cudaResourceDesc& resource, cudaTextureFilterMode filter,
                              cudaTextureAddressMode mode, bool normalised,
                              cudaTextureReadMode read = cudaReadModeElementType) {
  cudaTextureDesc desc = {};
  for (auto& m : desc.addressMode) m = mode;
  desc.filterMode = filter;
  desc.readMode = read;
  desc.normalizedCoords = normalised;
  cudaTextureObject_t object = 0;
  CHECK(cudaCreateTextureObject(&object, &resource, &desc, nullptr));
  return object;
}

void linear_memory() {
  std::vector<float> numbers(16);
  for (int k = 0; k < 16; ++k) numbers[k] = 0.5f * k + 1;
  float *in = on_device<float>(16), *out = on_device<float>(32);
  CHECK(cudaMemcpy(in, numbers.data(), 64, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = in;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 64;
  cudaTextureObject_t t = object_of(resource, cudaFilterModePoint, cudaAddressModeClamp, false);
  fetch<<<1, 32>>>(t, 20, out);
  print("fetch, two outside on either side", fetched(out, 20));
  CHECK(cudaDestroyTextureObject(t));
  resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
  t = object_of(resource, cudaFilterModePoint, cudaAddressModeClamp, false);
  uchar4* bytes = on_device<uchar4>(16);
  fetch_bytes<<<1, 32>>>(t, 16, bytes);
  const std::vector<uchar4> got = fetched(bytes, 16);
  std::printf("bytes %s\n", std::memcmp(got.data(), numbers.data(), 64) == 0 ? "equal" : "differ");
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  CHECK(cudaFree(bytes));
}

void walks(const cudaResourceDesc& resource, const char* what) {
  const struct {
    cudaTextureAddressMode mode;
    const char* name;
  } modes[] = {{cudaAddressModeWrap, "wrap"},
               {cudaAddressModeClamp, "clamp"},
               {cudaAddressModeMirror, "mirror"},
               {cudaAddressModeBorder, "border"}};
  float* out = on_device<float>(32 * 16);
  for (const auto& mode : modes) {
    for (const bool linear : {false, true}) {
      const cudaTextureObject_t t =
          object_of(resource, linear ? cudaFilterModeLinear : cudaFilterModePoint, mode.mode, true);
      walk<<<1, dim3(32, 16)>>>(t, 0.09375f, 0.15625f, out);
      double sum = 0;
      int weight = 0;
      for (const float value : fetched(out, 32 * 16)) sum += value * (++weight % 17);
      std::printf("%s %s %s %.9g\n", what, mode.name, linear ? "linear" : "point", sum);
      CHECK(cudaDestroyTextureObject(t));
    }
  }
  CHECK(cudaFree(out));
}

int main() {
  linear_memory();
  std::vector<float> image(kWidth * kHeight);
  for (int k = 0; k < kWidth * kHeight; ++k) image[k] = float((k * 37) % 64) / 4;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  CHECK(cudaMallocArray(&array, &format, kWidth, kHeight, cudaArrayTextureGather));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, image.data(), kWidth * 4, kWidth * 4, kHeight, cudaMemcpyHostToDevice));
  std::vector<float> back(4);
  CHECK(cudaMemcpy2DFromArray(back.data(), 8, array, 8, 1, 8, 2, cudaMemcpyDeviceToHost));
  print("a window of the array", back);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  walks(resource, "array");

  const cudaTextureObject_t t = object_of(resource, cudaFilterModePoint, cudaAddressModeClamp, false);
  float4* four = on_device<float4>(4);
  corners<<<1, 4>>>(t, four);
  for (const float4& v : fetched(four, 4)) std::printf("gather %g %g %g %g\n", v.x, v.y, v.z, v.w);
  float* differences = on_device<float>(8);
  level<<<1, 8>>>(t, differences);
  print("level 0 less the image", fetched(differences, 8));
  CHECK(cudaFree(four));
  CHECK(cudaFree(differences));
  CHECK(cudaDestroyTextureObject(t));

  float* rows = nullptr;
  std::size_t pitch = 0;
  CHECK(cudaMallocPitch(&rows, &pitch, kWidth * 4, kHeight));
  CHECK(cudaMemcpy2D(rows, pitch, image.data(), kWidth * 4, kWidth * 4, kHeight, cudaMemcpyHostToDevice));
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = rows;
  resource.res.pitch2D.desc = format;
  resource.res.pitch2D.width = kWidth;
  resource.res.pitch2D.height = kHeight;
  resource.res.pitch2D.pitchInBytes = pitch;
  walks(resource, "rows");
  CHECK(cudaFree(rows));
  CHECK(cudaFreeArray(array));
  CHECK(cudaDeviceSynchronize());
}
