// lab::transpose_with on awkward and drawn matrices, on whichever device the program meets: every bit of the
// output, between its rows and around it.
//
// Arguments: how many matrices are drawn, the seed, elements of the largest.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "common/fast/epilogue.cuh"

namespace {

constexpr int64_t kGuard = 64;  // elements
int cases = 0, wrong = 0;

#ifndef FEW_TYPES
struct Swap {  // of a type that is no number
  __host__ __device__ uint4 operator()(uint4 x) const { return {x.w, x.z, x.y, x.x}; }
};
#endif
struct Count {
  __host__ __device__ int operator()(unsigned char x, int out) const { return out * 3 + x; }
};

template <typename T>
T value_of(int n) {
  if constexpr (sizeof(T) == 16) {
    const auto u = static_cast<unsigned>(n);
    return {u, u * 7 + 1, u * 11 + 2, ~u};
  } else {
    return static_cast<T>(static_cast<float>(n));
  }
}

template <typename Out, typename In, typename F>
void check(const char* name, int64_t rows, int64_t cols, const F& go, int64_t more_out, int64_t more_in,
           int64_t count, int64_t from) {
  ++cases;
  const lab::Pitches pitches{rows + more_out, cols + more_in};
  const lab::Batch batch{count, cols * pitches.out + more_out, rows * pitches.in + more_in};
  std::vector<In> in(size_t(count * batch.in_stride + from));
  std::vector<Out> want(size_t(count * batch.out_stride + from + 2 * kGuard)), got(want.size());
  for (size_t i = 0; i < in.size(); ++i) in[i] = value_of<In>(int(i * 37 % 251) - (sizeof(In) > 1 ? 120 : 0));
  for (size_t i = 0; i < want.size(); ++i)
    want[i] = value_of<Out>(int(i * 13 % 101) - (sizeof(Out) > 1 ? 50 : 0));
  got = want;
  In* device_in;
  Out* device_out;
  cudaMalloc(&device_in, in.size() * sizeof(In)), cudaMalloc(&device_out, got.size() * sizeof(Out));
  cudaMemcpy(device_in, in.data(), in.size() * sizeof(In), cudaMemcpyHostToDevice);
  cudaMemcpy(device_out, got.data(), got.size() * sizeof(Out), cudaMemcpyHostToDevice);
  for (int64_t m = 0; m < count; ++m)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < cols; ++c) {
        Out& to = want[size_t(kGuard + from + m * batch.out_stride + c * pitches.out + r)];
        const In& x = in[size_t(from + m * batch.in_stride + r * pitches.in + c)];
        if constexpr (std::is_invocable_v<F, In, Out>)
          to = Out(go(x, to));
        else
          to = Out(go(x));
      }
  cudaError_t error = lab::transpose_with(device_out + kGuard + from, device_in + from, rows, cols, go,
                                          nullptr, pitches, batch);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  cudaMemcpy(got.data(), device_out, got.size() * sizeof(Out), cudaMemcpyDeviceToHost);
  cudaFree(device_in), cudaFree(device_out);
  if (error == cudaSuccess && memcmp(got.data(), want.data(), got.size() * sizeof(Out)) == 0) return;
  std::printf("WRONG %s, %lld of %lldx%lld, pitches +%lld, +%lld, from element %lld: %s\n", name,
              static_cast<long long>(count), static_cast<long long>(rows), static_cast<long long>(cols),
              static_cast<long long>(more_out), static_cast<long long>(more_in), static_cast<long long>(from),
              cudaGetErrorString(error));
  ++wrong;
}

void all(int64_t rows, int64_t cols, int64_t more_out = 0, int64_t more_in = 0, int64_t count = 1,
         int64_t from = 0) {
  const lab::Affine affine{0.5f, 1.25f};
  const lab::Blend blend{2.0f, 0.75f};
  check<__nv_bfloat16, float>("float to bf16", rows, cols, affine, more_out, more_in, count, from);
  check<__nv_bfloat16, __nv_bfloat16>("bf16, added", rows, cols, blend, more_out, more_in, count, from);
  check<int, unsigned char>("bytes, counted", rows, cols, Count{}, more_out, more_in, count, from);
#ifndef FEW_TYPES  // what faulty copies meet, so that they are soon compiled
  check<float, float>("float", rows, cols, affine, more_out, more_in, count, from);
  check<__half, float>("float to half", rows, cols, lab::Affine{}, more_out, more_in, count, from);
  check<float, __half>("half to float", rows, cols, affine, more_out, more_in, count, from);
  check<float, float>("float, added", rows, cols, blend, more_out, more_in, count, from);
  check<unsigned char, float>("float to bytes", rows, cols, lab::Affine{0.0f, 7}, more_out, more_in, count,
                              from);
  check<double, float>("float to double", rows, cols, affine, more_out, more_in, count, from);
  check<uint4, uint4>("16 bytes", rows, cols, Swap{}, more_out, more_in, count, from);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, int64_t otherwise) { return argc > i ? std::atoll(argv[i]) : otherwise; };
  const auto seed = static_cast<unsigned>(argument(2, 1));
  const int64_t most = argument(3, 6000);
  for (const auto& [rows, cols] : {std::pair{1, 1}, {31, 33}, {64, 64}, {1, 130}, {130, 1}, {66, 61}, {0, 4}})
    all(rows, cols), all(rows, cols, 3, 5, 2, 1);
  all(61, 64, 3), all(150, 96, 10);  // aligned, with a part of a piece at the end of a row of `out`
  std::mt19937 random(seed);
  const auto draw = [&](int64_t a, int64_t b) { return a + int64_t(random() % uint32_t(b - a + 1)); };
  for (int64_t n = argument(1, 4); n > 0; --n) {
    int64_t rows = draw(1, 300), cols = draw(1, 300);
    while (rows * cols > most) rows = draw(1, 300), cols = draw(1, 300);
    all(rows, cols, draw(0, 1) * draw(0, 9), draw(0, 1) * draw(0, 9), draw(1, 3), draw(0, 5));
  }
  if (lab::transpose_with(static_cast<float*>(nullptr), static_cast<const float*>(nullptr), -1, 4,
                          lab::Affine{}) == cudaSuccess ||
      lab::transpose_with(static_cast<float*>(nullptr), static_cast<const float*>(nullptr), 4, 4,
                          lab::Affine{}, nullptr, {3, 4}) == cudaSuccess)
    ++wrong, std::printf("WRONG sizes were not refused\n");
  std::printf("seed %u: %d cases, %d wrong\n", seed, cases, wrong);
  return wrong == 0 ? 0 : 1;
}
