// The findings of the race check: which are one and the same, which are reported.
//
// Enters: findings of blocks and of clones, one by one. Leaves: those whose fix helps, each once, with its
// count; or FaultError.
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "common/sim/observe/race_check.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

bool is_narrow(FaultKind kind) { return kind == FaultKind::MissingSyncwarp; }

}  // namespace

// Counts what was reported for this block or one before it.
bool RaceCheck::seen(Slot& slot, const Key& key, const Access& access) {
  if (const auto kept = slot.kept.find(key); kept != slot.kept.end()) {
    kept->second.count += 1;
    return true;
  }
  const auto known = found_.find(key);
  if (known == found_.end() || known->second.block_index > access.place->block_index) return false;
  known->second.count += 1;
  return true;
}

void RaceCheck::found(Slot& slot, const Key& key, Fault fault) {
  if (stop_ == Stop::AtOnce) throw FaultError(std::move(fault));
  slot.kept.emplace(key, std::move(fault));
}

void RaceCheck::note(const Key& key, const Fault& fault) {
  const auto [at, fresh] = found_.try_emplace(key, fault);
  if (fresh) return;
  const std::uint64_t count = at->second.count + fault.count;
  if (fault.block_index < at->second.block_index) at->second = fault;
  at->second.count = count;
}

void RaceCheck::block_end(std::uint32_t index, const WarpPlace& /*place*/) {
  if (slots_[index]->shared != nullptr) shared_tests_.join(slots_[index]->shared->tests());
  std::map<Key, Fault>& kept = slots_[index]->kept;
  if (kept.empty()) return;
  if (stop_ == Stop::WithBlock) throw FaultError(worth_reporting(kept).front());
  for (const auto& [key, fault] : kept) note(key, fault);
  kept.clear();
}

// A fault stopped these blocks: what raced before may be why.
void RaceCheck::note_unfinished(const RaceCheck& from) {
  if (stop_ != Stop::Never) return;
  for (const auto& slot : from.slots_) {
    if (slot == nullptr) continue;
    for (const auto& [key, fault] : slot->kept) note(key, fault);
  }
}

void RaceCheck::merge(const Observer& other) {
  // A clone that is done with: its lines are taken over, not copied.
  auto& from = const_cast<RaceCheck&>(dynamic_cast<const RaceCheck&>(other));
  for (const auto& [key, fault] : from.found_) note(key, fault);
  note_unfinished(from);
  shared_tests_.join(from.shared_tests_);
  if (global_ != nullptr && from.global_ != nullptr) global_->merge(*from.global_);
}

RaceCheck::Key RaceCheck::key_of(std::uint32_t pc, std::uint32_t earlier_pc, FaultKind kind,
                                 bool between_blocks) {
  const auto& origins = launch_.program->data().origins;
  const auto line_of = [&](std::uint32_t at) {
    const ptx::SourceLine& source = origins[at].source;
    if (source.line == 0) return at;
    const auto [place, fresh] = lines_.try_emplace({source.file, source.line}, 0);
    while (fresh && (origins[place->second].source.file != source.file ||
                     origins[place->second].source.line != source.line))
      ++place->second;
    return place->second;
  };
  return {line_of(pc), line_of(earlier_pc), kind, between_blocks};
}

// Findings whose fix removes the others too: not one inside a warp where another warp takes
// part at the same line; and of two lines that collide both ways round the order of the text, since that
// barrier orders the other way too.
std::vector<Fault> RaceCheck::worth_reporting(const std::map<Key, Fault>& all) const {
  std::set<std::uint32_t> wide;
  for (const auto& [key, fault] : all) {
    if (!is_narrow(std::get<2>(key))) wide.insert({std::get<0>(key), std::get<1>(key)});
  }
  const auto other_way_round = [&](const Key& key) {
    const auto& [a, b, kind, between_blocks] = key;
    return a < b && all.contains(Key{b, a, kind, between_blocks});
  };
  // The same two lines, also between blocks: a barrier would leave that.
  const auto narrower = [&](const Key& key) {
    const auto& [a, b, kind, between_blocks] = key;
    return !between_blocks && (all.contains(Key{a, b, kind, true}) || all.contains(Key{b, a, kind, true}));
  };
  std::vector<Fault> list;
  for (const bool narrow : {false, true}) {
    for (const auto& [key, fault] : all) {
      const bool covered = wide.contains(std::get<0>(key)) || wide.contains(std::get<1>(key));
      if (is_narrow(std::get<2>(key)) != narrow || (narrow && covered) || other_way_round(key) ||
          narrower(key))
        continue;
      list.push_back(fault);
    }
  }
  return list;
}

std::vector<Fault> RaceCheck::findings() {
  note_unfinished(*this);
  if (global_ != nullptr) {
    for (const BlocksMet& met : global_->blocks_met()) {
      // What orders blocks orders the threads of one too: where both race, that is the advice.
      const Key key = key_of(met.writer.pc, met.other.pc, FaultKind::GlobalRace, true);
      const auto& [a, b, kind, between_blocks] = key;
      Fault wide = fault_of(met);
      for (const Key& inside : {Key{a, b, kind, false}, Key{b, a, kind, false}}) {
        const auto narrow = found_.find(inside);
        if (narrow == found_.end()) continue;
        wide.count += narrow->second.count;
        found_.erase(narrow);
      }
      found_.emplace(key, std::move(wide));
    }
  }
  return worth_reporting(found_);
}

}  // namespace lab::sim
