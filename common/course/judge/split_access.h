// Wide accesses that an optimiser took apart.
//
// Enters: the PTX of one kernel file by two compilers. Leaves: the first line whose access one of them makes
// with fewer bytes per lane than the other. NVRTC and nvcc take a float4 apart to compute with its elements,
// and do not always see that the elements are neighbours again; or they merge one of them with what another
// branch stores.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "common/base/text/message.h"

namespace lab::judge {

struct Width {
  int bytes = 0;  // of a lane, of the widest access
  int count = 0;  // of accesses that wide
};
// By the space's word ("global"), whether it stores, and the line.
using Widths = std::map<std::tuple<std::string, bool, int>, Width>;
[[nodiscard]] Widths widths_of(std::string_view ptx);

struct SplitAccess {
  int line = 0;
  bool stores = false;
  int whole_bytes = 0, split_bytes = 0;
  int merged_with = 0;  // a line of another branch, which has taken some of its parts; 0: none has
};
[[nodiscard]] std::optional<SplitAccess> split_access(const Widths& split, const Widths& whole);

// What happened, and what keeps the access whole.
[[nodiscard]] Message words_of(const SplitAccess& split, std::string_view compiler);

// A load that the file guards and the PTX makes in all lanes, those outside from an address that it selects.
struct UnguardedLoad {
  int line = 0;
  std::uint64_t lanes = 0, guarded_lanes = 0;
};
[[nodiscard]] Message words_of(const UnguardedLoad& load, std::string_view compiler);

}  // namespace lab::judge
