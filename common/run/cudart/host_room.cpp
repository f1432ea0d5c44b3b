// Reads the headers that glibc's malloc puts in front of its buffers. See host_room.h.
//
// A header is two words: the size of the buffer before, when that is free, and the own size with three flags.
// Buffers of the heap lie side by side up to its end, so that a true header leads from size to size exactly
// to there; large buffers are mappings of their own, whose sizes are whole pages.
#include "common/run/cudart/host_room.h"

#include <unistd.h>
#include <unwind.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace lab::cudart {
namespace {

constexpr std::uintptr_t kHeader = 16, kAlign = 16, kSmallest = 32, kPage = 4096;
constexpr std::uint64_t kBeforeInUse = 1, kMapped = 2, kOtherArena = 4, kFlags = 7;
constexpr int kMostSteps = 65536;

struct Range {
  std::uintptr_t low = 0, high = 0;
};

// A mapping of this process: the one named `name`, or the one that holds `address`.
Range mapping(const char* name, std::uintptr_t address) {
  std::FILE* const file = std::fopen("/proc/self/maps", "re");
  if (file == nullptr) return {};
  char line[512];
  Range found;
  while (found.high == 0 && std::fgets(line, sizeof line, file) != nullptr) {
    unsigned long low = 0, high = 0;
    if (std::sscanf(line, "%lx-%lx r", &low, &high) != 2) continue;
    const bool wanted =
        name != nullptr ? std::strstr(line, name) != nullptr : low <= address && address < high;
    if (wanted) found = {low, high};
  }
  std::fclose(file);
  return found;
}

std::uint64_t size_word(std::uintptr_t chunk) {
  std::uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const void*>(chunk + sizeof word), sizeof word);
  return word;
}

// From header to header to the end of the heap.
bool leads_to(std::uintptr_t chunk, std::uintptr_t end) {
  for (int step = 0; step < kMostSteps && chunk != end; ++step) {
    if (end - chunk < kSmallest) return false;
    const std::uint64_t word = size_word(chunk), size = word & ~kFlags;
    if (size < kSmallest || size % kAlign != 0 || size > end - chunk || (word & (kMapped | kOtherArena)) != 0)
      return false;
    if (step == 1 && (word & kBeforeInUse) == 0) return false;  // the buffer that we look at is in use
    chunk += size;
  }
  return true;
}

}  // namespace

std::optional<std::size_t> host_room(const void* pointer) {
  const auto at = reinterpret_cast<std::uintptr_t>(pointer);
  if (at % kAlign != 0 || at < kPage) return std::nullopt;
  const std::uintptr_t chunk = at - kHeader;
  static const std::uintptr_t heap_low = mapping("[heap]", 0).low;
  const auto heap_high = reinterpret_cast<std::uintptr_t>(::sbrk(0));
  if (heap_low != 0 && chunk >= heap_low && at < heap_high) {
    if (!leads_to(chunk, heap_high)) return std::nullopt;
    return (size_word(chunk) & ~kFlags) - sizeof(std::uint64_t);  // the next header lends its first word
  }
  if (chunk % kPage != 0) return std::nullopt;
  const Range range = mapping(nullptr, chunk);
  if (range.high == 0) return std::nullopt;
  const std::uint64_t word = size_word(chunk), size = word & ~kFlags;
  std::uint64_t before = 0;
  std::memcpy(&before, reinterpret_cast<const void*>(chunk), sizeof before);
  const bool mapped = (word & kFlags) == kMapped && before == 0 && size % kPage == 0 && size != 0;
  return mapped && size <= range.high - chunk ? std::optional(size - kHeader) : std::nullopt;
}

std::optional<Frame> frame_of(const void* pointer) {
  struct Walk {
    std::uintptr_t at = 0, function = 0;
    Frame found{};
  } walk{reinterpret_cast<std::uintptr_t>(pointer)};
  if (walk.at < reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0))) return std::nullopt;
  const auto step = [](_Unwind_Context* frame, void* data) {
    auto& seen = *static_cast<Walk*>(data);
    const std::uintptr_t caller = _Unwind_GetCFA(frame);
    if (caller <= seen.at) {
      seen.function = _Unwind_GetRegionStart(frame);
      return _URC_NO_REASON;
    }
    seen.found = {caller - sizeof(void*), seen.function};  // where the call's return address lies
    return _URC_END_OF_STACK;
  };
  // An address above all frames is none of the stack's, and leaves the walk at its end.
  _Unwind_Backtrace(step, &walk);
  if (walk.found.end <= walk.at) return std::nullopt;
  return walk.found;
}

}  // namespace lab::cudart
