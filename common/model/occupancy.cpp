// Blocks of a multiprocessor. See occupancy.h.
#include "common/model/occupancy.h"

#include <algorithm>

#include "common/sim/program/program_data.h"

namespace lab::model {
namespace {

// Assumption: what small kernels take.
constexpr std::uint32_t kAssumedRegisters = 32;

}  // namespace

int most_threads(const sim::Program& program) {
  const std::uint32_t promised = program.data().max_threads;
  return promised == 0 ? 1024 : static_cast<int>(std::min(promised, 1024u));
}

int blocks_per_multiprocessor(const cudart::GpuData& gpu, const sim::Program& program, std::uint64_t threads,
                              std::size_t dynamic_shared_bytes) {
  if (threads == 0 || threads > static_cast<std::uint64_t>(most_threads(program))) return 0;
  const std::uint64_t warps = (threads + 31) / 32;
  std::uint64_t blocks =
      std::min<std::uint64_t>(gpu.blocks_per_multiprocessor, gpu.threads_per_multiprocessor / 32 / warps);
  blocks = std::min(blocks, gpu.registers_per_multiprocessor / (kAssumedRegisters * 32 * warps));
  const std::uint64_t shared = program.static_shared_bytes() + dynamic_shared_bytes;
  if (shared > gpu.shared_bytes_per_block) return 0;
  if (shared + gpu.shared_bytes_reserved != 0)
    blocks = std::min(blocks, gpu.shared_bytes / (shared + gpu.shared_bytes_reserved));
  return static_cast<int>(blocks);
}

}  // namespace lab::model
