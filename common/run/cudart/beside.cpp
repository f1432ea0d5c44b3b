// What a kernel touches beside the kernels that it launches. See beside.h.
#include "common/run/cudart/beside.h"

#include <algorithm>
#include <bit>

#include "common/run/cudart/context.h"
#include "common/sim/program/program_data.h"

namespace lab::cudart {
namespace {

constexpr std::size_t kMostPieces = 1 << 16;        // of a block, and of a launch
constexpr std::size_t kMostWatchedLaunches = 4096;  // of a kernel

}  // namespace

std::unique_ptr<sim::Observer> BesideObserver::clone() const { return std::make_unique<BesideObserver>(); }

void BesideObserver::merge(const sim::Observer& other) {
  const auto& from = dynamic_cast<const BesideObserver&>(other);
  program_ = from.program_;
  of_launch_.insert(from.of_launch_.begin(), from.of_launch_.end());
}

void BesideObserver::block_begin(std::uint32_t slot, const sim::WarpPlace& /*place*/) {
  if (at_.size() <= slot) at_.resize(slot + 1);
  at_[slot] = {};
}

void BesideObserver::block_end(std::uint32_t slot, const sim::WarpPlace& /*place*/) {
  for (Launch& one : at_[slot].launches) {
    if (of_launch_.size() == kMostWatchedLaunches) break;
    std::vector<Piece>& all = of_launch_[one.number] = std::move(one.before);
    all.insert(all.end(), at_[slot].behind.begin() + static_cast<std::ptrdiff_t>(one.from),
               at_[slot].behind.end());
    for (Piece& piece : all) piece.unsettled = piece.warp != one.warp && piece.barriers == one.barriers;
  }
  at_[slot] = {};
}

void BesideObserver::keep(Block& block, const Piece& piece) {
  if (!block.launches.empty() && block.behind.size() < kMostPieces) block.behind.push_back(piece);
  if (block.since_barrier.size() < kMostPieces) block.since_barrier.push_back(piece);
}

void BesideObserver::access(std::uint32_t slot, const sim::Access& access) {
  if (access.space != sim::Space::Global) return;
  const sim::Ordering& order = program_->data().code[access.pc].order;
  Piece piece{.pc = access.pc,
              .writes = sim::writes(access.path),
              .strong = order.scope >= sim::Scope::Device,
              .warp = access.place->warp,
              .barriers = at_[slot].barriers};
  for (sim::Mask rest = access.mask; rest != 0; rest &= rest - 1) {
    const sim::DeviceAddress at = access.address[std::countr_zero(rest)];
    if (piece.high == at) {  // behind the lane before
      piece.high += access.width_bytes;
      continue;
    }
    if (piece.high != 0) keep(at_[slot], piece);
    piece.low = at;
    piece.high = at + access.width_bytes;
  }
  keep(at_[slot], piece);
}

void BesideObserver::barrier(std::uint32_t slot) {
  at_[slot].since_barrier.clear();
  ++at_[slot].barriers;
}

void BesideObserver::fence(std::uint32_t slot, std::uint32_t warp, sim::Mask /*lanes*/, bool /*whole_warp*/,
                           sim::Scope /*scope*/) {
  std::erase_if(at_[slot].since_barrier, [&](const Piece& one) { return one.warp == warp; });
}

void BesideObserver::meet(std::uint32_t slot, const sim::Meeting& /*meeting*/, bool /*whole_warp*/) {
  barrier(slot);
}

void BesideObserver::launched(std::uint32_t slot, std::uint32_t warp, std::uint64_t number) {
  Block& block = at_[slot];
  Launch launch{number, warp, block.barriers, {}, block.behind.size()};
  for (const Piece& piece : block.since_barrier)
    if (piece.warp != warp) launch.before.push_back(piece);
  block.launches.push_back(std::move(launch));
}

void BesideObserver::check(Context& c, const std::string& parent, std::uint64_t number,
                           const std::vector<Touched>& touched, const Message& what) const {
  const auto found = of_launch_.find(number);
  if (found == of_launch_.end()) return;
  for (const Piece& piece : found->second) {
    for (const Touched& range : touched) {
      if (!(piece.writes || range.writes) || (piece.strong && range.strong)) continue;
      if (!overlap(range, {.low = piece.low, .high = piece.high})) continue;
      const sim::InstSource source = program_->source(piece.pc);
      const std::string place = std::string(source.file) + ":" + std::to_string(source.line);
      const Message where = c.memory.describe(std::max(piece.low, range.low), 1);
      const char* const does = piece.writes ? /* message */ " writes " : /* message */ " reads ";
      const char* const child_does = range.writes ? /* message */ " writes" : /* message */ " reads";
      c.found("stream-race", "beside " + place,
              piece.unsettled ? msg("in {}: {}: another thread{}{}, which {}{}, and no barrier stands "
                                    "between that and the launch. A launch is ordered behind what its own "
                                    "thread did: put __syncthreads() before it.",
                                    parent, place, does, where, what, child_does)
                              : msg("in {}: {}: the kernel{}{}, which {}{} that it has launched, and nothing "
                                    "orders the two: a kernel cannot wait for what it launched. Do this part "
                                    "in a kernel of its own that is launched into cudaStreamTailLaunch, or "
                                    "by the host behind this kernel.",
                                    parent, place, does, where, what, child_does));
      return;
    }
  }
}

}  // namespace lab::cudart
