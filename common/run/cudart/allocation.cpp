// What allocating and freeing do. See allocation.h.
#include "common/run/cudart/allocation.h"

#include "common/run/cudart/graph.h"

namespace lab::cudart {
namespace {

// A buffer of more than half a large page has large pages of its own, as on an H200; programs count on it.
constexpr std::uint64_t kLargePage = 2 << 20;

void account(Context& c, std::uint64_t size_bytes) {
  if (size_bytes > c.free_bytes()) throw std::bad_alloc();
  c.device().used_bytes += size_bytes;
}

}  // namespace

void* allocate(Context& c, std::uint64_t size_bytes, MemoryType type, unsigned flags) {
  if (size_bytes == 0) return nullptr;
  if (type != MemoryType::Host) account(c, size_bytes);
  if (type == MemoryType::Device && size_bytes > kLargePage / 2) c.memory.begin_at(kLargePage);
  try {
    const sim::DeviceAddress at = type == MemoryType::Device
                                      ? c.memory.allocate(size_bytes, sim::Fill::Poison)
                                      : c.memory.allocate_visible(size_bytes);
    c.allocated[at] = {type, size_bytes, flags, nullptr, current_device()};
    return pointer_to(at);
  } catch (const std::bad_alloc&) {
    if (type != MemoryType::Host) c.device().used_bytes -= size_bytes;
    throw;
  }
}

Error give_back(Context& c, void* pointer, const char* verb, bool host) {
  if (pointer == nullptr || c.graph_memory.contains(address_of(pointer))) return Error::Success;
  const auto found = c.allocated.find(address_of(pointer));
  const bool is_hosts =
      found != c.allocated.end() && found->second.type == MemoryType::Host && found->second.pool == nullptr;
  if (found == c.allocated.end() || is_hosts != host) {
    throw ApiError{Error::InvalidValue, msg("there is nothing to {} at this pointer: it is {}{}", verb,
                                            c.memory.describe(address_of(pointer), 1),
                                            (found == c.allocated.end() ? "."
                                             : host                     ? ", which cudaFree frees."
                                                                        : ", which cudaFreeHost frees."))};
  }
  if (found->second.type != MemoryType::Host)  // a pool's may be the host's
    c.device(found->second.device).used_bytes -= found->second.size_bytes;
  if (Pool* const pool = found->second.pool) pool->used_bytes -= found->second.size_bytes;
  work_order().forget(found->first);
  c.memory.release(found->first);
  c.allocated.erase(found);
  return Error::Success;
}

// The allocation of the program around an address.
const Allocated* around(const Context& c, sim::DeviceAddress at) {
  const sim::Allocation* a = c.memory.find(at, 1);
  if (a == nullptr) return nullptr;
  const auto found = c.allocated.find(a->base);
  static const Allocated variable;  // of a module
  return found == c.allocated.end() ? &variable : &found->second;
}

void* allocate_for_graph(Context& c, std::uint64_t size_bytes) {
  void* const pointer = allocate(c, size_bytes, MemoryType::Device);
  c.allocated.erase(address_of(pointer));
  c.graph_memory[address_of(pointer)] = size_bytes;
  return pointer;
}

}  // namespace lab::cudart
