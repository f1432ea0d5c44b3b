// What texture units give where tools/golden/units.cu did not ask: sizes that are no power of two, border
// colours, halves, signed integers, layers, cubes, gathers, fetches outside, channels that a texel lacks.
//
// Leaves rows for tests/golden/textures.txt: "set NAME KEY=VALUE…", "texels NAME bytes…", and of each read
// "tex NAME x y z layer | r g b a" as bits.
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static uint32_t state = 2024;
static uint32_t draw() { return state = state * 1664525u + 1013904223u; }

enum How { kSample, kFetch, kLayered, kCube, kGather, kLod };

struct Read {
  float x, y, z;
  int layer;
};

template <class V>
__global__ void sample(cudaTextureObject_t t, int dims, How how, const Read* at, uint4* out, int count) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= count) return;
  const Read p = at[k];
  V v{};
  switch (how) {
    case kSample:
      v = dims == 1 ? tex1D<V>(t, p.x) : dims == 2 ? tex2D<V>(t, p.x, p.y) : tex3D<V>(t, p.x, p.y, p.z);
      break;
    case kFetch:
      v = tex1Dfetch<V>(t, int(p.x));
      break;
    case kLayered:
      v = dims == 1 ? tex1DLayered<V>(t, p.x, p.layer) : tex2DLayered<V>(t, p.x, p.y, p.layer);
      break;
    case kCube:
      v = texCubemap<V>(t, p.x, p.y, p.z);
      break;
    case kGather:
      v = p.layer == 0 ? tex2Dgather<V>(t, p.x, p.y, 0) : tex2Dgather<V>(t, p.x, p.y, 1);
      break;
    case kLod:
      v = tex2DLod<V>(t, p.x, p.y, p.z);
      break;
  }
  memcpy(&out[k], &v, sizeof v);
}

struct Set {
  const char* name;
  How how;
  int dims, w, h, d;
  bool linear, normalised, to_float;
  cudaTextureAddressMode mode;
  float border;
  int count;
};

template <class T, class V>
void run(const Set& s) {
  const int h = s.dims > 1 ? s.h : 1, d = s.d > 0 ? s.d : 1;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  if (format.x == 0) format = cudaCreateChannelDescHalf();
  std::vector<T> data(size_t(s.w) * h * d);
  auto* bytes = reinterpret_cast<unsigned char*>(data.data());
  for (size_t k = 0; k < data.size() * sizeof(T); ++k) bytes[k] = draw() >> 24;
  if (format.f == cudaChannelFormatKindFloat) {
    const size_t values = data.size() * sizeof(T) / (format.x / 8);
    for (size_t k = 0; k < values; ++k) {
      const float f = float(int(draw() >> 8) - (1 << 23)) / 1048576.0f;
      const __half half = __float2half(f);
      if (format.x == 32) memcpy(bytes + 4 * k, &f, 4);
      if (format.x == 16) memcpy(bytes + 2 * k, &half, 2);
    }
  }
  cudaArray_t array = nullptr;
  T* linear = nullptr;
  cudaResourceDesc resource{};
  if (s.how == kFetch) {
    cudaMalloc(&linear, data.size() * sizeof(T));
    cudaMemcpy(linear, bytes, data.size() * sizeof(T), cudaMemcpyHostToDevice);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = linear, resource.res.linear.desc = format;
    resource.res.linear.sizeInBytes = data.size() * sizeof(T);
  } else {
    const unsigned flags = s.how == kLayered  ? cudaArrayLayered
                           : s.how == kCube   ? cudaArrayCubemap
                           : s.how == kGather ? cudaArrayTextureGather
                                              : 0;
    cudaMalloc3DArray(&array, &format, make_cudaExtent(s.w, s.dims > 1 ? h : 0, s.d), flags);
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(bytes, s.w * sizeof(T), s.w, h);
    copy.dstArray = array, copy.extent = make_cudaExtent(s.w, h, d), copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
  }
  cudaTextureDesc desc{};
  for (auto& m : desc.addressMode) m = s.mode;
  for (int k = 0; k < 4; ++k) desc.borderColor[k] = s.border * (k + 1);
  desc.filterMode = s.linear ? cudaFilterModeLinear : cudaFilterModePoint;
  desc.readMode = s.to_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  desc.normalizedCoords = s.normalised;
  cudaTextureObject_t object = 0;
  std::printf("set %s how=%d dims=%d w=%d h=%d d=%d linear=%d normalised=%d to_float=%d mode=%d border=%a bits=%d "
              "channels=%d kind=%d",
              s.name, s.how, s.dims, s.w, h, d, s.linear, s.normalised, s.to_float, int(s.mode), s.border, format.x,
              int(sizeof(T)) * 8 / format.x, int(format.f));
  const cudaError_t error = cudaCreateTextureObject(&object, &resource, &desc, nullptr);
  std::printf(" error=%d\n", int(error));
  if (error != cudaSuccess) {
    cudaGetLastError();
    return;
  }
  std::vector<Read> at(s.count);
  for (auto& p : at) {
    const auto one = [&](int size) {
      const float x = (float(draw() >> 8) / 16777216.0f * 5 - 2) * size;
      return s.normalised || s.how == kCube ? x / size : x;
    };
    p = {one(s.w), one(h), one(d), int((draw() >> 8) % (s.how == kGather ? 2 : d + 2)) - (s.how == kGather ? 0 : 1)};
  }
  Read* da;
  uint4* dout;
  cudaMalloc(&da, s.count * sizeof(Read)), cudaMalloc(&dout, s.count * sizeof(uint4));
  cudaMemset(dout, 0, s.count * sizeof(uint4));
  cudaMemcpy(da, at.data(), s.count * sizeof(Read), cudaMemcpyHostToDevice);
  sample<V><<<(s.count + 127) / 128, 128>>>(object, s.dims, s.how, da, dout, s.count);
  std::vector<uint4> out(s.count);
  cudaMemcpy(out.data(), dout, s.count * sizeof(uint4), cudaMemcpyDeviceToHost);
  std::printf("texels %s", s.name);
  for (size_t k = 0; k < data.size() * sizeof(T); ++k) std::printf(" %02x", bytes[k]);
  std::printf("\n");
  for (int k = 0; k < s.count; ++k)
    std::printf("tex %s %a %a %a %d | %08x %08x %08x %08x\n", s.name, at[k].x, at[k].y, at[k].z, at[k].layer,
                out[k].x, out[k].y, out[k].z, out[k].w);
  cudaDestroyTextureObject(object), cudaFree(da), cudaFree(dout), cudaFree(linear);
  if (array != nullptr) cudaFreeArray(array);
  if (const cudaError_t after = cudaGetLastError()) std::printf("error %s %d\n", s.name, int(after));
}

int main() {
  const auto W = cudaAddressModeWrap, C = cudaAddressModeClamp, M = cudaAddressModeMirror, B = cudaAddressModeBorder;
  for (const auto& [mode, tag] : {std::pair{W, "wrap"}, {M, "mirror"}, {C, "clamp"}, {B, "border"}}) {
    const auto name = [&](const char* what) { return strdup((std::string(what) + "." + tag).c_str()); };
    run<float, float>({name("1d.linear"), kSample, 1, 7, 0, 0, true, true, false, mode, 0, 200});
    run<float, float>({name("2d.linear"), kSample, 2, 7, 5, 0, true, true, false, mode, 0, 250});
    run<float, float>({name("3d.linear"), kSample, 3, 7, 5, 3, true, true, false, mode, 0, 250});
    run<float, float>({name("2d.point"), kSample, 2, 7, 5, 0, false, true, false, mode, 0, 250});
    run<float, float>({name("2d.point.texels"), kSample, 2, 7, 5, 0, false, false, false, mode, 0.375f, 150});
    run<float, float>({name("2d.linear.colour"), kSample, 2, 7, 5, 0, true, true, false, mode, 0.375f, 200});
    run<float, float>({name("2d.layered"), kLayered, 2, 7, 5, 3, true, true, false, mode, 0, 150});
    run<float, float>({name("1d.layered"), kLayered, 1, 7, 0, 3, true, true, false, mode, 0, 150});
    run<float, float>({name("cube"), kCube, 2, 6, 6, 6, true, true, false, mode, 0, 300});
    run<float4, float4>({name("gather"), kGather, 2, 7, 5, 0, false, true, false, mode, 0, 200});
  }
  run<float4, float4>({"2d.float4", kSample, 2, 7, 5, 0, true, true, false, B, 0.375f, 100});
  run<float2, float4>({"2d.float2", kSample, 2, 7, 5, 0, true, true, false, C, 0, 20});
  run<__half, float>({"2d.half", kSample, 2, 7, 5, 0, true, true, false, W, 0, 300});
  run<signed char, float>({"2d.char", kSample, 2, 7, 5, 0, true, true, true, W, 0, 300});
  run<short, float>({"2d.short", kSample, 2, 7, 5, 0, true, true, true, W, 0, 300});
  run<signed char, float>({"2d.char.point", kSample, 2, 16, 16, 0, false, true, true, W, 0, 300});
  run<short, float>({"2d.short.point", kSample, 2, 16, 16, 0, false, true, true, W, 0, 300});
  run<unsigned short, float>({"3d.ushort", kSample, 3, 7, 5, 3, true, true, true, W, 0, 300});
  run<uchar4, float4>({"2d.uchar4.colour", kSample, 2, 7, 5, 0, true, true, true, B, 0.375f, 200});
  run<uchar4, uint4>({"2d.uchar4.integers", kSample, 2, 7, 5, 0, false, true, false, B, 3, 100});
  run<int, int4>({"2d.int.lacking", kSample, 2, 7, 5, 0, false, true, false, C, 0, 20});
  run<float, float4>({"2d.float.lacking", kSample, 2, 7, 5, 0, false, true, false, C, 0, 20});
  run<float, float>({"fetch.float", kFetch, 1, 64, 0, 0, false, false, false, C, 0, 150});
  run<unsigned char, float>({"fetch.uchar", kFetch, 1, 256, 0, 0, false, false, true, C, 0, 150});
  run<int, int>({"lod", kLod, 2, 7, 5, 0, false, true, false, W, 0, 60});
  run<int, int>({"refused.filter", kSample, 2, 7, 5, 0, true, true, false, W, 0, 1});
  run<int, int>({"refused.norm", kSample, 2, 7, 5, 0, false, true, true, W, 0, 1});
}
