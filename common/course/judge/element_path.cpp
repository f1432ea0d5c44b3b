// Following one element. See element_path.h.
#include "common/course/judge/element_path.h"

#include <cstring>

#include "common/sim/base/lanes.h"
#include "common/sim/program/program.h"

namespace lab::judge {

ElementPath::ElementPath(const Problem& problem, const Words& words, std::int64_t row, std::int64_t col,
                         std::int64_t batch)
    : bytes_(static_cast<std::uint64_t>(problem.elem_bytes)) {
  const auto bytes = [&](std::int64_t elems) { return static_cast<std::uint64_t>(elems) * bytes_; };
  out_ = bytes(batch * problem.out_stride() + row * problem.out_pitch() + col);
  in_ = bytes(batch * problem.in_stride() + col * problem.in_pitch() + row);
  if (bytes_ < 4) return;
  std::array<std::byte, 16> element{};
  const std::int64_t number = (batch * problem.rows + col) * problem.cols + row;
  element_bytes(static_cast<std::uint64_t>(number), words, problem.elem_bytes, 0, element.data());
  std::memcpy(&word_.emplace(), element.data(), sizeof(std::uint32_t));
}

std::unique_ptr<sim::Observer> ElementPath::clone() const {
  auto fresh = std::unique_ptr<ElementPath>(new ElementPath);
  fresh->out_ = out_, fresh->in_ = in_, fresh->bytes_ = bytes_, fresh->word_ = word_;
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

void ElementPath::access(std::uint32_t /*slot*/, const sim::Access& access) {
  const auto see = [&](What what, bool is_so = true) {
    if (is_so) seen_[what].insert(access.pc);
  };
  const bool reads = sim::reads(access.path), writes = sim::writes(access.path), carried = carries(access);
  if (access.space == sim::Space::Global) {
    if (reads) see(kReadsIn), see(kRead, carried || covers(access, in_, bytes_));
    if (writes) see(kWritesOut), see(kWritten, covers(access, out_, bytes_));
  } else if (access.space == sim::Space::Shared || access.space == sim::Space::Cluster) {
    see(access.value == nullptr ? kEngine : writes ? kKeeps : kTakes);
    if (carried) see(writes ? kKept : kTaken);
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
  return {of(kReadsIn), of(kWritesOut), of(kKeeps),
          of(kTakes),   of(kRead),      of(kKept),
          of(kTaken),   of(kWritten),   word_.has_value() && seen_[kEngine].empty(),
          file_};
}

}  // namespace lab::judge
