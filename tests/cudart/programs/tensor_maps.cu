// What the driver says of legal and illegal tensor maps (cuTensorMapEncodeTiled), one change of a legal one a line.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*,
                            const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

struct Case {
  int type, rank;
  char* base;
  cuuint64_t dims[5], strides[5];
  cuuint32_t box[5], steps[5];
  int interleave, swizzle, promotion, fill;
};

static Encode encode;
static char* buffer;
static const int kBytes[16] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4, 1, 1, 1};

static Case legal(int rank = 2, int type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32) {
  Case c = {type, rank, buffer, {64, 64, 8, 4, 2}, {}, {16, 8, 2, 2, 1}, {1, 1, 1, 1, 1}, 0, 0, 0, 0};
  cuuint64_t row = 64 * (type >= 0 && type < 13 ? kBytes[type] : 4);
  for (int k = 0; k < 4; ++k) {
    c.strides[k] = row;
    row *= c.dims[k + 1];
  }
  return c;
}

static void ask(const char* what, long long value, const Case& c) {
  CUtensorMap map;
  const CUresult code = encode(&map, (CUtensorMapDataType)c.type, c.rank, c.base, c.dims, c.strides, c.box, c.steps,
                               (CUtensorMapInterleave)c.interleave, (CUtensorMapSwizzle)c.swizzle,
                               (CUtensorMapL2promotion)c.promotion, (CUtensorMapFloatOOBfill)c.fill);
  std::printf("%s %lld: %d\n", what, value, (int)code);
}

static void scalars() {
  for (int type = 0; type < 13; ++type) ask("type", type, legal(2, type));
  for (int rank = 0; rank <= 6; ++rank) ask("rank", rank, legal(rank));
  for (int at : {1, 2, 4, 8, 16, 24, 32, 48, 128}) {
    Case c = legal();
    c.base += at;
    ask("base +", at, c);
  }
  Case nowhere = legal();
  nowhere.base = nullptr;
  ask("base null", 0, nowhere);
  nowhere.base = (char*)0x7000000000;
  ask("base of no buffer", 0, nowhere);
  for (int promotion : {0, 1, 2, 3, 4}) {
    Case c = legal();
    c.promotion = promotion;
    ask("promotion", promotion, c);
  }
  for (int type = 0; type < 13; ++type) {
    Case c = legal(2, type);
    c.fill = 1;
    ask("NaN fill of type", type, c);
  }
  Case c = legal();
  c.fill = 2;
  ask("fill", 2, c);
}

static void sizes() {
  for (int axis = 0; axis < 3; ++axis) {
    for (long long dim : {0ll, 1ll, 2ll, 4ll, 65ll, 1ll << 31, (1ll << 32) - 1, 1ll << 32, (1ll << 32) + 1}) {
      Case c = legal(3);
      c.dims[axis] = dim;
      ask(axis == 0 ? "dims[0]" : axis == 1 ? "dims[1]" : "dims[2]", dim, c);
    }
    for (int box : {0, 1, 2, 3, 4, 5, 8, 12, 64, 100, 255, 256, 257, 512}) {
      Case c = legal(3);
      c.box[axis] = box;
      ask(axis == 0 ? "box[0]" : axis == 1 ? "box[1]" : "box[2]", box, c);
    }
    for (int step : {0, 1, 2, 3, 7, 8, 9, 16}) {
      Case c = legal(3);
      c.steps[axis] = step;
      ask(axis == 0 ? "steps[0]" : axis == 1 ? "steps[1]" : "steps[2]", step, c);
    }
  }
  for (int axis = 0; axis < 2; ++axis) {
    for (long long stride : {0ll, 4ll, 8ll, 16ll, 24ll, 32ll, 128ll, 240ll, 256ll, 264ll, 272ll, 65536ll, (1ll << 40) - 16, 1ll << 40,
                             (1ll << 40) + 16}) {
      Case c = legal(3);
      c.strides[axis] = stride;
      ask(axis == 0 ? "strides[0]" : "strides[1]", stride, c);
    }
  }
  Case large = legal(3);
  large.box[0] = 64, large.box[1] = 64, large.box[2] = 8;
  ask("box of KiB", 128, large);
  large.box[0] = 256, large.box[1] = 256, large.box[2] = 1;
  ask("box of KiB", 256, large);
}

static void layouts() {
  for (int swizzle = 0; swizzle <= 7; ++swizzle) {
    for (int inner : {1, 2, 3, 4, 8, 12, 16, 20, 32, 33, 36, 64}) {
      Case c = legal();
      c.swizzle = swizzle;
      c.box[0] = inner;
      char what[32];
      std::snprintf(what, sizeof what, "swizzle %d box[0]", swizzle);
      ask(what, inner, c);
    }
    Case stepped = legal();
    stepped.swizzle = swizzle, stepped.box[0] = 32, stepped.steps[0] = 2;
    ask("swizzle with steps[0] 2", swizzle, stepped);
    stepped.box[0] = 64;
    ask("swizzle with steps[0] 2, box[0] 64", swizzle, stepped);
    Case halves = legal(2, CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
    halves.swizzle = swizzle, halves.box[0] = 64;
    ask("swizzle of 64 halves", swizzle, halves);
    Case bytes = legal(2, CU_TENSOR_MAP_DATA_TYPE_UINT8);
    bytes.swizzle = swizzle, bytes.box[0] = 64;
    ask("swizzle of 64 bytes", swizzle, bytes);
    bytes.box[0] = 24;
    ask("swizzle of 24 bytes", swizzle, bytes);
    Case doubles = legal(1, CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
    doubles.swizzle = swizzle;
    ask("swizzle of 16 doubles, 1-D", swizzle, doubles);
  }
  for (int type : {0, 1, 2, 4, 6, 9}) {
    for (int inner : {1, 2, 4, 6, 8, 10, 16, 24}) {
      Case c = legal(2, type);
      c.box[0] = inner;
      char what[32];
      std::snprintf(what, sizeof what, "type %d box[0]", type);
      ask(what, inner, c);
    }
  }
}

int main() {
  cudaMalloc(&buffer, 1 << 20);
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  const cudaError_t code = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found);
  std::printf("entry point: %s, %d\n", cudaGetErrorName(code), (int)found);
  if (entry == nullptr) return 1;
  encode = (Encode)entry;
  scalars();
  sizes();
  layouts();
}
