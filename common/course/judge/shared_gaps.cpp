// Inserts bytes between shared arrays. See shared_gaps.h.
#include "common/course/judge/shared_gaps.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/sim/base/lanes.h"
#include "common/sim/observe/place_text.h"
#include "common/sim/program/program.h"
#include "common/sim/program/program_data.h"

namespace lab::judge {
namespace {

constexpr std::string_view kFront = "lab_bytes_in_front", kBehind = "lab_bytes_behind_";
constexpr std::uint32_t kBytesOfGap = 16;

struct SpreadOut {
  std::string ptx;  // "" when the text has no such entry
  std::uint32_t gaps = 0;
};

// A variable of bytes that belong to no array, and what an entry has to name so that it gets them.
std::string gap_named(const std::string& name) {
  return fmt::format(".shared .align 4 .b8 {}[{}];\n", name, kBytesOfGap);
}
std::string naming(const std::string& name) {
  return fmt::format("{{ .reg .b32 %lab_gap; mov.u32 %lab_gap, {}; }}\n", name);
}

bool declares_shared(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t"), at = line.find(".shared ");
  return first != line.npos && line[first] == '.' && at != line.npos && line.find(".extern ") == line.npos &&
         line.back() == ';' && line.find('[') != line.npos;
}

// The module with 16 bytes of shared memory more in front of all the kernel's own, and behind each of its arrays: where
// an array begins, and which follows it, is luck unless it is said.
SpreadOut spread_out(const std::string& ptx, const std::string& entry) {
  SpreadOut made{.ptx = gap_named(std::string(kFront)), .gaps = 1};
  const std::string head = ".entry " + entry + "(";
  std::string names = naming(std::string(kFront)), body;
  int depth = 0;
  bool in_head = false, found = false;
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line); body += '\n') {
    in_head = in_head || line.find(head) != line.npos;
    body += line;
    if (declares_shared(line)) {
      const std::string name = std::string(kBehind) + std::to_string(made.gaps++);
      body += '\n' + gap_named(name);
      (depth == 0 ? names : body) += naming(name);
    }
    depth += static_cast<int>(std::count(line.begin(), line.end(), '{') -
                              std::count(line.begin(), line.end(), '}'));
    if (!in_head || depth != 1 || line.find('{') == line.npos) continue;
    body += '\n' + names;
    in_head = false, found = true;
  }
  // Behind the lines that say which PTX it is.
  const std::size_t sizes = body.find(".address_size "),
                    begin = body.find('\n', std::min(sizes, body.size()));
  if (!found || begin == body.npos) return {};
  made.ptx = body.insert(begin + 1, made.ptx);
  return made;
}

bool names_a_gap(const Message& message) {
  bool found = false;
  message.for_each_place([&](const text::Place& place) {
    found = found || place.variable == kFront || place.variable.starts_with(kBehind);
  });
  return found;
}

// Reports accesses to those bytes, which belong to no variable.
class GapWatch final : public sim::Observer {
 public:
  [[nodiscard]] const std::optional<sim::Fault>& found() const { return found_; }
  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override { return std::make_unique<GapWatch>(); }
  void merge(const sim::Observer& other) override {
    const auto& theirs = dynamic_cast<const GapWatch&>(other).found_;
    if (theirs && (!found_ || theirs->block_index < found_->block_index)) found_ = theirs;
  }
  void launch_begin(const sim::LaunchInfo& info) override {
    program_ = info.program;
    block_ = info.block;
    for (const sim::SharedVariable& v : program_->data().shared_variables)
      if (v.name == kFront || v.name.starts_with(kBehind))
        gaps_.push_back({v.offset_bytes, v.offset_bytes + v.size_bytes});
  }
  void access(std::uint32_t /*slot*/, const sim::Access& access) override {
    if (found_ || (access.space != sim::Space::Shared && access.space != sim::Space::Cluster)) return;
    for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
      const std::uint64_t at = access.address[lane];
      if (std::none_of(gaps_.begin(), gaps_.end(),
                       [&](const Gap& gap) { return at < gap.end && at + access.width_bytes > gap.begin; }))
        continue;
      found_ = sim::fault_at(sim::FaultKind::OutOfBounds, program_->source(access.pc), *access.place, block_,
                             lane, at);
      found_->message =
          msg("address {} of shared memory lies in no array of this kernel.", at - gaps_.front().begin);
      return;
    }
  }

 private:
  struct Gap {
    std::uint64_t begin = 0, end = 0;
  };
  const sim::Program* program_ = nullptr;
  sim::Dim3 block_;
  std::vector<Gap> gaps_;
  std::optional<sim::Fault> found_;
};

}  // namespace

std::optional<Run> run_with_gaps(Subject& subject, const Problem& problem, const Target& target,
                                 std::uint32_t shared_bytes) {
  constexpr std::uint32_t kMostStatic = 48 * 1024, kMost = 227 * 1024;
  const auto dynamic = static_cast<std::uint32_t>(subject.launch_shape(target.entry).dynamic_shared_bytes);
  const SpreadOut spread = spread_out(subject.ptx(), target.entry);
  const std::uint32_t all = shared_bytes + kBytesOfGap * spread.gaps;
  if (shared_bytes == 0 || spread.ptx.empty() || all > kMost || all - dynamic > kMostStatic) return {};
  GapWatch watch;
  Run run = Subject(spread.ptx, 1, {}, subject.inputs()).judged(problem, target, watch);
  if (run.faults.empty() && watch.found()) run.faults.push_back(*watch.found());
  for (sim::Fault& fault : run.faults)
    if (names_a_gap(fault.message))
      fault.message = msg("an access leaves its array, and lands in shared memory that no array has.");
  return run;
}

}  // namespace lab::judge
