// An observer of a judged run on several GPUs: what goes over the links, and when.
//
// Enters: stores and bulk copies to global memory, and which GPU owns it. Leaves: bytes that each GPU sends and
// receives in each part of the launch, and what the links carry for them. A part is 32 blocks that start
// together, or a quarter of a launch with fewer than 128; a block that writes more than 32 KiB has several.
// Measured on NVLink (tests/golden/link_sectors.csv): each 128-byte line that a warp's store touches is one
// packet, from its first sector to its last, plus 16 bytes of protocol (32 where sectors are not whole). At most
// half of one sector goes as 16 bytes plus 16.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/kernel/gpus.h"
#include "common/sim/base/observer.h"
#include "common/sim/memory/memory.h"

namespace lab::judge {

inline constexpr std::uint64_t kLinkLineBytes = 128, kLinkProtocolBytes = 16;

struct LinkFindings {
  std::uint64_t stored = 0;   // bytes, to whatever GPU
  std::uint64_t sent = 0;     // of these, to others
  std::uint64_t carried = 0;  // for these, protocol included
  std::uint64_t stores = 0;   // requests of warps that send
  std::string file;           // the line whose packets waste most
  int line = 0;
  // The part of a GPU's time in which its links have most to send for what it stores, and that of a GPU that
  // gets most for what all send.
  struct Part {
    int gpu = 0;
    std::uint64_t bytes = 0, of = 0;
  };
  Part busiest_sender, busiest_receiver;
  std::uint64_t blocks_together = 1;  // of each GPU, in a part
};

// Address and bytes of what a warp stores at once.
using StoredPieces = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
// What a link carries for them.
[[nodiscard]] std::uint64_t carried_bytes(const StoredPieces& pieces);

class LinkWatch final : public sim::Observer {
 public:
  [[nodiscard]] LinkFindings findings() const;

  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override {
    return std::make_unique<LinkWatch>();
  }
  void merge(const sim::Observer& other) override;
  void launch_begin(const sim::LaunchInfo& info) override;
  void block_begin(std::uint32_t slot, const sim::WarpPlace& place) override;
  void access(std::uint32_t slot, const sim::Access& access) override;
  void bulk(std::uint32_t slot, const sim::BulkCopy& copy) override;

 private:
  struct Block {
    std::uint64_t group = 0, stored = 0;
  };
  using ByGpu = std::array<std::uint64_t, kMostGpus>;
  using Time = std::pair<std::uint64_t, std::uint64_t>;  // group of blocks, part of a block
  struct Traffic {
    std::uint64_t carried = 0, sent = 0;
  };
  [[nodiscard]] int owner_of(std::uint64_t address);
  // Whether it goes to another GPU.
  bool store(Block& block, std::uint64_t address, std::uint64_t bytes);
  void carry(std::uint32_t pc, const StoredPieces& pieces);

  const sim::Program* program_ = nullptr;
  const sim::Memory* memory_ = nullptr;
  const sim::Allocation* last_ = nullptr;
  int self_ = 0;
  std::uint64_t together_ = 1;
  std::vector<Block> blocks_;                     // by slot
  std::map<std::pair<int, Time>, ByGpu> stored_;  // by GPU and its time: bytes to each GPU
  ByGpu* now_ = nullptr;                          // of these, the one at `time_`
  Time time_;
  std::map<std::uint32_t, Traffic> by_pc_;
  std::uint64_t stores_ = 0;
};

}  // namespace lab::judge
