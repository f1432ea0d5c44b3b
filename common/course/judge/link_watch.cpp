// What goes over the links, and when. See link_watch.h.
#include "common/course/judge/link_watch.h"

#include <algorithm>
#include <numeric>

#include "common/sim/base/lanes.h"
#include "common/sim/program/program.h"

namespace lab::judge {
namespace {

constexpr std::uint64_t kBlocksTogether = 32, kPartBytes = 32 << 10;
constexpr std::uint64_t kLinkSectorBytes = 32, kHalfSectorBytes = 16;

// What bytes [from, to) of one line take on the link, of which `written` are written.
std::uint64_t packet_bytes(std::uint64_t from, std::uint64_t to, std::uint64_t written) {
  const bool in_half = from / kHalfSectorBytes == (to - 1) / kHalfSectorBytes;
  const std::uint64_t unit = in_half ? kHalfSectorBytes : kLinkSectorBytes;
  const std::uint64_t span = ((to - 1) / unit - from / unit + 1) * unit;
  return span + (written == span ? kLinkProtocolBytes : 2 * kLinkProtocolBytes);
}

// The last blocks of a launch are few, and may all go one way.
std::uint64_t least_of(std::uint64_t all, std::size_t parts) { return parts == 0 ? 0 : all / parts / 2; }

template <std::size_t kCount>
std::uint64_t sum_of(const std::array<std::uint64_t, kCount>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

bool is_more(const LinkFindings::Part& a, const LinkFindings::Part& b) {
  return b.of == 0 || a.bytes * b.of > b.bytes * a.of;
}

}  // namespace

// One packet a line, from the first sector to the last.
std::uint64_t carried_bytes(const StoredPieces& pieces) {
  struct Touched {
    std::uint64_t from = ~std::uint64_t{0}, to = 0, bytes = 0;
  };
  std::map<std::uint64_t, Touched> lines;
  for (auto [address, bytes] : pieces) {
    while (bytes != 0) {
      const std::uint64_t part = std::min(bytes, kLinkLineBytes - address % kLinkLineBytes);
      Touched& line = lines[address / kLinkLineBytes];
      line.from = std::min(line.from, address), line.to = std::max(line.to, address + part);
      line.bytes += part;
      address += part, bytes -= part;
    }
  }
  std::uint64_t carried = 0;
  for (const auto& [number, line] : lines) carried += packet_bytes(line.from, line.to, line.bytes);
  return carried;
}

void LinkWatch::launch_begin(const sim::LaunchInfo& info) {
  program_ = info.program;
  memory_ = info.shared_memory;
  last_ = nullptr;
  now_ = nullptr;
  self_ = memory_ == nullptr ? 0 : static_cast<int>(memory_->device());
  together_ = std::clamp<std::uint64_t>(info.grid.count() / 4, 1, kBlocksTogether);
}

void LinkWatch::block_begin(std::uint32_t slot, const sim::WarpPlace& place) {
  if (slot >= blocks_.size()) blocks_.resize(slot + 1);
  blocks_[slot] = {place.block_index / together_, 0};
}

int LinkWatch::owner_of(std::uint64_t address) {
  if (memory_ == nullptr) return self_;
  if (last_ == nullptr || address < last_->base || address - last_->base >= last_->size_bytes)
    last_ = memory_->find(address, 1);
  return last_ == nullptr || last_->device >= kMostGpus ? self_ : last_->device;
}

bool LinkWatch::store(Block& block, std::uint64_t address, std::uint64_t bytes) {
  const Time time{block.group, block.stored / kPartBytes};
  const int owner = owner_of(address);
  if (now_ == nullptr || time_ != time) now_ = &stored_[{self_, time}], time_ = time;
  (*now_)[static_cast<std::size_t>(owner)] += bytes;
  block.stored += bytes;
  return owner != self_;
}

void LinkWatch::carry(std::uint32_t pc, const StoredPieces& pieces) {
  Traffic& traffic = by_pc_[pc];
  for (const auto& [address, bytes] : pieces) traffic.sent += bytes;
  traffic.carried += carried_bytes(pieces);
  ++stores_;
}

void LinkWatch::access(std::uint32_t slot, const sim::Access& access) {
  if (access.space != sim::Space::Global || !sim::writes(access.path)) return;
  StoredPieces pieces;
  for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
    const std::uint64_t address = access.address[lane];
    if (!store(blocks_[slot], address, access.width_bytes)) continue;
    const bool follows = !pieces.empty() && pieces.back().first + pieces.back().second == address;
    if (follows)
      pieces.back().second += access.width_bytes;
    else
      pieces.emplace_back(address, access.width_bytes);
  }
  if (!pieces.empty()) carry(access.pc, pieces);
}

void LinkWatch::bulk(std::uint32_t slot, const sim::BulkCopy& copy) {
  if (sim::info(copy.written).space != sim::Space::Global) return;
  StoredPieces pieces;
  for (const sim::BulkPiece& piece : copy.pieces) {
    const std::uint64_t bytes = piece.last - piece.first, address = piece.global + piece.first;
    if (bytes == 0) continue;
    if (store(blocks_[slot], address, bytes)) pieces.emplace_back(address, bytes);
  }
  if (!pieces.empty()) carry(copy.pc, pieces);
}

void LinkWatch::merge(const sim::Observer& other) {
  const auto& from = dynamic_cast<const LinkWatch&>(other);
  for (const auto& [when, bytes] : from.stored_) {
    ByGpu& sum = stored_[when];
    for (std::size_t gpu = 0; gpu < sum.size(); ++gpu) sum[gpu] += bytes[gpu];
  }
  for (const auto& [pc, traffic] : from.by_pc_) {
    by_pc_[pc].carried += traffic.carried;
    by_pc_[pc].sent += traffic.sent;
  }
  if (program_ == nullptr) program_ = from.program_;
  stores_ += from.stores_;
  together_ = std::max(together_, from.together_);
}

LinkFindings LinkWatch::findings() const {
  LinkFindings found;
  std::map<Time, ByGpu> got;
  for (const auto& [when, bytes] : stored_) found.stored += sum_of(bytes);
  for (const auto& [when, bytes] : stored_) {
    const std::uint64_t all = sum_of(bytes);
    const auto own = static_cast<std::size_t>(when.first);
    found.sent += all - bytes[own];
    const LinkFindings::Part part{when.first, all - bytes[own], all};
    if (all >= least_of(found.stored, stored_.size()) && is_more(part, found.busiest_sender))
      found.busiest_sender = part;
    for (std::size_t gpu = 0; gpu < bytes.size(); ++gpu)
      if (gpu != own) got[when.second][gpu] += bytes[gpu];
  }
  for (const auto& [time, bytes] : got) {
    const std::uint64_t all = sum_of(bytes);
    for (std::size_t gpu = 0; gpu < bytes.size(); ++gpu) {
      const LinkFindings::Part part{static_cast<int>(gpu), bytes[gpu], all};
      if (all != 0 && all >= least_of(found.sent, got.size()) && is_more(part, found.busiest_receiver))
        found.busiest_receiver = part;
    }
  }
  std::uint64_t worst = 0;
  for (const auto& [pc, traffic] : by_pc_) {
    found.carried += traffic.carried;
    const std::uint64_t waste = traffic.carried - traffic.sent;
    if (waste <= worst || program_ == nullptr) continue;
    worst = waste;
    const sim::InstSource source = program_->source(pc);
    found.file = source.file, found.line = source.line;
  }
  found.stores = stores_, found.blocks_together = together_;
  return found;
}

}  // namespace lab::judge
