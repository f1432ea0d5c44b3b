// mbarrier objects: the barriers in shared memory behind cuda::barrier and cuda::pipeline.
//
// Enters: the 64 bits of such an object. Leaves: the same, changed as the PTX ISA says. These are pure
// functions; exec_mbarrier.cpp applies them to memory. The layout of the bits is our own: programs may not
// look inside, and a mark in them distinguishes an object from memory that was never initialised.
#pragma once

#include <cstdint>
#include <optional>

#include "common/sim/execute/exec.h"

namespace lab::sim {

inline constexpr std::uint32_t kMostArrivals = (1u << 20) - 1;

struct MbarrierState {
  std::uint32_t expected = 0;  // arrivals of the next phase
  std::uint32_t pending = 0;   // arrivals that this phase still waits for
  std::int32_t bytes = 0;      // of copies that this phase still waits for
  bool odd = false;            // phases count from 0

  [[nodiscard]] std::uint64_t encoded() const {
    constexpr std::int32_t bias = 1 << 20;
    return kMark << 62 | std::uint64_t{odd} << 61 |
           std::uint64_t{static_cast<std::uint32_t>(bytes + bias)} << 40 | std::uint64_t{pending} << 20 |
           expected;
  }
  // Nothing when no object is there.
  [[nodiscard]] static std::optional<MbarrierState> decoded(std::uint64_t bits) {
    if (bits >> 62 != kMark) return std::nullopt;
    const auto field = [&](unsigned at, unsigned width) {
      return static_cast<std::uint32_t>(bits >> at & ((std::uint64_t{1} << width) - 1));
    };
    return MbarrierState{field(0, 20), field(20, 20), static_cast<std::int32_t>(field(40, 21)) - (1 << 20),
                         field(61, 1) != 0};
  }
  // Ends the phase when nothing is waited for any more; true when it did.
  bool settle() {
    if (pending != 0 || bytes != 0) return false;
    pending = expected;
    odd = !odd;
    return true;
  }

 private:
  static constexpr std::uint64_t kMark = 2;
};

enum class MbarrierOp : std::uint8_t {
  Init,
  Inval,
  Arrive,
  ArriveDrop,
  ExpectBytes,
  CompleteBytes,
  Wait,
  Pending
};

// What Inst::extra of an mbarrier instruction holds.
struct MbarrierFlags {
  MbarrierOp op = MbarrierOp::Arrive;
  bool parity = false;       // Wait: for the phase of this parity, not for the one of a state
  bool expect = false;       // Arrive: first expect bytes
  bool no_complete = false;  // Arrive: must not end the phase
  bool sleeps = false;       // Wait: try_wait, which the end of the phase wakes
  bool relaxed = false;      // orders nothing
  [[nodiscard]] std::uint32_t packed() const {
    return static_cast<std::uint32_t>(op) | std::uint32_t{parity} << 8 | std::uint32_t{expect} << 9 |
           std::uint32_t{no_complete} << 10 | std::uint32_t{sleeps} << 11 | std::uint32_t{relaxed} << 12;
  }
  [[nodiscard]] static MbarrierFlags unpacked(std::uint32_t bits) {
    return {static_cast<MbarrierOp>(bits & 0xff),
            (bits >> 8 & 1) != 0,
            (bits >> 9 & 1) != 0,
            (bits >> 10 & 1) != 0,
            (bits >> 11 & 1) != 0,
            (bits >> 12 & 1) != 0};
  }
};

// Inst::a and immediate: the object; b: count, bytes, state or parity; c: how long try_wait stands still at
// most; dst: state, predicate or count.
void exec_mbarrier(WarpContext& w, const Inst& inst);
// Inst::extra 1: .noinc. Lands the copies of its lanes first (exec_async.cpp).
void exec_async_arrive(WarpContext& w, const Inst& inst);
// Copies of many bytes by the TMA unit (exec_bulk.cpp); inst.extra indexes ProgramData::bulk_copies.
void exec_bulk_copy(WarpContext& w, const Inst& inst);
void exec_bulk_commit(WarpContext& w, const Inst& inst);
// Notifies the checks: inst.extra is an EngineEvent::Act; of Waited immediate is how many groups may be open.
void exec_engine_event(WarpContext& w, const Inst& inst);

// Copies may take longer on a GPU than here: in a drawn order the first test of this object is answered "not yet".
void let_copies_be_late(BlockRun& home, std::uint32_t offset);
// One thread arrives at the object at `at` in shared memory.
void mbarrier_arrive(WarpContext& w, const Inst& inst, int lane, std::uint64_t at);
// The shared addresses of `inst`, in this block or a peer; a fault when one lies elsewhere.
struct AddressRow;
void shared_addresses(WarpContext& w, const Inst& inst, AddressRow& row, std::uint32_t width_bytes);

}  // namespace lab::sim
