// What a debugger's client sees of a recording at one step: warps as threads, variables, memory.
//
// Enters: a StepRun, the step that is about to run. Leaves: JSON of the Debug Adapter Protocol; lists inside of
// lists by numbers, which are good until the run moves on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/course/explore/step_run.h"

namespace lab::cli {

using base::Json;

// A warp of a recorded block; as a number from 1 on in the protocol.
struct DapThread {
  std::uint32_t block = 0, warp = 0;
  [[nodiscard]] static DapThread of(const explore::WarpStep& step) { return {step.block, step.warp}; }
  static constexpr std::uint32_t kMostWarps = 32;  // of a block
  [[nodiscard]] int number() const { return static_cast<int>(block * kMostWarps + warp) + 1; }
  friend auto operator<=>(const DapThread&, const DapThread&) = default;
};

// A function that runs there: 0, or one that called it.
struct DapFrame {
  DapThread thread;
  std::size_t depth = 0;
  static constexpr int kMostThreads = 1 << 12;
  [[nodiscard]] int number() const { return static_cast<int>(depth) * kMostThreads + thread.number(); }
};

class DapView {
 public:
  // `run` stays.
  DapView(const explore::StepRun& run, std::size_t now) : run_(run), now_(now) {}
  [[nodiscard]] std::size_t now() const { return now_; }
  void move(std::size_t to);  // lists are no longer good

  [[nodiscard]] const explore::WarpStep& step() const { return run_.data.steps[now_]; }
  // Whether a statement of this thread runs in that step.
  [[nodiscard]] bool runs(DapThread thread, std::size_t step) const;
  // How many functions were called there.
  [[nodiscard]] std::size_t depth(std::size_t step) const {
    return run_.calls_of(run_.data.steps[step]).size();
  }
  // The thread's step before that one.
  [[nodiscard]] std::optional<std::size_t> before(DapThread thread, std::size_t step) const;
  // Where a thread stands: at the barrier where it waits, else at what it runs next; none: it has returned.
  [[nodiscard]] std::optional<std::size_t> stand_of(DapThread thread) const;

  [[nodiscard]] Json threads() const;
  [[nodiscard]] Json frames(DapThread thread) const;  // but for the source and what counts from 0 on
  [[nodiscard]] Json scopes(DapFrame frame);
  [[nodiscard]] Json list(std::int64_t number) const;  // of `variablesReference`
  // A variable, an array or an element of it: "row", "p.x", "tile", "tile[1][0]".
  [[nodiscard]] Json evaluate(DapFrame frame, const std::string& name);

 private:
  struct Array;
  using List = std::function<Json()>;
  int add(List list);  // its number
  [[nodiscard]] Json variables(std::size_t step, std::size_t depth);
  [[nodiscard]] Json lanes(std::size_t step) const;
  [[nodiscard]] Json arrays(std::uint32_t block);
  // Copies that have not landed, with the bytes that they move; mbarriers, with the phases that are over.
  [[nodiscard]] Json way(std::uint32_t block);
  [[nodiscard]] std::string cell_words(const Array& array, std::size_t element) const;
  [[nodiscard]] Json part_of(const std::shared_ptr<const Array>& array, const std::string& name,
                             std::size_t level, std::size_t index);
  [[nodiscard]] std::vector<std::shared_ptr<const Array>> arrays_of(std::uint32_t block) const;
  [[nodiscard]] std::optional<Json> element_named(std::uint32_t block, const std::string& name);

  const explore::StepRun& run_;
  std::size_t now_;
  std::size_t gone_ = 0;  // lists that were good before
  std::vector<List> lists_;
};

}  // namespace lab::cli
