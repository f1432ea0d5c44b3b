// A check that notes what it finds and lets the kernel go on. See findings.h.
#include "common/sim/observe/findings.h"

#include "common/sim/program/program.h"

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

template <class Act>
void Findings::watched(std::uint32_t slot, std::uint32_t pc, const Act& act) {
  std::set<std::uint32_t>& silenced = silenced_[slot];
  if (!silenced.empty() && silenced.contains(pc)) return;
  try {
    act();
  } catch (const FaultError& error) {
    note(pc, error.fault);
    silenced.insert(pc);
  }
}

void Findings::access(std::uint32_t slot, const Access& access) {
  watched(slot, access.pc, [&] { check_->access(slot, access); });
}

void Findings::copy(std::uint32_t slot, const Copy& copy) {
  watched(slot, copy.pc, [&] { check_->copy(slot, copy); });
}

void Findings::bulk(std::uint32_t slot, const BulkCopy& copy) {
  watched(slot, copy.pc, [&] { check_->bulk(slot, copy); });
}

// What a check has to say of the unit does not keep it from hearing more: copies end that have begun.
void Findings::engine(std::uint32_t slot, const EngineEvent& event) {
  try {
    check_->engine(slot, event);
  } catch (const FaultError& error) {
    note(event.pc, error.fault);
  }
}

void Findings::block_end(std::uint32_t slot, const WarpPlace& place) {
  try {
    check_->block_end(slot, place);
  } catch (const FaultError& error) {
    note(kNoPc, error.fault);
  }
}

std::vector<Fault> Findings::list() const {
  std::vector<Fault> faults;
  faults.reserve(found_.size());
  for (const auto& [pc, fault] : found_) faults.push_back(fault);
  return faults;
}

}  // namespace lab::sim
