// A check that notes what it finds and lets the kernel go on. See findings.h.
#include "common/sim/observe/findings.h"

#include <utility>

namespace lab::sim {

std::unique_ptr<Observer> Findings::clone() const { return std::make_unique<Findings>(check_->clone()); }

void Findings::note(std::uint32_t pc, const Fault& fault) {
  const auto [at, fresh] = found_.try_emplace(pc, fault);
  if (!fresh && fault.block_index < at->second.block_index) at->second = fault;
}

void Findings::merge(const Observer& other) {
  const auto& from = dynamic_cast<const Findings&>(other);
  check_->merge(*from.check_);
  for (const auto& [pc, fault] : from.found_) note(pc, fault);
}

void Findings::block_begin(std::uint32_t slot, const WarpPlace& place) {
  if (slot >= silenced_.size()) silenced_.resize(slot + 1);
  silenced_[slot].clear();
  check_->block_begin(slot, place);
}

void Findings::access(std::uint32_t slot, const Access& access) {
  std::set<std::uint32_t>& silenced = silenced_[slot];
  if (!silenced.empty() && silenced.contains(access.pc)) return;
  try {
    check_->access(slot, access);
  } catch (const FaultError& error) {
    note(access.pc, error.fault);
    silenced.insert(access.pc);
  }
}

std::vector<Fault> Findings::list() const {
  std::vector<Fault> faults;
  faults.reserve(found_.size());
  for (const auto& [pc, fault] : found_) faults.push_back(fault);
  return faults;
}

}  // namespace lab::sim
