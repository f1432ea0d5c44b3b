// What tensor cores and texture units give, as bits: golden data for the simulator. tests/golden/README.md has
// the command.
//
// mma: lines "KIND CASE a… | b… | c | d": one element of D with the row of A and the column of B that made
// it. tex: lines "tex NAME x y z bits". prop: lines "prop NAME VALUE".
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

using namespace nvcuda;

static uint32_t state = 12345;
static uint32_t draw() { return state = state * 1664525u + 1013904223u; }
// Numbers whose exponents differ by up to `spread`.
static float number(int spread) {
  const float mantissa = 1 + float(draw() >> 9) / 8388608.0f;
  const int exponent = spread == 0 ? 0 : int((draw() >> 8) % (2 * spread + 1)) - spread;
  return ((draw() >> 20) & 1 ? -1.0f : 1.0f) * mantissa * std::exp2(float(exponent));
}

template <class T, class U, class Acc, int M, int N, int K>
__global__ void multiply(const U* a, const U* b, const Acc* c, Acc* d) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Acc> fc;
  wmma::load_matrix_sync(fa, a, K);
  wmma::load_matrix_sync(fb, b, K);
  wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, N, wmma::mem_row_major);
}

template <class T>
double bits_of(T value) {
  return double(float(value));
}
template <>
double bits_of(double value) {
  return value;
}

template <class T, class U, class Acc, int M, int N, int K>
void rows(const char* kind, int spread, int lines) {
  std::vector<U> a(M * K), b(K * N);
  std::vector<Acc> c(M * N), d(M * N);
  for (auto& x : a) x = U(number(spread));
  for (auto& x : b) x = U(number(spread));
  for (auto& x : c) x = Acc(number(spread));
  U *da, *db;
  Acc *dc, *dd;
  cudaMalloc(&da, a.size() * sizeof(U)), cudaMalloc(&db, b.size() * sizeof(U));
  cudaMalloc(&dc, c.size() * sizeof(Acc)), cudaMalloc(&dd, d.size() * sizeof(Acc));
  cudaMemcpy(da, a.data(), a.size() * sizeof(U), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), b.size() * sizeof(U), cudaMemcpyHostToDevice);
  cudaMemcpy(dc, c.data(), c.size() * sizeof(Acc), cudaMemcpyHostToDevice);
  multiply<T, U, Acc, M, N, K><<<1, 32>>>(da, db, dc, dd);
  cudaMemcpy(d.data(), dd, d.size() * sizeof(Acc), cudaMemcpyDeviceToHost);
  for (int line = 0; line < lines; ++line) {
    const int i = line % M, j = (line * 7) % N;
    std::printf("%s %d", kind, spread);
    for (int k = 0; k < K; ++k) std::printf(" %a", bits_of(a[i * K + k]));
    std::printf(" |");
    for (int k = 0; k < K; ++k) std::printf(" %a", bits_of(b[k + j * K]));
    std::printf(" | %a | %a\n", bits_of(c[i * N + j]), bits_of(d[i * N + j]));
  }
  cudaFree(da), cudaFree(db), cudaFree(dc), cudaFree(dd);
}

__global__ void sample(cudaTextureObject_t t, int dims, const float3* at, float4* out, int count, bool four) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= count) return;
  const float3 p = at[k];
  if (four) {
    out[k] = dims == 1   ? tex1D<float4>(t, p.x)
             : dims == 2 ? tex2D<float4>(t, p.x, p.y)
                         : tex3D<float4>(t, p.x, p.y, p.z);
  } else {
    const float v = dims == 1   ? tex1D<float>(t, p.x)
                    : dims == 2 ? tex2D<float>(t, p.x, p.y)
                                : tex3D<float>(t, p.x, p.y, p.z);
    out[k] = make_float4(v, 0, 0, 0);
  }
}

template <class T>
void texture(const char* name, int dims, cudaTextureFilterMode filter, cudaTextureAddressMode mode,
             bool normalised, cudaTextureReadMode read, bool four, int count) {
  const int w = 8, h = dims > 1 ? 4 : 1, d = dims > 2 ? 4 : 1;
  std::vector<T> data(size_t(w) * h * d);
  auto* bytes = reinterpret_cast<unsigned char*>(data.data());
  if (sizeof(T) == 4 && !four) {
    for (auto& x : data) {
      const float f = number(3);
      std::memcpy(&x, &f, 4);
    }
  } else {
    for (size_t k = 0; k < data.size() * sizeof(T); ++k) bytes[k] = draw() >> 24;
  }
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaArray_t array;
  const cudaExtent extent = make_cudaExtent(w, dims > 1 ? h : 0, dims > 2 ? d : 0);
  cudaMalloc3DArray(&array, &format, extent);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(data.data(), w * sizeof(T), w, h);
  copy.dstArray = array, copy.extent = make_cudaExtent(w, h, d), copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
  cudaTextureDesc desc{};
  for (auto& m : desc.addressMode) m = mode;
  desc.filterMode = filter, desc.readMode = read, desc.normalizedCoords = normalised;
  cudaTextureObject_t object;
  if (cudaCreateTextureObject(&object, &resource, &desc, nullptr) != cudaSuccess) {
    std::printf("tex %s refused\n", name);
    return;
  }
  std::vector<float3> at(count);
  for (int k = 0; k < count; ++k) {
    const auto one = [&](int size) {
      const float x = (float(draw() >> 8) / 16777216.0f * 3 - 1) * size;
      return normalised ? x / size : x;
    };
    at[k] = make_float3(one(w), one(h), one(d));
    if (dims == 1 && k < 520) at[k].x = (0.5f + k / 512.0f) / (normalised ? w : 1);
  }
  float3* da;
  float4* dout;
  cudaMalloc(&da, count * sizeof(float3)), cudaMalloc(&dout, count * sizeof(float4));
  cudaMemcpy(da, at.data(), count * sizeof(float3), cudaMemcpyHostToDevice);
  sample<<<(count + 127) / 128, 128>>>(object, dims, da, dout, count, four);
  std::vector<float4> out(count);
  cudaMemcpy(out.data(), dout, count * sizeof(float4), cudaMemcpyDeviceToHost);
  std::printf("texels %s", name);
  for (size_t k = 0; k < data.size() * sizeof(T); ++k) std::printf(" %02x", bytes[k]);
  std::printf("\n");
  for (int k = 0; k < count; ++k)
    std::printf("tex %s %a %a %a %a %a %a %a\n", name, at[k].x, at[k].y, at[k].z, out[k].x, out[k].y,
                out[k].z, out[k].w);
  cudaDestroyTextureObject(object), cudaFreeArray(array), cudaFree(da), cudaFree(dout);
}

int main() {
  for (int spread : {0, 2, 6}) {
    rows<__half, __half, float, 16, 16, 16>("f16.f32", spread, 48);
    rows<__half, __half, __half, 16, 16, 16>("f16.f16", spread == 6 ? 3 : spread, 48);
    rows<__nv_bfloat16, __nv_bfloat16, float, 16, 16, 16>("bf16.f32", spread, 48);
    rows<wmma::precision::tf32, float, float, 16, 16, 8>("tf32.f32", spread, 48);
    rows<double, double, double, 8, 8, 4>("f64.f64", spread, 48);
  }
  const auto P = cudaFilterModePoint, L = cudaFilterModeLinear;
  const auto E = cudaReadModeElementType, N = cudaReadModeNormalizedFloat;
  texture<float>("1d.linear.clamp", 1, L, cudaAddressModeClamp, false, E, false, 700);
  texture<float>("1d.linear.border", 1, L, cudaAddressModeBorder, false, E, false, 700);
  texture<float>("1d.linear.wrap", 1, L, cudaAddressModeWrap, true, E, false, 700);
  texture<float>("1d.linear.mirror", 1, L, cudaAddressModeMirror, true, E, false, 700);
  texture<float>("1d.point.wrap", 1, P, cudaAddressModeWrap, true, E, false, 700);
  texture<float>("1d.point.mirror", 1, P, cudaAddressModeMirror, true, E, false, 700);
  texture<float>("2d.point.clamp", 2, P, cudaAddressModeClamp, false, E, false, 300);
  texture<float>("2d.point.border", 2, P, cudaAddressModeBorder, false, E, false, 300);
  texture<float>("2d.linear.clamp", 2, L, cudaAddressModeClamp, false, E, false, 500);
  texture<float>("2d.linear.wrap", 2, L, cudaAddressModeWrap, true, E, false, 500);
  texture<float>("3d.linear.clamp", 3, L, cudaAddressModeClamp, false, E, false, 500);
  texture<float>("3d.linear.wrap", 3, L, cudaAddressModeWrap, true, E, false, 300);
  texture<uchar4>("uchar4.linear", 2, L, cudaAddressModeClamp, false, N, true, 500);
  texture<uchar4>("uchar4.point", 2, P, cudaAddressModeClamp, false, N, true, 100);
  texture<unsigned char>("uchar.linear", 1, L, cudaAddressModeClamp, false, N, false, 700);
  texture<ushort4>("ushort4.linear", 2, L, cudaAddressModeClamp, false, N, true, 300);
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  std::printf("prop name %s\nprop persistingL2CacheMaxSize %d\nprop accessPolicyMaxWindowSize %d\n", p.name,
              p.persistingL2CacheMaxSize, p.accessPolicyMaxWindowSize);
  std::printf("prop bytes");
  for (size_t k = 0; k < sizeof p; ++k) std::printf(" %02x", reinterpret_cast<unsigned char*>(&p)[k]);
  std::printf("\n");
  for (int a = 1; a < 148; ++a) {
    int value = -1;
    const cudaError_t error = cudaDeviceGetAttribute(&value, cudaDeviceAttr(a), 0);
    std::printf("attribute %d %d %d\n", a, int(error), value);
  }
  cudaGetLastError();
}
