// The part of the table that has no rows of its own: instructions that need memory, other lanes or the
// scheduler. decode_memory.cpp and its neighbours read their modifiers; what they accept stands here.
//
// Enters: nothing. Leaves: rows for the coverage page.
#include "common/sim/instructions/forms.h"

namespace lab::sim {

const std::vector<FamilyRow>& structural_forms() {
  static const std::vector<FamilyRow> rows = {
      {"ld",
       "global, shared, local, const, param, generic; v2, v4, v8; 8 to 128 bits; nc, volatile, relaxed, "
       "acquire; cache hints have no effect",
       "memory"},
      {"ldu", "as ld.global", "memory"},
      {"st",
       "global, shared, local, param, generic; v2, v4, v8; 8 to 128 bits; volatile, relaxed, release; "
       "cache hints have no effect",
       "memory"},
      {"atom",
       "global, shared, generic; add (32- and 64-bit integers, f32, f64, f16, bf16 and their pairs), min "
       "and max (integers), and, or, xor, exch, cas (16 to 64 bits), inc, dec; add.v2, .v4, .v8 of f32, "
       "f16, bf16 in up to 16 bytes; all orders and scopes",
       "memory"},
      {"red", "as atom, without exch and cas", "memory"},
      {"cp.async",
       "ca (4, 8, 16 bytes) and cg (16 bytes), shorter sources, ignore-src; commit_group, "
       "wait_group, wait_all, mbarrier.arrive. A copy lands in shared memory when its thread waits for it, "
       "or "
       "tells a barrier of it",
       "memory"},
      {"cp.async.bulk",
       "global to shared memory with an mbarrier, shared to global memory with a bulk group; commit_group, "
       "wait_group. The copy is done when the instruction is, and no counter sees it; no tensor, no "
       "multicast, no reduction",
       "memory"},
      {"cvta", "to and from global, shared, local, const, param", "memory"},
      {"isspacep", "global, shared, local, const, param", "memory"},
      {"mov", "also packs and unpacks vectors, reads clocks and takes addresses of variables and functions",
       "memory"},
      {"membar", "all levels; memory is always in order here, so nothing happens", "memory"},
      {"fence", "all; nothing happens", "memory"},
      {"prefetch", "nothing happens", "memory"},
      {"prefetchu", "nothing happens", "memory"},
      {"discard", "nothing happens", "memory"},
      {"applypriority", "nothing happens", "memory"},
      {"nanosleep", "nothing happens", "control"},
      {"griddepcontrol", "nothing happens: a kernel starts when the one before is done", "control"},
      {"pmevent", "nothing happens", "control"},
      {"bra", "with and without a guard; lanes part and meet again at the immediate post-dominator",
       "control"},
      {"brx", "brx.idx with its list of .branchtargets", "control"},
      {"call",
       "functions of the module with .param arguments, recursion, function pointers; vprintf, "
       "__assertfail, malloc and free",
       "control"},
      {"ret", "", "control"},
      {"exit", "", "control"},
      {"trap", "a fault", "control"},
      {"brkpt", "a fault", "control"},
      {"bar", "sync, arrive, red.popc, red.and, red.or, with a number and a thread count; warp.sync",
       "barriers"},
      {"barrier", "as bar; not cluster", "barriers"},
      {"mbarrier",
       "init, inval, arrive, arrive_drop (with expect_tx, noComplete), expect_tx, complete_tx, test_wait and "
       "try_wait (with a state or parity), pending_count; in the block's own shared memory",
       "barriers"},
      {"activemask", "", "warp operations"},
      {"shfl", "shfl.sync up, down, bfly, idx", "warp operations"},
      {"vote", "vote.sync all, any, uni, ballot", "warp operations"},
      {"match", "match.sync any, all; b32, b64", "warp operations"},
      {"redux", "redux.sync add, min, max (u32, s32), and, or, xor (b32)", "warp operations"},
      {"elect", "elect.sync", "warp operations"},
  };
  return rows;
}

}  // namespace lab::sim
