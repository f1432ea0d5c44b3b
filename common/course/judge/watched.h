// What a counted run leaves besides its counters: the first requests of every instruction, lane by lane, and
// where the instructions stand. Pictures, patterns and "what if" are drawn from the very run that judged.
//
// Enters: an observed launch. Leaves: Watched.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/course/judge/declared.h"
#include "common/sim/observe/recorder.h"

namespace lab::judge {

inline constexpr std::uint32_t kRequestsKept = 64;  // of each instruction; a block of the course makes fewer

struct Watched {
  struct Place {
    std::string file;
    int line = 0;
  };
  std::vector<sim::RecordedAccess> accesses;  // by instruction, block, warp and order
  std::vector<Place> places;                  // by pc
  std::vector<SharedArray> arrays;            // of a block's shared memory
  [[nodiscard]] std::vector<sim::RecordedAccess> on_line(int line) const;
};

// The observers of one launch.
class Watch {
 public:
  Watch();
  [[nodiscard]] std::vector<sim::Observer*> observers() { return {&recorder_, &sources_}; }
  [[nodiscard]] Watched seen();  // after the launch

 private:
  // Remembers where the instructions come from: after the run the program may be gone.
  class Sources final : public sim::Observer {
   public:
    [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override;
    void launch_begin(const sim::LaunchInfo& info) override;
    std::vector<Watched::Place> places;
    std::vector<SharedArray> arrays;
  };
  sim::Recorder recorder_;
  Sources sources_;
};

}  // namespace lab::judge
