// How much of what a launch moves has to be moved one warp after the other. See turns.h.
#include "common/course/judge/turns.h"

#include "common/sim/base/lanes.h"

namespace lab::judge {
namespace {

using Pair = std::array<std::uint64_t, 2>;

void add(Pair& to, const Pair& from) {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] += from[k];
}

void raise(Pair& to, const Pair& from) {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] = std::max(to[k], from[k]);
}

}  // namespace

void TurnFindings::operator+=(const TurnFindings& other) {
  add(chain, other.chain);
  add(busiest, other.busiest);
  add(moved, other.moved);
  raise(launch_chain, other.launch_chain);
  raise(busiest_block, other.busiest_block);
}

void Turns::Clock::wait_for(const Clock& other, bool of_block) {
  if (of_block) raise(block, other.block);
  raise(launch, other.launch);
}

void Turns::block_begin(std::uint32_t slot, std::size_t warps) {
  if (slot >= blocks_.size()) blocks_.resize(slot + 1);
  Block& block = blocks_[slot];
  block.clocks.assign(warps, {});
  block.own.assign(warps, {});
  block.flags.clear();
  block.objects.clear();
}

void Turns::moved(std::uint32_t slot, std::uint32_t warp, bool store, std::uint64_t bytes) {
  Block& block = blocks_[slot];
  block.own[warp][store] += bytes;
  block.clocks[warp].block[store] += bytes;
  block.clocks[warp].launch[store] += bytes;
}

void Turns::flag(std::uint32_t slot, const sim::Access& access, bool beside) {
  Block& block = blocks_[slot];
  Flags& flags = beside ? beside_ : block.flags;
  Clock& clock = block.clocks[access.place->warp];
  const bool loads = sim::info(access.path).direction == sim::Direction::Read;
  for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
    if (!loads)
      flags[access.address[lane]].wait_for(clock, !beside);
    else if (const auto found = flags.find(access.address[lane]); found != flags.end())
      clock.wait_for(found->second, !beside);
  }
}

void Turns::barrier(std::uint32_t slot) {
  Clock last;
  for (const Clock& clock : blocks_[slot].clocks) last.wait_for(clock, true);
  for (Clock& clock : blocks_[slot].clocks) clock = last;
}

void Turns::meet(std::uint32_t slot, const sim::Meeting& meeting) {
  Block& block = blocks_[slot];
  Object& object = block.objects[meeting.object];
  switch (meeting.act) {
    case sim::Meeting::Act::Arrive:
      return object.coming.wait_for(block.clocks[meeting.warp], true);
    case sim::Meeting::Act::Turn:
      object.turned = object.coming;
      return;
    case sim::Meeting::Act::Leave:
      return block.clocks[meeting.warp].wait_for(object.turned, true);
  }
}

void Turns::block_end(std::uint32_t slot, TurnFindings& found) {
  TurnFindings of_block;
  for (const Pair& own : blocks_[slot].own) {
    add(of_block.moved, own);
    raise(of_block.busiest, own);
  }
  for (const Clock& clock : blocks_[slot].clocks) {
    raise(of_block.chain, clock.block);
    raise(of_block.launch_chain, clock.launch);
  }
  of_block.busiest_block = of_block.moved;
  found += of_block;
}

}  // namespace lab::judge
