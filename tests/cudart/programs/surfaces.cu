// Surfaces: reads and writes in one, two and three dimensions and of layers, and what lies outside.
#include <cstdio>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                          \
  do {                                                                                       \
    const cudaError_t e = (call);                                                            \
    if (e != cudaSuccess) std::printf("%s: %s\n", #call, cudaGetErrorName(e)), std::exit(1); \
  } while (0)

constexpr int kWidth = 32, kHeight = 8, kDepth = 3;

__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  uchar4 value;
  surf2Dread(&value, from, int(threadIdx.x * sizeof value), threadIdx.y);
  surf2Dwrite(make_uchar4(value.w, value.z, value.y, value.x), to, int((kWidth - 1 - threadIdx.x) * sizeof value),
              threadIdx.y);
}
__global__ void outside(cudaSurfaceObject_t s, uchar4* clamped, uchar4* zero) {
  const int x = (int(threadIdx.x) - 8) * int(sizeof(uchar4)), y = int(threadIdx.y) - 2;
  const int at = threadIdx.y * blockDim.x + threadIdx.x;
  surf2Dread(&clamped[at], s, x, y, cudaBoundaryModeClamp);
  surf2Dread(&zero[at], s, x, y, cudaBoundaryModeZero);
  surf2Dwrite(make_uchar4(1, 2, 3, 4), s, 4 * kWidth + x + 32, y, cudaBoundaryModeZero);  // nowhere
}
__global__ void fill(cudaSurfaceObject_t volume, cudaSurfaceObject_t layers, cudaSurfaceObject_t line) {
  const int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  surf3Dwrite(x + 100.0f * y + 10000.0f * z, volume, x * 4, y, z);
  surf2DLayeredwrite(make_short2(short(x - y), short(z)), layers, x * 4, y, z);
  if (y == 0 && z == 0) surf1Dwrite(make_float4(x, -x, 2 * x, 0.5f), line, x * 16);
}

cudaSurfaceObject_t surface_of(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t s = 0;
  CHECK(cudaCreateSurfaceObject(&s, &resource));
  return s;
}

template <class T>
std::vector<T> fetched(cudaArray_t array, int width, int height, int depth) {
  std::vector<T> values(std::size_t(width) * height * depth);
  cudaMemcpy3DParms copy = {};
  copy.srcArray = array;
  copy.dstPtr = make_cudaPitchedPtr(values.data(), width * sizeof(T), width, height);
  copy.extent = make_cudaExtent(width, height, depth);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  return values;
}

void two_dimensions() {
  std::vector<uchar4> image(kWidth * kHeight);
  for (std::size_t k = 0; k < image.size(); ++k) image[k] = make_uchar4(k, k >> 2, 255 - k, 7);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  cudaArray_t from = nullptr, to = nullptr;
  CHECK(cudaMallocArray(&from, &format, kWidth, kHeight, cudaArraySurfaceLoadStore));
  CHECK(cudaMallocArray(&to, &format, kWidth, kHeight, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DToArray(from, 0, 0, image.data(), kWidth * 4, kWidth * 4, kHeight, cudaMemcpyHostToDevice));
  const cudaSurfaceObject_t s = surface_of(from), turned = surface_of(to);
  turn<<<1, dim3(kWidth, kHeight)>>>(s, turned);
  int wrong = 0;
  const std::vector<uchar4> got = fetched<uchar4>(to, kWidth, kHeight, 1);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const uchar4 a = image[y * kWidth + x], b = got[y * kWidth + kWidth - 1 - x];
      wrong += a.x != b.w || a.y != b.z || a.z != b.y || a.w != b.x;
    }
  std::printf("turned: %d differ\n", wrong);

  uchar4* seen = nullptr;
  constexpr int kSpan = 48, kRows = 12;
  CHECK(cudaMalloc(&seen, 2 * kSpan * kRows * sizeof(uchar4)));
  outside<<<1, dim3(kSpan, kRows)>>>(s, seen, seen + kSpan * kRows);
  std::vector<uchar4> both(2 * kSpan * kRows);
  CHECK(cudaMemcpy(both.data(), seen, both.size() * sizeof(uchar4), cudaMemcpyDeviceToHost));
  int bad_clamp = 0, bad_zero = 0;
  for (int k = 0; k < kSpan * kRows; ++k) {
    const int x = k % kSpan - 8, y = k / kSpan - 2;
    const int cx = x < 0 ? 0 : x >= kWidth ? kWidth - 1 : x, cy = y < 0 ? 0 : y >= kHeight ? kHeight - 1 : y;
    const uchar4 inside = image[cy * kWidth + cx], nothing = make_uchar4(0, 0, 0, 0);
    bad_clamp += std::memcmp(&both[k], &inside, 4) != 0;
    bad_zero += std::memcmp(&both[kSpan * kRows + k], x == cx && y == cy ? &inside : &nothing, 4) != 0;
  }
  std::printf("outside: clamp %d differ, zero %d differ\n", bad_clamp, bad_zero);
  const std::vector<uchar4> after = fetched<uchar4>(from, kWidth, kHeight, 1);
  std::printf("writes outside: %s\n", std::memcmp(after.data(), image.data(), after.size() * 4) == 0 ? "dropped" : "seen");
  CHECK(cudaDestroySurfaceObject(s));
  CHECK(cudaDestroySurfaceObject(turned));
  CHECK(cudaFreeArray(from));
  CHECK(cudaFreeArray(to));
  CHECK(cudaFree(seen));
}

int main() {
  two_dimensions();
  const cudaChannelFormatDesc number = cudaCreateChannelDesc<float>(), pair = cudaCreateChannelDesc<short2>(),
                              four = cudaCreateChannelDesc<float4>();
  cudaArray_t volume = nullptr, layers = nullptr, line = nullptr;
  CHECK(cudaMalloc3DArray(&volume, &number, make_cudaExtent(kWidth, kHeight, kDepth), cudaArraySurfaceLoadStore));
  CHECK(cudaMalloc3DArray(&layers, &pair, make_cudaExtent(kWidth, kHeight, kDepth),
                          cudaArraySurfaceLoadStore | cudaArrayLayered));
  CHECK(cudaMallocArray(&line, &four, kWidth, 0, cudaArraySurfaceLoadStore));
  const cudaSurfaceObject_t s[] = {surface_of(volume), surface_of(layers), surface_of(line)};
  fill<<<kDepth, dim3(kWidth, kHeight)>>>(s[0], s[1], s[2]);
  const auto numbers = fetched<float>(volume, kWidth, kHeight, kDepth);
  const auto pairs = fetched<short2>(layers, kWidth, kHeight, kDepth);
  const auto fours = fetched<float4>(line, kWidth, 1, 1);
  int wrong = 0;
  for (int k = 0; k < kWidth * kHeight * kDepth; ++k) {
    const int x = k % kWidth, y = k / kWidth % kHeight, z = k / kWidth / kHeight;
    wrong += numbers[k] != x + 100.0f * y + 10000.0f * z || pairs[k].x != x - y || pairs[k].y != z;
  }
  for (int x = 0; x < kWidth; ++x)
    wrong += fours[x].x != x || fours[x].y != -x || fours[x].z != 2 * x || fours[x].w != 0.5f;
  std::printf("volume, layers, line: %d differ\n", wrong);
  for (const cudaSurfaceObject_t one : s) CHECK(cudaDestroySurfaceObject(one));
  CHECK(cudaFreeArray(volume));
  CHECK(cudaFreeArray(layers));
  CHECK(cudaFreeArray(line));
}
