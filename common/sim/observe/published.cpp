// Sparse vector clocks. See published.h.
#include "common/sim/observe/published.h"

#include <algorithm>

namespace lab::sim {

void Published::know(std::uint64_t block, std::uint32_t who, Number until) {
  if (until == 0) return;
  const std::uint64_t at = key(block, who);
  const auto place = std::lower_bound(entries_.begin(), entries_.end(), at,
                                      [](const auto& entry, std::uint64_t k) { return entry.first < k; });
  if (place != entries_.end() && place->first == at) {
    place->second = std::max(place->second, until);
  } else {
    entries_.insert(place, {at, until});
  }
}

void Published::join(const Published& other) {
  if (other.entries_.empty()) return;
  if (entries_.empty()) {
    entries_ = other.entries_;
    return;
  }
  if (other.entries_.size() * 8 < entries_.size()) {
    for (const auto& [key, until] : other.entries_)
      know(key >> 12, static_cast<std::uint32_t>(key & 0xfff), until);
    return;
  }
  std::vector<std::pair<std::uint64_t, Number>> both;
  both.reserve(entries_.size() + other.entries_.size());
  auto a = entries_.begin();
  auto b = other.entries_.begin();
  while (a != entries_.end() || b != other.entries_.end()) {
    if (b == other.entries_.end() || (a != entries_.end() && a->first < b->first)) {
      both.push_back(*a++);
    } else if (a == entries_.end() || b->first < a->first) {
      both.push_back(*b++);
    } else {
      both.emplace_back(a->first, std::max(a->second, b->second));
      ++a, ++b;
    }
  }
  entries_ = std::move(both);
}

void Published::gather() {
  constexpr std::size_t kLanes = 32;
  std::vector<std::pair<std::uint64_t, Number>> warps;
  for (std::size_t first = 0; first + kLanes <= entries_.size(); ++first) {
    const std::uint64_t key = entries_[first].first;
    const auto who = static_cast<std::uint32_t>(key & 0xfff);
    if (who < thread_of(0) || (who - thread_of(0)) % kLanes != 0) continue;
    if (entries_[first + kLanes - 1].first != key + kLanes - 1) continue;
    Number least = entries_[first].second;
    for (std::size_t k = 1; k < kLanes; ++k) least = std::min(least, entries_[first + k].second);
    warps.emplace_back(key, least);
    first += kLanes - 1;
  }
  for (const auto& [key, least] : warps) {
    const std::uint32_t warp = (static_cast<std::uint32_t>(key & 0xfff) - thread_of(0)) / kLanes;
    std::erase_if(entries_, [&, key = key, least = least](const auto& entry) {
      return entry.first >= key && entry.first < key + kLanes && entry.second <= least;
    });
    know(key >> 12, warp_of(warp), least);
  }
}

bool Published::includes(const Published& other) const {
  if (other.entries_.size() > entries_.size()) return false;
  auto from = entries_.begin();
  return std::all_of(other.entries_.begin(), other.entries_.end(), [&](const auto& wanted) {
    from = std::lower_bound(from, entries_.end(), wanted.first,
                            [](const auto& entry, std::uint64_t k) { return entry.first < k; });
    return from != entries_.end() && from->first == wanted.first && from->second >= wanted.second;
  });
}

Number Published::until(std::uint64_t key) const {
  const auto place = std::lower_bound(entries_.begin(), entries_.end(), key,
                                      [](const auto& entry, std::uint64_t k) { return entry.first < k; });
  return place != entries_.end() && place->first == key ? place->second : 0;
}

bool Published::knows(std::uint64_t block, std::uint32_t thread, Number number) const {
  return number < until(key(block, kAllWarps)) || number < until(key(block, warp_of(thread / 32))) ||
         number < until(key(block, thread_of(thread)));
}

void add_to(std::vector<PublishedPtr>& list, const PublishedPtr& more) {
  constexpr std::size_t kMost = 6;
  if (more == nullptr || std::find(list.begin(), list.end(), more) != list.end()) return;
  std::erase_if(list, [&](const PublishedPtr& old) { return more->includes(*old); });
  if (list.size() == kMost) {
    auto all = std::make_shared<Published>(*more);
    for (const PublishedPtr& one : list) all->join(*one);
    list.assign(1, std::move(all));
    return;
  }
  list.push_back(more);
}

}  // namespace lab::sim
