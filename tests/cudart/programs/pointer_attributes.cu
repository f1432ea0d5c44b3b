// What the driver says of a pointer, for nine kinds of pointers; the table is an NVIDIA H200's.
// nvcc: -lcuda
// golden: none
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using Number = unsigned long long;
constexpr int kFirst = -1, kLast = 24;
constexpr Number kUnset = 0xcdcdcdcdcdcdcdcd;

// A letter for each attribute from -1 on: `e` an error, `n` nothing written, a digit that value, `p` the pointer,
// `a` and `s` start and size of its allocation, `m` and `g` of the mapping around that, `x` anything but null, `i`
// the device that is none. By cuPointerGetAttribute, and by cuPointerGetAttributes.
struct Row {
  const char *name, *one, *many;
};
constexpr Row kRows[] = {
    {"null", "eeeeeeeeeeeeeeeeeeeeeeeeee",
     "ee0000e000i0nn000000000eee"},
    {"device", "eex2pe01x001as10130gmx1eee",
     "eex2p0e1x001as10130gmx1eee"},
    {"device+100", "eex2pe01x001as10130gmx1eee",
     "eex2p0e1x001as10130gmx1eee"},
    {"end", "eeeeeeeeeeeeeeeeeeeeeeeeee",
     "ee000pe000i0nn000000000eee"},
    {"pinned", "eex1ppe0x000as10030gmx0eee",
     "eex1ppe0x000as10030gmx0eee"},
    {"managed", "eex2pp01x100as10030gmx0eee",
     "eex2ppe1x100as10030gmx0eee"},
    {"async", "ee02pe01x000as1003xgmx0eee",
     "ee02p0e1x000as1003xgmx0eee"},
    {"heap", "eeeeeeeeeeeeeeeeeeeeeeeeee",
     "ee000pe000i0nn000000000eee"},
    {"odd", "eeeeeeeeeeeeeeeeeeeeeeeeee",
     "ee000pe000i0nn000000000eee"},
};

char letter(int attribute, int code, Number value, Number pointer, Number start) {
  if (code != 0) return 'e';
  if (value == kUnset) return 'n';
  const bool is_word = value >> 32 == kUnset >> 32;
  if (is_word) value &= 0xffffffff;
  const Number mapping = attribute == CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR ? start - value : 0;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return value == 0 ? '0' : 'x';
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      return value == 0 ? '0' : value % (2 << 20) == 0 ? 'g' : '?';
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return value == 0 ? '0' : value % (2 << 20) == 0 && mapping < (32 << 20) ? 'm' : '?';
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return value == 0xfffffffe ? 'i' : static_cast<char>('0' + value);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return value == 0 ? '0' : value == pointer ? 'p' : '?';
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return value == start ? 'a' : '?';
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return value == 4096 ? 's' : '?';
    default:
      return value < 10 ? static_cast<char>('0' + value) : '?';
  }
}

}  // namespace

int main() {
  cudaFree(nullptr);
  void *device = nullptr, *pinned = nullptr, *managed = nullptr, *pooled = nullptr, *const heap = std::malloc(4096);
  if (cudaMalloc(&device, 4096) != cudaSuccess || cudaMallocHost(&pinned, 4096) != cudaSuccess ||
      cudaMallocManaged(&managed, 4096) != cudaSuccess || cudaMallocAsync(&pooled, 4096, nullptr) != cudaSuccess)
    return 1;
  cudaStreamSynchronize(nullptr);
  const auto number = [](void* p) { return reinterpret_cast<Number>(p); };
  const Number starts[] = {0,
                           number(device),
                           number(device),
                           0,
                           number(pinned),
                           number(managed),
                           number(pooled),
                           0,
                           0};
  const Number pointers[] = {0,
                             number(device),
                             number(device) + 100,
                             number(device) + 4096,
                             number(pinned),
                             number(managed),
                             number(pooled),
                             number(heap),
                             0x1234567};
  bool good = true;
  for (std::size_t k = 0; k < std::size(kRows); ++k) {
    std::string one, many;
    for (int at = kFirst; at <= kLast; ++at) {
      const auto attribute = static_cast<CUpointer_attribute>(at);
      Number value[4], values[4];
      std::memset(value, 0xcd, sizeof value), std::memset(values, 0xcd, sizeof values);
      void* data[1] = {values};
      CUpointer_attribute asked[1] = {attribute};
      const int code = cuPointerGetAttribute(value, attribute, pointers[k]);
      one += letter(at, code, value[0], pointers[k], starts[k]);
      const int code_of_many = cuPointerGetAttributes(1, asked, data, pointers[k]);
      many += letter(at, code_of_many, values[0], pointers[k], starts[k]);
    }
    if (one == kRows[k].one && many == kRows[k].many) continue;
    std::printf("%s: %s and %s, an H200 %s and %s\n", kRows[k].name, one.c_str(), many.c_str(), kRows[k].one,
                kRows[k].many);
    good = false;
  }
  std::puts(good ? "as an H200" : "not as an H200");
  cudaFree(device), cudaFreeHost(pinned), cudaFree(managed), cudaFreeAsync(pooled, nullptr);
  std::free(heap);
  return good ? 0 : 1;
}
