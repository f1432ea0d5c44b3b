// A counter in device memory, private to this file, and a kernel of its own.
#include "vec3.h"

static __device__ int noted;
static __device__ int longest_bits;

__device__ void note_step(int i) { atomicAdd(&noted, 1); }

static __global__ void longest(const Vec3 *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(&longest_bits, __float_as_int(sqrtf(v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z)));
}

int steps_noted() {
  int h = 0;
  cudaMemcpyFromSymbol(&h, noted, sizeof h);
  return h;
}

float longest_on_device(const Vec3 *v, int n) {
  longest<<<(n + 127) / 128, 128>>>(v, n);
  float f = -1;
  cudaMemcpyFromSymbol(&f, longest_bits, sizeof f);
  return f;
}
