// The TMA unit: one thread has it copy many bytes, or a box of a tensor, between global and shared memory or
// from block to block (cp.async.bulk, cp.async.bulk.tensor, cp.reduce.async.bulk).
//
// Enters: addresses, a number of bytes or a tensor map with coordinates, and for copies into shared memory
// the barrier that counts them. Leaves: a store done at once, which is one of the moments that a GPU may
// choose; a load on its way (cluster.h). Observers see the copy as a whole, which has the cost, and its bytes
// 16 a piece if they ask.
#include <algorithm>
#include <bit>
#include <cstring>

#include "common/sim/base/lanes.h"
#include "common/sim/execute/cluster.h"
#include "common/sim/execute/exec_memory.h"
#include "common/sim/execute/mbarrier.h"
#include "common/sim/execute/tensor_box.h"
#include "common/sim/memory/memory.h"
#include "common/sim/observe/place_text.h"

namespace lab::sim {
namespace {

constexpr std::uint32_t kPiece = 16, kTensorAlign = 128;
constexpr std::uint64_t kWorkOfPiece = 60;  // program/work.h
using Way = BulkCopyInfo::Way;

// One copy of one lane.
class Copying {
 public:
  Copying(WarpContext& w, const Inst& inst, const BulkCopyInfo& info, int lane)
      : w_(w), inst_(inst), info_(info), lane_(lane), self_(*w.block) {}

  void run(std::uint64_t near, std::uint64_t far, std::uint64_t barrier) {
    near_ = near;
    if (info_.dimensions != 0) {
      read_map(far);
      bytes_ = map_.box_bytes();
      extent_ = map_.tile_bytes();
    } else {
      bytes_ = extent_ = static_cast<std::uint32_t>(lane_value(w_, info_.bytes, lane_));
      if (bytes_ % kPiece != 0)
        fail(FaultKind::Misaligned, near,
             msg(" copies {} bytes at once (cp.async.bulk), which is not a multiple of 16.", big(bytes_)));
      if (bytes_ == 0 && info_.way != Way::Load) return;
    }
    self_.charge(w_, inst_, kWorkOfPiece * (bytes_ / kPiece));
    switch (info_.way) {
      case Way::Load:
        return load(far, barrier);
      case Way::Store:
        return store(far);
      case Way::ToPeer:
        return send(far, barrier);
      default:
        return find_pieces(far, 0);
    }
  }

 private:
  [[noreturn]] void fail(FaultKind kind, std::uint64_t address, const Message& what) const {
    self_.fault(kind, w_, inst_.pc, lane_, address, msg("{}{}", self_.thread_name(w_, lane_), what));
  }
  // What a GPU ends with an illegal instruction (tests/golden/move_faults.csv).
  [[noreturn]] void fail_as_illegal(FaultKind kind, std::uint64_t address, const Message& what) const {
    Fault fault =
        self_.fault_at(kind, w_, inst_.pc, lane_, address, msg("{}{}", self_.thread_name(w_, lane_), what));
    fault.illegal_instruction = true;
    throw FaultError(std::move(fault));
  }

  // The place of `bytes` in shared memory, own or a peer's, aligned as the unit needs it.
  PeerPlace place(std::uint64_t address, std::uint32_t bytes, bool must_be_own) const {
    const std::uint32_t align = info_.dimensions != 0 ? kTensorAlign : kPiece;
    // A swizzle goes by addresses: eight of its spans repeat, and a tile that begins inside of them is
    // permuted otherwise than a formula counts.
    const std::uint32_t declared =
        info_.dimensions != 0 ? std::max(align, 8 * span_bytes(map_.mode())) : align;
    if (address % align != 0)
      fail(
          FaultKind::Misaligned, address,
          msg(" gives the TMA unit shared memory at offset {} ({}), which is not a multiple of {}. Declare "
              "the tile __align__({}).",
              address & 0xffffff, shared_place(*self_.launch().handle, address & 0xffffff), align, declared));
    const PeerPlace at = peer_place(w_, inst_, lane_, address, bytes);
    if (must_be_own && at.block != &self_)
      fail(FaultKind::OutOfBounds, address,
           " lets the TMA unit read shared memory of another block; it reads its own.");
    return at;
  }

  void read_map(std::uint64_t address) {
    if (address % kTensorMapAlign != 0)
      fail(FaultKind::Misaligned, address,
           " uses a tensor map that does not lie at a multiple of 64 bytes. Declare it alignas(64), or pass "
           "it as const __grid_constant__ CUtensorMap.");
    const auto found = tensor_map_at(w_, address);
    if (!found)
      fail_as_illegal(
          FaultKind::OutOfBounds, address,
          " uses a tensor map at an address where none lies. cuTensorMapEncodeTiled makes one; pass it as "
          "const __grid_constant__ CUtensorMap, or copy its 128 bytes to constant or global memory.");
    map_ = *found;
    if (map_.rank != info_.dimensions)
      fail_as_illegal(FaultKind::BadPtx, address,
                      msg(" copies a box of {} dimensions through a tensor map of {}. A GPU ends with an "
                          "illegal instruction.",
                          info_.dimensions, map_.rank));
    for (std::uint32_t k = 0; k < map_.rank; ++k)
      corner_[k] = static_cast<std::int32_t>(lane_value(w_, info_.coordinates[k], lane_));
    check_corner();
  }

  void check_corner() const {
    const std::int64_t start = std::int64_t{corner_[0]} * bytes_of(map_.type);
    if (start % kPiece != 0)
      fail_as_illegal(
          FaultKind::Misaligned, 0,
          msg(" asks for a box that begins {} bytes into a row (coordinate {}); the innermost coordinate "
              "must be a multiple of 16 bytes. A GPU ends with an illegal instruction.",
              start, corner_[0]));
    if (info_.way != Way::Store) return;
    for (std::uint32_t k = 0; k < map_.rank; ++k) {
      if (corner_[k] < 0)
        fail_as_illegal(
            FaultKind::OutOfBounds, 0,
            msg(" stores a box that begins at coordinate {} of dimension {}; a store may reach past the end "
                "of a tensor, not begin below 0. A GPU ends with an illegal instruction.",
                corner_[k], k));
    }
  }

  // Fills the block's list of pieces: of a tensor its rows.
  void find_pieces(std::uint64_t far, std::uint32_t shared) {
    self_.pieces.clear();
    if (info_.dimensions != 0) {
      list_rows(map_, corner_, shared, self_.pieces);
    } else if (bytes_ != 0) {
      if (far % kPiece != 0)
        fail(FaultKind::Misaligned, far,
             " gives the TMA unit an address in global memory that is not a multiple of 16.");
      self_.pieces.push_back({far, shared, bytes_, 0, bytes_});
    }
    const Direction direction = info_.way == Way::Store ? Direction::Write : Direction::Read;
    hosts_.clear();
    hosts_.reserve(self_.pieces.size());
    for (const BulkPiece& piece : self_.pieces) {
      std::byte* host = nullptr;
      if (piece.last > piece.first)
        host = global(piece.global + piece.first, piece.last - piece.first, direction);
      // Rows lie far apart: all of them are on their way before the first is copied.
      __builtin_prefetch(host);
      if (piece.bytes > 64 && host != nullptr) __builtin_prefetch(host + 64);
      hosts_.push_back(host);
    }
  }

  std::byte* global(std::uint64_t address, std::uint32_t bytes, Direction direction) const {
    BlockRun::LastTouch& touch = self_.last_touch[inst_.pc];
    const Allocation*& last = touch.allocation;
    if (last == nullptr || address < last->base || address - last->base + bytes > last->size_bytes)
      last = self_.launch().memory->find(address, bytes);
    if (last == nullptr) {
      const Message near = self_.launch().memory->describe(address, bytes);
      fail(FaultKind::OutOfBounds, address,
           msg("{}{} bytes of global memory: {}{}",
               (direction == Direction::Read ? " lets the TMA unit read " : " lets the TMA unit write "),
               big(bytes), near,
               (info_.dimensions != 0 ? ". Check the dimensions and strides of the tensor map."
                                      : ". Check the pointer and the number of bytes.")));
    }
    if (!self_.launch().memory->reaches(*last))
      fail(FaultKind::NoPeerAccess, address,
           msg(" lets the TMA unit move what lies {}", self_.launch().memory->no_access(*last)));
    if (direction != Direction::Read && last->read_only)
      fail(FaultKind::WriteToConst, address,
           msg(" lets the TMA unit write to `{}`, which kernels may only read: it is an input, or constant "
               "memory. Write to another buffer.",
               last->name));
    self_.launch().memory->lay_out(*last, address, bytes);
    return last->host + (address - last->base);
  }

  void load(std::uint64_t far, std::uint64_t barrier) {
    const PeerPlace to = place(near_, extent_, false), home = peer_place(w_, inst_, lane_, barrier, 8);
    find_pieces(far, to.offset);
    Mask ranks = Mask{1} << to.block->rank();
    if (is_set(info_.mask)) ranks = static_cast<Mask>(lane_value(w_, info_.mask, lane_)) & 0xffffu;
    report_copy(Path::GlobalBulkLoad, Path::SharedBulkStore, to.offset,
                static_cast<std::uint32_t>(std::popcount(ranks)));
    std::vector<std::byte> image(bytes_);
    for (std::size_t k = 0; k < hosts_.size(); ++k) {
      const BulkPiece& piece = self_.pieces[k];
      std::byte* row = image.data() + k * piece.bytes;
      if (piece.first != 0 || piece.last != piece.bytes) fill_edge(map_, row, piece.bytes);
      if (hosts_[k] != nullptr) std::memcpy(row + piece.first, hosts_[k], piece.last - piece.first);
      if (info_.dimensions != 0) round_elements(map_, row, piece.bytes);
    }
    for (Mask left = ranks; left != 0; left &= left - 1) {
      const auto rank = static_cast<std::uint32_t>(std::countr_zero(left));
      const bool is_last = (left & (left - 1)) == 0;
      // NOLINTNEXTLINE(bugprone-use-after-move): none comes after the last
      InFlight copy = flight(rank, to.offset, is_last ? std::move(image) : image);
      if (info_.dimensions != 0) {
        copy.mode = map_.mode();
        copy.row_bytes = map_.row_bytes();
        copy.pitch_bytes = map_.pitch_bytes();
      }
      copy.barrier = home.offset;
      copy.barrier_block = is_set(info_.mask) ? rank : home.block->rank();
      if (is_set(info_.mask))  // is there such a block?
        static_cast<void>(peer_place(w_, inst_, lane_, peer_base(rank) + to.offset, extent_));
      start_flight(w_, inst_, std::move(copy));
    }
  }

  void store(std::uint64_t far) {
    const PeerPlace from = place(near_, extent_, true);
    find_pieces(far, from.offset);
    start_read(from.offset, EngineEvent::kNoBarrier);
    report_copy(Path::SharedBulkLoad, info_.reduces ? Path::GlobalBulkReduce : Path::GlobalBulkStore,
                from.offset, 1);
    const Swizzle mode = info_.dimensions != 0 ? map_.mode() : Swizzle::None;
    AtomicInfo reduction = info_.reduction;
    if (info_.reduces && info_.dimensions != 0) reduction.type = reduced_type();
    std::vector<std::byte> row;
    for (std::size_t k = 0; k < hosts_.size(); ++k) {
      const BulkPiece& piece = self_.pieces[k];
      if (hosts_[k] == nullptr) continue;
      const std::byte* values = self_.shared.data() + piece.shared;
      if (mode != Swizzle::None) {
        row.resize(piece.bytes);
        for (std::uint32_t at = 0; at < piece.bytes; at += kPiece)
          std::memcpy(row.data() + at, self_.shared.data() + swizzled(mode, piece.shared + at), kPiece);
        values = row.data();
      }
      if (info_.reduces) {
        // Only reductions of boxes flush denormals, as atomics do.
        reduce_bytes(reduction, info_.dimensions != 0 ? Space::Global : Space::Shared, hosts_[k],
                     values + piece.first, piece.last - piece.first);
      } else {
        std::memcpy(hosts_[k], values + piece.first, piece.last - piece.first);
      }
    }
  }

  void send(std::uint64_t far, std::uint64_t barrier) {
    const PeerPlace from = place(near_, bytes_, true), to = place(far, bytes_, false),
                    home = peer_place(w_, inst_, lane_, barrier, 8);
    if (home.block != to.block)
      fail(FaultKind::OutOfBounds, barrier,
           " sends bytes to one block of the cluster and lets a barrier in another count them; it must lie "
           "where the bytes go.");
    self_.pieces.clear();
    start_read(from.offset, home.offset);
    report_copy(Path::SharedBulkLoad, Path::ClusterBulkStore, from.offset, 1);
    const auto* first = self_.shared.data() + from.offset;
    InFlight copy = flight(to.block->rank(), to.offset, std::vector<std::byte>(first, first + bytes_));
    copy.barrier = home.offset;
    copy.barrier_block = home.block->rank();
    copy.reduces = info_.reduces;
    copy.reduction = info_.reduction;
    start_flight(w_, inst_, std::move(copy));
  }

  InFlight flight(std::uint32_t rank, std::uint32_t to, std::vector<std::byte> data) const {
    InFlight copy;
    copy.id = self_.cluster().next_id();
    copy.pc = inst_.pc;
    copy.place = *w_.place;
    copy.lane = lane_;
    copy.block = rank;
    copy.to = to;
    copy.data = std::move(data);
    copy.counts = bytes_;
    return copy;
  }

  ptx::Type reduced_type() const {
    switch (map_.type) {
      case TensorType::U32:
        return ptx::Type::U32;
      case TensorType::S32:
        return ptx::Type::S32;
      case TensorType::U64:
        return ptx::Type::U64;
      case TensorType::S64:
        return ptx::Type::S64;
      case TensorType::F16:
        return ptx::Type::F16;
      case TensorType::BF16:
        return ptx::Type::BF16;
      case TensorType::F32:
      case TensorType::F32Ftz:
        return ptx::Type::F32;
      default:
        fail(FaultKind::Unsupported, 0,
             " reduces a tensor whose element type is not simulated for reductions.");
    }
  }

  // The unit begins to read the block's shared memory; a peer's barrier may show when it has.
  void start_read(std::uint32_t low, std::uint32_t barrier) const {
    if (!self_.observed()) return;
    const Swizzle mode = info_.dimensions != 0 ? map_.mode() : Swizzle::None;
    self_.report(EngineEvent{.id = self_.cluster().next_id(),
                             .pc = inst_.pc,
                             .lanes = Mask{1} << lane_,
                             .place = w_.place,
                             .low = low,
                             .bytes = touched_bytes(self_, low, extent_, mode),
                             .barrier = barrier,
                             .groups = self_.warp_of(w_).bulk_groups[static_cast<std::size_t>(lane_)]});
  }

  void report_copy(Path read, Path written, std::uint32_t low, std::uint32_t destinations) const {
    if (!self_.observed()) return;
    const bool swizzles = info_.dimensions != 0 && map_.mode() != Swizzle::None;
    const BulkCopy copy{inst_.pc,     static_cast<std::uint32_t>(lane_),
                        w_.place,     read,
                        written,      self_.pieces,
                        low,          extent_,
                        destinations, swizzles};
    self_.report(copy);
    if (self_.pieces_wanted(inst_.pc, *w_.place)) report_pieces(read, written);
  }

  // 16 bytes a piece, on both sides, under the lane that asked.
  void report_pieces(Path read, Path written) const {
    const Swizzle mode = info_.dimensions != 0 ? map_.mode() : Swizzle::None;
    std::byte value[kPiece * kWarpLanes] = {};
    std::uint64_t address[kWarpLanes] = {};
    Access access;
    access.pc = inst_.pc;
    access.width_bytes = kPiece;
    access.mask = Mask{1} << lane_;
    access.affine = true;
    access.address = address;
    access.value = access.old_value = value;
    access.place = w_.place;
    for (std::size_t k = 0; k < hosts_.size(); ++k) {
      const BulkPiece& piece = self_.pieces[k];
      for (std::uint32_t at = 0; at < piece.bytes; at += kPiece) {
        const bool inside = hosts_[k] != nullptr && at >= piece.first && at + kPiece <= piece.last;
        const std::uint32_t shared = swizzled(mode, piece.shared + at);
        if (inside) {
          const std::byte* from =
              info_.way == Way::Store ? self_.shared.data() + shared : hosts_[k] + (at - piece.first);
          std::memcpy(value + static_cast<std::size_t>(lane_) * kPiece, from, kPiece);
        }
        for (const Path path : {read, written}) {
          access.path = path;
          access.space = sim::info(path).space;
          const bool near = access.space == Space::Shared;
          address[lane_] = near ? shared : piece.global + at;
          if (near || inside) self_.report_piece(access);
        }
      }
    }
  }

  WarpContext& w_;
  const Inst& inst_;
  const BulkCopyInfo& info_;
  const int lane_;
  BlockRun& self_;
  TensorMap map_;
  Corner corner_{};
  std::uint64_t near_ = 0;
  std::uint32_t bytes_ = 0,
                extent_ = 0;       // what is moved, and from its first to its last byte in shared memory
  std::vector<std::byte*> hosts_;  // of each piece, where its part inside lies
};

}  // namespace

void exec_bulk_copy(WarpContext& w, const Inst& inst) {
  const BulkCopyInfo& info = w.block->launch().program->bulk_copies[inst.extra];
  AddressRow near, far, barrier;
  compute_addresses(w, inst, near);
  Inst other = inst;
  other.a = info.far;
  other.immediate = info.far_offset;
  compute_addresses(w, other, far);
  if (is_set(info.barrier)) {
    other.a = info.barrier;
    other.immediate = info.barrier_offset;
    other.space = Space::Shared;
    shared_addresses(w, other, barrier, 8);
  }
  const Mask all = w.mask;
  for (const int lane : lanes_of<int>(all)) {
    w.mask = Mask{1} << lane;
    Copying(w, inst, info, lane)
        .run(near.at[lane], far.at[lane], is_set(info.barrier) ? barrier.at[lane] : 0);
  }
  w.mask = all;
}

void exec_bulk_commit(WarpContext& w, const Inst& /*inst*/) {
  Warp& warp = w.block->warp_of(w);
  for (const std::size_t lane : lanes_of<std::size_t>(w.mask)) ++warp.bulk_groups[lane];
}

void exec_engine_event(WarpContext& w, const Inst& inst) {
  if (!w.block->observed()) return;
  EngineEvent event{
      .act = static_cast<EngineEvent::Act>(inst.extra), .pc = inst.pc, .lanes = w.mask, .place = w.place};
  if (event.act != EngineEvent::Act::Waited && event.act != EngineEvent::Act::Read)
    return w.block->report(event);
  const Warp& warp = w.block->warp_of(w);
  for (const std::size_t lane : lanes_of<std::size_t>(w.mask)) {
    const auto open = static_cast<std::uint32_t>(inst.immediate);
    event.lanes = Mask{1} << lane;
    event.groups = warp.bulk_groups[lane] - std::min(warp.bulk_groups[lane], open);  // those before are done
    w.block->report(event);
  }
}

}  // namespace lab::sim
