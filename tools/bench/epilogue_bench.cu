// lab::transpose_with against a copy of as many bytes: medians of 21 in one process, as CSV. Build:
// nvcc -O3 -std=c++17 -arch=native -I. tools/bench/epilogue_bench.cu
//
// Buffers take turns over 2 GB, so nothing is in the cache. Bits are tests/fast/epilogue.cu's.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "common/fast/epilogue.cuh"
#include "tools/bench/medians.h"

namespace {

constexpr size_t kPool = size_t(2) << 30;
char *in, *out;

template <typename Out, typename In, typename F>
void time(const char* name, int64_t rows, int64_t cols, const F& go) {
  const size_t all = size_t(rows * cols), apart = (all * std::max(sizeof(In), sizeof(Out)) + 255) / 256 * 256,
               count = std::max<size_t>(1, kPool / apart),
               bytes = all * (sizeof(In) + sizeof(Out) * (std::is_invocable_v<F, In, Out> ? 2 : 1)),
               half = bytes / 2, copies = std::max<size_t>(1, kPool / ((half + 255) / 256 * 256));
  const auto copy = [&](int i) {
    const size_t at = size_t(i) % copies * ((half + 255) / 256 * 256);
    require(cudaMemcpyAsync(out + at, in + at, half, cudaMemcpyDeviceToDevice));
  };
  const auto turn = [&](int i) {
    const size_t at = size_t(i) % count * apart;
    require(lab::transpose_with(reinterpret_cast<Out*>(out + at), reinterpret_cast<const In*>(in + at), rows,
                                cols, go));
  };
  const double before = median(bytes, copy), ours = median(bytes, turn),
               yardstick = std::min(before, median(bytes, copy));
  std::printf("%s,%lld,%lld,%.2f,%.2f,%.1f\n", name, static_cast<long long>(rows),
              static_cast<long long>(cols), yardstick, ours, 100 * yardstick / ours);
  std::fflush(stdout);
}

}  // namespace

int main() {
  require(cudaMalloc(&in, kPool)), require(cudaMalloc(&out, kPool));
  require(cudaMemset(in, 0, kPool)), require(cudaMemset(out, 0, kPool));
  std::printf("epilogue,rows,cols,copy_us,us,percent_of_copy\n");
  const int64_t shapes[][2] = {{4096, 4096}, {8192, 8192}, {16384, 4096}, {5000, 3001}, {8191, 8193}};
  const lab::Affine affine{0.5f, 1};
  for (const auto& shape : shapes) {
    time<float, float>("f32 scaled", shape[0], shape[1], affine);
    time<__nv_bfloat16, float>("f32 to bf16", shape[0], shape[1], affine);
    time<__half, float>("f32 to f16", shape[0], shape[1], affine);
    time<float, __nv_bfloat16>("bf16 to f32", shape[0], shape[1], affine);
    time<__nv_bfloat16, __nv_bfloat16>("bf16 scaled", shape[0], shape[1], affine);
    time<float, float>("f32 added", shape[0], shape[1], lab::Blend{1, 0.9f});
  }
  return 0;
}
