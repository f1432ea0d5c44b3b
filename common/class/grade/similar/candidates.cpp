// An inverted index: fingerprint → who has it. See candidates.h.
#include "common/class/grade/similar/candidates.h"

#include <algorithm>
#include <utility>

namespace lab::grade {

void for_each_candidate(const std::vector<std::vector<std::uint64_t>>& prints,
                        const std::function<void(std::size_t, std::size_t)>& body) {
  std::vector<std::pair<std::uint64_t, std::size_t>> index;
  for (std::size_t who = 0; who < prints.size(); ++who) {
    for (const std::uint64_t print : prints[who]) index.emplace_back(print, who);
  }
  std::sort(index.begin(), index.end());
  index.erase(std::unique(index.begin(), index.end()), index.end());
  std::vector<std::vector<std::size_t>> places(prints.size());
  for (std::size_t i = 0; i < index.size(); ++i) places[index[i].second].push_back(i);
  std::vector<std::size_t> seen_with(prints.size(), prints.size());
  for (std::size_t a = 0; a < prints.size(); ++a) {
    for (const std::size_t place : places[a]) {
      const std::size_t end = std::min(index.size(), place + 1 + kNeighbours);
      for (std::size_t i = place + 1; i < end && index[i].first == index[place].first; ++i) {
        const std::size_t b = index[i].second;
        if (std::exchange(seen_with[b], a) != a) body(a, b);
      }
    }
  }
}

}  // namespace lab::grade
