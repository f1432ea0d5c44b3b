// The same, each element written before it is read; and a structure is passed and returned with its padding.
// launch: 1 32
#include "../words.h"

struct Mark {
  char kind;
  int place;
};

__device__ __noinline__ int picked(const int* in, int count, int k) {
  int part[8];
  for (int j = 0; j < count; ++j) part[j] = in[j];
  return part[k % count];
}

__device__ __noinline__ Mark moved(Mark mark, int by) {
  mark.place += by;
  return mark;
}

extern "C" __global__ void kernel(int* out, int* in, int n) {
  int all = picked(in, 8, threadIdx.x % 8);
  Mark mark = {'a', static_cast<int>(threadIdx.x)};
  mark = moved(mark, picked(in, 4, threadIdx.x));
  out[threadIdx.x] = all + mark.place + mark.kind;
}
