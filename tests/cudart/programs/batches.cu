// Many copies, prefetches and discards in one call, as CUDA 13 has them: memory and arrays, the order in which a source is
// read, where each range goes, and what is refused.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

#define EXPECT(condition)                                              \
  do {                                                                 \
    if (!(condition)) std::printf("line %d: %s\n", __LINE__, #condition), ++wrong; \
  } while (0)

constexpr int kWidth = 8, kHeight = 6;
int wrong = 0;

cudaMemcpy3DOperand memory(void* at, size_t row, size_t layer) {
  cudaMemcpy3DOperand o{};
  o.type = cudaMemcpyOperandTypePointer;
  o.op.ptr.ptr = at;
  o.op.ptr.rowLength = row;
  o.op.ptr.layerHeight = layer;
  return o;
}
cudaMemcpy3DOperand part(cudaArray_t array, size_t x, size_t y) {
  cudaMemcpy3DOperand o{};
  o.type = cudaMemcpyOperandTypeArray;
  o.op.array.array = array;
  o.op.array.offset = {x, y, 0};
  return o;
}

void copies(cudaStream_t stream) {
#if CUDART_VERSION >= 13000
  int image[kHeight][kWidth], back[kHeight][kWidth] = {}, rows[2][kWidth];
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) image[y][x] = 10 * y + x;
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  EXPECT(cudaMallocArray(&array, &format, kWidth, kHeight) == cudaSuccess);
  int* linear;
  EXPECT(cudaMalloc(&linear, sizeof rows) == cudaSuccess);

  cudaMemcpy3DBatchOp list[3] = {};
  list[0].src = memory(image, 0, 0), list[0].dst = part(array, 0, 0), list[0].extent = {kWidth, kHeight, 1};
  // Bytes between pointers: two rows, of which each is a whole one of the image.
  list[1].src = memory(image[2], sizeof image[0], 0), list[1].dst = memory(linear, 0, 0);
  list[1].extent = {sizeof image[0], 2, 1};
  for (auto& one : list) one.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
  EXPECT(cudaMemcpy3DBatchAsync(2, list, 0, stream) == cudaSuccess);
  std::memset(image, 0, sizeof image);  // read before the call returned
  list[0].src = part(array, 2, 1), list[0].dst = memory(&back[1][2], kWidth, 0), list[0].extent = {4, 3, 1};
  list[1].src = memory(linear, 0, 0), list[1].dst = memory(rows, 0, 0);
  for (auto& one : list) one.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  EXPECT(cudaMemcpy3DBatchAsync(2, list, 0, stream) == cudaSuccess);
  EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      EXPECT(back[y][x] == (y >= 1 && y < 4 && x >= 2 && x < 6 ? 10 * y + x : 0));
  EXPECT(rows[0][3] == 23 && rows[1][7] == 37);

  EXPECT(cudaMemcpy3DBatchAsync(2, list, 0, nullptr) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpy3DBatchAsync(2, list, 1, stream) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpy3DBatchAsync(3, list, 0, stream) == cudaErrorInvalidValue);  // the third has no extent
  list[0].dst = memory(back, 3, 0);                                              // shorter than the copy's rows
  EXPECT(cudaMemcpy3DBatchAsync(1, list, 0, stream) == cudaErrorInvalidValue);
  list[0].dst = memory(back, 0, 0), list[0].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
  EXPECT(cudaMemcpy3DBatchAsync(1, list, 0, stream) == cudaErrorInvalidValue);
  cudaFree(linear);
  cudaFreeArray(array);
#endif
}

void hints(cudaStream_t stream) {
#if CUDART_VERSION >= 13000
  char *first, *second, *plain;
  EXPECT(cudaMallocManaged(&first, 1 << 16) == cudaSuccess && cudaMallocManaged(&second, 1 << 16) == cudaSuccess);
  EXPECT(cudaMalloc(&plain, 4096) == cudaSuccess);
  void* ranges[] = {first, first + 4096, second};
  size_t sizes[] = {4096, 4096, 1 << 16}, starts[] = {0, 2};
  cudaMemLocation places[2] = {};
  places[0].type = cudaMemLocationTypeDevice, places[1].type = cudaMemLocationTypeHost;
  EXPECT(cudaMemPrefetchBatchAsync(ranges, sizes, 3, places, starts, 2, 0, stream) == cudaSuccess);
  const auto went_to = [](void* at) {
    int device = -3;
    cudaMemRangeGetAttribute(&device, sizeof device, cudaMemRangeAttributeLastPrefetchLocation, at, 4096);
    return device;
  };
  EXPECT(went_to(first) == 0 && went_to(first + 4096) == 0 && went_to(second) == cudaCpuDeviceId);
  EXPECT(went_to(first + 8192) == cudaInvalidDeviceId);
  EXPECT(cudaMemDiscardBatchAsync(ranges, sizes, 3, 0, stream) == cudaSuccess);
  EXPECT(cudaMemDiscardAndPrefetchBatchAsync(ranges, sizes, 3, places + 1, starts, 1, 0, stream) == cudaSuccess);
  EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
  EXPECT(went_to(first) == cudaCpuDeviceId);

  size_t level[] = {0, 0}, late[] = {1};
  EXPECT(cudaMemPrefetchBatchAsync(ranges, sizes, 3, places, level, 2, 0, stream) == cudaSuccess);
  EXPECT(cudaMemPrefetchBatchAsync(ranges, sizes, 3, places, late, 1, 0, stream) == cudaErrorInvalidValue);
  EXPECT(cudaMemPrefetchBatchAsync(ranges, sizes, 3, places, starts, 0, 0, stream) == cudaErrorInvalidValue);
  EXPECT(cudaMemPrefetchBatchAsync(ranges, sizes, 1, places, starts, 2, 0, stream) == cudaErrorInvalidValue);
  EXPECT(cudaMemDiscardBatchAsync(ranges, sizes, 3, 0, nullptr) == cudaErrorInvalidValue);
  ranges[1] = plain;
  EXPECT(cudaMemDiscardBatchAsync(ranges, sizes, 3, 0, stream) == cudaErrorInvalidValue);
  cudaFree(first), cudaFree(second), cudaFree(plain);
#endif
}

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  copies(stream);
  hints(stream);
  cudaStreamDestroy(stream);
  std::printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
