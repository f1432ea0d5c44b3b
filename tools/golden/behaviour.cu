// Questions on what the hardware and compute-sanitizer do with doubtful kernels, one kernel a question.
//
// Place in the flow: behaviour.py builds this program on a machine with a GPU and runs every case bare and
// under each sanitizer tool; the answers land in tests/golden/behaviour.json. Enters: a case's name on the
// command line. Leaves: one line with the launch's status and the words that the kernel left in `out`.
#include <cstdio>
#include <cstring>
#include <cstdlib>
#include <cuda_runtime.h>

#define KERNEL(name) __global__ void name(unsigned* out, unsigned* in, int n)
#define T threadIdx.x
constexpr unsigned kAll = 0xffffffffu;

// A loop that may never end gives up by a trap after about two seconds.
__device__ void give_up_after(long long start) {
  if (clock64() - start > 3000000000ll) asm volatile("trap;");
}

// ---- block barriers -------------------------------------------------------------------------------
KERNEL(bar_partial_warp_return) {  // block 64, n = 40: lanes 8..31 of warp 1 leave
  __shared__ unsigned tile[64];
  if (int(T) >= n) return;
  tile[T] = T + 100;
  __syncthreads();
  out[T] = tile[(T + 1) % n];
}
KERNEL(bar_partial_warp_return_one_warp) {  // block 32, n = 20
  __shared__ unsigned tile[64];
  if (int(T) >= n) return;
  tile[T] = T + 100;
  __syncthreads();
  out[T] = tile[(T + 1) % n];
}
KERNEL(bar_whole_warp_return) {  // block 64, n = 32
  __shared__ unsigned tile[64];
  if (int(T) >= n) return;
  tile[T] = T + 100;
  __syncthreads();
  out[T] = tile[(T + 1) % n];
}
KERNEL(bar_in_if_others_exit) {  // lanes 0..15 wait, the others work and exit
  __shared__ unsigned tile[64];
  tile[T] = T;
  if (T % 32 < 16) {
    __syncthreads();
    out[T] = tile[(T + 1) % 64] + 1;
  } else {
    out[T] = T * 3;
  }
}
KERNEL(bar_in_if_then_common_code) {  // the same, all meet again after the if
  __shared__ unsigned tile[64];
  tile[T] = T;
  if (T % 32 < 16) __syncthreads();
  out[T] = tile[(T + 5) % 64];
}
KERNEL(bar_in_if_one_warp_never) {  // warp 0 waits, warp 1 exits without a barrier
  __shared__ unsigned tile[64];
  tile[T] = T;
  if (T < 32) __syncthreads();
  out[T] = T;
}
KERNEL(bar_in_if_then_bar) {  // lanes 0..15: two barriers; lanes 16..31: one
  __shared__ unsigned tile[64];
  tile[T] = T;
  if (T % 32 < 16) {
    __syncthreads();
    tile[T] += 1000;
  }
  __syncthreads();
  out[T] = tile[(T + 16) % 64];
}
KERNEL(bar_in_both_branches_by_lane) {
  __shared__ unsigned tile[64];
  if (T % 32 < 16) {
    tile[T] = T + 1;
    __syncthreads();
    out[T] = tile[(T + 16) % 64];
  } else {
    tile[T] = T + 1000;
    __syncthreads();
    out[T] = tile[(T + 16) % 64] * 2;
  }
}
KERNEL(bar_in_both_branches_by_warp) {
  __shared__ unsigned tile[64];
  if (T < 32) {
    tile[T] = T + 1;
    __syncthreads();
    out[T] = tile[(T + 32) % 64];
  } else {
    tile[T] = T + 1000;
    __syncthreads();
    out[T] = tile[(T + 32) % 64] * 2;
  }
}
KERNEL(bar_trip_count_by_lane) {  // a barrier in a loop whose count differs between lanes
  __shared__ unsigned tile[64];
  tile[T] = T;
  unsigned sum = 0;
  for (unsigned i = 0; i <= T % 4; ++i) {
    __syncthreads();
    sum += tile[(T + i) % 64];
  }
  out[T] = sum;
}
KERNEL(bar_trip_count_by_warp) {
  __shared__ unsigned tile[64];
  tile[T] = T;
  unsigned sum = 0;
  for (unsigned i = 0; i <= T / 32; ++i) {
    __syncthreads();
    sum += tile[(T + i) % 64];
  }
  out[T] = sum;
}
KERNEL(bar_bounds_branch) {  // the classic mistake: the whole body inside `if (i < n)`
  __shared__ unsigned tile[64];
  if (int(T) < n) {
    tile[T] = in[T];
    __syncthreads();
    out[T] = tile[n - 1 - T];
  }
}
KERNEL(bar_named_half_block) {  // barrier 1 for warp 0 alone, 32 threads
  __shared__ unsigned tile[64];
  tile[T] = T;
  if (T < 32) {
    asm volatile("bar.sync 1, 32;" ::: "memory");
    out[T] = tile[(T + 1) % 32];
  }
}
KERNEL(bar_named_partial_lanes) {  // bar.sync 1, 32 by 16 lanes only; PTX counts whole warps
  if (T % 32 < 16) {
    asm volatile("bar.sync 1, 32;" ::: "memory");
    out[T] = 7;
  }
}
KERNEL(bar_red_partial) {  // __syncthreads_count with lanes gone
  if (int(T) >= n) return;
  out[T] = __syncthreads_count(T % 2);
}
KERNEL(bar_red_divergent) {  // __syncthreads_count in both branches with different predicates
  if (T % 32 < 16) out[T] = __syncthreads_count(1);
  else out[T] = 100 + __syncthreads_count(T % 32 < 20);
}

// ---- warp-wide instructions -----------------------------------------------------------------------
KERNEL(shfl_lanes_exited) {  // the full mask, lanes 16..31 have returned
  if (T >= 16) return;
  out[T] = __shfl_sync(kAll, T + 100, (T + 10) % 32);
}
KERNEL(shfl_lanes_elsewhere) {  // the full mask inside an if; the others come later
  unsigned v = 0;
  if (T < 16) v = __shfl_sync(kAll, T + 100, (T + 10) % 32);
  else v = in[T] + 5;
  out[T] = v;
}
KERNEL(shfl_both_branches) {  // each half runs its own shfl with the full mask
  unsigned v = T + 100;
  if (T < 16) v = __shfl_sync(kAll, v, (T + 10) % 32);
  else v = __shfl_sync(kAll, v * 2, (T + 10) % 32) + 10000;
  out[T] = v;
}
KERNEL(shfl_source_outside_mask) {  // a right mask, the source lane is not in it
  unsigned v = T + 100;
  if (T < 16) v = __shfl_sync(0xffffu, v, 20);
  out[T] = v;
}
KERNEL(shfl_source_in_mask_exited) {  // reads lane 20, which is named but gone
  if (T >= 16) return;
  out[T] = __shfl_sync(kAll, T + 100, 20);
}
KERNEL(shfl_caller_outside_mask) {  // all lanes call, the mask names the lower half
  out[T] = __shfl_sync(0xffffu, T + 100, (T + 3) % 16);
}
KERNEL(shfl_masks_differ) {  // each half names itself, one instruction
  unsigned mask = T < 16 ? 0xffffu : 0xffff0000u;
  out[T] = __shfl_sync(mask, T + 100, (T + 3) % 32);
}
KERNEL(shfl_masks_wrong_mix) {  // even lanes name all, odd lanes name the odd ones
  unsigned mask = T % 2 ? 0xaaaaaaaau : kAll;
  out[T] = __shfl_sync(mask, T + 100, (T + 2) % 32);
}
KERNEL(ballot_lanes_exited) {
  if (T >= 16) return;
  out[T] = __ballot_sync(kAll, T % 2);
}
KERNEL(ballot_lanes_elsewhere) {
  unsigned v = 0;
  if (T < 16) v = __ballot_sync(kAll, 1);
  else v = in[T] + 5;
  out[T] = v;
}
KERNEL(ballot_both_branches) {
  unsigned v = 0;
  if (T < 16) v = __ballot_sync(kAll, 1);
  else v = __ballot_sync(kAll, T % 2);
  out[T] = v;
}
KERNEL(ballot_caller_outside_mask) { out[T] = __ballot_sync(0xffu, 1); }
KERNEL(syncwarp_lanes_exited) {
  if (T >= 16) return;
  __syncwarp();
  out[T] = T + 1;
}
KERNEL(syncwarp_lanes_elsewhere) {
  unsigned v = 0;
  if (T < 16) {
    __syncwarp();
    v = T + 1;
  } else {
    v = in[T] + 5;
  }
  out[T] = v;
}
KERNEL(syncwarp_caller_outside_mask) {
  __syncwarp(0xffffu);
  out[T] = T;
}
KERNEL(reduce_lanes_exited) {
  if (T >= 16) return;
  out[T] = __reduce_add_sync(kAll, T);
}
KERNEL(match_lanes_exited) {
  if (T >= 16) return;
  out[T] = __match_any_sync(kAll, T / 4);
}
KERNEL(activemask_divergent) {
  if (in[T] % 3 == 0) out[T] = __activemask();
  else out[T] = __activemask();
}

// ---- races ----------------------------------------------------------------------------------------
KERNEL(race_same_warp_no_syncwarp) {  // write, then read of a neighbour's word, one warp
  __shared__ unsigned tile[32];
  volatile unsigned* v = tile;
  v[T] = T + 1;
  out[T] = v[(T + 1) % 32];
}
KERNEL(race_same_warp_with_syncwarp) {
  __shared__ unsigned tile[32];
  tile[T] = T + 1;
  __syncwarp();
  out[T] = tile[(T + 1) % 32];
}
KERNEL(race_same_warp_write_after_read) {
  __shared__ unsigned tile[32];
  volatile unsigned* v = tile;
  v[T] = in[T];
  __syncwarp();
  unsigned x = v[(T + 1) % 32];
  v[T] = x;
  __syncwarp();
  out[T] = v[T];
}
KERNEL(race_cross_warp_no_barrier) {
  __shared__ unsigned tile[64];
  volatile unsigned* v = tile;
  v[T] = T + 1;
  out[T] = v[(T + 32) % 64];
}
KERNEL(race_one_store_different_values) {  // all lanes of a warp, one address, one instruction
  __shared__ unsigned tile[32];
  tile[0] = T + 1;
  __syncthreads();
  out[T] = tile[0];
}
KERNEL(race_one_store_same_value) {
  __shared__ unsigned tile[32];
  tile[0] = 7;
  __syncthreads();
  out[T] = tile[0];
}
KERNEL(race_two_warps_same_value) {
  __shared__ unsigned tile[32];
  if (T % 32 == 0) tile[0] = 7;
  __syncthreads();
  out[T] = tile[0];
}
KERNEL(race_two_warps_different_values) {
  __shared__ unsigned tile[32];
  if (T % 32 == 0) tile[0] = T + 7;
  __syncthreads();
  out[T] = tile[0];
}
KERNEL(race_two_warps_rewrite_old_value) {  // both store what is there already
  __shared__ unsigned tile[32];
  if (T == 0) tile[0] = 7;
  __syncthreads();
  if (T % 32 == 0) tile[0] = 7;
  __syncthreads();
  out[T] = tile[0];
}
KERNEL(race_atomics_two_warps) {
  __shared__ unsigned sum;
  if (T == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1u);
  __syncthreads();
  out[T] = sum;
}
KERNEL(race_atomic_and_plain_read) {  // no barrier between the atomics and the read
  __shared__ unsigned sum;
  if (T == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1u);
  out[T] = *(volatile unsigned*)&sum;
}
KERNEL(race_atomic_and_plain_store) {
  __shared__ unsigned sum;
  if (T == 0) sum = 0;
  __syncthreads();
  if (T < 32) atomicAdd(&sum, 1u);
  else if (T == 40) *(volatile unsigned*)&sum = 5;
  __syncthreads();
  out[T] = sum;
}
KERNEL(race_bytes_of_one_word) {  // two warps write different bytes of the same words
  __shared__ unsigned char tile[64];
  tile[(T % 32) * 2 + T / 32] = T;
  __syncthreads();
  out[T] = tile[63 - T];
}
KERNEL(race_own_word_no_barrier) {  // each thread reads back its own word: no race
  __shared__ unsigned tile[64];
  volatile unsigned* v = tile;
  v[T] = T + 1;
  out[T] = v[T];
}
KERNEL(race_shfl_orders) {  // a shfl between store and load: is it an order for racecheck?
  __shared__ unsigned tile[32];
  volatile unsigned* v = tile;
  v[T] = T + 1;
  unsigned w = __shfl_xor_sync(kAll, T, 1);
  out[T] = v[(w + 1) % 32];
}
KERNEL(race_bar_named) {  // producer warp, consumer warp, ordered by a named barrier
  __shared__ unsigned tile[32];
  if (T < 32) {
    tile[T] = T + 1;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[T] = tile[63 - T];
  }
}
KERNEL(race_fence_flag) {  // shared flag with fences between two warps: formally right, seen by racecheck?
  __shared__ unsigned data;
  __shared__ unsigned flag;
  if (T == 0) flag = 0;
  __syncthreads();
  if (T == 0) {
    *(volatile unsigned*)&data = 42;
    __threadfence_block();
    atomicExch(&flag, 1u);
  } else if (T == 32) {
    while (atomicAdd(&flag, 0u) == 0) {}
    __threadfence_block();
    out[T] = *(volatile unsigned*)&data;
  }
}

// ---- locks and waiting ----------------------------------------------------------------------------
KERNEL(lock_spin_then_work) {  // while (CAS); work; release: all lanes of a warp
  long long start = clock64();
  while (atomicCAS(&in[0], 0u, 1u) != 0u) give_up_after(start);
  unsigned v = ((volatile unsigned*)in)[1];
  ((volatile unsigned*)in)[1] = v + 1;
  __threadfence();
  atomicExch(&in[0], 0u);
  __syncthreads();
  out[T] = ((volatile unsigned*)in)[1];
}
KERNEL(lock_spin_then_plain_release) {
  long long start = clock64();
  while (atomicCAS(&in[0], 0u, 1u) != 0u) give_up_after(start);
  ((volatile unsigned*)in)[1] += 1;
  __threadfence();
  ((volatile unsigned*)in)[0] = 0;
  __syncthreads();
  out[T] = ((volatile unsigned*)in)[1];
}
KERNEL(lock_winner_works_in_loop) {  // done flag: the winner works inside the loop
  long long start = clock64();
  bool done = false;
  while (!done) {
    if (atomicCAS(&in[0], 0u, 1u) == 0u) {
      ((volatile unsigned*)in)[1] += 1;
      __threadfence();
      atomicExch(&in[0], 0u);
      done = true;
    }
    give_up_after(start);
  }
  __syncthreads();
  out[T] = ((volatile unsigned*)in)[1];
}
KERNEL(lock_winner_breaks) {
  long long start = clock64();
  for (;;) {
    if (atomicCAS(&in[0], 0u, 1u) == 0u) {
      ((volatile unsigned*)in)[1] += 1;
      __threadfence();
      atomicExch(&in[0], 0u);
      break;
    }
    give_up_after(start);
  }
  out[T] = ((volatile unsigned*)in)[1] > 0;
}
KERNEL(lock_nanosleep) {
  long long start = clock64();
  while (atomicCAS(&in[0], 0u, 1u) != 0u) {
    __nanosleep(100);
    give_up_after(start);
  }
  ((volatile unsigned*)in)[1] += 1;
  __threadfence();
  atomicExch(&in[0], 0u);
  __syncthreads();
  out[T] = ((volatile unsigned*)in)[1];
}
KERNEL(spin_on_lane_of_same_warp) {  // lane 0 waits for lane 1, which stands behind the loop's branch
  long long start = clock64();
  volatile unsigned* flag = in;
  if (T == 0) {
    while (flag[0] == 0) give_up_after(start);
    out[0] = 1;
  } else if (T == 1) {
    flag[0] = 1;
    out[1] = 2;
  }
}
KERNEL(spin_on_later_lane_after_join) {  // the flag is set after the join point of the spinning branch
  long long start = clock64();
  volatile unsigned* flag = in;
  if (T == 0)
    while (flag[0] == 0) give_up_after(start);
  if (T == 5) flag[0] = 1;
  out[T] = T;
}
KERNEL(spin_on_other_warp) {
  long long start = clock64();
  volatile unsigned* flag = in;
  if (T == 0) {
    while (flag[0] == 0) give_up_after(start);
    out[0] = 1;
  } else if (T == 32) {
    flag[0] = 1;
  }
}
KERNEL(block0_waits_for_last_block) {  // few blocks, and (by the grid below) more than fit
  long long start = clock64();
  volatile unsigned* flag = in;
  if (T != 0) return;
  if (blockIdx.x == 0) {
    while (flag[0] == 0) give_up_after(start);
    out[0] = 1;
  }
  if (blockIdx.x == gridDim.x - 1) flag[0] = 1;
}
KERNEL(last_block_waits_for_block0) {
  long long start = clock64();
  volatile unsigned* flag = in;
  if (T != 0) return;
  if (blockIdx.x == gridDim.x - 1) {
    while (flag[0] == 0) give_up_after(start);
    out[0] = 1;
  }
  if (blockIdx.x == 0) flag[0] = 1;
}
KERNEL(all_blocks_wait_for_last) {
  long long start = clock64();
  volatile unsigned* flag = in;
  if (T != 0) return;
  if (blockIdx.x == gridDim.x - 1) flag[0] = 1;
  while (flag[0] == 0) give_up_after(start);
  if (blockIdx.x == 0) out[0] = 1;
}

// ---- addresses and unwritten values ------------------------------------------------------------
KERNEL(mem_global_read_past_end) { out[T] = in[1024 + T]; }  // `in` holds 1024 words
KERNEL(mem_global_write_past_end) { in[1024 + T] = T; }
KERNEL(mem_global_read_before_start) { out[T] = in[int(T) - 32]; }
KERNEL(mem_global_null) { out[T] = *(volatile unsigned*)(unsigned long long)(4 * T); }
KERNEL(mem_global_misaligned) { out[T] = *(unsigned*)((char*)in + 4 * T + 1); }
KERNEL(mem_vector_misaligned) { out[T] = ((uint4*)(in + 1))[T].x; }
KERNEL(mem_shared_past_static) {  // one word past the array, inside the block's granule
  __shared__ unsigned tile[33];
  tile[T] = in[T];
  __syncthreads();
  out[T] = ((volatile unsigned*)tile)[T + n];  // n = 40
}
KERNEL(mem_shared_far_past) {
  __shared__ unsigned tile[33];
  tile[T] = in[T];
  __syncthreads();
  out[T] = ((volatile unsigned*)tile)[T + 100000];
}
KERNEL(mem_shared_misaligned) {
  __shared__ unsigned tile[64];
  tile[T] = in[T];
  __syncthreads();
  out[T] = *(volatile unsigned*)((char*)tile + T * 4 + 2);
}
KERNEL(mem_generic_to_shared_past) {
  __shared__ unsigned tile[33];
  tile[T] = in[T];
  __syncthreads();
  unsigned* p = n > 0 ? tile : in;
  out[T] = ((volatile unsigned*)p)[T + n];
}
__constant__ unsigned table[16];
KERNEL(mem_const_write) {
  unsigned* p = const_cast<unsigned*>(table);
  p[T] = T;
  out[T] = 1;
}
KERNEL(mem_const_past_end) { out[T] = table[T * 1000]; }
KERNEL(init_global_never_written) {  // `in + 512` is left as cudaMalloc gave it
  out[T] = in[512 + T];
}
KERNEL(init_global_unused_load) {  // read, but no result depends on it
  unsigned v = ((volatile unsigned*)in)[512 + T];
  out[T] = T + (v & 0);
}
KERNEL(init_shared_never_written) {
  __shared__ unsigned tile[64];
  if (T < 16) tile[T] = in[T];
  __syncthreads();
  out[T] = ((volatile unsigned*)tile)[T];
}
KERNEL(control_clean) {  // nothing to report: the tools must report nothing
  __shared__ unsigned tile[64];
  tile[T] = in[T];
  __syncthreads();
  out[T] = tile[63 - T];
}

struct Case {
  const char* name;
  void (*kernel)(unsigned*, unsigned*, int);
  int grid, block, n;
};
#define CASE(name, grid, block, n) {#name, name, grid, block, n}
const Case kCases[] = {
    CASE(control_clean, 1, 64, 64),
    CASE(bar_partial_warp_return, 1, 64, 40), CASE(bar_partial_warp_return_one_warp, 1, 32, 20),
    CASE(bar_whole_warp_return, 1, 64, 32), CASE(bar_in_if_others_exit, 1, 64, 64),
    CASE(bar_in_if_then_common_code, 1, 64, 64), CASE(bar_in_if_one_warp_never, 1, 64, 64),
    CASE(bar_in_if_then_bar, 1, 64, 64), CASE(bar_in_both_branches_by_lane, 1, 64, 64),
    CASE(bar_in_both_branches_by_warp, 1, 64, 64), CASE(bar_trip_count_by_lane, 1, 64, 64),
    CASE(bar_trip_count_by_warp, 1, 64, 64), CASE(bar_bounds_branch, 1, 64, 40),
    CASE(bar_named_half_block, 1, 64, 64), CASE(bar_named_partial_lanes, 1, 32, 32),
    CASE(bar_red_partial, 1, 64, 40), CASE(bar_red_divergent, 1, 64, 64),
    CASE(shfl_lanes_exited, 1, 32, 32), CASE(shfl_lanes_elsewhere, 1, 32, 32),
    CASE(shfl_both_branches, 1, 32, 32), CASE(shfl_source_outside_mask, 1, 32, 32),
    CASE(shfl_source_in_mask_exited, 1, 32, 32), CASE(shfl_caller_outside_mask, 1, 32, 32),
    CASE(shfl_masks_differ, 1, 32, 32), CASE(shfl_masks_wrong_mix, 1, 32, 32),
    CASE(ballot_lanes_exited, 1, 32, 32), CASE(ballot_lanes_elsewhere, 1, 32, 32),
    CASE(ballot_both_branches, 1, 32, 32), CASE(ballot_caller_outside_mask, 1, 32, 32),
    CASE(syncwarp_lanes_exited, 1, 32, 32), CASE(syncwarp_lanes_elsewhere, 1, 32, 32),
    CASE(syncwarp_caller_outside_mask, 1, 32, 32), CASE(reduce_lanes_exited, 1, 32, 32),
    CASE(match_lanes_exited, 1, 32, 32), CASE(activemask_divergent, 1, 32, 32),
    CASE(race_same_warp_no_syncwarp, 1, 32, 32), CASE(race_same_warp_with_syncwarp, 1, 32, 32),
    CASE(race_same_warp_write_after_read, 1, 32, 32), CASE(race_cross_warp_no_barrier, 1, 64, 64),
    CASE(race_one_store_different_values, 1, 32, 32), CASE(race_one_store_same_value, 1, 32, 32),
    CASE(race_two_warps_same_value, 1, 64, 64), CASE(race_two_warps_different_values, 1, 64, 64),
    CASE(race_two_warps_rewrite_old_value, 1, 64, 64), CASE(race_atomics_two_warps, 1, 64, 64),
    CASE(race_atomic_and_plain_read, 1, 64, 64), CASE(race_atomic_and_plain_store, 1, 64, 64),
    CASE(race_bytes_of_one_word, 1, 64, 64), CASE(race_own_word_no_barrier, 1, 64, 64),
    CASE(race_shfl_orders, 1, 32, 32), CASE(race_bar_named, 1, 64, 64), CASE(race_fence_flag, 1, 64, 64),
    CASE(lock_spin_then_work, 1, 32, 32), CASE(lock_spin_then_plain_release, 1, 32, 32),
    CASE(lock_winner_works_in_loop, 1, 32, 32), CASE(lock_winner_breaks, 1, 32, 32),
    CASE(lock_nanosleep, 1, 32, 32), CASE(spin_on_lane_of_same_warp, 1, 32, 32),
    CASE(spin_on_later_lane_after_join, 1, 32, 32), CASE(spin_on_other_warp, 1, 64, 64),
    CASE(block0_waits_for_last_block, 8, 32, 0),
    {"block0_waits_for_last_block_big_grid", block0_waits_for_last_block, 20000, 32, 0},
    {"last_block_waits_for_block0_big_grid", last_block_waits_for_block0, 20000, 32, 0},
    CASE(all_blocks_wait_for_last, 8, 32, 0),
    {"all_blocks_wait_for_last_big_grid", all_blocks_wait_for_last, 20000, 32, 0},
    CASE(mem_global_read_past_end, 1, 32, 32), CASE(mem_global_write_past_end, 1, 32, 32),
    CASE(mem_global_read_before_start, 1, 32, 32), CASE(mem_global_null, 1, 32, 32),
    CASE(mem_global_misaligned, 1, 32, 32), CASE(mem_vector_misaligned, 1, 32, 32),
    CASE(mem_shared_past_static, 1, 32, 40), CASE(mem_shared_far_past, 1, 32, 32),
    CASE(mem_shared_misaligned, 1, 32, 32), CASE(mem_generic_to_shared_past, 1, 32, 40),
    CASE(mem_const_write, 1, 16, 16), CASE(mem_const_past_end, 1, 32, 32),
    CASE(init_global_never_written, 1, 32, 32), CASE(init_global_unused_load, 1, 32, 32),
    CASE(init_shared_never_written, 1, 32, 32),
};

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  if (!std::strcmp(argv[1], "--list")) {
    for (const Case& c : kCases) std::puts(c.name);
    return 0;
  }
  for (const Case& c : kCases) {
    if (std::strcmp(argv[1], c.name) != 0) continue;
    unsigned *out = nullptr, *in = nullptr;
    unsigned host[64];
    cudaMalloc(&out, 64 * 4);
    cudaMalloc(&in, 1024 * 4);
    cudaMemset(out, 0xee, 64 * 4);
    cudaMemset(in, 0, 512 * 4);  // the upper half stays as it came
    c.kernel<<<c.grid, c.block>>>(out, in, c.n);
    cudaError_t launch = cudaGetLastError(), run = cudaDeviceSynchronize();
    std::printf("launch=%s run=%s out=", cudaGetErrorName(launch), cudaGetErrorName(run));
    if (run == cudaSuccess) {
      cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
      for (unsigned w : host) std::printf("%x ", w);
    }
    std::puts("");
    return 0;
  }
  std::fprintf(stderr, "no case named %s\n", argv[1]);
  return 2;
}
