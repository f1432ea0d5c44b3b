// Times of what is queued on a stream: for the programs of this folder that print medians beside a copy's.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void require(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

// Microseconds of go(i), i counting up.
template <typename Go>
double median(size_t bytes, const Go& go) {
  const int turns = int(std::min<size_t>(50, size_t(1500000000) / bytes + 2));
  cudaEvent_t start, stop;
  require(cudaEventCreate(&start)), require(cudaEventCreate(&stop));
  std::vector<double> times;
  for (int sample = 0; sample < 23; ++sample) {
    require(cudaEventRecord(start));
    for (int i = 0; i < turns; ++i) go(i);
    require(cudaEventRecord(stop)), require(cudaEventSynchronize(stop));
    float ms = 0;
    require(cudaEventElapsedTime(&ms, start, stop));
    if (sample >= 2) times.push_back(1e3 * ms / turns);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}
