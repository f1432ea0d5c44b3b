// Sparse vector clocks. See published.h.
#include "common/sim/observe/published.h"

#include <algorithm>

namespace lab::sim {
namespace {

constexpr int kLanes = 32;

template <typename Entries>
auto at_or_behind(Entries& entries, std::uint64_t key, decltype(entries.begin()) from) {
  return std::lower_bound(from, entries.end(), key,
                          [](const auto& entry, std::uint64_t k) { return entry.first < k; });
}
template <typename Entries>
auto at_or_behind(Entries& entries, std::uint64_t key) {
  return at_or_behind(entries, key, entries.begin());
}

}  // namespace

void Published::know(std::uint64_t block, std::uint32_t who, Number until) {
  if (until == 0) return;
  const std::uint64_t at = key(block, who);
  const auto place = at_or_behind(entries_, at);
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

void Published::gather(std::uint64_t block, std::uint32_t warp) {
  const std::uint64_t first = key(block, thread_of(warp * kLanes));
  const auto from = at_or_behind(entries_, first);
  if (entries_.end() - from < kLanes || from[kLanes - 1].first != first + kLanes - 1) return;
  const auto to = from + kLanes;
  const Number least =
      std::min_element(from, to, [](const auto& a, const auto& b) { return a.second < b.second; })->second;
  entries_.erase(std::remove_if(from, to, [&](const auto& entry) { return entry.second <= least; }), to);
  know(block, warp_of(warp), least);
}

void Published::gather() {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> warps;
  for (const auto& entry : entries_) {
    const auto who = static_cast<std::uint32_t>(entry.first & 0xfff);
    if (who >= thread_of(0) && (who - thread_of(0)) % kLanes == 0)
      warps.emplace_back(entry.first >> 12, (who - thread_of(0)) / kLanes);
  }
  for (const auto& [block, warp] : warps) gather(block, warp);
}

bool Published::includes(const Published& other) const {
  auto from = entries_.begin();
  return std::all_of(other.entries_.begin(), other.entries_.end(), [&](const auto& wanted) {
    if (from != entries_.end() && from->first < wanted.first)
      from = at_or_behind(entries_, wanted.first, from);
    if (from != entries_.end() && from->first == wanted.first && (from++)->second >= wanted.second)
      return true;
    const std::uint64_t block = wanted.first >> 12;
    const auto who = static_cast<std::uint32_t>(wanted.first & 0xfff);
    return until(block, kAllWarps) >= wanted.second ||
           (who >= thread_of(0) && until(block, warp_of((who - thread_of(0)) / kLanes)) >= wanted.second);
  });
}

Number Published::until(std::uint64_t block, std::uint32_t who) const {
  const std::uint64_t at = key(block, who);
  const auto place = at_or_behind(entries_, at);
  return place != entries_.end() && place->first == at ? place->second : 0;
}

bool Published::knows(std::uint64_t block, std::uint32_t thread, Number number) const {
  return number < until(block, kAllWarps) || number < until(block, warp_of(thread / kLanes)) ||
         number < until(block, thread_of(thread));
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
