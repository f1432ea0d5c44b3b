// How many blocks of a kernel one multiprocessor holds at once.
//
// Enters: a GPU, a decoded kernel, a launch shape. Leaves: blocks; 0 when none fits. Registers are given out
// by the assembler, which does not run here: 32 a thread are assumed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/device/gpu_data.h"
#include "common/sim/program/program.h"

namespace lab::model {

[[nodiscard]] int blocks_per_multiprocessor(const cudart::GpuData& gpu, const sim::Program& program,
                                            std::uint64_t threads, std::size_t dynamic_shared_bytes);
// Threads that a block of this kernel may have.
[[nodiscard]] int most_threads(const sim::Program& program);

}  // namespace lab::model
