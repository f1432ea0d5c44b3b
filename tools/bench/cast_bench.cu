// lab::cast_transpose against a copy of as many bytes: medians of 21 in one process, as CSV. Build:
// nvcc -O3 -std=c++17 -arch=native -I. tools/bench/cast_bench.cu
//
// Buffers take turns over 2 GB, so nothing is in the cache. amax is wanted in each; bits are
// tests/fast/cast.cu's.
#include "common/fast/cast.cuh"
#include "tools/bench/medians.h"

namespace {

constexpr size_t kPool = size_t(2) << 30;
char *in, *out, *out_t;
float* amax;

// Numbers that overflow seldom, and no NaN: any bits below 2^14 in magnitude.
__global__ void fill(uint16_t* to, size_t count) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
       i += size_t(gridDim.x) * blockDim.x) {
    const uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15ull;
    to[i] = uint16_t(mixed >> 40) & 0xbfff;
  }
}

template <typename In, typename Out>
void time(const char* name, int64_t rows, int64_t cols) {
  const size_t all = size_t(rows * cols), in_bytes = all * sizeof(In), apart = (in_bytes + 255) / 256 * 256,
               count = std::max<size_t>(1, kPool / apart);
  for (const int outputs : {3, 2, 1}) {
    const size_t bytes = in_bytes + all * (outputs == 3 ? 2 : 1), half = bytes / 2;
    const size_t copies = std::max<size_t>(1, kPool / ((half + 255) / 256 * 256));
    const auto copy = [&](int i) {
      const size_t at = size_t(i) % copies * ((half + 255) / 256 * 256);
      require(cudaMemcpyAsync(out + at, in + at, half, cudaMemcpyDeviceToDevice));
    };
    const auto cast = [&](int i) {
      const size_t k = size_t(i) % count;
      require(lab::cast_transpose(outputs & 1 ? reinterpret_cast<Out*>(out + k * apart) : nullptr,
                                  outputs & 2 ? reinterpret_cast<Out*>(out_t + k * apart) : nullptr,
                                  reinterpret_cast<const In*>(in + k * apart), rows, cols, 0.5f, amax));
    };
    const double before = median(bytes, copy), ours = median(bytes, cast),
                 yardstick = std::min(before, median(bytes, copy));
    std::printf("%s,%lld,%lld,%s,%.2f,%.2f,%.1f\n", name, static_cast<long long>(rows),
                static_cast<long long>(cols),
                outputs == 3   ? "both"
                : outputs == 2 ? "transposed"
                               : "rows",
                yardstick, ours, 100 * yardstick / ours);
    std::fflush(stdout);
  }
}

}  // namespace

int main() {
  require(cudaMalloc(&in, kPool)), require(cudaMalloc(&out, kPool)), require(cudaMalloc(&out_t, kPool));
  require(cudaMalloc(&amax, 4)), require(cudaMemset(amax, 0, 4));
  fill<<<2048, 256>>>(reinterpret_cast<uint16_t*>(in), kPool / 2);
  std::printf("conversion,rows,cols,outputs,copy_us,us,percent_of_copy\n");
  const int64_t shapes[][2] = {{4096, 4096}, {8192, 8192}, {16384, 4096}, {5000, 3001}, {8191, 8193}};
  for (const auto& shape : shapes) {
    time<float, __nv_fp8_e4m3>("f32 to e4m3", shape[0], shape[1]);
    time<__half, __nv_fp8_e4m3>("f16 to e4m3", shape[0], shape[1]);
    time<__nv_bfloat16, __nv_fp8_e4m3>("bf16 to e4m3", shape[0], shape[1]);
  }
  time<__nv_bfloat16, __nv_fp8_e5m2>("bf16 to e5m2", 8192, 8192);
  return 0;
}
