// What blocks of a cluster do to one another: addresses of a peer's shared memory, the barrier that they
// share, and stores that arrive at a barrier when they have come (st.async, red.async).
//
// Enters: shared addresses of the cluster: a block's own from 0 on, those of the block with rank r from
// peer_base(r) on. Leaves: rows, arrivals, stores on their way.
#include <bit>
#include <cstring>

#include "common/sim/base/lanes.h"
#include "common/sim/execute/cluster.h"
#include "common/sim/execute/exec_memory.h"
#include "common/sim/execute/mbarrier.h"

namespace lab::sim {
namespace {

constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << kPeerShift) - 1;

// 0: no shared address at all.
std::uint64_t window_of(const Inst& inst) { return inst.space == Space::Generic ? kSharedWindow : 0; }

}  // namespace

PeerPlace peer_place(WarpContext& w, const Inst& inst, int lane, std::uint64_t address, std::uint32_t bytes) {
  BlockRun& self = *w.block;
  const std::uint64_t number = address >> kPeerShift;
  const auto offset = static_cast<std::uint32_t>(address & kOffsetMask);
  const std::uint32_t rank = number == 0 ? self.rank() : static_cast<std::uint32_t>(number - 1);
  if (rank >= self.cluster().size()) {
    self.fault(FaultKind::PeerGone, w, inst.pc, lane, address,
               msg("{} touches the shared memory of block {} of its cluster, which has {}{}. Launch it with "
                   "__cluster_dims__ or cudaLaunchAttributeClusterDimension, and take ranks below that.",
                   self.thread_name(w, lane), rank, self.cluster().size(),
                   (self.cluster().size() == 1 ? " block" : " blocks")));
  }
  BlockRun& peer = self.cluster().block(rank);
  if (std::uint64_t{offset} + bytes > peer.shared.size()) {
    self.fault(FaultKind::OutOfBounds, w, inst.pc, lane, address,
               msg("{} touches {} bytes at offset {} of the shared memory of block {} of its cluster, but "
                   "there are only {} bytes. Check the index and the size of the array.",
                   self.thread_name(w, lane), bytes, offset, rank, big(peer.shared.size())));
  }
  if (&peer != &self && !self.knows_peers()) {
    self.forbid(
        FaultKind::PeerGone, w, inst.pc, lane,
        msg("{} touches the shared memory of block {} of its cluster, which may not have begun: nothing says "
            "so yet. Put a barrier of the cluster (cluster.sync()) before the first such access.",
            self.thread_name(w, lane), rank));
  }
  if (peer.done()) {
    self.fault(
        FaultKind::PeerGone, w, inst.pc, lane, address,
        msg("{} touches the shared memory of block {} of its cluster, which has exited: that memory may be "
            "gone. Let no block return before a cluster.sync() that comes after the last such access.",
            self.thread_name(w, lane), rank));
  }
  return {&peer, offset};
}

void exec_map_address(WarpContext& w, const Inst& inst) {
  const std::uint64_t window = window_of(inst);
  for (const int lane : lanes_of<int>(w.mask)) {
    const std::uint64_t offset = (lane_value(w, inst.a, lane) - window) & kOffsetMask;
    const auto rank = static_cast<std::uint32_t>(lane_value(w, inst.b, lane));
    const std::uint64_t base = rank == w.block->rank() ? 0 : peer_base(rank & 0x7f);
    set_lane_value(w, inst.dst, lane, window + base + offset);
  }
}

void exec_rank_of_address(WarpContext& w, const Inst& inst) {
  const std::uint64_t window = window_of(inst);
  for (const int lane : lanes_of<int>(w.mask)) {
    const std::uint64_t number = (lane_value(w, inst.a, lane) - window) >> kPeerShift;
    set_lane_value(w, inst.dst, lane, number == 0 ? w.block->rank() : number - 1);
  }
}

void exec_cluster_arrive(WarpContext& w, const Inst& inst) {
  Warp& warp = w.block->warp_of(w);
  if (const Mask again = w.mask & (warp.cluster_arrived | warp.cluster_passed); again != 0) {
    const int lane = std::countr_zero(again);
    w.block->fault(FaultKind::BarrierDivergence, w, inst.pc, lane, 0,
                   msg("{} arrives again at the barrier of its cluster and has not waited there since it "
                       "arrived. Put barrier.cluster.wait between.",
                       w.block->thread_name(w, lane)));
  }
  warp.cluster_arrived |= w.mask;
  if (inst.immediate != kRelaxed) w.block->release();
}

void exec_async_store(WarpContext& w, const Inst& inst) {
  const ProgramData& program = *w.block->launch().program;
  const AsyncStoreInfo& info = program.async_stores[inst.extra];
  const std::vector<RowRef>& values = program.vectors[info.values];
  const auto width = static_cast<std::uint32_t>(values.size() * inst.elem_bytes);
  AddressRow to, barrier;
  compute_addresses(w, inst, to);
  Inst other = inst;
  other.a = info.barrier;
  other.immediate = info.barrier_offset;
  compute_addresses(w, other, barrier);
  for (const int lane : lanes_of<int>(w.mask)) {
    if (to.at[lane] % width != 0) {
      w.block->fault(FaultKind::Misaligned, w, inst.pc, lane, to.at[lane],
                     msg("{} sends {} bytes to an address that is not a multiple of {}.",
                         w.block->thread_name(w, lane), width, width));
    }
    const PeerPlace place = peer_place(w, inst, lane, to.at[lane], width),
                    home = peer_place(w, other, lane, barrier.at[lane], 8);
    InFlight copy;
    copy.id = w.block->cluster().next_id();
    copy.pc = inst.pc;
    copy.place = *w.place;
    copy.lane = lane;
    copy.block = place.block->rank();
    copy.to = place.offset;
    copy.data.resize(width);
    for (std::size_t e = 0; e < values.size(); ++e) {
      const std::uint64_t value = lane_value(w, values[e], lane);
      std::memcpy(copy.data.data() + e * inst.elem_bytes, &value, inst.elem_bytes);
    }
    copy.barrier = home.offset;
    copy.barrier_block = home.block->rank();
    copy.counts = width;
    copy.by_thread = true;
    copy.reduces = info.reduces;
    copy.reduction = info.reduction;
    start_flight(w, inst, std::move(copy));
  }
  if (w.block->observed()) report_access(w, inst, Space::Cluster, Path::ClusterStore, to, width, nullptr);
}

}  // namespace lab::sim
