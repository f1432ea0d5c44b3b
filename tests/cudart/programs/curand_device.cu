// cuRAND in kernels: the same header, compiled for the host too, gives the same integers, uniforms and Poisson numbers bit for bit.
// golden: none
#define QUALIFIERS static inline __host__ __device__
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int kThreads = 48;

struct Row {
  unsigned bits[9], poisson[4];
  float uniform[6], normal[6];
  double uniforms[2], normals[3];
};

template <class State>
__host__ __device__ void start(State* state, int thread) {
  // Short and long ways: seeds, sequences and offsets that take each of the header's tables.
  constexpr unsigned long long kSeeds[] = {0, 1, 1234, 0xdeadbeefcafeull, ~0ull};
  constexpr unsigned long long kOffsets[] = {0, 1, 5, 1000, 123456789, 1ull << 40};
  curand_init(kSeeds[thread % 5], thread % 3 == 0 ? thread : 77777ull * thread, kOffsets[thread % 6], state);
}

template <class State>
__host__ __device__ void draw(Row* row, int thread) {
  State state;
  start(&state, thread);
  for (int k = 0; k < 5; ++k) row->bits[k] = curand(&state);
  skipahead(1003ull * thread, &state);
  row->bits[5] = curand(&state);
  skipahead_sequence(thread + 1, &state);
  row->bits[6] = curand(&state);
  State copy = state;
  row->bits[7] = curand(&copy);
  row->bits[8] = curand(&state) == row->bits[7];
  for (int k = 0; k < 6; ++k) row->uniform[k] = curand_uniform(&state);
  for (double& x : row->uniforms) x = curand_uniform_double(&state);
  const double lambdas[] = {0.5, 9, 700, 5000};
  for (int k = 0; k < 4; ++k) row->poisson[k] = curand_poisson(&state, lambdas[k]);
  for (int k = 0; k < 2; ++k) row->normal[k] = curand_normal(&state);
  row->normal[2] = curand_normal(&state);  // of a second pair, whose other number stays where it is
  const float2 two = curand_normal2(&state);
  row->normal[3] = two.x;
  row->normal[4] = two.y;
  row->normal[5] = curand_log_normal(&state, 0.5f, 0.25f);
  row->normals[0] = curand_normal_double(&state);
  row->normals[1] = curand_normal2_double(&state).y;
  row->normals[2] = curand_log_normal_double(&state, -1.0, 2.0);
}

template <class State>
__global__ void draw_all(Row* rows) {
  draw<State>(rows + threadIdx.x, threadIdx.x);
}

template <class T>
int far(const T* a, const T* b, int count, double most) {
  int found = 0;
  for (int k = 0; k < count; ++k) found += !(std::fabs(a[k] - b[k]) <= most * (1 + std::fabs(b[k])));
  return found;
}

template <class State>
int compare(const char* name) {
  Row* rows;
  cudaMallocManaged(&rows, kThreads * sizeof(Row));
  draw_all<State><<<1, kThreads>>>(rows);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int bits = 0, uniforms = 0, poisson = 0, normals = 0;
  for (int t = 0; t < kThreads; ++t) {
    Row own;
    draw<State>(&own, t);
    bits += std::memcmp(own.bits, rows[t].bits, sizeof own.bits) != 0;
    uniforms += std::memcmp(own.uniform, rows[t].uniform, sizeof own.uniform) != 0 ||
                std::memcmp(own.uniforms, rows[t].uniforms, sizeof own.uniforms) != 0;
    poisson += std::memcmp(own.poisson, rows[t].poisson, sizeof own.poisson) != 0;
    const int n = far(rows[t].normal, own.normal, 6, 2e-6) + far(rows[t].normals, own.normals, 3, 1e-12);
    normals += n != 0;
  }
  std::printf("%-12s others: bits %d, uniform %d, Poisson %d, normal %d\n", name, bits, uniforms, poisson, normals);
  cudaFree(rows);
  return bits + uniforms + poisson + normals;
}

int main() {
  return compare<curandStateXORWOW_t>("XORWOW") + compare<curandStateMRG32k3a_t>("MRG32k3a") + compare<curandStatePhilox4_32_10_t>("Philox") != 0;
}
