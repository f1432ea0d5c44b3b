// Sentences on places in global memory: what lies at an address, or near it.
//
// Enters: an address. Leaves: the end of a sentence.
#include <algorithm>
#include <stdexcept>

#include "common/sim/memory/block.h"

namespace lab::sim {
namespace {

constexpr DeviceAddress kNullPage = 4096;
constexpr DeviceAddress kHostLike = 0x0000'5000'0000'0000ull;  // where Linux puts programs, heaps and stacks

std::string bytes_of(std::uint64_t count) {
  if (count == 1) return /* message */ "1 byte";
  return grouped(count) + /* message */ " bytes";
}

std::string called(const std::string& name, std::uint64_t size_bytes) {
  const std::string size = grouped(size_bytes), spoken = size.substr(0, size.find(' '));
  if (spoken.front() == '8' || spoken == "11" || spoken == "18")  // eight, eleven, eighteen: an
    return name.empty() ? /* message */ "an " + size + "-byte buffer"
                        : /* message */ "`" + name + "`, an " + size + "-byte buffer";
  return name.empty() ? /* message */ "a " + size + "-byte buffer"
                      : /* message */ "`" + name + "`, a " + size + "-byte buffer";
}

}  // namespace

const Allocation& Memory::whole(DeviceAddress address, std::uint64_t size_bytes, const char* what) const {
  const Allocation* a = find(address, size_bytes);
  if (a == nullptr) {
    throw std::out_of_range(std::string(what) + " of " + bytes_of(size_bytes) + ": the range is " +
                            describe(address, size_bytes));
  }
  return *a;
}

std::string Memory::no_access(const Allocation& a) const {
  const std::string own = std::to_string(device_), other = std::to_string(a.device);
  return "in the memory of GPU " + other + ", which kernels of GPU " + own +
         " may not use. Call cudaDeviceEnablePeerAccess(" + other + ", 0) behind cudaSetDevice(" + own +
         ") first (for memory of a pool cudaMemPoolSetAccess), or launch the kernel on the GPU whose memory "
         "it "
         "is.";
}

std::string Memory::describe(DeviceAddress address, std::uint64_t size_bytes) const {
  if (const Allocation* a = find(address, size_bytes)) {
    return "byte " + grouped(address - a->base) + " of " + called(a->name, a->size_bytes);
  }
  const auto above = blocks_.upper_bound(address);
  if (above != blocks_.begin()) {
    const Allocation& a = std::prev(above)->second->allocation;
    const std::uint64_t offset = address - a.base;
    if (offset < a.size_bytes) {
      return bytes_of(size_bytes - (a.size_bytes - offset)) + " too long for " + called(a.name, a.size_bytes);
    }
    const std::uint64_t past = offset - a.size_bytes;
    if (past == 0) return "right behind the end of " + called(a.name, a.size_bytes);
    const bool next_is_nearer = above != blocks_.end() && above->first - address < past;
    if (past < kGuardBytes && !next_is_nearer)
      return bytes_of(past) + " past the end of " + called(a.name, a.size_bytes);
  }
  if (above != blocks_.end() && above->first - address <= kGuardBytes) {
    const Allocation& a = above->second->allocation;
    return bytes_of(a.base - address) + " before the start of " + called(a.name, a.size_bytes);
  }
  return describe_unmapped(address);
}

std::string Memory::describe_unmapped(DeviceAddress address) const {
  if (address == 0) return "a null pointer";
  if (address < kNullPage) return bytes_of(address) + " past a null pointer";
  if (address - kSharedWindow < kWindowBytes) {
    return "a shared-memory address, " + bytes_of(address - kSharedWindow) + " from its start";
  }
  if (address - kLocalWindow < kWindowBytes) {
    return "a local-memory address, " + bytes_of(address - kLocalWindow) + " from its start";
  }
  if (auto it = released_.upper_bound(address); it != released_.begin()) {
    --it;
    const std::uint64_t offset = address - it->first;
    if (offset < std::max<std::uint64_t>(it->second.size_bytes, 1)) {
      return "in freed memory: byte " + grouped(offset) + " of " +
             called(it->second.name, it->second.size_bytes);
    }
  }
  if (address >= kHostLike && address < (1ull << 47)) return "in no buffer; it looks like a host address";
  if (blocks_.empty()) return "in no buffer; none is allocated";
  const auto above = blocks_.upper_bound(address);
  const Allocation* nearest = above == blocks_.end() ? nullptr : &above->second->allocation;
  std::uint64_t distance = nearest == nullptr ? ~0ull : nearest->base - address;
  bool past_it = false;
  if (above != blocks_.begin()) {
    const Allocation& below = std::prev(above)->second->allocation;
    const std::uint64_t past = address - below.base - below.size_bytes;
    if (past < distance) {
      nearest = &below;
      distance = past;
      past_it = true;
    }
  }
  constexpr std::uint64_t kFar = 1 << 20;  // the neighbour says nothing then
  if (distance > kFar) return "in no buffer, and far from all of them";
  const std::string where =
      past_it ? bytes_of(distance) + " past its end" : bytes_of(distance) + " before its start";
  return "in no buffer; the nearest is " + called(nearest->name, nearest->size_bytes) + ", and " + where;
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ' ');
  return text;
}

}  // namespace lab::sim
