// Blocks of a multiprocessor. See occupancy.h.
#include "common/gpu/model/occupancy.h"

#include <algorithm>

#include "common/sim/analysis/registers.h"
#include "common/sim/program/program_data.h"

namespace lab::model {
namespace {

// A warp gets registers for each thread in eights; a thread has 16 at least and 255 at most. Small kernels
// get two more than are alive or so; in larger ones the assembler moves instructions until fewer are alive.
std::uint32_t given(std::uint32_t alive, std::uint64_t threads, std::uint32_t all) {
  constexpr std::uint32_t kStep = 8, kLeast = 16, kMost = 255, kSmall = 36, kMore = 2;
  const std::uint32_t taken = alive < kSmall ? alive + kMore + kStep - 1 : alive + kStep / 2;
  const auto fits = static_cast<std::uint32_t>(all / std::max<std::uint64_t>(1, threads)) / kStep * kStep;
  return std::clamp(taken / kStep * kStep, kLeast, std::clamp(fits, kLeast, kMost));
}

}  // namespace

int most_threads(const sim::Program& program) {
  const std::uint32_t promised = program.data().max_threads;
  return promised == 0 ? 1024 : static_cast<int>(std::min(promised, 1024u));
}

Occupancy occupancy(const device::GpuData& gpu, const sim::Program& program, std::uint64_t threads,
                    std::size_t dynamic_shared_bytes) {
  Occupancy found;
  const sim::ProgramData& data = program.data();
  const std::uint64_t warps = std::max<std::uint64_t>(1, (threads + 31) / 32);
  const std::uint32_t alive = data.function_texts.empty() ? 0 : sim::registers_alive(*data.function_texts[0]);
  found.registers = given(alive, 32 * warps, gpu.registers_per_multiprocessor);
  if (threads == 0 || threads > static_cast<std::uint64_t>(most_threads(program))) return found;
  const std::uint64_t most = gpu.blocks_per_multiprocessor;
  found.by_threads = std::min<std::uint64_t>(most, gpu.threads_per_multiprocessor / 32 / warps);
  found.by_registers =
      std::min<std::uint64_t>(most, gpu.registers_per_multiprocessor / (found.registers * 32 * warps));
  const std::uint64_t shared = program.static_shared_bytes() + dynamic_shared_bytes;
  const std::uint64_t taken = shared + gpu.shared_bytes_reserved;
  found.by_shared = taken == 0 ? most : std::min<std::uint64_t>(most, gpu.shared_bytes / taken);
  if (shared > gpu.shared_bytes_per_block) found.by_shared = 0;
  found.blocks = std::min({found.by_threads, found.by_registers, found.by_shared});
  return found;
}

int blocks_per_multiprocessor(const device::GpuData& gpu, const sim::Program& program, std::uint64_t threads,
                              std::size_t dynamic_shared_bytes) {
  return static_cast<int>(occupancy(gpu, program, threads, dynamic_shared_bytes).blocks);
}

int active_clusters(const device::GpuData& gpu, std::uint64_t blocks, std::uint64_t cluster_blocks) {
  constexpr std::uint64_t kPair = 2;        // fits anywhere, also on multiprocessors outside the list
  constexpr std::uint64_t kMostBlocks = 8;  // of clusters, on one multiprocessor
  blocks = std::min(blocks, kMostBlocks);
  if (cluster_blocks <= kPair) return static_cast<int>(gpu.multiprocessors * blocks / cluster_blocks);
  std::uint64_t clusters = 0;
  for (const std::uint64_t multiprocessors : gpu.gpc_multiprocessors) {
    if (multiprocessors >= cluster_blocks) clusters += multiprocessors * blocks / cluster_blocks;
  }
  return static_cast<int>(clusters);
}

}  // namespace lab::model
