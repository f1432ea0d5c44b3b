// What a GPU makes of numbers that become 8-bit floating point ones, and of these: every float, every half,
// every byte. tests/golden/README.md has the command.
//
// Leaves: a line for each instruction: `name kind`, then runs `first:result` in hexadecimal: all inputs from
// `first` on, up to the next run, give this result; kind is f32 (2^32 inputs), f16 (65536) or fp8 (256). To
// the standard error: how many of them common/fast/fp8.cuh converts otherwise without the instruction.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "common/fast/fp8.cuh"

constexpr uint32_t kMostRuns = 1 << 20;

#define TO_BYTE(name, text)                                                          \
  struct name {                                                                      \
    static constexpr const char* kName = text;                                       \
    static __device__ uint32_t apply(uint32_t bits) {                                \
      uint16_t both;                                                                 \
      asm(text " %0, %1, %2;" : "=h"(both) : "f"(0.0f), "f"(__uint_as_float(bits))); \
      return both;                                                                   \
    }                                                                                \
  };
#define HALF_TO_BYTE(name, text)                      \
  struct name {                                       \
    static constexpr const char* kName = text;        \
    static __device__ uint32_t apply(uint32_t bits) { \
      uint16_t both;                                  \
      asm(text " %0, %1;" : "=h"(both) : "r"(bits));  \
      return both;                                    \
    }                                                 \
  };
#define FROM_BYTE(name, text)                                  \
  struct name {                                                \
    static constexpr const char* kName = text;                 \
    static __device__ uint32_t apply(uint32_t bits) {          \
      uint32_t both;                                           \
      asm(text " %0, %1;" : "=r"(both) : "h"(uint16_t(bits))); \
      return both;                                             \
    }                                                          \
  };
TO_BYTE(ToE4M3, "cvt.rn.satfinite.e4m3x2.f32")
TO_BYTE(ToE5M2, "cvt.rn.satfinite.e5m2x2.f32")
TO_BYTE(ToE4M3Relu, "cvt.rn.satfinite.relu.e4m3x2.f32")
TO_BYTE(ToE5M2Relu, "cvt.rn.satfinite.relu.e5m2x2.f32")
HALF_TO_BYTE(HalfToE4M3, "cvt.rn.satfinite.e4m3x2.f16x2")
HALF_TO_BYTE(HalfToE5M2, "cvt.rn.satfinite.e5m2x2.f16x2")
HALF_TO_BYTE(HalfToE4M3Relu, "cvt.rn.satfinite.relu.e4m3x2.f16x2")
HALF_TO_BYTE(HalfToE5M2Relu, "cvt.rn.satfinite.relu.e5m2x2.f16x2")
FROM_BYTE(FromE4M3, "cvt.rn.f16x2.e4m3x2")
FROM_BYTE(FromE5M2, "cvt.rn.f16x2.e5m2x2")
FROM_BYTE(FromE4M3Relu, "cvt.rn.relu.f16x2.e4m3x2")
FROM_BYTE(FromE5M2Relu, "cvt.rn.relu.f16x2.e5m2x2")

struct Run {
  uint32_t first, result;
};

template <typename Form>
__global__ void find_runs(uint64_t inputs, Run* runs, uint32_t* count) {
  const uint64_t stride = uint64_t(gridDim.x) * blockDim.x;
  for (uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < inputs; i += stride) {
    const uint32_t result = Form::apply(uint32_t(i));
    if (i > 0 && result == Form::apply(uint32_t(i - 1))) continue;
    const uint32_t at = atomicAdd(count, 1);
    if (at < kMostRuns) runs[at] = {uint32_t(i), result};
  }
}

template <typename Form, typename Format>
__global__ void compare(uint32_t* differ) {
  const uint64_t stride = uint64_t(gridDim.x) * blockDim.x;
  for (uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i >> 32 == 0; i += stride)
    if (Form::apply(uint32_t(i)) != lab::fast::narrowed<Format>(uint32_t(i))) atomicAdd(differ, 1);
}

template <typename Form>
bool print_runs(const char* kind, uint64_t inputs) {
  Run* device;
  uint32_t *device_count, count = 0;
  cudaMalloc(&device, kMostRuns * sizeof(Run)), cudaMalloc(&device_count, 4), cudaMemset(device_count, 0, 4);
  find_runs<Form><<<2048, 256>>>(inputs, device, device_count);
  cudaMemcpy(&count, device_count, 4, cudaMemcpyDeviceToHost);
  std::vector<Run> runs(std::min(count, kMostRuns));
  cudaMemcpy(runs.data(), device, runs.size() * sizeof(Run), cudaMemcpyDeviceToHost);
  cudaFree(device), cudaFree(device_count);
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
  std::printf("%s %s", Form::kName, kind);
  for (const Run& run : runs) std::printf(" %x:%x", run.first, run.result);
  std::printf("\n");
  return cudaGetLastError() == cudaSuccess && count > 0 && count <= kMostRuns;
}

template <typename Form, typename Format>
bool report_differences() {
  uint32_t *differ, count = 0;
  cudaMalloc(&differ, 4), cudaMemset(differ, 0, 4);
  compare<Form, Format><<<2048, 256>>>(differ);
  cudaMemcpy(&count, differ, 4, cudaMemcpyDeviceToHost);
  cudaFree(differ);
  std::fprintf(stderr, "%s: %u of 2^32 floats differ in fp8.cuh\n", Form::kName, count);
  return count == 0;
}

int main() {
  constexpr uint64_t kFloats = uint64_t(1) << 32, kHalves = 65536, kBytes = 256;
  const bool printed[] = {
      print_runs<ToE4M3>("f32", kFloats),         print_runs<ToE5M2>("f32", kFloats),
      print_runs<ToE4M3Relu>("f32", kFloats),     print_runs<ToE5M2Relu>("f32", kFloats),
      print_runs<HalfToE4M3>("f16", kHalves),     print_runs<HalfToE5M2>("f16", kHalves),
      print_runs<HalfToE4M3Relu>("f16", kHalves), print_runs<HalfToE5M2Relu>("f16", kHalves),
      print_runs<FromE4M3>("fp8", kBytes),        print_runs<FromE5M2>("fp8", kBytes),
      print_runs<FromE4M3Relu>("fp8", kBytes),    print_runs<FromE5M2Relu>("fp8", kBytes)};
  const bool same[] = {report_differences<ToE4M3, lab::fast::E4M3>(),
                       report_differences<ToE5M2, lab::fast::E5M2>()};
  return std::all_of(std::begin(printed), std::end(printed), [](bool b) { return b; }) && same[0] && same[1]
             ? 0
             : 1;
}
