// Host time of a call of lab::permute with a kept plan beside the least that a launch takes: an empty kernel with as many bytes of
// parameters, by the runtime and by the driver, and a graph of one call.
//
// nvcc -O3 -std=c++17 -arch=native -I . tools/bench/calls.cu -lcuda -o calls && ./calls
#include <cuda.h>

#include <chrono>

#include "common/fast/transpose.cuh"
#include "tools/bench/medians.h"

namespace {

struct Parameters {
  char* at;
  char more[800];  // about what a box takes
};
__global__ void nothing(const __grid_constant__ Parameters parameters) {
  if (parameters.at != nullptr) *parameters.at = parameters.more[0];
}

// Microseconds of one call on the host, the median of 31 rounds of 200.
template <typename Go>
double host_time(const Go& go) {
  std::vector<double> taken;
  for (int round = 0; round < 31; ++round) {
    require(cudaDeviceSynchronize());
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < 200; ++i) go();
    const std::chrono::duration<double, std::micro> all = std::chrono::steady_clock::now() - began;
    taken.push_back(all.count() / 200);
  }
  std::sort(taken.begin(), taken.end());
  return taken[taken.size() / 2];
}

}  // namespace

int main() {
  cudaStream_t stream;
  require(cudaStreamCreate(&stream));
  Parameters parameters{};
  void* arguments[] = {&parameters};
  cudaFunction_t function;
  require(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(nothing)));
  for (const bool overlaps : {false, true}) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t launch{};
    launch.gridDim = 1, launch.blockDim = 32, launch.stream = stream, launch.attrs = &attribute;
    launch.numAttrs = overlaps;
    CUlaunchAttribute same{};
    same.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    same.value.programmaticStreamSerializationAllowed = 1;
    CUlaunchConfig by_driver{1, 1, 1, 32, 1, 1, 0, stream, &same, overlaps};
    std::printf("%s,empty by the runtime,%.2f\n", overlaps ? "early" : "plain",
                host_time([&] { cudaLaunchKernelExC(&launch, reinterpret_cast<const void*>(nothing), arguments); }));
    std::printf("%s,empty by the driver,%.2f\n", overlaps ? "early" : "plain",
                host_time([&] { cuLaunchKernelEx(&by_driver, CUfunction(function), arguments, nullptr); }));
  }
  char *in = nullptr, *out = nullptr;
  require(cudaMalloc(&in, 1 << 22)), require(cudaMalloc(&out, 1 << 22));
  const struct {
    const char* name;
    int count, element;
    int64_t sizes[4];
    int order[4];
  } layouts[] = {{"256x256", 2, 4, {256, 256}, {1, 0}},
                 {"255x257", 2, 1, {255, 257}, {1, 0}},
                 {"8x33x12x64 by 0 2 1 3", 4, 2, {8, 33, 12, 64}, {0, 2, 1, 3}},
                 {"5x165x2x7 by 3 1 2 0", 4, 2, {5, 165, 2, 7}, {3, 1, 2, 0}}};
  for (const auto& l : layouts) {
    const auto permute = [&] { require(lab::permute(out, in, l.count, l.sizes, nullptr, l.order, l.element, stream)); };
    const lab::Planned planned = lab::plan(out, in, l.count, l.sizes, nullptr, l.order, l.element);
    std::printf("%s,permute,%.2f\n%s,planned,%.2f\n", l.name, host_time(permute), l.name,
                host_time([&] { require(planned(out, in, stream)); }));
    cudaGraph_t graph;
    cudaGraphExec_t made;
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal)), permute();
    require(cudaStreamEndCapture(stream, &graph)), require(cudaGraphInstantiate(&made, graph, 0));
    std::printf("%s,graph of one,%.2f\n", l.name, host_time([&] { require(cudaGraphLaunch(made, stream)); }));
  }
  return 0;
}
