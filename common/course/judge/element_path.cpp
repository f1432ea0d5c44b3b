// Following one element. See element_path.h.
#include "common/course/judge/element_path.h"

#include <cstring>

#include "common/sim/base/lanes.h"
#include "common/sim/program/program.h"

namespace lab::judge {

namespace {

constexpr std::int64_t kMostKnown = 1 << 14;  // elements
constexpr std::uint64_t kWord = sizeof(std::uint32_t);

}  // namespace

ElementPath::ElementPath(const Problem& problem, const Words& words, std::int64_t row, std::int64_t col,
                         std::int64_t batch)
    : bytes_(static_cast<std::uint64_t>(problem.elem_bytes)) {
  const auto bytes = [&](std::int64_t elems) { return static_cast<std::uint64_t>(elems) * bytes_; };
  out_ = bytes(batch * problem.out_stride() + row * problem.out_pitch() + col);
  in_ = bytes(batch * problem.in_stride() + col * problem.in_pitch() + row);
  if (bytes_ < 4) return;
  small_ = problem.batch * problem.rows * problem.cols <= kMostKnown;
  std::array<std::byte, 16> element{};
  const std::int64_t number = (batch * problem.rows + col) * problem.cols + row;
  element_bytes(static_cast<std::uint64_t>(number), words, problem.elem_bytes, 0, element.data());
  std::memcpy(&word_.emplace(), element.data(), sizeof(std::uint32_t));
}

std::unique_ptr<sim::Observer> ElementPath::clone() const {
  auto fresh = std::unique_ptr<ElementPath>(new ElementPath);
  fresh->out_ = out_, fresh->in_ = in_, fresh->bytes_ = bytes_, fresh->word_ = word_, fresh->small_ = small_;
  return fresh;
}

void ElementPath::merge(const sim::Observer& other) {
  const auto& from = dynamic_cast<const ElementPath&>(other);
  for (std::size_t what = 0; what < seen_.size(); ++what)
    seen_[what].insert(from.seen_[what].begin(), from.seen_[what].end());
}

void ElementPath::launch_begin(const sim::LaunchInfo& info) {
  lines_.clear();
  for (std::uint32_t pc = 0; pc < info.program->instruction_count(); ++pc) {
    const sim::InstSource source = info.program->source(pc);
    lines_.push_back({source.line, source.call_line});
    if (file_.empty()) file_ = source.file;
  }
}

bool ElementPath::carries(const sim::Access& access) const {
  if (!word_ || access.value == nullptr) return false;
  for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
    for (std::uint32_t at = 0; at + sizeof *word_ <= access.width_bytes; at += sizeof *word_)
      if (std::memcmp(access.value + lane * access.width_bytes + at, &*word_, sizeof *word_) == 0)
        return true;
  }
  return false;
}

bool ElementPath::covers(const sim::Access& access, std::uint64_t address, std::uint64_t bytes) {
  for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
    const std::uint64_t first = access.address[lane];
    if (first < address + bytes && address < first + access.width_bytes) return true;
  }
  return false;
}

void ElementPath::keep(Block& block, const sim::Access& access) const {
  for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
    const std::uint64_t address = access.address[lane];
    std::vector<Load>& loads = block.loads[access.place->first_thread + lane];
    if (sim::writes(access.path)) {
      loads.clear();
      for (std::uint64_t at = 0; at < access.width_bytes; at += kWord)
        block.stored[(address + at) / kWord] = access.pc;
    } else if (access.value != nullptr) {
      const std::byte* value = access.value + std::size_t{lane} * access.width_bytes;
      loads.push_back({address, {value, value + access.width_bytes}});
    }
  }
}

// What a thread stores to the place in `out` is what it has loaded, as far as one can see by the values.
void ElementPath::fill(Block& block, const sim::Access& access) {
  std::set<std::uint32_t> stores;
  for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
    const std::uint64_t first = access.address[lane];
    if (access.value == nullptr || out_ < first || out_ >= first + access.width_bytes) continue;
    const std::byte* wanted = access.value + std::size_t{lane} * access.width_bytes + (out_ - first);
    for (const Load& load : block.loads[access.place->first_thread + lane])
      for (std::uint64_t at = 0; at + kWord <= load.bytes.size(); at += kWord)
        if (std::memcmp(&load.bytes[at], wanted, kWord) == 0)
          if (const auto store = block.stored.find((load.address + at) / kWord); store != block.stored.end())
            stores.insert(store->second);
  }
  std::set<int> lines;
  for (const std::uint32_t pc : stores) lines.insert(lines_[pc][0]);
  if (lines.size() == 1) seen_[kFilled].insert(stores.begin(), stores.end());
}

void ElementPath::access(std::uint32_t slot, const sim::Access& access) {
  const auto see = [&](What what, bool is_so = true) {
    if (is_so) seen_[what].insert(access.pc);
  };
  const bool reads = sim::reads(access.path), writes = sim::writes(access.path), carried = carries(access);
  if (access.space == sim::Space::Global) {
    if (reads) see(kReadsIn), see(kRead, carried || covers(access, in_, bytes_));
    if (writes) see(kWritesOut), see(kWritten, covers(access, out_, bytes_));
    if (writes && small_) fill(blocks_[slot], access);
  } else if (access.space == sim::Space::Shared || access.space == sim::Space::Cluster) {
    see(access.value == nullptr ? kEngine : writes ? kKeeps : kTakes);
    if (carried) see(writes ? kKept : kTaken);
    if (small_ && (writes || access.space == sim::Space::Shared)) keep(blocks_[slot], access);
  }
}

ElementLines ElementPath::lines() const {
  std::set<int> calls;  // where all that is done is done by one call, its line says nothing
  for (const auto& seen : seen_)
    for (const std::uint32_t pc : seen)
      if (pc < lines_.size()) calls.insert(lines_[pc][1]);
  const int only_call = calls.size() == 1 ? *calls.begin() : 0;
  const auto of = [&](What what) {
    ElementLines::Lines lines;
    for (const std::uint32_t pc : seen_[what])
      if (pc < lines_.size()) lines.insert(lines_[pc].begin(), lines_[pc].end());
    lines.erase(0);
    if (only_call != 0) lines.erase(only_call);
    return lines;
  };
  return {
      of(kReadsIn), of(kWritesOut), of(kKeeps),   of(kTakes),  of(kRead),
      of(kKept),    of(kTaken),     of(kWritten), of(kFilled), word_.has_value() && seen_[kEngine].empty(),
      file_};
}

}  // namespace lab::judge
