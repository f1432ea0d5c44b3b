// What loads and atomics are for: reads whose value a compare-and-swap checks before anything comes of it,
// tests before atomics, reads of data, atomics that read for nothing.
#pragma once

#include <set>

#include "common/sim/ptx/ptx_module.h"

namespace lab::sim {

// atom.cas, whose third operand is the comparand.
[[nodiscard]] bool compares_and_swaps(const ptx::Instruction& in);

// The loads of a function whose destination, as it is or through moves, is what an atom.cas compares with:
//     old = *p;  do { assumed = old; old = atomicCAS(p, assumed, f(assumed)); } while (old != assumed);
[[nodiscard]] std::set<const ptx::Instruction*> reads_that_a_cas_checks(const ptx::Function& function);

// Plain loads of the very word that an atomic behind them changes.
struct ReadsBeforeAtomics {
  // `if (*p < mine) atomicMax(p, mine)`: the value is compared and nothing else.
  std::set<const ptx::Instruction*> tests;
  // `slot = *n; list[slot] = mine; atomicAdd(n, 1)`: the value is used, the atomic follows without a branch,
  // does not take the value itself, and would have returned it.
  std::set<const ptx::Instruction*> numbers;
};
[[nodiscard]] ReadsBeforeAtomics reads_before_atomics(const ptx::Function& function);

// Plain loads of a word and plain stores of the same word that take in what the load returned: `*p = *p + 1`,
// in one line or in several; and those that only test it before: `if (*p < v) *p = v`.
[[nodiscard]] std::set<const ptx::Instruction*> plain_updates(const ptx::Function& function);

// Volatile, relaxed and acquiring loads that take what they find: no loop asks again until it finds another
// value.
[[nodiscard]] std::set<const ptx::Instruction*> loads_that_take_data(const ptx::Function& function);

// The atomics of a function whose result no instruction reads. Exchanges among them are stores that are
// atomic.
[[nodiscard]] std::set<const ptx::Instruction*> unread_atomics(const ptx::Function& function);

}  // namespace lab::sim
