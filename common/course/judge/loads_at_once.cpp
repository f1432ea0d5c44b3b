// What is on its way at once. See loads_at_once.h.
#include "common/course/judge/loads_at_once.h"

#include <algorithm>
#include <bit>

#include "common/sim/base/lanes.h"
#include "common/sim/program/program_data.h"

namespace lab::judge {

void LoadsAtOnce::launch_begin(const sim::LaunchInfo& info) {
  program_ = info.program;
  threads_ = info.block.count();
  chains_ = model::load_chains(info.program->data());
  branches_by_values_ =
      until_ == Until::AnyWait && std::any_of(chains_.begin(), chains_.end(),
                                              [](const model::LoadChain& chain) { return chain.guard != 0; });
  waits_.resize(info.program->instruction_count());
  const std::uint32_t fixed = info.program->static_shared_bytes();
  occupancy_ =
      model::occupancy(gpu_, *info.program, threads_, info.shared_bytes - std::min(info.shared_bytes, fixed));
}

void LoadsAtOnce::block_begin(std::uint32_t slot, const sim::WarpPlace& /*place*/) {
  if (slot >= blocks_.size()) blocks_.resize(slot + 1);
  blocks_[slot].assign(sim::warps_of(threads_), Warp{});
}

void LoadsAtOnce::arrive(Warp& warp, std::uint32_t pc, std::uint64_t bytes, std::uint64_t with) {
  if (bytes == 0) return;
  waits_[pc] += bytes;
  for (auto& [together, in_all] : warp.travelled)
    if (together == with) return void(in_all += bytes);
  warp.travelled.emplace_back(with, bytes);
}

// Loads and what the TMA unit copies; copies by cp.async have waits of their own.
void LoadsAtOnce::wait(Warp& warp, std::uint32_t pc) {
  arrive(warp, pc, warp.bytes + warp.bulk, warp.bytes + warp.bulk + warp.copied);
  warp.open = warp.bytes = warp.bulk = 0;
}

void LoadsAtOnce::stand_still(Warp& warp) {
  if (until_ == Until::Used) return;
  arrive(warp, warp.last, warp.bytes, warp.bytes + warp.bulk + warp.copied);
  warp.open = warp.bytes = 0;
}

void LoadsAtOnce::copies_waited(std::uint32_t slot, std::uint32_t warp, sim::Mask /*lanes*/) {
  Warp& w = blocks_[slot][warp];
  w.with = w.bytes + w.bulk + w.copied;
}

void LoadsAtOnce::fence(std::uint32_t slot, std::uint32_t warp, sim::Mask /*lanes*/, bool /*whole_warp*/,
                        sim::Scope /*scope*/) {
  stand_still(blocks_[slot][warp]);
}

void LoadsAtOnce::sleep(std::uint32_t slot, std::uint32_t warp, sim::Mask /*lanes*/,
                        std::uint64_t /*nanoseconds*/) {
  stand_still(blocks_[slot][warp]);
}

void LoadsAtOnce::instruction(std::uint32_t slot, const sim::Stepped& step) {
  Warp& warp = blocks_[slot][step.place->warp];
  if ((warp.open & chains_[step.pc].guard) != 0) stand_still(warp);
}

void LoadsAtOnce::access(std::uint32_t slot, const sim::Access& access) {
  Warp& warp = blocks_[slot][access.place->warp];
  const model::LoadChain& chain = chains_[access.pc];
  if ((warp.open & (chain.needs | chain.own)) != 0) wait(warp, access.pc);
  const std::uint64_t bytes = static_cast<std::uint64_t>(std::popcount(access.mask)) * access.width_bytes;
  if (access.path == sim::Path::SharedAsync) {
    arrive(warp, warp.last, bytes, std::max(warp.with, bytes));
    warp.copied -= std::min(warp.copied, bytes);
  }
  if (access.path != sim::Path::GlobalLoad && access.path != sim::Path::GlobalAsync) return;
  warp.last = access.pc;
  (access.path == sim::Path::GlobalLoad ? warp.bytes : warp.copied) += bytes;
  warp.open |= chain.own;
}

void LoadsAtOnce::bulk(std::uint32_t slot, const sim::BulkCopy& copy) {
  if (sim::info(copy.read).space != sim::Space::Global) return;
  Warp& warp = blocks_[slot][copy.place->warp];
  for (const sim::BulkPiece& piece : copy.pieces) warp.bulk += piece.last - piece.first;
}

void LoadsAtOnce::barrier(std::uint32_t slot) {
  for (Warp& warp : blocks_[slot])
    if (warp.bulk != 0) wait(warp, warp.last);
}

void LoadsAtOnce::block_end(std::uint32_t slot, const sim::WarpPlace& /*place*/) {
  std::uint64_t at_once = 0;
  for (Warp& warp : blocks_[slot]) {
    wait(warp, warp.last);
    const auto most = std::max_element(warp.travelled.begin(), warp.travelled.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != warp.travelled.end()) at_once += most->first;
  }
  at_once_ += at_once;
  count_ += at_once != 0;
}

void LoadsAtOnce::merge(const sim::Observer& other) {
  const auto& from = dynamic_cast<const LoadsAtOnce&>(other);
  if (program_ == nullptr) {
    program_ = from.program_;
    occupancy_ = from.occupancy_;
    threads_ = from.threads_;
  }
  at_once_ += from.at_once_;
  count_ += from.count_;
  waits_.resize(std::max(waits_.size(), from.waits_.size()));
  for (std::size_t pc = 0; pc < from.waits_.size(); ++pc) waits_[pc] += from.waits_[pc];
}

AtOnceFindings LoadsAtOnce::findings() const {
  AtOnceFindings found;
  found.occupancy = occupancy_;
  if (count_ == 0 || program_ == nullptr) return found;
  found.block_bytes = at_once_ / count_;
  found.thread_bytes = found.block_bytes / threads_;
  const auto most = std::max_element(waits_.begin(), waits_.end());
  const auto source = program_->source(static_cast<std::uint32_t>(most - waits_.begin()));
  found.file = source.file, found.line = source.line;
  return found;
}

}  // namespace lab::judge
