// Transposes that are programs of their own: lab::transpose of common/fast, Triton's and PyTorch's.
//
// Enters: which, matrices. Leaves: their times. Each runs as a process (tools/bench/fast_bench.cu,
// fast_peers.py), which compares its results bit for bit and replays its launches from a CUDA graph: Python
// launches more slowly than small kernels run.
#pragma once

#include <string_view>
#include <vector>

#include "common/course/judge/problem.h"
#include "common/course/judge/stopwatch.h"

namespace lab::explore {

struct Peer {
  std::string_view key, name, idea;  // what a person writes, and reads: "torch", "PyTorch"
};

// Null where there is none of that name.
[[nodiscard]] const Peer* find_peer(std::string_view key);

// One time a problem, or why there is none. Throws EnvironmentError where the peer cannot be had at all: no
// nvcc, no Python with its package.
[[nodiscard]] std::vector<judge::Timed> time_peer(const Peer& peer,
                                                  const std::vector<judge::Problem>& problems);

}  // namespace lab::explore
