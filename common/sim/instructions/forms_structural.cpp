// The part of the table that is not lane-wise: instructions that need memory, other lanes or the scheduler,
// each with the function of decode that reads its modifiers.
//
// Enters: an opcode, or nothing. Leaves: its row, or all rows for the coverage page.
#include <algorithm>

#include "common/sim/instructions/forms.h"

namespace lab::sim {

const std::vector<FamilyRow>& structural_forms() {
  static const std::vector<FamilyRow> rows = {
      {"ld", Reader::Load,
       "global, shared, local, const, param, generic; v2, v4, v8; 8 to 128 bits; nc, volatile, relaxed, "
       "acquire; cache hints have no effect",
       "memory"},
      {"ldu", Reader::Load, "as ld.global", "memory"},
      {"st", Reader::Store,
       "global, shared, local, param, generic; v2, v4, v8; 8 to 128 bits; volatile, relaxed, release; "
       "cache hints have no effect",
       "memory"},
      {"atom", Reader::Atomic,
       "global, shared, generic; add (32- and 64-bit integers, f32, f64, f16, bf16 and their pairs), min "
       "and max (integers), and, or, xor, exch, cas (16 to 64 bits), inc, dec; add.v2, .v4, .v8 of f32, "
       "f16, bf16 in up to 16 bytes; all orders and scopes",
       "memory"},
      {"red", Reader::Atomic, "as atom, without exch and cas", "memory"},
      {"cp.async", Reader::Async,
       "ca (4, 8, 16 bytes) and cg (16 bytes), shorter sources, ignore-src; commit_group, "
       "wait_group, wait_all, mbarrier.arrive. A copy lands in shared memory when its thread waits for it, "
       "or "
       "tells a barrier of it",
       "memory"},
      {"cp.async.bulk", Reader::Async,
       "global to shared memory with an mbarrier, also multicast; shared to global memory with a bulk group; "
       "to the "
       "shared memory of a peer; prefetch; commit_group, wait_group. A load lands when somebody waits for "
       "its barrier, "
       "a store at once; no cp_mask",
       "memory"},
      {"cp.async.bulk.tensor", Reader::Async,
       "1d to 5d, tile mode, both ways, multicast, prefetch: edges, element strides, swizzles of 32, 64 and "
       "128 bytes; "
       "no im2col, no gather4",
       "memory"},
      {"cp.reduce.async.bulk", Reader::Async,
       "add, min, max, and, or, xor, inc, dec into global memory, of bytes and of boxes of tensors, and into "
       "a peer",
       "memory"},
      {"st.async", Reader::Store, "b32, b64, v2, v4 to a peer, told to its mbarrier", "memory"},
      {"red.async", Reader::Atomic, "as st.async, 32- and 64-bit integers", "memory"},
      {"ldmatrix", Reader::Matrix, "m8n8 of b16: x1, x2, x4, trans", "memory"},
      {"stmatrix", Reader::Matrix, "as ldmatrix", "memory"},
      {"movmatrix", Reader::Matrix, "m8n8.trans.b16", "memory"},
      {"tex", Reader::Texture,
       "1d, 2d, 3d, a1d, a2d, cube, by f32 and s32 coordinates, v4 of f32, s32, u32; "
       "mipmaps by level and by grad (no cubes by grad); no offsets. Not counted",
       "memory"},
      {"tld4", Reader::Texture, "2d and a2d, v4 of f32, s32, u32. Not counted", "memory"},
      {"suld", Reader::Texture,
       "b.1d, 2d, 3d, a1d, a2d; 8 to 64 bits, v2, v4; trap, clamp, zero. Not counted", "memory"},
      {"sust", Reader::Texture, "as suld", "memory"},
      {"mapa", Reader::Peer, "shared and generic addresses of a peer", "memory"},
      {"getctarank", Reader::Peer, "", "memory"},
      {"cvta", Reader::Convert, "to and from global, shared, local, const, param", "memory"},
      {"isspacep", Reader::IsSpace, "global, shared, local, const, param", "memory"},
      {"mov", Reader::Move,
       "also packs and unpacks vectors, reads clocks and takes addresses of variables and functions",
       "memory"},
      {"membar", Reader::Fence, "all levels; memory is always in order here, the search for races takes note",
       "memory"},
      {"fence", Reader::Fence, "as membar; the checks want those of the async proxy and mbarrier_init",
       "memory"},
      {"prefetch", Reader::Nothing, "nothing happens", "memory"},
      {"prefetchu", Reader::Nothing, "nothing happens", "memory"},
      {"discard", Reader::Nothing, "nothing happens", "memory"},
      {"applypriority", Reader::Nothing, "nothing happens", "memory"},
      {"createpolicy", Reader::Policy, "fractional, range, cvt: the policy is 0, and has no effect",
       "memory"},
      {"nanosleep", Reader::Nothing, "nothing happens", "control"},
      {"griddepcontrol", Reader::Nothing,
       "a kernel starts when the one before is done; the search for races takes note of the wait", "control"},
      {"setmaxnreg", Reader::Nothing, "nothing happens", "control"},
      {"pmevent", Reader::Nothing, "nothing happens", "control"},
      {"bra", Reader::Branch,
       "with and without a guard; lanes part and meet again at the immediate post-dominator", "control"},
      {"brx", Reader::BranchIndexed, "brx.idx with its list of .branchtargets", "control"},
      {"call", Reader::Call,
       "functions of the module with .param arguments, recursion, function pointers; vprintf, "
       "__assertfail, malloc and free; under `lab run` launches, copies and fills by kernels, their streams "
       "and events",
       "control"},
      {"ret", Reader::End, "", "control"},
      {"exit", Reader::End, "", "control"},
      {"trap", Reader::End, "a fault", "control"},
      {"brkpt", Reader::End, "a fault", "control"},
      {"bar", Reader::Barrier,
       "sync, arrive, red.popc, red.and, red.or, with a number and a thread count; warp.sync", "barriers"},
      {"barrier", Reader::Barrier, "as bar; cluster.arrive, cluster.wait", "barriers"},
      {"mbarrier", Reader::Mbarrier,
       "init, inval, arrive, arrive_drop (with expect_tx, noComplete), expect_tx, complete_tx, test_wait and "
       "try_wait (with a state or parity), pending_count; arrivals also in a peer's shared memory",
       "barriers"},
      {"activemask", Reader::ActiveMask, "", "warp operations"},
      {"shfl", Reader::Warp, "shfl.sync up, down, bfly, idx", "warp operations"},
      {"vote", Reader::Warp, "vote.sync all, any, uni, ballot", "warp operations"},
      {"match", Reader::Warp, "match.sync any, all; b32, b64", "warp operations"},
      {"redux", Reader::Warp, "redux.sync add, min, max (u32, s32), and, or, xor (b32)", "warp operations"},
      {"elect", Reader::Warp, "elect.sync", "warp operations"},
      {"mma", Reader::Tensor,
       "mma.sync: f16 m8n8k4, m16n8k8, m16n8k16; bf16 m16n8k8, m16n8k16; tf32 m16n8k4, m16n8k8; f64 m8n8k4, "
       "m16n8k4, m16n8k8, m16n8k16; e4m3 and e5m2 m16n8k16, m16n8k32; s8 and u8 m8n8k16, m16n8k16, m16n8k32; "
       "s4 and u4 m8n8k32, m16n8k32, m16n8k64, satfinite; b1 (xor, and) m8n8k128, m16n8k128, m16n8k256; "
       "nothing sparse",
       "tensor cores"},
      {"wmma.mma", Reader::Tensor,
       "f16, bf16, s8, u8 (satfinite) m16n16k16, m8n32k16, m32n8k16; tf32 m16n16k8; f64 m8n8k4; s4, u4 "
       "m8n8k32; b1 (xor, and) m8n8k128; all layouts",
       "tensor cores"},
      {"wgmma", Reader::Warpgroup,
       "mma_async m64nNk*: f16, bf16, tf32, e4m3, e5m2, s8 and u8 (satfinite), b1 (and); A in registers or "
       "shared "
       "memory, all swizzles, lines along and across; fence, commit_group, wait_group; nothing sparse",
       "tensor cores"},
      {"wmma.load", Reader::Tensor,
       "a, b, c of these; global, shared, generic; a stride or none. Counted as the loads that ptxas makes "
       "of "
       "it, ldmatrix among them",
       "tensor cores"},
      {"wmma.store", Reader::Tensor, "d, as wmma.load", "tensor cores"},
  };
  return rows;
}

const FamilyRow* find_structural(std::string_view opcode) {
  const std::vector<FamilyRow>& rows = structural_forms();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const FamilyRow& one) {
    return one.opcode.substr(0, one.opcode.find('.')) == opcode;
  });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace lab::sim
